//! Who comes first in a list of the result, and on the sides.
//!
//! Of neighbours in the result it is asked on every side that has both. What a side swapped has to be swapped in the result, too,
//! whatever stands between. Where turns count, what both sides put at one place has no order. Ignores things of which only the
//! place says what they are.

use std::cell::OnceCell;

use super::rows::{BASE, OURS, RESULT, Row, SIDES, THEIRS, Thing, mask};
use crate::correspond::{HALF, Sketch};
use crate::equal::same_text;
use crate::order::{Weight, keeps_swaps};

/// Who comes first in lists, where that is not so everywhere.
#[derive(Debug, Default)]
pub(super) struct Orders {
    pub(super) neighbours: Vec<Neighbours>,
    pub(super) swaps: Vec<Swaps>,
    /// Where something stands behind what the other side put at the same place, in lists where turns count.
    pub(super) met: Vec<u32>,
    /// Whether a side reordered a list in which something of the other strayed.
    pub(super) is_contested: bool,
}

impl Orders {
    /// Reads a list.
    pub(super) fn read(&mut self, rows: &[Row<Thing<'_>>], weight: Weight) {
        let list = List { rows, are_reordered: OnceCell::new(), around_new: OnceCell::new() };
        list.neighbours(weight == Weight::Free, &mut self.neighbours);
        if weight != Weight::Free {
            self.swaps.extend(list.swaps());
            self.is_contested |= list.is_contested();
        }
        if weight == Weight::Turns {
            self.met.extend(list.met());
        }
    }
}

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

/// Of a row, what stands before it and behind it.
type Around = [Option<usize>; 2];

/// A list in four trees.
struct List<'r, 't> {
    rows: &'r [Row<Thing<'t>>],
    /// Whether each side has what the base has in another order.
    are_reordered: OnceCell<[bool; 2]>,
    /// For each side and row, what is nearest and not new on the side.
    around_new: OnceCell<[Vec<Around>; 2]>,
}

impl List<'_, '_> {
    fn is_reordered(&self, side: usize) -> bool {
        self.are_reordered.get_or_init(|| SIDES.map(|side| is_reordered(self.rows.iter(), side)))[side - OURS]
    }

    /// Who comes first of neighbours in the result, where that is not so everywhere.
    fn neighbours(&self, is_free: bool, found: &mut Vec<Neighbours>) {
        for pair in self.in_order(RESULT).windows(2) {
            let [first, second] = [pair[0], pair[1]].map(|row| &self.rows[row]);
            let keeps = [BASE, OURS, THEIRS].map(|tree| Some(first[tree]?.start < second[tree]?.start));
            if !keeps.contains(&Some(false)) {
                continue;
            }
            let is_guess = |tree: usize| is_guess(first, tree) || is_guess(second, tree);
            let keeps = [BASE, OURS, THEIRS].map(|tree| if is_guess(tree) { None } else { keeps[tree] });
            // Beside what the other side moved, a new element of one side has no place of its own.
            let is_beside_moved = match keeps {
                [None, Some(_), None] => self.is_reordered(THEIRS),
                [None, None, Some(_)] => self.is_reordered(OURS),
                _ => false,
            };
            if let (Some(second), true) = (second[RESULT], keeps.contains(&Some(false)) && !is_beside_moved) {
                found.push(Neighbours { keeps, is_free, at: second.start });
            }
        }
    }

    /// Where the result has, one behind the other, what ours and theirs put between the same two things; it starts there.
    fn met(&self) -> Vec<u32> {
        let order = self.in_order(RESULT);
        let met = order.windows(2).filter(|pair| self.have_met(pair[0], pair[1]));
        met.filter_map(|pair| Some(self.rows[pair[1]][RESULT]?.start)).collect()
    }

    fn have_met(&self, row: usize, next: usize) -> bool {
        let (Some(side), Some(next_side)) = (self.side_of_new(row), self.side_of_new(next)) else { return false };
        if side == next_side {
            return false;
        }
        let around = self.around_new(side, row);
        let is_on_both = |row: &usize| SIDES.iter().all(|side| self.rows[*row][*side].is_some());
        around == self.around_new(next_side, next) && around.iter().flatten().all(is_on_both)
    }

    /// Which side alone has something that the result has. Of scalars, what the other side put there may be a neighbour as good as any.
    fn side_of_new(&self, row: usize) -> Option<usize> {
        let row = &self.rows[row];
        let is_scalar = || row.iter().flatten().any(|thing| thing.value.kind().is_scalar());
        SIDES.into_iter().find(|side| mask(row) == 1 << side | 1 << RESULT && !is_scalar())
    }

    fn around_new(&self, side: usize, row: usize) -> Around {
        let is_old = |side: usize| move |row: usize| mask(&self.rows[row]) & !(1 << RESULT) != 1 << side;
        self.around_new.get_or_init(|| SIDES.map(|side| self.around(side, is_old(side))))[side - OURS][row]
    }

    /// For each row, the nearest old ones in a tree's order.
    fn around(&self, tree: usize, is_old: impl Fn(usize) -> bool) -> Vec<Around> {
        let mut around = vec![[None, None]; self.rows.len()];
        let order = self.in_order(tree);
        let mut near = None;
        for row in &order {
            around[*row][0] = near;
            near = if is_old(*row) { Some(*row) } else { near };
        }
        near = None;
        for row in order.iter().rev() {
            around[*row][1] = near;
            near = if is_old(*row) { Some(*row) } else { near };
        }
        around
    }

    /// The rows that a tree has, by where it has them.
    fn in_order(&self, tree: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..self.rows.len()).filter(|row| self.rows[*row][tree].is_some()).collect();
        order.sort_by_key(|row| self.rows[*row][tree].map(|thing| thing.start));
        order
    }

    /// Whether the result has what each side swapped; `None` if it has.
    fn swaps(&self) -> Option<Swaps> {
        if !SIDES.into_iter().any(|side| self.is_reordered(side)) {
            return None;
        }
        let is_known =
            |row: &Row<Thing<'_>>| row.iter().all(Option::is_some) && !(0..RESULT).any(|tree| is_guess(row, tree));
        let known: Vec<bool> = self.rows.iter().map(is_known).collect();
        let [base, ours, theirs, result] = [BASE, OURS, THEIRS, RESULT].map(|tree| {
            let mut order = self.in_order(tree);
            order.retain(|row| known[*row]);
            order
        });
        let are_kept = [ours, theirs].map(|side| keeps_swaps(&result, &base, &side));
        let first = self.rows[*result.first()?][RESULT]?;
        are_kept.contains(&false).then_some(Swaps { are_kept, at: first.start })
    }

    /// Whether a side reordered a list in which the other put something in another place than between the things where it had put
    /// it. (Of what only its place tells, there is no order.)
    fn is_contested(&self) -> bool {
        let is_left = |row: &Row<Thing<'_>>, side: usize| match (row[BASE], row[side]) {
            (Some(base), Some(side)) => same_text(base.value, side.value),
            (base, side) => base.is_none() && side.is_none(),
        };
        let is_known = |row: &Row<Thing<'_>>, side: usize| {
            is_left(row, side) || ![row[BASE], row[side]].iter().flatten().any(|thing| thing.by_place)
        };
        let reorders = |side: usize| is_reordered(self.rows.iter().filter(|row| is_known(row, side)), side);
        match SIDES.map(reorders) {
            [true, true] => true,
            [ours, theirs] => ours && self.has_strayed(THEIRS) || theirs && self.has_strayed(OURS),
        }
    }

    /// Whether something that a side put into a list stands between other things of base and result than on that side.
    fn has_strayed(&self, side: usize) -> bool {
        let is_new = |row: &Row<Thing<'_>>| row[BASE].is_none() && row[side].is_some();
        if !self.rows.iter().any(is_new) {
            return false;
        }
        let is_old = |row: usize| self.rows[row][BASE].is_some() && self.rows[row][RESULT].is_some();
        let [own, result] = [side, RESULT].map(|tree| self.around(tree, is_old));
        (0..self.rows.len()).any(|row| is_new(&self.rows[row]) && own[row] != result[row])
    }
}

/// Whether only its place says that a thing of a tree is that of the result, and little in it is alike: then nothing tells who comes
/// first.
fn is_guess(row: &Row<Thing<'_>>, tree: usize) -> bool {
    let (Some(thing), Some(result)) = (row[tree], row[RESULT]) else { return false };
    let is_alike = || Sketch::of(thing.value).likeness(&Sketch::of(result.value)) >= HALF;
    (thing.by_place || result.by_place) && !is_alike()
}

/// Whether a tree has what the base has in another order.
fn is_reordered<'r, 't: 'r>(rows: impl Iterator<Item = &'r Row<Thing<'t>>>, tree: usize) -> bool {
    let mut places: Vec<_> = rows.filter_map(|row| Some((row[BASE]?.start, row[tree]?.start))).collect();
    places.sort();
    !places.is_sorted_by_key(|(_, place)| *place)
}
