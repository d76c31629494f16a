//! Inserts and removes documents.

use super::replacement::Replacement;
use super::{Context, Place, SpliceError};
use crate::edit::{DocumentPiece, Graft};
use crate::span::Span;
use crate::tree::{Document, NodeId, Stream};

impl Place<'_, '_> {
    pub(super) fn insert_documents(
        &mut self,
        after: Option<NodeId>,
        documents: &[DocumentPiece],
    ) -> Result<(), SpliceError> {
        let Some(after) = after else { return self.insert_first(documents) };
        let previous = Document { stream: self.stream, id: after };
        let mut is_open = previous.end_marker().is_none() && previous.root().is_some();
        let mut text = String::new();
        for piece in documents {
            self.push_document(&mut text, piece, &mut is_open)?;
        }
        self.out.push(Replacement::lines(Span::at(previous.span().end), text, after.0));
        Ok(())
    }

    /// Documents before the first one, which needs a `---` now.
    fn insert_first(&mut self, documents: &[DocumentPiece]) -> Result<(), SpliceError> {
        let mut text = String::new();
        let mut is_open = false;
        for piece in documents {
            self.push_document(&mut text, piece, &mut is_open)?;
        }
        let first = self.stream.documents().next();
        let needs_start = first.is_some_and(|first| first.root().is_some() && first.start_marker().is_none());
        if is_open && needs_start {
            text.push_str("---");
            text.push_str(self.context.newline.as_str());
        }
        let start = if self.stream.source.starts_with('\u{feff}') { 3 } else { 0 };
        self.out.push(Replacement::lines(Span::at(start), text, u32::MAX));
        Ok(())
    }

    /// Appends a document; `is_open` tells whether content stands before that no `...` has ended.
    fn push_document(&self, text: &mut String, piece: &DocumentPiece, is_open: &mut bool) -> Result<(), SpliceError> {
        let newline = self.context.newline.as_str();
        let graft = match piece {
            DocumentPiece::Lines(lines) => {
                text.push_str(lines);
                return Ok(());
            }
            DocumentPiece::Document(graft) => graft,
        };
        let body = self.context.document(graft)?;
        let stream = self.context.stream(graft.stream)?;
        let document = Document { stream, id: graft.part };
        if *is_open && document.directives().next().is_some() {
            text.extend(["...", newline]);
        } else if *is_open && document.start_marker().is_none() {
            text.extend(["---", newline]);
        }
        text.push_str(&body);
        *is_open = document.end_marker().is_none();
        Ok(())
    }

    pub(super) fn remove_document(&mut self, document: NodeId) {
        let document = Document { stream: self.stream, id: document };
        let mut span = document.span();
        if span.start == 0 && self.stream.source.starts_with('\u{feff}') {
            span.start = 3;
        }
        self.out.push(Replacement::new(span, "", 0));
    }
}

impl Context<'_> {
    /// A document as whole lines, edits applied.
    pub(super) fn document(&self, graft: &Graft<NodeId>) -> Result<String, SpliceError> {
        let stream: &Stream<'_> = self.stream(graft.stream)?;
        let span = Document { stream, id: graft.part }.span();
        let text = self.edited(graft.stream, span, &graft.edits)?;
        let mut text = self.shift(0, 0).lines(text.trim_start_matches('\u{feff}'));
        if !text.ends_with('\n') {
            text.push_str(self.newline.as_str());
        }
        Ok(text)
    }
}
