//! Which element of one side is which element of another: the identity of list elements, and whether it is one.
//!
//! A key must identify: every element has it, and none twice within a side. Otherwise the list is merged without keys,
//! and [`NoIdentity`] says why. A part of a composite key may be missing (as it may in a server-side apply), or is the
//! schema's default then; all of it may not.

use std::borrow::Cow;
use std::fmt;

use hashbrown::HashMap;
use kyaml_ast::{Kind, Node, Span};

use super::infer::infer;
use super::{Cursor, Keys, ListKind, ListRule, RuleSource};
use crate::equal::is_null;
use crate::resource::field;
use crate::slots::Side;

/// What identifies an element within its list; numbers and strings that print alike are the same.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum ElementId<'a> {
    /// The text of a single key, or of a set's member.
    One(Cow<'a, str>),
    /// The texts of a composite key, in the order of the keys; at least one is there.
    Many(Vec<Option<Cow<'a, str>>>),
}

impl ElementId<'_> {
    /// Whether it identifies nothing.
    pub(crate) fn is_empty(&self) -> bool {
        matches!(self, Self::One(text) if text.is_empty())
    }
}

impl fmt::Display for ElementId<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::One(text) => out.write_str(text),
            Self::Many(parts) => {
                let parts: Vec<&str> = parts.iter().map(|part| part.as_deref().unwrap_or_default()).collect();
                out.write_str(&parts.join("/"))
            }
        }
    }
}

/// Why a list's elements cannot be paired by identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoIdentity {
    /// An element of a keyed list has no fields.
    #[error("an element is not a mapping")]
    NotAMapping(Span),
    /// A member of a set is a collection or an alias.
    #[error("a member is not a scalar")]
    NotAScalar(Span),
    /// An element lacks the key, or has a collection or null there.
    #[error("an element lacks the key")]
    MissingKey(Span),
    /// Two elements of one side have the same identity.
    #[error("two elements have the same key")]
    Duplicate {
        /// The element that has it first.
        first: Span,
        /// The element that repeats it.
        second: Span,
    },
    /// No inferred key is in every element.
    #[error("no key is common to all elements")]
    NoCommonKey,
    /// There is nothing to infer a key from.
    #[error("the list is empty")]
    NoElements,
}

impl NoIdentity {
    /// This reason with other places.
    pub(crate) fn at(self, place: impl Fn(Span) -> Span) -> Self {
        match self {
            Self::NotAMapping(span) => Self::NotAMapping(place(span)),
            Self::NotAScalar(span) => Self::NotAScalar(place(span)),
            Self::MissingKey(span) => Self::MissingKey(place(span)),
            Self::Duplicate { first, second } => Self::Duplicate { first: place(first), second: place(second) },
            Self::NoCommonKey | Self::NoElements => self,
        }
    }
}

/// Why a list was compared as one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OneValue {
    /// Where the rule for the list comes from.
    pub source: RuleSource,
    /// What the rule says: field names with commas between them, or `set`.
    pub declared: Option<String>,
    /// Why the rule could not be used, and on which side; `None` if the rule says that the list is one value.
    pub why: Option<(Side, NoIdentity)>,
}

/// How the elements of one list are paired across its sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Pairing<'a> {
    /// Not by identity: the list is declared atomic, or `why` tells what stands against the keys.
    Unkeyed {
        /// Who decided.
        source: RuleSource,
        /// What stands against the keys; nothing for a list that has none.
        why: Option<NoIdentity>,
    },
    /// By identity.
    Identified {
        /// Who decided.
        source: RuleSource,
        /// The keys; none for a set, whose members are their own identity.
        keys: Option<Keys<'a>>,
        /// The identity of each element, side by side in the order that the sides were given.
        sides: Vec<Vec<ElementId<'a>>>,
    },
}

/// Decides how the elements of a list are paired; `sides` are the elements of each side that has the list.
#[must_use]
pub(crate) fn pair<'a>(rule: ListRule<'a>, sides: &[&[Node<'a>]]) -> Pairing<'a> {
    let source = rule.source;
    let keys = match rule.kind {
        ListKind::Atomic => return Pairing::Unkeyed { source, why: None },
        ListKind::Set => None,
        ListKind::Keyed(keys) => Some(keys),
        ListKind::Infer => {
            return match infer(sides) {
                Ok((key, sides)) => Pairing::Identified { source, keys: Some(Keys::one(key)), sides },
                Err(why) => Pairing::Unkeyed { source, why: Some(why) },
            };
        }
    };
    let identified = sides.iter().map(|items| keys.map_or_else(|| member_ids(items), |keys| element_ids(items, keys)));
    match identified.collect() {
        Ok(sides) => Pairing::Identified { source, keys, sides },
        Err(why) => Pairing::Unkeyed { source, why: Some(why) },
    }
}

impl Cursor<'_> {
    /// Where the rule for the list comes from.
    #[must_use]
    pub fn source(self) -> RuleSource {
        self.list().source
    }

    /// By what the elements of this list are paired: names of fields with commas between them; `None` for a set.
    ///
    /// # Errors
    /// Where it is one value.
    pub fn paired_by(self, items: &[Node<'_>]) -> Result<Option<String>, OneValue> {
        let rule = self.list();
        match pair(rule, &[items]) {
            Pairing::Identified { keys, .. } => Ok(keys.map(|keys| keys.to_string())),
            Pairing::Unkeyed { source, why } => {
                Err(OneValue { source, declared: rule.declared(), why: why.map(|why| (Side::Dest, why)) })
            }
        }
    }
}

/// The identities of the elements of one side of a keyed list.
///
/// # Errors
/// The first element that has no identity of its own.
pub(super) fn element_ids<'a>(items: &[Node<'a>], keys: Keys<'a>) -> Result<Vec<ElementId<'a>>, NoIdentity> {
    let ids = items.iter().map(|&item| element_id(item, keys)).collect::<Result<Vec<_>, _>>()?;
    check_unique(items, &ids)?;
    Ok(ids)
}

/// The identities of the members of one side of a set; a member that repeats is the same member once more.
///
/// # Errors
/// The first member that is not a scalar.
fn member_ids<'a>(items: &[Node<'a>]) -> Result<Vec<ElementId<'a>>, NoIdentity> {
    let member = |&item: &Node<'a>| item.key_text().map(ElementId::One).ok_or(NoIdentity::NotAScalar(item.span()));
    items.iter().map(member).collect()
}

/// The identity of one element.
///
/// # Errors
/// The element is not a mapping, or has nothing where its key should be.
pub(crate) fn element_id<'a>(item: Node<'a>, keys: Keys<'a>) -> Result<ElementId<'a>, NoIdentity> {
    if item.kind() != Kind::Mapping {
        return Err(NoIdentity::NotAMapping(item.span()));
    }
    let written = |key: super::Key<'a>| {
        field(item, key.name).and_then(scalar_text).map(|text| match text {
            Cow::Borrowed(text) => Cow::Borrowed(key.part(text)),
            Cow::Owned(text) => Cow::Owned(key.part(&text).to_owned()),
        })
    };
    let part = |key: super::Key<'a>| written(key).or(key.default.map(Cow::Borrowed));
    let missing = NoIdentity::MissingKey(item.span());
    if let Some(key) = keys.single() {
        return part(key).map(ElementId::One).ok_or(missing);
    }
    // What is only the default of all is no identity.
    let is_written = keys.iter().any(|key| written(key).is_some());
    if is_written { Ok(ElementId::Many(keys.iter().map(part).collect())) } else { Err(missing) }
}

/// The text under which a scalar identifies; nothing for null, collections and aliases.
pub(super) fn scalar_text(node: Node<'_>) -> Option<Cow<'_, str>> {
    if is_null(node) { None } else { node.key_text() }
}

fn check_unique(items: &[Node<'_>], ids: &[ElementId<'_>]) -> Result<(), NoIdentity> {
    let mut seen = HashMap::with_capacity(ids.len());
    for (id, item) in ids.iter().zip(items) {
        if let Some(first) = seen.insert(id, item.span()) {
            return Err(NoIdentity::Duplicate { first, second: item.span() });
        }
    }
    Ok(())
}
