//! Finds the place of new elements in a list that is sorted on all sides.

use hashbrown::HashSet;
use kyaml_ast::{EntryId, Node};

use super::{Frame, Walker};
use crate::correspond::Identity;
use crate::policy::ListOrder;
use crate::schema::{ElementId, ListKind};
use crate::slots::Side;

impl<'a> Walker<'a> {
    /// For each of `rows` the destination's entry that it follows (`None`: it comes first), in order. `None` unless the
    /// elements have identities and every side has sorted them by identity. Applies only if the policy treats both
    /// sides alike and the order of the list does not count. Nobody knows that of a list without a rule: if it is
    /// short, it may be sorted by chance.
    pub(super) fn sorted_places(
        &self,
        frame: &Frame<'a>,
        rows: &HashSet<usize>,
        gone: &HashSet<usize>,
    ) -> Option<Vec<(usize, Option<EntryId>)>> {
        let is_free = self.policy.first() == Side::Dest
            && self.policy.order == ListOrder::Neighbour
            && !frame.cursor.takes_turns();
        let has_names = matches!(frame.identity, Identity::Set | Identity::Keyed(_));
        let least = if frame.cursor.list().kind == ListKind::Infer { BY_CHANCE } else { 2 };
        let is_meant = |list: Node<'a>| list.entries().count() >= least && is_sorted(list, frame.identity);
        if !is_free || !has_names || !frame.nodes.present().all(|(_, list)| is_meant(*list)) {
            return None;
        }
        let id = |side: Side, entry: EntryId| Some(frame.identity.id(self.streams.get(side)?.entry(entry)));
        let is_kept = |row: &usize| !gone.contains(row);
        let stays = (0..frame.aligned.rows.len()).filter(is_kept).filter_map(|row| frame.aligned.rows[row].dest);
        let dest: Vec<(ElementId<'_>, EntryId)> =
            stays.map(|entry| Some((id(Side::Dest, entry)?, entry))).collect::<Option<_>>()?;
        let added = rows.iter().map(|&row| Some((id(Side::Incoming, frame.aligned.rows[row].incoming?)?, row)));
        let mut added: Vec<(ElementId<'_>, usize)> = added.collect::<Option<_>>()?;
        added.sort_unstable();
        let place = |(id, row): (ElementId<'_>, usize)| {
            let before = dest.partition_point(|(other, _)| *other <= id);
            (row, before.checked_sub(1).map(|last| dest[last].1))
        };
        Some(added.into_iter().map(place).collect())
    }
}

/// Lists with fewer elements are often sorted by chance.
const BY_CHANCE: usize = 5;

/// Whether a list is sorted by name.
fn is_sorted<'a>(list: Node<'a>, identity: Identity<'a>) -> bool {
    list.entries().map(|entry| identity.id(entry)).is_sorted()
}
