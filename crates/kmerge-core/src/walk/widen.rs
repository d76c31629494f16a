//! Widens the conflicts of a list, if choosing one side would not give that side's list: all conflicts become one, from
//! the first to the last difference.
//!
//! Conflicts of a list (stretches and single elements) and its other changes (moves, additions, removals) are found
//! place by place. Together they may lose an element or an order, or bring one back. So this module reads the list
//! element by element, as each choice leaves it, and compares it with that side's changes. One hunk around all
//! differences is always right.
//!
//! Ignores the inside of elements, and lists without conflicts.

mod lists;

use hashbrown::{HashMap, HashSet};

use kyaml_ast::{Edit, EntryId, Kind, Piece, Position};

use super::finish::Places;
use super::{Change, Frame, Mode, Walker};
use crate::correspond::Identity;
use crate::plan::{Conflict, ConflictPlace, Role, Variant};
use crate::policy::{BothChanged, ListOrder};
use crate::slots::Side;
use lists::{Lists, Ordered, Token};

/// The result of a list's rows.
#[derive(Clone, Copy)]
pub(super) struct Finished<'f> {
    /// Rows to add.
    pub(super) added: &'f HashMap<usize, Change>,
    /// The places of these rows.
    pub(super) places: &'f Places,
    /// Rows whose element is removed from the destination.
    pub(super) gone: &'f HashSet<usize>,
}

impl<'a> Walker<'a> {
    /// Replaces all conflicts of a list by one, if a choice of one side would not give that side's list. Returns
    /// whether it did. Then the frame has new rows.
    pub(super) fn widens(&mut self, frame: &mut Frame<'a>, finished: Finished<'_>) -> bool {
        let is_list = frame.nodes.dest.is_some_and(|node| node.kind() == Kind::Sequence);
        let is_asked = is_list && frame.mode == Mode::Merge && self.policy.both_changed == BothChanged::Conflict;
        if !is_asked || frame.is_widened || frame.clashes.is_empty() && self.plan.conflicts.len() == frame.conflicts {
            return false;
        }
        let nothing_goes_or_comes = finished.added.is_empty() && finished.gone.is_empty() && frame.clashes.is_empty();
        if nothing_goes_or_comes && frame.aligned.is_as_ever() {
            return false;
        }
        let Some(lists) = Lists::of(frame) else { return false };
        let ordered = match (frame.identity, self.policy.order) {
            (Identity::Set, _) => Ordered::Free,
            (_, ListOrder::Neighbour) => Ordered::All,
            (_, ListOrder::Append | ListOrder::Prepend) => Ordered::Known,
        };
        let is_right = |side: Side| {
            let found = self.chosen(frame, finished, (side, &lists));
            found.is_some_and(|found| lists.is_side(side, &found, ordered))
        };
        if is_right(Side::Dest) && is_right(Side::Incoming) {
            return false;
        }
        self.forget_inside(frame);
        let (aligned, clash) = lists.widened();
        (frame.aligned, frame.clashes, frame.is_widened) = (aligned, vec![clash], true);
        (frame.next, frame.changes, frame.feet) = (0, Vec::new(), HashSet::new());
        let way = (frame.identity, frame.cursor);
        frame.order = self.ordered(&mut frame.aligned, &frame.nodes, way, frame.whole).0;
        true
    }

    /// Drops decisions and conflicts about the elements of a list and their order. Keeps those about the comments of
    /// its holder.
    fn forget_inside(&mut self, frame: &Frame<'a>) {
        let depth = self.path.depth();
        let stays = |role: Role, at: usize| at == depth && matches!(role, Role::Lead | Role::Trail);
        let conflicts = self.plan.conflicts.split_off(frame.conflicts);
        self.plan.conflicts.extend(conflicts.into_iter().filter(|it| stays(it.role, it.path.depth())));
        let decisions = self.plan.decisions.split_off(frame.decisions);
        self.plan.decisions.extend(decisions.into_iter().filter(|it| stays(it.role, it.path.depth())));
    }

    /// The elements of the list if `side` is chosen, in the order in which they are written. `None` if two conflicts
    /// remove the same element.
    fn chosen(&self, frame: &Frame<'a>, finished: Finished<'_>, (side, lists): (Side, &Lists)) -> Option<Vec<Token>> {
        let row = |row: usize| frame.aligned.rows[row];
        let mut choice = Choice::default();
        choice.goes.extend(finished.gone.iter().filter_map(|gone| row(*gone).dest));
        let is_in_conflict = |row: usize| !matches!(finished.added.get(&row), Some(Change::Add(_)));
        let (both_changed, new): (Places, Places) = finished.places.iter().partition(|(row, _)| is_in_conflict(*row));
        choice.add(new.into_iter().map(|(new, after)| (after, lists.of_row(&row(new)))));
        if side == Side::Incoming {
            choice.add(both_changed.into_iter().map(|(new, after)| (after, lists.of_row(&row(new)))));
            // Conflicts about single elements have no place yet.
            let is_placed = |conflict: &&Conflict| !matches!(conflict.place, ConflictPlace::Gap(..));
            let known = self.plan.conflicts[frame.conflicts..].iter().filter(is_placed);
            known.for_each(|conflict| choice.take(conflict, lists));
            frame.clashes.iter().filter_map(|clash| self.clash(frame, clash)).for_each(|it| choice.take(&it, lists));
        }
        choice.written(lists)
    }
}

/// The changes that a choice makes to the elements of the destination.
#[derive(Default)]
struct Choice {
    goes: HashSet<EntryId>,
    /// New elements, by the element that they follow.
    comes: HashMap<Option<EntryId>, Vec<Token>>,
    /// Whether an element is removed twice.
    is_torn: bool,
}

impl Choice {
    fn add(&mut self, new: impl Iterator<Item = (Option<EntryId>, Option<Token>)>) {
        new.for_each(|(after, token)| self.comes.entry(after).or_default().extend(token));
    }

    /// Applies the incoming version of a conflict, as far as it is about whole elements.
    fn take(&mut self, conflict: &Conflict, lists: &Lists) {
        match (conflict.place, &conflict.incoming) {
            (ConflictPlace::Entry(entry), Variant::Absent) => self.remove(entry),
            (ConflictPlace::Gap(list, position), Variant::Entries(new)) if list == lists.id => {
                self.add(new.iter().map(|new| (anchor(position), lists.of_entry(Side::Incoming, new.part))));
            }
            (_, Variant::Edited(edits)) => edits.iter().for_each(|edit| self.edit(edit, lists)),
            _ => {}
        }
    }

    fn edit(&mut self, edit: &Edit, lists: &Lists) {
        match edit {
            Edit::Remove { entry } => self.remove(*entry),
            Edit::Insert { collection, position, pieces } if *collection == lists.id => {
                let entry = |piece: &Piece| if let Piece::Entry(graft) = piece { Some(graft.part) } else { None };
                let new = pieces.iter().filter_map(entry);
                self.add(new.map(|new| (anchor(*position), lists.of_entry(Side::Incoming, new))));
            }
            _ => {}
        }
    }

    fn remove(&mut self, entry: EntryId) {
        self.is_torn |= !self.goes.insert(entry);
    }

    fn written(mut self, lists: &Lists) -> Option<Vec<Token>> {
        if self.is_torn {
            return None;
        }
        let mut found = self.comes.remove(&None).unwrap_or_default();
        for (entry, token) in lists.in_order(Side::Dest) {
            found.extend((!self.goes.contains(entry)).then_some(*token));
            found.extend(self.comes.remove(&Some(*entry)).unwrap_or_default());
        }
        Some(found)
    }
}

const fn anchor(position: Position) -> Option<EntryId> {
    match position {
        Position::First => None,
        Position::After(entry) => Some(entry),
    }
}
