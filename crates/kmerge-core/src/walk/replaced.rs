//! Finds members of a set that both sides replaced: `base?ref=1` became `base?ref=2` on one side and `base?ref=3` on
//! the other.
//!
//! A union of sets would keep both new members. So if both sides removed a member, and each has new ones in its place,
//! these are matched in order and become one row. Its value is decided like any other value. New members that both
//! sides share count as the replacement of the first removed ones. Members that all sides have mark the places.

use hashbrown::HashMap;
use kyaml_ast::{EntryId, Node};

use crate::correspond::{Aligned, Gap};
use crate::slots::{Side, Slots};

/// Joins the rows of members that replaced the same member.
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
