//! Members of a set that both sides replaced: `base?ref=1` by `base?ref=2` here and `base?ref=3` there.
//!
//! To a union these are two additions. Where a member went from both sides, and each has new ones in its place, the first of them
//! are its successors, in order: one row, of which the value is decided as any other. What both sides put there took the place of the
//! first ones that went. What stands in which place is told by the members that all sides have.

use hashbrown::HashMap;
use kyaml_ast::{EntryId, Node};

use crate::correspond::{Aligned, Gap};
use crate::slots::{Side, Slots};

/// Joins the rows of members that took the place of the same one.
pub(super) fn join(aligned: &mut Aligned, nodes: &Slots<Node<'_>>) {
    if nodes.base.is_none_or(|base| aligned.has_all_of(base)) {
        return;
    }
    let [ours, theirs] = [Side::Dest, Side::Incoming].map(|side| aligned.new_by_place(side, nodes));
    let is_of_both = |row: &usize| aligned.rows[*row].base.is_none() && aligned.rows[*row].present().count() == 2;
    let count = |gap: &Gap<EntryId>| gap.things.iter().filter_map(|thing| thing.1).filter(is_of_both).count();
    let alike: HashMap<Option<usize>, usize> =
        aligned.gaps(Side::Dest, nodes).iter().map(|gap| (gap.before, count(gap))).collect();
    let mut joined = Vec::new();
    for gap in aligned.gaps(Side::Base, nodes) {
        let gone = gap.things.iter().filter(|thing| thing.1.is_none()).map(|thing| thing.0);
        let gone = gone.skip(alike.get(&gap.before).copied().unwrap_or_default());
        let both = ours.get(&gap.before).zip(theirs.get(&gap.before));
        let both = both.into_iter().flat_map(|(ours, theirs)| ours.iter().copied().zip(theirs.iter().copied()));
        joined.extend(gone.zip(both));
    }
    let mut merged = HashMap::new();
    for (entry, (ours, theirs)) in joined {
        let incoming = aligned.rows[theirs].incoming;
        aligned.rows[ours] = Slots { base: Some(entry), incoming, ..aligned.rows[ours] };
        merged.insert(theirs, ours);
    }
    aligned.drop_rows(&merged);
}
