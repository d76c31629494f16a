//! Collections that a side moved and changed: what it lacks at one place, and has nearly alike at another.
//!
//! Only a clear likeness counts: each is most like the other, and like nothing else as much. Ignores lists in which so much came and
//! went that the comparison of each with each would be long.

use super::List;
use super::matching::Matching;
use crate::correspond::{HALF, MOST_MOVED, Sketch};

/// Pairs what a side lacks with what it has at a new place, changed.
pub(super) fn pair_changed(matching: &mut Matching<'_, '_>) {
    let (older, newer) = (matching.from, matching.to);
    let lost = places(&matching.newer, older);
    let new = places(&matching.older, newer);
    if lost.is_empty() || new.is_empty() || lost.len().saturating_mul(new.len()) > MOST_MOVED {
        return;
    }
    let news: Vec<Sketch<'_>> = new.iter().map(|place| newer.sketch(*place)).collect();
    let likeness: Vec<Vec<u32>> = lost
        .iter()
        .map(|place| {
            let sketch = older.sketch(*place);
            news.iter().map(|new| sketch.likeness(new)).collect()
        })
        .collect();
    for (row, old) in lost.iter().enumerate() {
        for (column, new) in new.iter().enumerate() {
            let own = likeness[row][column];
            let is_less = |other: u32| other < own;
            let beside = likeness[row].iter().enumerate().filter(|(other, _)| *other != column);
            let across = likeness.iter().enumerate().filter(|(other, _)| *other != row);
            let mut others = beside.map(|(_, like)| *like).chain(across.map(|(_, of)| of[column]));
            if own > HALF && others.all(is_less) {
                matching.pair(*old, *new);
            }
        }
    }
}

/// The collections without a counterpart.
fn places(counterparts: &[Option<usize>], list: &List<'_>) -> Vec<usize> {
    let is_alone = |place: &usize| counterparts[*place].is_none() && list.nodes[*place].kind().is_collection();
    (0..counterparts.len()).filter(is_alone).collect()
}
