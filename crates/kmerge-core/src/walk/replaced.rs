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
    let shared = shared_by_place(aligned, nodes);
    let mut merged = HashMap::new();
    for gap in aligned.gaps(Side::Base, nodes) {
        let (Some(ours), Some(theirs)) = (ours.get(&gap.before), theirs.get(&gap.before)) else { continue };
        let gone = gap.things.iter().filter(|thing| thing.1.is_none()).map(|thing| thing.0);
        let gone = gone.skip(shared.get(&gap.before).copied().unwrap_or_default());
        for (base, (our, their)) in gone.zip(ours.iter().zip(theirs)) {
            aligned.rows[*our].base = Some(base);
            aligned.rows[*our].incoming = aligned.rows[*their].incoming;
            merged.insert(*their, *our);
        }
    }
    aligned.drop_rows(&merged);
}

/// The number of new members that both sides have, by the row before their gap.
fn shared_by_place(aligned: &Aligned, nodes: &Slots<Node<'_>>) -> HashMap<Option<usize>, usize> {
    let is_of_both = |row: &usize| aligned.rows[*row].base.is_none() && aligned.rows[*row].present().count() == 2;
    let count = |gap: &Gap<EntryId>| gap.things.iter().filter_map(|thing| thing.1).filter(is_of_both).count();
    aligned.gaps(Side::Dest, nodes).iter().map(|gap| (gap.before, count(gap))).collect()
}
