//! Elements that both sides added: one addition, of which the place may be in conflict, or two?
//!
//! A collection stands for itself: what both added, both wanted once. A scalar may belong to its neighbours (`-v a` here, `-v b`
//! there), so it is one addition only where all of one side's run of new elements is part of a run of the other's. Collections that
//! differ are one, added twice, if they have one title, which nothing else has, and are half alike: that is a conflict.

use std::ops::Range;

use super::matching::Matching;
use super::{Chunk, Lists, Pairs};
use crate::correspond::{HALF, title, titles};
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

/// What both sides added under one title, which nothing else has, and not alike: for each, the chunks in which ours and theirs stand.
pub(super) fn added_twice(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunks: &[Chunk]) -> Vec<[usize; 2]> {
    let ours = (0..lists.dest.nodes.len()).filter(|place| pairs.is_new_in_dest(*place));
    let ours: HashMap<u64, usize> = ours.filter_map(|place| Some((title(lists.dest.nodes[place])?, place))).collect();
    let theirs = (0..lists.incoming.nodes.len()).filter(|place| pairs.is_new_in_incoming(*place));
    let both = theirs.filter_map(|theirs| {
        let title = title(lists.incoming.nodes[theirs])?;
        Some((title, *ours.get(&title)?, theirs))
    });
    let both: Vec<(u64, usize, usize)> = both.collect();
    if both.is_empty() {
        return Vec::new();
    }
    let all = [&lists.dest, &lists.base, &lists.incoming].into_iter().flat_map(|list| &list.nodes);
    let times = titles(all.copied());
    let chunks_of = |(title, ours, theirs): (u64, usize, usize)| {
        let is_one =
            times.get(&title) == Some(&2) && lists.dest.sketch(ours).likeness(&lists.incoming.sketch(theirs)) >= HALF;
        let ours = chunks.partition_point(|chunk| chunk.dest.end <= ours);
        let theirs = chunks.partition_point(|chunk| chunk.incoming.end <= theirs);
        (is_one && ours.max(theirs) < chunks.len()).then_some([ours, theirs])
    };
    both.into_iter().filter_map(chunks_of).collect()
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
