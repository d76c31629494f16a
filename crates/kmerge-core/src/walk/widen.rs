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

use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Edit, EntryId, Kind, Piece, Position};

use super::fates::Fates;
use super::{Frame, Mode, Walker};
use crate::correspond::Identity;
use crate::plan::{Conflict, ConflictPlace, Role, Variant};
use crate::policy::{BothChanged, ListOrder};
use crate::slots::Side;
use lists::{Lists, Ordered, Token};

impl<'a> Walker<'a> {
    /// Replaces all conflicts of a list by one, if a choice of one side would not give that side's list. Returns
    /// whether it did. Then the frame has new rows.
    pub(super) fn widens(&mut self, frame: &mut Frame<'a>, fates: &Fates) -> bool {
        if !self.may_widen(frame, fates) {
            return false;
        }
        let Some(lists) = Lists::of(frame) else { return false };
        let ordered = match (frame.identity, self.policy.order) {
            (Identity::Set, _) => Ordered::Free,
            (_, ListOrder::Neighbour) => Ordered::All,
            (_, ListOrder::Append | ListOrder::Prepend) => Ordered::Known,
        };
        let is_right = |side: Side| {
            let found = self.chosen(frame, fates, side, &lists);
            found.is_some_and(|found| lists.is_side(side, &found, ordered))
        };
        if is_right(Side::Dest) && is_right(Side::Incoming) {
            return false;
        }
        self.forget_inside(frame);
        let (aligned, clash) = lists.widened();
        (frame.aligned, frame.clashes, frame.is_widened) = (aligned, vec![clash], true);
        (frame.next, frame.changes, frame.feet) = (0, BTreeMap::new(), HashSet::new());
        self.order_rows(frame);
        true
    }

    /// Whether a frame is a list with conflicts, and anything else changed in it.
    fn may_widen(&self, frame: &Frame<'a>, fates: &Fates) -> bool {
        let is_list = frame.nodes.dest.is_some_and(|node| node.kind() == Kind::Sequence);
        let has_clashes = !frame.clashes.is_empty();
        self.policy.both_changed == BothChanged::Conflict
            && is_list
            && frame.mode == Mode::Merge
            && !frame.is_widened
            && (has_clashes || self.plan.conflicts.len() > frame.conflicts)
            && (has_clashes || !fates.keep_entries() || !frame.aligned.is_as_ever())
    }

    /// Drops decisions and conflicts about the elements of a list and their order. Keeps those about the comments of
    /// its holder.
    fn forget_inside(&mut self, frame: &Frame<'a>) {
        let depth = self.path.depth();
        let stays = |role: Role, at: usize| at == depth && matches!(role, Role::Lead | Role::Trail);
        let conflicts = self.plan.conflicts.split_off(frame.conflicts);
        self.plan.conflicts.extend(conflicts.into_iter().filter(|it| stays(it.role, it.path.depth())));
        self.forget(frame, |it| !stays(it.role, it.path.depth()));
    }

    /// The elements of the list if `side` is chosen, in the order in which they are written. `None` if two conflicts
    /// remove the same element.
    fn chosen(&self, frame: &Frame<'a>, fates: &Fates, side: Side, lists: &Lists) -> Option<Vec<Token>> {
        let rows = &frame.aligned.rows;
        let mut choice = Choice { lists, goes: HashSet::new(), comes: HashMap::new(), is_torn: false };
        choice.goes.extend(fates.gone.iter().filter_map(|gone| rows[*gone].dest));
        if side == Side::Incoming {
            // Conflicts about single elements have no place yet.
            let is_placed = |conflict: &&Conflict| !matches!(conflict.place, ConflictPlace::Gap(..));
            let known = self.plan.conflicts[frame.conflicts..].iter().filter(is_placed);
            known.for_each(|conflict| choice.take(conflict));
            frame.clashes.iter().filter_map(|clash| self.clash(frame, clash)).for_each(|it| choice.take(&it));
        }
        // What comes behind an element comes behind that with which a conflict replaces it.
        let is_there = |row: usize| side == Side::Incoming || fates.comes(row);
        let there = fates.places.iter().filter(|(row, _)| is_there(*row));
        choice.add(there.map(|(row, after)| (*after, lists.of_row(&rows[*row]))));
        choice.written()
    }
}

/// The changes that a choice makes to the elements of the destination.
struct Choice<'l> {
    lists: &'l Lists,
    goes: HashSet<EntryId>,
    /// New elements, by the element that they follow.
    comes: HashMap<Option<EntryId>, Vec<Token>>,
    /// Whether an element is removed twice.
    is_torn: bool,
}

impl Choice<'_> {
    fn add(&mut self, new: impl Iterator<Item = (Option<EntryId>, Option<Token>)>) {
        new.for_each(|(after, token)| self.comes.entry(after).or_default().extend(token));
    }

    /// Adds incoming elements at a position.
    fn insert(&mut self, position: Position, new: impl Iterator<Item = EntryId>) {
        let lists = self.lists;
        self.add(new.map(|new| (anchor(position), lists.of_entry(Side::Incoming, new))));
    }

    /// Applies the incoming version of a conflict, as far as it is about whole elements.
    fn take(&mut self, conflict: &Conflict) {
        match (conflict.place, &conflict.incoming) {
            (ConflictPlace::Entry(entry), Variant::Absent) => self.remove(entry),
            (ConflictPlace::Gap(list, position), Variant::Entries(new)) if list == self.lists.id => {
                self.insert(position, new.iter().map(|new| new.part));
            }
            (_, Variant::Edited(edits)) => edits.iter().for_each(|edit| self.edit(edit)),
            _ => {}
        }
    }

    fn edit(&mut self, edit: &Edit) {
        match edit {
            Edit::Remove { entry } => self.remove(*entry),
            Edit::Insert { collection, position, pieces } if *collection == self.lists.id => {
                let entry = |piece: &Piece| if let Piece::Entry(graft) = piece { Some(graft.part) } else { None };
                self.insert(*position, pieces.iter().filter_map(entry));
            }
            _ => {}
        }
    }

    fn remove(&mut self, entry: EntryId) {
        self.is_torn |= !self.goes.insert(entry);
    }

    fn written(mut self) -> Option<Vec<Token>> {
        if self.is_torn {
            return None;
        }
        let mut found = self.comes.remove(&None).unwrap_or_default();
        for (entry, token) in self.lists.in_order(Side::Dest) {
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
