//! Finds the place of new elements in a list that is sorted on all sides.

use kyaml_ast::{Entry, Node};

use super::fates::{Fates, Places};
use super::{Frame, Walker};
use crate::correspond::Identity;
use crate::policy::ListOrder;
use crate::schema::{ElementId, ListKind};
use crate::slots::Side;

impl<'a> Walker<'a> {
    /// The places of the entries that come, in order. `None` unless the elements have identities and every side has
    /// sorted them by identity. Applies only if the policy treats both sides alike and the order of the list does not
    /// count. Nobody knows that of a list without a rule: if it is short, it may be sorted by chance.
    pub(super) fn sorted_places(&self, frame: &Frame<'a>, fates: &Fates) -> Option<Places> {
        if !self.treats_sides_alike() || frame.cursor.takes_turns() || !frame.is_sorted() {
            return None;
        }
        let entries = |row: usize| self.entries(frame.aligned.rows[row]);
        let named = |entry: Entry<'a>| (frame.identity.id(entry), entry.id());
        let stays = (0..frame.aligned.rows.len()).filter(|row| !fates.gone.contains(row));
        let dest: Vec<_> = stays.filter_map(|row| entries(row).dest).map(named).collect();
        let added = fates.added.keys().map(|row| Some((named(entries(*row).incoming?).0, *row)));
        let mut added: Vec<_> = added.collect::<Option<_>>()?;
        added.sort_unstable();
        let place = |(id, row): (ElementId<'_>, usize)| {
            let before = dest.partition_point(|(other, _)| *other <= id);
            (row, before.checked_sub(1).map(|last| dest[last].1))
        };
        Some(added.into_iter().map(place).collect())
    }

    fn treats_sides_alike(&self) -> bool {
        self.policy.first() == Side::Dest && self.policy.order == ListOrder::Neighbour
    }
}

impl<'a> Frame<'a> {
    /// Whether all sides have sorted a list by the names of its elements, and not by chance.
    fn is_sorted(&self) -> bool {
        let least = if self.cursor.list().kind == ListKind::Infer { BY_CHANCE } else { 2 };
        let is_sorted = |list: Node<'a>| {
            list.entries().count() >= least && list.entries().map(|entry| self.identity.id(entry)).is_sorted()
        };
        matches!(self.identity, Identity::Set | Identity::Keyed(_))
            && self.nodes.present().all(|(_, list)| is_sorted(*list))
    }
}

/// Lists with fewer elements are often sorted by chance.
const BY_CHANCE: usize = 5;
