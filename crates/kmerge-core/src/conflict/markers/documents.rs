//! Hunks around and between documents, whose versions each fit between their neighbours.
//!
//! A version that starts where another document is open gets a `---`; one before a document that cannot start by itself
//! ends with `...`, and so does nothing at all, where it comes between two that only the removed document kept apart.

use kyaml_ast::{Document, DocumentPiece, Edit, Graft, NodeId, Stream, render_document};

use super::{Markers, anchor, document_of};
use crate::MergeError;
use crate::plan::{Conflict, Variant};
use crate::slots::Side;

/// What stands before and behind a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seams {
    /// A document before it is not closed by `...`.
    is_open: bool,
    /// The document behind it needs the one before it to be closed.
    needs_end: bool,
}

impl Seams {
    fn between(before: Option<Document<'_>>, behind: Option<Document<'_>>) -> Self {
        let is_bare = |document: Document<'_>| document.start_marker().is_none() && document.root().is_some();
        Self {
            is_open: before.is_some_and(|before| before.root().is_some() && before.end_marker().is_none()),
            needs_end: behind.is_some_and(|behind| is_bare(behind) || behind.directives().next().is_some()),
        }
    }
}

impl Markers<'_> {
    /// A hunk around a document of the destination.
    pub(super) fn document(&mut self, id: NodeId, conflicts: &[&Conflict]) -> Result<(), MergeError> {
        let dest = self.streams[0];
        let documents: Vec<Document<'_>> = dest.documents().collect();
        let Some(place) = documents.iter().position(|document| document.id() == id) else { return Ok(()) };
        let document = documents[place];
        let before = place.checked_sub(1).map(|before| documents[before]);
        let seams = Seams::between(before, documents.get(place + 1).copied());
        let inner = self.take_edits(|edit| match edit {
            Edit::Text { span, .. } | Edit::Lines { span, .. } => document.span().contains(*span),
            _ => anchor(edit).is_some_and(|node| document_of(dest, node) == Some(id)),
        });
        let text = self.three(conflicts, &inner, |edits| {
            let replacement = edits.iter().find_map(|edit| match edit {
                Edit::InsertDocuments { documents, .. } => documents.first().cloned(),
                _ => None,
            });
            match replacement {
                Some(DocumentPiece::Document(graft)) => self.version(Some(&graft), seams),
                _ if edits.iter().any(|edit| matches!(edit, Edit::RemoveDocument { .. })) => self.version(None, seams),
                _ => {
                    let graft = Graft { stream: Side::Dest.stream(), part: id, edits };
                    Ok(render_document(self.streams, Side::Dest.stream(), &graft)?)
                }
            }
        })?;
        // The byte order mark belongs to the file.
        let mut span = document.span();
        if span.of(dest.source()).starts_with('\u{feff}') {
            span.start += 3;
        }
        self.edits.push(Edit::Lines { span, text });
        Ok(())
    }

    /// A hunk between documents.
    pub(super) fn document_gap(&mut self, conflict: &Conflict, after: Option<NodeId>) -> Result<(), MergeError> {
        let dest = self.streams[0];
        let before = after.and_then(|after| dest.documents().find(|document| document.id() == after));
        let behind = dest.documents().find(|document| Some(document.id()) > after);
        let mut seams = Seams::between(before, behind);
        // Documents that come to the same place stand before the hunk.
        let new = self.edits.iter().rev().find_map(|edit| match edit {
            Edit::InsertDocuments { after: place, documents } if *place == after => documents.last(),
            _ => None,
        });
        if let Some(DocumentPiece::Document(graft)) = new {
            seams.is_open = Seams::between(self.find(graft), None).is_open;
        }
        let side = |variant: &Variant| match variant {
            Variant::Document(graft) => self.version(Some(graft), seams),
            _ => Ok(String::new()),
        };
        let text = self.hunks.hunk("", &side(&conflict.base)?, &side(&conflict.incoming)?);
        let documents = vec![DocumentPiece::Lines(text)];
        self.edits.push(Edit::InsertDocuments { after, documents });
        Ok(())
    }

    /// A document, or nothing, as it can stand between the neighbours of a hunk.
    fn version(&self, graft: Option<&Graft<NodeId>>, seams: Seams) -> Result<String, MergeError> {
        let newline = self.hunks.newline.as_str();
        let end = format!("...{newline}");
        let Some(graft) = graft else {
            return Ok(if seams.is_open && seams.needs_end { end } else { String::new() });
        };
        let mut text = render_document(self.streams, Side::Dest.stream(), graft)?;
        let Some(document) = self.find(graft) else { return Ok(text) };
        if seams.is_open && document.directives().next().is_some() {
            text.insert_str(0, &end);
        } else if seams.is_open && document.start_marker().is_none() {
            text.insert_str(0, &format!("---{newline}"));
        }
        if seams.needs_end && document.end_marker().is_none() {
            text.push_str(&end);
        }
        Ok(text)
    }

    fn find(&self, graft: &Graft<NodeId>) -> Option<Document<'_>> {
        let stream: &Stream<'_> = self.streams.get(graft.stream.0 as usize)?;
        stream.documents().find(|document| document.id() == graft.part)
    }
}
