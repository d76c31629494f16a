//! Hunks are never longer than those of lines: where the merge by structure leaves more to read, lines tell of its conflicts.
//!
//! Where lines see no conflict at all, theirs are made up: two hunks that each look like an addition. The structure's, which
//! show both places, may then be longer. Where lines are shorter in every style, the report says nothing of places that they
//! merge soundly.

use kyaml_ast::Span;

use super::extra_conflicts::LineMergeWithExtraConflicts;
use super::join::close_hunks;
use super::structure::Structured;
use crate::conflict::ConflictStyle;
use crate::lines::{Labels, Style, Texts};
use crate::markers::{Hunk, SMALLEST, hunks};

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
    fn is_within(self, other: Self) -> bool {
        self.hunks <= other.hunks && self.lines <= other.lines
    }
}

/// How many lines a text has, the last of which may have no newline.
fn line_count(text: &[u8]) -> usize {
    memchr::memchr_iter(b'\n', text).count() + usize::from(text.last().is_some_and(|last| *last != b'\n'))
}

/// A line merge, and whether it leaves less to read than the merge by structure in every style of markers.
#[derive(Debug)]
pub(super) struct HunkChoice<'t> {
    by_lines: LineMergeWithExtraConflicts<'t>,
    /// What git leaves to read in the plain style, if that is known.
    of_git_plain: Option<Reading>,
    /// Whether it is in the plain style, in which most merges are written.
    is_taken_plain: bool,
    is_always_taken: bool,
}

impl<'t> HunkChoice<'t> {
    pub(super) fn new(
        texts: Texts<'_>,
        by_lines: LineMergeWithExtraConflicts<'t>,
        structured: &Structured<'_>,
    ) -> Self {
        let compared = |style| Compared::new(texts, &by_lines, structured, style);
        let plain = compared(Style::Merge);
        let is_taken = |compared: &Compared| compared.are_lines_shorter;
        let is_taken_plain = plain.as_ref().is_some_and(is_taken);
        let is_taken_in = |style| compared(style).as_ref().is_some_and(is_taken);
        let is_always_taken = is_taken_plain && [Style::Diff3, Style::Zdiff3].into_iter().all(is_taken_in);
        let of_git_plain = plain.map(|compared| compared.of_git);
        Self { by_lines, of_git_plain, is_taken_plain, is_always_taken }
    }

    /// What git leaves to read.
    pub(super) fn of_git(&self, texts: Texts<'_>, style: Style) -> Reading {
        let known = if style == Style::Merge { self.of_git_plain } else { None };
        known.unwrap_or_else(|| self.by_lines.of_git_alone(texts, style))
    }

    /// How many conflicts git would leave.
    pub(super) fn conflicts_of_git(&self) -> usize {
        self.by_lines.conflicts_of_git()
    }

    /// The line merge, if it is to be written. (A virtual ancestor is made of what is reported.)
    pub(super) fn taken(
        &self,
        texts: Texts<'_>,
        structured: &Structured<'_>,
        conflicts: &ConflictStyle<'_>,
    ) -> Option<&LineMergeWithExtraConflicts<'t>> {
        let is_taken = match conflicts {
            _ if self.is_always_taken => true,
            ConflictStyle::Markers { style: Style::Merge, .. } => self.is_taken_plain,
            ConflictStyle::Markers { style, .. } => Compared::new(texts, &self.by_lines, structured, *style)
                .is_some_and(|compared| compared.are_lines_shorter),
            _ => false,
        };
        is_taken.then_some(&self.by_lines)
    }

    pub(super) const fn is_always_taken(&self) -> bool {
        self.is_always_taken
    }

    /// Whether a conflict of the merge by structure lies at one of the line merge.
    pub(super) fn tells_of(&self, conflict: [Option<Span>; 3]) -> bool {
        self.by_lines.tells_of(conflict)
    }
}

/// What there is to read in one style of markers.
struct Compared {
    /// Whether the conflicts of the line merge are to be written in place of those of the structure.
    are_lines_shorter: bool,
    of_git: Reading,
}

impl Compared {
    /// `None` where one of the merges cannot be written.
    fn new(
        texts: Texts<'_>,
        by_lines: &LineMergeWithExtraConflicts<'_>,
        structured: &Structured<'_>,
        style: Style,
    ) -> Option<Self> {
        let labels = Labels { size: SMALLEST, ours: "", base: "", theirs: "" };
        let lines = Reading::of(by_lines.with_markers(texts, style, &labels)?.as_bytes());
        let of_git = by_lines.of_git(texts, style, lines);
        let by_structure = Reading::of(close_hunks(structured.write_plain(style)?, of_git).as_bytes());
        let are_lines_shorter =
            if of_git.hunks == 0 { by_structure.lines > lines.bearable() } else { !by_structure.is_within(lines) };
        Some(Self { are_lines_shorter, of_git })
    }
}
