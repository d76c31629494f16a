//! Aligns lists without identity along their longest common subsequences, as a line merge aligns lines.
//!
//! Invariant: the rows are as in [`align`](crate::align); an element that is equal on all sides, or that both sides
//! changed at a place where their counts agree, is one row. What both sides changed otherwise is a [`Clash`].

use std::collections::HashMap;
use std::ops::Range;

use kyaml_ast::{Entry, EntryId, Kind, Node};
use similar::{Algorithm, DiffTag, capture_diff_slices};

use crate::align::Aligned;
use crate::digest::Digests;
use crate::equal::same_value;
use crate::slots::{Side, Slots};

/// Elements at one place of a list that both sides changed, differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Clash {
    /// The destination's.
    pub(crate) dest: Vec<EntryId>,
    /// The destination's element before them.
    pub(crate) after: Option<EntryId>,
    /// The base's.
    pub(crate) base: Vec<EntryId>,
    /// The incoming side's.
    pub(crate) incoming: Vec<EntryId>,
}

/// One list as tokens: equal elements have equal ones.
struct List<'t> {
    entries: Vec<(EntryId, Node<'t>)>,
    tokens: Vec<u32>,
}

/// Aligns three lists.
pub(crate) fn align_sequences(nodes: &Slots<Node<'_>>, digests: &Slots<Digests>) -> (Aligned, Vec<Clash>) {
    let mut tokens = Tokens::default();
    let mut list = |side: Side| Some(tokens.list(*nodes.get(side)?, digests.get(side)?));
    let lists = Slots { dest: list(Side::Dest), base: list(Side::Base), incoming: list(Side::Incoming) };
    let empty = || List { entries: Vec::new(), tokens: Vec::new() };
    let dest = lists.dest.unwrap_or_else(empty);
    let base = lists.base.unwrap_or_else(empty);
    let incoming = lists.incoming.unwrap_or_else(empty);
    let mut out = Rows {
        dest: &dest,
        base: &base,
        incoming: &incoming,
        rows: Vec::new(),
        places: Vec::new(),
        added_places: Vec::new(),
        added: Vec::new(),
        order: Vec::new(),
        clashes: Vec::new(),
    };
    for chunk in chunks(&dest.tokens, &base.tokens, &incoming.tokens) {
        out.chunk(chunk);
    }
    out.finish()
}

/// Numbers for values: equal values get equal ones.
#[derive(Default)]
struct Tokens<'t> {
    known: HashMap<u64, Vec<(u32, Node<'t>)>>,
    next: u32,
}

impl<'t> Tokens<'t> {
    fn list(&mut self, node: Node<'t>, digests: &Digests) -> List<'t> {
        let entries: Vec<_> = node.entries().map(|entry| (entry.id(), entry.value())).collect();
        let tokens = entries.iter().map(|(_, value)| self.token(*value, digests.of_node(*value))).collect();
        List { entries, tokens }
    }

    /// Values with different digests differ, and need no comparison: a deep tree that differs at its bottom is not
    /// compared on every level on the way down.
    fn token(&mut self, node: Node<'t>, digest: u64) -> u32 {
        let alike = self.known.entry(digest).or_default();
        if let Some((token, _)) = alike.iter().find(|(_, known)| same_value(*known, node)) {
            return *token;
        }
        alike.push((self.next, node));
        self.next += 1;
        self.next - 1
    }
}

/// Elements of the three lists that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chunk {
    dest: Range<usize>,
    base: Range<usize>,
    incoming: Range<usize>,
    is_stable: bool,
}

/// Cuts three lists into runs that are equal on all sides and what lies between.
fn chunks(dest: &[u32], base: &[u32], incoming: &[u32]) -> Vec<Chunk> {
    let ours = matches(base, dest);
    let theirs = matches(base, incoming);
    let mut out = Vec::new();
    let (mut at_dest, mut at_base, mut at_incoming) = (0, 0, 0);
    for index in 0..base.len() {
        let (Some(in_dest), Some(in_incoming)) = (ours[index], theirs[index]) else { continue };
        push(&mut out, at_dest..in_dest, at_base..index, at_incoming..in_incoming, false);
        push(&mut out, in_dest..in_dest + 1, index..index + 1, in_incoming..in_incoming + 1, true);
        (at_dest, at_base, at_incoming) = (in_dest + 1, index + 1, in_incoming + 1);
    }
    push(&mut out, at_dest..dest.len(), at_base..base.len(), at_incoming..incoming.len(), false);
    out
}

fn push(out: &mut Vec<Chunk>, dest: Range<usize>, base: Range<usize>, incoming: Range<usize>, is_stable: bool) {
    if !(dest.is_empty() && base.is_empty() && incoming.is_empty()) {
        out.push(Chunk { dest, base, incoming, is_stable });
    }
}

/// For each element of `base`, where its match in `other` is.
fn matches(base: &[u32], other: &[u32]) -> Vec<Option<usize>> {
    let mut out = vec![None; base.len()];
    for op in capture_diff_slices(Algorithm::Myers, base, other) {
        if op.tag() == DiffTag::Equal {
            op.old_range().zip(op.new_range()).for_each(|(old, new)| out[old] = Some(new));
        }
    }
    out
}

struct Rows<'l, 't> {
    dest: &'l List<'t>,
    base: &'l List<'t>,
    incoming: &'l List<'t>,
    rows: Vec<Slots<EntryId>>,
    places: Vec<usize>,
    added_places: Vec<usize>,
    /// Rows without a destination entry.
    added: Vec<Slots<EntryId>>,
    /// Rows in incoming order: `Ok` for one of `rows`, `Err` for one of `added`.
    order: Vec<Result<usize, usize>>,
    clashes: Vec<Clash>,
}

impl Rows<'_, '_> {
    fn chunk(&mut self, chunk: Chunk) {
        let Chunk { dest, base, incoming, is_stable } = chunk;
        let (ours, was, theirs) =
            (&self.dest.tokens[dest.clone()], &self.base.tokens[base.clone()], &self.incoming.tokens[incoming.clone()]);
        if is_stable || ours == theirs {
            let base = if base.len() == dest.len() { base } else { 0..0 };
            return self.pairs(dest, base, incoming);
        }
        if was == theirs {
            // Only the destination changed: its elements stand for themselves.
            return self.pairs(dest, 0..0, 0..0);
        }
        let pairs_up = base.len() == incoming.len() && self.are_alike(&base, &incoming);
        if was == ours {
            if pairs_up {
                return self.pairs(dest, base, incoming);
            }
            self.pairs(dest, base, 0..0);
            return self.pairs(0..0, 0..0, incoming);
        }
        let is_place_kept = dest.len() == base.len()
            && self.stays_alike(&base, &dest)
            && keeps_places(self.base, base.clone(), &self.dest.entries[dest.clone()])
            && keeps_places(self.base, base.clone(), &self.incoming.entries[incoming.clone()]);
        if pairs_up && is_place_kept {
            return self.pairs(dest, base, incoming);
        }
        let ids = |list: &List<'_>, range: Range<usize>| list.entries[range].iter().map(|(id, _)| *id).collect();
        let after = dest.start.checked_sub(1).map(|before| self.dest.entries[before].0);
        let clash = Clash {
            dest: ids(self.dest, dest.clone()),
            after,
            base: ids(self.base, base),
            incoming: ids(self.incoming, incoming),
        };
        self.clashes.push(clash);
        self.pairs(dest, 0..0, 0..0);
    }

    /// Whether elements at the same place are of one kind, so that one can be seen as the other, changed.
    fn are_alike(&self, base: &Range<usize>, incoming: &Range<usize>) -> bool {
        let mut pairs = self.base.entries[base.clone()].iter().zip(&self.incoming.entries[incoming.clone()]);
        pairs.all(|((_, a), (_, b))| kind_class(a.kind()) == kind_class(b.kind()))
    }

    fn stays_alike(&self, base: &Range<usize>, dest: &Range<usize>) -> bool {
        let mut pairs = self.base.entries[base.clone()].iter().zip(&self.dest.entries[dest.clone()]);
        pairs.all(|((_, a), (_, b))| kind_class(a.kind()) == kind_class(b.kind()))
    }

    fn pairs(&mut self, dest: Range<usize>, base: Range<usize>, incoming: Range<usize>) {
        let count = dest.len().max(base.len()).max(incoming.len());
        let id = |list: &List<'_>, range: &Range<usize>, index: usize| {
            range.clone().nth(index).map(|index| list.entries[index].0)
        };
        for index in 0..count {
            let row = Slots {
                dest: id(self.dest, &dest, index),
                base: id(self.base, &base, index),
                incoming: id(self.incoming, &incoming, index),
            };
            let at = [&base, &dest, &incoming].into_iter().find_map(|range| range.clone().nth(index)).unwrap_or(0);
            let place = if row.dest.is_some() {
                self.rows.push(row);
                self.places.push(at);
                Ok(self.rows.len() - 1)
            } else {
                self.added.push(row);
                self.added_places.push(at);
                Err(self.added.len() - 1)
            };
            if row.incoming.is_some() {
                self.order.push(place);
            }
        }
    }

    fn finish(mut self) -> (Aligned, Vec<Clash>) {
        let first_added = self.rows.len();
        self.rows.append(&mut self.added);
        let row = |place: &Result<usize, usize>| place.unwrap_or_else(|index| first_added + index);
        let incoming_order = self.order.iter().map(row).collect();
        self.places.append(&mut self.added_places);
        (Aligned { rows: self.rows, incoming_order, places: self.places }, self.clashes)
    }
}

/// Whether each element resembles the one of the base at its place at least as much as any other of the base: else they
/// were reordered, and what looks like a change of an element is one of another.
fn keeps_places(list: &List<'_>, base: Range<usize>, side: &[(EntryId, Node<'_>)]) -> bool {
    /// Comparing every element with every other gets expensive; longer runs that both sides changed are a conflict.
    const MOST: usize = 32;
    let base = &list.entries[base];
    base.len() <= MOST
        && side.iter().enumerate().all(|(place, (_, element))| {
            let own = base.get(place).map_or(0, |(_, was)| likeness(*was, *element));
            base.iter().all(|(_, was)| likeness(*was, *element) <= own)
        })
}

/// How many fields two mappings have in common; for other nodes, whether they are equal.
fn likeness(a: Node<'_>, b: Node<'_>) -> usize {
    if a.kind() != Kind::Mapping || b.kind() != Kind::Mapping {
        return usize::from(same_value(a, b));
    }
    let value = |key: Node<'_>| b.entries().find(|entry| entry.key().is_some_and(|other| same_value(key, other)));
    let is_shared =
        |entry: &Entry<'_>| entry.key().and_then(value).is_some_and(|other| same_value(entry.value(), other.value()));
    a.entries().filter(is_shared).count()
}

fn kind_class(kind: Kind) -> u8 {
    match kind {
        Kind::Mapping => 0,
        Kind::Sequence => 1,
        _ => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_separate_stable_runs() {
        let chunks = chunks(&[1, 9, 3], &[1, 2, 3], &[1, 2, 3, 4]);
        let unstable: Vec<_> = chunks.iter().filter(|chunk| !chunk.is_stable).collect();
        assert_eq!(unstable.len(), 2);
        assert_eq!((unstable[0].dest.clone(), unstable[0].base.clone()), (1..2, 1..2));
        assert_eq!(unstable[1].incoming, 3..4);
    }
}
