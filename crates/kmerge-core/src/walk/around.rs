//! What a document has besides its root's entries: markers, directives, properties, and comments on their lines.
//!
//! Lines stand above, between and below them, as they do with entries. Ignores comments between two directives and between
//! properties on lines of their own, and roots that share their lines with other things than these.

use kyaml_ast::{Document, Entry, Node, Span, line_end, line_start};

use crate::merge::strip::Mark;

/// What is in a document, from top to bottom; `None` for what it has not.
#[derive(Clone, Copy)]
pub(super) struct Around<'t> {
    pub(super) document: Document<'t>,
    /// From the first line to the last, blank ones above left out: these belong to the document.
    pub(super) room: Span,
    /// `---` and the directives above it.
    pub(super) start: Option<Mark>,
    /// Anchor and tag of a collection, if they have lines of their own.
    pub(super) properties: Option<Mark>,
    pub(super) root: Option<Mark>,
    /// `...`
    pub(super) end: Option<Mark>,
    /// Behind the last directive and below it.
    pub(super) behind_directives: Option<Span>,
    /// On the line of `---`.
    pub(super) beside_start: Option<Span>,
    /// Behind a root that is no collection in block style, or behind the anchor and tag of one.
    pub(super) beside_root: Option<Span>,
    /// On the line of `...`.
    pub(super) beside_end: Option<Span>,
}

impl<'t> Around<'t> {
    /// `header` is the header of the file, which is no part of this document.
    pub(super) fn of(document: Document<'t>, header: Option<Span>) -> Self {
        let header = header.filter(|header| document.span().contains(*header));
        let (source, marker) = (document.stream().source(), document.start_marker());
        let first = document.directives().next().or(marker);
        let mut start =
            first.zip(marker).map(|(first, marker)| Mark::new(Span::new(first.start, line_end(source, marker.end))));
        let end = document.end_marker().map(|marker| Mark::new(Span::new(marker.start, line_end(source, marker.end))));
        let top = header.map_or(first_byte(document), |header| header.end);
        let from = start.map_or(top, |start| start.end);
        let root = root(document);
        let (mark, properties) =
            root.map_or((None, None), |root| (Some(root_mark(root, from)), own_properties(root, first_byte(document))));
        let below = properties.filter(|lines| lines.start < from);
        if let (Some(start), Some(below)) = (&mut start, below) {
            // They stand on the line of the marker.
            start.end = start.end.max(below.end);
        }
        let above = above_start(document).filter(|above| header != Some(*above));
        let top = match start {
            Some(start) => above.map_or(start.line, |above| above.start),
            None => from,
        };
        Self {
            document,
            room: below_blanks(source, Span::new(top, document.span().end.max(top))),
            start,
            properties: if below.is_none() { properties.map(Mark::new) } else { None },
            root: mark,
            end,
            behind_directives: behind_directives(document),
            beside_start: beside_start(document),
            beside_root: root.and_then(Node::beside),
            beside_end: document.end_marker().map(|marker| rest_of_line(document, marker.end)),
        }
    }

    /// The comments above `---`, and those between that and the root.
    pub(super) fn above_and_below_start(&self) -> [Vec<&'t str>; 2] {
        let Some(start) = self.start else { return [Vec::new(), Vec::new()] };
        let content = root(self.document).map_or(start.end, |root| root.span().start.max(start.end));
        let spans = [Span::new(self.room.start.min(start.line), start.line), Span::new(start.end, content)];
        spans.map(|span| self.document.stream().comments_in(span).map(str::trim_end).collect())
    }

    /// What stands below the root.
    pub(super) fn foot(&self) -> Option<Span> {
        let (from, to) = (self.root?.end, self.end.map_or(self.room.end, |end| end.line));
        (from <= to).then(|| Span::new(from, to))
    }
}

/// The root, if it is written.
pub(super) fn root(document: Document<'_>) -> Option<Node<'_>> {
    document.root().filter(|root| !root.full_span().is_empty())
}

/// Where a document starts, its byte order mark left out.
fn first_byte(document: Document<'_>) -> u32 {
    document.span().start + if document.text().starts_with('\u{feff}') { 3 } else { 0 }
}

/// What stands above `---` and the directives above it. Without `...` before, that would be the document's above.
pub(crate) fn above_start(document: Document<'_>) -> Option<Span> {
    let marker = document.start_marker()?;
    let before = document.stream().source()[..document.span().start as usize].lines().next_back();
    let is_closed = before.is_none_or(|line| line == "..." || line.starts_with("... ") || line.starts_with("...\t"));
    let end = document.directives().next().map_or(marker.start, |directive| directive.start);
    is_closed.then(|| Span::new(first_byte(document).min(end), end))
}

fn behind_directives(document: Document<'_>) -> Option<Span> {
    let last = document.directives().last()?;
    Some(trimmed(document, Span::new(last.end, document.start_marker()?.start)))
}

fn beside_start(document: Document<'_>) -> Option<Span> {
    let line = rest_of_line(document, document.start_marker()?.end);
    root(document).is_none_or(|root| root.full_span().start > line.end).then_some(line)
}

/// The entries of a collection that stands on lines of its own; of anything else, none.
pub(super) fn block_entries<'t>(node: Node<'t>) -> impl Iterator<Item = Entry<'t>> {
    let is_block = node.is_block_collection();
    is_block.then(|| node.entries()).into_iter().flatten()
}

/// A root as a whole, below byte `from`.
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

/// The lines with a collection's anchor and tag, in a document that starts at byte `from`.
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

/// A span without blanks and line breaks at its end.
fn trimmed(document: Document<'_>, span: Span) -> Span {
    Span::new(span.start, span.start + span.of(document.stream().source()).trim_ascii_end().len() as u32)
}

/// Lines without the blank ones above them.
fn below_blanks(source: &str, lines: Span) -> Span {
    let blank = |line: &&str| line.trim().is_empty();
    let above: usize = lines.of(source).split_inclusive('\n').take_while(blank).map(str::len).sum();
    Span::new(lines.start + above as u32, lines.end)
}
