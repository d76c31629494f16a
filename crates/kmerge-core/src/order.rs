//! Merges the orders of two sides, and finds the place of what only one of them has.
//!
//! Works on tokens (numbers), each of which stands at most once in an order. What both sides have is cut into the smallest
//! blocks that are blocks on all sides; in each of them the four rules decide. Where both sides changed the order of a block,
//! differently, both changes are made if no two tokens were swapped by both, and there is an order that has all the swaps: moves
//! that have nothing to do with each other. Otherwise the order of the block is in conflict. Swapping the sides gives the same
//! blocks and the same order, but for new tokens of both sides at one place.
//!
//! Ignores what the tokens are, and which of them the result has in the end.

mod permutation;
mod place;
mod strays;

use std::ops::Range;

use crate::policy::BothChanged;
use crate::slots::{Side, Slots};
use hashbrown::HashMap;
use permutation::{combined, contains_moves};
pub(crate) use permutation::{keeps_swaps, longest_increasing};
pub(crate) use place::{anchors, moved, with_new};
pub(crate) use strays::blocks_of_turns;

/// What became of the orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Merged {
    /// All tokens of the destination and of the incoming side.
    pub(crate) order: Vec<usize>,
    /// The incoming side's, but for those whose place is the destination's: what stretches speak of.
    pub(crate) incoming: Vec<usize>,
    /// The tokens of both sides whose order both changed, differently; one stretch after the other.
    pub(crate) both_changed: Vec<Stretch>,
    /// New tokens of both sides at one place.
    pub(crate) met: Vec<Stretch>,
    /// Who changed the order of what is not in conflict.
    pub(crate) changed: Changed,
}

/// Places from the first of some tokens to the last, in each side's own order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stretch {
    pub(crate) dest: Range<usize>,
    pub(crate) incoming: Range<usize>,
}

/// Which sides changed an order that is not in conflict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changed {
    pub(crate) by_dest: bool,
    pub(crate) by_incoming: bool,
}

/// How much an order means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Weight {
    /// Nothing: the destination's stands where it is in conflict.
    Free,
    /// The order of what the base has. Where both sides put the same new token at different places, the destination's place stands.
    Counts,
    /// All: each token takes its turn, and what both sides put at different places is in conflict.
    Turns,
}

/// What the tokens of both sides do not decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rules {
    pub(crate) weight: Weight,
    /// Whose order it is where both sides changed it: the destination's unless the incoming side's is taken.
    pub(crate) both_changed: BothChanged,
    /// Whose new tokens come first where both put some behind the same one.
    pub(crate) first: Side,
}

/// The smallest stretch of tokens of both sides that has the same ones on all sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    /// From the first of the tokens to the last, in the destination's order.
    pub(crate) dest: Range<usize>,
    /// Their range in the base's order; empty where it has none of them.
    pub(crate) base: Range<usize>,
    /// Their range in the incoming side's order.
    pub(crate) incoming: Range<usize>,
    /// How many tokens of both sides there are.
    pub(crate) len: usize,
    /// Who changed their order.
    pub(crate) changed: Changed,
    /// Their order; `None` where it is in conflict.
    pub(crate) order: Option<Vec<usize>>,
}

/// Merges orders; without a base, the destination's stands.
pub(crate) fn merge(orders: &Slots<Vec<usize>>, rules: Rules) -> Merged {
    let (Some(dest), Some(incoming)) = (&orders.dest, &orders.incoming) else { return Merged::default() };
    let base = orders.base.as_ref().unwrap_or(incoming);
    let was = orders.base.as_ref().map(|base| places(base)).unwrap_or_default();
    if rules.weight == Weight::Turns {
        return merged([dest, base, incoming], &was, rules);
    }
    let placed = without_misplaced(dest, base, incoming);
    let result = merged([dest, base, &placed], &was, rules);
    let is_lost = rules.weight == Weight::Counts && loses_agreed(&result.order, [dest, incoming], &placed);
    if is_lost { merged([dest, base, incoming], &was, rules) } else { result }
}

/// Merges the orders of destination, base and incoming side; `was` has the places of what is not new.
fn merged([dest, base, incoming]: [&[usize]; 3], was: &HashMap<usize, usize>, rules: Rules) -> Merged {
    let mut merged = Merged { incoming: incoming.to_vec(), ..Merged::default() };
    let mut common = Vec::with_capacity(dest.len());
    let [in_dest, in_incoming] = [dest, incoming].map(places);
    let blocks = match rules.weight {
        Weight::Free | Weight::Counts => blocks(dest, base, incoming),
        Weight::Turns => blocks_of_turns(dest, base, incoming),
    };
    for block in blocks {
        let Some(order) = block.order else {
            let taken = match rules.both_changed {
                BothChanged::Take if rules.weight != Weight::Free => {
                    common_of(&incoming[block.incoming.clone()], &in_dest)
                }
                _ => common_of(&dest[block.dest.clone()], &in_incoming),
            };
            common.extend(taken);
            merged.both_changed.push(Stretch { dest: block.dest, incoming: block.incoming });
            continue;
        };
        common.extend(order);
        merged.changed.by_dest |= block.changed.by_dest;
        merged.changed.by_incoming |= block.changed.by_incoming;
    }
    (merged.order, merged.met) = Sides { dest, incoming }.with_others(&common, was, rules);
    merged
}

/// Cuts three orders into blocks, and merges the order of each.
pub(crate) fn blocks(dest: &[usize], base: &[usize], incoming: &[usize]) -> Vec<Block> {
    let [in_dest, in_base, in_incoming] = [dest, base, incoming].map(places);
    let ours = common_of(dest, &in_incoming);
    let theirs = common_of(incoming, &in_dest);
    let agreed = agreed_base(base, &ours, &theirs);
    let mut base_end = 0;
    let block = |cut: Cut| {
        let (ours, was, theirs) = (&ours[cut.both.clone()], &agreed[cut.base], &theirs[cut.both]);
        let in_base = cover(was, &in_base).unwrap_or(base_end..base_end);
        base_end = in_base.end;
        let order = decide(ours, was, theirs);
        Block {
            dest: cover(ours, &in_dest).unwrap_or_default(),
            base: in_base,
            incoming: cover(theirs, &in_incoming).unwrap_or_default(),
            len: ours.len(),
            changed: if order.is_some() { Changed::of(ours, was, theirs) } else { Changed::default() },
            order,
        }
    };
    cuts(&agreed, &ours, &theirs).into_iter().map(block).collect()
}

/// The places from the first of some tokens to the last, in an order that has some of them.
fn cover(tokens: &[usize], places: &HashMap<usize, usize>) -> Option<Range<usize>> {
    let mut found = tokens.iter().filter_map(|token| places.get(token));
    let first = found.next()?;
    Some(*first..found.next_back().unwrap_or(first) + 1)
}

/// The incoming order without what both sides added at different places: there it counts as the destination's alone.
fn without_misplaced(dest: &[usize], base: &[usize], incoming: &[usize]) -> Vec<usize> {
    let [in_dest, in_base, in_incoming] = [dest, base, incoming].map(places);
    let is_added = |token: &usize| in_dest.contains_key(token) && !in_base.contains_key(token);
    if !incoming.iter().any(is_added) {
        return incoming.to_vec();
    }
    let agreed = agreed_base(base, &common_of(dest, &in_incoming), &common_of(incoming, &in_dest));
    let in_agreed = places(&agreed);
    incoming.iter().copied().filter(|token| !is_added(token) || in_agreed.contains_key(token)).collect()
}

/// So many comparisons are made at most.
const MOST_COMPARED: usize = 1 << 20;

/// Whether something that both sides added at different places stands on the wrong side of a token to which both put it alike;
/// `placed` is the incoming order without such ones.
fn loses_agreed(order: &[usize], [dest, incoming]: [&[usize]; 2], placed: &[usize]) -> bool {
    if placed.len() == incoming.len() {
        return false;
    }
    let [in_order, in_dest, in_placed] = [order, dest, placed].map(places);
    let common: Vec<(usize, usize)> =
        incoming.iter().copied().enumerate().filter(|(_, token)| in_dest.contains_key(token)).collect();
    let misplaced = common.iter().filter(|(_, token)| !in_placed.contains_key(token));
    let is_lost = |&(place, added): &(usize, usize)| {
        common.iter().any(|&(other_place, other)| {
            let is_before = in_dest[&added] < in_dest[&other];
            is_before == (place < other_place) && is_before != (in_order.get(&added) < in_order.get(&other))
        })
    };
    misplaced.clone().count().saturating_mul(common.len()) > MOST_COMPARED || misplaced.clone().any(is_lost)
}

fn common_of(order: &[usize], other: &HashMap<usize, usize>) -> Vec<usize> {
    order.iter().copied().filter(|token| other.contains_key(token)).collect()
}

impl Changed {
    fn of(ours: &[usize], was: &[usize], theirs: &[usize]) -> Self {
        Self { by_dest: ours != was, by_incoming: theirs != was }
    }
}

/// The order of a block; `None` where it is in conflict.
fn decide(ours: &[usize], was: &[usize], theirs: &[usize]) -> Option<Vec<usize>> {
    let taken = match (ours == was, theirs == was) {
        _ if ours == theirs => ours,
        // What both put elsewhere has no place in the base's order.
        _ if was.len() < ours.len() => return None,
        (true, _) => theirs,
        (_, true) => ours,
        _ if contains_moves(ours, was, theirs) => ours,
        _ if contains_moves(theirs, was, ours) => theirs,
        _ => return combined(ours, was, theirs),
    };
    Some(taken.to_vec())
}

/// A block: places among what both sides have, and in the base's order of it.
struct Cut {
    both: Range<usize>,
    base: Range<usize>,
}

/// The smallest ranges that hold the same tokens on all sides.
fn cuts(base: &[usize], ours: &[usize], theirs: &[usize]) -> Vec<Cut> {
    let (in_base, in_theirs) = (places(base), places(theirs));
    let mut cuts = Vec::new();
    let (mut start, mut base_start) = (0, 0);
    let (mut their_end, mut base_end, mut known) = (0, 0, 0);
    for (index, token) in ours.iter().enumerate() {
        their_end = their_end.max(in_theirs.get(token).map_or(0, |place| place + 1));
        if let Some(place) = in_base.get(token) {
            (base_end, known) = (base_end.max(place + 1), known + 1);
        }
        if their_end == index + 1 && base_end == known {
            cuts.push(Cut { both: start..index + 1, base: base_start..base_end });
            (start, base_start) = (index + 1, base_end);
        }
    }
    cuts
}

/// The base's order of what both sides have, with what both added at one place in one order: behind the same token, else before
/// the same one.
fn agreed_base(base: &[usize], ours: &[usize], theirs: &[usize]) -> Vec<usize> {
    let in_ours = places(ours);
    let base: Vec<usize> = base.iter().copied().filter(|token| in_ours.contains_key(token)).collect();
    if base.len() == ours.len() {
        return base;
    }
    let in_base = places(&base);
    let mut added = Added::of([ours, theirs], |token| !in_base.contains_key(&token));
    let mut agreed = added.take(Beside::Behind(None));
    for token in base {
        agreed.extend(added.take(Beside::Before(Some(token))));
        agreed.push(token);
        agreed.extend(added.take(Beside::Behind(Some(token))));
    }
    agreed.extend(added.take(Beside::Before(None)));
    agreed
}

/// A place beside an old token; beside none: at the start, or at the end.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Beside {
    Behind(Option<usize>),
    Before(Option<usize>),
}

/// What both sides added, by the place at which both have it.
struct Added(HashMap<Beside, [Vec<usize>; 2]>);

impl Added {
    fn of(sides: [&[usize]; 2], is_new: impl Fn(usize) -> bool) -> Self {
        let [our_places, their_places] = sides.map(|order| neighbours_of_new(order, &is_new));
        let agreed = |token: &usize| {
            let theirs = their_places.get(token)?;
            our_places.get(token)?.iter().zip(theirs).find_map(|(ours, theirs)| (ours == theirs).then_some(*ours))
        };
        let mut added: HashMap<Beside, [Vec<usize>; 2]> = HashMap::new();
        for (side, order) in sides.into_iter().enumerate() {
            for (token, beside) in order.iter().filter_map(|token| Some((*token, agreed(token)?))) {
                added.entry(beside).or_default()[side].push(token);
            }
        }
        Self(added)
    }

    /// What both sides have at a place in one order.
    fn take(&mut self, beside: Beside) -> Vec<usize> {
        match self.0.remove(&beside) {
            Some([ours, theirs]) if ours == theirs => ours,
            _ => Vec::new(),
        }
    }
}

/// The places of each new token: behind the nearest old one, and before the nearest old one.
fn neighbours_of_new(order: &[usize], is_new: impl Fn(usize) -> bool) -> HashMap<usize, [Beside; 2]> {
    let mut places = HashMap::new();
    let mut near = None;
    for &token in order {
        if is_new(token) { _ = places.insert(token, [Beside::Behind(near); 2]) } else { near = Some(token) }
    }
    near = None;
    for &token in order.iter().rev() {
        match places.get_mut(&token) {
            Some(place) => place[1] = Beside::Before(near),
            None => near = Some(token),
        }
    }
    places
}

fn places(order: &[usize]) -> HashMap<usize, usize> {
    order.iter().enumerate().map(|(place, token)| (*token, place)).collect()
}

/// The orders of both sides, as they are.
#[derive(Clone, Copy)]
struct Sides<'o> {
    dest: &'o [usize],
    incoming: &'o [usize],
}

impl Sides<'_> {
    /// What only one side has, by its places in the merged order.
    fn runs(self, common: &[usize]) -> [HashMap<Place, Range<usize>>; 2] {
        let ranks = places(common);
        let [mut ours, mut theirs] = [self.dest, self.incoming].map(|side| runs(side, &ranks));
        meet(&mut ours, self.dest, &theirs);
        meet(&mut theirs, self.incoming, &ours);
        [ours, theirs]
    }

    /// Adds what only one side has: between the tokens of both sides where it stands on its side, or behind the same one. At one
    /// place, new tokens come before those of the base, which come in its order, each with what is new behind it.
    fn with_others(self, common: &[usize], was: &HashMap<usize, usize>, rules: Rules) -> (Vec<usize>, Vec<Stretch>) {
        let (mut order, mut met) = (Vec::with_capacity(self.dest.len() + self.incoming.len()), Vec::new());
        let [mut ours, mut theirs] = self.runs(common);
        for place in all_places(common) {
            order.extend(if let Place::Behind(token) = place { Some(token) } else { None });
            let dest = Run::of(self.dest, ours.remove(&place), was);
            let incoming = Run::of(self.incoming, theirs.remove(&place), was);
            let is_ours_first = rules.first == Side::Dest || place == Place::Cut(0);
            let [first, second] = if is_ours_first { [&dest, &incoming] } else { [&incoming, &dest] };
            order.extend([first.tokens(), second.tokens()].into_iter().flatten());
            match [dest.rest(), incoming.rest()] {
                [rest, []] | [[], rest] => order.extend(rest),
                runs => order.extend(in_turn(runs, was)),
            }
            met.extend(dest.meeting(incoming));
        }
        (order, met)
    }
}

/// All places of the merged order.
fn all_places(common: &[usize]) -> impl Iterator<Item = Place> {
    let tokens = common.iter().enumerate().flat_map(|(at, token)| [Place::Behind(*token), Place::Cut(at + 1)]);
    std::iter::once(Place::Cut(0)).chain(tokens)
}

/// What one side alone has at one place: new tokens, and then those of the base, from the first one on that is no new one.
struct Run<'o> {
    side: &'o [usize],
    new: Range<usize>,
    end: usize,
}

impl<'o> Run<'o> {
    fn of(side: &'o [usize], run: Option<Range<usize>>, was: &HashMap<usize, usize>) -> Self {
        let run = run.unwrap_or_default();
        let count = side[run.clone()].iter().take_while(|token| !was.contains_key(*token)).count();
        Self { side, new: run.start..run.start + count, end: run.end }
    }

    fn tokens(&self) -> &'o [usize] {
        &self.side[self.new.clone()]
    }

    fn rest(&self) -> &'o [usize] {
        &self.side[self.new.end..self.end]
    }

    /// The new tokens of both sides, if both have some.
    fn meeting(self, incoming: Self) -> Option<Stretch> {
        let have_both = !self.new.is_empty() && !incoming.new.is_empty();
        have_both.then_some(Stretch { dest: self.new, incoming: incoming.new })
    }
}

/// Two runs in one. Each starts with a token of the base; such tokens come in the base's order, unless their side has another.
fn in_turn(runs: [&[usize]; 2], was: &HashMap<usize, usize>) -> impl Iterator<Item = usize> {
    let mut parts: Vec<(usize, &[usize])> = Vec::new();
    for run in runs {
        let mut last = 0;
        for part in run.chunk_by(|_, next| !was.contains_key(next)) {
            last = last.max(was.get(&part[0]).copied().unwrap_or_default());
            parts.push((last, part));
        }
    }
    parts.sort_by_key(|part| part.0);
    parts.into_iter().flat_map(|part| part.1.iter().copied())
}

/// Where tokens of one side alone stand.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// Between the first so many tokens of both sides and the others, on the side as in the merged order.
    Cut(usize),
    /// Behind a token that has other neighbours in the merged order.
    Behind(usize),
}

/// The tokens of one side alone, by their places; `ranks` are those of the tokens of both sides in the merged order.
fn runs(side: &[usize], ranks: &HashMap<usize, usize>) -> HashMap<Place, Range<usize>> {
    let mut runs = HashMap::new();
    let (mut place, mut start) = (Place::Cut(0), 0);
    let (mut seen, mut end) = (0, 0);
    for (index, token) in side.iter().enumerate() {
        let Some(rank) = ranks.get(token) else { continue };
        runs.insert(place, start..index);
        (seen, end, start) = (seen + 1, end.max(rank + 1), index + 1);
        place = if seen == end { Place::Cut(seen) } else { Place::Behind(*token) };
    }
    runs.insert(place, start..side.len());
    runs
}

/// Moves runs that stand behind one token on both sides to the place behind it.
fn meet(runs: &mut HashMap<Place, Range<usize>>, side: &[usize], others: &HashMap<Place, Range<usize>>) {
    let behind = |run: &Range<usize>| run.start.checked_sub(1).map(|before| Place::Behind(side[before]));
    let is_met = |(place, run): (&Place, &Range<usize>)| {
        let behind = behind(run).filter(|behind| behind != place && !run.is_empty())?;
        others.get(&behind).is_some_and(|other| !other.is_empty()).then_some((*place, behind))
    };
    for (place, behind) in runs.iter().filter_map(is_met).collect::<Vec<_>>() {
        let run = runs.remove(&place).unwrap_or_default();
        runs.insert(behind, run);
    }
}

#[cfg(test)]
mod tests;
