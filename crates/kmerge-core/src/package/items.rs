//! The items of a list of the destination, and what becomes of them: edits and conflicts in the text of the list.

use kyaml_ast::{Edit, Entry, EntryId, Graft, Node, Piece, Position, Span, Stream};

use super::excerpt::{Excerpt, column, in_file, placed};
use super::extract::extract_item;
use super::fate::Fate;
use super::lists::{item_entries, node_span};
use super::rows::Row;
use super::trees::UnitRef;
use super::write::Units;
use crate::MergeError;
use crate::plan::{Conflict, ConflictPlace, Plan, Role, Variant};
use crate::slots::{Side, Slots};
use crate::walk::Walker;

/// A list of the destination, and what the sides have in it.
pub(super) struct ListPlace<'t> {
    /// The items of the text that is edited.
    pub(super) items: Node<'t>,
    /// The versions of the list.
    pub(super) lists: Slots<UnitRef>,
    /// The text that is edited, and the lists of the others.
    pub(super) streams: Slots<&'t Stream<'t>>,
    /// Where the lists stand in their files.
    pub(super) texts: &'t Slots<Excerpt>,
}

impl<'t> ListPlace<'t> {
    /// What the items come to that rows plan for the list.
    pub(super) fn plan<'a: 't>(&self, units: &mut Units<'a, '_>, rows: &[usize]) -> Result<Plan, MergeError> {
        let mut draft = Draft::of(self, units)?;
        for &row in rows {
            let unit = units.plan.unit(row);
            let Some(index) = units.trees.unit(unit).item.map(|item| item as usize) else { continue };
            match unit.side {
                Side::Dest => draft.own_item(units, row, index)?,
                Side::Base | Side::Incoming => draft.new_item(units, row, index),
            }
        }
        Ok(draft.finish())
    }
}

/// A unit as it would stand in the place of an item.
fn text_beside(units: &Units<'_, '_>, unit: UnitRef, item: UnitRef) -> Result<String, MergeError> {
    let column = column(units.trees, item);
    let text = extract_item(units.trees, unit, units.trees.list_of(item), column)?.text;
    Ok(placed(text.trim_end_matches(['\r', '\n']), column))
}

/// What becomes of the items so far.
struct Draft<'t> {
    collection: Node<'t>,
    own: Vec<Entry<'t>>,
    gone: Vec<bool>,
    /// The list of the base, and its items.
    base: Option<UnitRef>,
    old: Vec<Entry<'t>>,
    /// The incoming items, and who knows the orders in them.
    new: Vec<Entry<'t>>,
    walker: Option<Walker<'t>>,
    /// Where the next new one goes.
    position: Position,
    plan: Plan,
}

impl<'t> Draft<'t> {
    fn of<'a: 't>(list: &ListPlace<'t>, units: &Units<'a, '_>) -> Result<Self, MergeError> {
        let Slots { base, incoming, .. } = list.streams;
        let walker = |incoming: &'t Stream<'t>| {
            units.walker(incoming).map_err(|error| in_file(error, list.texts.incoming.as_ref()))
        };
        let own: Vec<Entry<'_>> = list.items.entries().collect();
        Ok(Self {
            collection: list.items,
            gone: vec![true; own.len()],
            own,
            base: list.lists.base,
            old: base.map(item_entries).unwrap_or_default(),
            new: incoming.map(item_entries).unwrap_or_default(),
            walker: incoming.map(walker).transpose()?,
            position: Position::First,
            plan: Plan::default(),
        })
    }

    /// An item of the destination.
    fn own_item(&mut self, units: &mut Units<'_, '_>, row: usize, index: usize) -> Result<(), MergeError> {
        let Row { units: versions, fate, .. } = units.plan.rows[row];
        match (fate, versions.dest) {
            (Fate::Merge, _) => self.keep(index, Some(units.text(row)?)),
            (Fate::Conflict, Some(dest)) => {
                let base = versions.base.map(|base| text_beside(units, base, dest)).transpose()?;
                self.keep(index, None);
                self.contest(index, base);
            }
            _ => self.keep(index, None),
        }
        Ok(())
    }

    /// An item that only the incoming side has now.
    fn new_item(&mut self, units: &Units<'_, '_>, row: usize, index: usize) {
        let Row { units: versions, fate, .. } = units.plan.rows[row];
        let Some(&entry) = self.new.get(index) else { return };
        match fate {
            Fate::Take => self.add(entry),
            Fate::Conflict => {
                let was_here = |base: &UnitRef| units.trees.list_of(*base) == self.base;
                let base = versions.base.filter(was_here).and_then(|base| units.trees.unit(base).item);
                self.contest_new(base, entry);
            }
            Fate::Keep | Fate::Merge | Fate::Remove => {}
        }
    }

    /// Keeps an item, with another text if it has one, unless that is empty.
    fn keep(&mut self, index: usize, text: Option<String>) {
        let Some(entry) = self.own.get(index) else { return };
        self.position = Position::After(entry.id());
        self.gone[index] = text.as_ref().is_some_and(|text| text.trim_ascii().is_empty());
        if let (Some(text), false) = (text, self.gone[index]) {
            self.plan.edits.push(Edit::Text { span: node_span(entry.value()), text });
        }
    }

    /// Records that the incoming side removed an item, which the destination changed.
    fn contest(&mut self, index: usize, base: Option<String>) {
        let Some(entry) = self.own.get(index) else { return };
        let span = node_span(entry.value());
        let base = base.map_or(Variant::Absent, |text| Variant::Edited(vec![Edit::Text { span, text }]));
        self.plan.conflicts.push(conflict(ConflictPlace::Entry(entry.id()), base, Variant::Absent));
    }

    /// Adds an incoming item, unless it is nothing but an order to remove it.
    fn add(&mut self, entry: Entry<'t>) {
        let Some(walker) = &mut self.walker else { return };
        if walker.clears(Slots { dest: None, base: None, incoming: Some(entry.value()) }) {
            return;
        }
        let pieces = vec![Piece::Entry(graft(walker, entry))];
        self.plan.edits.push(Edit::Insert { collection: self.collection.id(), position: self.position, pieces });
    }

    /// Records that the destination removed an item, which the incoming side changed; `base` is its place in the list there.
    fn contest_new(&mut self, base: Option<u32>, entry: Entry<'t>) {
        let Some(walker) = &mut self.walker else { return };
        let base = base.and_then(|base| self.old.get(base as usize));
        let base = base.map(|base| Graft::new(Side::Base.stream(), base.id()));
        let base = base.map_or(Variant::Absent, |base| Variant::Entries(vec![base]));
        let place = ConflictPlace::Gap(self.collection.id(), self.position);
        self.plan.conflicts.push(conflict(place, base, Variant::Entries(vec![graft(walker, entry)])));
    }

    fn finish(mut self) -> Plan {
        let removed = self.own.iter().zip(self.gone).filter(|(_, gone)| *gone);
        self.plan.edits.extend(removed.map(|(entry, _)| Edit::Remove { entry: entry.id() }));
        self.plan
    }
}

fn graft<'o>(walker: &mut Walker<'o>, entry: Entry<'o>) -> Graft<EntryId> {
    Graft { stream: Side::Incoming.stream(), part: entry.id(), edits: walker.pruned(entry.value()) }
}

/// A conflict about whether an item is there. The rows of the package say what else there is to say about it.
fn conflict(place: ConflictPlace, base: Variant, incoming: Variant) -> Conflict {
    let spans = Slots::<Span>::default();
    Conflict { path: Default::default(), role: Role::Value, place, dest: None, base, incoming, spans }
}
