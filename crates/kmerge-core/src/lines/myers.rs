//! Myers' difference algorithm in linear space: searches from both ends of a box meet in its middle, which splits the box.
//!
//! A box that proves expensive is split where the searches got furthest instead, at the price of a minimal result: an
//! upper bound of the work is then about the size of the texts to the power of 1.5. Boxes wait on a heap-allocated
//! stack, so their depth is no concern.

use std::ops::Range;

use super::intern::Token;

/// After so many steps a search that follows a long run of equal lines may be good enough.
const PATIENCE: isize = 256;
/// So many equal lines make a long run.
const LONG_RUN: isize = 20;
/// How far a search must have come, in lines for each step, to be good enough.
const PACE: isize = 4;

/// The lines of both texts that have no counterpart, as (text, line) in no particular order.
pub(super) fn changed(texts: [&[Token]; 2]) -> Vec<(usize, usize)> {
    let mut changed = Vec::new();
    let mut search = Search::new(texts);
    let mut waiting = vec![Area { x: 0..texts[0].len() as isize, y: 0..texts[1].len() as isize, minimal: false }];
    while let Some(mut area) = waiting.pop() {
        search.strip(&mut area);
        if area.x.is_empty() || area.y.is_empty() {
            changed.extend(area.x.map(|line| (0, line as usize)));
            changed.extend(area.y.map(|line| (1, line as usize)));
            continue;
        }
        let split = search.split(&area);
        let [low, high] = split.minimal;
        waiting.push(Area { x: split.x..area.x.end, y: split.y..area.y.end, minimal: high });
        waiting.push(Area { x: area.x.start..split.x, y: area.y.start..split.y, minimal: low });
    }
    changed
}

/// A box: lines of the first text on the x axis, lines of the second on the y axis.
#[derive(Clone, Debug)]
struct Area {
    x: Range<isize>,
    y: Range<isize>,
    /// Whether a shortest result is wanted at any price.
    minimal: bool,
}

/// Where a box is split, and whether its lower and upper part are known to be on a shortest path.
#[derive(Clone, Copy, Debug)]
struct Split {
    x: isize,
    y: isize,
    minimal: [bool; 2],
}

/// The furthest points that a search has reached, one for each diagonal (x - y).
struct Frontier {
    /// The even and the odd diagonals: a step goes from those of one kind to those of the other.
    reach: [Vec<isize>; 2],
    /// The place of diagonal 0 if all diagonals stood in one row; even and odd ones take turns.
    origin: isize,
    /// The active diagonals, both included; every second one of them belongs to the current step.
    low: isize,
    high: isize,
}

impl Frontier {
    fn start(&mut self, diagonal: isize, x: isize) {
        (self.low, self.high) = (diagonal, diagonal);
        self.set(diagonal, x);
    }

    /// Where a diagonal stands: in which row, and at what place of it.
    fn place(&self, diagonal: isize) -> (usize, usize) {
        let place = (self.origin + diagonal) as usize;
        (place % 2, place / 2)
    }

    fn get(&self, diagonal: isize) -> isize {
        let (row, place) = self.place(diagonal);
        self.reach[row][place]
    }

    fn set(&mut self, diagonal: isize, x: isize) {
        let (row, place) = self.place(diagonal);
        self.reach[row][place] = x;
    }

    /// Takes in one diagonal more on either end, as far as `limits` allow; `unreached` is worse than any point.
    fn widen(&mut self, limits: &Range<isize>, unreached: isize) {
        if self.low > limits.start {
            self.low -= 1;
            self.set(self.low - 1, unreached);
        } else {
            self.low += 1;
        }
        if self.high < limits.end {
            self.high += 1;
            self.set(self.high + 1, unreached);
        } else {
            self.high -= 1;
        }
    }

    /// The diagonals of the current step, from the highest.
    fn diagonals(&self) -> impl Iterator<Item = isize> + use<> {
        let (low, high) = (self.low, self.high);
        (0..).map(move |step| high - 2 * step).take_while(move |diagonal| *diagonal >= low)
    }

    /// One step: gives each diagonal of it the point that `follow` makes of the points on the diagonals below and above it.
    fn step(&mut self, mut follow: impl FnMut(isize, [isize; 2]) -> isize) {
        if self.low > self.high {
            return;
        }
        let count = ((self.high - self.low) / 2 + 1) as usize;
        let ((row, first), (_, below)) = (self.place(self.low), self.place(self.low - 1));
        let [even, odd] = &mut self.reach;
        let (points, neighbours) = if row == 0 { (even, odd) } else { (odd, even) };
        let neighbours = neighbours[below..=below + count].windows(2);
        let points = points[first..first + count].iter_mut().zip(neighbours).rev();
        let mut diagonal = self.low + 2 * count as isize;
        for (point, neighbours) in points {
            diagonal -= 2;
            *point = follow(diagonal, [neighbours[0], neighbours[1]]);
        }
    }

    /// The points on the diagonals of `range`, every second one, from the highest.
    fn points(&self, range: &Range<isize>) -> impl Iterator<Item = isize> {
        let (row, first) = self.place(range.start);
        let count = ((range.end - range.start + 1) / 2).max(0) as usize;
        self.reach[row][first..first + count].iter().rev().copied()
    }
}

struct Search<'a> {
    texts: [&'a [Token]; 2],
    forward: Frontier,
    backward: Frontier,
    max_cost: isize,
}

impl<'a> Search<'a> {
    fn new(texts: [&'a [Token]; 2]) -> Self {
        let diagonals = texts[0].len() + texts[1].len() + 3;
        let row = || vec![0; diagonals / 2 + 2];
        let frontier = || Frontier { reach: [row(), row()], origin: texts[1].len() as isize + 2, low: 0, high: 0 };
        let bits = usize::BITS - diagonals.leading_zeros();
        let max_cost = (1 << bits.div_ceil(2)).max(PATIENCE);
        Self { texts, forward: frontier(), backward: frontier(), max_cost }
    }

    fn same(&self, x: isize, y: isize) -> bool {
        self.texts[0][x as usize] == self.texts[1][y as usize]
    }

    /// Drops the equal lines at both ends of a box.
    fn strip(&self, area: &mut Area) {
        while !area.x.is_empty() && !area.y.is_empty() && self.same(area.x.start, area.y.start) {
            area.x.start += 1;
            area.y.start += 1;
        }
        while !area.x.is_empty() && !area.y.is_empty() && self.same(area.x.end - 1, area.y.end - 1) {
            area.x.end -= 1;
            area.y.end -= 1;
        }
    }

    fn split(&mut self, area: &Area) -> Split {
        let limits = area.x.start - area.y.end..area.x.end - area.y.start;
        let (first, last) = (area.x.start - area.y.start, area.x.end - area.y.end);
        let odd = (first - last) % 2 != 0;
        self.forward.start(first, area.x.start);
        self.backward.start(last, area.x.end);
        let mut cost = 1;
        loop {
            self.forward.widen(&limits, -1);
            let mut followed = self.step_forward(area);
            if let Some(diagonal) = odd.then(|| self.met(&self.forward)).flatten() {
                let x = self.forward.get(diagonal);
                return Split { x, y: x - diagonal, minimal: [true; 2] };
            }
            self.backward.widen(&limits, isize::MAX);
            followed |= self.step_backward(area);
            if let Some(diagonal) = (!odd).then(|| self.met(&self.backward)).flatten() {
                let x = self.backward.get(diagonal);
                return Split { x, y: x - diagonal, minimal: [true; 2] };
            }
            if !area.minimal {
                let promising = (followed && cost > PATIENCE).then(|| self.promising(area, cost)).flatten();
                if let Some(split) = promising {
                    return split;
                }
                if cost >= self.max_cost {
                    return self.give_up(area);
                }
            }
            cost += 1;
        }
    }

    /// Whether a long run of equal lines was followed.
    fn step_forward(&mut self, area: &Area) -> bool {
        let [before, after] = [&self.texts[0][..area.x.end as usize], &self.texts[1][..area.y.end as usize]];
        let mut longest = 0;
        self.forward.step(|diagonal, [below, above]| {
            let start = (below + 1).max(above);
            let mut x = start;
            while let (Some(line), Some(other)) = (before.get(x as usize), after.get((x - diagonal) as usize))
                && line == other
            {
                x += 1;
            }
            longest = longest.max(x - start);
            x
        });
        longest > LONG_RUN
    }

    /// Whether a long run of equal lines was followed.
    fn step_backward(&mut self, area: &Area) -> bool {
        let Area { x: columns, y: rows, .. } = area;
        let before = &self.texts[0][columns.start as usize..];
        let after = &self.texts[1][rows.start as usize..];
        let corner = columns.start - rows.start;
        let mut longest = 0;
        self.backward.step(|diagonal, [below, above]| {
            let start = below.min(above - 1);
            let mut left = (start - columns.start) as usize;
            let mut up = left.wrapping_sub((diagonal - corner) as usize);
            while let (Some(line), Some(other)) = (before.get(left.wrapping_sub(1)), after.get(up.wrapping_sub(1)))
                && line == other
            {
                left -= 1;
                up -= 1;
            }
            let x = left as isize + columns.start;
            longest = longest.max(start - x);
            x
        });
        longest > LONG_RUN
    }

    /// The highest of the diagonals of the current step, which is that of a frontier, on which the searches met.
    fn met(&self, current: &Frontier) -> Option<isize> {
        let (forward, backward) = (&self.forward, &self.backward);
        let low = forward.low.max(backward.low);
        let high = forward.high.min(backward.high);
        let range = low + ((low - current.low) & 1)..high + 1 - ((current.high - high) & 1);
        let mut pairs = forward.points(&range).zip(backward.points(&range));
        let step = pairs.position(|(forward, backward)| backward <= forward)?;
        Some(range.end - 1 - 2 * step as isize)
    }

    /// The point on either frontier that has come surprisingly far and stands at a long run of equal lines.
    fn promising(&self, area: &Area, cost: isize) -> Option<Split> {
        let (first, last) = (area.x.start - area.y.start, area.x.end - area.y.end);
        let forward = self.forward.diagonals().filter_map(|diagonal| {
            let (x, y) = (self.forward.get(diagonal), self.forward.get(diagonal) - diagonal);
            let come = (x - area.x.start) + (y - area.y.start) - (diagonal - first).abs();
            let inside =
                area.x.start + LONG_RUN <= x && x < area.x.end && area.y.start + LONG_RUN <= y && y < area.y.end;
            let good = come > PACE * cost && inside && (1..=LONG_RUN).all(|back| self.same(x - back, y - back));
            good.then_some(Reached { come, x, y })
        });
        if let Some(Reached { x, y, .. }) = furthest(forward) {
            return Some(Split { x, y, minimal: [true, false] });
        }
        let backward = self.backward.diagonals().filter_map(|diagonal| {
            let (x, y) = (self.backward.get(diagonal), self.backward.get(diagonal) - diagonal);
            let come = (area.x.end - x) + (area.y.end - y) - (diagonal - last).abs();
            let inside =
                area.x.start < x && x <= area.x.end - LONG_RUN && area.y.start < y && y <= area.y.end - LONG_RUN;
            let good = come > PACE * cost && inside && (0..LONG_RUN).all(|on| self.same(x + on, y + on));
            good.then_some(Reached { come, x, y })
        });
        furthest(backward).map(|Reached { x, y, .. }| Split { x, y, minimal: [false, true] })
    }

    /// Splits where the search that came furthest stands.
    fn give_up(&self, area: &Area) -> Split {
        let forward = furthest(self.forward.diagonals().map(|diagonal| {
            let x = self.forward.get(diagonal).min(area.x.end).min(area.y.end + diagonal);
            let y = x - diagonal;
            Reached { come: (x - area.x.start) + (y - area.y.start), x, y }
        }));
        let backward = furthest(self.backward.diagonals().map(|diagonal| {
            let x = self.backward.get(diagonal).max(area.x.start).max(area.y.start + diagonal);
            let y = x - diagonal;
            Reached { come: (area.x.end - x) + (area.y.end - y), x, y }
        }));
        match (forward, backward) {
            (Some(forward), Some(backward)) if backward.come < forward.come => {
                Split { x: forward.x, y: forward.y, minimal: [true, false] }
            }
            (_, Some(backward)) => Split { x: backward.x, y: backward.y, minimal: [false, true] },
            // Neither search has a diagonal left; a corner is a valid split as well.
            _ => Split { x: area.x.end, y: area.y.start, minimal: [false, false] },
        }
    }
}

/// A point that a search has reached, and the number of lines it has come.
#[derive(Clone, Copy, Debug)]
struct Reached {
    come: isize,
    x: isize,
    y: isize,
}

/// The point that has come furthest; the first of several.
fn furthest(points: impl Iterator<Item = Reached>) -> Option<Reached> {
    points.fold(None, |best: Option<Reached>, point| match best {
        Some(best) if best.come >= point.come => Some(best),
        _ => Some(point),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many lines two texts have in common at most, in order.
    fn most_common([before, after]: [&[Token]; 2]) -> usize {
        let mut row = vec![0; after.len() + 1];
        for line in before {
            let mut corner = 0;
            for (place, other) in after.iter().enumerate() {
                let common = if line == other { corner + 1 } else { row[place].max(row[place + 1]) };
                corner = std::mem::replace(&mut row[place + 1], common);
            }
        }
        row[after.len()]
    }

    /// Lines of a text that say little, so that they have many counterparts.
    fn text(length: usize, kinds: u32, mut seed: u32) -> Vec<Token> {
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % kinds
        };
        std::iter::repeat_with(&mut next).take(length).collect()
    }

    #[test]
    fn a_result_is_a_shortest_one_where_the_texts_are_small() {
        for seed in 0..400 {
            let [length, other] = [seed % 23, seed * 7 % 29];
            let (before, after) =
                (text(length as usize, 2 + seed % 5, seed), text(other as usize, 2 + seed % 3, !seed));
            let changed = changed([&before, &after]);
            let left = |which: usize| {
                let lines = [&before, &after][which].iter().enumerate();
                lines.filter(|(line, _)| !changed.contains(&(which, *line))).map(|(_, line)| *line).collect::<Vec<_>>()
            };
            assert_eq!(left(0), left(1), "{before:?} {after:?}");
            assert_eq!(left(0).len(), most_common([&before, &after]), "{before:?} {after:?}");
        }
    }

    #[test]
    fn a_result_is_right_where_a_shortest_one_costs_too_much() {
        let (before, after) = (text(9000, 700, 1), text(8000, 700, 2));
        let changed = changed([&before, &after]);
        let mut left = [before, after];
        for (which, lines) in left.iter_mut().enumerate() {
            let gone: std::collections::HashSet<usize> =
                changed.iter().filter(|(text, _)| *text == which).map(|(_, line)| *line).collect();
            let mut line = 0..;
            lines.retain(|_| line.next().is_some_and(|line| !gone.contains(&line)));
        }
        assert_eq!(left[0], left[1]);
        assert!(!left[0].is_empty());
    }
}
