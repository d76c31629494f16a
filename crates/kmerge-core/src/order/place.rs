//! How an order is reached from the one that the destination has: what moves, and what comes behind what.

use super::longest_increasing;
use crate::policy::ListOrder;
use hashbrown::HashSet;

/// The fewest tokens that have to move so that `from` gets the order of `to`, which has all of them; those in `fixed` cannot.
/// `None` where that is impossible.
pub(crate) fn moved(from: &[usize], to: &[usize], fixed: &HashSet<usize>) -> Option<Vec<usize>> {
    let ranks = super::places(to);
    let ranks: Vec<usize> = from.iter().map(|token| ranks[token]).collect();
    if ranks.is_sorted() {
        return Some(Vec::new());
    }
    let is_fixed: Vec<bool> = from.iter().map(|token| fixed.contains(token)).collect();
    let may_stay = may_stay(&ranks, &is_fixed);
    if is_fixed.iter().zip(&may_stay).any(|(is_fixed, may_stay)| *is_fixed && !may_stay) {
        return None;
    }
    let candidates: Vec<usize> = (0..from.len()).filter(|index| may_stay[*index]).collect();
    let stays = longest_increasing(&candidates.iter().map(|index| ranks[*index]).collect::<Vec<_>>());
    let mut moves = vec![true; from.len()];
    candidates.into_iter().zip(stays).for_each(|(index, stays)| moves[index] = !stays);
    Some(from.iter().zip(moves).filter(|(_, moves)| *moves).map(|(token, _)| *token).collect())
}

/// Which tokens stand on the same side of all fixed ones as before.
fn may_stay(ranks: &[usize], is_fixed: &[bool]) -> Vec<bool> {
    let mut may_stay = Vec::with_capacity(ranks.len());
    let (mut highest, mut lowest) = (None, &usize::MAX);
    for (rank, is_fixed) in ranks.iter().zip(is_fixed) {
        may_stay.push(highest.is_none_or(|highest| rank > highest));
        if *is_fixed {
            highest = highest.max(Some(rank));
        }
    }
    for (may_stay, (rank, is_fixed)) in may_stay.iter_mut().zip(ranks.iter().zip(is_fixed)).rev() {
        *may_stay &= rank < lowest;
        if *is_fixed {
            lowest = lowest.min(rank);
        }
    }
    may_stay
}

/// What each of some tokens that come goes behind (`None`: before all), in the order in which they are to be inserted.
pub(crate) fn anchors(
    order: &[usize],
    stays: impl Fn(usize) -> bool,
    comes: impl Fn(usize) -> bool,
) -> Vec<(usize, Option<usize>)> {
    let (mut anchor, mut places) = (None, Vec::new());
    for &token in order {
        if comes(token) {
            places.push((token, anchor));
        } else if stays(token) {
            anchor = Some(token);
        }
    }
    places
}

/// An order in which what is new has the place that `list_order` wants for it.
pub(crate) fn with_new(order: &[usize], list_order: ListOrder, is_new: impl Fn(usize) -> bool) -> Vec<usize> {
    let (new, old): (Vec<usize>, Vec<usize>) = order.iter().partition(|token| is_new(**token));
    match list_order {
        ListOrder::Neighbour => order.to_vec(),
        ListOrder::Append => [old, new].concat(),
        ListOrder::Prepend => [new, old].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fixed(tokens: &[usize]) -> HashSet<usize> {
        tokens.iter().copied().collect()
    }

    #[test]
    fn as_few_as_possible_move() {
        assert_eq!(moved(&[1, 2, 3], &[1, 2, 3], &fixed(&[])), Some(vec![]));
        assert_eq!(moved(&[1, 2, 3, 4], &[4, 1, 2, 3], &fixed(&[])), Some(vec![4]));
        assert_eq!(moved(&[1, 2, 3, 4], &[4, 1, 2, 3], &fixed(&[4])), Some(vec![1, 2, 3]));
        assert_eq!(moved(&[1, 2], &[2, 1], &fixed(&[1, 2])), None);
    }

    #[test]
    fn newcomers_follow_what_stays() {
        let places = anchors(&[5, 1, 6, 7, 2, 3], |token| token < 3, |token| token > 4);
        assert_eq!(places, [(5, None), (6, Some(1)), (7, Some(1))]);
        assert_eq!(with_new(&[5, 1, 2], ListOrder::Append, |token| token > 4), [1, 2, 5]);
        assert_eq!(with_new(&[1, 5, 2], ListOrder::Prepend, |token| token > 4), [5, 1, 2]);
    }
}
