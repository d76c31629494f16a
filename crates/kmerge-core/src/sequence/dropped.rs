//! Elements that went from both sides, and came back changed at another place of one of them.
//!
//! To a comparison of each side with the base these are a removal that both made, and an addition. Whoever moved and changed an
//! element wants it, though, and who removed it does not. Only collections count: a scalar's text is too often some other's as
//! well. What both sides put in the place of an element is what became of it.

use super::chunk::chunk_at;
use super::{Chunk, Lists, Matching, Pairs};
use crate::correspond::{HALF, MOST_MOVED, Sketch};
use crate::slots::Side;
use hashbrown::HashSet;

/// For each such element, the chunk that it went from and the chunk that it came to.
pub(super) fn dropped(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunks: &[Chunk]) -> Vec<[usize; 2]> {
    let gone = gone(lists, pairs, chunks);
    if gone.is_empty() {
        return Vec::new();
    }
    let new = |(side, matching)| new(lists, matching, chunks, side);
    let new: Vec<(Sketch<'_>, usize)> = pairs.both().into_iter().flat_map(new).collect();
    if gone.len().saturating_mul(new.len()) > MOST_MOVED {
        return Vec::new();
    }
    let came = |(old, from): (usize, usize)| {
        let old = lists.base.sketch(old);
        let (_, to) = new.iter().find(|(new, _)| old.likeness(new) > HALF)?;
        Some([from, *to])
    };
    gone.into_iter().filter_map(came).collect()
}

/// The collections that went from both sides, neither of which has them at another place, with their chunks; but for chunks in
/// which both sides put the same.
fn gone(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunks: &[Chunk]) -> Vec<(usize, usize)> {
    let is_gone = |base: &usize| {
        let is_lost = pairs.dest.newer[*base].is_none() && pairs.incoming.newer[*base].is_none();
        is_lost && lists.base.nodes[*base].kind().is_collection()
    };
    let places = chunks.iter().enumerate().flat_map(|(chunk, of)| of.base.clone().map(move |base| (base, chunk)));
    let mut gone: Vec<(usize, usize)> = places.filter(|(base, _)| is_gone(base)).collect();
    if gone.is_empty() {
        return gone;
    }
    let there: HashSet<&u32> = lists.dest.tokens.iter().chain(&lists.incoming.tokens).collect();
    let mut agreed: HashSet<usize> = gone.iter().map(|(_, chunk)| *chunk).collect();
    agreed.retain(|chunk| agree_in_part(lists, &chunks[*chunk]));
    gone.retain(|(base, chunk)| !there.contains(&lists.base.tokens[*base]) && !agreed.contains(chunk));
    gone
}

/// Whether both sides have something in common in a chunk.
fn agree_in_part(lists: &Lists<'_>, chunk: &Chunk) -> bool {
    let theirs: HashSet<&u32> = lists.incoming.tokens[chunk.incoming.clone()].iter().collect();
    lists.dest.tokens[chunk.dest.clone()].iter().any(|token| theirs.contains(token))
}

/// The collections that a side has anew, and the other has not, with their chunks.
fn new<'t>(lists: &Lists<'t>, matching: &Matching<'_, 't>, chunks: &[Chunk], side: Side) -> Vec<(Sketch<'t>, usize)> {
    let other = if side == Side::Dest { &lists.incoming } else { &lists.dest };
    let others: HashSet<&u32> = other.tokens.iter().collect();
    let list = matching.to;
    let is_new = |place: &usize| !others.contains(&list.tokens[*place]) && list.nodes[*place].kind().is_collection();
    let places = matching.new_places().filter(is_new);
    places.map(|place| (list.sketch(place), chunk_at(chunks, side, place))).collect()
}
