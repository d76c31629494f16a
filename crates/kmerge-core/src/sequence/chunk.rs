//! Stretches of three lists that are compared, and which of them clash.
//!
//! What both sides have cuts the lists into blocks. A block that somebody reordered is a chunk, and so is what lies between two
//! blocks.

use std::ops::Range;

use super::matching::Matching;
use super::{List, Lists, Pairs};
use crate::correspond::{HALF, MOST_PAIRS, Sketch};
use crate::order::{Block, blocks_of_turns};
use hashbrown::HashSet;

/// What lies between elements that both sides kept, changed or not, or moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) dest: Range<usize>,
    pub(super) base: Range<usize>,
    pub(super) incoming: Range<usize>,
    /// Whether the order is in conflict, or the place of something in it.
    is_in_conflict: bool,
}

impl Chunk {
    fn of(block: &Block) -> Self {
        let Block { dest, base, incoming, .. } = block.clone();
        Self { dest, base, incoming, is_in_conflict: block.order.is_none() }
    }

    fn between(start: (usize, usize, usize), end: (usize, usize, usize)) -> Self {
        Self { dest: start.0..end.0, base: start.1..end.1, incoming: start.2..end.2, is_in_conflict: false }
    }

    /// This chunk, another one behind it, and all between them.
    pub(super) fn to(&self, last: &Self) -> Self {
        Self {
            dest: self.dest.start..last.dest.end,
            base: self.base.start..last.base.end,
            incoming: self.incoming.start..last.incoming.end,
            is_in_conflict: self.is_in_conflict || last.is_in_conflict,
        }
    }

    /// The same, a clash whatever is in it.
    pub(super) fn both_changed(self) -> Self {
        Self { is_in_conflict: true, ..self }
    }

    /// Whether all sides have the same elements in it.
    pub(super) fn is_of_order(&self, lists: &Lists<'_>) -> bool {
        let sorted = |list: &List<'_>, range: &Range<usize>| {
            let mut tokens = list.tokens[range.clone()].to_vec();
            tokens.sort_unstable();
            tokens
        };
        let was = sorted(&lists.base, &self.base);
        was == sorted(&lists.dest, &self.dest) && was == sorted(&lists.incoming, &self.incoming)
    }
}

/// The chunks of three lists, in order.
pub(super) fn chunks(lists: &Lists<'_>, pairs: &Pairs) -> Vec<Chunk> {
    let [dest, base, incoming] = pairs.numbers();
    let mut out: Vec<Chunk> = Vec::new();
    let mut end = (0, 0, 0);
    for block in blocks_of_turns(&dest, &base, &incoming) {
        out.push(Chunk::between(end, (block.dest.start, block.base.start, block.incoming.start)));
        end = (block.dest.end, block.base.end, block.incoming.end);
        let chunk = Chunk::of(&block);
        if chunk.is_in_conflict || block.len > 1 && !is_calm(pairs, [&dest, &incoming], &chunk) {
            out.push(chunk);
        }
    }
    out.push(Chunk::between(end, (lists.dest.ids.len(), lists.base.ids.len(), lists.incoming.ids.len())));
    out
}

/// Whether what each side put into a reordered block has a place of its own, where nothing went.
fn is_calm(pairs: &Pairs<'_, '_>, numbers: [&[usize]; 2], chunk: &Chunk) -> bool {
    let is_lost = |base: usize| pairs.dest.newer[base].is_none() || pairs.incoming.newer[base].is_none();
    let ours = places_of_new(numbers[0], &chunk.dest, |place| pairs.is_new_in_dest(place));
    let theirs = places_of_new(numbers[1], &chunk.incoming, |place| pairs.is_new_in_incoming(place));
    let has_new = !ours.is_empty() || !theirs.is_empty();
    (pairs.are_words || ours.is_disjoint(&theirs)) && !(has_new && chunk.base.clone().any(is_lost))
}

/// What new elements stand behind.
fn places_of_new(order: &[usize], range: &Range<usize>, is_new: impl Fn(usize) -> bool) -> HashSet<Option<usize>> {
    let mut near = None;
    let mut places = HashSet::new();
    for place in range.clone() {
        if is_new(place) { _ = places.insert(near) } else { near = Some(order[place]) }
    }
    places
}

/// Whether what the sides put at one place may be two versions of one thing: of collections, such as are half alike.
fn adds_alike(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunk: &Chunk) -> bool {
    fn new<'t>(list: &List<'t>, places: Range<usize>, is_new: impl Fn(usize) -> bool) -> Vec<Sketch<'t>> {
        let places = places.filter(|place| list.nodes[*place].kind().is_collection() && is_new(*place));
        places.map(|place| list.sketch(place)).collect()
    }
    let ours = new(&lists.dest, chunk.dest.clone(), |place| pairs.is_new_in_dest(place));
    let theirs = new(&lists.incoming, chunk.incoming.clone(), |place| pairs.is_new_in_incoming(place));
    let is_alike = |ours: &Sketch<'_>| theirs.iter().any(|theirs| ours.likeness(theirs) >= HALF);
    ours.len().saturating_mul(theirs.len()) > MOST_PAIRS || ours.iter().any(is_alike)
}

/// Whether both sides put something at one place, or one replaced what the other changed or moved away.
pub(super) fn is_clash(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, chunk: &Chunk) -> bool {
    if chunk.is_in_conflict {
        return true;
    }
    if lists.dest.tokens[chunk.dest.clone()] == lists.incoming.tokens[chunk.incoming.clone()] {
        return false;
    }
    let dest_adds = chunk.dest.clone().filter(|new| pairs.is_new_in_dest(*new)).count();
    let incoming_adds = chunk.incoming.clone().filter(|new| pairs.is_new_in_incoming(*new)).count();
    let is_split = |new: usize| pairs.split.contains(&lists.dest.tokens[new]);
    let ours = Replacing { by: &pairs.dest, new: dest_adds, other: &pairs.incoming, place: &chunk.incoming };
    let theirs = Replacing { by: &pairs.incoming, new: incoming_adds, other: &pairs.dest, place: &chunk.dest };
    (dest_adds > 0
        && incoming_adds > 0
        && (!pairs.are_words || chunk.dest.clone().any(is_split) || adds_alike(lists, pairs, chunk)))
        || [ours, theirs].iter().any(|side| side.is_clash(&chunk.base, pairs.are_words))
}

/// What a side put into a chunk, and what the other made of the elements that this may have replaced.
struct Replacing<'p, 'l, 't> {
    by: &'p Matching<'l, 't>,
    /// How many elements are new.
    new: usize,
    other: &'p Matching<'l, 't>,
    /// Where the other side has the chunk.
    place: &'p Range<usize>,
}

impl Replacing<'_, '_, '_> {
    /// Whether the side replaced what the other changed or moved away, or removed it with what stands beside it: an argument goes
    /// with its option. A word replaced what the other side left alone, if that is enough for all new ones: of the rest, both sides
    /// only removed it.
    fn is_clash(&self, base: &Range<usize>, are_words: bool) -> bool {
        let lost = base.clone().filter(|old| self.by.newer[*old].is_none());
        let (changed, left_alone): (Vec<_>, Vec<_>) = lost.partition(|old| self.other.changes(*old, self.place));
        let is_gone = changed.iter().all(|old| self.other.newer[*old].is_none());
        let is_more = self.new > 0 || !are_words && !left_alone.is_empty();
        is_more && !changed.is_empty() && !(are_words && is_gone && self.new <= left_alone.len())
    }
}
