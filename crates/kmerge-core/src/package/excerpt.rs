//! Excerpts: units cut out of their files, as texts that parse on their own.

use kyaml_ast::{Span, Stream, line_start};

use super::trees::{Trees, UnitRef};
use crate::MergeError;
use crate::slots::Slots;

/// The text of a unit, and where its places are in the file.
#[derive(Clone, Debug)]
pub(super) struct Excerpt {
    pub(super) text: String,
    /// How many blanks each line starts with, up to the column of the node.
    pub(super) indent: usize,
    /// Where the text stands in its file.
    pub(super) span: Span,
    /// How places in the text are found in the file.
    origin: Origin,
}

/// How places in an excerpt are found in the file.
#[derive(Clone, Debug)]
enum Origin {
    /// The excerpt is part of the file; from here on places are counted from the end: something before was replaced.
    FromEnd(usize),
    Lines(Vec<Line>),
}

/// A line of an excerpt that starts elsewhere than in the file.
#[derive(Clone, Copy, Debug)]
struct Line {
    /// Where it starts in the file.
    start: u32,
    /// How many columns it was moved to the right.
    moved: i64,
}

impl Excerpt {
    /// A text that replaces this one.
    pub(super) fn with_text(&self, text: String) -> Self {
        Self { origin: Origin::FromEnd(text.len()), text, indent: 0, span: self.span }
    }

    /// A text that replaces this one, moved to a column.
    pub(super) fn with_text_at(&self, text: &str, indent: usize) -> Self {
        let mut moved = String::with_capacity(text.len());
        text.split_inclusive('\n').for_each(|line| push_moved(&mut moved, line, indent as i64));
        Self { indent, ..self.with_text(moved) }
    }

    /// A text that replaces this one, in which a part that starts at `at` is another.
    pub(super) fn with_part(&self, text: String, at: u32) -> Self {
        Self { origin: Origin::FromEnd(at as usize), ..self.with_text(text) }
    }

    /// The place in the file of a place in the text.
    pub(super) fn in_file(&self, at: u32) -> u32 {
        let place = match &self.origin {
            Origin::FromEnd(from) if at as usize > *from => {
                self.span.end.saturating_sub((self.text.len() as u32).saturating_sub(at))
            }
            Origin::FromEnd(_) => self.span.start + at,
            Origin::Lines(lines) => self.in_lines(lines, at),
        };
        place.clamp(self.span.start, self.span.end)
    }

    fn in_lines(&self, lines: &[Line], at: u32) -> u32 {
        let before = &self.text.as_bytes()[..(at as usize).min(self.text.len())];
        let line = memchr::memchr_iter(b'\n', before).count().min(lines.len() - 1);
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
        let Line { start, moved } = lines[line];
        start + (column as i64 - moved).max(0) as u32
    }
}

/// An error about a text, in terms of the file that it was cut out of.
pub(super) fn in_file(error: MergeError, text: Option<&Excerpt>) -> MergeError {
    match (error, text) {
        (MergeError::UnknownDirective { span, path }, Some(text)) => {
            let span = Span::new(text.in_file(span.start), text.in_file(span.end));
            MergeError::UnknownDirective { span, path }
        }
        (error, _) => error,
    }
}

/// A unit with its comments and markers.
pub(super) fn excerpt(trees: &Trees<'_>, unit: UnitRef) -> Excerpt {
    if trees.unit(unit).item.is_some() {
        return node_excerpt(trees, unit, column(trees, unit));
    }
    let span = trees.unit(unit).extent;
    let text = span.of(trees.source(unit)).to_owned();
    Excerpt { origin: Origin::FromEnd(text.len()), text, indent: 0, span }
}

/// The column of a unit's node.
pub(super) fn column(trees: &Trees<'_>, unit: UnitRef) -> usize {
    let start = trees.unit(unit).span.start;
    (start - line_start(trees.source(unit), start)) as usize
}

/// The node of a unit moved to a column, and a newline.
pub(super) fn node_excerpt(trees: &Trees<'_>, unit: UnitRef, indent: usize) -> Excerpt {
    let span = trees.unit(unit).span;
    let moved = indent as i64 - column(trees, unit) as i64;
    let mut text = " ".repeat(indent);
    let mut lines = vec![Line { start: span.start, moved: indent as i64 }];
    let mut start = span.start;
    for (index, line) in span.of(trees.source(unit)).split_inclusive('\n').enumerate() {
        push_moved(&mut text, line, if index == 0 { 0 } else { moved });
        start += line.len() as u32;
        lines.push(Line { start, moved });
    }
    text.push('\n');
    Excerpt { text, indent, span, origin: Origin::Lines(lines) }
}

/// A text whose lines start with `indent` blanks, from the first of them on that is its own; a root that was replaced stands
/// at the left.
pub(super) fn placed(text: &str, indent: usize) -> String {
    if text.len() >= indent && text.bytes().take(indent).all(|byte| byte == b' ') {
        return text[indent..].to_owned();
    }
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split_inclusive('\n').enumerate() {
        push_moved(&mut out, line, if index == 0 { 0 } else { indent as i64 });
    }
    out
}

/// Appends a line with more or fewer blanks before it; a blank line stays as it is.
fn push_moved(text: &mut String, line: &str, moved: i64) {
    let blanks = line.len() - line.trim_start_matches(' ').len();
    if moved > 0 && !line.trim_ascii().is_empty() {
        text.extend(std::iter::repeat_n(' ', moved as usize));
    }
    let gone = if moved < 0 { blanks.min(moved.unsigned_abs() as usize) } else { 0 };
    text.push_str(&line[gone..]);
}

/// The streams of up to three excerpts.
pub(super) fn parse_all(texts: &Slots<Excerpt>) -> Result<Slots<Stream<'_>>, MergeError> {
    let Slots { dest, base, incoming } = texts;
    Ok(Slots { dest: parse(dest)?, base: parse(base)?, incoming: parse(incoming)? })
}

/// The stream of an excerpt, if there is one.
pub(super) fn parse(text: &Option<Excerpt>) -> Result<Option<Stream<'_>>, MergeError> {
    Ok(text.as_ref().map(|text| Stream::parse(&text.text)).transpose()?)
}
