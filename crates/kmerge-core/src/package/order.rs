//! The order of the pieces of a file or list: the destination's, new ones beside their neighbours.

use std::collections::{HashMap, HashSet};

/// Puts `arriving` among `kept`.
///
/// `incoming` is the order of the incoming side, which holds all of `arriving` and some of `kept`: each newcomer goes after
/// its nearest preceding sibling there that is kept, else before the nearest following one, else last.
pub(super) fn arrange(kept: &[usize], arriving: &HashSet<usize>, incoming: &[usize]) -> Vec<usize> {
    let is_kept: HashSet<usize> = kept.iter().copied().collect();
    let mut before: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut after: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut waiting = Vec::new();
    let mut anchor = None;
    for &row in incoming {
        if is_kept.contains(&row) {
            before.entry(row).or_default().append(&mut waiting);
            anchor = Some(row);
        } else if arriving.contains(&row) {
            match anchor {
                Some(anchor) => after.entry(anchor).or_default().push(row),
                None => waiting.push(row),
            }
        }
    }
    let mut order = Vec::with_capacity(kept.len() + arriving.len());
    for &row in kept {
        order.extend(before.remove(&row).unwrap_or_default());
        order.push(row);
        order.extend(after.remove(&row).unwrap_or_default());
    }
    order.extend(waiting);
    order
}

/// The kept pieces in the incoming order where only the incoming side changed it; other pieces stay at their places.
pub(super) fn reorder(kept: &[usize], base: &[usize], incoming: &[usize]) -> Vec<usize> {
    let in_incoming: HashSet<usize> = incoming.iter().copied().collect();
    let in_base: HashSet<usize> = base.iter().copied().collect();
    let common: HashSet<usize> =
        kept.iter().copied().filter(|row| in_base.contains(row) && in_incoming.contains(row)).collect();
    let only_common = |order: &[usize]| order.iter().copied().filter(|row| common.contains(row)).collect::<Vec<_>>();
    let (of_dest, of_base, of_incoming) = (only_common(kept), only_common(base), only_common(incoming));
    if of_dest != of_base || of_dest == of_incoming {
        return kept.to_vec();
    }
    let mut next = of_incoming.into_iter();
    kept.iter().map(|row| if common.contains(row) { next.next().unwrap_or(*row) } else { *row }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(kept: &[usize], arriving: &[usize], incoming: &[usize]) -> Vec<usize> {
        arrange(kept, &arriving.iter().copied().collect(), incoming)
    }

    #[test]
    fn newcomers_stand_beside_their_neighbours() {
        assert_eq!(arranged(&[1, 2, 9], &[5], &[1, 5, 2]), [1, 5, 2, 9]);
        assert_eq!(arranged(&[9, 1], &[5, 6], &[5, 6, 1]), [9, 5, 6, 1]);
        assert_eq!(arranged(&[9], &[5, 6], &[5, 6]), [9, 5, 6]);
        assert_eq!(arranged(&[], &[5], &[5]), [5]);
        assert_eq!(arranged(&[1, 2], &[5, 6], &[1, 5, 3, 6, 2]), [1, 5, 6, 2]);
    }

    #[test]
    fn a_new_order_is_taken_where_the_destination_kept_the_old_one() {
        assert_eq!(reorder(&[1, 9, 2, 3], &[1, 2, 3], &[3, 1, 2]), [3, 9, 1, 2]);
        assert_eq!(reorder(&[2, 1], &[1, 2], &[1, 2]), [2, 1]);
        assert_eq!(reorder(&[2, 1, 3], &[1, 2, 3], &[3, 2, 1]), [2, 1, 3]);
    }
}
