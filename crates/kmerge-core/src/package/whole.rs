//! Files that are merged as wholes: what is no manifest on some side.

use std::borrow::Cow;
use std::ops::Range;

use super::fate::Fate;
use super::files::{FileRenames, FilesAt, Paths, Treatment};
use super::trees::{File, Trees};
use crate::conflict::ConflictStyle;
use crate::lines::{self, Region, Style, Texts};
use crate::policy::BothChanged;
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

/// A file that is merged as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WholeFile<'s> {
    /// Its path in the result.
    pub path: &'s str,
    /// The files, which may stand at other paths.
    pub files: Slots<u32>,
    /// What happens to it.
    pub fate: Fate,
    /// Why.
    pub rule: Rule,
    /// Whether its owner may execute it in the result.
    pub executable: bool,
}

/// Decides on every file that is no manifest, in the order of paths.
pub(super) fn whole_files<'s>(
    trees: &Trees<'_>,
    paths: &Paths<'s>,
    renames: &FileRenames<'s>,
    both_changed: BothChanged,
) -> Vec<WholeFile<'s>> {
    // What was moved here from a path of the base is decided on there.
    let is_target = |path| Side::MERGED.iter().any(|&side| renames.to(side).left(path).is_some());
    let whole = |&FilesAt { path, files, .. }: &FilesAt<'s>| {
        let [dest, incoming] = Side::MERGED.map(|side| renames.to(side).right_or_same(path));
        let at = |path: &str, side: Side| paths.file(path, side);
        let files = Slots { dest: at(dest, Side::Dest), base: files.base, incoming: at(incoming, Side::Incoming) };
        let path = if dest == path { incoming } else { dest };
        let (fate, rule) = whole_fate(trees, trees.files(files), both_changed);
        WholeFile { path, files, fate, rule, executable: executable(trees.files(files)) }
    };
    paths.treated(Treatment::Whole).filter(|at| !is_target(at.path)).map(whole).collect()
}

fn whole_fate(trees: &Trees<'_>, slots: Slots<File<'_>>, both_changed: BothChanged) -> (Fate, Rule) {
    let content = |file: File<'_>| trees.content(file.content);
    let same = |a: File<'_>, b: File<'_>| a.content == b.content || content(a).same(content(b));
    let (outcome, rule) = resolve(slots, both_changed, same);
    let is_text = |file: Option<File<'_>>| file.is_some_and(|file| lines_of(trees, file).is_some());
    let is_merged = rule == Rule::BothChanged && is_text(slots.dest) && is_text(slots.incoming);
    let fate = if is_merged { Fate::Merge } else { Fate::of(outcome, slots.incoming.is_some()) };
    (fate, rule)
}

/// The bytes of a file that consists of lines: as to git, whatever its encoding, if it holds no zero byte.
fn lines_of<'s>(trees: &Trees<'s>, file: File<'_>) -> Option<&'s [u8]> {
    trees.content(file.content).bytes().filter(|bytes| memchr::memchr(0, bytes).is_none())
}

/// The lines of a whole file, merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergedLines {
    /// The result.
    pub bytes: Vec<u8>,
    /// Places that both sides changed, differently: bytes of destination, base and incoming.
    pub both_changed: Vec<[Range<usize>; 3]>,
}

impl WholeFile<'_> {
    /// Carries out [`Fate::Merge`].
    #[must_use]
    pub fn merge_lines(&self, trees: &Trees<'_>, both_changed: BothChanged, style: &ConflictStyle<'_>) -> MergedLines {
        MergedLines::of(self.texts(trees), both_changed, style)
    }

    /// What the sides have; nothing where one has no file.
    #[must_use]
    pub fn texts<'s>(&self, trees: &Trees<'s>) -> Texts<'s> {
        let Slots { dest, base, incoming } = trees.files(self.files);
        let bytes =
            |file: Option<File<'s>>| file.and_then(|file| trees.content(file.content).bytes()).unwrap_or_default();
        Texts { base: bytes(base), ours: bytes(dest), theirs: bytes(incoming) }
    }

    /// Both sides of [`Fate::Conflict`] between markers; `None` if `style` has none, or if a side has something without lines.
    #[must_use]
    pub fn marked(&self, trees: &Trees<'_>, style: &ConflictStyle<'_>) -> Option<Vec<u8>> {
        let ConflictStyle::Markers { .. } = style else { return None };
        let Slots { dest, base, incoming } = trees.files(self.files);
        let lines = |file: Option<File<'_>>| file.map_or(Some(&[][..]), |file| lines_of(trees, file));
        let base = lines(base).unwrap_or_default();
        Some(hunk(Texts { base, ours: lines(dest)?, theirs: lines(incoming)? }, *style))
    }
}

impl MergedLines {
    /// Merges texts that have no structure: what both sides changed is decided as `both_changed` says, and shown in `style`.
    #[must_use]
    pub fn of(texts: Texts<'_>, both_changed: BothChanged, style: &ConflictStyle<'_>) -> Self {
        let style = match both_changed {
            BothChanged::Keep => ConflictStyle::Dest,
            BothChanged::Take => ConflictStyle::Incoming,
            BothChanged::Conflict => *style,
        };
        let shown = if let ConflictStyle::Markers { style, .. } = style { style } else { Style::Merge };
        let mut merged = Self { bytes: Vec::with_capacity(texts.ours.len()), both_changed: Vec::new() };
        for region in texts.merge(shown).regions() {
            merged.bytes.extend_from_slice(&written(texts, region, style));
            if let Region::Conflict { ours, base, theirs } = region {
                merged.both_changed.push([ours.clone(), base.clone(), theirs.clone()]);
            }
        }
        merged
    }
}

/// What a conflict of whole texts comes to: one of them, or all of them between markers.
pub(super) fn hunk(texts: Texts<'_>, style: ConflictStyle<'_>) -> Vec<u8> {
    let [ours, base, theirs] = [texts.ours, texts.base, texts.theirs].map(|text| 0..text.len());
    written(texts, &Region::Conflict { ours, base, theirs }, style).into_owned()
}

/// The bytes of a region in the result.
fn written<'t>(texts: Texts<'t>, region: &Region, style: ConflictStyle<'_>) -> Cow<'t, [u8]> {
    let (text, range) = match (region, style) {
        (Region::Ours(range), _) => (texts.ours, range),
        (Region::Theirs(range), _) => (texts.theirs, range),
        (Region::Conflict { ours, .. }, ConflictStyle::Dest) => (texts.ours, ours),
        (Region::Conflict { base, .. }, ConflictStyle::Base) => (texts.base, base),
        (Region::Conflict { theirs, .. }, ConflictStyle::Incoming) => (texts.theirs, theirs),
        (conflict, ConflictStyle::Markers { style, labels }) => {
            return lines::render(texts, std::slice::from_ref(conflict), style, &labels).into();
        }
    };
    Cow::Borrowed(&text[range.clone()])
}

/// Whether the owner may execute the file in the result.
pub(super) fn executable(files: Slots<File<'_>>) -> bool {
    let bits = files.map(|file| file.executable);
    let (outcome, _) = resolve(bits, BothChanged::Keep, |a, b| a == b);
    let taken = if outcome == Outcome::Take { bits.incoming.or(bits.dest) } else { bits.dest.or(bits.incoming) };
    taken.unwrap_or(false)
}
