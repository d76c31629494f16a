//! Comments that one side removed and the other changed.
//!
//! Between entries, the walker merges comments line by line and lets a change win. Nobody decided that: where the lines that
//! one side put in the place of a comment are other comments, and the other side put none there, they disagree. Ignores comments
//! that only one side touched, those that went along with what they stood at, and those below a value and deeper than its key:
//! commented defaults, which a side may fill in without a word about what they should say.

use std::cell::OnceCell;
use std::ops::Range;

use hashbrown::HashMap;
use kyaml_ast::{Span, Stream, line_start};

use crate::lines;
use crate::proof::{Remark, Unsound};
use crate::slots::{Side, Slots};

/// The first comment of the base that one side removed and the other changed, but for those in `told` spans, which are in order.
pub(super) fn both_changed(sides: &Slots<Stream<'_>>, told: &[Span]) -> Option<Unsound> {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return None };
    let gone = gone_from_both([base, ours, theirs]);
    if gone.is_empty() {
        return None;
    }
    let texts = [base, ours, theirs].map(Stream::source);
    let [in_ours, in_theirs] = [texts[1], texts[2]].map(|side| Changes::new(texts[0], side));
    let mut line = Counter { source: texts[0], line: 0, at: 0 };
    let mut below = Below { source: texts[0], at: 0, column: 0 };
    let is_told = |span: &Span| {
        let next = told.partition_point(|told| told.end <= span.start);
        told.get(next).is_some_and(|told| told.contains(*span))
    };
    gone.into_iter().filter(|span| !is_told(span)).find_map(|span| {
        let number = line.of(span.start);
        if below.column_from(span.end) < (span.start - line_start(texts[0], span.start)) as usize {
            return None;
        }
        let (ours, theirs) = (in_ours.at(number)?, in_theirs.at(number)?);
        let is_in_conflict = |removed: &[&str], changed: &[&str]| !has_comment(removed) && is_of_comments(changed);
        let is_in_conflict =
            is_in_conflict(ours, theirs) && !in_ours.takes_along(number) && !in_theirs.is_of_others(number, &in_ours)
                || is_in_conflict(theirs, ours)
                    && !in_theirs.takes_along(number)
                    && !in_ours.is_of_others(number, &in_theirs);
        is_in_conflict.then(|| Unsound::CommentContested(Remark::of(Side::Base, base, span)))
    })
}

/// The comments of the base that both sides have less often, in order.
fn gone_from_both([base, ours, theirs]: [&Stream<'_>; 3]) -> Vec<Span> {
    let mut spans = base.comment_spans_in(whole(base)).peekable();
    if spans.peek().is_none() {
        return Vec::new();
    }
    let [was, ours, theirs] = [base, ours, theirs].map(counts);
    let count = |of: &HashMap<&str, usize>, comment: &str| of.get(comment).copied().unwrap_or_default();
    let is_gone = |span: &Span| {
        let comment = span.of(base.source());
        [&ours, &theirs].iter().all(|side| count(side, comment) < count(&was, comment))
    };
    spans.filter(is_gone).collect()
}

fn counts<'s>(stream: &'s Stream<'_>) -> HashMap<&'s str, usize> {
    let mut counts = HashMap::new();
    stream.comments_in(whole(stream)).for_each(|comment| *counts.entry(comment).or_default() += 1);
    counts
}

fn whole(stream: &Stream<'_>) -> Span {
    Span::new(0, stream.source().len() as u32)
}

/// Which lines of the base a side replaced, and by what.
struct Changes<'s> {
    was: Vec<&'s str>,
    lines: Vec<&'s str>,
    /// In order.
    hunks: Vec<Replaced>,
}

struct Replaced {
    /// Lines of the base.
    before: Range<usize>,
    /// Behind the last of them that holds what a comment may stand at.
    content: usize,
    /// Lines of the side.
    after: Range<usize>,
    /// Whether all comments there are changes of those that the other side has still, once that is known.
    is_of_others: OnceCell<bool>,
}

impl<'s> Changes<'s> {
    fn new(base: &'s str, side: &'s str) -> Self {
        let (was, lines): (Vec<&str>, Vec<&str>) = (base.lines().collect(), side.lines().collect());
        let end = (was.len(), lines.len());
        let mut hunks = Vec::new();
        let mut next = (0, 0);
        for (before, after) in lines::unchanged(base.as_bytes(), side.as_bytes()).chain([end]) {
            if (before, after) != next {
                let is_content = |line: &&str| !is_comment(line) && !line.trim().is_empty() && !is_end(line);
                let content = was[next.0..before].iter().rposition(is_content).map_or(next.0, |last| next.0 + last + 1);
                let is_of_others = OnceCell::new();
                hunks.push(Replaced { before: next.0..before, content, after: next.1..after, is_of_others });
            }
            next = (before + 1, after + 1);
        }
        Self { was, lines, hunks }
    }

    fn hunk_at(&self, line: usize) -> Option<&Replaced> {
        let hunk = self.hunks.partition_point(|hunk| hunk.before.end <= line);
        self.hunks.get(hunk).filter(|hunk| hunk.before.contains(&line))
    }

    /// What stands in the place of a line of the base; `None` where that stands.
    fn at(&self, line: usize) -> Option<&[&'s str]> {
        self.lines.get(self.hunk_at(line)?.after.clone())
    }

    /// Whether the comments that this side put in the place of several, of which a line is one, are changes of those that the other
    /// side has still: then both removed that one.
    fn is_of_others(&self, line: usize, other: &Self) -> bool {
        let Some(hunk) = self.hunk_at(line) else { return false };
        *hunk.is_of_others.get_or_init(|| {
            let is_kept = |line: &usize| is_comment(self.was[*line]) && other.hunk_at(*line).is_none();
            let new = self.lines[hunk.after.clone()].iter().filter(|line| is_comment(line)).count();
            new <= hunk.before.clone().filter(is_kept).count()
        })
    }

    /// Whether the side removed a comment, given by its line, with what stands below it, and put nothing there.
    fn takes_along(&self, line: usize) -> bool {
        self.hunk_at(line).is_some_and(|hunk| hunk.after.is_empty() && line < hunk.content)
    }
}

/// Counts lines up to growing positions.
struct Counter<'s> {
    source: &'s str,
    line: usize,
    at: usize,
}

impl Counter<'_> {
    fn of(&mut self, at: u32) -> usize {
        self.line += self.source[self.at..at as usize].matches('\n').count();
        self.at = at as usize;
        self.line
    }
}

/// Finds the next content below growing positions.
struct Below<'s> {
    source: &'s str,
    /// Where what was found last starts its line.
    at: usize,
    column: usize,
}

impl Below<'_> {
    /// The column of what follows the line of a comment that ends here; 0 at the end.
    fn column_from(&mut self, end: u32) -> usize {
        if self.at <= end as usize {
            let lines = self.source[end as usize..].split_inclusive('\n');
            self.at = end as usize;
            self.column = 0;
            for (index, line) in lines.enumerate() {
                if index > 0 && !line.trim().is_empty() && !is_comment(line) {
                    self.column = line.len() - line.trim_start().len();
                    break;
                }
                self.at += line.len();
            }
            // At the end, nothing is left to be found.
            self.at = self.at.max(end as usize + 1);
        }
        self.column
    }
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

/// Whether a line ends or begins a document.
fn is_end(line: &str) -> bool {
    matches!(line.trim_end(), "---" | "...")
}

fn has_comment(lines: &[&str]) -> bool {
    lines.iter().any(|line| is_comment(line))
}

/// Whether there are comments, and nothing else.
fn is_of_comments(lines: &[&str]) -> bool {
    has_comment(lines) && lines.iter().all(|line| is_comment(line) || line.trim().is_empty())
}
