//! Reads the inside of one side's block collection as a lane: comment lines, blank lines and entries.
//!
//! Owns the position of each token. Invariant: tokens and spans are in source order, and the last token is the end of
//! the collection. Ignores comments that belong to an entry: beside its key or value, and deeper lines below it.

use hashbrown::HashMap;
use kyaml_ast::{Entry, EntryId, Span, line_start};

use super::lane::{Token, What};

/// The lane of one side.
pub(crate) struct Strip<'a> {
    pub(crate) tokens: Vec<Token<'a>>,
    /// The span of each token. For an entry: the empty span at the start of its first line.
    pub(crate) spans: Vec<Span>,
    /// The lines above each entry and above the end, by row.
    above: HashMap<usize, Span>,
    /// The token and the line of a `---` that goes with the lines above it.
    marker: Option<(usize, Span)>,
    source: &'a str,
}

impl<'a> Strip<'a> {
    /// A lane without tokens.
    fn new(source: &'a str) -> Self {
        Self { tokens: Vec::new(), spans: Vec::new(), above: HashMap::new(), marker: None, source }
    }

    /// The lane of the lines above, between and below `marks`. `room` contains all of them. `end` is the row of the
    /// last token.
    pub(crate) fn of(source: &'a str, room: Span, marks: impl IntoIterator<Item = Mark>, end: usize) -> Self {
        let mut strip = Self::new(source);
        let mut start = room.start;
        for Mark { row, own, line, has_lines, is_marker, end } in marks {
            let lines = if has_lines { Span::new(start.min(line), line) } else { Span::at(line) };
            strip.push(lines, row, own);
            if is_marker && Span::new(line, end).of(source).trim() == "---" {
                strip.marker = Some((strip.tokens.len() - 1, Span::new(line, end)));
            }
            start = end;
        }
        strip.push(Span::new(start, room.end.max(start)), end, start);
        strip
    }

    /// The lane of a text that has no entries.
    pub(crate) fn of_lines(text: &'a str, end: usize) -> Self {
        let mut strip = Self::new(text);
        strip.push(Span::new(0, text.len() as u32), end, 0);
        strip
    }

    /// Adds lines, and the entry below them. Lines before byte `own` are not about this entry.
    fn push(&mut self, lines: Span, row: usize, own: u32) {
        let lines = Span::new(lines.end - trivia(lines.of(self.source)) as u32, lines.end);
        let (mut at, mut above) = (lines.start, 0);
        for line in lines.of(self.source).split_inclusive('\n') {
            let span = Span::new(at, at + line.len() as u32);
            at = span.end;
            let text = line.trim_matches(['\u{feff}', ' ', '\t', '\r', '\n']);
            if text.is_empty() {
                above += usize::from(line.ends_with('\n'));
                continue;
            }
            let is_about = span.start >= own;
            self.tokens.push(Token { what: What::Line(text), above: std::mem::take(&mut above), is_about });
            self.spans.push(span);
        }
        self.tokens.push(Token { what: What::Entry(row), above, is_about: true });
        self.spans.push(Span::at(lines.end));
        self.above.insert(row, lines);
    }

    /// The lines above the entry of a row, or above the end.
    pub(crate) fn above(&self, row: usize) -> Option<Span> {
        self.above.get(&row).copied()
    }

    /// The place of each token. Of equal lines, the last.
    pub(crate) fn places(&self) -> HashMap<What<'a>, usize> {
        self.tokens.iter().enumerate().map(|(place, token)| (token.what, place)).collect()
    }

    /// The number of lines in the lead of the entry at a place: lines directly above it that are about it.
    pub(crate) fn lead(&self, place: usize) -> usize {
        let is_line = |place: usize| matches!(self.tokens[place].what, What::Line(_));
        let is_own =
            |above: &usize| is_line(*above) && self.tokens[*above].is_about && self.tokens[above + 1].above == 0;
        (0..place).rev().take_while(is_own).count()
    }

    /// What stands before a token.
    pub(crate) fn before(&self, place: usize) -> Option<What<'a>> {
        Some(self.tokens.get(place.checked_sub(1)?)?.what)
    }

    fn column_of(&self, place: usize) -> usize {
        let text = self.text(place);
        text.len() - text.trim_start_matches(' ').len()
    }

    /// Whether two lanes have the same lines at the same places.
    pub(crate) fn has_lines_of(&self, other: &Self) -> bool {
        let is_same = |(token, other): (&Token<'_>, &Token<'_>)| {
            let is_alike = match (token.what, other.what) {
                (What::Line(line), What::Line(other)) => line == other,
                (What::Entry(_), What::Entry(_)) => true,
                _ => false,
            };
            is_alike && token.above == other.above
        };
        self.tokens.len() == other.tokens.len() && self.tokens.iter().zip(&other.tokens).all(is_same)
    }

    /// The column of the first comment line.
    pub(crate) fn first_column(&self) -> Option<usize> {
        let is_line = |token: &Token<'_>| matches!(token.what, What::Line(_));
        self.tokens.iter().position(is_line).map(|place| self.column_of(place))
    }

    /// The text of a comment line, without the spaces around it.
    pub(crate) fn line(&self, place: usize) -> &'a str {
        if let What::Line(line) = self.tokens[place].what { line } else { "" }
    }

    /// The line of the `---` directly below a comment line.
    pub(crate) fn marker_below(&self, place: usize) -> Option<Span> {
        self.marker.filter(|(marker, _)| *marker == place + 1).map(|(_, line)| line)
    }

    /// The text of a span.
    pub(crate) fn bytes(&self, place: Span) -> &'a str {
        place.of(self.source)
    }

    /// The bytes of a token.
    pub(crate) fn text(&self, place: usize) -> &'a str {
        self.spans[place].of(self.source)
    }
}

/// An entry, or another part of a document that lines stand above and below.
#[derive(Clone, Copy)]
pub(crate) struct Mark {
    pub(crate) row: usize,
    /// The start of the entry with its lead.
    pub(crate) own: u32,
    /// The start of its first line.
    pub(crate) line: u32,
    /// Whether the lines above it are merged.
    pub(crate) has_lines: bool,
    /// Whether it is a `---` that not all sides have. If the lines directly above it are in a conflict, it goes with
    /// them.
    pub(crate) is_marker: bool,
    pub(crate) end: u32,
}

impl Mark {
    /// The mark of a document part, from the start of its first line to the end of its last.
    pub(crate) const fn new(lines: Span) -> Self {
        Self { row: 0, own: lines.start, line: lines.start, has_lines: true, is_marker: false, end: lines.end }
    }

    /// The mark of an entry.
    pub(crate) fn of(entry: Entry<'_>, row: usize, has_lines: bool) -> Self {
        let extent = entry.extent();
        Self { row, own: extent.start, line: line_of(entry), has_lines, is_marker: false, end: extent.end }
    }
}

/// The start of an entry's first line, after a byte order mark.
fn line_of(entry: Entry<'_>) -> u32 {
    let source = entry.stream().source();
    let start = line_start(source, entry.start());
    let line = Span::new(start, entry.start()).of(source);
    start + (line.len() - line.trim_start_matches('\u{feff}').len()) as u32
}

/// The rows of one side's entries. An entry that is in no row gets a new number.
pub(crate) struct Rows {
    pub(crate) known: HashMap<EntryId, usize>,
    pub(crate) next: usize,
}

impl Rows {
    pub(crate) fn row(&mut self, entry: EntryId) -> usize {
        self.known.get(&entry).copied().unwrap_or_else(|| {
            self.next += 3;
            self.next
        })
    }
}

/// The number of bytes in whole lines of comments and blanks at the end of a text.
fn trivia(text: &str) -> usize {
    let is_trivia = |line: &&str| {
        let line = line.trim_start_matches('\u{feff}').trim_ascii();
        line.is_empty() || line.starts_with('#')
    };
    text.split_inclusive('\n').rev().take_while(is_trivia).map(str::len).sum()
}
