//! Aligns lists without identity: each side is compared with the base, element by element.
//!
//! First comes what is the same, wherever it stands; then the order of what both sides have cuts the lists into blocks, and what
//! stands between these is compared. Ignores which order comes out: that is `order.rs`.
//!
//! Invariant: the rows are as in [`align`](crate::correspond::align), and both directions of a merge get the same ones. Elements at
//! one place that both sides put there or replaced, differently, are a [`Clash`]; the incoming ones are in no row.

mod chunk;
mod crossing;
mod matching;
mod moved;
mod successors;
#[cfg(test)]
mod tests;
mod twins;
mod words;

use std::ops::Range;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{EntryId, Node};

use crate::correspond::{Aligned, Sketch};
use crate::equal::same_value;
use crate::lines::Differ;
use crate::plan::Role;
use crate::schema::Places;
use crate::slots::{Side, Slots};
use chunk::{Chunk, chunks, is_clash, put_the_same};
use crossing::widened;
use matching::{Matching, Other};

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
    /// Order, where all sides have the same elements and both sides moved them; else value.
    pub(crate) role: Role,
}

/// One list, its elements as tokens: equal elements have equal ones.
struct List<'t> {
    ids: Vec<EntryId>,
    nodes: Vec<Node<'t>>,
    tokens: Vec<u32>,
}

impl<'t> List<'t> {
    fn sketch(&self, place: usize) -> Sketch<'t> {
        Sketch::of(self.nodes[place])
    }
}

/// Aligns three lists. (Where one is missing there is nothing to align by position.)
pub(crate) fn align_sequences(nodes: &Slots<Node<'_>>, places: Places) -> (Aligned, Vec<Clash>) {
    let mut tokens = Tokens::default();
    let mut list = |side: Side| Some(tokens.list(*nodes.get(side)?));
    let (Some(dest), Some(base), Some(incoming)) = (list(Side::Dest), list(Side::Base), list(Side::Incoming)) else {
        return (Aligned::default(), Vec::new());
    };
    let lists = Lists { dest, base, incoming };
    let are_words = words::are_words(&lists, places);
    let mut pairs = Pairs::of(&lists, are_words);
    let mut clashes = Vec::new();
    for chunk in widened(&lists, &pairs, chunks(&pairs)) {
        if put_the_same(&lists, &chunk) {
            pairs.agree(&chunk);
        } else if is_clash(&lists, &pairs, &chunk) {
            pairs.detach(&chunk);
            clashes.push(chunk);
        }
    }
    (rows(&lists, &pairs, &clashes), clashes.iter().map(|chunk| lists.clash(chunk)).collect())
}

/// Aligns the lists of destination and incoming side, without the base; its elements join the rows of the incoming ones that they
/// became. `None` where they have nothing in common.
pub(crate) fn align_over(nodes: &Slots<Node<'_>>) -> Option<Aligned> {
    let over = |base, dest| {
        let nodes = Slots { dest, base, incoming: nodes.incoming };
        align_sequences(&nodes, Places::Count).0
    };
    let mut aligned = over(nodes.dest, nodes.dest);
    let from = over(nodes.base, nodes.incoming);
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
    fn list(&mut self, node: Node<'t>) -> List<'t> {
        let (ids, nodes): (Vec<_>, Vec<_>) = node.entries().map(|entry| (entry.id(), entry.value())).unzip();
        let tokens = nodes.iter().map(|node| self.token(*node)).collect();
        List { ids, nodes, tokens }
    }

    /// Values with different digests differ, and need no comparison: a deep tree that differs at its bottom is not
    /// compared on every level on the way down.
    fn token(&mut self, node: Node<'t>) -> u32 {
        let alike = self.known.entry(node.digest()).or_default();
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

impl<'t> Lists<'t> {
    const fn side(&self, side: Side) -> &List<'t> {
        match side {
            Side::Dest => &self.dest,
            Side::Base => &self.base,
            Side::Incoming => &self.incoming,
        }
    }

    fn clash(&self, chunk: &Chunk) -> Clash {
        Clash {
            dest: self.dest.ids[chunk.range(Side::Dest)].to_vec(),
            after: chunk.range(Side::Dest).start.checked_sub(1).map(|before| self.dest.ids[before]),
            base: self.base.ids[chunk.range(Side::Base)].to_vec(),
            incoming: self.incoming.ids[chunk.range(Side::Incoming)].to_vec(),
            role: if chunk.is_of_order(self) { Role::Order } else { Role::Value },
        }
    }
}

/// Which elements of the three lists are the same.
struct Pairs<'l, 't> {
    dest: Matching<'l, 't>,
    incoming: Matching<'l, 't>,
    /// For each incoming element that is new, the new one of the destination that equals it.
    twins: Vec<Option<usize>>,
    /// For each element of the destination, the incoming one that equals it, both being new.
    dest_twins: Vec<Option<usize>>,
    torn: Vec<Torn>,
    /// What replaced an element on one side, and stands beside that element on the other.
    split: HashSet<u32>,
    /// Whether the lists are of words.
    are_words: bool,
}

impl<'l, 't> Pairs<'l, 't> {
    fn of(lists: &'l Lists<'t>, are_words: bool) -> Self {
        let mut differ = Differ::default();
        let (mut dest, dest_gaps) = Matching::exact(&lists.base, &lists.dest, &mut differ);
        let (mut incoming, incoming_gaps) = Matching::exact(&lists.base, &lists.incoming, &mut differ);
        let shared = shared(&dest, &incoming);
        let other_of_dest = Other::new(&dest, shared.iter().map(|both| both[0]), &incoming);
        let other_of_incoming = Other::new(&incoming, shared.iter().map(|both| both[1]), &dest);
        dest.alike(dest_gaps, &other_of_dest);
        incoming.alike(incoming_gaps, &other_of_incoming);
        moved::part_reshaped(&mut dest, &mut incoming);
        let split = split(&mut dest, &mut incoming, shared);
        let (twins, dest_twins) = (vec![None; incoming.older.len()], vec![None; dest.older.len()]);
        let mut pairs = Self { dest, incoming, twins, dest_twins, torn: Vec::new(), split, are_words };
        pairs.find_moved();
        pairs.find_twins();
        pairs
    }

    /// Both sides with their elements.
    const fn both(&self) -> [(Side, &Matching<'l, 't>); 2] {
        [(Side::Dest, &self.dest), (Side::Incoming, &self.incoming)]
    }

    /// Forgets what was found inside of a clash: it is decided as a whole. What a side moved into it has its base elsewhere.
    fn detach(&mut self, chunk: &Chunk) {
        let ours = self.dest.older[chunk.range(Side::Dest)].iter();
        let theirs = self.incoming.older[chunk.range(Side::Incoming)].iter();
        let moved: Vec<usize> = ours.chain(theirs).flatten().copied().collect();
        for base in chunk.range(Side::Base).chain(moved) {
            self.dest.detach_older(base);
            self.incoming.detach_older(base);
        }
        self.twins[chunk.range(Side::Incoming)].fill(None);
    }

    /// Pairs the elements of a chunk that both sides have alike.
    fn agree(&mut self, chunk: &Chunk) {
        for (dest, incoming) in chunk.range(Side::Dest).zip(chunk.range(Side::Incoming)) {
            if self.dest.older[dest].is_none() || self.dest.older[dest] != self.incoming.older[incoming] {
                self.dest.detach_newer(dest);
                self.incoming.detach_newer(incoming);
                self.make_twins(dest, incoming);
            }
        }
    }

    fn make_twins(&mut self, dest: usize, incoming: usize) {
        if let Some(before) = self.dest_twins[dest].replace(incoming) {
            self.twins[before].take_if(|twin| *twin == dest);
        }
        self.twins[incoming] = Some(dest);
    }

    /// Finds elements that a side moved.
    fn find_moved(&mut self) {
        let became = [&self.incoming, &self.dest].map(|other| (other.replaced(), other.changed_tokens()));
        let sides = [(&mut self.dest, Side::Dest), (&mut self.incoming, Side::Incoming)];
        for ((matching, side), (replaced, changed)) in sides.into_iter().zip(&became) {
            let torn = matching.pair_moved(&matching.from.tokens, |place| !replaced[place]);
            self.torn.extend(torn.into_iter().map(|(base, new)| Torn { base, new, side }));
            matching.pair_moved(changed, |_| true);
        }
    }

    /// Finds elements that both sides added.
    fn find_twins(&mut self) {
        for [ours, theirs] in twins::twins(&self.dest, &self.incoming, self.are_words) {
            if !self.split.contains(&self.dest.to.tokens[ours]) {
                self.make_twins(ours, theirs);
            }
        }
    }

    /// Whether this side alone has an element anew.
    fn is_new(&self, side: Side, place: usize) -> bool {
        match side {
            Side::Dest => self.dest.older[place].is_none() && self.dest_twins[place].is_none(),
            Side::Incoming => self.incoming.older[place].is_none() && self.twins[place].is_none(),
            Side::Base => false,
        }
    }

    /// The places in a range that hold what this side alone has anew.
    fn new_in(&self, side: Side, range: Range<usize>) -> impl Iterator<Item = usize> {
        range.filter(move |place| self.is_new(side, *place))
    }

    /// Numbers for the elements of the three lists: one for each element, on whatever sides it is. Those of the base are its places.
    fn numbers(&self) -> [Vec<usize>; 3] {
        let (base, dest) = (self.dest.newer.len(), self.dest.older.len());
        let of_dest = |place: usize| self.dest.older[place].unwrap_or(base + place);
        let of_incoming = |place: usize| {
            let twin = self.twins[place].map(|twin| base + twin);
            self.incoming.older[place].or(twin).unwrap_or(base + dest + place)
        };
        [
            (0..dest).map(of_dest).collect(),
            (0..base).collect(),
            (0..self.incoming.older.len()).map(of_incoming).collect(),
        ]
    }
}

/// The elements that both sides have once, and neither had in the base at that place: theirs beside ours.
fn shared(dest: &Matching<'_, '_>, incoming: &Matching<'_, '_>) -> Vec<[usize; 2]> {
    let theirs = incoming.unique_new();
    dest.unique_new().into_iter().filter_map(|(token, ours)| Some([ours, *theirs.get(&token)?])).collect()
}

/// Finds what replaced an element on one side, and stands beside that element on the other. It is new on both sides then. Returns
/// its tokens.
fn split(dest: &mut Matching<'_, '_>, incoming: &mut Matching<'_, '_>, shared: Vec<[usize; 2]>) -> HashSet<u32> {
    let mut split = HashSet::new();
    for [ours, theirs] in shared {
        let distances = [dest.detach_unlike(ours, incoming, theirs), incoming.detach_unlike(theirs, dest, ours)];
        // What stands apart from what it replaced is still one addition.
        if distances.into_iter().flatten().any(|it| it == 1) {
            split.insert(dest.to.tokens[ours]);
        }
    }
    split
}

/// A scalar of the base that one side replaced, and the other has at a new place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Torn {
    base: usize,
    /// The side of the new place.
    side: Side,
    new: usize,
}

/// The tokens that occur once at the places `among`, with their places.
fn unique(tokens: &[u32], among: impl Iterator<Item = usize>) -> HashMap<u32, usize> {
    let mut found: HashMap<u32, Option<usize>> = HashMap::new();
    for place in among {
        found.entry(tokens[place]).and_modify(|seen| *seen = None).or_insert(Some(place));
    }
    found.into_iter().filter_map(|(token, place)| Some((token, place?))).collect()
}

/// One row for each element, but for those of the base alone and those of the incoming side in clashes.
fn rows(lists: &Lists<'_>, pairs: &Pairs<'_, '_>, clashes: &[Chunk]) -> Aligned {
    let [dest, _, incoming] = pairs.numbers();
    let mut rows = NumberedRows { base: &lists.base.ids, aligned: Aligned::default(), row_of: HashMap::new() };
    for (place, number) in dest.into_iter().enumerate() {
        let row = rows.row(number, place);
        rows.aligned.rows[row].dest = Some(lists.dest.ids[place]);
    }
    let clashing: HashSet<usize> = clashes.iter().flat_map(|chunk| chunk.range(Side::Incoming)).collect();
    for (place, number) in incoming.into_iter().enumerate().filter(|(place, _)| !clashing.contains(place)) {
        let row = rows.row(number, place);
        rows.aligned.rows[row].incoming = Some(lists.incoming.ids[place]);
        rows.aligned.incoming_order.push(row);
    }
    rows.aligned
}

/// Rows of elements that are known by their numbers.
struct NumberedRows<'l> {
    base: &'l [EntryId],
    aligned: Aligned,
    row_of: HashMap<usize, usize>,
}

impl NumberedRows<'_> {
    /// The row of an element, which is a new one where no side before has the element.
    fn row(&mut self, number: usize, place: usize) -> usize {
        let Aligned { rows, places, .. } = &mut self.aligned;
        *self.row_of.entry(number).or_insert_with(|| {
            rows.push(Slots { base: self.base.get(number).copied(), ..Slots::default() });
            places.push(if number < self.base.len() { number } else { place });
            rows.len() - 1
        })
    }
}
