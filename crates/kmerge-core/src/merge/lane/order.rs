//! Brings tokens into the wanted order of their entries.

use hashbrown::{HashMap, HashSet};

use super::names::{Lane, unchanged};
use super::{Found, Lanes, Parts, What};
use crate::lines::Differ;
use crate::order::longest_increasing;
use crate::slots::{Side, Slots};

/// Entries that stand in the wanted order on all sides that have them, and entries that moved.
pub(super) struct Fixed {
    fixed: HashSet<usize>,
    /// By side: the tokens that move, which are entries and the lines directly above them.
    moving: Slots<HashSet<usize>>,
}

impl Fixed {
    pub(super) fn of(lanes: &Lanes<'_>, order: &[usize], differ: &mut Differ) -> Self {
        let is_in_all = |row: &&usize| Side::ALL.iter().all(|side| lanes.side(*side).places.contains_key(*row));
        let common = in_place(lanes, order.iter().filter(is_in_all).copied().collect());
        let common: HashSet<usize> = common.into_iter().collect();
        let rows = in_place(lanes, fitting(lanes, order, &common));
        let fixed: HashSet<usize> = rows.into_iter().collect();
        let moved: Vec<usize> = order.iter().copied().filter(|row| !fixed.contains(row)).collect();
        let moving = Slots::of(|side| Some(moving(lanes.side(side), &lanes.base, &moved, differ)));
        Self { fixed, moving }
    }

    /// Divides the lanes at each entry that all sides have at a fixed place and that is not in conflict. Each segment
    /// has the tokens up to that entry, and the rows that the result has there, with that entry.
    pub(super) fn segments<'o>(&self, lanes: &Lanes<'_>, order: &'o [usize]) -> Vec<(Parts, &'o [usize])> {
        let places = |row: usize| Side::ALL.map(|side| lanes.side(side).places.get(&row).copied());
        let is_common = |row: usize| {
            self.fixed.contains(&row) && places(row).iter().all(Option::is_some) && !lanes.disputed.contains_key(&row)
        };
        let mut next = [0, 0, 0];
        let mut segments = Vec::new();
        for rows in order.split_inclusive(|row| is_common(*row)) {
            let ends = rows.last().filter(|row| is_common(**row)).map(|row| places(*row));
            let mut parts = Parts::default();
            for (index, side) in Side::ALL.into_iter().enumerate() {
                let end = ends.and_then(|ends| ends[index]).unwrap_or(lanes.side(side).tokens.len());
                parts[index] = (next[index]..end).filter(|place| !self.moves(side, *place)).collect();
                next[index] = end + 1;
            }
            segments.push((parts, rows));
        }
        segments
    }

    fn moves(&self, side: Side, place: usize) -> bool {
        self.moving.get(side).is_some_and(|moving| moving.contains(&place))
    }

    /// The merged lines directly above an entry that moved.
    fn lead(&self, lanes: &Lanes<'_>, row: usize, differ: &mut Differ) -> Vec<Found> {
        let lead = |side: Side| {
            let lane = lanes.side(side);
            let place = lane.places.get(&row)?;
            Some(lane.lead(*place).filter(|above| self.moves(side, *above)).collect::<Vec<usize>>())
        };
        let token = |at: Slots<usize>| Found::Token(at);
        match [lead(Side::Dest), lead(Side::Base), lead(Side::Incoming)] {
            [Some(dest), base, Some(incoming)] => lanes.segment(&[dest, base.unwrap_or_default(), incoming], differ),
            [Some(dest), ..] => {
                dest.into_iter().map(|at| token(Slots { dest: Some(at), ..Slots::default() })).collect()
            }
            [_, _, incoming] => {
                let incoming = incoming.into_iter().flatten();
                incoming.map(|at| token(Slots { incoming: Some(at), ..Slots::default() })).collect()
            }
        }
    }

    /// Puts tokens into the order of `rows`. A line stays above the entry that it is found above. If entries move to between the
    /// two, [`Lanes::among`] says which of them the line stands above.
    pub(super) fn in_order(
        &self,
        lanes: &Lanes<'_>,
        mut found: Vec<Found>,
        rows: &[usize],
        differ: &mut Differ,
    ) -> Vec<Found> {
        // Lines that both sides have at the top stay at the top, whichever entry comes first.
        let first = found.iter().position(|found| lanes.row(found).is_some()).unwrap_or(0);
        let on_top = found[..first].iter().take_while(|found| self.is_on_top(found)).count();
        let mut above = lanes.above_rows(found.split_off(on_top), rows);
        let mut out = found;
        let mut moved: Vec<usize> = Vec::new();
        for row in rows {
            let Some(lines) = above.remove(row) else {
                moved.push(*row);
                continue;
            };
            let mut lines = lanes.among(&moved, *row, lines).into_iter();
            for (row, lines) in moved.drain(..).zip(&mut lines) {
                out.extend(lines);
                out.extend(self.lead(lanes, row, differ));
                out.push(lanes.entry(row));
            }
            out.extend(lines.flatten());
            out.push(lanes.entry(*row));
        }
        out
    }

    /// Whether both sides have a line, and no side has it directly below an entry that moved.
    fn is_on_top(&self, found: &Found) -> bool {
        let Found::Token(at) = found else { return false };
        let is_below_moved =
            |(side, place): (Side, &usize)| place.checked_sub(1).is_some_and(|it| self.moves(side, it));
        at.dest.is_some() && at.incoming.is_some() && !at.present().any(is_below_moved)
    }
}

/// The entries that move, with the lines directly above them. A line that the base has above another entry, and that
/// stayed there, does not move.
fn moving(lane: &Lane<'_>, base: &Lane<'_>, moved: &[usize], differ: &mut Differ) -> HashSet<usize> {
    let mut moving = HashSet::new();
    let mut kept: Option<HashSet<usize>> = None;
    for row in moved {
        let Some(place) = lane.places.get(row) else { continue };
        let own = base.places.get(row).map(|place| base.names_of(&base.lead(*place).collect::<Vec<_>>()));
        let mut is_own = |above: &usize| {
            let name = lane.names[*above];
            own.iter().flatten().any(|own| *own == name)
                || !base.names.contains(&name)
                || !kept.get_or_insert_with(|| kept_in(lane, base, differ)).contains(above)
        };
        moving.extend(lane.lead(*place).rev().take_while(&mut is_own));
        moving.insert(*place);
    }
    moving
}

/// The places of tokens that the side kept from the base.
fn kept_in(lane: &Lane<'_>, base: &Lane<'_>, differ: &mut Differ) -> HashSet<usize> {
    unchanged(&base.names, &lane.names, differ).into_iter().map(|(_, place)| place).collect()
}

/// The largest subset of rows that stand in this order on all sides.
fn in_place(lanes: &Lanes<'_>, rows: Vec<usize>) -> Vec<usize> {
    Side::ALL.into_iter().fold(rows, |rows, side| increasing(&rows, |row| lanes.side(side).places.get(row).copied()))
}

/// The common rows, and the rows that every side has between the same two common rows.
fn fitting(lanes: &Lanes<'_>, order: &[usize], common: &HashSet<usize>) -> Vec<usize> {
    let place = |side: Side, row: &usize| lanes.side(side).places.get(row).copied();
    let mut fits: HashSet<usize> = order.iter().copied().collect();
    for side in Side::ALL {
        let (mut above, mut below) = (0, usize::MAX);
        for row in order {
            let Some(at) = place(side, row) else { continue };
            above = if common.contains(row) { at } else { above };
            if at < above {
                fits.remove(row);
            }
        }
        for row in order.iter().rev() {
            let Some(at) = place(side, row) else { continue };
            below = if common.contains(row) { at } else { below };
            if at > below {
                fits.remove(row);
            }
        }
    }
    order.iter().copied().filter(|row| fits.contains(row)).collect()
}

/// The largest subset of rows whose places increase. Rows without a place are kept.
fn increasing(rows: &[usize], place: impl Fn(&usize) -> Option<usize>) -> Vec<usize> {
    let known: Vec<usize> = rows.iter().filter_map(&place).collect();
    let mut stays = longest_increasing(&known).into_iter();
    rows.iter().filter(|row| place(row).is_none() || stays.next() == Some(true)).copied().collect()
}

impl Lanes<'_> {
    /// The lines found above each of `rows`. The last row also gets the lines found below all entries.
    fn above_rows(&self, found: Vec<Found>, rows: &[usize]) -> HashMap<usize, Vec<Found>> {
        let wanted: HashSet<usize> = rows.iter().copied().collect();
        let mut above: HashMap<usize, Vec<Found>> = HashMap::new();
        let mut waiting = Vec::new();
        for found in found {
            match self.row(&found) {
                Some(row) if wanted.contains(&row) => {
                    // Each side may have the entry at another place. A line that both have above it is written once.
                    let lines = above.entry(row).or_default();
                    let known: Vec<Option<u32>> = lines.iter().map(|line| self.name(line)).collect();
                    lines.extend(waiting.drain(..).filter(|line| !known.contains(&self.name(line))));
                }
                Some(_) => {}
                None => waiting.push(found),
            }
        }
        if let Some(last) = rows.last() {
            above.entry(*last).or_default().append(&mut waiting);
        }
        above
    }

    /// Divides the `lines` found above `row`, where `moved` entries come directly above `row`: first the lines above each moved
    /// entry, then the rest. The order of the lines does not change.
    fn among(&self, moved: &[usize], row: usize, lines: Vec<Found>) -> Vec<Vec<Found>> {
        let mut parts: Vec<Vec<Found>> = moved.iter().map(|_| Vec::new()).collect();
        parts.push(Vec::new());
        if moved.is_empty() {
            return vec![lines];
        }
        let numbers: HashMap<usize, usize> = moved.iter().enumerate().map(|(number, row)| (*row, number)).collect();
        let (mut places, mut last) = (Vec::with_capacity(lines.len()), 0);
        for line in &lines {
            last = self.place_among(&numbers, row, line).unwrap_or(last);
            places.push(last);
        }
        for (line, place) in lines.into_iter().zip(&places).rev() {
            last = last.min(*place);
            parts[last].push(line);
        }
        parts.iter_mut().for_each(|part| part.reverse());
        parts
    }

    /// The number of the `moved` entry that a line belongs above, by the next entries above and below the line. A line directly
    /// above `row`, or at the end of the lane, belongs behind all of them. `None` if these entries do not say it.
    fn place_among(&self, moved: &HashMap<usize, usize>, row: usize, line: &Found) -> Option<usize> {
        let (side, place) = self.decisive(line)?;
        let lane = self.side(side);
        let [above, below] = lane.neighbours(place);
        let found = |row: Option<usize>| moved.get(&row?).copied();
        let is_bound = lane.leads[place] == Some(row) || below == Some(row) && lane.is_last(row);
        let behind = if is_bound { Some(moved.len()) } else { found(above).map(|place| place + 1) };
        found(below).or(behind)
    }

    /// The side that decides where a line stands: the one that changed what is around the line, else the destination.
    fn decisive(&self, line: &Found) -> Option<(Side, usize)> {
        let at = match line {
            Found::Token(at) => *at,
            Found::BothChanged { lines, .. } => lines.as_ref().filter_map(|lines| lines.first().copied()),
        };
        let around = |side: Side| Some(self.side(side).neighbours(*at.get(side)?));
        let is_incoming = at.dest.is_none() || at.incoming.is_some() && around(Side::Dest) == around(Side::Base);
        let side = if is_incoming { Side::Incoming } else { Side::Dest };
        Some((side, *at.get(side)?))
    }

    /// The token of an entry, from all sides that have it.
    pub(super) fn entry(&self, row: usize) -> Found {
        Found::Token(Slots::of(|side| self.side(side).places.get(&row).copied()))
    }

    fn name(&self, found: &Found) -> Option<u32> {
        let Found::Token(at) = found else { return None };
        at.present().next().map(|(side, place)| self.side(side).names[*place])
    }

    fn row(&self, found: &Found) -> Option<usize> {
        let Found::Token(at) = found else { return None };
        let mut rows = at.present().map(|(side, place)| self.side(side).tokens[*place].what);
        rows.find_map(|what| if let What::Entry(row) = what { Some(row) } else { None })
    }
}
