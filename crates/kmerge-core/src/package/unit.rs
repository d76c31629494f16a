//! What a document or list item is, as far as pairing needs to know.

use std::fmt;

use kyaml_ast::Span;

use crate::resource::ResourceId;

/// What a unit is about, and with it the scope in which it is paired.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    /// A resource with kind and name: paired across files. A `metadata.generateName` counts as a name that ends in `*`.
    Resource(ResourceId),
    /// Something with a kind of which a file holds one (a kustomization, a Kptfile, a `List`): paired within its file.
    Single {
        /// As in [`ResourceId::group`].
        group: String,
        /// `kind`.
        kind: String,
    },
    /// Any other content: paired within its file.
    Plain,
    /// Comments that stand on their own (a licence at the head, a document without content): paired within their file.
    Comment,
}

impl Subject {
    /// The identity, where there is one.
    pub(super) const fn identity(&self) -> Option<&ResourceId> {
        match self {
            Self::Resource(identity) => Some(identity),
            _ => None,
        }
    }

    /// Group and kind, where it has them.
    pub(super) fn kind(&self) -> Option<(&str, &str)> {
        match self {
            Self::Resource(ResourceId { group, kind, .. }) | Self::Single { group, kind } => Some((group, kind)),
            Self::Plain | Self::Comment => None,
        }
    }

    /// Whether it is called a list.
    pub(super) fn is_list(&self) -> bool {
        match self {
            Self::Resource(ResourceId { kind, .. }) | Self::Single { kind, .. } => kind.ends_with("List"),
            Self::Plain | Self::Comment => false,
        }
    }
}

impl fmt::Display for Subject {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Resource(identity) => identity.fmt(formatter),
            Self::Single { kind, .. } => formatter.write_str(kind),
            Self::Plain => formatter.write_str("document"),
            Self::Comment => formatter.write_str("comment"),
        }
    }
}

/// One document of a manifest, or one item of a `kind: List` in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unit {
    /// Position among the documents of its file, where comments that are set off from a document count as one.
    pub(super) document: u32,
    /// Index in the document's `items`; `None` for the document itself. Items follow their list among a file's units.
    pub(super) item: Option<u32>,
    /// Bytes of the root node or item, properties and the comment beside its last line included; of the whole document where
    /// it has no root.
    pub(super) span: Span,
    /// Every byte of the document but comments that stand on their own; of an item, the same as `span`.
    pub(super) extent: Span,
    /// What goes with the unit when it is removed: of an item, its dash and the comments above, beside and below it as well.
    pub(super) owned: Span,
    /// What it is.
    pub(super) subject: Subject,
    /// The identity that a `# kpt-merge:` comment claims.
    pub(super) claim: Option<Box<ResourceId>>,
}

impl Unit {
    /// The identity that counts: the claimed one, else its own.
    pub(super) fn identity(&self) -> Option<&ResourceId> {
        self.claim.as_deref().or_else(|| self.subject.identity())
    }
}
