//! Comments that say one thing: which of them a result has to have, and where.
//!
//! A comment is the same in two trees where it stands at the same thing, entries that only one of them has left out. One that a
//! blank line sets off from what is below may stand behind the same thing instead: it stays where entries move. What a side
//! added, and what nobody removed, has to be there; what a side removed may not. If a side moved it and the other added a line to the
//! block that it is part of, that block is as this side has it.

use hashbrown::{HashMap, HashSet};

use super::compare::{Wanted, Wrong};
use super::facts::{Comment, Facts, Owner};
use super::rows::TREES;
use crate::slots::Side;

const BASE: usize = 0;
const RESULT: usize = 3;
const SIDES: [(usize, usize, Side); 2] = [(1, 2, Side::Dest), (2, 1, Side::Incoming)];

/// The comments that are not as they should be; of those that say one thing, the first.
pub(super) fn wrong_comments(facts: &Facts, wanted: Wanted) -> impl Iterator<Item = Wrong> {
    let unsettled = facts.comments.values().filter(|said| !is_settled(said));
    unsettled.filter_map(move |said| Said::of(said, facts).wrong(wanted)).chain(uncommented(facts))
}

/// Entries that a side made of comments by taking away the `#`, where the result has, too, what the other side made of the comments.
fn uncommented(facts: &Facts) -> impl Iterator<Item = Wrong> {
    let comments = comments_at_new_entries(facts);
    facts.new_entries.iter().filter_map(move |entry| {
        let (other, _, side) = SIDES.into_iter().find(|(tree, ..)| *tree != entry.tree)?;
        let same = comments.get(&(Some(entry.name), entry.below))?;
        let left = same[entry.tree].len();
        if same[BASE].len() <= left {
            return None;
        }
        if same[RESULT].len() > left {
            return same[other].iter().min().map(|at| Wrong::CommentTwice(side, *at));
        }
        // The other side may have given it another name.
        let new = comments.get(&(None, entry.below))?;
        if new[RESULT].is_empty() || same[other].len() >= same[BASE].len() {
            return None;
        }
        new[other].iter().min().map(|at| Wrong::CommentTwice(side, *at))
    })
}

/// Where the comments of each tree stand that would be entries without their `#`: by name and place, if a new entry has both, and,
/// without a name, all new ones at the place of a new entry.
fn comments_at_new_entries(facts: &Facts) -> HashMap<(Option<u64>, u32), [Vec<u32>; TREES]> {
    let mut found: HashMap<_, [Vec<u32>; TREES]> = HashMap::new();
    for entry in &facts.new_entries {
        found.entry((Some(entry.name), entry.below)).or_default();
        found.entry((None, entry.below)).or_default();
    }
    if found.is_empty() {
        return found;
    }
    for said in facts.comments.values() {
        let is_new = said[BASE].is_empty();
        for (tree, comment) in said.iter().enumerate().flat_map(|(tree, all)| all.iter().map(move |one| (tree, one))) {
            let (Some(name), Owner::Above(below)) = (comment.name, facts.owner_in(comment, tree, BASE)) else {
                continue;
            };
            for name in [Some(name)].into_iter().chain(is_new.then_some(None)) {
                if let Some(trees) = found.get_mut(&(name, below)) {
                    trees[tree].push(comment.span.start);
                }
            }
        }
    }
    found
}

/// The first comment that is not as it should be.
pub(super) fn first_wrong_comment(facts: &Facts, wanted: Wanted) -> Option<Wrong> {
    wrong_comments(facts, wanted).min_by_key(|wrong| match wrong {
        Wrong::CommentLost(side, at) | Wrong::CommentTwice(side, at) | Wrong::CommentAstray(side, at) => (*at, *side),
        Wrong::CommentBack(at) => (*at, Side::Base),
        _ => (0, Side::Base),
    })
}

/// Whether all trees have the same comments at the same things.
fn is_settled(said: &[Vec<Comment>; TREES]) -> bool {
    let places = |tree: &Vec<Comment>| tree.iter().map(|comment| (comment.owner, comment.behind)).collect::<Vec<_>>();
    let first = places(&said[BASE]);
    said[1..].iter().all(|tree| places(tree) == first)
}

/// The comments of all trees that say one thing.
struct Said<'f> {
    trees: &'f [Vec<Comment>; TREES],
    /// What the comments of a tree stand at, what another tree has not left out: in order, by tree and other tree.
    owners: [[Vec<Owner>; TREES]; TREES],
    /// What those that are set off stand behind, in the same way.
    behind: [[Vec<u32>; TREES]; TREES],
    facts: &'f Facts,
}

impl<'f> Said<'f> {
    fn of(trees: &'f [Vec<Comment>; TREES], facts: &'f Facts) -> Self {
        let owners = |tree: usize, other: usize| {
            let mut owners: Vec<Owner> =
                trees[tree].iter().map(|comment| facts.owner_in(comment, tree, other)).collect();
            owners.sort_unstable();
            owners
        };
        let behind = |tree: usize, other: usize| {
            let set_off = trees[tree].iter().filter(|comment| comment.is_set_off);
            let mut behind: Vec<u32> = set_off.map(|comment| facts.behind_in(comment, tree, other)).collect();
            behind.sort_unstable();
            behind
        };
        let owners = std::array::from_fn(|tree| std::array::from_fn(|other| owners(tree, other)));
        let behind = std::array::from_fn(|tree| std::array::from_fn(|other| behind(tree, other)));
        Self { trees, owners, behind, facts }
    }

    fn wrong(&self, wanted: Wanted) -> Option<Wrong> {
        self.lost(wanted).or_else(|| self.missing(wanted)).or_else(|| self.unwanted(wanted)).or_else(|| self.strayed())
    }

    /// A comment of all sides that the result has less often than both sides together left it, wherever it stands.
    fn lost(&self, wanted: Wanted) -> Option<Wrong> {
        let [base, ours, theirs, result] = self.trees.each_ref().map(Vec::len);
        let left = (ours + theirs).saturating_sub(base);
        let least = match wanted {
            Wanted::Both => ours.min(theirs),
            Wanted::Chosen(Side::Incoming) => theirs,
            Wanted::Chosen(_) => ours,
        };
        if result >= left.min(least).min(base) {
            return None;
        }
        self.trees[BASE].first().map(|first| Wrong::CommentLost(Side::Base, first.span.start))
    }

    /// A comment that a side added, or that nobody removed, and that the result has not there although what it stands at is.
    fn missing(&self, wanted: Wanted) -> Option<Wrong> {
        SIDES.into_iter().find_map(|(side, other, name)| {
            let is_chosen = wanted == Wanted::Both || wanted == Wanted::Chosen(name);
            let is_missing = |comment: &&Comment| {
                let is_new = !self.has(BASE, comment, side);
                (is_new && is_chosen || self.has(other, comment, side) && !self.each_removed_one(comment, side, other))
                    && !self.has(RESULT, comment, side)
                    && !self.facts.went_with_its_place(comment, side, is_new)
            };
            let missing = self.trees[side].iter().find(is_missing)?.span.start;
            let is_elsewhere = self.trees[RESULT].len() >= self.trees[side].len();
            Some(if is_elsewhere { Wrong::CommentAstray(name, missing) } else { Wrong::CommentLost(name, missing) })
        })
    }

    /// Whether the base has a comment of a side as often as both sides together, and in another block than the other side:
    /// each of them removed what the other left alone.
    fn each_removed_one(&self, comment: &Comment, side: usize, other: usize) -> bool {
        let times = |tree: usize| count(&self.owners[tree][side], self.facts.owner_in(comment, side, tree));
        let is_same = |known: &Comment| known.block == comment.block;
        times(side) + times(other) <= times(BASE) && !self.trees[other].iter().any(is_same)
    }

    /// A comment of the result that no side has there, or fewer times, or that a side removed.
    fn unwanted(&self, wanted: Wanted) -> Option<Wrong> {
        let [base, .., result] = self.trees.each_ref().map(Vec::len);
        let [ours, theirs] = [1, 2].map(|side| self.trees[side].len() + self.gone_with_places(side));
        if result > ours.max(theirs).max((ours + theirs).saturating_sub(base)) {
            return Some(self.of_nobody());
        }
        if wanted == Wanted::Both && SIDES.into_iter().any(|(side, other, _)| self.outlives_removal(side, other)) {
            return self.trees[BASE].first().map(|base| Wrong::CommentBack(base.span.start));
        }
        self.trees[RESULT].iter().find_map(|comment| {
            let mut from = SIDES.into_iter().filter(|(side, ..)| self.has(*side, comment, RESULT)).peekable();
            if from.peek().is_none() {
                return Some(self.of_nobody());
            }
            let times = count(&self.owners[RESULT][RESULT], comment.owner);
            if from.clone().all(|(side, ..)| times > self.count(side, comment, RESULT)) {
                return Some(self.of_nobody());
            }
            let is_removed = |(side, other, name): (usize, usize, Side)| {
                let other_name = if name == Side::Dest { Side::Incoming } else { Side::Dest };
                let counts = wanted == Wanted::Both || wanted == Wanted::Chosen(other_name);
                counts && self.was_removed(comment, side, other)
            };
            from.all(is_removed).then(|| match self.trees[BASE].first() {
                Some(base) => Wrong::CommentBack(base.span.start),
                None => self.of_nobody(),
            })
        })
    }

    /// Whether one side only moved comments, and the result has one that the other removed. What stands beside something goes with
    /// that.
    fn outlives_removal(&self, side: usize, other: usize) -> bool {
        let [moved, removed] = [&self.trees[side], &self.trees[other]];
        moved.len() == self.trees[BASE].len()
            && removed.len() < moved.len()
            && self.trees[RESULT].len() > removed.len()
            && moved.iter().all(|own| matches!(own.owner, Owner::Above(_)) && !self.facts.is_in_new_block(own))
    }

    /// How many comments of the base stand at what a side has not any more: if a person keeps that, they are there again, beside those
    /// that the side added elsewhere. One that the side still has above what is next is none of these.
    fn gone_with_places(&self, side: usize) -> usize {
        let is_gone = |comment: &&Comment| !self.facts.has_place(comment, side);
        let (above, beside): (Vec<&Comment>, Vec<&Comment>) =
            self.trees[BASE].iter().filter(is_gone).partition(|comment| matches!(comment.owner, Owner::Above(_)));
        if above.is_empty() {
            return beside.len();
        }
        let left = self.trees[side].iter().filter(|comment| matches!(comment.owner, Owner::Above(_)));
        let left: HashSet<u32> = left.map(|comment| self.facts.behind_in(comment, side, BASE)).collect();
        let is_left = |comment: &&Comment| left.contains(&self.facts.behind_in(comment, BASE, side));
        beside.len() + above.into_iter().filter(|comment| !is_left(comment)).count()
    }

    /// Whether a comment that the result has from a side is one that the other side removed, with the block that it is part of.
    fn was_removed(&self, comment: &Comment, side: usize, other: usize) -> bool {
        let owner = self.facts.owner_in(comment, RESULT, side);
        let mut same = self.trees[side].iter().filter(|own| self.facts.owner_in(own, side, RESULT) == owner);
        // Among entries that the base has not, it may stand elsewhere.
        let is_there = |own: &Comment| count(&self.owners[other][BASE], self.facts.owner_in(own, side, BASE)) > 0;
        same.all(|own| self.has(BASE, own, side) && !self.has(other, own, side) && !is_there(own))
            && (self.trees[other].len() < self.trees[BASE].len() || !self.is_in_changed_block(comment, side))
    }

    /// Whether a side has a comment in a block with a line that the base has not.
    fn is_in_changed_block(&self, comment: &Comment, side: usize) -> bool {
        let is_in = |tree: usize| self.trees[tree].iter().any(|known| known.block == comment.block);
        is_in(side) && !is_in(BASE) && self.facts.is_in_new_block(comment)
    }

    /// What is wrong with a comment of the result that comes from nowhere.
    fn of_nobody(&self) -> Wrong {
        let counts = self.trees.each_ref().map(Vec::len);
        let known = SIDES.into_iter().find_map(|(side, _, name)| Some((name, self.trees[side].first()?.span.start)));
        let base = self.trees[BASE].first().map(|comment| comment.span.start);
        match (known, base) {
            (Some((name, at)), _) if counts[RESULT] > counts[1].max(counts[2]) => Wrong::CommentTwice(name, at),
            (Some((name, at)), _) => Wrong::CommentAstray(name, at),
            (None, Some(at)) => Wrong::CommentBack(at),
            (None, None) => Wrong::New([None, None, None, self.trees[RESULT].first().map(|it| it.span.start)]),
        }
    }

    /// The only comment of all trees that stands behind one thing on all sides has nothing to move for.
    fn strayed(&self) -> Option<Wrong> {
        let behind = self.trees.each_ref().map(|tree| match tree[..] {
            [Comment { owner: Owner::Above(_), behind, .. }] => Some(behind),
            _ => None,
        });
        let [Some(base), Some(ours), Some(theirs), Some(result)] = behind else { return None };
        let at = self.trees[BASE].first()?.span.start;
        (base == ours && base == theirs && result != base).then_some(Wrong::CommentAstray(Side::Base, at))
    }

    /// Whether a tree has a comment of another one.
    fn has(&self, tree: usize, comment: &Comment, of: usize) -> bool {
        self.count(tree, comment, of) > 0
    }

    /// How many comments of a tree are one of another tree.
    fn count(&self, tree: usize, comment: &Comment, of: usize) -> usize {
        match count(&self.owners[tree][of], self.facts.owner_in(comment, of, tree)) {
            0 if comment.is_set_off => count(&self.behind[tree][of], self.facts.behind_in(comment, of, tree)),
            count => count,
        }
    }
}

/// How often something is in a list in order.
fn count<T: Copy + PartialOrd>(list: &[T], wanted: T) -> usize {
    list.partition_point(|other| *other <= wanted) - list.partition_point(|other| *other < wanted)
}
