//! Merges the header of a file, if documents are added, removed or moved below it.
//!
//! The header is the comments above the first `---`. If the file starts without `---`, the header is the comments at the
//! top, down to the last blank line among them; comments directly above the content belong to the document. The header
//! stays once above the first document, and follows the four rules apart from all documents. If the first document is
//! the same row on all sides, its row decides about the header instead. So it does where a side put other documents above
//! that one, and most lines of another side's header stand above it there. Ignores files of which a side has no such place.

use hashbrown::HashSet;
use kyaml_ast::{Document, DocumentPiece, Edit, Graft, NodeId, Span, Stream};

use super::Place;
use crate::slots::{Side, Slots};
use crate::walk::above_start;

/// The headers of all sides. The span of a side without such comments is empty.
#[derive(Clone, Copy, Default)]
pub(super) struct Header {
    spans: Slots<Span>,
    /// The first documents.
    first: Slots<NodeId>,
}

impl Header {
    /// The header of a file, if it does not belong to a single row. Empty otherwise.
    pub(super) fn of(streams: &Slots<&Stream<'_>>, rows: &[Slots<Document<'_>>]) -> Self {
        let firsts = streams.filter_map(|stream| stream.documents().next());
        let spans = firsts.filter_map(header);
        let first = firsts.map(Document::id);
        let is_everywhere = spans.present().count() == streams.present().count() && spans.dest.is_some();
        let has_text = spans.present().any(|(_, span)| !span.is_empty());
        let is_of_row = || rows.iter().any(|row| row.map(Document::id) == first || went_along(row, &firsts, &spans));
        if is_everywhere && has_text && !is_of_row() { Self { spans, first } } else { Self::default() }
    }

    pub(super) const fn spans(&self) -> Slots<Span> {
        self.spans
    }

    /// The bytes of a side's document without the header.
    pub(super) fn body(&self, side: Side, document: Document<'_>) -> Span {
        let span = document.span();
        self.above(side, document.id()).map_or(span, |header| Span::new(header.end, span.end))
    }

    /// Removes the header from a document that is copied or moved.
    pub(super) fn leave(&self, side: Side, mut graft: Graft<NodeId>) -> Graft<NodeId> {
        let header = self.above(side, graft.part);
        graft.edits.extend(header.filter(|span| !span.is_empty()).map(removal));
        graft
    }

    /// The header, if it stands above this document.
    fn above(&self, side: Side, document: NodeId) -> Option<Span> {
        if self.first.get(side) == Some(&document) { self.spans.get(side).copied() } else { None }
    }

    /// Keeps the header at the top of the result of `edits`, and adds the edits of the header itself. `changed` is its
    /// new text, if it changes.
    pub(super) fn keep(&self, dest: &Stream<'_>, changed: Option<String>, edits: &mut Vec<Edit>) {
        let (Some(span), Some(first)) = (self.spans.dest, dest.documents().next()) else { return };
        let text = changed.unwrap_or_else(|| span.of(dest.source()).to_owned());
        let on_top = edits.iter_mut().find_map(|edit| match edit {
            Edit::InsertDocuments { after: None, documents } => Some(documents),
            _ => None,
        });
        let is_covered = on_top.is_some();
        if let Some(documents) = on_top {
            documents.insert(0, DocumentPiece::Lines(text.clone()));
        }
        let is_gone = |edit: &&mut Edit| matches!(edit, Edit::RemoveDocument { document } if *document == first.id());
        match edits.iter_mut().find(is_gone) {
            Some(_) if is_covered || text.is_empty() => {}
            Some(removed) => *removed = Edit::Text { span: Span::new(span.start, first.span().end), text },
            None if is_covered => edits.push(removal(span)),
            None if text != span.of(dest.source()) => edits.push(Edit::Text { span, text }),
            None => {}
        }
    }
}

/// Whether a row is the base's first document, and on each side the first one, too, or one further down that has most lines of
/// another side's header above it, while the file has no header. A header above a `---` stays there.
fn went_along(row: &Slots<Document<'_>>, firsts: &Slots<Document<'_>>, headers: &Slots<Span>) -> bool {
    let Some(base) = row.base else { return false };
    let header = |(side, span): (Side, &Span)| Some(firsts.get(side)?.stream().comments_in(*span).collect::<Vec<_>>());
    let headers_of_sides: Vec<Vec<&str>> = headers.present().filter_map(header).collect();
    let stays = |document: Document<'_>, side: Side| {
        firsts.get(side).is_some_and(|first| first.id() == document.id()) && starts_bare(document)
    };
    let has_header = |document: Document<'_>| {
        let (Some(marker), Some(root)) = (document.start_marker(), document.root()) else { return false };
        let above: Vec<&str> = document.stream().comments_in(Span::new(marker.end, root.full_span().start)).collect();
        headers_of_sides.iter().any(|header| are_most_of(header, &above))
    };
    let goes_along = |side: Side| {
        let is_free = headers.get(side).is_some_and(|header| header.is_empty());
        row.get(side).is_some_and(|document| stays(*document, side) || is_free && has_header(*document))
    };
    stays(base, Side::Base) && Side::MERGED.into_iter().all(goes_along)
}

/// Whether most lines of a header stand among the comments above a document: then these are that header.
pub(crate) fn are_most_of(header: &[&str], above: &[&str]) -> bool {
    2 * header.iter().filter(|line| above.contains(line)).count() > header.len()
}

const fn removal(span: Span) -> Edit {
    Edit::Text { span, text: String::new() }
}

/// The header above the first document of a file.
fn header(document: Document<'_>) -> Option<Span> {
    above_start(document).or_else(|| starts_bare(document).then(|| set_off(document)))
}

/// A document without the header of its file, if it starts without `---`.
pub(super) fn below_header(document: Document<'_>) -> Span {
    let is_first = document.stream().documents().next().is_some_and(|first| first.id() == document.id());
    let start = if is_first && starts_bare(document) { set_off(document).end } else { document.span().start };
    Span::new(start, document.span().end)
}

/// If the file starts without `---` and its first documents are removed, removes the `---` above the document that becomes
/// the first.
///
/// Something new comes to `places`. `edits` are the edits of the plan.
pub(super) fn start_bare(dest: &Stream<'_>, places: &[Place], edits: &mut Vec<Edit>) {
    let new: HashSet<Option<NodeId>> = places.iter().map(|place| place.1).collect();
    let removed: HashSet<NodeId> = edits.iter().filter_map(removed).collect();
    let is_removed = |document: &Document<'_>| removed.contains(&document.id());
    let is_followed = |document: Document<'_>| new.contains(&Some(document.id()));
    let old = dest.documents().next().filter(|old| is_removed(old) && starts_bare(*old));
    if old.is_none() || new.contains(&None) || dest.documents().take_while(is_removed).any(is_followed) {
        return;
    }
    let Some(line) = dest.documents().find(|document| !is_removed(document)).and_then(marker_line) else { return };
    let is_new_start = |edit: &Edit| matches!(edit, Edit::Text { span, .. } if span.start < line.end);
    if !edits.iter().any(is_new_start) {
        edits.push(Edit::Text { span: line, text: String::new() });
    }
}

const fn removed(edit: &Edit) -> Option<NodeId> {
    match edit {
        Edit::RemoveDocument { document } => Some(*document),
        _ => None,
    }
}

fn starts_bare(document: Document<'_>) -> bool {
    document.start_marker().is_none() && document.directives().next().is_none() && document.root().is_some()
}

/// The line of a `---` that nothing stands before or beside.
fn marker_line(document: Document<'_>) -> Option<Span> {
    let (span, marker) = (document.span(), document.start_marker()?);
    let rest = document.text().get((marker.end - span.start) as usize..)?;
    let line = rest.split_inclusive('\n').next()?;
    (marker.start == span.start && line.ends_with('\n') && line.trim().is_empty())
        .then(|| Span::new(span.start, marker.end + line.len() as u32))
}

/// The comments at the start of a document without `---` that a blank line separates from its content.
pub(crate) fn set_off(document: Document<'_>) -> Span {
    let text = document.text().trim_start_matches('\u{feff}');
    let start = document.span().end - text.len() as u32;
    let (mut at, mut has_comment, mut end) = (start, false, start);
    for line in text.split_inclusive('\n') {
        at += line.len() as u32;
        match line.trim().as_bytes().first() {
            None if has_comment => end = at,
            None => {}
            Some(b'#') => has_comment = true,
            Some(_) => break,
        }
    }
    Span::new(start, end)
}
