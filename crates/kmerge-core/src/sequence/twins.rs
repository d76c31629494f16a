//! Elements that both sides added: one addition, or two?
//!
//! Equal collections are one addition. Equal scalars may belong to their neighbours (`-v a` here, `-v b` there). They are one addition
//! only if the run of new elements of one side is part of the other side's run.

use std::ops::Range;

use super::matching::Matching;
use super::shared;
use hashbrown::HashMap;

/// The elements that both sides added: their places in the destination and in the incoming side. Words need no neighbours.
pub(super) fn twins(dest: &Matching<'_, '_>, incoming: &Matching<'_, '_>, are_words: bool) -> Vec<[usize; 2]> {
    let (our_runs, their_runs) = (runs(dest), runs(incoming));
    // Long runs have many elements in common: each pair of runs is compared once for each way to put it side by side.
    let mut compared = HashMap::new();
    let mut have_one_run = |[ours, theirs]: [usize; 2]| {
        let (ours, theirs) = (Run::at(dest, &our_runs, ours), Run::at(incoming, &their_runs, theirs));
        let offset = theirs.at.wrapping_sub(ours.at);
        *compared.entry((ours.start, theirs.start, offset)).or_insert_with(|| is_part(&ours, &theirs))
    };
    let mut twins = shared(dest, incoming);
    twins.retain(|both| are_words || !incoming.to.nodes[both[1]].kind().is_scalar() || have_one_run(*both));
    twins
}

/// The runs of new elements.
fn runs(matching: &Matching<'_, '_>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for place in matching.new_places() {
        match runs.last_mut() {
            Some(run) if run.end == place => run.end += 1,
            _ => runs.push(place..place + 1),
        }
    }
    runs
}

/// A run of new elements, and one of them.
struct Run<'l> {
    /// Where it starts in its list.
    start: usize,
    tokens: &'l [u32],
    /// The place of the element in the run.
    at: usize,
}

impl<'l> Run<'l> {
    fn at(matching: &Matching<'l, '_>, runs: &[Range<usize>], place: usize) -> Self {
        let range = runs[runs.partition_point(|run| run.end <= place)].clone();
        Self { start: range.start, at: place - range.start, tokens: &matching.to.tokens[range] }
    }
}

/// Whether one of two runs, put side by side with an element of each at one place, is part of the other.
fn is_part(ours: &Run<'_>, theirs: &Run<'_>) -> bool {
    let before = ours.at.min(theirs.at);
    let after = (ours.tokens.len() - ours.at).min(theirs.tokens.len() - theirs.at);
    let around = |run: &Run<'_>| run.at - before..run.at + after;
    let is_whole = [ours, theirs].iter().any(|run| run.tokens.len() == before + after);
    is_whole && ours.tokens[around(ours)] == theirs.tokens[around(theirs)]
}
