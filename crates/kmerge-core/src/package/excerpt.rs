//! Excerpts: units cut out of their files, as texts that parse on their own.

use kyaml_ast::{Span, Stream, line_start};

use super::trees::{Trees, UnitRef};
use crate::MergeError;
use crate::documents::are_most_of;
use crate::slots::{Side, Slots};

/// The text of a unit, and where its places are in the file.
#[derive(Clone, Debug)]
pub(super) struct Excerpt {
    pub(super) text: String,
    /// Where the text stands in its file.
    span: Span,
    /// The parts of the text that stand elsewhere than in the file, in order.
    parts: Vec<Part>,
}

/// A part of an excerpt, up to the next one.
#[derive(Clone, Copy, Debug)]
struct Part {
    /// Where it starts in the excerpt.
    at: usize,
    /// Where it starts in the file.
    in_file: i64,
    /// How many columns it was moved to the right.
    moved: i64,
}

impl Excerpt {
    fn new(text: String, span: Span) -> Self {
        Self { text, span, parts: vec![Part { at: 0, in_file: span.start.into(), moved: 0 }] }
    }

    /// A text that replaces this one.
    pub(super) fn with_text(&self, text: String) -> Self {
        Self::new(text, self.span)
    }

    /// A text that replaces this one, moved to a column.
    pub(super) fn with_text_at(&self, text: &str, indent: usize) -> Self {
        let mut moved = String::with_capacity(text.len());
        text.split_inclusive('\n').for_each(|line| push_moved(&mut moved, line, indent as i64));
        self.with_text(moved)
    }

    /// A text that replaces this one, in which a part that starts at `at` is another: behind it, places are counted from the end.
    pub(super) fn with_part(&self, text: String, at: u32) -> Self {
        let at = at as usize + 1;
        let in_file = i64::from(self.span.end) - text.len() as i64 + at as i64;
        let mut new = self.with_text(text);
        new.parts.push(Part { at, in_file, moved: 0 });
        new
    }

    /// The place in the file of a place in the text.
    pub(super) fn in_file(&self, at: u32) -> u32 {
        let parts = self.parts.partition_point(|part| part.at <= at as usize);
        let part = self.parts[parts - 1];
        let place = part.in_file + (i64::from(at) - part.at as i64 - part.moved).max(0);
        place.clamp(self.span.start.into(), self.span.end.into()) as u32
    }
}

/// An error about a text, in terms of the file that it was cut out of.
pub(super) fn in_file(mut error: MergeError, text: Option<&Excerpt>) -> MergeError {
    if let MergeError::UnknownDirective { span, .. }
    | MergeError::PatchDirective { span, .. }
    | MergeError::RepeatedKey { side: Side::Incoming, span, .. } = &mut error
        && let Some(text) = text
    {
        *span = Span::new(text.in_file(span.start), text.in_file(span.end));
    }
    error
}

/// A unit with its comments and markers.
pub(super) fn excerpt(trees: &Trees<'_>, unit: UnitRef) -> Excerpt {
    if trees.unit(unit).item.is_some() {
        return node_excerpt(trees, unit, column(trees, unit));
    }
    Excerpt::new(trees.extent(unit).to_owned(), trees.unit(unit).extent)
}

/// The versions of a document with their comments and markers; that of the head of its file only where it went along.
pub(super) fn excerpts(trees: &Trees<'_>, units: Slots<UnitRef>) -> Slots<Excerpt> {
    let goes_along = head_goes_along(trees, units);
    units.map(|unit| match trees.head(unit) {
        Some(head) if goes_along => {
            let span = trees.unit(head).extent.cover(trees.unit(unit).extent);
            Excerpt::new(span.of(trees.source(unit)).to_owned(), span)
        }
        _ => excerpt(trees, unit),
    })
}

/// Whether the destination put other documents above one that stands below the head of its file on another side, and the head went
/// along with it: as in a single file, most of its lines stand above the document now. A head above a `---` stays there.
pub(super) fn head_goes_along(trees: &Trees<'_>, units: Slots<UnitRef>) -> bool {
    let (Some(dest), Some(base)) = (units.dest, units.base) else { return false };
    let is_document = |unit: UnitRef| !trees.is_item(unit) && !trees.has_items(unit);
    let is_below_head = |unit: &UnitRef| trees.head(*unit).is_some();
    let is_bare = |unit: UnitRef| !trees.extent(unit).starts_with("---");
    if is_below_head(&dest) || !is_below_head(&base) || !units.present().all(|(_, unit)| is_document(*unit)) {
        return false;
    }
    let headed = || [units.base, units.incoming].into_iter().flatten().filter(is_below_head);
    let above = Span::new(trees.unit(dest).extent.start, trees.unit(dest).span.start).of(trees.source(dest));
    let above: Vec<&str> = above.lines().collect();
    let is_there = |head: UnitRef| {
        let lines: Vec<&str> = trees.extent(head).lines().filter(|line| line.starts_with('#')).collect();
        are_most_of(&lines, &above)
    };
    headed().all(is_bare) && headed().filter_map(|unit| trees.head(unit)).any(is_there)
}

/// The column of a unit's node.
pub(super) fn column(trees: &Trees<'_>, unit: UnitRef) -> usize {
    let start = trees.unit(unit).span.start;
    (start - line_start(trees.source(unit), start)) as usize
}

/// The node of a unit moved to a column, and a newline.
pub(super) fn node_excerpt(trees: &Trees<'_>, unit: UnitRef, indent: usize) -> Excerpt {
    let (source, span) = (trees.source(unit), trees.unit(unit).span);
    let mut new = Excerpt::new(" ".repeat(indent), span);
    new.parts[0].moved = indent as i64;
    let moved = indent as i64 - column(trees, unit) as i64;
    let mut in_file = span.start.into();
    for (index, line) in span.of(source).split_inclusive('\n').enumerate() {
        if index > 0 {
            new.parts.push(Part { at: new.text.len(), in_file, moved });
        }
        push_moved(&mut new.text, line, if index == 0 { 0 } else { moved });
        in_file += line.len() as i64;
    }
    new.text.push('\n');
    new
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

/// The text of an item, which starts with `indent` blanks, as it stands behind its `- `.
pub(super) fn in_place(text: &str, indent: usize) -> String {
    placed(text.trim_end_matches(['\r', '\n']), indent)
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
