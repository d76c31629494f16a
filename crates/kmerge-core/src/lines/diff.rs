//! Two sequences of tokens in, the hunks that turn one into the other out.
//!
//! Four steps: common lines at both ends are set aside; lines that cannot or hardly match are marked as changed
//! ([`prune`]); Myers' algorithm finds the rest ([`myers`](super::myers)); groups of changed lines slide to where people
//! expect them ([`slide`](super::slide)).

use std::ops::Range;

use super::intern::Token;
use super::{myers, slide};

/// Lines of one side that take the place of lines of the other. Hunks of a diff are in order, and an unchanged line
/// stands between any two of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hunk {
    pub(crate) before: Range<usize>,
    pub(crate) after: Range<usize>,
}

/// Computes diffs; keeps the memory for counting tokens between them.
#[derive(Debug, Default)]
pub(crate) struct Differ {
    /// How often each token occurs before and after; all zero between two diffs.
    counts: Vec<[u32; 2]>,
}

impl Differ {
    /// The hunks between `before` and `after`.
    pub(crate) fn diff(&mut self, before: &[Token], after: &[Token]) -> Vec<Hunk> {
        let mut changed = [vec![false; before.len()], vec![false; after.len()]];
        let window = Window::new(before, after);
        if !window.is_empty() {
            self.mark([before, after], &window, &mut changed);
            let [removed, added] = &mut changed;
            slide::slide(before, removed, added);
            slide::slide(after, added, removed);
        }
        hunks(&changed)
    }

    fn mark(&mut self, texts: [&[Token]; 2], window: &Window, changed: &mut [Vec<bool>; 2]) {
        self.count(texts, 1);
        let matches = |text: usize| {
            let limit = many(texts[text].len());
            let counts = &self.counts;
            let lines = texts[text][window.range(text)].iter();
            lines.map(|&token| Matches::new(counts[token as usize][1 - text], limit)).collect::<Vec<_>>()
        };
        let kept = [0, 1].map(|text| prune(&matches(text), window.start, &mut changed[text]));
        self.count(texts, -1);
        let tokens = [0, 1].map(|text| kept[text].iter().map(|&line| texts[text][line]).collect::<Vec<_>>());
        for (text, line) in myers::changed([&tokens[0], &tokens[1]]) {
            changed[text][kept[text][line]] = true;
        }
    }

    fn count(&mut self, texts: [&[Token]; 2], step: i32) {
        for (text, tokens) in texts.iter().enumerate() {
            for &token in *tokens {
                let token = token as usize;
                if token >= self.counts.len() {
                    self.counts.resize(token + 1, [0; 2]);
                }
                self.counts[token][text] = self.counts[token][text].wrapping_add_signed(step);
            }
        }
    }
}

/// What is left of two texts without the lines they have in common at both ends.
struct Window {
    start: usize,
    ends: [usize; 2],
}

impl Window {
    fn new(before: &[Token], after: &[Token]) -> Self {
        let same = |(a, b): &(&Token, &Token)| a == b;
        let start = before.iter().zip(after).take_while(same).count();
        let (before_rest, after_rest) = (&before[start..], &after[start..]);
        let tail = before_rest.iter().rev().zip(after_rest.iter().rev()).take_while(same).count();
        Self { start, ends: [before.len() - tail, after.len() - tail] }
    }

    fn is_empty(&self) -> bool {
        self.ends == [self.start; 2]
    }

    fn range(&self, text: usize) -> Range<usize> {
        self.start..self.ends[text]
    }
}

/// How many lines of the other text equal a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Matches {
    None,
    Some,
    /// So many that a match means little.
    Many,
}

impl Matches {
    fn new(count: u32, limit: u32) -> Self {
        match count {
            0 => Self::None,
            count if count < limit => Self::Some,
            _ => Self::Many,
        }
    }
}

/// From how many matches on a line of a text with `lines` lines counts as common: about the square root.
fn many(lines: usize) -> u32 {
    let bits = usize::BITS - lines.leading_zeros();
    1 << bits.div_ceil(2).min(10)
}

/// Marks the lines that match nothing, and common ones in their midst; returns the others.
fn prune(matches: &[Matches], start: usize, changed: &mut [bool]) -> Vec<usize> {
    let mut kept = Vec::with_capacity(matches.len());
    for (index, &matched) in matches.iter().enumerate() {
        let drop = match matched {
            Matches::None => true,
            Matches::Some => false,
            Matches::Many => stands_alone(matches, index),
        };
        if drop {
            changed[start + index] = true;
        } else {
            kept.push(start + index);
        }
    }
    kept
}

/// Whether a common line stands among so many lines without a match that matching it would only tear them apart.
fn stands_alone(matches: &[Matches], index: usize) -> bool {
    const REACH: usize = 100;
    const SHARE: usize = 4;
    let before = run(matches[index.saturating_sub(REACH)..index].iter().rev());
    if before.0 == 0 {
        return false;
    }
    let after = run(matches[index + 1..matches.len().min(index + 1 + REACH)].iter());
    let alone = before.0 + after.0;
    let common = before.1 + after.1 + 2;
    after.0 > 0 && common * SHARE < common + alone
}

/// Counts lines without a match and common lines, up to the first line that is neither.
fn run<'a>(matches: impl Iterator<Item = &'a Matches>) -> (usize, usize) {
    let near = matches.take_while(|matched| **matched != Matches::Some);
    near.fold((0, 0), |(alone, common), matched| match matched {
        Matches::None => (alone + 1, common),
        _ => (alone, common + 1),
    })
}

/// Pairs the runs of changed lines: between two neighbouring unchanged lines stands at most one of each text.
fn hunks([removed, added]: &[Vec<bool>; 2]) -> Vec<Hunk> {
    let mut hunks = Vec::new();
    let (mut before, mut after) = (0, 0);
    loop {
        let hunk = Hunk { before: changed_run(removed, before), after: changed_run(added, after) };
        (before, after) = (hunk.before.end + 1, hunk.after.end + 1);
        if !hunk.before.is_empty() || !hunk.after.is_empty() {
            hunks.push(hunk);
        }
        if before > removed.len() {
            return hunks;
        }
    }
}

/// The changed lines from `start` on.
pub(super) fn changed_run(changed: &[bool], start: usize) -> Range<usize> {
    let run = changed[start..].iter().take_while(|changed| **changed).count();
    start..start + run
}
