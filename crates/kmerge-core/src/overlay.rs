//! Patch directives of the incoming side (`$patch`), found before the walk, so that it meets orders instead of fields.
//!
//! Invariant: a directive's own entry (or the item that is nothing but one) is hidden and never reaches a result.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{EntryId, Kind, Node, NodeId, Parents, Path, Segment, Stream};

use crate::MergeError;

/// What a `$patch` says about the mapping or list it stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Directive {
    /// Merge as if nothing was said.
    Merge,
    /// The destination's value goes, this one comes.
    Replace,
    /// The destination's value goes.
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
        if !stream.source().contains("$patch") {
            return Ok(overlay);
        }
        let mut open: Vec<Node<'_>> = stream.documents().filter_map(kyaml_ast::Document::root).collect();
        while let Some(node) = open.pop() {
            for entry in node.entries() {
                let value = entry.value();
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

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.hidden.is_empty()
    }

    /// Whether an entry is a directive and no data.
    pub(crate) fn is_hidden(&self, entry: EntryId) -> bool {
        self.hidden.contains(&entry)
    }
}

/// The value of `$patch` in an item that is nothing but `{$patch: …}`: it speaks about the list.
fn of_list(item: Node<'_>) -> Option<Node<'_>> {
    let mut entries = item.entries();
    let first = entries.next()?;
    (entries.next().is_none() && first.key()?.value() == "$patch").then(|| first.value())
}

/// What a directive says about `place`.
fn directive(value: Node<'_>, place: Node<'_>) -> Result<Directive, MergeError> {
    match value.value().as_ref() {
        "merge" => Ok(Directive::Merge),
        "replace" => Ok(Directive::Replace),
        "delete" => Ok(Directive::Delete),
        _ => Err(MergeError::UnknownDirective { span: value.span(), path: path(place) }),
    }
}

/// Where a node stands in its document; the items of lists by their positions.
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
