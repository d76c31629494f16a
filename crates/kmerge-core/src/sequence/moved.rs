//! Collections that a side moved and changed: what it lacks at one place, and has nearly alike at another.
//!
//! Each has to be more like the other than like anything else. Ignores lists in which too much came and went to compare each with each.

use super::List;
use super::matching::{Matching, Other, is_clear};
use crate::correspond::{HALF, MOST_MOVED, Pair, Sketch, pair_mutual, title};

/// Pairs what a side lacks with what it has at a new place, changed.
pub(super) fn pair_changed(matching: &mut Matching<'_, '_>, other: &Other) {
    let lost = places(&matching.newer, matching.from);
    let new = places(&matching.older, matching.to);
    if lost.is_empty() || new.is_empty() || lost.len().saturating_mul(new.len()) > MOST_MOVED {
        return;
    }
    let has_more = new.len() > lost.len();
    let [lost, new] = [(lost, matching.from), (new, matching.to)]
        .map(|(places, list)| places.into_iter().map(|place| (place, list.sketch(place))).collect::<Vec<_>>());
    let may_be_one = |(lost, held): &(usize, Sketch<'_>), (new, holds): &(usize, Sketch<'_>)| {
        let titles = || [title(matching.from.nodes[*lost]), title(matching.to.nodes[*new])];
        !has_more || other.kept[*lost] || is_clear(titles(), [held, holds])
    };
    let likeness = |lost: &(usize, Sketch<'_>), new: &(usize, Sketch<'_>)| {
        lost.1.at_least(HALF + 1, &new.1).filter(|_| may_be_one(lost, new))
    };
    for Pair { left: (lost, _), right: (new, _), .. } in pair_mutual(&lost, &new, likeness) {
        matching.pair(*lost, *new);
    }
}

/// The collections without a counterpart.
fn places(counterparts: &[Option<usize>], list: &List<'_>) -> Vec<usize> {
    let is_alone = |place: &usize| counterparts[*place].is_none() && list.nodes[*place].kind().is_collection();
    (0..counterparts.len()).filter(is_alone).collect()
}
