//! What one side did to the base: which tokens it kept, and which new ones it put where.

use std::cell::LazyCell;
use std::ops::Range;

use hashbrown::HashSet;

use super::names::{Lane, unchanged};
use super::{Disputed, Lanes, What};
use crate::lines::Differ;
use crate::slots::Side;

/// The changes of a side between two entries.
pub(super) struct Script {
    pub(super) side: Side,
    /// The side's place of each token of the base.
    pub(super) at: Vec<Option<usize>>,
    /// Whether the side kept each token of the base.
    pub(super) keeps: Vec<bool>,
    /// The new tokens above each token of the base, and last those at the end.
    new: Vec<Vec<usize>>,
    /// New lines that stand in the place of an entry that the side removed and the other changed, or below an entry
    /// that the side emptied.
    instead: Vec<usize>,
}

/// Some tokens of a side, in order.
#[derive(Clone, Copy)]
pub(super) struct Part<'l, 't> {
    side: Side,
    lane: &'l Lane<'t>,
    pub(super) tokens: &'l [usize],
    disputed: &'l Disputed,
}

impl<'l, 't> Part<'l, 't> {
    pub(super) const fn of(lanes: &'l Lanes<'t>, side: Side, tokens: &'l [usize]) -> Self {
        Self { side, lane: lanes.side(side), tokens, disputed: lanes.disputed }
    }

    /// Whether the side removed or emptied an entry of the base that the other side changed.
    fn disputes(&self, of_base: What<'_>) -> bool {
        matches!(of_base, What::Entry(row) if self.disputed.get(&row) == Some(&self.side))
    }

    fn names(&self) -> Vec<u32> {
        self.lane.names_of(self.tokens)
    }
}

impl Script {
    /// The changes of a side.
    pub(super) fn of(base: Part<'_, '_>, own: Part<'_, '_>, other: Part<'_, '_>, differ: &mut Differ) -> Self {
        let (was, is) = (base.tokens, own.tokens);
        let mut at = vec![None; was.len()];
        let mut new = vec![Vec::new(); was.len() + 1];
        let mut next = (0, 0);
        let end = (was.len(), is.len());
        for (before, after) in unchanged(&base.names(), &own.names(), differ).into_iter().chain([end]) {
            new[next.0].extend(&is[next.1..after]);
            if before < was.len() {
                at[before] = Some(is[after]);
            }
            next = (before + 1, after + 1);
        }
        let keeps = at.iter().map(Option::is_some).collect();
        let mut script = Self { side: own.side, at, keeps, new, instead: Vec::new() };
        script.instead = script.instead_of_disputed(base, own);
        script.keep_last(base, own.lane);
        script.keep_alive(base, own.lane, other);
        script
    }

    /// The new lines that stand in the place of an entry that the side removed and the other changed, or below one that it emptied.
    fn instead_of_disputed(&self, base: Part<'_, '_>, own: Part<'_, '_>) -> Vec<usize> {
        let is_disputed = |place: usize| own.disputes(base.lane.tokens[base.tokens[place]].what);
        let is_emptied = |place: &usize| self.keeps[*place] && is_disputed(*place);
        let is_next = |new: &usize| own.lane.is_line(*new) && own.lane.tokens[*new].above == 0;
        let emptied = (0..base.tokens.len()).filter(is_emptied);
        let below = emptied.flat_map(|place| self.new[place + 1].iter().copied().take_while(is_next));
        let replaced = self.replaced().filter(|(removed, _)| removed.clone().any(is_disputed));
        let replaced = replaced.flat_map(|(_, new)| new).filter(|new| own.lane.is_line(*new));
        replaced.chain(below).collect()
    }

    /// Several equal lines may stand above comments that a side replaced. The side then counts as having kept the last
    /// one, because a new comment is about what follows.
    fn keep_last(&mut self, Part { lane: base, tokens: was, .. }: Part<'_, '_>, lane: &Lane<'_>) {
        for place in (0..was.len()).rev() {
            let is_replaced = self.new[place + 1].first().is_some_and(|new| lane.is_line(*new));
            let Some(at) = self.at[place] else { continue };
            if !is_replaced || !base.is_line(was[place]) {
                continue;
            }
            let removed = self.keeps[place + 1..].iter().take_while(|keeps| !**keeps).count();
            let is_equal = |other: &usize| base.names[was[*other]] == base.names[was[place]];
            let Some(last) = (place + 1..=place + removed).rev().find(is_equal) else { continue };
            (self.at[last], self.at[place]) = (Some(at), None);
            (self.keeps[last], self.keeps[place]) = (true, false);
            let moved = std::mem::take(&mut self.new[place + 1]);
            self.new[last + 1].splice(0..0, moved);
        }
    }

    /// An entry that the side removed may still be in the result. Then the lines directly above it stay, too. Lines in
    /// its place come below it, unless the other side has them, too.
    fn keep_alive(&mut self, Part { lane: base, tokens, .. }: Part<'_, '_>, lane: &Lane<'_>, other: Part<'_, '_>) {
        let theirs = LazyCell::new(|| other.names().into_iter().collect::<HashSet<u32>>());
        for (place, token) in tokens.iter().enumerate() {
            let What::Entry(row) = base.tokens[*token].what else { continue };
            if base.goes[*token] || lane.places.contains_key(&row) {
                continue;
            }
            let lead = base.lead(*token).len().min(place);
            let first =
                (place - lead..place).rev().take_while(|above| self.at[*above].is_none()).last().unwrap_or(place);
            self.keeps[first..=place].fill(true);
            if lane.names_of(&self.new[first]).iter().any(|name| !theirs.contains(name)) {
                let moved = std::mem::take(&mut self.new[first]);
                self.new[place + 1].splice(0..0, moved);
            }
        }
    }

    /// The ranges of the base that the side removed, each with the new tokens there.
    pub(super) fn replaced(&self) -> impl Iterator<Item = (Range<usize>, Vec<usize>)> {
        let hunks = self.hunks().into_iter().filter(|hunk| !hunk.is_empty());
        hunks.map(|hunk| (hunk.clone(), self.new[hunk.start..=hunk.end].concat()))
    }

    /// The ranges of the base that the side changed, in order. The range of a pure insertion is empty.
    fn hunks(&self) -> Vec<Range<usize>> {
        let mut hunks = Vec::new();
        let mut place = 0;
        while place <= self.keeps.len() {
            let removed = self.keeps[place..].iter().take_while(|keeps| !**keeps).count();
            if removed > 0 || !self.new[place].is_empty() {
                hunks.push(place..place + removed);
            }
            place += removed.max(1);
        }
        hunks
    }

    fn change(&self, hunks: &[Range<usize>], range: &Range<usize>) -> Change {
        let new = hunks.iter().flat_map(|hunk| hunk.clone().chain([hunk.end]).take(hunk.len().max(1)));
        let new: Vec<usize> = new.flat_map(|place| self.new[place].iter().copied()).collect();
        let kept = self.at[range.clone()].iter().flatten().copied();
        let mut all: Vec<usize> = new.iter().copied().chain(kept).collect();
        all.sort_unstable();
        let start = hunks.first().map_or(usize::MAX, |hunk| hunk.start);
        let removed = hunks.iter().flat_map(Range::clone).map(|place| place - range.start).collect();
        let instead = new.iter().copied().filter(|place| self.instead.contains(place)).collect();
        Change { new, all, start, removed, instead, removes: hunks.iter().any(|hunk| !hunk.is_empty()) }
    }

    /// Whether the side put a new entry directly below a line of the base.
    fn puts_below(&self, lane: &Lane<'_>, place: usize) -> bool {
        let above = place.checked_sub(1).and_then(|above| self.at[above]);
        above.is_some_and(|above| {
            lane.is_free(above) && self.new[place].first().is_some_and(|new| lane.leads[*new] == lane.leads[above])
        })
    }

    fn new_in(&self, hunk: &Range<usize>) -> &[usize] {
        &self.new[hunk.start]
    }
}

/// What one side did in a group of hunks.
#[derive(Debug, Default)]
pub(super) struct Change {
    /// The new tokens.
    pub(super) new: Vec<usize>,
    /// All tokens that the side has there.
    pub(super) all: Vec<usize>,
    /// The place in the base where its first hunk starts.
    start: usize,
    /// The removed tokens, counted from the start of the group.
    pub(super) removed: Vec<usize>,
    /// Those of the new tokens that are lines in the place of an entry in conflict.
    pub(super) instead: Vec<usize>,
    /// Whether the side removed anything.
    pub(super) removes: bool,
}

/// The order of both sides' new tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    /// Theirs come first.
    pub(super) is_behind: bool,
    /// The sides changed different places, one after the other.
    pub(super) is_apart: bool,
}

impl Group {
    /// What a side did, ours or theirs.
    pub(super) const fn by(&self, side: Side) -> &Change {
        if matches!(side, Side::Incoming) { &self.theirs } else { &self.ours }
    }

    /// New tokens that were only inserted stand above those that replace something.
    pub(super) fn turn(&self) -> Turn {
        let (ours, theirs) = (&self.ours, &self.theirs);
        let is_behind = (theirs.start, theirs.removes) < (ours.start, ours.removes);
        Turn { is_behind, is_apart: ours.start != theirs.start }
    }
}

/// Hunks of both sides that are decided together.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) base: Range<usize>,
    pub(super) ours: Change,
    pub(super) theirs: Change,
    /// Ranges that both sides removed, counted from the start of the group.
    pub(super) shared: Vec<Range<usize>>,
}

/// A change of one side at one place.
struct Hunk {
    range: Range<usize>,
    side: usize,
}

/// Groups the hunks of both sides, in order.
pub(super) fn groups(scripts: [&Script; 2], lanes: [&Lane<'_>; 2]) -> Vec<Group> {
    let sides = Sides { scripts, lanes };
    let mut groups: Vec<Hunks> = Vec::new();
    for hunk in sides.hunks() {
        let names = sides.names(&hunk);
        match groups.last_mut() {
            Some(group) if sides.joins(group, &hunk, &names) => group.push(hunk, names),
            _ => {
                let mut group = Hunks { cover: hunk.range.clone(), ..Hunks::default() };
                group.push(hunk, names);
                groups.push(group);
            }
        }
    }
    groups.into_iter().map(|hunks| hunks.group(scripts)).collect()
}

/// The hunks of a group.
#[derive(Default)]
struct Hunks {
    /// From the start of the first hunk to the end of the last.
    cover: Range<usize>,
    /// What each side removed or where it inserted, in order.
    ranges: [Vec<Range<usize>>; 2],
    /// The tokens that each side brings.
    new: [HashSet<u32>; 2],
}

impl Hunks {
    fn push(&mut self, hunk: Hunk, names: Vec<u32>) {
        self.cover.end = self.cover.end.max(hunk.range.end);
        self.ranges[hunk.side].push(hunk.range);
        self.new[hunk.side].extend(names);
    }

    fn group(self, scripts: [&Script; 2]) -> Group {
        let Self { cover: base, ranges: [ours, theirs], .. } = self;
        let shared = meetings(&ours, &theirs).into_iter().map(|range| range.start - base.start..range.end - base.start);
        Group {
            shared: shared.collect(),
            ours: scripts[0].change(&ours, &base),
            theirs: scripts[1].change(&theirs, &base),
            base,
        }
    }
}

struct Sides<'s, 't> {
    scripts: [&'s Script; 2],
    lanes: [&'s Lane<'t>; 2],
}

impl Sides<'_, '_> {
    /// The hunks of both sides, in order.
    fn hunks(&self) -> Vec<Hunk> {
        let of = |side: usize| self.scripts[side].hunks().into_iter().map(move |range| Hunk { range, side });
        let mut hunks: Vec<Hunk> = of(0).chain(of(1)).collect();
        hunks.sort_by_key(|hunk| (hunk.range.start, hunk.range.end, hunk.side));
        hunks
    }

    /// The tokens that a hunk brings at its start.
    fn names(&self, hunk: &Hunk) -> Vec<u32> {
        self.lanes[hunk.side].names_of(self.scripts[hunk.side].new_in(&hunk.range))
    }

    /// Whether a hunk belongs to the group before it. Where it only touches the group, both sides bring the same token, or it puts an
    /// entry below a line of the base.
    fn joins(&self, group: &Hunks, hunk: &Hunk, names: &[u32]) -> bool {
        let Range { start, end } = group.cover;
        let at = hunk.range.start;
        let is_touching = || {
            names.iter().any(|name| group.new[1 - hunk.side].contains(name))
                || self.scripts[hunk.side].puts_below(self.lanes[hunk.side], at)
        };
        at < end || at == start || at == end && is_touching()
    }
}

/// The ranges that two lists of ranges share. The ranges of one list are in order, and share nothing.
fn meetings(ours: &[Range<usize>], theirs: &[Range<usize>]) -> Vec<Range<usize>> {
    let (mut found, mut at) = (Vec::new(), [0, 0]);
    while let (Some(our), Some(their)) = (ours.get(at[0]), theirs.get(at[1])) {
        let both = meet(our, their);
        found.extend((!both.is_empty()).then_some(both));
        at[usize::from(their.end < our.end)] += 1;
    }
    found
}

fn meet(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
}
