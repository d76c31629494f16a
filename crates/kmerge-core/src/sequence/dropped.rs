//! Elements that went from both sides, and came back changed at another place of one of them.
//!
//! To a comparison of each side with the base these are a removal that both made, and an addition. Whoever moved and changed an
//! element wants it, though, and who removed it does not. Only collections count: a scalar's text is too often some other's as
//! well. What both sides put in the place of an element is what became of it.

use super::matching::Matching;
use super::{Chunk, List, Lists, Pairs};
use crate::correspond::{HALF, MOST_MOVED, Sketch};
use hashbrown::HashSet;

/// For each such element, the chunk that it went from and the chunk that it came to.
pub(super) fn dropped(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunks: &[Chunk]) -> Vec<[usize; 2]> {
    let gone = gone(lists, pairs, chunks);
    if gone.is_empty() {
        return Vec::new();
    }
    let ours = new(&pairs.dest, &lists.incoming)
        .map(|place| (lists.dest.sketch(place), chunks.partition_point(|chunk| chunk.dest.end <= place)));
    let theirs = new(&pairs.incoming, &lists.dest)
        .map(|place| (lists.incoming.sketch(place), chunks.partition_point(|chunk| chunk.incoming.end <= place)));
    let new: Vec<(Sketch<'_>, usize)> = ours.chain(theirs).collect();
    if gone.len().saturating_mul(new.len()) > MOST_MOVED {
        return Vec::new();
    }
    let came = gone.into_iter().filter_map(|(old, from)| {
        let old = lists.base.sketch(old);
        let (_, to) = new.iter().find(|(new, _)| old.likeness(new) > HALF)?;
        Some([from, *to])
    });
    came.collect()
}

/// The collections that went from both sides, neither of which has them at another place, with their chunks; but for chunks in
/// which both sides put the same.
fn gone(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunks: &[Chunk]) -> Vec<(usize, usize)> {
    let is_gone = |base: &usize| {
        let is_lost = pairs.dest.newer[*base].is_none() && pairs.incoming.newer[*base].is_none();
        is_lost && lists.base.nodes[*base].kind().is_collection()
    };
    let lost = chunks.iter().enumerate().flat_map(|(chunk, of)| of.base.clone().map(move |base| (base, chunk)));
    let lost: Vec<(usize, usize)> = lost.filter(|(base, _)| is_gone(base)).collect();
    if lost.is_empty() {
        return lost;
    }
    let [ours, theirs] = [&lists.dest, &lists.incoming].map(|list| list.tokens.iter().collect::<HashSet<_>>());
    let is_elsewhere = |base: usize| {
        let token = &lists.base.tokens[base];
        ours.contains(token) || theirs.contains(token)
    };
    let is_agreed = |chunk: &usize| {
        let Chunk { dest, incoming, .. } = chunks[*chunk].clone();
        let theirs: HashSet<u32> = lists.incoming.tokens[incoming].iter().copied().collect();
        lists.dest.tokens[dest].iter().any(|token| theirs.contains(token))
    };
    let mut agreed: HashSet<usize> = lost.iter().map(|(_, chunk)| *chunk).collect();
    agreed.retain(is_agreed);
    lost.into_iter().filter(|(base, chunk)| !is_elsewhere(*base) && !agreed.contains(chunk)).collect()
}

/// The collections that a side has anew, and the other has not.
fn new<'l>(matching: &'l Matching<'l, '_>, other: &List<'_>) -> impl Iterator<Item = usize> {
    let known: HashSet<u32> = other.tokens.iter().copied().collect();
    let list = matching.to;
    matching
        .new_places()
        .filter(move |place| !known.contains(&list.tokens[*place]) && list.nodes[*place].kind().is_collection())
}
