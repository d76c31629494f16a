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
pub use render::Labels;
pub(crate) use render::{assemble, render};
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

/// A part of the result, in bytes of the sides; whole lines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    /// Lines of ours, on which there is no disagreement: what both sides have, too.
    Ours(Range<usize>),
    /// Lines that only theirs changed.
    Theirs(Range<usize>),
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

/// Texts merged line by line.
#[derive(Clone, Debug)]
pub struct LineMerge<'a> {
    texts: Texts<'a>,
    style: Style,
    regions: Vec<Region>,
}

impl<'a> Texts<'a> {
    /// Merges `ours` and `theirs` line by line.
    ///
    /// ```
    /// use kmerge_core::lines::{Labels, Style, Texts};
    ///
    /// let merged = Texts { base: b"a\n-\nb\n", ours: b"A\n-\nb\n", theirs: b"a\n-\nB\n" }.merge(Style::Merge);
    /// assert!(!merged.has_conflict());
    /// let labels = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
    /// assert_eq!(merged.text(&labels), b"A\n-\nB\n");
    /// ```
    #[must_use]
    pub fn merge(self, style: Style) -> LineMerge<'a> {
        LineMerge { texts: self, style, regions: Division::new(self).regions(style) }
    }
}

impl LineMerge<'_> {
    /// The parts of the result, in order; none is empty on all sides.
    #[must_use]
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// How many regions are conflicts.
    #[must_use]
    pub fn conflicts(&self) -> usize {
        self.regions.iter().filter(|region| matches!(region, Region::Conflict { .. })).count()
    }

    /// Whether any region is a conflict.
    #[must_use]
    pub fn has_conflict(&self) -> bool {
        has_conflict(&self.regions)
    }

    /// The text, with markers around conflicts.
    #[must_use]
    pub fn text(&self, labels: &Labels<'_>) -> Vec<u8> {
        render(self.texts, &self.regions, self.style, labels)
    }

    /// The text in which base stands where the sides disagree.
    #[must_use]
    pub fn text_with_base(&self) -> Vec<u8> {
        assemble(self.texts, &self.regions)
    }
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

fn has_conflict(regions: &[Region]) -> bool {
    regions.iter().any(|region| matches!(region, Region::Conflict { .. }))
}

/// Fills what stands between the chunks with the lines of ours, and turns lines into bytes.
fn regions(lines: &Lines<'_>, chunks: &[Chunk]) -> Vec<Region> {
    let mut regions = Vec::with_capacity(2 * chunks.len() + 1);
    let mut done = 0;
    for chunk in chunks {
        let ours = lines.ours.bytes(chunk.ours.clone());
        push(&mut regions, Region::Ours(lines.ours.bytes(done..chunk.ours.start)));
        push(
            &mut regions,
            match chunk.outcome {
                Outcome::Ours | Outcome::Agreed => Region::Ours(ours),
                Outcome::Theirs => Region::Theirs(lines.theirs.bytes(chunk.theirs.clone())),
                Outcome::Conflict => Region::Conflict {
                    ours,
                    base: lines.base.bytes(chunk.base.clone()),
                    theirs: lines.theirs.bytes(chunk.theirs.clone()),
                },
            },
        );
        done = chunk.ours.end;
    }
    push(&mut regions, Region::Ours(lines.ours.bytes(done..lines.ours.tokens.len())));
    regions
}

/// Adds a region; what goes on with the last one becomes part of it.
fn push(regions: &mut Vec<Region>, new: Region) {
    match (regions.last_mut(), &new) {
        (_, Region::Ours(range) | Region::Theirs(range)) if range.is_empty() => {}
        (Some(Region::Ours(before)), Region::Ours(range)) | (Some(Region::Theirs(before)), Region::Theirs(range))
            if before.end == range.start =>
        {
            before.end = range.end;
        }
        _ => regions.push(new),
    }
}
