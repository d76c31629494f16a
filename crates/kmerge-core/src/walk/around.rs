//! What a document has besides the entries of its root: markers, directives, properties (anchor and tag), and comments
//! on the lines of these.
//!
//! Comment lines stand above, between and below these parts, as they do with entries. Ignores comments between two
//! directives, comments between properties on lines of their own, and roots that share a line with anything else.

use kyaml_ast::{Document, Entry, Node, Span, line_end, line_start};

use crate::merge::strip::Mark;
use crate::resource::content;

/// The parts of a document from top to bottom. `None`: the document has no such part.
#[derive(Clone, Copy)]
pub(super) struct Around<'t> {
    pub(super) document: Document<'t>,
    /// From the first line to the last. Blank lines above the first are not included: they belong to the document.
    pub(super) room: Span,
    /// `---`, and the directives above it.
    pub(super) start: Option<Mark>,
    /// Anchor and tag of the root collection, if they stand on lines of their own.
    pub(super) properties: Option<Mark>,
    pub(super) root: Option<Mark>,
    /// The line of `...`.
    pub(super) end: Option<Mark>,
}

impl<'t> Around<'t> {
    /// `header` is the text at the top that belongs to the file, not to this document.
    pub(super) fn of(document: Document<'t>, header: Option<Span>) -> Self {
        let header = header.filter(|header| document.span().contains(*header));
        let end = document.end_marker();
        let mut start = start_mark(document);
        let from = start.map_or(header.map_or(first_byte(document), |header| header.end), |start| start.end);
        let root = content(document);
        let mut properties = root.and_then(|root| own_properties(root, first_byte(document)));
        if let Some(below) = properties.filter(|lines| lines.start < from) {
            // The properties stand on the line of the marker.
            start = start.map(|start| Mark { end: start.end.max(below.end), ..start });
            properties = None;
        }
        let above = above_start(document).filter(|above| header != Some(*above)).map(|above| above.start);
        Self {
            document,
            room: room(document, start.map_or(from, |start| above.unwrap_or(start.line))),
            start,
            properties: properties.map(Mark::new),
            root: root.map(|root| root_mark(root, from)),
            end: end.map(|marker| line_mark(document, marker)),
        }
    }

    /// The comments above `---`, and the comments between `---` and the root.
    pub(super) fn above_and_below_start(&self) -> [Vec<&'t str>; 2] {
        let Some(start) = self.start else { return [Vec::new(), Vec::new()] };
        let content = content(self.document).map_or(start.end, |root| root.span().start.max(start.end));
        let spans = [Span::new(self.room.start.min(start.line), start.line), Span::new(start.end, content)];
        spans.map(|span| self.document.stream().comments_in(span).map(str::trim_end).collect())
    }

    /// The lines below the root.
    pub(super) fn foot(&self) -> Option<Span> {
        let (from, to) = (self.root?.end, self.end.map_or(self.room.end, |end| end.line));
        (from <= to).then(|| Span::new(from, to))
    }
}

/// `---`, and the directives above it.
fn start_mark(document: Document<'_>) -> Option<Mark> {
    let marker = document.start_marker()?;
    let first = document.directives().next().unwrap_or(marker);
    Some(line_mark(document, Span::new(first.start, marker.end)))
}

/// A part of a document, to the end of its last line.
fn line_mark(document: Document<'_>, part: Span) -> Mark {
    Mark::new(Span::new(part.start, line_end(document.stream().source(), part.end)))
}

/// The first byte of a document, after a byte order mark.
fn first_byte(document: Document<'_>) -> u32 {
    document.span().start + if document.text().starts_with('\u{feff}') { 3 } else { 0 }
}

/// The text above `---` and its directives. `None` if the document before has no `...`: then that text belongs to it.
pub(crate) fn above_start(document: Document<'_>) -> Option<Span> {
    let marker = document.start_marker()?;
    let before = document.stream().source()[..document.span().start as usize].lines().next_back();
    let is_closed = before.is_none_or(|line| line == "..." || line.starts_with("... ") || line.starts_with("...\t"));
    let end = document.directives().next().map_or(marker.start, |directive| directive.start);
    is_closed.then(|| Span::new(first_byte(document).min(end), end))
}

/// The text after the last directive, down to `---`.
pub(super) fn behind_directives(document: Document<'_>) -> Option<Span> {
    let last = document.directives().last()?;
    Some(trimmed(document, Span::new(last.end, document.start_marker()?.start)))
}

/// The rest of the line of `---`.
pub(super) fn beside_start(document: Document<'_>) -> Option<Span> {
    let line = rest_of_line(document, document.start_marker()?.end);
    content(document).is_none_or(|root| root.full_span().start > line.end).then_some(line)
}

/// The rest of the line of `...`.
pub(super) fn beside_end(document: Document<'_>) -> Option<Span> {
    Some(rest_of_line(document, document.end_marker()?.end))
}

/// The entries of a block collection. Nothing for any other node.
pub(super) fn block_entries<'t>(node: Node<'t>) -> impl Iterator<Item = Entry<'t>> {
    let is_block = node.is_block_collection();
    is_block.then(|| node.entries()).into_iter().flatten()
}

/// The root as one mark. Its lines start at byte `from` or below.
fn root_mark(root: Node<'_>, from: u32) -> Mark {
    let source = root.stream().source();
    let properties = line_start(source, root.full_span().start);
    let last = block_entries(root).last().map(|last| last.extent().end);
    let behind = last.or_else(|| root.block_scalar().map(|scalar| scalar.body.end));
    let end = behind.unwrap_or_else(|| line_end(source, root.span().end));
    let (line, starts_line) = match block_entries(root).next() {
        Some(first) => (first.extent().start, first.starts_line()),
        None => (properties, true),
    };
    let has_lines = starts_line && line >= from;
    let line = line.max(from);
    Mark { has_lines, ..Mark::new(Span::new(line, end.max(line))) }
}

/// The lines that hold a collection's anchor and tag. The document starts at byte `from`.
fn own_properties(root: Node<'_>, from: u32) -> Option<Span> {
    root.properties_end()?;
    let end = block_entries(root).next().filter(|first| first.starts_line())?.extent().start;
    let start = root.full_span().start;
    let (mut below, mut at) = (start, start);
    for line in Span::new(start, end.max(start)).of(root.stream().source()).split_inclusive('\n') {
        at += line.len() as u32;
        if !matches!(line.trim_ascii_start().as_bytes(), [] | [b'#', ..]) {
            below = at;
        }
    }
    Some(Span::new(line_start(root.stream().source(), start).max(from), below))
}

fn rest_of_line(document: Document<'_>, at: u32) -> Span {
    trimmed(document, Span::new(at, line_end(document.stream().source(), at)))
}

/// A span without the blanks and line breaks at its end.
fn trimmed(document: Document<'_>, span: Span) -> Span {
    Span::new(span.start, span.start + span.of(document.stream().source()).trim_ascii_end().len() as u32)
}

/// A document from the byte `top`, without the blank lines there.
fn room(document: Document<'_>, top: u32) -> Span {
    let lines = Span::new(top, document.span().end.max(top));
    let blank = |line: &&str| line.trim().is_empty();
    let above: usize = lines.of(document.stream().source()).split_inclusive('\n').take_while(blank).map(str::len).sum();
    Span::new(lines.start + above as u32, lines.end)
}
