//! Brings tokens into the wanted order of their entries.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};

use super::names::{Lane, unchanged};
use super::{Found, Lanes, Parts, What};
use crate::lines::Differ;
use crate::order::longest_increasing;
use crate::slots::{Side, Slots};

/// The part of the lanes up to an entry that all sides have at a fixed place and that is not in conflict, or up to the end.
pub(super) struct Segment<'o> {
    pub(super) parts: Parts,
    /// The rows that the result has there. The last one is that entry, if there is one.
    pub(super) rows: &'o [usize],
    /// The row above them.
    above: Option<usize>,
}

/// Entries that stand in the wanted order on all sides that have them, and entries that moved.
pub(super) struct Fixed {
    fixed: HashSet<usize>,
    /// By side: the tokens that move, which are entries and the lines above them.
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
        let moved: Vec<Moved> = moved.into_iter().map(|row| Moved { row, heading: lanes.heading(row) }).collect();
        let moving = Slots::of(|side| Some(moving(lanes.side(side), &lanes.base, &moved, differ)));
        Self { fixed, moving }
    }

    /// Divides the lanes into segments.
    pub(super) fn segments<'o>(&self, lanes: &Lanes<'_>, order: &'o [usize]) -> Vec<Segment<'o>> {
        let (mut next, mut above) = ([0, 0, 0], None);
        let mut segments = Vec::new();
        for rows in order.split_inclusive(|row| self.ends_segment(lanes, *row).is_some()) {
            let ends = rows.last().and_then(|row| self.ends_segment(lanes, *row));
            let mut parts = Parts::default();
            for (index, side) in Side::ALL.into_iter().enumerate() {
                let end = ends.map_or(lanes.side(side).tokens.len(), |ends| ends[index]);
                parts[index] = (next[index]..end).filter(|place| !self.moves(side, *place)).collect();
                next[index] = end + 1;
            }
            segments.push(Segment { parts, rows, above });
            above = rows.last().copied();
        }
        segments
    }

    /// The places of an entry at the end of a segment.
    fn ends_segment(&self, lanes: &Lanes<'_>, row: usize) -> Option<[usize; 3]> {
        if !self.fixed.contains(&row) || lanes.disputed.contains_key(&row) {
            return None;
        }
        Slots::of(|side| lanes.side(side).places.get(&row).copied()).all()
    }

    fn moves(&self, side: Side, place: usize) -> bool {
        self.moving.get(side).is_some_and(|moving| moving.contains(&place))
    }

    /// The merged lines that moved with an entry.
    fn lead(&self, lanes: &Lanes<'_>, row: usize, differ: &mut Differ) -> Vec<Found> {
        let lead = |side: Side| {
            let lane = lanes.side(side);
            let place = lane.places.get(&row)?;
            let above = (0..*place).rev().take_while(|above| lane.is_line(*above) && self.moves(side, *above));
            Some(above.last().map_or_else(Vec::new, |first| (first..*place).collect::<Vec<usize>>()))
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

    /// Puts the tokens of a segment into the order of its rows. A line stays above the entry that it is found above. If entries move
    /// to between the two, [`Lanes::among`] says which of them the line stands above.
    pub(super) fn in_order(
        &self,
        lanes: &Lanes<'_>,
        mut found: Vec<Found>,
        segment: &Segment<'_>,
        differ: &mut Differ,
    ) -> Vec<Found> {
        let mut above = lanes.above_rows(found.split_off(self.on_top(lanes, &found)), segment.rows);
        let mut out = found;
        let mut moved: Vec<usize> = Vec::new();
        let mut last = segment.above;
        for row in segment.rows {
            let Some(lines) = above.remove(row) else {
                moved.push(*row);
                continue;
            };
            let mut lines = lanes.among(&moved, [last, Some(*row)], lines).into_iter();
            for (row, lines) in moved.drain(..).zip(&mut lines) {
                out.extend(lines);
                out.extend(self.lead(lanes, row, differ));
                out.push(lanes.entry(row));
            }
            out.extend(lines.flatten());
            out.push(lanes.entry(*row));
            last = Some(*row);
        }
        out
    }

    /// How many lines at the top stay there, whichever entry comes first: both sides have them.
    fn on_top(&self, lanes: &Lanes<'_>, found: &[Found]) -> usize {
        let first = found.iter().position(|found| lanes.row(found).is_some()).unwrap_or(0);
        found[..first].iter().take_while(|found| self.is_on_top(found)).count()
    }

    /// Whether both sides have a line, and no side has it directly below an entry that moved.
    fn is_on_top(&self, found: &Found) -> bool {
        let Found::Token(at) = found else { return false };
        let is_below_moved =
            |(side, place): (Side, &usize)| place.checked_sub(1).is_some_and(|it| self.moves(side, it));
        at.dest.is_some() && at.incoming.is_some() && !at.present().any(is_below_moved)
    }
}

/// An entry that moves, with so many lines above those that stand directly above it.
struct Moved {
    row: usize,
    heading: usize,
}

/// The entries that move, with the lines above them. A line that the base has above another entry, and that stayed there, does
/// not move.
fn moving(lane: &Lane<'_>, base: &Lane<'_>, moved: &[Moved], differ: &mut Differ) -> HashSet<usize> {
    let mut moving = HashSet::new();
    let mut kept: Option<HashSet<usize>> = None;
    for Moved { row, heading } in moved {
        let Some(place) = lane.places.get(row) else { continue };
        let lines = |lane: &Lane<'_>, place: usize| lane.lead(place).start.saturating_sub(*heading)..place;
        let own: Option<HashSet<u32>> =
            base.places.get(row).map(|place| base.names[lines(base, *place)].iter().copied().collect());
        let mut is_own = |above: &usize| {
            let name = lane.names[*above];
            own.as_ref().is_some_and(|own| own.contains(&name))
                || !base.names.contains(&name)
                || !kept.get_or_insert_with(|| kept_in(lane, base, differ)).contains(above)
        };
        moving.extend(lines(lane, *place).rev().take_while(&mut is_own));
        moving.insert(*place);
    }
    moving
}

/// The places of tokens that the side kept from the base.
fn kept_in(lane: &Lane<'_>, base: &Lane<'_>, differ: &mut Differ) -> HashSet<usize> {
    unchanged(&base.names, &lane.names, differ).into_iter().map(|(_, place)| place).collect()
}

/// How many of the last names are equal.
fn equal_last(one: &[u32], other: &[u32]) -> usize {
    one.iter().rev().zip(other.iter().rev()).take_while(|(one, other)| one == other).count()
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
    /// The number of lines above those directly above an entry that the sides with it have alike: whole blocks, which are its headings.
    /// Zero if only one side has the entry.
    fn heading(&self, row: usize) -> usize {
        let above = |lane: &'_ Lane<'_>| lane.places.get(&row).map(|place| lane.above_lead(*place));
        let lanes = Side::ALL.map(|side| self.side(side)).into_iter();
        let sides: Vec<(&Lane<'_>, Range<usize>)> = lanes.filter_map(|lane| Some((lane, above(lane)?))).collect();
        let names: Vec<&[u32]> = sides.iter().map(|(lane, lines)| &lane.names[lines.clone()]).collect();
        // If each two neighbours have so many alike, all have. One side alone has no neighbour.
        let most = names.windows(2).map(|two| equal_last(two[0], two[1])).min().unwrap_or_default();
        let is_whole = |count: &usize| sides.iter().all(|(lane, lines)| lane.starts_block(lines.end - count));
        (1..=most).rev().find(is_whole).unwrap_or_default()
    }

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
                    let known: HashSet<Option<u32>> = lines.iter().map(|line| self.name(line)).collect();
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

    /// Divides the `lines` found above the second of two rows, where `moved` entries come between these: first the lines above each
    /// moved entry, then the rest. The order of the lines does not change.
    fn among(&self, moved: &[usize], rows: [Option<usize>; 2], lines: Vec<Found>) -> Vec<Vec<Found>> {
        let mut parts: Vec<Vec<Found>> = moved.iter().map(|_| Vec::new()).collect();
        parts.push(Vec::new());
        if moved.is_empty() {
            return vec![lines];
        }
        let numbers: HashMap<usize, usize> = moved.iter().enumerate().map(|(number, row)| (*row, number)).collect();
        let (mut places, mut last) = (Vec::with_capacity(lines.len()), 0);
        for line in &lines {
            last = self.place_among(&numbers, rows, line).unwrap_or(last);
            places.push(last);
        }
        for (line, place) in lines.into_iter().zip(&places).rev() {
            last = last.min(*place);
            parts[last].push(line);
        }
        parts.iter_mut().for_each(|part| part.reverse());
        parts
    }

    /// The number of the `moved` entry that a line belongs above, by the next entries above and below the line. `None` if these do
    /// not say it.
    fn place_among(&self, moved: &HashMap<usize, usize>, rows: [Option<usize>; 2], line: &Found) -> Option<usize> {
        let (side, place) = self.decisive(line)?;
        let [above, below] = self.side(side).neighbours(place);
        let found = |row: Option<usize>| moved.get(&row?).copied();
        let is_of_row = || below == rows[1] && !self.hangs_above(moved, rows, line);
        let behind = if is_of_row() { Some(moved.len()) } else { found(above).map(|place| place + 1) };
        found(below).or(behind)
    }

    /// Whether a line above the second of two rows belongs to the entry above it: its block stands directly below that entry, or at the
    /// top of the lane, and that entry is there, too. A new block above a new entry belongs to the entry below it.
    fn hangs_above(&self, moved: &HashMap<usize, usize>, [before, row]: [Option<usize>; 2], line: &Found) -> bool {
        let Some((side, place)) = self.decisive(line) else { return false };
        let lane = self.side(side);
        let [above, _] = lane.neighbours(place);
        let is_there = above == before || above.is_some_and(|above| moved.contains_key(&above));
        let is_new = matches!(line, Found::Token(Slots { base: None, .. }))
            && row.is_some_and(|row| !self.base.places.contains_key(&row));
        let is_last = row.is_some_and(|row| lane.is_last(row));
        lane.leads[place] != row && !is_last && !is_new && is_there && (above.is_none() || lane.hangs[place])
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
