//! Finds out what the bytes are that a text edit replaces.

use crate::edit::{DocumentPiece, Edit, Piece};
use crate::span::Span;
use crate::tree::{Kind, NodeId, Stream};

/// The kind of place whose bytes a text replaces.
pub(super) enum TextPlace {
    /// Inside a scalar or an alias, or a property of this node.
    Leaf(NodeId),
    /// Between nodes, and the new text has no nodes: only comments and blank lines.
    Gap,
    /// Whole documents.
    Documents(Vec<NodeId>),
    /// Anywhere else.
    Other,
}

pub(super) fn text_place(tree: &Stream<'_>, span: Span, text: &str) -> TextPlace {
    // A document may consist of one leaf.
    let documents = documents_in(tree, span);
    if !documents.is_empty() {
        return TextPlace::Documents(documents);
    }
    if let Some(node) = leaf_of(tree, span) {
        return TextPlace::Leaf(node);
    }
    let start = tree.tape.partition_point(|record| record.start < span.start);
    let inside = tree.tape[start..].iter().take_while(|record| record.start < span.end);
    if inside.clone().all(|record| record.kind == Kind::Comment) && is_trivia(text) {
        return TextPlace::Gap;
    }
    TextPlace::Other
}

/// Whether lines are only comments and blank lines.
fn is_trivia(text: &str) -> bool {
    text.lines().map(str::trim_start).all(|line| line.is_empty() || line.starts_with('#'))
}

/// The documents that `span` covers. Empty if it covers anything else, too.
fn documents_in(tree: &Stream<'_>, span: Span) -> Vec<NodeId> {
    // A byte order mark stays.
    let is_after_mark = span.start == 3 && tree.source.starts_with('\u{feff}');
    let start = if is_after_mark { 0 } else { span.start };
    let mut next = tree.tape.partition_point(|record| record.start < start);
    let mut documents = Vec::new();
    while let Some(document) = tree.document(NodeId(next as u32)).filter(|document| document.span().end <= span.end) {
        documents.push(document.id());
        next += tree.tape[next].skip();
        if document.span().end == span.end {
            return documents;
        }
    }
    Vec::new()
}

/// The scalar, alias or property that contains `span`.
fn leaf_of(tree: &Stream<'_>, span: Span) -> Option<NodeId> {
    let count = tree.tape.partition_point(|record| record.start <= span.start);
    // A block scalar has at most two children: a digit and a comment.
    let found = (count.saturating_sub(3)..count).rev().find(|&index| {
        let record = tree.tape[index];
        let is_leaf = record.kind.is_scalar() || matches!(record.kind, Kind::Alias | Kind::Anchor | Kind::Tag);
        let leaf = leaf_span(tree, index);
        // Text inserted between two leaves belongs to neither of them, but to a block scalar above.
        let is_inside = match span.is_empty() {
            true => record.start < span.start && (leaf.end > span.start || record.kind.is_block_scalar()),
            // The last line that a block scalar keeps may be empty: then its line break is all of it.
            false => leaf.end > span.start,
        };
        is_leaf && is_inside && leaf.contains(span)
    })?;
    let node = (found..tree.tape.len()).find(|&index| tree.tape[index].kind.is_node())?;
    Some(NodeId(node as u32))
}

/// The bytes of a leaf. For a block scalar, to the end of its last line.
fn leaf_span(tree: &Stream<'_>, index: usize) -> Span {
    let node = tree.node_at(index);
    node.block_scalar().map_or(node.span(), |scalar| scalar.header.cover(scalar.body))
}

/// Whether an edit writes lines that may be no YAML, or whose meaning cannot be foreseen.
pub(crate) fn is_unforeseen(tree: &Stream<'_>, edit: &Edit) -> bool {
    let has_lines =
        |pieces: &[Piece]| pieces.iter().any(|piece| matches!(piece, Piece::Lines(text) if !is_trivia(text)));
    match edit {
        Edit::Insert { pieces, .. } | Edit::Rewrite { pieces, .. } => has_lines(pieces),
        Edit::InsertDocuments { documents, .. } => {
            documents.iter().any(|piece| matches!(piece, DocumentPiece::Lines(_)))
        }
        Edit::Text { span, text } => matches!(text_place(tree, *span, text), TextPlace::Other),
        Edit::Lines { .. } => true,
        _ => false,
    }
}
