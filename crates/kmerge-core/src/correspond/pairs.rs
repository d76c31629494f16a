//! Pairs two sets of things by a score, mostly how alike they are: nothing here knows what the things are.
//!
//! There are three ways. [`pair`] takes the best pair that is left, again and again. [`pair_clearly`] does so, too, but refuses to
//! choose between equals. [`pair_mutual`] takes only pairs of which each is the best for the other.

use std::cmp::Reverse;

/// The most pairs that are compared with each other; beyond, nothing is paired by likeness.
pub(crate) const MOST_PAIRS: usize = 10_000;

/// Two things that belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Pair<'t, T, S> {
    pub(crate) left: &'t T,
    pub(crate) right: &'t T,
    pub(crate) score: S,
}

/// Pairs everything that has a score, the highest first; equal scores go by position.
pub(crate) fn pair<'t, T, S: Ord + Copy>(
    left: &'t [T],
    right: &'t [T],
    score: impl Fn(&T, &T) -> Option<S>,
) -> Vec<Pair<'t, T, S>> {
    if are_too_many(left, right) {
        return Vec::new();
    }
    let mut free = Free::of(left, right);
    let scored = scored(left, right, score).into_iter();
    scored.filter(|found| free.take(found)).map(|found| found.of(left, right)).collect()
}

/// Pairs everything that has a score, the highest first, and refuses to choose between two of one score for a third: these two
/// are the error.
pub(crate) fn pair_clearly<'t, T, S: Ord + Copy>(
    left: &'t [T],
    right: &'t [T],
    score: impl Fn(&T, &T) -> Option<S>,
) -> Result<Vec<Pair<'t, T, S>>, [&'t T; 2]> {
    if are_too_many(left, right) {
        let several = if right.len() > 1 { right } else { left };
        return Err([&several[0], &several[1]]);
    }
    let mut free = Free::of(left, right);
    let mut pairs = Vec::new();
    let scored = scored(left, right, score);
    for (at, found) in scored.iter().enumerate() {
        if !free.has(found) {
            continue;
        }
        let mut equals = scored[at + 1..].iter().take_while(|other| other.score == found.score);
        if let Some(other) = equals.find(|other| free.has(other) && found.competes_with(other)) {
            return Err(found.rivals(other, left, right));
        }
        free.take(found);
        pairs.push(found.of(left, right));
    }
    Ok(pairs)
}

/// Pairs things of which each has a higher score with the other than with anything else.
pub(crate) fn pair_mutual<'t, T, S: Ord + Copy>(
    left: &'t [T],
    right: &'t [T],
    score: impl Fn(&T, &T) -> Option<S>,
) -> Vec<Pair<'t, T, S>> {
    if are_too_many(left, right) {
        return Vec::new();
    }
    let table: Vec<Vec<Option<S>>> = left.iter().map(|l| right.iter().map(|r| score(l, r)).collect()).collect();
    let best_left: Vec<Option<usize>> = (0..right.len()).map(|r| only_best(table.iter().map(|row| row[r]))).collect();
    let mutual = |(left_place, row): (usize, &Vec<Option<S>>)| {
        let right_place = only_best(row.iter().copied())?;
        let is_mutual = best_left[right_place] == Some(left_place);
        let pair = Pair { left: &left[left_place], right: &right[right_place], score: row[right_place]? };
        is_mutual.then_some(pair)
    };
    table.iter().enumerate().filter_map(mutual).collect()
}

/// The place of the score that is higher than all others.
fn only_best<S: Ord + Copy>(scores: impl Iterator<Item = Option<S>>) -> Option<usize> {
    let mut best = None;
    let mut only = None;
    for (place, score) in scores.enumerate() {
        if score > best {
            (best, only) = (score, Some(place));
        } else if score == best {
            only = None;
        }
    }
    only
}

fn are_too_many<T>(left: &[T], right: &[T]) -> bool {
    left.len().saturating_mul(right.len()) > MOST_PAIRS
}

/// Two things by their places, and their score.
struct Scored<S> {
    score: S,
    left: usize,
    right: usize,
}

impl<S: Copy> Scored<S> {
    fn of<'t, T>(&self, left: &'t [T], right: &'t [T]) -> Pair<'t, T, S> {
        Pair { left: &left[self.left], right: &right[self.right], score: self.score }
    }

    /// Whether two pairs have a thing in common.
    fn competes_with(&self, other: &Self) -> bool {
        self.left == other.left || self.right == other.right
    }

    /// The two things that want the one that both pairs have in common.
    fn rivals<'t, T>(&self, other: &Self, left: &'t [T], right: &'t [T]) -> [&'t T; 2] {
        if self.right == other.right {
            [&left[self.left], &left[other.left]]
        } else {
            [&right[self.right], &right[other.right]]
        }
    }
}

/// Every two things that have a score, the highest first.
fn scored<T, S: Ord + Copy>(left: &[T], right: &[T], score: impl Fn(&T, &T) -> Option<S>) -> Vec<Scored<S>> {
    let mut scored = Vec::new();
    for (l, left) in left.iter().enumerate() {
        let with_left = |(r, right): (usize, &T)| Some(Scored { score: score(left, right)?, left: l, right: r });
        scored.extend(right.iter().enumerate().filter_map(with_left));
    }
    scored.sort_by_key(|found| (Reverse(found.score), found.left, found.right));
    scored
}

/// Which things have no partner yet.
struct Free {
    left: Vec<bool>,
    right: Vec<bool>,
}

impl Free {
    fn of<T>(left: &[T], right: &[T]) -> Self {
        Self { left: vec![true; left.len()], right: vec![true; right.len()] }
    }

    fn has<S>(&self, found: &Scored<S>) -> bool {
        self.left[found.left] && self.right[found.right]
    }

    /// Makes partners of two things, if both are free.
    fn take<S>(&mut self, found: &Scored<S>) -> bool {
        let are_free = self.has(found);
        if are_free {
            (self.left[found.left], self.right[found.right]) = (false, false);
        }
        are_free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Looks a score up by two places; 0 is none.
    fn score(scores: [[u32; 2]; 2]) -> impl Fn(&usize, &usize) -> Option<u32> {
        move |l, r| Some(scores[*l][*r]).filter(|score| *score > 0)
    }

    fn places(pairs: Vec<Pair<'_, usize, u32>>) -> Vec<[usize; 2]> {
        pairs.into_iter().map(|pair| [*pair.left, *pair.right]).collect()
    }

    #[test]
    fn the_best_pairs_are_made_first() {
        for (scores, expected) in [
            ([[66, 10], [100, 0]], vec![[1, 0], [0, 1]]),
            ([[5, 5], [5, 5]], vec![[0, 0], [1, 1]]),
            ([[0, 0], [0, 2]], vec![[1, 1]]),
        ] {
            assert_eq!(places(pair(&[0, 1], &[0, 1], score(scores))), expected, "{scores:?}");
        }
    }

    #[test]
    fn what_is_equally_alike_is_not_chosen_from() {
        for (scores, expected) in [
            ([[2, 3], [2, 1]], Ok(vec![[0, 1], [1, 0]])),
            ([[3, 3], [2, 1]], Err([&0, &1])),
            ([[3, 1], [3, 2]], Err([&0, &1])),
            ([[0, 0], [0, 2]], Ok(vec![[1, 1]])),
        ] {
            assert_eq!(pair_clearly(&[0, 1], &[0, 1], score(scores)).map(places), expected, "{scores:?}");
        }
    }

    #[test]
    fn what_is_the_best_for_one_side_only_is_no_pair() {
        for (scores, expected) in [
            ([[3, 1], [1, 2]], vec![[0, 0], [1, 1]]),
            ([[3, 1], [2, 1]], vec![[0, 0]]),
            ([[3, 3], [1, 2]], vec![]),
            ([[3, 0], [3, 2]], vec![]),
        ] {
            assert_eq!(places(pair_mutual(&[0, 1], &[0, 1], score(scores))), expected, "{scores:?}");
        }
    }
}
