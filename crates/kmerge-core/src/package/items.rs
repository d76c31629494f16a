//! The items of a list of the destination, and what becomes of them: edits and conflicts in the text of the list.
//!
//! The comments above and beside the items are decided apart from the items, by the same rules.

use kyaml_ast::{Edit, Entry, EntryId, Graft, Node, Path, Piece, Position, Segment, Span, Stream};

use super::excerpt::{column, in_place};
use super::extract::extract_item;
use super::fate::Fate;
use super::lists::{item_entries, node_span};
use super::rows::Row;
use super::trees::{Trees, UnitRef};
use super::write::{Report, Units, starts_with_marker};
use crate::MergeError;
use crate::correspond::resource_pairs;
use crate::plan::{Blanks, Conflict, ConflictPlace, Plan, Role, Variant};
use crate::slots::{Side, Slots};
use crate::walk::Walker;

/// What becomes of the items of a list so far.
pub(super) struct Draft<'t> {
    /// The items of the text that is edited.
    collection: Node<'t>,
    gone: Vec<bool>,
    /// The versions of the list, and their items: those of the text that is edited, and of the others as they stand in their files.
    lists: Slots<UnitRef>,
    items: Slots<Vec<Entry<'t>>>,
    /// Knows the orders in the incoming items.
    walker: Walker<'t>,
    /// Where the next new one goes.
    position: Position,
    plan: Plan,
}

impl<'t> Draft<'t> {
    pub(super) fn new(
        collection: Node<'t>,
        lists: Slots<UnitRef>,
        streams: Slots<&'t Stream<'t>>,
        walker: Walker<'t>,
    ) -> Self {
        Self {
            collection,
            gone: vec![true; collection.entries().count()],
            lists,
            items: streams.map(item_entries),
            walker,
            position: Position::First,
            plan: Plan::default(),
        }
    }

    /// What the items come to that rows plan for the list.
    pub(super) fn finish(mut self, units: &mut Units<'_, '_>, rows: &[usize]) -> Result<Plan, MergeError> {
        for &row in rows {
            let unit = units.plan.unit(row);
            let Some(index) = units.trees.unit(unit).item.map(|item| item as usize) else { continue };
            match unit.side {
                Side::Dest => self.own_item(units, row, index)?,
                Side::Base | Side::Incoming => self.new_item(units, row, index),
            }
        }
        for &row in rows {
            self.comments(units, row);
        }
        let removed = self.collection.entries().zip(self.gone).filter(|(_, gone)| *gone);
        self.plan.edits.extend(removed.map(|(entry, _)| Edit::Remove { entry: entry.id() }));
        Ok(self.plan)
    }

    /// The item of one side, if it stands in this list there.
    fn entry(&self, trees: &Trees<'_>, item: Slots<UnitRef>, side: Side) -> Option<Entry<'t>> {
        let (unit, items) = (*item.get(side)?, self.items.get(side)?);
        let is_here = trees.list_of(unit) == self.lists.get(side).copied();
        if is_here { items.get(trees.unit(unit).item? as usize).copied() } else { None }
    }

    /// What the comments of an item become that stands in the same list on both sides, and stays.
    fn comments(&mut self, units: &mut Units<'_, '_>, row: usize) {
        let item = units.plan.rows[row].units;
        let entries = Slots::of(|side| self.entry(units.trees, item, side));
        let index = item.dest.and_then(|dest| units.trees.unit(dest).item);
        let (Some([dest, _]), Some(index)) = (entries.both(), index) else { return };
        if self.gone[index as usize] {
            return;
        }
        let Plan { edits, mut decisions, conflicts } = self.walker.comments_of(path(dest, index), entries);
        self.plan.edits.extend(edits);
        self.plan.conflicts.extend(conflicts);
        for decision in &mut decisions {
            let spans = decision.spans;
            decision.spans = Slots::of(|side| {
                let owned = units.trees.unit(*item.get(side)?).owned;
                Some(in_file(*spans.get(side)?, *entries.get(side)?, owned))
            });
        }
        if !decisions.is_empty() {
            units.reports.push(Report { row, decisions });
        }
    }

    /// An item of the destination: it stays, unless nothing is left of it.
    fn own_item(&mut self, units: &mut Units<'_, '_>, row: usize, index: usize) -> Result<(), MergeError> {
        let Some(&entry) = self.items.dest.as_ref().and_then(|own| own.get(index)) else { return Ok(()) };
        let Row { units: versions, fate, .. } = units.plan.rows[row];
        self.position = Position::After(entry.id());
        self.gone[index] = fate == Fate::Merge && !self.merged_item(units, row, entry)?;
        if fate == Fate::Conflict {
            let base = was(units, versions, node_span(entry.value()))?;
            self.contest(ConflictPlace::Entry(entry.id()), None, base, Variant::Absent);
        }
        Ok(())
    }

    /// Gives an item its merged text; says whether there is any.
    fn merged_item(&mut self, units: &mut Units<'_, '_>, row: usize, entry: Entry<'t>) -> Result<bool, MergeError> {
        let (span, known) = (node_span(entry.value()), units.reports.len());
        let text = units.text(row)?;
        let is_left = !text.trim_ascii().is_empty();
        if starts_with_marker(&text, units.terms.conflicts) {
            let versions = units.versions(known, |units| units.text(row))?;
            let [ours, base, theirs] = versions.map(|text| Variant::Edited(vec![Edit::Text { span, text }]));
            self.contest(ConflictPlace::Entry(entry.id()), Some(ours), base, theirs);
        } else if is_left {
            self.plan.edits.push(Edit::Text { span, text });
        }
        Ok(is_left)
    }

    /// An item that only the incoming side has now; nothing comes where it is but an order to remove it.
    fn new_item(&mut self, units: &Units<'_, '_>, row: usize, index: usize) {
        let Row { units: versions, fate, .. } = units.plan.rows[row];
        let Some(&entry) = self.items.incoming.as_ref().and_then(|new| new.get(index)) else { return };
        let alone = Slots { dest: None, base: None, incoming: Some(entry.value()) };
        if fate == Fate::Take && self.walker.clears(alone) {
            return;
        }
        let graft = self.graft(entry);
        if fate == Fate::Take {
            let pieces = vec![Piece::Entry(graft)];
            self.plan.edits.push(Edit::Insert { collection: self.collection.id(), position: self.position, pieces });
        } else {
            let base = self.entry(units.trees, versions, Side::Base);
            let graft_of = |base: Entry<'_>| vec![Graft::new(Side::Base.stream(), base.id())];
            let base = base.map_or(Variant::Absent, |base| Variant::Entries(graft_of(base)));
            let place = ConflictPlace::Gap(self.collection.id(), self.position);
            self.contest(place, None, base, Variant::Entries(vec![graft]));
        }
    }

    /// An incoming item, without the orders in it.
    fn graft(&mut self, entry: Entry<'t>) -> Graft<EntryId> {
        let edits = self.walker.pruned(entry.value());
        Graft { stream: Side::Incoming.stream(), part: entry.id(), edits }
    }

    /// Records a conflict about an item as a whole. The rows of the package say what else there is to say about it.
    fn contest(&mut self, place: ConflictPlace, dest: Option<Variant>, base: Variant, incoming: Variant) {
        let (path, spans) = (Default::default(), Slots::<Span>::default());
        self.plan.conflicts.push(Conflict {
            path,
            role: Role::Value,
            place,
            dest,
            base,
            incoming,
            spans,
            blanks: Blanks::default(),
        });
    }
}

/// The path of an item: by what tells its resource apart, or else by its place.
fn path(item: Entry<'_>, index: u32) -> Path {
    let pairs = resource_pairs(item.value());
    let step = if pairs.is_empty() { Segment::Index(index.into()) } else { Segment::Key(pairs) };
    [Segment::Field("items".to_owned()), step].into_iter().collect()
}

/// Where something that an item owns stands in the file; a comment that is not there has no place.
fn in_file(span: Span, item: Entry<'_>, owned: Span) -> Span {
    let moved = |at: u32| at - item.extent().start + owned.start;
    if span == Span::default() { span } else { Span::new(moved(span.start), moved(span.end)) }
}

/// What an item of the destination was in the base.
fn was(units: &Units<'_, '_>, versions: Slots<UnitRef>, span: Span) -> Result<Variant, MergeError> {
    let (Some(base), Some(dest)) = (versions.base, versions.dest) else { return Ok(Variant::Absent) };
    let base = extract_item(units.trees, base, Some(dest))?;
    Ok(Variant::Edited(vec![Edit::Text { span, text: in_place(&base.text, column(units.trees, dest)) }]))
}
