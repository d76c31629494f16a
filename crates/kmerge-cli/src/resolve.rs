//! What `kmerge resolve` makes of a file with conflict markers.
//!
//! Nothing that a person wrote into the file is lost. The two sides of the merge are the file itself with ours, or theirs,
//! chosen in every hunk: what stands outside the hunks is the same on both sides then, and no merge changes it. Only where
//! the file is still what git or kmerge wrote are the versions in git's index merged anew instead. The base is that of the
//! index, else the file with the base chosen in every hunk, where the markers show it. A base that git has merged out of
//! several holds conflicts itself, of which the base counts again. Sides that are alike need no base.

mod items;

use kmerge_core::ConflictStyle;
use kmerge_core::Schema;
use kmerge_core::git::{Merged, merge};
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::markers::{Hunk, chosen, hunks, without_labels};

use self::items::Aside;
use crate::dispute;
use crate::git::sides::Sides;
use crate::gone::{Gone, gone};

/// What became of a file.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Resolved {
    /// There is no conflict in it.
    Clean,
    /// It holds markers that are no conflict; the first one stands on this line (from 1).
    Stray(usize),
    /// It is unmerged, but nothing but ours: that may be a decision, or a merge that was never done.
    Ours,
    /// One side removed the file that the other changed.
    Removed,
    /// Neither markers nor index tell what both sides started from.
    NoBase,
    /// Some conflicts are resolved, or none.
    Merged(Outcome),
}

/// The file after the merge.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    /// The whole text.
    pub(crate) text: Vec<u8>,
    /// How many conflicts there were.
    pub(crate) before: usize,
    /// The lines (from 1) of those that are left, in the new text.
    pub(crate) left: Vec<usize>,
    /// A line about each place on which the sides disagree, or why the structure cannot tell them.
    pub(crate) disputes: Vec<String>,
    /// The comments that went with what the other side removed.
    pub(crate) gone: Vec<Gone>,
}

/// How conflicts that are left show the base.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BaseShown {
    /// As the file shows it, if at all; in this style, which the user has chosen for git.
    AsFound(Style),
    /// Wherever it is known, for somebody who is to choose.
    Always,
}

/// Resolves what can be resolved in `text`.
pub(crate) fn resolve(text: &[u8], stages: Option<&Sides>, schema: &Schema, base: BaseShown) -> Resolved {
    let found = hunks(text);
    if let Some(line) = first_stray(text, &found) {
        return Resolved::Stray(line);
    }
    let Some(first) = found.first() else {
        if let Some(line) = stages.and_then(|_| first_small(text)) {
            return Resolved::Stray(line);
        }
        return match stages {
            Some(Sides { ours: None, .. } | Sides { theirs: None, .. }) => Resolved::Removed,
            Some(Sides { ours: Some(ours), .. }) if text == ours => Resolved::Ours,
            _ => Resolved::Clean,
        };
    };
    let style = match (&first.base, base) {
        (None, BaseShown::AsFound(_)) => Style::Merge,
        // It leaves out what the style without a base leaves out.
        (None, BaseShown::Always) => Style::Zdiff3,
        (Some(_), BaseShown::AsFound(style)) => style,
        (Some(_), BaseShown::Always) => Style::Diff3,
    };
    let names = first.labels(text).map(String::from_utf8_lossy);
    let labels = Labels { size: first.size, ours: &names[0], base: &names[1], theirs: &names[2] };
    let written = ConflictStyle::Markers { style, labels };
    let file = File { text, hunks: &found, schema };
    if let Some(outcome) = stages.and_then(versions).and_then(|texts| file.merge_anew(texts, &written)) {
        return Resolved::Merged(outcome);
    }
    if let Some(Sides { base, ours: Some(_), theirs: Some(_) }) = stages {
        return Resolved::Merged(file.merge_hunks(&innermost(base.clone().unwrap_or_default()), &written));
    }
    if found.iter().all(|hunk| hunk.base.is_some()) {
        return Resolved::Merged(file.merge_told(&written));
    }
    file.settle_alike().map_or(Resolved::NoBase, Resolved::Merged)
}

/// The versions in the index, if both sides have the file.
fn versions(stages: &Sides) -> Option<Texts<'_>> {
    let base = stages.base.as_deref().unwrap_or_default();
    Some(Texts { base, ours: stages.ours.as_deref()?, theirs: stages.theirs.as_deref()? })
}

/// A file with conflicts.
struct File<'f> {
    text: &'f [u8],
    hunks: &'f [Hunk],
    schema: &'f Schema,
}

impl File<'_> {
    fn choose(&self, side: impl Fn(&Hunk) -> std::ops::Range<usize>) -> Vec<u8> {
        chosen(self.text, self.hunks, |hunk| Some(side(hunk)))
    }

    /// Merges the versions of the index; `None` where somebody has edited the file since git or kmerge wrote it.
    fn merge_anew(&self, texts: Texts<'_>, written: &ConflictStyle<'_>) -> Option<Outcome> {
        let now = without_labels(self.text);
        let merged = merge(texts, self.schema);
        let is_written = |style: Style| {
            let ConflictStyle::Markers { labels, .. } = *written else { return false };
            let by_lines = texts.merge(style).text(&labels);
            without_labels(&by_lines) == now
                || without_labels(&merged.write(&ConflictStyle::Markers { style, labels }).text) == now
        };
        if ![Style::Merge, Style::Diff3, Style::Zdiff3].into_iter().any(is_written) {
            return None;
        }
        let base = innermost(texts.base.to_vec());
        let merged = merge(Texts { base: &base, ..texts }, self.schema);
        Some(self.outcome(&merged, Texts { base: &base, ..texts }, merged.write(written).text))
    }

    /// Merges the sides of the hunks, which with the base in them are all that there is to know.
    fn merge_told(&self, written: &ConflictStyle<'_>) -> Outcome {
        let aside = Aside::of(self.text, self.hunks);
        let hunks = hunks(&aside.rest);
        let file = File { text: &aside.rest, hunks: &hunks, schema: self.schema };
        let mut outcome = file.merge_hunks(&innermost(aside.rest.clone()), written);
        outcome.text = aside.put_back(outcome.text).unwrap_or_else(|| self.text.to_vec());
        outcome.left = lines_of(&outcome.text, &kmerge_core::markers::hunks(&outcome.text));
        Outcome { before: self.hunks.len(), ..outcome }
    }

    /// Settles the hunks of which both sides are the same; `None` where there is none.
    fn settle_alike(&self) -> Option<Outcome> {
        let is_alike = |hunk: &Hunk| self.text[hunk.ours.clone()] == self.text[hunk.theirs.clone()];
        let text = chosen(self.text, self.hunks, |hunk| is_alike(hunk).then(|| hunk.ours.clone()));
        let left = lines_of(&text, &hunks(&text));
        let outcome = Outcome { before: self.hunks.len(), left, disputes: Vec::new(), gone: Vec::new(), text };
        self.hunks.iter().any(is_alike).then_some(outcome)
    }

    /// Merges the sides of the hunks.
    fn merge_hunks(&self, base: &[u8], written: &ConflictStyle<'_>) -> Outcome {
        let [ours, theirs] = [self.choose(|hunk| hunk.ours.clone()), self.choose(|hunk| hunk.theirs.clone())];
        let texts = Texts { base, ours: &ours, theirs: &theirs };
        let merged = merge(texts, self.schema);
        let text = merged.write(written).text;
        let is_better = size(&hunks(&text)) < size(self.hunks) && self.keeps_what_stands_outside(&text);
        let text = if is_better { text } else { self.text.to_vec() };
        self.outcome(&merged, texts, text)
    }

    /// Whether every line outside the hunks is still there, in the same order.
    fn keeps_what_stands_outside(&self, text: &[u8]) -> bool {
        let outside = chosen(self.text, self.hunks, |hunk| Some(hunk.whole.start..hunk.whole.start));
        let mut lines = text.split_inclusive(|byte| *byte == b'\n');
        outside
            .split_inclusive(|byte| *byte == b'\n')
            .all(|kept| lines.any(|line| line.trim_ascii_end() == kept.trim_ascii_end()))
    }

    fn outcome(&self, merged: &Merged<'_>, texts: Texts<'_>, text: Vec<u8>) -> Outcome {
        let left = lines_of(&text, &hunks(&text));
        let disputes = if left.is_empty() { Vec::new() } else { disputes(merged) };
        let gone = gone(texts, &text);
        Outcome { before: self.hunks.len(), left, disputes, gone, text }
    }
}

fn disputes(merged: &Merged<'_>) -> Vec<String> {
    let note = dispute::note(merged);
    merged.views().iter().flat_map(dispute::lines).chain(note).collect()
}

/// A text with the base chosen in every hunk, and in every hunk of that, as far as they show one.
fn innermost(mut text: Vec<u8>) -> Vec<u8> {
    /// A hunk goes with each round, and git's bases of bases of bases have smaller ones inside.
    const DEEPEST: usize = 100;
    for _ in 0..DEEPEST {
        let found = hunks(&text);
        if !found.iter().any(|hunk| hunk.base.is_some()) {
            break;
        }
        text = chosen(&text, &found, |hunk| hunk.base.clone());
    }
    text
}

/// How many hunks, and how much text in them; less is better.
fn size(hunks: &[Hunk]) -> (usize, usize) {
    (hunks.len(), hunks.iter().map(|hunk| hunk.whole.len()).sum())
}

/// The line of the first marker that belongs to no hunk.
fn first_stray(text: &[u8], hunks: &[Hunk]) -> Option<usize> {
    let is_outside = |at: usize| {
        let next = hunks.partition_point(|hunk| hunk.whole.end <= at);
        hunks.get(next).is_none_or(|hunk| at < hunk.whole.start)
    };
    let line = kmerge_core::markers::stray(text).find(|line| is_outside(line.start))?;
    Some(line_of(text, line.start))
}

/// The line of the first marker of an unmerged file that is smaller than what counts as one (`conflict-marker-size`).
fn first_small(text: &[u8]) -> Option<usize> {
    let is_marker = |line: &[u8]| {
        let sign = line.first().copied().filter(|sign| matches!(sign, b'<' | b'>'))?;
        let rest = line.iter().find(|byte| **byte != sign);
        (line.starts_with(&[sign; 3]) && matches!(rest, None | Some(b' ' | b'\r'))).then_some(())
    };
    let mut lines = text.split(|byte| *byte == b'\n');
    Some(lines.position(|line| is_marker(line).is_some())? + 1)
}

/// The line (from 1) on which each hunk starts.
pub(crate) fn lines_of(text: &[u8], hunks: &[Hunk]) -> Vec<usize> {
    let (mut line, mut done) = (1, 0);
    let starts = hunks.iter().map(|hunk| {
        line += memchr::memchr_iter(b'\n', &text[done..hunk.whole.start]).count();
        done = hunk.whole.start;
        line
    });
    starts.collect()
}

fn line_of(text: &[u8], at: usize) -> usize {
    memchr::memchr_iter(b'\n', &text[..at]).count() + 1
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use kyaml_ast::Stream;

    use super::*;

    const LABELS: Labels<'_> = Labels { size: 7, ours: "HEAD", base: "1a2b3c4", theirs: "topic" };
    const STYLES: [Style; 3] = [Style::Merge, Style::Diff3, Style::Zdiff3];

    /// The merges of `fixtures/driver`.
    fn cases() -> Vec<(String, Sides)> {
        let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/driver");
        let mut directories: Vec<PathBuf> =
            suite.read_dir().unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir()).collect();
        directories.sort();
        let read = |directory: &PathBuf| {
            let [base, ours, theirs] =
                ["base", "ours", "theirs"].map(|side| std::fs::read(directory.join(side).with_extension("yaml")).ok());
            (directory.display().to_string(), Sides { base, ours, theirs })
        };
        directories.iter().map(read).collect()
    }

    fn found(style: Style) -> BaseShown {
        BaseShown::AsFound(if style == Style::Zdiff3 { style } else { Style::Diff3 })
    }

    fn by_lines(texts: Texts<'_>, style: Style) -> Vec<u8> {
        texts.merge(style).text(&LABELS)
    }

    #[test]
    fn what_git_wrote_becomes_what_the_driver_would_have_written() {
        let schema = Schema::new();
        let mut count = 0;
        for (name, stages) in cases() {
            let texts = versions(&stages).unwrap();
            for style in STYLES {
                let text = by_lines(texts, style);
                // Such a base is read more closely than the driver does.
                if hunks(&text).is_empty() || !hunks(texts.base).is_empty() {
                    continue;
                }
                let Resolved::Merged(outcome) = resolve(&text, Some(&stages), &schema, found(style)) else {
                    continue;
                };
                let expected = merge(texts, &schema).write(&ConflictStyle::Markers { style, labels: LABELS }).text;
                let [expected, text] =
                    [&expected, &outcome.text].map(|text| String::from_utf8_lossy(text).into_owned());
                pretty_assertions::assert_eq!(text.replace(" 1a2b3c4", ""), expected.replace(" 1a2b3c4", ""), "{name}");
                count += 1;
            }
        }
        assert!(count > 100, "{count}");
    }

    #[test]
    fn what_people_wrote_beside_conflicts_stays() {
        let schema = Schema::new();
        for (name, stages) in cases() {
            let texts = versions(&stages).unwrap();
            for (style, stages) in STYLES.into_iter().flat_map(|style| [(style, Some(&stages)), (style, None)]) {
                let mut text = b"# by hand\n".to_vec();
                text.extend(by_lines(texts, style));
                let before = hunks(&text);
                let Resolved::Merged(outcome) = resolve(&text, stages, &schema, found(style)) else {
                    continue;
                };
                let after = hunks(&outcome.text);
                assert!(size(&after) <= size(&before), "{name}");
                assert!(outcome.text.starts_with(b"# by hand\n"), "{name}");
                let is_sound = |text: &[u8], hunks: &[Hunk], side: fn(&Hunk) -> std::ops::Range<usize>| {
                    Stream::parse_bytes(&chosen(text, hunks, |hunk| Some(side(hunk)))).is_ok()
                };
                for side in [(|hunk: &Hunk| hunk.ours.clone()) as fn(&Hunk) -> _, |hunk: &Hunk| hunk.theirs.clone()] {
                    let was_sound = is_sound(&text, &before, side);
                    assert!(!was_sound || is_sound(&outcome.text, &after, side), "{name}");
                }
            }
        }
    }
}
