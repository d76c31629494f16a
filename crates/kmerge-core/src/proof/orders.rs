//! Who comes first in a list of the result, and on the sides.
//!
//! Of neighbours in the result it is asked on every side that has both. What a side swapped has to be swapped in the result, too,
//! whatever stands between. Where turns count, what both sides put at one place has no order. Ignores things of which only the
//! place says what they are.

use std::cell::OnceCell;

use super::rows::{RESULT, Row, TREES, Thing, mask};
use crate::correspond::{HALF, Sketch};
use crate::equal::same_text;
use crate::order::keeps_swaps;

/// Of a row, all but the result.
const SIDES: u8 = 0b0111;
const NEW_IN_OURS: u8 = 0b1010;
const NEW_IN_THEIRS: u8 = 0b1100;

/// Two neighbours in a list of the result: who comes first on each side that has both.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbours {
    /// Whether the one that comes first in the result does so in base, ours and theirs.
    pub(super) keeps: [Option<bool>; 3],
    /// Whether the order of the list counts for what it is.
    pub(super) is_free: bool,
    /// Where the second stands in the result.
    pub(super) at: u32,
}

/// A list that a side reordered, and whether the result has all that it swapped: not only of what are neighbours there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Swaps {
    /// Of ours and of theirs.
    pub(super) are_kept: [bool; 2],
    /// Where the list starts in the result.
    pub(super) at: u32,
}

/// Who comes first of neighbours in the result, where that is not so everywhere.
pub(super) fn neighbours(rows: &[Row<Thing<'_>>], is_free: bool) -> Vec<Neighbours> {
    let mut orders = Vec::new();
    let mut result: Vec<&Row<Thing<'_>>> = rows.iter().filter(|row| row[3].is_some()).collect();
    result.sort_by_key(|row| row[3].map(|thing| thing.start));
    let moved = OnceCell::new();
    let is_moved = |other: usize| moved.get_or_init(|| [1, 2].map(|tree| is_reordered(rows, tree)))[other - 1];
    for pair in result.windows(2) {
        let keeps = [0, 1, 2].map(|tree| Some(pair[0][tree]?.start < pair[1][tree]?.start));
        if !keeps.contains(&Some(false)) {
            continue;
        }
        let is_guess = |tree: usize| pair.iter().any(|row| is_guess(row, tree));
        let keeps = [0, 1, 2].map(|tree| if is_guess(tree) { None } else { keeps[tree] });
        // Beside what the other side moved, a new element of one side has no place of its own.
        let other = match keeps {
            [None, Some(_), None] => Some(2),
            [None, None, Some(_)] => Some(1),
            _ => None,
        };
        let counts = keeps.contains(&Some(false)) && !other.is_some_and(is_moved);
        if let (Some(second), true) = (pair[1][3], counts) {
            orders.push(Neighbours { keeps, is_free, at: second.start });
        }
    }
    orders
}

/// Where the result has, one behind the other, what ours and theirs put between the same two things; it starts there. Of scalars,
/// what the other side put there may be a neighbour as good as any.
pub(super) fn met(rows: &[Row<Thing<'_>>]) -> Vec<u32> {
    let is_scalar = |row: &Row<Thing<'_>>| row.iter().flatten().any(|thing| thing.value.kind().is_scalar());
    let side_of_new = |row: usize| match mask(&rows[row]) {
        _ if is_scalar(&rows[row]) => None,
        NEW_IN_OURS => Some(1),
        NEW_IN_THEIRS => Some(2),
        _ => None,
    };
    let around = OnceCell::new();
    let is_old = |side: usize| move |row: usize| mask(&rows[row]) & SIDES != 1 << side;
    let around = |side: usize, row: usize| {
        around.get_or_init(|| [1, 2].map(|side| old_around(rows, side, is_old(side))))[side - 1][row]
    };
    let is_on_both = |row: &usize| [1, 2].iter().all(|tree| rows[*row][*tree].is_some());
    let have_met = |pair: &&[(u32, usize)]| match (side_of_new(pair[0].1), side_of_new(pair[1].1)) {
        (Some(one), Some(other)) if one != other => {
            let places = around(one, pair[0].1);
            places == around(other, pair[1].1) && places.iter().flatten().all(is_on_both)
        }
        _ => false,
    };
    in_order(rows, RESULT).windows(2).filter(have_met).map(|pair| pair[1].0).collect()
}

/// For each row, the nearest old ones in a tree's order, before and behind.
fn old_around(rows: &[Row<Thing<'_>>], tree: usize, is_old: impl Fn(usize) -> bool) -> Vec<[Option<usize>; 2]> {
    let mut around = vec![[None, None]; rows.len()];
    let order = in_order(rows, tree);
    let mut near = None;
    for (_, row) in &order {
        around[*row][0] = near;
        near = if is_old(*row) { Some(*row) } else { near };
    }
    near = None;
    for (_, row) in order.iter().rev() {
        around[*row][1] = near;
        near = if is_old(*row) { Some(*row) } else { near };
    }
    around
}

/// The rows that a tree has, by where it has them.
fn in_order(rows: &[Row<Thing<'_>>], tree: usize) -> Vec<(u32, usize)> {
    let start = |(at, row): (usize, &Row<Thing<'_>>)| Some((row[tree]?.start, at));
    let mut order: Vec<(u32, usize)> = rows.iter().enumerate().filter_map(start).collect();
    order.sort();
    order
}

/// Whether the result has what each side swapped; `None` if it has.
pub(super) fn swaps(rows: &[Row<Thing<'_>>]) -> Option<Swaps> {
    let is_known = |row: &&Row<Thing<'_>>| row.iter().all(Option::is_some);
    if ![1, 2].into_iter().any(|side| is_reordered(rows, side)) {
        return None;
    }
    let rows: Vec<&Row<Thing<'_>>> =
        rows.iter().filter(is_known).filter(|row| !(0..RESULT).any(|tree| is_guess(row, tree))).collect();
    let orders: [Vec<usize>; TREES] = std::array::from_fn(|tree| {
        let mut order: Vec<usize> = (0..rows.len()).collect();
        order.sort_by_key(|row| rows[*row][tree].map(|thing| thing.start));
        order
    });
    let are_kept = [1, 2].map(|side| keeps_swaps(&orders[RESULT], &orders[0], &orders[side]));
    let first = rows[*orders[RESULT].first()?][RESULT]?;
    are_kept.contains(&false).then_some(Swaps { are_kept, at: first.start })
}

/// Whether a side reordered a list in which the other put something in another place than between the things where it had put
/// it. (Of what only its place tells, there is no order.)
pub(super) fn is_contested(rows: &[Row<Thing<'_>>]) -> bool {
    let is_left = |row: &Row<Thing<'_>>, side: usize| match (row[0], row[side]) {
        (Some(base), Some(side)) => same_text(base.value, side.value),
        (base, side) => base.is_none() && side.is_none(),
    };
    let is_known = |row: &Row<Thing<'_>>, side: usize| {
        is_left(row, side) || ![row[0], row[side]].iter().flatten().any(|thing| thing.by_place)
    };
    let reorders = [1, 2].map(|side| {
        let known: Vec<Row<Thing<'_>>> = rows.iter().filter(|row| is_known(row, side)).copied().collect();
        is_reordered(&known, side)
    });
    match reorders {
        [false, false] => false,
        [true, true] => true,
        [true, false] => has_strayed(rows, 2),
        [false, true] => has_strayed(rows, 1),
    }
}

/// Whether something that a side put into a list stands between other things of base and result than on that side.
fn has_strayed(rows: &[Row<Thing<'_>>], side: usize) -> bool {
    let is_new = |row: &Row<Thing<'_>>| row[0].is_none() && row[side].is_some();
    if !rows.iter().any(is_new) {
        return false;
    }
    let is_old = |row: usize| rows[row][0].is_some() && rows[row][RESULT].is_some();
    let [own, result] = [side, RESULT].map(|tree| old_around(rows, tree, is_old));
    (0..rows.len()).any(|row| is_new(&rows[row]) && own[row] != result[row])
}

/// Whether only its place says that a thing of a tree is that of the result, and little in it is alike: then nothing tells who comes
/// first.
fn is_guess(row: &Row<Thing<'_>>, tree: usize) -> bool {
    let (Some(thing), Some(result)) = (row[tree], row[3]) else { return false };
    let is_alike = || Sketch::of(thing.value).likeness(&Sketch::of(result.value)) >= HALF;
    (thing.by_place || result.by_place) && !is_alike()
}

/// Whether a tree has what the base has in another order.
fn is_reordered(rows: &[Row<Thing<'_>>], tree: usize) -> bool {
    let mut places: Vec<_> = rows.iter().filter_map(|row| Some((row[0]?.start, row[tree]?.start))).collect();
    places.sort();
    !places.is_sorted_by_key(|(_, place)| *place)
}
