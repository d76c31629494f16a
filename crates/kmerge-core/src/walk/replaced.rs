//! Members of a set that both sides replaced: `base?ref=1` by `base?ref=2` here and `base?ref=3` there.
//!
//! To a union these are two additions. Where a member went from both sides, and each has new ones in its place, the first of them
//! are its successors, in order: one row, of which the value is decided as any other. What stands in which place is told by the
//! members that all sides have.

use hashbrown::HashMap;
use kyaml_ast::Node;

use crate::correspond::Aligned;
use crate::slots::{Side, Slots};

/// Joins the rows of members that took the place of the same one.
pub(super) fn join(aligned: &mut Aligned, nodes: &Slots<Node<'_>>) {
    if nodes.base.is_none_or(|base| aligned.has_all_of(base)) {
        return;
    }
    let [ours, theirs] = [Side::Dest, Side::Incoming].map(|side| aligned.new_by_place(side, nodes));
    let mut joined = Vec::new();
    for gap in aligned.gaps(Side::Base, nodes) {
        let gone = gap.things.iter().filter(|thing| thing.1.is_none()).map(|thing| thing.0);
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
