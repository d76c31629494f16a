//! Aligns lists without identity: each side is compared with the base, element by element.
//!
//! Invariant: the rows are as in [`align`](crate::align), and both directions of a merge get the same ones. Elements at
//! one place that both sides put there or replaced, differently, are a [`Clash`]; the incoming ones are in no row.

mod crossing;
mod dropped;
mod matching;
mod successors;
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

#[cfg(test)]
mod tests {
    use kyaml_ast::Stream;

    use super::*;

    /// Which elements are in one row, and the clashes, as indices.
    fn aligned(dest: &str, base: &str, incoming: &str) -> String {
        let streams = [dest, base, incoming].map(|text| Stream::parse(text).unwrap());
        let [dest, base, incoming] =
            streams.each_ref().map(|stream| stream.documents().next().unwrap().root().unwrap());
        let [first, second, third] = streams.each_ref().map(Digests::of);
        let digests = Slots { dest: Some(first), base: Some(second), incoming: Some(third) };
        let (aligned, clashes) =
            align_sequences(&Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) }, digests.as_ref());
        let text =
            |node: Node<'_>, id: Option<EntryId>| id.map_or("-", |id| node.stream().node(id.value).text()).to_owned();
        let mut out: Vec<String> = Vec::new();
        for row in &aligned.rows {
            out.push([text(dest, row.dest), text(base, row.base), text(incoming, row.incoming)].join("/"));
        }
        for clash in clashes {
            let all = |node: Node<'_>, ids: &[EntryId]| {
                ids.iter().map(|id| text(node, Some(*id))).collect::<Vec<_>>().join(",")
            };
            out.push(format!(
                "{}!{}!{}",
                all(dest, &clash.dest),
                all(base, &clash.base),
                all(incoming, &clash.incoming)
            ));
        }
        out.join(" ")
    }

    #[test]
    fn each_side_is_compared_with_the_base() {
        assert_eq!(aligned("[a, b]", "[a, b]", "[a, b]"), "a/a/a b/b/b");
        assert_eq!(aligned("[a, x]", "[a, b]", "[y, b]"), "a/a/y x/b/b");
        assert_eq!(aligned("[a]", "[a, b]", "[b]"), "a/a/- -/b/b");
        assert_eq!(aligned("[a, n]", "[a]", "[]"), "a/a/- n/-/-");
        assert_eq!(aligned("[a, n]", "[a]", "[m, a]"), "a/a/a n/-/- -/-/m");
    }

    #[test]
    fn both_sides_at_one_place_clash() {
        assert_eq!(aligned("[a, n]", "[a]", "[a, m]"), "a/a/a n/-/- n!!m");
        assert_eq!(aligned("[a, p, q]", "[a, x]", "[a, y]"), "a/a/a p/-/- q/-/- p,q!x!y");
        assert_eq!(aligned("[a, p, q]", "[a, x]", "[a]"), "a/a/a p/-/- q/-/- p,q!x!");
        assert_eq!(aligned("[a, n]", "[a]", "[a, n]"), "a/a/a n/-/n");
    }

    #[test]
    fn moved_elements_are_found() {
        assert_eq!(aligned("[b, c, a]", "[a, b, c]", "[b, c]"), "b/b/b c/c/c a/a/-");
        assert_eq!(aligned("[b, c, a]", "[a, b, c]", "[a, b, c]"), "b/b/b c/c/c a/a/a");
        assert_eq!(aligned("[b, n]", "[a, b]", "[n, b]"), "b/b/b n/a/n");
    }

    #[test]
    fn additions_of_both_sides_at_two_places_clash() {
        assert_eq!(aligned("[n, a, b]", "[a, b]", "[a, b, n]"), "n/-/- a/-/- b/-/- n,a,b!a,b!a,b,n");
        assert_eq!(aligned("[n, m, a, b]", "[a, b]", "[a, n, b]"), "n/-/- m/-/- a/-/- b/-/- n,m,a,b!a,b!a,n,b");
    }

    #[test]
    fn what_replaced_an_element_here_and_was_added_beside_it_there_clashes() {
        assert_eq!(aligned("[n, b]", "[a, b]", "[n, a, b]"), "n/-/- b/b/b n!a!n,a");
        assert_eq!(aligned("[n, a, b]", "[a, b]", "[n, b]"), "n/-/- a/-/- b/b/b n,a!a!n");
        assert_eq!(aligned("[n, b]", "[a, b]", "[n, b, c]"), "n/a/n b/b/b -/-/c");
    }

    #[test]
    fn what_one_side_moved_and_changed_and_the_other_removed_clashes() {
        let (base, moved) = ("[{a: 1, b: 2, c: 3}, k]", "[k, {a: 1, b: 2, c: 4}]");
        assert_eq!(
            aligned(moved, base, "[k]"),
            "k/-/- {a: 1, b: 2, c: 4}/-/- k,{a: 1, b: 2, c: 4}!{a: 1, b: 2, c: 3},k!k"
        );
        assert_eq!(aligned("[k]", base, moved), "k/-/- k!{a: 1, b: 2, c: 3},k!k,{a: 1, b: 2, c: 4}");
        assert_eq!(aligned(moved, base, moved), "k/k/k {a: 1, b: 2, c: 4}/-/{a: 1, b: 2, c: 4}");
        assert_eq!(aligned("[k]", base, "[k, {a: 1, x: 2, y: 4}]"), "k/k/k -/-/{a: 1, x: 2, y: 4}");
    }

    #[test]
    fn what_took_a_place_that_the_other_side_left_alone_is_no_clash_with_its_neighbours() {
        let base = "[{u: a1}, {u: b1}, {r: t}]";
        assert_eq!(
            aligned("[{u: a2}, {u: b1}, {r: v}, {r: t}]", base, "[{u: a1}, {u: b2}, {r: t2}]"),
            "{u: a2}/{u: a1}/{u: a1} {u: b1}/{u: b1}/{u: b2} {r: v}/-/- {r: t}/{r: t}/{r: t2}"
        );
        assert_eq!(
            aligned("[{u: x}, {r: t}]", "[{u: a}, {r: t}]", "[{u: a, w: 1}, {r: t}]"),
            "{u: x}/-/- {r: t}/{r: t}/{r: t} {u: x}!{u: a}!{u: a, w: 1}"
        );
    }

    #[test]
    fn scalars_with_other_neighbours_are_other_additions() {
        assert_eq!(aligned("[-v, x, a, b]", "[a, b]", "[a, -v, y, b]"), "-v/-/- x/-/- a/a/a b/b/b -/-/-v -/-/y");
    }

    #[test]
    fn two_new_orders_clash() {
        assert_eq!(aligned("[a, c, b]", "[a, b, c]", "[b, a, c]"), "a/-/- c/-/- b/-/- a,c,b!a,b,c!b,a,c");
        assert_eq!(aligned("[b, a, c]", "[a, b, c]", "[b, a, c]"), "b/b/b a/-/a c/c/c");
    }

    #[test]
    fn a_clash_holds_all_of_what_moved_into_it_or_out_of_it() {
        let (base, moved) = ("[w, l, g, z]", "[g, l, w, z]");
        assert_eq!(aligned(moved, base, "[w, l, g, p, z]").split(' ').next_back(), Some("g,l,w!w,l,g!w,l,g,p"));
        assert_eq!(aligned("[w, l, g, p, z]", base, moved).split(' ').next_back(), Some("w,l,g,p!w,l,g!g,l,w"));
    }

    #[test]
    fn changed_elements_are_found_by_likeness() {
        let base = "[{a: 1, b: 2, c: 3}, {x: 1, y: 2, z: 3}]";
        let dest = "[{x: 1, y: 2, z: 4}, {n: 1}]";
        assert_eq!(
            aligned(dest, base, base),
            "{x: 1, y: 2, z: 4}/{x: 1, y: 2, z: 3}/{x: 1, y: 2, z: 3} {n: 1}/-/- -/{a: 1, b: 2, c: 3}/{a: 1, b: 2, c: 3}"
        );
    }
}
