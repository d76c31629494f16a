//! Which hunks of the two sides belong together.
//!
//! Hunks of the two sides that overlap or touch form one chunk. A chunk of one side's hunks is taken; so is one that
//! both sides made alike; any other is a conflict.

use std::ops::Range;

use super::diff::Hunk;
use super::intern::Lines;

/// A part of the merge that at least one side changed, in lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Chunk {
    pub(super) base: Range<usize>,
    pub(super) ours: Range<usize>,
    pub(super) theirs: Range<usize>,
    pub(super) outcome: Outcome,
}

/// What becomes of a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// Only ours changed.
    Ours,
    /// Only theirs changed.
    Theirs,
    /// Both made the same change.
    Agreed,
    Conflict,
}

/// Groups the hunks of both sides.
pub(super) fn chunks(lines: &Lines<'_>, ours: &[Hunk], theirs: &[Hunk]) -> Vec<Chunk> {
    let (mut ours, mut theirs) = (Track::new(ours), Track::new(theirs));
    let mut chunks = Vec::new();
    while let Some(start) = ours.next_start().into_iter().chain(theirs.next_start()).min() {
        let mut end = start;
        let (mut our_hunks, mut their_hunks) = (0, 0);
        loop {
            let (o, t) = (ours.absorb(&mut end), theirs.absorb(&mut end));
            if o + t == 0 {
                break;
            }
            our_hunks += o;
            their_hunks += t;
        }
        let base = start..end;
        let (our_lines, their_lines) = (ours.span(&base), theirs.span(&base));
        let alike = || lines.ours.tokens[our_lines.clone()] == lines.theirs.tokens[their_lines.clone()];
        let outcome = match (our_hunks, their_hunks) {
            (_, 0) => Outcome::Ours,
            (0, _) => Outcome::Theirs,
            (1, 1) if alike() && ours.last_base() == theirs.last_base() => Outcome::Agreed,
            _ => Outcome::Conflict,
        };
        chunks.push(Chunk { base, ours: our_lines, theirs: their_lines, outcome });
    }
    chunks
}

/// The hunks of one side, in order, and how far they have been used.
struct Track<'h> {
    hunks: &'h [Hunk],
    used: usize,
    /// Where the chunk in work starts in the hunks.
    chunk: usize,
}

impl<'h> Track<'h> {
    const fn new(hunks: &'h [Hunk]) -> Self {
        Self { hunks, used: 0, chunk: 0 }
    }

    fn next_start(&self) -> Option<usize> {
        self.hunks.get(self.used).map(|hunk| hunk.before.start)
    }

    /// Uses the hunks that start at or before `end`, and moves it behind them; returns their number.
    fn absorb(&mut self, end: &mut usize) -> usize {
        let before = self.used;
        while let Some(hunk) = self.hunks.get(self.used).filter(|hunk| hunk.before.start <= *end) {
            *end = hunk.before.end.max(*end);
            self.used += 1;
        }
        self.used - before
    }

    fn last_base(&self) -> Option<&Range<usize>> {
        self.used.checked_sub(1).map(|last| &self.hunks[last].before)
    }

    /// The lines of the side that stand where base has the lines `base`; closes the chunk.
    fn span(&mut self, base: &Range<usize>) -> Range<usize> {
        let shifted = |hunks: &[Hunk], line: usize| match hunks.last() {
            Some(hunk) => line - hunk.before.end + hunk.after.end,
            None => line,
        };
        let start = shifted(&self.hunks[..self.chunk], base.start);
        let end = shifted(&self.hunks[..self.used], base.end);
        self.chunk = self.used;
        start..end
    }
}
