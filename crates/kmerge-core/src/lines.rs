//! The line merge: three byte strings in, regions that are clean or in conflict out.
//!
//! It merges what has no structure (text inside block scalars) and what must not be parsed (templates, broken YAML,
//! files that are not UTF-8). The result is what `git merge-file` gives for the same input, byte for byte: the same
//! diff, the same grouping of changes into conflicts, the same markers.
//!
//! A line owns its newline, so a last line without one differs from the same line with one. Time is close to linear:
//! the diff gives up on being minimal where that would cost more.
//!
//! Deliberately ignored: encodings, white space options, and every diff algorithm but git's default.

mod chunk;
mod diff;
mod division;
mod intern;
mod myers;
mod refine;
mod render;
mod slide;
mod unified;

use std::ops::Range;

pub(crate) use diff::Differ;
pub(crate) use division::{Change, Division};
pub(crate) use refine::FEW_LINES;
pub use render::{Labels, assemble, render};
pub use unified::unified;

use crate::lines::chunk::{Chunk, Outcome};
use crate::lines::diff::Hunk;
use crate::lines::intern::Lines;

/// How conflicts are shown, which also decides how far they are narrowed down.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Style {
    /// Ours and theirs, cut down to the lines in which they differ.
    #[default]
    Merge,
    /// Ours, base and theirs, as wide as the changes are.
    Diff3,
    /// Ours, base and theirs, without the lines that ours and theirs have in common at both ends.
    Zdiff3,
}

/// One of the two sides of a merge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LineSide {
    /// The side that is merged into.
    Ours,
    /// The side that is merged.
    Theirs,
}

/// A part of the result, in bytes of the sides; whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    /// Lines on which there is no disagreement.
    Clean {
        /// Where the bytes come from; `Ours` for what both sides have.
        side: LineSide,
        /// The bytes in that side.
        range: Range<usize>,
    },
    /// Lines that both sides changed, differently.
    Conflict {
        /// What ours has.
        ours: Range<usize>,
        /// What base had. Under [`Style::Merge`] a conflict that was split leaves its base to its first part.
        base: Range<usize>,
        /// What theirs has.
        theirs: Range<usize>,
    },
}

/// The three texts of a merge.
#[derive(Clone, Copy, Debug)]
pub struct Texts<'a> {
    /// The common ancestor.
    pub base: &'a [u8],
    /// The side that is merged into.
    pub ours: &'a [u8],
    /// The side that is merged.
    pub theirs: &'a [u8],
}

/// Merges `ours` and `theirs` line by line.
///
/// The regions are in order, and none is empty on all sides; without a [`Region::Conflict`] among them the merge is clean.
///
/// ```
/// use kmerge_core::lines::{Region, Style, Texts, merge};
///
/// let texts = Texts { base: b"a\nb\nc\n", ours: b"A\nb\nc\n", theirs: b"a\nb\nC\n" };
/// let regions = merge(texts, Style::Merge);
/// assert!(regions.iter().all(|region| matches!(region, Region::Clean { .. })));
/// ```
#[must_use]
pub fn merge(texts: Texts<'_>, style: Style) -> Vec<Region> {
    Division::new(texts).regions(style)
}

/// Narrows a conflict of whole texts down to the lines on which ours and theirs disagree, as far as `style` allows.
///
/// Nothing is decided: what stands outside of the conflicts (there is one at least), ours and theirs have alike.
pub(crate) fn narrowed(texts: Texts<'_>, style: Style) -> Vec<Region> {
    let lines = Lines::new(texts);
    let mut differ = Differ::default();
    let whole = Chunk {
        base: 0..lines.base.tokens.len(),
        ours: 0..lines.ours.tokens.len(),
        theirs: 0..lines.theirs.tokens.len(),
        outcome: Outcome::Conflict,
    };
    let mut regions = regions(&lines, &refine::narrow(&lines, whole, style, &mut differ));
    if !has_conflict(&regions) {
        let [ours, base, theirs] = [texts.ours, texts.base, texts.theirs].map(|text| text.len()..text.len());
        regions.push(Region::Conflict { ours, base, theirs });
    }
    regions
}

/// The lines that two texts have in common, in order, as pairs of positions from 0.
///
/// ```
/// let pairs: Vec<_> = kmerge_core::lines::unchanged(b"a\nb\nc\n", b"a\nc\n").collect();
/// assert_eq!(pairs, [(0, 0), (2, 1)]);
/// ```
pub fn unchanged(before: &[u8], after: &[u8]) -> impl Iterator<Item = (usize, usize)> + use<> {
    let lines = Lines::new(Texts { base: before, ours: after, theirs: b"" });
    let mut hunks = Differ::default().diff(&lines.base.tokens, &lines.ours.tokens);
    let end = (lines.base.tokens.len(), lines.ours.tokens.len());
    hunks.push(Hunk { before: end.0..end.0, after: end.1..end.1 });
    let mut done = (0, 0);
    hunks.into_iter().flat_map(move |hunk| {
        let pairs = (done.0..hunk.before.start).zip(done.1..hunk.after.start);
        done = (hunk.before.end, hunk.after.end);
        pairs
    })
}

/// Whether any region is a conflict.
#[must_use]
pub fn has_conflict(regions: &[Region]) -> bool {
    regions.iter().any(|region| matches!(region, Region::Conflict { .. }))
}

/// Fills what stands between the chunks with the lines of ours, and turns lines into bytes.
fn regions(lines: &Lines<'_>, chunks: &[Chunk]) -> Vec<Region> {
    let mut regions = Vec::with_capacity(2 * chunks.len() + 1);
    let mut done = 0;
    for chunk in chunks {
        push_clean(&mut regions, LineSide::Ours, lines.ours.bytes(done..chunk.ours.start));
        done = chunk.ours.end;
        match chunk.outcome {
            Outcome::Ours | Outcome::Agreed => {
                push_clean(&mut regions, LineSide::Ours, lines.ours.bytes(chunk.ours.clone()))
            }
            Outcome::Theirs => push_clean(&mut regions, LineSide::Theirs, lines.theirs.bytes(chunk.theirs.clone())),
            Outcome::Conflict => regions.push(Region::Conflict {
                ours: lines.ours.bytes(chunk.ours.clone()),
                base: lines.base.bytes(chunk.base.clone()),
                theirs: lines.theirs.bytes(chunk.theirs.clone()),
            }),
        }
    }
    push_clean(&mut regions, LineSide::Ours, lines.ours.bytes(done..lines.ours.tokens.len()));
    regions
}

fn push_clean(regions: &mut Vec<Region>, side: LineSide, range: Range<usize>) {
    if range.is_empty() {
        return;
    }
    if let Some(Region::Clean { side: last, range: before }) = regions.last_mut()
        && *last == side
        && before.end == range.start
    {
        before.end = range.end;
        return;
    }
    regions.push(Region::Clean { side, range });
}
