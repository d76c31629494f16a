//! The items of a list of the destination, and what becomes of them: edits and conflicts in the text of the list.

use kyaml_ast::{Edit, Entry, EntryId, Graft, Node, Piece, Position, Span, Stream};

use super::excerpt::in_place;
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

/// What becomes of the items of a list so far.
pub(super) struct Draft<'t> {
    /// The items of the text that is edited.
    collection: Node<'t>,
    own: Vec<Entry<'t>>,
    gone: Vec<bool>,
    /// The versions of the list, and their items as they stand in their files.
    pub(super) lists: Slots<UnitRef>,
    pub(super) items: Slots<Vec<Entry<'t>>>,
    /// Knows the orders in the incoming items.
    walker: Walker<'t>,
    /// Where the next new one goes.
    position: Position,
    pub(super) plan: Plan,
}

impl<'t> Draft<'t> {
    pub(super) fn new(
        collection: Node<'t>,
        lists: Slots<UnitRef>,
        streams: Slots<&'t Stream<'t>>,
        walker: Walker<'t>,
    ) -> Self {
        let own: Vec<Entry<'_>> = collection.entries().collect();
        Self {
            collection,
            gone: vec![true; own.len()],
            own,
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
        let removed = self.own.iter().zip(self.gone).filter(|(_, gone)| *gone);
        self.plan.edits.extend(removed.map(|(entry, _)| Edit::Remove { entry: entry.id() }));
        Ok(self.plan)
    }

    /// An item that stays in the text that is edited.
    pub(super) fn kept(&self, index: u32) -> Option<EntryId> {
        let entry = self.own.get(index as usize)?;
        (!self.gone[index as usize]).then(|| entry.id())
    }

    /// An item of the destination: it stays, with another text if it is merged, unless that is empty.
    fn own_item(&mut self, units: &mut Units<'_, '_>, row: usize, index: usize) -> Result<(), MergeError> {
        let Row { units: versions, fate, .. } = units.plan.rows[row];
        let text = if fate == Fate::Merge { Some(units.text(row)?) } else { None };
        let Some(entry) = self.own.get(index).copied() else { return Ok(()) };
        let span = node_span(entry.value());
        self.position = Position::After(entry.id());
        self.gone[index] = text.as_ref().is_some_and(|text| text.trim_ascii().is_empty());
        if let (Some(text), false) = (text, self.gone[index]) {
            self.plan.edits.push(Edit::Text { span, text });
        }
        if fate == Fate::Conflict {
            let base = was(units, versions, span)?;
            self.contest(ConflictPlace::Entry(entry.id()), base, Variant::Absent);
        }
        Ok(())
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
            self.contest(place, base, Variant::Entries(vec![graft]));
        }
    }

    /// An incoming item, without the orders in it.
    fn graft(&mut self, entry: Entry<'t>) -> Graft<EntryId> {
        let edits = self.walker.pruned(entry.value());
        Graft { stream: Side::Incoming.stream(), part: entry.id(), edits }
    }

    /// Records a conflict about whether an item is there. The rows of the package say what else there is to say about it.
    fn contest(&mut self, place: ConflictPlace, base: Variant, incoming: Variant) {
        let (path, spans) = (Default::default(), Slots::<Span>::default());
        self.plan.conflicts.push(Conflict { path, role: Role::Value, place, dest: None, base, incoming, spans });
    }
}

/// What an item of the destination was in the base.
fn was(units: &Units<'_, '_>, versions: Slots<UnitRef>, span: Span) -> Result<Variant, MergeError> {
    let Some(base) = versions.base else { return Ok(Variant::Absent) };
    let base = extract_item(units.trees, base, versions.dest)?;
    Ok(Variant::Edited(vec![Edit::Text { span, text: in_place(&base.text, base.indent) }]))
}
