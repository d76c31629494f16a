//! Merges the tokens that both sides inserted at one place.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::names::unchanged;
use super::script::Turn;
use super::{Found, Lanes, What};
use crate::lines::Differ;
use crate::slots::{Side, Slots};

/// New tokens of one side, between two that both sides brought: up to the last entry, then free lines, then lines
/// directly above the next entry.
struct Part<'p> {
    entries: &'p [usize],
    free: &'p [usize],
    lead: &'p [usize],
}

impl Part<'_> {
    fn all(&self) -> Vec<usize> {
        [self.entries, self.free, self.lead].concat()
    }
}

impl Lanes<'_> {
    /// The tokens of both sides, in the order that `turn` says. A token that both have stands once.
    pub(super) fn combined(&self, ours: &[usize], theirs: &[usize], turn: Turn, differ: &mut Differ) -> Vec<Found> {
        let mut found = Vec::new();
        let (our_names, their_names) = (self.dest.names_of(ours), self.incoming.names_of(theirs));
        let mut next = (0, 0);
        let end = (ours.len(), theirs.len());
        let is_common = |(our, their): &(usize, usize)| self.are_of_one(ours[*our], theirs[*their]);
        let common = unchanged(&our_names, &their_names, differ).into_iter().filter(is_common).collect();
        for (our, their) in self.in_one_block(common, ours, theirs).into_iter().chain([end]) {
            let parts = [self.part(Side::Dest, &ours[next.0..our]), self.part(Side::Incoming, &theirs[next.1..their])];
            found.extend(self.both(&parts, turn));
            if our < ours.len() {
                found.push(Found::Token(Slots { dest: Some(ours[our]), base: None, incoming: Some(theirs[their]) }));
            }
            next = (our + 1, their + 1);
        }
        found
    }

    /// Of pairs of equal tokens: the entries, and the lines of two blocks of comments if one of the blocks has all lines of the other.
    /// Other blocks say different things, even if some of their lines are equal.
    fn in_one_block(&self, mut pairs: Vec<(usize, usize)>, ours: &[usize], theirs: &[usize]) -> Vec<(usize, usize)> {
        let [our, their] = [self.blocks(Side::Dest, ours), self.blocks(Side::Incoming, theirs)];
        let mut shared: HashMap<[usize; 2], usize> = HashMap::new();
        for (a, b) in &pairs {
            *shared.entry([our[*a].start, their[*b].start]).or_default() += 1;
        }
        pairs.retain(|(a, b)| {
            let (our, their) = (&our[*a], &their[*b]);
            shared[&[our.start, their.start]] == our.len().min(their.len())
        });
        pairs
    }

    /// For each of some places, the block of comments that it is in: lines with nothing between them. An entry is alone.
    fn blocks(&self, side: Side, places: &[usize]) -> Vec<Range<usize>> {
        let lane = self.side(side);
        let are_of_one = |above: &usize, below: &usize| {
            lane.is_line(*above)
                && lane.is_line(*below)
                && *below == *above + 1
                && lane.tokens[*below].above == 0
                && lane.leads[*above] == lane.leads[*below]
        };
        let mut start = 0;
        let blocks = places.chunk_by(are_of_one).flat_map(|block| {
            let range = start..start + block.len();
            start = range.end;
            std::iter::repeat_n(range, block.len())
        });
        blocks.collect()
    }

    /// Whether two equal lines are one line. They are two if each stands above another new entry and the base has such
    /// a line, too.
    fn are_of_one(&self, our_place: usize, their_place: usize) -> bool {
        let new = |side: Side, place: usize| {
            let lane = self.side(side);
            if lane.leads_new(place, &self.base) { lane.leads[place] } else { None }
        };
        let (our, their) = (new(Side::Dest, our_place), new(Side::Incoming, their_place));
        our.is_none() || their.is_none() || our == their || !self.base.names.contains(&self.dest.names[our_place])
    }

    fn part<'p>(&self, side: Side, tokens: &'p [usize]) -> Part<'p> {
        let lane = self.side(side);
        let lines = tokens.iter().rev().take_while(|place| lane.is_line(**place)).count();
        let (entries, lines) = tokens.split_at(tokens.len() - lines);
        let lead = lines.iter().rev().take_while(|place| lane.leads[**place].is_some()).count();
        let (free, lead) = lines.split_at(lines.len() - lead);
        Part { entries, free, lead }
    }

    fn both(&self, [ours, theirs]: &[Part<'_>; 2], turn: Turn) -> Vec<Found> {
        if turn.is_apart {
            return in_turn(&ours.all(), &theirs.all(), turn);
        }
        let mut found = in_turn(ours.entries, theirs.entries, turn);
        for (our, their, is_lead) in [(ours.free, theirs.free, false), (ours.lead, theirs.lead, true)] {
            if is_lead && self.is_two_way && !our.is_empty() && !their.is_empty() || self.are_alike(our, their) {
                let lines = Slots { dest: Some(our.to_vec()), base: Some(Vec::new()), incoming: Some(their.to_vec()) };
                found.push(Found::BothChanged { new: lines.clone(), lines });
            } else {
                found.extend(in_turn(our, their, turn));
            }
        }
        found
    }

    /// Whether two blocks of comments may be two versions of one block: they share at least half of their words.
    fn are_alike(&self, ours: &[usize], theirs: &[usize]) -> bool {
        let [ours, theirs] = [(Side::Dest, ours), (Side::Incoming, theirs)].map(|(side, places)| {
            let lines = places.iter().filter_map(|place| match self.side(side).tokens[*place].what {
                What::Line(line) if !self.side(side).goes[*place] => Some(line),
                _ => None,
            });
            let words = lines.flat_map(|line| line.split(|char: char| !char.is_alphanumeric()));
            words.filter(|word| !word.is_empty()).collect::<HashSet<&str>>()
        });
        let common = ours.intersection(&theirs).count();
        common > 0 && 2 * common >= ours.len().max(theirs.len())
    }
}

fn in_turn(ours: &[usize], theirs: &[usize], turn: Turn) -> Vec<Found> {
    let ours = ours.iter().map(|place| Found::Token(Slots { dest: Some(*place), ..Slots::default() }));
    let theirs = theirs.iter().map(|place| Found::Token(Slots { incoming: Some(*place), ..Slots::default() }));
    if turn.is_behind { theirs.chain(ours).collect() } else { ours.chain(theirs).collect() }
}
