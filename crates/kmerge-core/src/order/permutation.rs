//! Orders of the same tokens: what two of them have in common.
//!
//! An order can be seen as the set of pairs that it swaps in another order. Two sets of swaps together make an order if they give
//! each token another place. The place is the sum of how far each set moves the token. Nothing here is quadratic.

use hashbrown::HashMap;

/// The order that has the swaps of both orders against `was`; `None` where both swapped the same two tokens, or there is none.
pub(super) fn combined(ours: &[usize], was: &[usize], theirs: &[usize]) -> Option<Vec<usize>> {
    let are_apart = swaps(was, ours) + swaps(was, theirs) == swaps(ours, theirs);
    if are_apart { placed(was, [(ours, 1), (theirs, 1)]) } else { None }
}

/// Whether `order` is `moved` with other moves, which would be an order without it: then it lacks nothing of it.
pub(super) fn contains_moves(order: &[usize], was: &[usize], moved: &[usize]) -> bool {
    keeps_swaps(order, was, moved) && placed(was, [(order, 1), (moved, -1)]).is_some()
}

/// Whether `order` has all the swaps of `moved` against `was`.
pub(crate) fn keeps_swaps(order: &[usize], was: &[usize], moved: &[usize]) -> bool {
    swaps(was, moved) + swaps(moved, order) == swaps(was, order)
}

/// The tokens, moved from their places in `was` as far as each of the orders moves them (1) or back (-1); `None` where two tokens get
/// one place.
fn placed(was: &[usize], moves: [(&[usize], isize); 2]) -> Option<Vec<usize>> {
    let mut places: HashMap<usize, isize> =
        was.iter().enumerate().map(|(place, token)| (*token, place as isize)).collect();
    let start = places.clone();
    for (order, way) in moves {
        for (place, token) in order.iter().enumerate() {
            *places.get_mut(token)? += way * (place as isize - start[token]);
        }
    }
    let mut order = vec![None; was.len()];
    for (token, place) in places {
        let slot = usize::try_from(place).ok().and_then(|place| order.get_mut(place))?;
        if slot.replace(token).is_some() {
            return None;
        }
    }
    order.into_iter().collect()
}

/// How many pairs of tokens stand the other way round in another order of them.
fn swaps(one: &[usize], other: &[usize]) -> usize {
    let rank: HashMap<usize, usize> = one.iter().enumerate().map(|(place, token)| (*token, place)).collect();
    // A binary indexed tree counts how many of the tokens so far have a rank up to some other.
    let mut counts = vec![0_usize; one.len() + 1];
    let mut swaps = 0;
    for (seen, rank) in other.iter().filter_map(|token| rank.get(token)).enumerate() {
        let (mut at, mut lower) = (*rank, 0);
        while at > 0 {
            lower += counts[at];
            at &= at - 1;
        }
        swaps += seen - lower;
        at = rank + 1;
        while at < counts.len() {
            counts[at] += 1;
            at += at & at.wrapping_neg();
        }
    }
    swaps
}

/// Whether each value is in a longest increasing subsequence, always the same one.
pub(crate) fn longest_increasing(values: &[usize]) -> Vec<bool> {
    if values.is_sorted_by(|a, b| a < b) {
        return vec![true; values.len()];
    }
    let mut tails: Vec<usize> = Vec::new();
    let mut previous = vec![None; values.len()];
    for (index, value) in values.iter().enumerate() {
        let length = tails.partition_point(|&tail| values[tail] < *value);
        previous[index] = length.checked_sub(1).map(|before| tails[before]);
        if length == tails.len() { tails.push(index) } else { tails[length] = index }
    }
    let mut stays = vec![false; values.len()];
    let mut next = tails.last().copied();
    while let Some(index) = next {
        stays[index] = true;
        next = previous[index];
    }
    stays
}

#[cfg(test)]
mod tests {
    use hashbrown::HashSet;

    use super::*;

    #[test]
    fn swapped_pairs_are_counted() {
        assert_eq!(swaps(&[1, 2, 3], &[1, 2, 3]), 0);
        assert_eq!(swaps(&[1, 2, 3, 4], &[4, 3, 2, 1]), 6);
        assert_eq!(swaps(&[7, 8, 9], &[9, 7, 8]), 2);
    }

    #[test]
    fn longest_increasing_keeps_the_most() {
        assert_eq!(longest_increasing(&[2, 0, 1, 3]), [false, true, true, true]);
        assert_eq!(longest_increasing(&[3, 2, 1]), [false, false, true]);
        assert_eq!(longest_increasing(&[1, 2, 4]), [true; 3]);
        assert!(longest_increasing(&[]).is_empty());
    }

    /// All orders of `count` tokens.
    fn orders(count: usize) -> Vec<Vec<usize>> {
        let mut all = vec![Vec::new()];
        for token in 0..count {
            let with = |order: &Vec<usize>| {
                (0..=order.len()).map(|at| [&order[..at], &[token], &order[at..]].concat()).collect::<Vec<_>>()
            };
            all = all.iter().flat_map(with).collect();
        }
        all
    }

    /// By the definition: pairs that either swapped are swapped, and no pair by both.
    #[test]
    fn what_is_combined_has_all_swaps() {
        let was: Vec<usize> = (0..4).collect();
        let pairs = |order: &[usize]| -> HashSet<(usize, usize)> {
            let place = |token| order.iter().position(|other| *other == token);
            (0..4).flat_map(|b| (0..b).map(move |a| (a, b))).filter(|(a, b)| place(*a) > place(*b)).collect()
        };
        for ours in orders(4) {
            for theirs in orders(4) {
                let both: HashSet<_> = pairs(&ours).union(&pairs(&theirs)).copied().collect();
                let is_apart = pairs(&ours).is_disjoint(&pairs(&theirs));
                let wanted = orders(4).into_iter().find(|order| is_apart && pairs(order) == both);
                assert_eq!(combined(&ours, &was, &theirs), wanted, "{ours:?} {theirs:?}");
                let rest: HashSet<_> = pairs(&ours).difference(&pairs(&theirs)).copied().collect();
                let has_rest = orders(4).into_iter().any(|order| pairs(&order) == rest);
                let holds = pairs(&ours).is_superset(&pairs(&theirs)) && has_rest;
                assert_eq!(contains_moves(&ours, &was, &theirs), holds, "{ours:?} {theirs:?}");
            }
        }
    }
}
