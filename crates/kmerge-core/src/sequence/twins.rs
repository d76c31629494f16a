//! Elements that both sides added: one addition, of which the place may be in conflict, or two?
//!
//! A collection stands for itself: what both added, both wanted once. A scalar may belong to its neighbours (`-v a` here, `-v b`
//! there), so it is one addition only where all of one side's run of new elements is part of a run of the other's.

use std::ops::Range;

use super::matching::Matching;
use hashbrown::HashMap;

/// The elements that both sides added: their places in the destination and in the incoming side. Words need no neighbours.
pub(super) fn twins(dest: &Matching<'_, '_>, incoming: &Matching<'_, '_>, are_words: bool) -> Vec<(usize, usize)> {
    let (ours, theirs) = (dest.unique_new(), incoming.unique_new());
    let (our_runs, their_runs) = (runs(dest), runs(incoming));
    // Long runs have many elements in common: each pair of runs is compared once for each way to put it side by side.
    let mut known = HashMap::new();
    let both = theirs.into_iter().filter_map(|(token, theirs)| Some((*ours.get(&token)?, theirs)));
    let twins = both.filter(|(ours, theirs)| {
        let our_run = Run { tokens: &dest.to.tokens, range: run_at(&our_runs, *ours), at: *ours };
        let their_run = Run { tokens: &incoming.to.tokens, range: run_at(&their_runs, *theirs), at: *theirs };
        let (our_start, their_start) = (our_run.range.start, their_run.range.start);
        let offset = (our_start + theirs).wrapping_sub(their_start + ours);
        are_words
            || !incoming.to.nodes[*theirs].kind().is_scalar()
            || *known.entry((our_start, their_start, offset)).or_insert_with(|| is_part(&our_run, &their_run))
    });
    twins.collect()
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

/// The run that a new element is in.
fn run_at(runs: &[Range<usize>], place: usize) -> Range<usize> {
    runs[runs.partition_point(|run| run.end <= place)].clone()
}

/// A run of new elements, and one of them.
struct Run<'l> {
    tokens: &'l [u32],
    range: Range<usize>,
    at: usize,
}

/// Whether one of two runs, put side by side with an element of each at one place, is part of the other.
fn is_part(ours: &Run<'_>, theirs: &Run<'_>) -> bool {
    let before = (ours.at - ours.range.start).min(theirs.at - theirs.range.start);
    let after = (ours.range.end - ours.at).min(theirs.range.end - theirs.at);
    let is_whole = [ours.range.len(), theirs.range.len()].contains(&(before + after));
    let around = |run: &Run<'_>| run.at - before..run.at + after;
    is_whole && ours.tokens[around(ours)] == theirs.tokens[around(theirs)]
}
