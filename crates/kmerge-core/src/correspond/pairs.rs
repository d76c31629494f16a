//! Pairs two sets of things by how alike they are, as numbers: nothing here knows what the things are.

/// The most pairs that are compared with each other; beyond, nothing is paired by likeness.
pub(crate) const MOST_PAIRS: usize = 10_000;

/// Pairs what is most alike, at least `least` percent, the best first; equal likeness goes by position.
pub(crate) fn pair(
    sizes: (usize, usize),
    least: u32,
    likeness: impl Fn(usize, usize) -> u32,
) -> Vec<(usize, usize, u32)> {
    if sizes.0.saturating_mul(sizes.1) > MOST_PAIRS {
        return Vec::new();
    }
    let (mut left_free, mut right_free) = (vec![true; sizes.0], vec![true; sizes.1]);
    let mut pairs = Vec::new();
    for (likeness, l, r) in scored(sizes, least, likeness) {
        if left_free[l] && right_free[r] {
            (left_free[l], right_free[r]) = (false, false);
            pairs.push((l, r, likeness));
        }
    }
    pairs
}

/// Two candidates that nothing tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tie {
    /// Two on the left.
    Left(usize, usize),
    /// Two on the right.
    Right(usize, usize),
}

/// Pairs everything that has a score, the highest first, and refuses to choose between two of one score for a third.
pub(crate) fn pair_clearly<S: Ord + Copy>(
    sizes: (usize, usize),
    score: impl Fn(usize, usize) -> Option<S>,
) -> Result<Vec<(usize, usize)>, Tie> {
    if sizes.0.saturating_mul(sizes.1) > MOST_PAIRS {
        return Err(if sizes.1 > 1 { Tie::Right(0, 1) } else { Tie::Left(0, 1) });
    }
    let all = (0..sizes.0).flat_map(|l| (0..sizes.1).map(move |r| (l, r)));
    let mut scored: Vec<(S, usize, usize)> = all.filter_map(|(l, r)| Some((score(l, r)?, l, r))).collect();
    scored.sort_by_key(|&(score, l, r)| (std::cmp::Reverse(score), l, r));
    let (mut left_free, mut right_free) = (vec![true; sizes.0], vec![true; sizes.1]);
    let mut pairs = Vec::new();
    for (at, &(score, l, r)) in scored.iter().enumerate() {
        if !left_free[l] || !right_free[r] {
            continue;
        }
        for &(_, other_l, other_r) in scored[at + 1..].iter().take_while(|rest| rest.0 == score) {
            match (other_l == l, other_r == r) {
                (true, false) if right_free[other_r] => return Err(Tie::Right(r, other_r)),
                (false, true) if left_free[other_l] => return Err(Tie::Left(l, other_l)),
                _ => {}
            }
        }
        (left_free[l], right_free[r]) = (false, false);
        pairs.push((l, r));
    }
    Ok(pairs)
}

/// Every pair that is alike enough, as (likeness, left, right), the most alike first.
fn scored(sizes: (usize, usize), least: u32, likeness: impl Fn(usize, usize) -> u32) -> Vec<(u32, usize, usize)> {
    let all = (0..sizes.0).flat_map(|l| (0..sizes.1).map(move |r| (l, r)));
    let mut scored: Vec<_> = all.map(|(l, r)| (likeness(l, r), l, r)).filter(|pair| pair.0 >= least).collect();
    scored.sort_by_key(|&(likeness, l, r)| (std::cmp::Reverse(likeness), l, r));
    scored
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_best_pairs_are_made_first() {
        let likeness = [[66, 10], [100, 0]];
        assert_eq!(pair((2, 2), 50, |l, r| likeness[l][r]), [(1, 0, 100)]);
    }

    #[test]
    fn what_is_equally_alike_is_not_chosen_from() {
        let clearly = |scores: [[u32; 2]; 2]| pair_clearly((2, 2), |l, r| Some(scores[l][r]).filter(|it| *it > 0));
        assert_eq!(clearly([[2, 3], [2, 1]]), Ok(vec![(0, 1), (1, 0)]));
        assert_eq!(clearly([[3, 3], [2, 1]]), Err(Tie::Right(0, 1)));
        assert_eq!(clearly([[3, 1], [3, 2]]), Err(Tie::Left(0, 1)));
        assert_eq!(clearly([[0, 0], [0, 2]]), Ok(vec![(1, 1)]));
    }
}
