//! Inserts and removes documents, replaces roots, and writes the markers that documents need between them.
//!
//! Invariant: a document that follows an open document starts with a marker. Ignores edits inside of a root.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::render::{Rendered, Target, refs};
use super::replacement::{Rank, Replacement, Seam, Tail, last_written};
use super::slot::{Slot, entries_span};
use super::{Context, Place, SpliceError};
use crate::edit::{Content, DocumentPiece, Edit, Graft};
use crate::span::{Span, line_end};
use crate::tree::{Document, Node, NodeId};
use crate::trivia::first_of_line;

/// How the text so far ends, as the next document sees it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum End {
    /// Nothing is open: a document may start without a marker.
    Closed,
    /// A document is open: `---` has to come before another.
    Open,
    /// As [`End::Open`], and the last scalar would absorb comments and blank lines that follow.
    OpenScalar,
}

/// End of the byte order mark before the first document. Only blank lines and comments may stand above it. 0 if there
/// is none.
fn mark_end(source: &str) -> u32 {
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        if line.starts_with('\u{feff}') {
            return at + 3;
        }
        if !line.trim_ascii().is_empty() && !line.trim_ascii_start().starts_with('#') {
            return 0;
        }
        at += line.len() as u32;
    }
    0
}

impl Place<'_, '_> {
    /// Applies all edits about whole documents.
    pub(super) fn documents(&mut self, edits: &[&Edit]) -> Result<(), SpliceError> {
        let mut removed = BTreeSet::new();
        let mut inserts: BTreeMap<Option<NodeId>, Vec<&DocumentPiece>> = BTreeMap::new();
        for edit in edits {
            match edit {
                Edit::RemoveDocument { document } => _ = removed.insert(*document),
                Edit::InsertDocuments { after, documents } => inserts.entry(*after).or_default().extend(documents),
                _ => {}
            }
        }
        let mut end = End::Closed;
        // Whether an edit has changed the text before the next document.
        let mut is_changed = false;
        let mut text = String::new();
        for piece in inserts.remove(&None).unwrap_or_default() {
            self.push_document(&mut text, piece, &mut end)?;
            is_changed = true;
        }
        for document in self.stream.documents() {
            let span = self.without_mark(document.span());
            let is_removed = removed.contains(&document.id());
            if is_changed && !is_removed {
                self.push_marker(&mut text, document, span.of(self.stream.source), end);
                is_changed = false;
            }
            if !text.is_empty() {
                let at = Span::at(span.start);
                self.out.push(Replacement::lines(at, std::mem::take(&mut text), Rank::Between));
            }
            if is_removed {
                self.out.push(Replacement::new(span, "", Rank::Value));
                is_changed = true;
            } else {
                end = after(document, end);
            }
            for piece in inserts.remove(&Some(document.id())).unwrap_or_default() {
                self.push_document(&mut text, piece, &mut end)?;
                is_changed = true;
            }
        }
        let at = Span::at(self.stream.source.len() as u32);
        if !text.is_empty() {
            self.out.push(Replacement::lines(at, text, Rank::Last));
        }
        Ok(())
    }

    /// A span without the byte order mark, which stays in place.
    fn without_mark(&self, span: Span) -> Span {
        Span::new(if span.start == 0 { mark_end(self.stream.source) } else { span.start }, span.end)
    }

    /// Appends a document.
    fn push_document(&self, text: &mut String, piece: &DocumentPiece, end: &mut End) -> Result<(), SpliceError> {
        let graft = match piece {
            DocumentPiece::Lines(lines) => {
                text.push_str(lines);
                return Ok(());
            }
            DocumentPiece::Document(graft) => graft,
        };
        let body = self.context.document(graft)?;
        let document = Document { stream: self.context.stream(graft.stream)?, id: graft.part };
        self.push_marker(text, document, &body, *end);
        text.push_str(&body);
        *end = match after(document, *end) {
            End::Closed => End::Closed,
            _ if Tail::of(&body) == Tail::Closed => End::Open,
            _ => End::OpenScalar,
        };
        Ok(())
    }

    /// Appends the marker that `document`, written as `body`, needs after a text that ends like `end`.
    fn push_marker(&self, text: &mut String, document: Document<'_>, body: &str, end: End) {
        let is_bare = document.start_marker().is_none();
        let marker = match end {
            End::Closed => return,
            _ if document.directives().next().is_some() => "...",
            // A byte order mark may stand before `---`, but not after it.
            _ if body.starts_with('\u{feff}') => "...",
            _ if is_bare && document.root().is_some() => "---",
            // Text above a marker would become text of the scalar.
            End::OpenScalar if !body.starts_with("---") => "...",
            _ => return,
        };
        text.extend([marker, self.context.newline.as_str()]);
    }

    pub(super) fn replace_root(&mut self, root: NodeId, content: &Content) -> Result<(), SpliceError> {
        let node = self.stream.node(root);
        let target = Target { column: None, is_item: false, compact: None, keeps_layout: false, replaces: Some(node) };
        let mut rendered = self.context.value(content, target)?;
        if let Content::Root(graft) = content
            && node.is_block_collection()
            && !rendered.inline.is_empty()
        {
            let stream = self.context.stream(graft.stream)?;
            let beside = stream.node(graft.part).beside();
            let beside = beside.map_or("", |beside| beside.of(stream.source));
            rendered.inline.extend([if beside.starts_with('#') { " " } else { "" }, beside]);
        }
        let is_nothing = rendered.inline.is_empty() && rendered.body.is_none();
        if is_nothing && self.marker_before(node).is_none() {
            // An empty root would be no document.
            rendered = Rendered::inline("null");
        }
        self.fill_root(node, rendered);
        Ok(())
    }

    /// Writes a rendered value in the place of a root.
    pub(super) fn fill_root(&mut self, node: Node<'_>, rendered: Rendered) {
        let marker = self.marker_before(node);
        let slot = Slot::of(node, marker.unwrap_or(node.full_span().start));
        let entries = entries_span(node).filter(|_| node.is_block_collection());
        if entries.is_none() && !rendered.inline.is_empty() {
            self.fill(slot, rendered, 0, node.id());
            return;
        }
        // The old root or the new value is a block collection: its entries, or the new value, stand on lines of their own.
        self.settle_properties(node, slot.above(), &mut String::new());
        let newline = self.context.newline.as_str();
        let mut text = rendered.inline;
        if !text.is_empty() {
            text.push_str(newline);
        }
        text.push_str(&rendered.body.unwrap_or_default());
        let body = entries.unwrap_or(slot.body);
        if !slot.inline.is_empty() {
            let span = self.inline_span(slot.inline, marker);
            let is_beside = span.end == slot.inline.end && self.stream.source[span.end as usize..].starts_with('#');
            self.out.push(Replacement::new(span, if is_beside { " " } else { "" }, Rank::Value));
        }
        if rendered.tail != Tail::Closed {
            self.dedent_comments(body.end, node.after(), 0);
        }
        let rank = Rank::Behind(Reverse(node.id().0));
        self.out.push(Replacement { seam: Seam::Lines, ..Replacement::new(body, text, rank) }.tail(rendered.tail));
    }

    /// The bytes of a root's inline part with the blanks before it. If the part has its line to itself, the whole line.
    fn inline_span(&self, inline: Span, marker: Option<u32>) -> Span {
        let source = self.stream.source;
        let line = Span::new(first_of_line(source, inline.start), line_end(source, inline.end));
        let is_alone = Span::new(inline.end, line.end).of(source).trim_ascii().is_empty();
        match marker.filter(|marker| *marker > line.start) {
            Some(marker) => Span::new(marker, inline.end),
            None if is_alone => line,
            None => inline,
        }
    }

    /// End of the `---` of the document whose root is `root`.
    fn marker_before(&self, root: Node<'_>) -> Option<u32> {
        let records = &self.stream.tape[..root.first_record()];
        let last = records.iter().rfind(|record| record.kind != crate::tree::Kind::Comment)?;
        (last.kind == crate::tree::Kind::Start).then(|| last.leaf_span().end)
    }
}

impl Context<'_> {
    /// A document as whole lines, after its edits.
    pub(super) fn document(&self, graft: &Graft<NodeId>) -> Result<String, SpliceError> {
        let stream = self.stream(graft.stream)?;
        let span = Document { stream, id: graft.part }.span();
        let text = self.edited(graft.stream, span, &refs(&graft.edits))?;
        let mut text = self.shift(0, 0).lines(&without_marks(&text));
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(self.newline.as_str());
        }
        Ok(text)
    }
}

/// A text without the byte order marks before its first token. Only at the start of a document may there be one.
fn without_marks(text: &str) -> String {
    let mut is_lead = true;
    let lines = text.split_inclusive('\n').map(|line| {
        let rest = if is_lead { line.trim_start_matches('\u{feff}') } else { line };
        is_lead &= rest.trim_start().is_empty() || rest.trim_start().starts_with('#');
        rest
    });
    lines.collect()
}

/// How a text ends after `document`, if it ended like `before` ahead of it.
fn after(document: Document<'_>, before: End) -> End {
    if document.end_marker().is_some() {
        return End::Closed;
    }
    let Some(root) = document.root() else {
        return if document.start_marker().is_some() { End::Open } else { before };
    };
    let is_scalar = last_written(document.stream(), root.after()).is_some_and(|last| last.kind().is_block_scalar());
    let has_comment = document.stream().tape.get(root.after()).is_some_and(|it| it.kind == crate::tree::Kind::Comment);
    if is_scalar && !has_comment { End::OpenScalar } else { End::Open }
}
