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
    reach: Vec<isize>,
    /// Index of diagonal 0.
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

    fn get(&self, diagonal: isize) -> isize {
        self.reach[(self.origin + diagonal) as usize]
    }

    fn set(&mut self, diagonal: isize, x: isize) {
        self.reach[(self.origin + diagonal) as usize] = x;
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

    fn holds(&self, diagonal: isize) -> bool {
        self.low <= diagonal && diagonal <= self.high
    }

    fn diagonals(&self) -> impl Iterator<Item = isize> + use<> {
        let (low, high) = (self.low, self.high);
        (0..).map(move |step| high - 2 * step).take_while(move |diagonal| *diagonal >= low)
    }
}

/// What one step of a search found.
enum Step {
    /// The searches met.
    Met(isize, isize),
    /// They did not; whether a long run of equal lines was followed.
    On { long_run: bool },
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
        let frontier =
            || Frontier { reach: vec![0; diagonals + 2], origin: texts[1].len() as isize + 2, low: 0, high: 0 };
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
            let mut followed = false;
            self.forward.widen(&limits, -1);
            match self.step_forward(area, odd) {
                Step::Met(x, y) => return Split { x, y, minimal: [true; 2] },
                Step::On { long_run } => followed |= long_run,
            }
            self.backward.widen(&limits, isize::MAX);
            match self.step_backward(area, odd) {
                Step::Met(x, y) => return Split { x, y, minimal: [true; 2] },
                Step::On { long_run } => followed |= long_run,
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

    fn step_forward(&mut self, area: &Area, odd: bool) -> Step {
        let mut long_run = false;
        for diagonal in self.forward.diagonals() {
            let start = (self.forward.get(diagonal - 1) + 1).max(self.forward.get(diagonal + 1));
            let (mut x, mut y) = (start, start - diagonal);
            while x < area.x.end && y < area.y.end && self.same(x, y) {
                x += 1;
                y += 1;
            }
            long_run |= x - start > LONG_RUN;
            self.forward.set(diagonal, x);
            if odd && self.backward.holds(diagonal) && self.backward.get(diagonal) <= x {
                return Step::Met(x, y);
            }
        }
        Step::On { long_run }
    }

    fn step_backward(&mut self, area: &Area, odd: bool) -> Step {
        let mut long_run = false;
        for diagonal in self.backward.diagonals() {
            let start = self.backward.get(diagonal - 1).min(self.backward.get(diagonal + 1) - 1);
            let (mut x, mut y) = (start, start - diagonal);
            while x > area.x.start && y > area.y.start && self.same(x - 1, y - 1) {
                x -= 1;
                y -= 1;
            }
            long_run |= start - x > LONG_RUN;
            self.backward.set(diagonal, x);
            if !odd && self.forward.holds(diagonal) && x <= self.forward.get(diagonal) {
                return Step::Met(x, y);
            }
        }
        Step::On { long_run }
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
