//! Aliases and merge keys (`<<`) in a two-way merge: what is merged is what they stand for.
//!
//! The result is written in the place of the alias, or beside the merge key, because other places use what they refer
//! to. If the source changes nothing there, nothing is written. (In a three-way merge, an alias is a value of its own.)

use std::cell::OnceCell;
use std::rc::Rc;

use hashbrown::HashMap;
use kyaml_ast::{Content, Edit, Entry, EntryId, Graft, Kind, Node, NodeId, Parents, Span};

use super::{Change, Frame, Walker};
use crate::MergeError;
use crate::correspond::field_name;
use crate::equal::{is_null, same_value};
use crate::inherit::{Inherited, brought, sources};
use crate::policy::BothChanged;
use crate::slots::{Side, Slots};

/// The most bytes that may be read through aliases. An alias bomb has more.
const MOST_BYTES: usize = 4 << 20;

/// What a value counts at least.
const LEAST_BYTES: usize = 64;

/// What was read, or copied, through aliases and merge keys of the destination.
#[derive(Debug, Default)]
pub(super) struct Copies {
    parents: OnceCell<Parents>,
    /// What each source of a merge key brings.
    brought: HashMap<NodeId, Brought>,
    bytes: usize,
}

/// Fields by name.
pub(super) type Brought = Rc<HashMap<String, EntryId>>;

impl Copies {
    /// The entry that holds a node of the destination. A key has none.
    fn holder(&self, node: Node<'_>) -> Option<EntryId> {
        self.parents.get_or_init(|| Parents::of(node.stream())).holder(node.stream(), node.id())
    }
}

impl<'a> Walker<'a> {
    /// Whether aliases stand for what they refer to.
    fn follows_aliases(&self) -> bool {
        self.streams.base.is_none() && self.policy.both_changed != BothChanged::Conflict && self.refusal.get().is_none()
    }

    /// The values of a row. In a two-way merge, an alias is what it refers to, if the other side has none.
    pub(super) fn meant(&mut self, entries: Slots<Entry<'a>>) -> Slots<Node<'a>> {
        let values = entries.map(Entry::value);
        match values.both() {
            Some([dest, incoming])
                if self.follows_aliases() && dest.alias().is_some() != incoming.alias().is_some() =>
            {
                Slots {
                    dest: Some(self.behind(dest)),
                    base: None,
                    incoming: Some(beyond(incoming).unwrap_or(incoming)),
                }
            }
            _ => values,
        }
    }

    /// Counts a node that is read again. Whether all that was read is not too much.
    fn may_read(&mut self, node: Node<'a>) -> bool {
        self.copies.bytes += node.span().len().max(LEAST_BYTES);
        let may = self.copies.bytes <= MOST_BYTES;
        if !may {
            self.refuse(MergeError::TooManyAliases { span: node.span(), most: MOST_BYTES });
        }
        may
    }

    /// What an alias of the destination refers to, if a copy of it can take the place of the alias.
    fn behind(&mut self, node: Node<'a>) -> Node<'a> {
        let target = beyond(node).filter(|target| self.copies.holder(*target).is_some());
        target.filter(|target| self.may_read(*target)).unwrap_or(node)
    }

    /// Whether the sides of a row have the same value.
    pub(super) fn mean_the_same(&mut self, row: Slots<EntryId>) -> bool {
        self.meant(self.entries(row)).both().is_some_and(|[dest, incoming]| same_value(dest, incoming))
    }

    /// A row in which the destination has the field that it gets from a merge key, if it has none of its own.
    pub(super) fn with_inherited(&mut self, frame: &Frame<'a>, row: Slots<EntryId>) -> Slots<EntryId> {
        let Slots { dest: None, base: None, incoming: Some(incoming) } = self.entries(row) else { return row };
        let Some((dest, found)) = self.streams.dest.zip(self.inherited(frame, incoming)) else { return row };
        if self.may_read(dest.entry(found).value()) { Slots { dest: Some(found), ..row } } else { row }
    }

    /// Refuses to remove a field that the destination would then get from a merge key.
    pub(super) fn refuse_inherited(&mut self, frame: &Frame<'a>, row: Slots<EntryId>) {
        let Some(incoming) = self.entries(row).incoming else { return };
        let Some((dest, found)) = self.streams.dest.zip(self.inherited(frame, incoming)) else { return };
        let found = dest.entry(found);
        if !is_null(found.value()) {
            self.refuse(MergeError::Inherited { span: found.span(), path: self.path.clone() });
        }
    }

    /// The field of this name that the destination gets from a merge key.
    fn inherited(&mut self, frame: &Frame<'a>, field: Entry<'a>) -> Option<EntryId> {
        let mapping = frame.nodes.dest.filter(|node| node.kind() == Kind::Mapping && self.follows_aliases())?;
        let sources = frame.inherited.get_or_init(|| sources(mapping).map(|source| self.brought(source)).collect());
        let name = if sources.is_empty() { return None } else { field_name(field) };
        sources.iter().find_map(|source| source.get(&name)).copied()
    }

    /// What a source of a merge key brings. It is read once, however many mappings have it.
    fn brought(&mut self, source: Node<'a>) -> Brought {
        let id = source.target().unwrap_or(source).id();
        if let Some(known) = self.copies.brought.get(&id) {
            return Rc::clone(known);
        }
        let mut fields = HashMap::new();
        for Inherited { entry, .. } in brought(source) {
            if !self.may_read(entry.value()) {
                break;
            }
            fields.entry(field_name(entry)).or_insert(entry.id());
        }
        let fields = Rc::new(fields);
        self.copies.brought.insert(id, Rc::clone(&fields));
        fields
    }

    /// The change of a row of which the values were merged. A field from a merge key becomes the mapping's own if that
    /// changes it.
    pub(super) fn own(&self, row: Slots<EntryId>, merged: Slots<EntryId>, change: Change) -> Change {
        match (change, row.dest, self.entries(merged).dest) {
            (Change::Keep(edits), None, Some(inherited)) if !edits.is_empty() => {
                let edits = Self::copied(inherited.value(), edits);
                Change::Add(Graft { stream: Side::Dest.stream(), part: inherited.id(), edits })
            }
            (change, ..) => change,
        }
    }

    /// The edits of a collection. If the destination has an alias there, they are made in a copy of what it refers to.
    pub(super) fn instead_of_alias(&self, frame: &Frame<'a>, edits: Vec<Edit>) -> Vec<Edit> {
        let alias = self.entries(frame.holder).dest.filter(|entry| entry.value().alias().is_some());
        let (Some(alias), Some(target), false) = (alias, frame.nodes.dest, edits.is_empty()) else { return edits };
        let Some(part) = self.copies.holder(target) else { return edits };
        let content = Content::Value(Graft { stream: Side::Dest.stream(), part, edits: Self::copied(target, edits) });
        vec![Edit::ReplaceValue { entry: alias.id(), content }]
    }

    /// The edits of a copy of `node`. The copy has no anchors: aliases, inside of it as well, refer to the original.
    fn copied(node: Node<'a>, edits: Vec<Edit>) -> Vec<Edit> {
        let stream = node.stream();
        let written = edits.iter().filter_map(|edit| match edit {
            Edit::ReplaceValue { entry, .. } => Some(stream.node(entry.value).full_span()),
            Edit::Remove { entry } | Edit::Rewrite { entry, .. } => Some(stream.entry(*entry).extent()),
            _ => None,
        });
        let mut written: Vec<Span> = written.collect();
        written.sort_unstable_by_key(|span| span.start);
        let is_written = |anchor: Span| {
            let before = written.partition_point(|span| span.start <= anchor.start);
            before > 0 && written[before - 1].contains(anchor)
        };
        let (mut open, mut anchors) = (vec![node], Vec::new());
        while let Some(node) = open.pop() {
            anchors.extend(node.anchor_span().filter(|span| !is_written(*span)));
            open.extend(node.children());
        }
        anchors.sort_unstable_by_key(|span| span.start);
        let removed = anchors.into_iter().map(|span| Edit::Text { span, text: String::new() });
        removed.chain(edits).collect()
    }
}

/// What an alias refers to, if it does not hold the alias.
fn beyond(node: Node<'_>) -> Option<Node<'_>> {
    node.target().filter(|target| !target.span().contains(node.span()))
}
