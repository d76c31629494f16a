//! Finds patch directives (`$patch`) of the incoming side before the walk, so that the walk does not take them for
//! fields.
//!
//! Invariant: the entry of a directive (or an item with nothing but a directive) is hidden and never reaches a result.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{EntryId, Kind, Node, NodeId, Parents, Path, Segment, Stream};

use crate::MergeError;

/// The meaning of a `$patch` for the mapping or list that contains it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Directive {
    /// Merge, as without a directive.
    Merge,
    /// The destination's value is replaced by this one.
    Replace,
    /// The destination's value is removed.
    Delete,
}

/// The directives of one stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Overlay {
    directives: HashMap<NodeId, Directive>,
    hidden: HashSet<EntryId>,
}

impl Overlay {
    /// Finds all directives of a stream.
    pub(crate) fn of(stream: &Stream<'_>) -> Result<Self, MergeError> {
        let mut overlay = Self::default();
        if !stream.source().contains('$') {
            return Ok(overlay);
        }
        let mut open: Vec<Node<'_>> = stream.documents().filter_map(kyaml_ast::Document::root).collect();
        while let Some(node) = open.pop() {
            for entry in node.entries() {
                let value = entry.value();
                if let Some(key) = entry.key().filter(|key| value.kind() == Kind::Sequence && is_for_patches(*key)) {
                    let (span, name) = (key.span(), key.value().into_owned());
                    return Err(MergeError::PatchDirective { span, path: path(node), name });
                }
                if entry.key().is_some_and(|key| key.value() == "$patch") {
                    overlay.directives.insert(node.id(), directive(value, node)?);
                    overlay.hidden.insert(entry.id());
                } else if node.kind() == Kind::Sequence
                    && let Some(directive) = of_list(value)
                {
                    overlay.directives.insert(node.id(), self::directive(directive, node)?);
                    overlay.hidden.insert(entry.id());
                } else {
                    open.push(value);
                }
            }
        }
        Ok(overlay)
    }

    /// The directive of a mapping or list.
    pub(crate) fn directive(&self, node: NodeId) -> Option<Directive> {
        self.directives.get(&node).copied()
    }

    /// Whether there are no directives.
    pub(crate) fn is_empty(&self) -> bool {
        self.hidden.is_empty()
    }

    /// Whether an entry is a directive, not data.
    pub(crate) fn is_hidden(&self, entry: EntryId) -> bool {
        self.hidden.contains(&entry)
    }
}

/// The value of `$patch` in an item with nothing else (`{$patch: …}`). Such a directive is about the list.
fn of_list(item: Node<'_>) -> Option<Node<'_>> {
    let mut entries = item.entries();
    let first = entries.next()?;
    (entries.next().is_none() && first.key()?.value() == "$patch").then(|| first.value())
}

/// The directive with this value, for `place`.
fn directive(value: Node<'_>, place: Node<'_>) -> Result<Directive, MergeError> {
    match value.value().as_ref() {
        "merge" => Ok(Directive::Merge),
        "replace" => Ok(Directive::Replace),
        "delete" => Ok(Directive::Delete),
        _ => Err(MergeError::UnknownDirective { span: value.span(), path: path(place) }),
    }
}

/// Whether a key is a directive that only a strategic merge patch can execute.
fn is_for_patches(key: Node<'_>) -> bool {
    key.kind().is_scalar()
        && key.text().contains('$')
        && matches!(
            key.value().split('/').next(),
            Some("$retainKeys" | "$setElementOrder" | "$deleteFromPrimitiveList")
        )
}

/// The path of a node in its document. List items are named by position.
fn path(node: Node<'_>) -> Path {
    let stream = node.stream();
    let parents = Parents::of(stream);
    let mut segments = Vec::new();
    let mut next = parents.holder(stream, node.id());
    while let Some(id) = next {
        let entry = stream.entry(id);
        let position = || entry.collection().entries().position(|it| it.id() == id).unwrap_or_default();
        segments.push(match entry.key() {
            Some(key) => Segment::Field(key.value().into_owned()),
            None => Segment::Index(position() as i64),
        });
        next = parents.holder(stream, id.collection);
    }
    segments.into_iter().rev().collect()
}
