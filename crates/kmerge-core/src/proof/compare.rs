//! The three-way merge of facts: how often each has to hold in a result, and the first that does not.
//!
//! What a side added is wanted, what a side removed is not, and what nobody touched stays. What both sides did alike counts once,
//! or twice where it may be two things (lines of a text, comments). With one side chosen in every conflict, anything between that
//! and the side itself will do.

use std::cmp::Ordering;
use std::ops::RangeInclusive;

use super::comments::{first_wrong_comment, wrong_comments};
use super::facts::{About, Counts, Fact, Facts};
use super::orders::Neighbours;
use super::rows::{BASE, OURS, RESULT, Row, THEIRS, in_result, in_side, other, side_of};
use super::unsound::CommentFault;
use crate::slots::Side;

/// What a result should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The changes of both sides.
    Both,
    /// Those of one side, and of the other what is in no conflict.
    Chosen(Side),
}

impl Wanted {
    /// The side that is chosen, if one is.
    pub(super) const fn chosen(self) -> Option<Side> {
        if let Self::Chosen(side) = self { Some(side) } else { None }
    }

    /// Of two values, of ours and of theirs, that of the side that is chosen.
    pub(super) fn of_chosen<T>(self, [ours, theirs]: [T; 2]) -> Option<T> {
        self.chosen().map(|side| if side == Side::Incoming { theirs } else { ours })
    }

    /// Whether all changes of a side are wanted.
    pub(super) fn has_all_of(self, side: usize) -> bool {
        self.chosen().is_none_or(|chosen| chosen == side_of(side))
    }
}

/// A fact that a result lacks, or should not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wrong {
    /// What this side changed is not there. Where: in base, ours, theirs and the result.
    Lost(Side, Row<u32>),
    /// What this side removed is there.
    Back(Side, Row<u32>),
    /// What all sides have is not there.
    Gone(Row<u32>),
    /// The result has only a part of what this side replaced something by.
    Half(Side, Row<u32>),
    /// What no side has, or fewer times, is there.
    New(Row<u32>),
    /// An element comes after one that it stood before.
    Order(u32),
    /// A comment is not as it should be; where it starts on this side.
    Comment(CommentFault, Side, u32),
}

/// The first fact that is not as it should be. What comes later is only read if there is none among what is read.
pub(super) fn first_wrong(facts: &mut Facts<'_>, wanted: Wanted) -> Option<Wrong> {
    let value = first_wrong_value(facts, wanted).or_else(|| wrong_halves(facts, wanted).next());
    if value.is_some() {
        return value;
    }
    facts.read_uneven();
    let entry = lost_or_twice(facts, wanted).next().or_else(|| wrong_orders(facts, wanted).next());
    entry.or_else(|| {
        facts.read_comments();
        first_wrong_comment(facts, wanted)
    })
}

/// Where all stands that is not as it should be.
pub(super) fn wrong_places(facts: &mut Facts<'_>, wanted: Wanted) -> Vec<Row<u32>> {
    facts.read_uneven();
    facts.read_comments();
    let values = facts.values.iter().filter_map(|fact| wrong_fact(fact, wanted));
    let values = values.chain(wrong_halves(facts, wanted)).chain(lost_or_twice(facts, wanted));
    values.chain(wrong_orders(facts, wanted)).chain(wrong_comments(facts, wanted)).map(Wrong::place).collect()
}

impl Wrong {
    /// Where it is, in each tree.
    pub(super) const fn place(self) -> Row<u32> {
        match self {
            Self::Lost(_, at) | Self::Back(_, at) | Self::Half(_, at) | Self::Gone(at) | Self::New(at) => at,
            Self::Order(at) => in_result(at),
            Self::Comment(_, side, at) => in_side(side, at),
        }
    }
}

/// The first that is no comment, and not about order; what is not there says more than what stands in its place.
pub(super) fn first_wrong_value(facts: &Facts<'_>, wanted: Wanted) -> Option<Wrong> {
    let wrong = facts.values.iter().filter_map(|fact| wrong_fact(fact, wanted));
    wrong.min_by_key(|wrong| matches!(wrong, Wrong::Back(..) | Wrong::New(_)))
}

/// How many times a fact may hold.
fn range([base, ours, theirs, _]: Counts, may_be_two: bool, wanted: Wanted) -> RangeInclusive<u32> {
    let [base, ours, theirs] = [base, ours, theirs].map(i64::from);
    let sum = ours + theirs - base;
    let once = match (ours.cmp(&base), theirs.cmp(&base)) {
        (Ordering::Greater, Ordering::Greater) => ours.max(theirs),
        (Ordering::Less, Ordering::Less) => ours.min(theirs),
        _ => sum,
    };
    let other = if may_be_two { sum } else { once };
    let own = wanted.of_chosen([ours, theirs]).unwrap_or(once);
    let times = |times: i64| times.max(0) as u32;
    times(once.min(other).min(own))..=times(once.max(other).max(own))
}

fn wrong_fact(fact: &Fact, wanted: Wanted) -> Option<Wrong> {
    let may_be_two = matches!(fact.about, About::Line | About::Scalar { may_be_two: true });
    let (counts, at) = (fact.counts, fact.at);
    let range = range(counts, may_be_two, wanted);
    if range.contains(&counts[RESULT]) {
        return None;
    }
    let chosen = wanted.of_chosen([OURS, THEIRS]).unwrap_or(OURS);
    let mut sides = [chosen, other(chosen)].into_iter();
    Some(if counts[RESULT] < *range.start() {
        let by = sides.find(|side| counts[*side] > counts[BASE]);
        by.map_or(Wrong::Gone(at), |side| Wrong::Lost(side_of(side), at))
    } else {
        let by = sides.find(|side| counts[*side] < counts[BASE]);
        by.map_or(Wrong::New(at), |side| Wrong::Back(side_of(side), at))
    })
}

/// Replacements of the side that is not chosen, if the result has only a part of them.
fn wrong_halves(facts: &Facts<'_>, wanted: Wanted) -> impl Iterator<Item = Wrong> {
    let halves = facts.halves.iter().filter(move |half| !wanted.has_all_of(half.by));
    halves.map(|half| Wrong::Half(side_of(half.by), half.at))
}

/// What base and both sides have, and the result has nowhere; or what they have once, and it has twice. With one side chosen, a scalar
/// says too little: the hunk would be around all that moved with it.
fn lost_or_twice(facts: &Facts<'_>, wanted: Wanted) -> impl Iterator<Item = Wrong> {
    let twice = facts.twice.iter().filter(move |twice| !twice.is_scalar || wanted == Wanted::Both);
    facts.lost.iter().copied().map(Wrong::Gone).chain(twice.map(|twice| Wrong::New(in_result(twice.start))))
}

fn wrong_orders(facts: &Facts<'_>, wanted: Wanted) -> impl Iterator<Item = Wrong> {
    let neighbours = facts.orders.neighbours.iter().filter(move |pair| !is_right(pair, wanted)).map(|pair| pair.at);
    let is_lost = move |kept: [bool; 2]| !wanted.of_chosen(kept).unwrap_or(kept == [true; 2]);
    let swaps = facts.orders.swaps.iter().filter(move |swaps| is_lost(swaps.are_kept)).map(|swaps| swaps.at);
    neighbours.chain(facts.orders.met.iter().copied()).chain(swaps).map(Wrong::Order)
}

/// Whether neighbours in the result stand as they should. Where the sides do not agree, one of them swapped the two: this counts,
/// unless the side that is chosen did not.
fn is_right(Neighbours { keeps: [base, ours, theirs], is_free, .. }: &Neighbours, wanted: Wanted) -> bool {
    match (*ours, *theirs) {
        (Some(ours), Some(theirs)) if ours == theirs => ours,
        (Some(ours), Some(theirs)) => {
            *is_free || *base != Some(true) || wanted.of_chosen([ours, theirs]).unwrap_or_default()
        }
        (Some(one), None) | (None, Some(one)) => one,
        (None, None) => true,
    }
}
