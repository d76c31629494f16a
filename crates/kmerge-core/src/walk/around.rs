//! Where comments and blank lines stand around a document's root, apart by what they stand above, below and beside.
//!
//! The places of one document are disjoint. Ignores comments between two directives and between properties on lines of their
//! own, and roots that share their lines with other things than these.

use kyaml_ast::{Document, Entry, Node, Span, line_end, line_start};

/// The places of a document; `None` where it has no such place.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// Above `---` and the directives above it. Without `...` before, that would be the document's above.
    pub(super) above_start: Option<Span>,
    /// Behind the last directive and below it.
    pub(super) behind_directives: Option<Span>,
    /// On the line of `---`.
    pub(super) beside_start: Option<Span>,
    /// Above the root and its anchor and tag; in a document without a root, everything else.
    pub(super) head: Option<Span>,
    /// Between anchor and tag on lines of their own and a collection's first entry.
    pub(super) below_properties: Option<Span>,
    /// Behind a root that is no collection in block style, or behind the anchor and tag of one.
    pub(super) beside_root: Option<Span>,
    /// Below the root.
    pub(super) foot: Option<Span>,
    /// Behind `...`, on its line and below: comments, blank lines and more such markers.
    pub(super) behind_end: Option<Span>,
}

impl Around {
    pub(super) fn of(document: Document<'_>) -> Self {
        let (head, below_properties, foot) = own_lines(document);
        Self {
            above_start: above_start(document),
            behind_directives: behind_directives(document),
            beside_start: beside_start(document),
            head,
            below_properties,
            beside_root: root(document).and_then(Node::beside),
            foot,
            behind_end: document
                .end_marker()
                .map(|marker| trimmed(document, Span::new(marker.end, document.span().end.max(marker.end)))),
        }
    }
}

/// The root, if it is written.
pub(super) fn root(document: Document<'_>) -> Option<Node<'_>> {
    document.root().filter(|root| !root.full_span().is_empty())
}

/// Where a document starts, its byte order mark left out.
fn start(document: Document<'_>) -> u32 {
    document.span().start + if document.text().starts_with('\u{feff}') { 3 } else { 0 }
}

/// What stands above `---` and the directives above it.
pub(crate) fn above_start(document: Document<'_>) -> Option<Span> {
    let marker = document.start_marker()?;
    let before = document.stream().source()[..document.span().start as usize].lines().next_back();
    let is_closed = before.is_none_or(|line| line == "..." || line.starts_with("... ") || line.starts_with("...\t"));
    let end = document.directives().next().map_or(marker.start, |directive| directive.start);
    is_closed.then(|| Span::new(start(document).min(end), end))
}

fn behind_directives(document: Document<'_>) -> Option<Span> {
    let last = document.directives().last()?;
    Some(trimmed(document, Span::new(last.end, document.start_marker()?.start)))
}

fn beside_start(document: Document<'_>) -> Option<Span> {
    let line = rest_of_line(document, document.start_marker()?.end);
    root(document).is_none_or(|root| root.full_span().start > line.end).then_some(line)
}

/// What stands on lines of its own: above the root, below its properties, below it.
type OwnLines = (Option<Span>, Option<Span>, Option<Span>);

fn own_lines(document: Document<'_>) -> OwnLines {
    let source = document.stream().source();
    let from = document.start_marker().map_or(start(document), |marker| line_end(source, marker.end));
    let end = document.end_marker().map_or(document.span().end, |marker| marker.start);
    let Some(root) = root(document) else { return (Some(Span::new(from.min(end), end)), None, None) };
    let last = block_entries(root).last().map(|last| last.extent().end);
    let behind = last.or_else(|| root.block_scalar().map(|scalar| scalar.body.end));
    let behind = behind.unwrap_or_else(|| line_end(source, root.span().end));
    let (head, below) = lines_above(document, root, from);
    (head, below, (behind <= end).then(|| Span::new(behind, end)))
}

/// The entries of a collection that stands on lines of its own; of anything else, none.
pub(super) fn block_entries<'t>(node: Node<'t>) -> impl Iterator<Item = Entry<'t>> {
    let is_block = node.is_block_collection();
    is_block.then(|| node.entries()).into_iter().flatten()
}

/// The lines above a root, from byte `from`, and below its properties.
fn lines_above(document: Document<'_>, root: Node<'_>, from: u32) -> (Option<Span>, Option<Span>) {
    let properties = line_start(document.stream().source(), root.full_span().start).max(start(document));
    let above = match block_entries(root).next() {
        Some(first) if !first.starts_line() => return (None, None),
        Some(first) => first.extent().start,
        None => properties,
    };
    if above < from {
        return (None, None);
    }
    if !root.is_block_collection() || root.properties_end().is_none() {
        return (Some(Span::new(from, above)), None);
    }
    let below = below_properties(root, above);
    match from <= properties {
        true => (Some(Span::new(from, properties)), Some(Span::new(below, above))),
        false => (Some(Span::new(below.max(from), above)), None),
    }
}

/// Where the lines with a root's anchor and tag end.
fn below_properties(root: Node<'_>, end: u32) -> u32 {
    let start = root.full_span().start;
    let (mut below, mut at) = (start, start);
    for line in Span::new(start, end).of(root.stream().source()).split_inclusive('\n') {
        at += line.len() as u32;
        if !is_trivia(line) {
            below = at;
        }
    }
    below
}

fn is_trivia(line: &str) -> bool {
    matches!(line.trim_ascii_start().as_bytes(), [] | [b'#', ..])
}

fn rest_of_line(document: Document<'_>, at: u32) -> Span {
    trimmed(document, Span::new(at, line_end(document.stream().source(), at)))
}

/// A span without blanks and line breaks at its end.
fn trimmed(document: Document<'_>, span: Span) -> Span {
    Span::new(span.start, span.start + span.of(document.stream().source()).trim_ascii_end().len() as u32)
}
