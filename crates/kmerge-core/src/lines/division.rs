//! A line merge whose clean changes can be in conflict, too: for merges that know more than lines do.
//!
//! Invariant: with every change in conflict, each side of the merge is the text it was.

use std::ops::Range;

use hashbrown::HashSet;

use super::chunk::{Chunk, Outcome, chunks};
use super::diff::Differ;
use super::intern::{Lines, Token};
use super::{Region, Style, Texts, refine, regions};
use crate::slots::Side;

/// A line merge in parts.
#[derive(Debug)]
pub(crate) struct Division<'t> {
    lines: Lines<'t>,
    chunks: Vec<Chunk>,
}

/// A part that is changed, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    pub(crate) ours: Range<usize>,
    pub(crate) base: Range<usize>,
    pub(crate) theirs: Range<usize>,
    /// Who alone changed it; `None` if both did.
    pub(crate) by: Option<Side>,
    /// Whether the sides disagree.
    pub(crate) is_in_conflict: bool,
}

impl<'t> Division<'t> {
    pub(crate) fn new(texts: Texts<'t>) -> Self {
        let lines = Lines::new(texts);
        let mut differ = Differ::default();
        let ours = differ.diff(&lines.base.tokens, &lines.ours.tokens);
        let theirs = differ.diff(&lines.base.tokens, &lines.theirs.tokens);
        let chunks = chunks(&lines, &ours, &theirs);
        Self { lines, chunks }
    }

    /// What is merged.
    pub(crate) const fn texts(&self) -> Texts<'t> {
        let Lines { base, ours, theirs } = &self.lines;
        Texts { base: base.source, ours: ours.source, theirs: theirs.source }
    }

    /// What is changed, in order.
    pub(crate) fn changes(&self) -> Vec<Change> {
        let change = |chunk: &Chunk| Change {
            ours: self.lines.ours.bytes(chunk.ours.clone()),
            base: self.lines.base.bytes(chunk.base.clone()),
            theirs: self.lines.theirs.bytes(chunk.theirs.clone()),
            by: match chunk.outcome {
                Outcome::Ours => Some(Side::Dest),
                Outcome::Theirs => Some(Side::Incoming),
                Outcome::Agreed | Outcome::Conflict => None,
            },
            is_in_conflict: chunk.outcome == Outcome::Conflict,
        };
        self.chunks.iter().map(change).collect()
    }

    /// Whether a side has a line that neither base nor the other side has.
    pub(crate) fn has_alone(&self, side: Side) -> bool {
        let Lines { base, ours, theirs } = &self.lines;
        let (own, other) = if side == Side::Dest { (ours, theirs) } else { (theirs, ours) };
        // Lines are numbered as they are seen, those of base first.
        let new = base.tokens.iter().max().map_or(0, |last| last + 1);
        let known: HashSet<Token> = other.tokens.iter().copied().filter(|token| *token >= new).collect();
        own.tokens.iter().any(|token| *token >= new && !known.contains(token))
    }

    /// How many changes are in conflict.
    pub(crate) fn conflicts(&self) -> usize {
        self.chunks.iter().filter(|chunk| chunk.outcome == Outcome::Conflict).count()
    }

    /// The regions of the merge, with conflicts as narrow as the style allows.
    pub(crate) fn regions(&self, style: Style) -> Vec<Region> {
        self.regions_with(&[], style)
    }

    /// The same with more changes in conflict, given by their numbers.
    pub(crate) fn regions_with(&self, more: &[usize], style: Style) -> Vec<Region> {
        let mut chunks = self.chunks.clone();
        for chunk in more {
            if let Some(chunk) = chunks.get_mut(*chunk) {
                chunk.outcome = Outcome::Conflict;
            }
        }
        let chunks = refine::refine(&self.lines, chunks, style, &mut Differ::default());
        regions(&self.lines, &chunks)
    }
}
