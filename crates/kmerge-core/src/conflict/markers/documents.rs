//! Hunks around and between documents, whose versions each fit between their neighbours.
//!
//! A version that starts where another document is open gets a `---`. One before a document that cannot start by itself ends with
//! `---`, or with `...` before directives; and so does nothing at all, where it comes between two that only the removed document
//! kept apart.

use std::collections::BTreeMap;

use kyaml_ast::{Document, DocumentPiece, Edit, Graft, NodeId, Span, Stream};

use super::{Between, Markers, anchor};
use crate::MergeError;
use crate::plan::{Conflict, Variant};
use crate::slots::Side;

/// What stands before and behind a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Seams {
    /// A document before it is not closed by `...`.
    is_open: bool,
    /// What has to end the document before the one behind it, if anything.
    end: Option<&'static str>,
}

impl Seams {
    fn between(before: Option<Document<'_>>, behind: Option<Document<'_>>) -> Self {
        let is_bare = |document: Document<'_>| document.start_marker().is_none() && document.root().is_some();
        Self {
            is_open: before.is_some_and(|before| before.root().is_some() && before.end_marker().is_none()),
            end: behind.and_then(|behind| match behind.directives().next() {
                Some(_) => Some("..."),
                // Tools that split a file at `---` do not know `...`.
                None => is_bare(behind).then_some("---"),
            }),
        }
    }
}

impl Markers<'_> {
    /// Hunks around documents of the destination.
    pub(super) fn write_documents(&mut self, hunks: &BTreeMap<NodeId, Vec<&Conflict>>) -> Result<(), MergeError> {
        let place = |id: &NodeId| self.documents.binary_search_by_key(id, |document| document.id()).ok();
        let places: Vec<usize> = hunks.keys().filter_map(place).collect();
        let documents = self.documents.clone();
        let inner = self.take_edits(places.len(), |edit| {
            let document = match edit {
                Edit::Text { span, .. } | Edit::Lines { span, .. } => return around_span(&documents, &places, *span),
                _ => documents.partition_point(|document| anchor(edit).is_some_and(|node| document.id() <= node)),
            };
            document.checked_sub(1).and_then(|document| places.binary_search(&document).ok())
        });
        for (place, inner) in places.into_iter().zip(inner) {
            let conflicts = &hunks[&documents[place].id()];
            self.document(place, conflicts, &inner)?;
        }
        Ok(())
    }

    /// A hunk around the document at a place of the destination.
    fn document(&mut self, place: usize, conflicts: &[&Conflict], inner: &[Edit]) -> Result<(), MergeError> {
        let dest = self.streams[0];
        let document = self.documents[place];
        let before = place.checked_sub(1).map(|before| self.documents[before]);
        let seams = Seams::between(before, self.documents.get(place + 1).copied());
        let text = self.three(conflicts, inner, |edits| {
            let replacement = edits.iter().find_map(|edit| match edit {
                Edit::InsertDocuments { documents, .. } => documents.first().cloned(),
                _ => None,
            });
            match replacement {
                Some(DocumentPiece::Document(graft)) => self.version(Some(&graft), seams),
                _ if edits.iter().any(|edit| matches!(edit, Edit::RemoveDocument { .. })) => self.version(None, seams),
                _ => {
                    let graft = Graft { stream: Side::Dest.stream(), part: document.id(), edits };
                    Ok(self.renderer.document(&graft)?)
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
    pub(super) fn document_gap(
        &mut self,
        conflict: &Conflict,
        after: Option<NodeId>,
        between: &mut Between,
    ) -> Result<(), MergeError> {
        let place = self.documents.partition_point(|document| Some(document.id()) <= after);
        let before = after.and_then(|_| self.documents.get(place.checked_sub(1)?)).copied();
        let mut seams = Seams::between(before, self.documents.get(place).copied());
        // Documents that come to the same place stand before the hunk.
        if let Some(DocumentPiece::Document(graft)) = between.0.get(&after) {
            seams.is_open = Seams::between(self.find(graft), None).is_open;
        }
        let side = |variant: &Variant| match variant {
            Variant::Document(graft) => self.version(Some(graft), seams),
            _ => Ok(String::new()),
        };
        let text = self.hunks.hunk("", &side(&conflict.base)?, &side(&conflict.incoming)?);
        let hunk = DocumentPiece::Lines(text);
        between.0.insert(after, hunk.clone());
        self.edits.push(Edit::InsertDocuments { after, documents: vec![hunk] });
        Ok(())
    }

    /// A document, or nothing, as it can stand between the neighbours of a hunk.
    fn version(&self, graft: Option<&Graft<NodeId>>, seams: Seams) -> Result<String, MergeError> {
        let newline = self.hunks.newline.as_str();
        let end = seams.end.map(|end| format!("{end}{newline}")).unwrap_or_default();
        let Some(graft) = graft else {
            return Ok(if seams.is_open { end } else { String::new() });
        };
        let mut text = self.renderer.document(graft)?;
        let Some(document) = self.find(graft) else { return Ok(text) };
        if seams.is_open && document.directives().next().is_some() {
            text.insert_str(0, &format!("...{newline}"));
        } else if seams.is_open && document.start_marker().is_none() {
            text.insert_str(0, &format!("---{newline}"));
        }
        if document.end_marker().is_none() {
            text.push_str(&end);
        }
        Ok(text)
    }

    fn find(&self, graft: &Graft<NodeId>) -> Option<Document<'_>> {
        let stream: &Stream<'_> = self.streams.get(graft.stream.0 as usize)?;
        stream.document(graft.part)
    }
}

/// The first of some documents, given by their places, that a span lies in.
fn around_span(documents: &[Document<'_>], places: &[usize], span: Span) -> Option<usize> {
    let last = places.partition_point(|place| documents[*place].span().start <= span.start);
    let first = last.saturating_sub(2);
    (first..last).find(|index| documents[places[*index]].span().contains(span))
}
