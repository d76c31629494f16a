//! Elements that both sides added: one addition, of which the place may be in conflict, or two?
//!
//! A collection stands for itself: what both added, both wanted once. A scalar may belong to its neighbours (`-v a` here, `-v b`
//! there), so it is one addition only where all of one side's run of new elements is part of a run of the other's.

use std::ops::Range;

use super::matching::Matching;
use super::{List, new_places, unique};
use hashbrown::HashMap;

/// The elements that both sides added: their places in the destination and in the incoming side. Words need no neighbours.
pub(super) fn twins(
    (dest, of_dest): (&List<'_>, &Matching),
    (incoming, of_incoming): (&List<'_>, &Matching),
    are_words: bool,
) -> Vec<(usize, usize)> {
    let ours = unique(&dest.tokens, new_places(of_dest));
    let theirs = unique(&incoming.tokens, new_places(of_incoming));
    let (our_runs, their_runs) = (runs(of_dest), runs(of_incoming));
    // Long runs have many elements in common: each pair of runs is compared once for each way to put it side by side.
    let mut known = HashMap::new();
    let both = theirs.into_iter().filter_map(|(token, theirs)| Some((*ours.get(&token)?, theirs)));
    let twins = both.filter(|(ours, theirs)| {
        let (our_run, their_run) = (run_at(&our_runs, *ours), run_at(&their_runs, *theirs));
        let offset = (our_run.start + theirs).wrapping_sub(their_run.start + ours);
        let is_part = || is_part((&dest.tokens, &our_run, *ours), (&incoming.tokens, &their_run, *theirs));
        are_words
            || !incoming.nodes[*theirs].kind().is_scalar()
            || *known.entry((our_run.start, their_run.start, offset)).or_insert_with(is_part)
    });
    twins.collect()
}

/// The runs of new elements.
fn runs(matching: &Matching) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for place in new_places(matching) {
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

/// Whether one of two runs, put side by side with an element of each at one place, is part of the other.
fn is_part(
    (ours, our_run, our_place): (&[u32], &Range<usize>, usize),
    (theirs, their_run, their_place): (&[u32], &Range<usize>, usize),
) -> bool {
    let before = (our_place - our_run.start).min(their_place - their_run.start);
    let after = (our_run.end - our_place).min(their_run.end - their_place);
    let is_whole = [our_run.len(), their_run.len()].contains(&(before + after));
    is_whole && ours[our_place - before..our_place + after] == theirs[their_place - before..their_place + after]
}
