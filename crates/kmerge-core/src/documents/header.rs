//! The comments above the first `---` of a file, where documents come, go or move around it: they are the file's.
//!
//! They stay above whatever comes first, once, and follow the four rules apart from all documents. Where the first document is
//! the same on all sides, its row decides about them; ignores files of which some side has no such place.

use kyaml_ast::{Document, DocumentPiece, Edit, Graft, NodeId, Span, Stream};

use crate::slots::{Side, Slots};
use crate::walk::above_start;

/// The places above the first `---` of all sides.
#[derive(Clone, Copy, Default)]
pub(super) struct Header {
    spans: Slots<Span>,
    /// The first documents.
    first: Slots<NodeId>,
}

impl Header {
    /// The header of a file that is no single row's; nothing where a row decides.
    pub(super) fn of(streams: &Slots<&Stream<'_>>, rows: &[Slots<Document<'_>>]) -> Self {
        let firsts = streams.filter_map(|stream| stream.documents().next());
        let spans = firsts.filter_map(above_start);
        let first = firsts.map(Document::id);
        let is_everywhere = spans.present().count() == streams.present().count() && spans.dest.is_some();
        let is_one_row = rows.iter().any(|row| row.map(Document::id) == first);
        let has_text = spans.present().any(|(_, span)| !span.is_empty());
        if is_everywhere && !is_one_row && has_text { Self { spans, first } } else { Self::default() }
    }

    pub(super) const fn spans(&self) -> Slots<Span> {
        self.spans
    }

    /// Where a document of a side starts once the header is left out.
    pub(super) fn body(&self, side: Side, document: Document<'_>) -> Span {
        let span = document.span();
        self.above(side, document.id()).map_or(span, |header| Span::new(header.end, span.end))
    }

    /// A document that travels without the header.
    pub(super) fn leave(&self, side: Side, mut graft: Graft<NodeId>) -> Graft<NodeId> {
        let header = self.above(side, graft.part);
        graft.edits.extend(header.filter(|span| !span.is_empty()).map(removal));
        graft
    }

    /// The header, if it stands above this document.
    fn above(&self, side: Side, document: NodeId) -> Option<Span> {
        if self.first.get(side) == Some(&document) { self.spans.get(side).copied() } else { None }
    }

    /// Keeps the header on top of what `edits` make of the destination; `edits` of the header itself are among them.
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

const fn removal(span: Span) -> Edit {
    Edit::Text { span, text: String::new() }
}
