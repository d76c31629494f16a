//! Comments travel with what they belong to: none is lost on the way, none is doubled.

use std::collections::BTreeMap;

use kyaml_ast::{
    CommentSlot, Content, Document, DocumentPiece, Edit, EntryId, Graft, NodeId, Piece, Span, Stream, StreamId,
};

use crate::{Broken, law};

/// How often each comment occurs.
type Count<'t> = BTreeMap<&'t str, usize>;

/// Checks the comments of `result` against those of the source and of what edits bring.
///
/// Each comment occurs at most as often as in all of these together, and at least as often as in the entries and documents
/// that travel whole.
pub(crate) fn comments(streams: &[&Stream<'_>], edits: &[Edit], result: &Stream<'_>) -> Result<(), Broken> {
    let mut brought = Brought { streams, all: Count::new(), whole: Count::new() };
    edits.iter().for_each(|edit| brought.edit(edit));
    let Brought { mut all, whole, .. } = brought;
    streams[0].comments().for_each(|comment| *all.entry(comment.trim_end()).or_default() += 1);
    let mut found = Count::new();
    result.comments().for_each(|comment| *found.entry(comment.trim_end()).or_default() += 1);
    let count = |counts: &Count<'_>, comment: &str| counts.get(comment).copied().unwrap_or(0);
    let doubled = found.iter().find(|(comment, times)| **times > count(&all, comment));
    // What an alias gives way to comes with its comments.
    let has_alias = streams.iter().any(|stream| stream.source().contains('*'));
    law(doubled.is_none() || has_alias, || format!("more comments than there were: {doubled:?}"))?;
    let lost = whole.iter().find(|(comment, times)| **times > count(&found, comment));
    law(lost.is_none(), || format!("comments are lost: {lost:?}"))
}

struct Brought<'t> {
    streams: &'t [&'t Stream<'t>],
    all: Count<'t>,
    whole: Count<'t>,
}

impl<'t> Brought<'t> {
    fn edit(&mut self, edit: &Edit) {
        match edit {
            Edit::ReplaceValue { content, .. } | Edit::ReplaceRoot { content, .. } => self.content(content),
            Edit::Insert { pieces, .. } | Edit::Rewrite { pieces, .. } => {
                pieces.iter().for_each(|piece| self.piece(piece));
            }
            Edit::InsertDocuments { documents, .. } => documents.iter().for_each(|piece| self.document(piece)),
            Edit::SetComment { from: Some((stream, entry)), slot, .. } => {
                let entry = self.streams[stream.0 as usize].entry(*entry);
                let span = if *slot == CommentSlot::Lead { entry.lead() } else { entry.trail() };
                self.add(*stream, span.unwrap_or_default(), false);
            }
            _ => {}
        }
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Entry(graft) => self.entry(graft),
            Piece::New { value, .. } => self.content(value),
            Piece::Lines(_) => {}
        }
    }

    fn entry(&mut self, graft: &Graft<EntryId>) {
        let entry = self.streams[graft.stream.0 as usize].entry(graft.part);
        self.add(graft.stream, entry.extent(), graft.edits.is_empty());
        // The trail comment of a flow entry can stand behind the comma, outside the extent.
        let trail = entry.trail().filter(|trail| !entry.extent().contains(*trail));
        self.add(graft.stream, trail.unwrap_or_default(), graft.edits.is_empty());
        graft.edits.iter().for_each(|edit| self.edit(edit));
    }

    fn document(&mut self, piece: &DocumentPiece) {
        let DocumentPiece::Document(Graft { stream, part, edits }) = piece else { return };
        let span = self.document_span(*stream, *part);
        self.add(*stream, span, edits.is_empty());
        edits.iter().for_each(|edit| self.edit(edit));
    }

    fn document_span(&self, stream: StreamId, part: NodeId) -> Span {
        let mut documents = self.streams[stream.0 as usize].documents();
        documents.find(|document| document.id() == part).map_or(Span::default(), Document::span)
    }

    fn content(&mut self, content: &Content) {
        let (stream, span, edits) = match content {
            Content::Value(graft) | Content::Layout(graft) => {
                (graft.stream, self.streams[graft.stream.0 as usize].entry(graft.part).extent(), &graft.edits)
            }
            Content::Root(graft) => {
                let whole = Span::new(0, self.streams[graft.stream.0 as usize].source().len() as u32);
                (graft.stream, whole, &graft.edits)
            }
            Content::Inline(_) | Content::Block { .. } => return,
        };
        self.add(stream, span, false);
        edits.iter().for_each(|edit| self.edit(edit));
    }

    /// Counts the comments of a part of a stream.
    fn add(&mut self, stream: StreamId, span: Span, is_whole: bool) {
        let stream = self.streams[stream.0 as usize];
        let start = stream.source().as_ptr() as usize;
        for comment in stream.comments() {
            let at = (comment.as_ptr() as usize - start) as u32;
            if span.start <= at && at < span.end {
                *self.all.entry(comment.trim_end()).or_default() += 1;
                *self.whole.entry(comment.trim_end()).or_default() += usize::from(is_whole);
            }
        }
    }
}
