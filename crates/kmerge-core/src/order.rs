//! Where entries go that the destination does not have, and which of its own move.
//!
//! The order is the destination's. An upstream reordering is taken where the destination kept the base's order.

use std::collections::{HashMap, HashSet};

use crate::align::Aligned;
use crate::policy::ListOrder;
use crate::slots::Slots;

/// How new entries find their place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Placement {
    pub(crate) order: ListOrder,
    /// Entries that the destination added behind the same neighbour come first.
    pub(crate) dest_first: bool,
}

/// What of the destination's the rows in `added` (indices) go behind (`None`: before all of it), in the order in which they
/// are to be inserted.
pub(crate) fn positions<T: Copy>(
    aligned: &Aligned<T>,
    added: &HashSet<usize>,
    gone: &HashSet<usize>,
    placement: Placement,
) -> Vec<(usize, Option<T>)> {
    let dest: Vec<T> = aligned.rows.iter().map_while(|slots| slots.dest).collect();
    let in_order = aligned.incoming_order.iter().copied().filter(|row| added.contains(row));
    match placement.order {
        ListOrder::Append => in_order.map(|row| (row, dest.last().copied())).collect(),
        ListOrder::Prepend => in_order.map(|row| (row, None)).collect(),
        ListOrder::Neighbour => {
            let dest_first = placement.dest_first;
            let mut places = Neighbours { aligned, dest: &dest, gone, dest_first, out: Vec::new() };
            places.place_all(added);
            places.out
        }
    }
}

struct Neighbours<'a, T> {
    aligned: &'a Aligned<T>,
    dest: &'a [T],
    gone: &'a HashSet<usize>,
    dest_first: bool,
    out: Vec<(usize, Option<T>)>,
}

impl<T: Copy> Neighbours<'_, T> {
    fn place_all(&mut self, added: &HashSet<usize>) {
        let mut anchor: Option<usize> = None;
        let mut place = None;
        let mut waiting = Vec::new();
        for &row in &self.aligned.incoming_order {
            if added.contains(&row) {
                match anchor {
                    Some(anchor) => {
                        let place = *place.get_or_insert_with(|| self.after(anchor));
                        self.out.push((row, Some(place)));
                    }
                    None => waiting.push(row),
                }
            } else if self.aligned.rows[row].dest.is_some() && !self.gone.contains(&row) {
                (anchor, place) = (Some(row), None);
                let before = row.checked_sub(1).map(|index| self.dest[index]);
                self.out.extend(waiting.drain(..).map(|row| (row, before)));
            }
        }
        let last = self.dest.last().copied();
        self.out.extend(waiting.into_iter().map(|row| (row, last)));
    }

    /// Rows with a destination entry come first and in its order, so that a row's index is its place there.
    fn after(&self, row: usize) -> T {
        let mut index = row;
        if self.dest_first {
            let is_new = |slots: &Slots<T>| slots.base.is_none() && slots.incoming.is_none();
            while self.aligned.rows.get(index + 1).is_some_and(|next| next.dest.is_some() && is_new(next)) {
                index += 1;
            }
        }
        self.dest[index]
    }
}

/// Rows that have to move so that the destination follows the incoming side's new order; empty where it must not.
pub(crate) fn moved<T>(aligned: &Aligned<T>, base_order: &[usize], gone: &HashSet<usize>) -> Vec<usize> {
    let is_common = |row: &usize| {
        let slots = &aligned.rows[*row];
        slots.dest.is_some() && slots.base.is_some() && slots.incoming.is_some() && !gone.contains(row)
    };
    let incoming: Vec<usize> = aligned.incoming_order.iter().copied().filter(is_common).collect();
    let base: Vec<usize> = base_order.iter().copied().filter(is_common).collect();
    let dest: Vec<usize> = (0..aligned.rows.len()).filter(is_common).collect();
    if dest == incoming || dest != base {
        return Vec::new();
    }
    unlike(dest, &incoming)
}

/// Rows that have to move so that what destination and incoming side share has the incoming side's order.
pub(crate) fn out_of_order<T>(aligned: &Aligned<T>, gone: &HashSet<usize>) -> Vec<usize> {
    let is_common = |row: &usize| {
        let slots = &aligned.rows[*row];
        slots.dest.is_some() && slots.incoming.is_some() && !gone.contains(row)
    };
    let incoming: Vec<usize> = aligned.incoming_order.iter().copied().filter(is_common).collect();
    unlike((0..aligned.rows.len()).filter(is_common).collect(), &incoming)
}

/// The fewest of some rows that have to move into a new order.
fn unlike(dest: Vec<usize>, incoming: &[usize]) -> Vec<usize> {
    let mut rank = HashMap::new();
    incoming.iter().enumerate().for_each(|(place, &row)| _ = rank.insert(row, place));
    let stays = longest_increasing(&dest.iter().map(|&row| rank[&row]).collect::<Vec<_>>());
    dest.into_iter().enumerate().filter(|(index, _)| !stays.contains(index)).map(|(_, row)| row).collect()
}

/// Indices of a longest increasing subsequence.
pub(crate) fn longest_increasing(values: &[usize]) -> HashSet<usize> {
    let mut tails: Vec<usize> = Vec::new();
    let mut previous = vec![None; values.len()];
    for (index, value) in values.iter().enumerate() {
        let length = tails.partition_point(|&tail| values[tail] < *value);
        previous[index] = length.checked_sub(1).map(|before| tails[before]);
        if length == tails.len() { tails.push(index) } else { tails[length] = index }
    }
    let mut stays = HashSet::new();
    let mut next = tails.last().copied();
    while let Some(index) = next {
        stays.insert(index);
        next = previous[index];
    }
    stays
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_increasing_keeps_the_most() {
        assert_eq!(longest_increasing(&[2, 0, 1, 3]).len(), 3);
        assert_eq!(longest_increasing(&[3, 2, 1]).len(), 1);
        assert!(longest_increasing(&[]).is_empty());
    }
}
