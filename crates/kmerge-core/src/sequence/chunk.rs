//! Stretches of three lists that are compared, and which of them clash.
//!
//! What both sides have cuts the lists into blocks. A block that somebody reordered is a chunk, and so is what lies between two
//! blocks.

use std::borrow::Cow;
use std::ops::Range;

use super::matching::Matching;
use super::{Lists, Pairs};
use crate::correspond::{HALF, MOST_PAIRS, Sketch, id};
use crate::order::{Block, blocks_of_turns};
use crate::slots::Side;
use hashbrown::HashSet;

/// What lies between elements that both sides kept, changed or not, or moved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Chunk {
    /// Of the destination, the base and the incoming side.
    ranges: [Range<usize>; 3],
    /// Whether the order is in conflict, or the place of something in it.
    is_in_conflict: bool,
}

impl Chunk {
    fn of(Block { dest, base, incoming, order, .. }: Block) -> Self {
        Self { ranges: [dest, base, incoming], is_in_conflict: order.is_none() }
    }

    pub(super) fn range(&self, side: Side) -> Range<usize> {
        self.ranges[side as usize].clone()
    }

    /// What lies between this chunk and one behind it.
    fn until(&self, next: &Self) -> Self {
        let range = |side: Side| self.range(side).end..next.range(side).start;
        Self { ranges: Side::ALL.map(range), is_in_conflict: false }
    }

    /// This chunk, another one behind it, and all between them.
    pub(super) fn to(&self, last: &Self) -> Self {
        let range = |side: Side| self.range(side).start..last.range(side).end;
        Self { ranges: Side::ALL.map(range), is_in_conflict: self.is_in_conflict || last.is_in_conflict }
    }

    /// Whether nothing stands between this chunk and another one, in any list.
    pub(super) fn is_beside(&self, other: &Self) -> bool {
        Side::ALL.iter().all(|side| {
            let [own, other] = [self, other].map(|chunk| chunk.range(*side));
            own.end == other.start || other.end == own.start
        })
    }

    /// This chunk as a clash, whatever is in it.
    pub(super) fn both_changed(self) -> Self {
        Self { is_in_conflict: true, ..self }
    }

    /// Whether all sides have the same elements in it.
    pub(super) fn is_of_order(&self, lists: &Lists<'_>) -> bool {
        let [dest, base, incoming] = Side::ALL.map(|side| {
            let mut tokens = lists.side(side).tokens[self.range(side)].to_vec();
            tokens.sort_unstable();
            tokens
        });
        base == dest && base == incoming
    }
}

/// The chunk in which an element of a side stands.
pub(super) fn chunk_at(chunks: &[Chunk], side: Side, place: usize) -> usize {
    chunks.partition_point(|chunk| chunk.range(side).end <= place)
}

/// The chunks of three lists, in order.
pub(super) fn chunks(pairs: &Pairs) -> Vec<Chunk> {
    let [dest, base, incoming] = pairs.numbers();
    let mut out: Vec<Chunk> = Vec::new();
    let mut last = Chunk::default();
    for block in blocks_of_turns(&dest, &base, &incoming) {
        let is_longer = block.len > 1;
        let chunk = Chunk::of(block);
        out.push(last.until(&chunk));
        last = chunk;
        if last.is_in_conflict || is_longer && !is_calm(pairs, [&dest, &incoming], &last) {
            out.push(last.clone());
        }
    }
    let ends = [dest, base, incoming].map(|list| list.len()..list.len());
    out.push(last.until(&Chunk { ranges: ends, is_in_conflict: false }));
    out
}

/// Whether what each side put into a reordered block has a place of its own, where nothing went.
fn is_calm(pairs: &Pairs<'_, '_>, numbers: [&[usize]; 2], chunk: &Chunk) -> bool {
    let is_lost = |base: usize| pairs.dest.newer[base].is_none() || pairs.incoming.newer[base].is_none();
    let ours = places_of_new(numbers[0], chunk.range(Side::Dest), |place| pairs.is_new(Side::Dest, place));
    let theirs = places_of_new(numbers[1], chunk.range(Side::Incoming), |place| pairs.is_new(Side::Incoming, place));
    let has_new = !ours.is_empty() || !theirs.is_empty();
    (pairs.are_words || ours.is_disjoint(&theirs)) && !(has_new && chunk.range(Side::Base).any(is_lost))
}

/// What new elements stand behind.
fn places_of_new(order: &[usize], range: Range<usize>, is_new: impl Fn(usize) -> bool) -> HashSet<Option<usize>> {
    let mut near = None;
    let mut places = HashSet::new();
    for place in range {
        if is_new(place) { _ = places.insert(near) } else { near = Some(order[place]) }
    }
    places
}

/// Whether both sides have the same in a chunk.
pub(super) fn put_the_same(lists: &Lists<'_>, chunk: &Chunk) -> bool {
    lists.dest.tokens[chunk.range(Side::Dest)] == lists.incoming.tokens[chunk.range(Side::Incoming)]
}

/// Whether both sides put something at one place, or one replaced what the other changed or moved away.
pub(super) fn is_clash(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunk: &Chunk) -> bool {
    if chunk.is_in_conflict || put_the_same(lists, chunk) {
        return chunk.is_in_conflict;
    }
    let [ours, theirs] = pairs.both().map(|(side, _)| pairs.new_in(side, chunk.range(side)).count());
    let by_dest = Replacing { by: &pairs.dest, new: ours, other: &pairs.incoming, place: chunk.range(Side::Incoming) };
    let by_incoming =
        Replacing { by: &pairs.incoming, new: theirs, other: &pairs.dest, place: chunk.range(Side::Dest) };
    ours > 0 && theirs > 0 && additions_clash(lists, pairs, chunk)
        || [by_dest, by_incoming].iter().any(|replacing| replacing.is_clash(chunk.range(Side::Base), pairs.are_words))
}

/// Whether the additions of both sides to a chunk clash: always, but for words, which stand one after the other unless they are
/// split from what they replaced, or may be two versions of one thing.
fn additions_clash(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunk: &Chunk) -> bool {
    let is_split = |new: &u32| pairs.split.contains(new);
    !pairs.are_words
        || lists.dest.tokens[chunk.range(Side::Dest)].iter().any(is_split)
        || adds_alike(lists, pairs, chunk)
}

/// Whether both sides added collections that may be two versions of one.
fn adds_alike(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunk: &Chunk) -> bool {
    let [ours, theirs] = [Side::Dest, Side::Incoming].map(|side| -> Vec<Addition<'_>> {
        let list = lists.side(side);
        let new = pairs.new_in(side, chunk.range(side)).filter(|place| list.nodes[*place].kind().is_collection());
        new.map(|place| Addition { id: id(list.nodes[place]), sketch: list.sketch(place) }).collect()
    });
    ours.len().saturating_mul(theirs.len()) > MOST_PAIRS
        || ours.iter().any(|ours| theirs.iter().any(|theirs| ours.may_be(theirs)))
}

/// A collection that a side added.
struct Addition<'t> {
    id: Option<Cow<'t, str>>,
    sketch: Sketch<'t>,
}

impl Addition<'_> {
    /// Whether both may be versions of one thing: they have one id, nothing but the id differs, or, without two ids, they are half alike.
    fn may_be(&self, other: &Self) -> bool {
        match (&self.id, &other.id) {
            (Some(own), Some(other)) if own == other => true,
            (Some(_), Some(_)) => self.sketch.differ_in_one(&other.sketch),
            _ => self.sketch.likeness_under_one_key(&other.sketch) >= HALF,
        }
    }
}

/// What a side put into a chunk, and what the other made of the elements that this may have replaced.
struct Replacing<'p, 'l, 't> {
    by: &'p Matching<'l, 't>,
    /// How many elements are new.
    new: usize,
    other: &'p Matching<'l, 't>,
    /// Where the other side has the chunk.
    place: Range<usize>,
}

impl Replacing<'_, '_, '_> {
    /// Whether the side replaced what the other changed or moved away, or removed it with what stands beside it: an argument goes
    /// with its option. A word replaced what the other side left alone, if that is enough for all new ones: of the rest, both sides
    /// only removed it.
    fn is_clash(&self, base: Range<usize>, are_words: bool) -> bool {
        let lost = base.filter(|old| self.by.newer[*old].is_none());
        let (changed, left_alone): (Vec<_>, Vec<_>) = lost.partition(|old| self.other.changes(*old, &self.place));
        let is_gone = changed.iter().all(|old| self.other.newer[*old].is_none());
        let is_more = self.new > 0 || !are_words && !left_alone.is_empty();
        is_more && !changed.is_empty() && !(are_words && is_gone && self.new <= left_alone.len())
    }
}
