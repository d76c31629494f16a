//! Aligns lists without identity: each side is compared with the base, element by element.
//!
//! Invariant: the rows are as in [`align`](crate::align), and both directions of a merge get the same ones. Elements at
//! one place that both sides put there or replaced, differently, are a [`Clash`]; the incoming ones are in no row.

mod crossing;
mod dropped;
mod matching;
mod successors;
#[cfg(test)]
mod tests;
mod twins;

use std::collections::HashMap;
use std::ops::Range;

use kyaml_ast::{EntryId, Node};

use crate::align::Aligned;
use crate::digest::Digests;
use crate::equal::same_value;
use crate::likeness::Sketch;
use crate::lines::Differ;
use crate::slots::{Side, Slots};
use crossing::widened;
use matching::{Matching, Other};
use twins::New;

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

/// One list, its elements as tokens: equal elements have equal ones.
struct List<'t> {
    ids: Vec<EntryId>,
    nodes: Vec<Node<'t>>,
    tokens: Vec<u32>,
    digests: &'t Digests,
}

impl<'t> List<'t> {
    fn sketch(&self, place: usize) -> Sketch<'t> {
        Sketch::of(self.nodes[place], self.digests)
    }
}

/// Aligns three lists. (Where one is missing there is nothing to align by position.)
pub(crate) fn align_sequences<'t>(nodes: &Slots<Node<'t>>, digests: Slots<&'t Digests>) -> (Aligned, Vec<Clash>) {
    let mut tokens = Tokens::default();
    let mut list = |side: Side| Some(tokens.list(*nodes.get(side)?, *digests.get(side)?));
    let (Some(dest), Some(base), Some(incoming)) = (list(Side::Dest), list(Side::Base), list(Side::Incoming)) else {
        return (Aligned::default(), Vec::new());
    };
    let lists = Lists { dest, base, incoming };
    let mut pairs = Pairs::of(&lists);
    let mut clashes = Vec::new();
    for chunk in widened(&lists, &pairs, chunks(&lists, &pairs)) {
        if lists.dest.tokens[chunk.dest.clone()] == lists.incoming.tokens[chunk.incoming.clone()] {
            pairs.agree(chunk);
        } else if is_clash(&lists, &pairs, &chunk) {
            pairs.detach(&chunk);
            clashes.push(chunk);
        }
    }
    if pairs.find_moved(&lists, &clashes) || pairs.are_reordered_differently() {
        let whole = Chunk::whole(&lists);
        pairs.detach(&whole);
        pairs.twins.fill(None);
        clashes = vec![whole];
    }
    (rows(&lists, &pairs, &clashes), clashes.iter().map(|chunk| lists.clash(chunk)).collect())
}

/// Aligns the lists of destination and incoming side alone, whatever the base has; an incoming element is beside the base's that
/// it comes from. `None` where they have nothing in common.
pub(crate) fn align_over<'t>(nodes: &Slots<Node<'t>>, digests: Slots<&'t Digests>) -> Option<Aligned> {
    let over = |base, dest, base_digests, dest_digests| {
        let nodes = Slots { dest, base, incoming: nodes.incoming };
        let digests = Slots { dest: dest_digests, base: base_digests, incoming: digests.incoming };
        align_sequences(&nodes, digests).0
    };
    let mut aligned = over(nodes.dest, nodes.dest, digests.dest, digests.dest);
    let from = over(nodes.base, nodes.incoming, digests.base, digests.incoming);
    let base: HashMap<EntryId, EntryId> = from.rows.iter().filter_map(|row| Some((row.dest?, row.base?))).collect();
    for row in &mut aligned.rows {
        row.base = row.incoming.and_then(|incoming| base.get(&incoming).copied());
    }
    let is_common = |row: &Slots<EntryId>| row.dest.is_some() && row.incoming.is_some();
    aligned.rows.iter().any(is_common).then_some(aligned)
}

/// Numbers for values: equal values get equal ones.
#[derive(Default)]
struct Tokens<'t> {
    known: HashMap<u64, Vec<(u32, Node<'t>)>>,
    next: u32,
}

impl<'t> Tokens<'t> {
    fn list(&mut self, node: Node<'t>, digests: &'t Digests) -> List<'t> {
        let (ids, nodes): (Vec<_>, Vec<_>) = node.entries().map(|entry| (entry.id(), entry.value())).unzip();
        let tokens = nodes.iter().map(|node| self.token(*node, digests.of_node(*node))).collect();
        List { ids, nodes, tokens, digests }
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

/// The three versions of a list.
struct Lists<'t> {
    dest: List<'t>,
    base: List<'t>,
    incoming: List<'t>,
}

impl Lists<'_> {
    fn clash(&self, chunk: &Chunk) -> Clash {
        Clash {
            dest: self.dest.ids[chunk.dest.clone()].to_vec(),
            after: chunk.dest.start.checked_sub(1).map(|before| self.dest.ids[before]),
            base: self.base.ids[chunk.base.clone()].to_vec(),
            incoming: self.incoming.ids[chunk.incoming.clone()].to_vec(),
        }
    }
}

/// Which elements of the three lists are the same.
struct Pairs {
    dest: Matching,
    incoming: Matching,
    /// For each incoming element that is new, the new one of the destination that equals it.
    twins: Vec<Option<usize>>,
}

impl Pairs {
    fn of(lists: &Lists<'_>) -> Self {
        let mut differ = Differ::default();
        let (mut dest, dest_gaps) = Matching::exact(&lists.base, &lists.dest, &mut differ);
        let (mut incoming, incoming_gaps) = Matching::exact(&lists.base, &lists.incoming, &mut differ);
        let is_new = |matching: &Matching, place: usize| matching.older[place].is_none();
        let ours = unique(&lists.dest.tokens, (0..lists.dest.ids.len()).filter(|place| is_new(&dest, *place)));
        let theirs =
            unique(&lists.incoming.tokens, (0..lists.incoming.ids.len()).filter(|place| is_new(&incoming, *place)));
        let both = |(token, place): (&u32, &usize)| Some((*place, *theirs.get(token)?));
        let shared: Vec<(usize, usize)> = ours.iter().filter_map(both).collect();
        let (mut dest_shared, mut incoming_shared) = (vec![false; dest.older.len()], vec![false; incoming.older.len()]);
        for (place, other) in &shared {
            (dest_shared[*place], incoming_shared[*other]) = (true, true);
        }
        let [dest_kept, incoming_kept] = [&dest, &incoming].map(Matching::kept);
        let (has, kept) = (&dest_shared[..], &incoming_kept[..]);
        dest.alike((&lists.base, &lists.dest), dest_gaps, Other { has, kept });
        let (has, kept) = (&incoming_shared[..], &dest_kept[..]);
        incoming.alike((&lists.base, &lists.incoming), incoming_gaps, Other { has, kept });
        for (place, other) in shared {
            detach_unlike((&mut dest, place), (&mut incoming, other));
            detach_unlike((&mut incoming, other), (&mut dest, place));
        }
        let twins = vec![None; incoming.older.len()];
        Self { dest, incoming, twins }
    }

    /// Forgets what was found inside of a clash: it is decided as a whole.
    fn detach(&mut self, chunk: &Chunk) {
        for base in chunk.base.clone() {
            self.dest.detach_older(base);
            self.incoming.detach_older(base);
        }
    }

    /// Whether both sides moved elements of the base, and not alike: in a list without identity, the order is a value.
    fn are_reordered_differently(&self) -> bool {
        let both = self.dest.newer.iter().zip(&self.incoming.newer);
        let common: Vec<(usize, usize)> = both.filter_map(|(dest, incoming)| dest.zip(*incoming)).collect();
        let (by_dest, by_incoming) = (ranks(common.iter().map(|pair| pair.0)), ranks(common.iter().map(|pair| pair.1)));
        !by_dest.is_sorted() && !by_incoming.is_sorted() && by_dest != by_incoming
    }

    /// Pairs the elements of a chunk that both sides have alike.
    fn agree(&mut self, chunk: Chunk) {
        for (dest, incoming) in chunk.dest.zip(chunk.incoming) {
            if self.dest.older[dest].is_none() || self.dest.older[dest] != self.incoming.older[incoming] {
                self.dest.detach_newer(dest);
                self.incoming.detach_newer(incoming);
                self.twins[incoming] = Some(dest);
            }
        }
    }

    /// Finds elements that a side moved; says whether both sides added one at different places.
    fn find_moved(&mut self, lists: &Lists<'_>, clashes: &[Chunk]) -> bool {
        let free = |range: fn(&Chunk) -> Range<usize>, len: usize| {
            let mut free = vec![true; len];
            clashes.iter().flat_map(range).for_each(|index| free[index] = false);
            free
        };
        let base_free = free(|chunk| chunk.base.clone(), lists.base.ids.len());
        let dest_free = free(|chunk| chunk.dest.clone(), lists.dest.ids.len());
        let mut incoming_free = free(|chunk| chunk.incoming.clone(), lists.incoming.ids.len());
        let mut dest_free = dest_free;
        for (incoming, twin) in self.twins.iter().enumerate() {
            if let Some(dest) = twin {
                (dest_free[*dest], incoming_free[incoming]) = (false, false);
            }
        }
        for tokens in [lists.base.tokens.clone(), changed_tokens(lists, &self.incoming, &lists.incoming)] {
            pair_moved(&mut self.dest, (&tokens, &base_free), (&lists.dest, &dest_free));
        }
        for tokens in [lists.base.tokens.clone(), changed_tokens(lists, &self.dest, &lists.dest)] {
            pair_moved(&mut self.incoming, (&tokens, &base_free), (&lists.incoming, &incoming_free));
        }
        twins::are_contested(
            (&lists.dest, New { matching: &self.dest, free: &dest_free }),
            (&lists.incoming, New { matching: &self.incoming, free: &incoming_free }),
        )
    }
}

/// Lets a new element that the other side has, too, come from nowhere where that side has it beside what it came from: who
/// replaced an element and who put the same before it added the same.
fn detach_unlike((matching, new): (&mut Matching, usize), (other, same): (&mut Matching, usize)) {
    if let Some(older) = matching.older[new]
        && other.newer[older].is_some_and(|successor| successor != same)
    {
        matching.detach_newer(new);
    }
}

/// What the elements of the base are on a side that has them.
fn changed_tokens(lists: &Lists<'_>, matching: &Matching, list: &List<'_>) -> Vec<u32> {
    let token = |(base, new): (usize, &Option<usize>)| new.map_or(lists.base.tokens[base], |new| list.tokens[new]);
    matching.newer.iter().enumerate().map(token).collect()
}

/// Pairs what a side lacks at its old place with what it has at a new one; `tokens` are what the base's elements may be.
fn pair_moved(matching: &mut Matching, (tokens, base_free): (&[u32], &[bool]), (list, free): (&List<'_>, &[bool])) {
    let lost = (0..base_free.len()).filter(|&place| base_free[place] && matching.newer[place].is_none());
    let lost = unique(tokens, lost);
    for (token, new) in unique(&list.tokens, new_places(matching, free)) {
        if let Some(&base) = lost.get(&token) {
            matching.pair(base, new);
        }
    }
}

fn new_places(matching: &Matching, free: &[bool]) -> impl Iterator<Item = usize> {
    (0..free.len()).filter(|&new| free[new] && matching.older[new].is_none())
}

/// The tokens that occur once at the places `among`, with their places.
fn unique(tokens: &[u32], among: impl Iterator<Item = usize>) -> HashMap<u32, usize> {
    let mut found: HashMap<u32, Option<usize>> = HashMap::new();
    for place in among {
        found.entry(tokens[place]).and_modify(|seen| *seen = None).or_insert(Some(place));
    }
    found.into_iter().filter_map(|(token, place)| Some((token, place?))).collect()
}

/// What lies between elements that both sides kept, changed or not.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chunk {
    dest: Range<usize>,
    base: Range<usize>,
    incoming: Range<usize>,
}

impl Chunk {
    /// This chunk, another one behind it, and all between them.
    fn to(&self, last: &Self) -> Self {
        Self {
            dest: self.dest.start..last.dest.end,
            base: self.base.start..last.base.end,
            incoming: self.incoming.start..last.incoming.end,
        }
    }

    fn whole(lists: &Lists<'_>) -> Self {
        let all = |list: &List<'_>| 0..list.ids.len();
        Self { dest: all(&lists.dest), base: all(&lists.base), incoming: all(&lists.incoming) }
    }
}

/// The places of places among each other.
fn ranks(places: impl Iterator<Item = usize>) -> Vec<usize> {
    let places: Vec<usize> = places.collect();
    let mut order: Vec<usize> = (0..places.len()).collect();
    order.sort_unstable_by_key(|&index| places[index]);
    let mut ranks = vec![0; places.len()];
    order.into_iter().enumerate().for_each(|(rank, index)| ranks[index] = rank);
    ranks
}

fn chunks(lists: &Lists<'_>, pairs: &Pairs) -> Vec<Chunk> {
    let mut out = Vec::new();
    let (mut dest, mut base, mut incoming) = (0, 0, 0);
    for index in 0..lists.base.ids.len() {
        let (Some(ours), Some(theirs)) = (pairs.dest.newer[index], pairs.incoming.newer[index]) else { continue };
        out.push(Chunk { dest: dest..ours, base: base..index, incoming: incoming..theirs });
        (dest, base, incoming) = (ours + 1, index + 1, theirs + 1);
    }
    let ends = (lists.dest.ids.len(), lists.base.ids.len(), lists.incoming.ids.len());
    out.push(Chunk { dest: dest..ends.0, base: base..ends.1, incoming: incoming..ends.2 });
    out
}

/// Whether both sides put something at one place, or one replaced what the other changed as well.
fn is_clash(lists: &Lists<'_>, pairs: &Pairs, chunk: &Chunk) -> bool {
    let ours = &lists.dest.tokens[chunk.dest.clone()];
    let theirs = &lists.incoming.tokens[chunk.incoming.clone()];
    if ours == theirs {
        return false;
    }
    let adds = |matching: &Matching, range: &Range<usize>| range.clone().any(|new| matching.older[new].is_none());
    let (dest_adds, incoming_adds) = (adds(&pairs.dest, &chunk.dest), adds(&pairs.incoming, &chunk.incoming));
    let changes = |matching: &Matching, list: &List<'_>, base: usize| {
        matching.newer[base].is_none_or(|new| list.tokens[new] != lists.base.tokens[base])
    };
    let dest_lost = |base: usize| pairs.dest.newer[base].is_none();
    let incoming_lost = |base: usize| pairs.incoming.newer[base].is_none();
    let mut base = chunk.base.clone();
    (dest_adds && incoming_adds)
        || base.any(|base| {
            dest_adds && dest_lost(base) && changes(&pairs.incoming, &lists.incoming, base)
                || incoming_adds && incoming_lost(base) && changes(&pairs.dest, &lists.dest, base)
        })
}

/// One row for each element, but for those of the base alone and those of the incoming side in clashes.
fn rows(lists: &Lists<'_>, pairs: &Pairs, clashes: &[Chunk]) -> Aligned {
    let mut aligned = Aligned::default();
    let mut row_of_incoming = vec![Row::New; lists.incoming.ids.len()];
    let clashing = clashes.iter().flat_map(|chunk| chunk.incoming.clone());
    clashing.for_each(|incoming| row_of_incoming[incoming] = Row::None);
    let mut twin_of = vec![None; lists.dest.ids.len()];
    for (incoming, twin) in pairs.twins.iter().enumerate() {
        twin.iter().for_each(|dest| twin_of[*dest] = Some(incoming));
    }
    for (dest, id) in lists.dest.ids.iter().enumerate() {
        let base = pairs.dest.older[dest];
        let incoming = base.and_then(|base| pairs.incoming.newer[base]).or(twin_of[dest]);
        incoming.iter().for_each(|incoming| row_of_incoming[*incoming] = Row::At(aligned.rows.len()));
        aligned.places.push(base.unwrap_or(dest));
        aligned.rows.push(Slots {
            dest: Some(*id),
            base: base.map(|base| lists.base.ids[base]),
            incoming: incoming.map(|incoming| lists.incoming.ids[incoming]),
        });
    }
    for (incoming, id) in lists.incoming.ids.iter().enumerate() {
        match row_of_incoming[incoming] {
            Row::None => continue,
            Row::At(row) => aligned.incoming_order.push(row),
            Row::New => {
                let base = pairs.incoming.older[incoming];
                aligned.incoming_order.push(aligned.rows.len());
                aligned.places.push(base.unwrap_or(incoming));
                let base = base.map(|base| lists.base.ids[base]);
                aligned.rows.push(Slots { dest: None, base, incoming: Some(*id) });
            }
        }
    }
    aligned
}

/// The row of an incoming element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Row {
    /// It has none: it is part of a clash.
    None,
    /// The destination has the element, too.
    At(usize),
    /// The destination does not.
    New,
}
