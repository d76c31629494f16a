//! Collections that a side moved and changed: what it lacks at one place, and has nearly alike at another.
//!
//! Each has to be more like the other than like anything else. Ignores lists in which too much came and went to compare each with each.

use hashbrown::HashSet;

use super::List;
use super::matching::{Matching, Other, is_clear};
use crate::correspond::{HALF, MOST_MOVED, Pair, Sketch, pair_mutual, title};

/// Pairs what a side lacks with what it has at a new place, changed; what `moved` is as it was.
pub(super) fn pair_changed(matching: &mut Matching<'_, '_>, moved: &HashSet<u32>, other: &Other) {
    let lost = places(&matching.newer, matching.from, moved);
    let new = places(&matching.older, matching.to, moved);
    if lost.is_empty() || new.is_empty() || lost.len().saturating_mul(new.len()) > MOST_MOVED {
        return;
    }
    let has_more = new.len() > lost.len();
    let [lost, new] = [(lost, matching.from), (new, matching.to)]
        .map(|(places, list)| places.into_iter().map(|place| (place, list.sketch(place))).collect::<Vec<_>>());
    let likeness = |lost: &(usize, Sketch<'_>), new: &(usize, Sketch<'_>)| {
        let likeness = lost.1.at_least(HALF + 1, &new.1)?;
        (!has_more || may_be_one(matching, other, [lost, new])).then_some(likeness)
    };
    for Pair { left: (lost, _), right: (new, _), .. } in pair_mutual(&lost, &new, likeness) {
        matching.pair(*lost, *new);
    }
}

/// Whether what a side lacks may be what it has at a new place, if there is more of that: see [`is_clear`].
fn may_be_one(matching: &Matching<'_, '_>, other: &Other, [lost, new]: [&(usize, Sketch<'_>); 2]) -> bool {
    let titles = [matching.from.nodes[lost.0], matching.to.nodes[new.0]].map(title);
    other.kept[lost.0] || is_clear(titles, [&lost.1, &new.1])
}

/// The collections without a counterpart, but for what `moved`.
fn places(counterparts: &[Option<usize>], list: &List<'_>, moved: &HashSet<u32>) -> Vec<usize> {
    let is_alone = |place: &usize| {
        counterparts[*place].is_none()
            && list.nodes[*place].kind().is_collection()
            && !moved.contains(&list.tokens[*place])
    };
    (0..counterparts.len()).filter(is_alone).collect()
}
