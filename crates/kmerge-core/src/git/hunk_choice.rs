//! Hunks are never longer than those of lines: where the merge by structure leaves more to read, lines tell of its conflicts.
//!
//! What there is to read is counted in the plain style. Where lines see no conflict at all, theirs are made up: two hunks that
//! each look like an addition. The structure's, which show both places, may then be longer. A line merge never has less to read
//! than git leaves: a merge by structure with no more than that is taken without asking what lines need to be sound.

use super::extra_conflicts::LineMergeWithExtraConflicts;
use super::join::{close_hunks, of_git};
use super::structure::{PLAIN, Structured};
use crate::lines::{Division, Style, Texts};
use crate::markers::{Hunk, hunks};
use crate::proof::SoundnessCheck;

/// So many times the lines of hunks that git does not have may be left.
const TIMES: usize = 2;
/// So many more are no burden.
const FEW: usize = 12;

/// What there is to read in the hunks of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) hunks: usize,
    /// Lines between markers.
    pub(super) lines: usize,
}

impl Reading {
    pub(super) fn of(text: &[u8]) -> Self {
        Self::of_hunks(text, &hunks(text))
    }

    pub(super) fn of_hunks(text: &[u8], hunks: &[Hunk]) -> Self {
        let sides =
            hunks.iter().flat_map(|hunk| [Some(hunk.ours.clone()), hunk.base.clone(), Some(hunk.theirs.clone())]);
        Self { hunks: hunks.len(), lines: sides.flatten().map(|side| line_count(&text[side])).sum() }
    }

    /// So many lines may hunks have which git does not have, if that helps to understand them.
    pub(super) const fn bearable(self) -> usize {
        TIMES * self.lines + FEW
    }

    /// Whether there is neither more to decide nor more to read.
    const fn is_within(self, other: Self) -> bool {
        self.hunks <= other.hunks && self.lines <= other.lines
    }
}

/// How many lines a text has, the last of which may have no newline.
pub(super) fn line_count(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count() + usize::from(text.last().is_some_and(|last| *last != b'\n'))
}

/// The line merge of lines without further conflicts, as git has it.
#[derive(Debug)]
pub(super) struct OfGit<'t> {
    division: Division<'t>,
    plain: Reading,
}

impl<'t> OfGit<'t> {
    pub(super) fn new(texts: Texts<'_>, division: Division<'t>) -> Self {
        let plain = of_git(texts, &division, Style::Merge);
        Self { division, plain }
    }

    /// What git leaves to read.
    pub(super) fn reading(&self, texts: Texts<'_>, style: Style) -> Reading {
        if style == Style::Merge { self.plain } else { of_git(texts, &self.division, style) }
    }

    /// How many conflicts git would leave.
    pub(super) fn conflicts(&self) -> usize {
        self.division.conflicts()
    }

    /// The line merge, if it leaves less to read than the merge by structure.
    pub(super) fn shorter(
        self: Box<Self>,
        texts: Texts<'_>,
        structured: &Structured<'_>,
        check: SoundnessCheck<'_>,
    ) -> Result<LineMergeWithExtraConflicts<'t>, Box<Self>> {
        let Some(text) = structured.write_plain() else { return Err(self) };
        let (_, by_structure) = close_hunks(text, self.plain);
        // The least that a line merge with conflicts may have.
        let least = if self.plain.hunks == 0 { Reading { hunks: 1, lines: 1 } } else { self.plain };
        // Where git sees no conflict, structure may leave more to read, unless it has more in conflict than the sides contest.
        let may_be_longer = self.plain.hunks == 0 && structured.contests_more().is_none();
        let is_shorter = |by_lines: Reading| match may_be_longer {
            true => by_structure.lines > by_lines.bearable(),
            false => !by_structure.is_within(by_lines),
        };
        if !is_shorter(least) {
            return Err(self);
        }
        let plain = self.plain;
        let inputs = structured.inputs();
        let known = Some(structured).filter(|structured| structured.contests_more().is_some());
        let by_lines = LineMergeWithExtraConflicts::new(self.division, inputs, known, check, Some(&is_shorter));
        let lines = by_lines.with_markers(texts, Style::Merge, &PLAIN).map(|text| Reading::of(text.as_bytes()));
        match lines {
            Some(lines) if is_shorter(lines) => Ok(by_lines),
            _ => Err(Box::new(Self { division: by_lines.into_division(), plain })),
        }
    }
}
