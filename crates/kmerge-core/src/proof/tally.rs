//! Counts what is said in four trees.

use hashbrown::HashMap;

use super::facts::Counts;
use super::rows::{BASE, OURS, RESULT, Row, THEIRS};

/// How often each of some things is said in which tree, and where first.
#[derive(Default)]
pub(super) struct Tally {
    index: HashMap<u64, usize>,
    pub(super) counted: Vec<(Counts, Row<u32>)>,
}

impl Tally {
    /// Counts what a tree says, known by a hash, at a place.
    pub(super) fn count(&mut self, said: u64, tree: usize, place: u32) {
        let next = self.counted.len();
        let index = *self.index.entry(said).or_insert(next);
        if index == next {
            self.counted.push(Default::default());
        }
        let (counts, at) = &mut self.counted[index];
        counts[tree] += 1;
        at[tree] = at[tree].or(Some(place));
    }

    /// Whether all that one side added is among what the other added: then it is the same.
    pub(super) fn are_added_alike(&self) -> bool {
        let adds_no_more = |side: usize, other: usize| {
            self.counted.iter().all(|(counts, _)| counts[side] <= counts[BASE].max(counts[other]))
        };
        adds_no_more(OURS, THEIRS) || adds_no_more(THEIRS, OURS)
    }

    /// Whether each stands once at most on every side.
    pub(super) fn stand_once(&self) -> bool {
        self.counted.iter().all(|(counts, _)| counts[..RESULT].iter().all(|count| *count <= 1))
    }
}
