//! The three-way merge of facts: how often each has to hold in a result, and the first that does not.
//!
//! What a side added is wanted, what a side removed is not, and what nobody touched stays. What both sides did alike counts once,
//! or twice where it may be two things (lines of a text, comments). With one side chosen in every conflict, anything between that
//! and the side itself will do.

use super::comments::{first_wrong_comment, wrong_comments};
use super::facts::{About, Counts, Fact, Facts};
use super::orders::Neighbours;
use super::rows::{Row, in_result, in_side};
use crate::slots::Side;

/// What a result should be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// The changes of both sides.
    Both,
    /// Those of one side, and of the other what is in no conflict.
    Chosen(Side),
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
    /// What no side has, or fewer times, is there.
    New(Row<u32>),
    /// An element comes after one that it stood before.
    Order(u32),
    /// A comment that a side has is not there; where it starts on that side.
    CommentLost(Side, u32),
    /// A comment that a side removed is there; where it starts in the base.
    CommentBack(u32),
    /// A comment is there more often than the sides want it.
    CommentTwice(Side, u32),
    /// A comment stands at something else than it should.
    CommentAstray(Side, u32),
}

/// The first fact that is not as it should be.
pub(super) fn first_wrong(facts: &Facts, wanted: Wanted) -> Option<Wrong> {
    first_wrong_value(facts, wanted)
        .or_else(|| wrong_orders(facts, wanted).next())
        .or_else(|| first_wrong_comment(facts, wanted))
}

/// Where all stands that is not as it should be.
pub(super) fn wrong_places(facts: &Facts, wanted: Wanted) -> Vec<Row<u32>> {
    let values = facts.values.iter().filter_map(|fact| wrong_fact(fact, wanted));
    values.chain(wrong_orders(facts, wanted)).chain(wrong_comments(facts, wanted)).map(Wrong::place).collect()
}

impl Wrong {
    /// Where it is, in each tree.
    const fn place(self) -> Row<u32> {
        match self {
            Self::Lost(_, at) | Self::Back(_, at) | Self::Gone(at) | Self::New(at) => at,
            Self::Order(at) => in_result(at),
            Self::CommentBack(at) => in_side(Side::Base, at),
            Self::CommentLost(side, at) | Self::CommentTwice(side, at) | Self::CommentAstray(side, at) => {
                in_side(side, at)
            }
        }
    }
}

/// The first that is no comment, and not about order; what is not there says more than what stands in its place.
pub(super) fn first_wrong_value(facts: &Facts, wanted: Wanted) -> Option<Wrong> {
    let wrong = facts.values.iter().filter_map(|fact| wrong_fact(fact, wanted));
    wrong.min_by_key(|wrong| matches!(wrong, Wrong::Back(..) | Wrong::New(_)))
}

/// Least and most times that a fact may hold.
fn range([base, ours, theirs, _]: Counts, may_be_two: bool, wanted: Wanted) -> (u32, u32) {
    let [base, ours, theirs] = [base, ours, theirs].map(i64::from);
    let (by_ours, by_theirs) = (ours - base, theirs - base);
    let sum = base + by_ours + by_theirs;
    let once = match (by_ours.signum(), by_theirs.signum()) {
        (1, 1) => ours.max(theirs),
        (-1, -1) => ours.min(theirs),
        _ => sum,
    };
    let other = if may_be_two { sum } else { once };
    let own = match wanted {
        Wanted::Both => once,
        Wanted::Chosen(Side::Incoming) => theirs,
        Wanted::Chosen(_) => ours,
    };
    let all = [once, other, own].map(|times| times.max(0) as u32);
    (all.into_iter().min().unwrap_or_default(), all.into_iter().max().unwrap_or_default())
}

fn wrong_fact(fact: &Fact, wanted: Wanted) -> Option<Wrong> {
    let may_be_two = match fact.about {
        About::Line => true,
        About::Scalar { may_be_two } => may_be_two,
        About::There | About::Name | About::Value => false,
    };
    let [base, ours, theirs, result] = fact.counts;
    let (least, most) = range(fact.counts, may_be_two, wanted);
    if (least..=most).contains(&result) {
        return None;
    }
    let chosen = if wanted == Wanted::Chosen(Side::Incoming) { Side::Incoming } else { Side::Dest };
    let other = if chosen == Side::Incoming { Side::Dest } else { Side::Incoming };
    let count = |side| if side == Side::Incoming { theirs } else { ours };
    let mut sides = [chosen, other].into_iter();
    Some(if result < least {
        sides.find(|side| count(*side) > base).map_or(Wrong::Gone(fact.at), |side| Wrong::Lost(side, fact.at))
    } else {
        sides.find(|side| count(*side) < base).map_or(Wrong::New(fact.at), |side| Wrong::Back(side, fact.at))
    })
}

fn wrong_orders(facts: &Facts, wanted: Wanted) -> impl Iterator<Item = Wrong> {
    let neighbours = facts.orders.iter().filter_map(move |order| wrong_order(order, wanted));
    let is_kept = move |[ours, theirs]: [bool; 2]| match wanted {
        Wanted::Both => ours && theirs,
        Wanted::Chosen(Side::Incoming) => theirs,
        Wanted::Chosen(_) => ours,
    };
    let met = facts.met.iter().map(|at| Wrong::Order(*at));
    neighbours
        .chain(met)
        .chain(facts.swaps.iter().filter(move |it| !is_kept(it.are_kept)).map(|it| Wrong::Order(it.at)))
}

fn wrong_order(Neighbours { keeps: [base, ours, theirs], is_free, at }: &Neighbours, wanted: Wanted) -> Option<Wrong> {
    let keeps = match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours == theirs => *ours,
        (Some(_), Some(_)) if *is_free => true,
        (Some(ours), Some(theirs)) => match wanted {
            _ if base.is_none() => true,
            Wanted::Both => *if Some(*ours) == *base { theirs } else { ours },
            Wanted::Chosen(side) => {
                let own = if side == Side::Incoming { theirs } else { ours };
                Some(*own) == *base || *own
            }
        },
        (Some(one), None) | (None, Some(one)) => *one,
        (None, None) => true,
    };
    (!keeps).then_some(Wrong::Order(*at))
}
