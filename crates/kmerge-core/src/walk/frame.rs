//! Frames: collections whose entries are merged, and how far the walk got in each.
//!
//! Owns which collections are merged entry by entry, how their entries are paired into rows, and the step from a
//! collection to a row: in the path and in the schema. Ignores what happens to a row.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use hashbrown::HashSet;
use kyaml_ast::{Edit, Entry, EntryId, Kind, Node, Segment};

use super::alias::Brought;
use super::element::holds;
use super::ends::Margin;
use super::unkeyed::Whole;
use super::{Change, Walker, rekeyed, replaced};
use crate::correspond::{Aligned, Identity, align, elements, field_name, may_be_renamed};
use crate::equal::{is_null, same_value, text_of_key};
use crate::order::Merged;
use crate::policy::{BothChanged, Unkeyed};
use crate::resource::{Resource, listed_resource};
use crate::schema::{Cursor, RuleSource};
use crate::sequence::{Clash, align_over, align_sequences};
use crate::slots::Slots;

/// How a collection is merged, by which sides have it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Destination and incoming both have the collection: its entries are merged.
    Merge,
    /// The incoming side removed the collection: the base's entries go.
    Dropped,
    /// The destination removed the collection: entries that changed from base to incoming come back.
    Delta,
}

/// A collection whose entries are being visited.
pub(super) struct Frame<'a> {
    pub(super) mode: Mode,
    pub(super) nodes: Slots<Node<'a>>,
    pub(super) holder: Slots<EntryId>,
    pub(super) cursor: Cursor<'a>,
    pub(super) identity: Identity<'a>,
    pub(super) aligned: Aligned,
    /// The merged order of the rows. `None` if all sides have the same entries in the same order.
    pub(super) order: Option<Merged>,
    pub(super) next: usize,
    /// By row.
    pub(super) changes: BTreeMap<usize, Change>,
    /// Edits of the holder itself: of its comments, and of the quotes around its key.
    pub(super) own: Vec<Edit>,
    /// Rows of elements whose name the other side gave to another element. The winning side's version is taken as a
    /// whole.
    pub(super) taken_names: HashSet<usize>,
    /// Neighbouring elements that both sides changed. Each clash becomes one conflict.
    pub(super) clashes: Vec<Clash>,
    /// Whether the only clash covers everything that differs (see [`widen`]).
    pub(super) is_widened: bool,
    /// Whether destination and base are equal here, so that the incoming text can be copied as it is.
    pub(super) is_wholesale: bool,
    /// Whether the collection is, or is inside, a list that counts as one value; and how that list is decided.
    pub(super) whole: Whole,
    /// Whether the lines above, between and below the entries are merged already.
    pub(super) has_settled_lines: bool,
    /// Rows whose foot (the lines below the value) is merged already.
    pub(super) feet: HashSet<usize>,
    /// The number of decisions when the frame was made.
    pub(super) decisions: usize,
    /// The number of conflicts when the frame was made.
    pub(super) conflicts: usize,
    /// In a two-way merge, what the destination gets from merge keys, source by source. Read on first use.
    pub(super) inherited: OnceCell<Vec<Brought>>,
    /// The lines and marks around the entries of a root. Empty for any other collection.
    pub(super) margins: Slots<Margin>,
}

impl<'a> Walker<'a> {
    /// How values are merged entry by entry, if they are collections. `None` if they are compared as a whole.
    fn mode(&self, values: Slots<Node<'a>>, within: Whole) -> Option<Mode> {
        // A collection that one side removed and the other left alone is one decision.
        let is_parts = |kept: Node<'a>, base: Node<'a>| {
            self.policy.merges_removed()
                && within != Whole::Taken
                && kept.kind() == base.kind()
                && (kept.digest() != base.digest() || !same_value(kept, base))
        };
        match (values.dest, values.base, values.incoming) {
            (Some(dest), _, Some(incoming)) if dest.kind() != incoming.kind() => None,
            (Some(dest), base, Some(incoming)) => {
                let is_whole = || self.denies_entries(dest, base, incoming) || would_mix_kinds(dest, base, incoming);
                let is_merged = self.policy.unkeyed != Unkeyed::Elementwise || !is_whole();
                is_merged.then_some(Mode::Merge)
            }
            (Some(dest), Some(base), None) => is_parts(dest, base).then_some(Mode::Dropped),
            (None, Some(base), Some(incoming)) => is_parts(incoming, base).then_some(Mode::Delta),
            _ => None,
        }
    }

    /// Whether one side says that a collection is empty, and the other added it, or added to it or changed what is in it: there are to be
    /// no entries.
    fn denies_entries(&self, dest: Node<'a>, base: Option<Node<'a>>, incoming: Node<'a>) -> bool {
        let is_empty = |node: Node<'a>| node.entries().next().is_none();
        if self.streams.base.is_none() || is_empty(dest) == is_empty(incoming) {
            return false;
        }
        let filled = if is_empty(dest) { incoming } else { dest };
        base.is_none_or(|base| base.kind() != dest.kind() || !is_empty(base) && !holds(base, filled))
    }

    /// A frame for values that are merged entry by entry. `None` if they are compared as a whole.
    pub(super) fn descend(
        &self,
        values: Slots<Node<'a>>,
        holder: Slots<EntryId>,
        cursor: Cursor<'a>,
        within: Whole,
    ) -> Option<Box<Frame<'a>>> {
        let mode = self.mode(values, within)?;
        let model = values.dest.or(values.incoming)?;
        let nodes = values.filter_map(|node| (node.kind() == model.kind()).then_some(node));
        if nodes.present().any(|(_, node)| node.tag() != model.tag()) {
            return None;
        }
        let (identity, whole) = match model.kind() {
            Kind::Mapping => (Identity::Field, within),
            Kind::Sequence => match self.list_identity(&nodes, cursor) {
                Some(identity) if within != Whole::Taken => (identity, within),
                _ => (Identity::Position, self.unkeyed(mode, &nodes, within)?),
            },
            _ => return None,
        };
        let cursor = cursor.by_structure(nodes.present().map(|(_, node)| *node));
        let frame = self.frame(nodes, holder, cursor);
        let mut frame = Box::new(Frame { mode, identity, whole, ..frame });
        self.align(&mut frame)?;
        Some(frame)
    }

    /// Pairs the entries of a collection into rows, and merges their order. `None` if no entry stays.
    fn align(&self, frame: &mut Frame<'a>) -> Option<()> {
        (frame.aligned, frame.clashes) = match frame.identity {
            Identity::Position if frame.whole == Whole::Taken => (align_over(&frame.nodes)?, Vec::new()),
            Identity::Position => align_sequences(&frame.nodes, frame.cursor.places()),
            identity => (align(&frame.nodes, identity), Vec::new()),
        };
        self.refuse_repeated(frame);
        self.join_renamed(frame);
        frame.aligned.hide(&self.overlay);
        if frame.mode == Mode::Merge {
            self.order_rows(frame);
        }
        if let Identity::Keyed(keys) = frame.identity {
            let names = elements::names_taken(&frame.aligned, &frame.nodes, keys);
            frame.taken_names = names.into_iter().flatten().collect();
        }
        Some(())
    }

    /// A frame for a mapping, or for a list whose elements are known by position. It has no rows yet.
    pub(super) fn frame(&self, nodes: Slots<Node<'a>>, holder: Slots<EntryId>, cursor: Cursor<'a>) -> Frame<'a> {
        let is_list = nodes.dest.is_some_and(|node| node.kind() == Kind::Sequence);
        Frame {
            mode: Mode::Merge,
            nodes,
            holder,
            cursor,
            identity: if is_list { Identity::Position } else { Identity::Field },
            aligned: Aligned::default(),
            order: None,
            next: 0,
            changes: BTreeMap::new(),
            own: Vec::new(),
            taken_names: HashSet::new(),
            clashes: Vec::new(),
            is_widened: false,
            is_wholesale: false,
            whole: Whole::No,
            has_settled_lines: false,
            feet: HashSet::new(),
            decisions: self.plan.decisions.len(),
            conflicts: self.plan.conflicts.len(),
            inherited: OnceCell::new(),
            margins: Slots::default(),
        }
    }

    /// Pairs renamed elements with the element of the base that had the old name.
    fn join_renamed(&self, frame: &mut Frame<'a>) {
        let (aligned, nodes) = (&mut frame.aligned, &frame.nodes);
        let Slots { dest: Some(_), base: Some(base), incoming: Some(_) } = nodes else { return };
        match frame.identity {
            Identity::Set => replaced::join(aligned, nodes),
            Identity::Keyed(keys) => {
                let is_kept = |row: &&Slots<EntryId>| row.is_full();
                if aligned.rows.iter().filter(is_kept).count() < base.entries().count() {
                    elements::join(aligned, nodes, keys, self.policy);
                }
            }
            Identity::Field if self.policy.both_changed == BothChanged::Conflict => rekeyed::join(aligned, nodes),
            Identity::Field | Identity::Resource | Identity::Position => {}
        }
    }

    /// The identity of a list's elements. The items of a whole file may be resources.
    fn list_identity(&self, nodes: &Slots<Node<'a>>, cursor: Cursor<'a>) -> Option<Identity<'a>> {
        let is_at_root =
            self.path.depth() == 1 && matches!(self.path.last(), Some(Segment::Field(name)) if name == "items");
        if is_at_root
            && cursor.list().source != RuleSource::User
            && let Some(identity) = Identity::of_items(nodes)
            && (self.policy.unkeyed == Unkeyed::Atomic || !may_be_renamed(nodes))
        {
            return Some(identity);
        }
        Identity::of_list(nodes, cursor, &self.overlay)
    }

    /// The path segment and the schema cursor of a row.
    pub(super) fn step(&self, frame: &Frame<'a>, index: usize) -> (Segment, Cursor<'a>) {
        let segment = self.segment(frame, index);
        let cursor = match (frame.identity, &segment) {
            (Identity::Field, Segment::Field(name)) => frame.cursor.field(name),
            (Identity::Resource, _) => self.resource(frame, frame.aligned.rows[index]),
            _ => frame.cursor.item(),
        };
        (segment, cursor)
    }

    /// The path segment of a row.
    pub(super) fn segment(&self, frame: &Frame<'a>, index: usize) -> Segment {
        let entries = self.entries(frame.aligned.rows[index]);
        let Some(entry) = frame.shown(entries) else { return Segment::Index(0) };
        match frame.identity {
            Identity::Field => Segment::Field(field_name(entry)),
            Identity::Position => {
                let place = frame.aligned.places.get(index).copied();
                Segment::Index(place.unwrap_or_default() as i64)
            }
            Identity::Set => Segment::Value(text_of_key(entry.value())),
            Identity::Resource | Identity::Keyed(_) => Segment::Key(frame.identity.key_pairs(entry)),
        }
    }

    /// The cursor of a resource in a list of resources.
    fn resource(&self, frame: &Frame<'a>, row: Slots<EntryId>) -> Cursor<'a> {
        let lists = self.entries(frame.holder).filter_map(|holder| Resource::of_node(holder.collection()));
        let (list, item) = (lists.as_ref().for_all(), self.entries(row).for_all());
        let resource = list.zip(item).and_then(|(list, item)| listed_resource(item.value(), list));
        let resource = resource.unwrap_or_default();
        frame.cursor.resource(&resource.id.group, &resource.version, &resource.id.kind)
    }
}

impl<'a> Frame<'a> {
    /// The version of an entry that names the row. An element that both sides renamed is shown by its old name, so that
    /// swapping the sides changes nothing.
    fn shown(&self, Slots { dest, base, incoming }: Slots<Entry<'a>>) -> Option<Entry<'a>> {
        let has_new_name =
            |side: Option<Entry<'a>>| side.zip(base).is_some_and(|(side, base)| !self.identity.same(side, base));
        if has_new_name(dest) && has_new_name(incoming) { base } else { dest.or(incoming) }
    }
}

/// Whether one side gave all entries of a collection another kind, and the other side added one of the old kind: what reads them
/// expects one kind. Of a mapping, two entries at least have to say that it holds things of one kind.
fn would_mix_kinds(dest: Node<'_>, base: Option<Node<'_>>, incoming: Node<'_>) -> bool {
    let Some(base) = base.filter(|base| base.kind() == dest.kind()) else { return false };
    let first = |node: Node<'_>| node.entries().next().and_then(kind_of);
    if first(dest) == first(incoming) {
        return false;
    }
    let [ours, was, theirs] = [dest, base, incoming].map(only_kind);
    let added = if was == theirs { incoming } else { dest };
    let least = if base.kind() == Kind::Mapping { 2 } else { 1 };
    [ours, was, theirs].iter().all(Option::is_some)
        && (was == ours || was == theirs)
        && (least..added.entries().count()).contains(&base.entries().count())
}

/// The kind that the values of all entries of a collection have.
fn only_kind(collection: Node<'_>) -> Option<Kind> {
    let mut kinds = collection.entries().map(kind_of);
    let first = kinds.next()??;
    kinds.all(|kind| kind == Some(first)).then_some(first)
}

/// The kind of an entry's value, one for all scalars. A null or an alias stands for any kind.
fn kind_of(entry: Entry<'_>) -> Option<Kind> {
    match entry.value().kind() {
        kind if kind.is_collection() => Some(kind),
        kind if kind.is_scalar() && !is_null(entry.value()) => Some(Kind::Plain),
        _ => None,
    }
}
