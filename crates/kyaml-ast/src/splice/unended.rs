//! Handles a file that ends inside the text of a block scalar, without a line break: new text goes above it.
//!
//! Readers disagree about the value of such a scalar (see [`Node::value`]). If anything were added below, the value
//! would change for some of them. A new field needs no fixed place among the fields of its mapping: it goes before the
//! field that ends the file, and no byte of that changes. New items and documents must go below, and the text gets its
//! line break.
//!
//! Ignores edits that change the text or what holds it, and fields that have anchors or aliases.

use crate::edit::{Edit, Piece, Position};
use crate::entry::{Entry, EntryId};
use crate::span::Span;
use crate::tree::{Document, Kind, Node, Stream};

/// `edits` with other places for entries that would come below the last text of the file. `None` if nothing has to
/// change.
pub(super) fn above(tree: &Stream<'_>, edits: &[Edit]) -> Option<Vec<Edit>> {
    if tree.source.ends_with(['\n', '\r']) || edits.iter().all(|edit| !matches!(edit, Edit::Insert { .. })) {
        return None;
    }
    let (holders, text) = unended(tree)?;
    if edits.iter().any(|edit| ends_it(tree, edit, &holders, text)) {
        return None;
    }
    let moved = |edit: &Edit| match edit {
        Edit::Insert { collection, position: Position::After(entry), pieces } if holders.contains(entry) => {
            let position = before(tree.node(*collection), *entry);
            Edit::Insert { collection: *collection, position, pieces: pieces.clone() }
        }
        _ => edit.clone(),
    };
    Some(edits.iter().map(moved).collect())
}

/// The entries that hold the block scalar at the end of the file, outermost first, and its text. `None` if readers
/// agree about the text.
fn unended(tree: &Stream<'_>) -> Option<(Vec<EntryId>, Span)> {
    let mut node = tree.documents().last().and_then(Document::root)?;
    let mut holders = Vec::new();
    while let Some(entry) = node.entries().last() {
        holders.push(entry.id());
        let ends_in_key = |key: &Node<'_>| key.kind().is_block_scalar() && entry.value().full_span().is_empty();
        node = entry.key().filter(ends_in_key).unwrap_or(entry.value());
    }
    let scalar = node.block_scalar().filter(|scalar| !scalar.body.is_empty())?;
    let is_last = tree.source[scalar.body.end as usize..].trim_ascii().is_empty();
    let counts = is_last && !scalar.header.of(tree.source).contains('-');
    counts.then_some((holders, scalar.header.cover(scalar.body)))
}

/// Whether an edit changes the text, or must write something below it.
fn ends_it(tree: &Stream<'_>, edit: &Edit, holders: &[EntryId], text: Span) -> bool {
    match edit {
        Edit::ReplaceValue { entry, .. } | Edit::Remove { entry } | Edit::Rewrite { entry, .. } => {
            holders.contains(entry)
        }
        Edit::ReplaceRoot { .. } => true,
        Edit::Insert { collection, position: Position::After(entry), pieces } if holders.contains(entry) => {
            let is_free = |piece: &Piece| !matches!(piece, Piece::Lines(_));
            let is_mapping = tree.node(*collection).kind() == Kind::Mapping;
            !is_mapping || has_names(tree.entry(*entry)) || !pieces.iter().all(is_free)
        }
        Edit::InsertDocuments { after: Some(after), .. } => {
            tree.documents().last().is_some_and(|last| last.id() == *after)
        }
        Edit::RemoveDocument { document } => tree.documents().last().is_some_and(|last| last.id() == *document),
        Edit::Text { span, .. } | Edit::Lines { span, .. } => span.end > text.start,
        _ => false,
    }
}

/// Whether an entry has anchors or aliases. Their meaning depends on what stands above.
fn has_names(entry: Entry<'_>) -> bool {
    let first = entry.key().unwrap_or(entry.value()).first_record();
    let records = &entry.stream().tape[first..entry.value().after()];
    records.iter().any(|record| matches!(record.kind, Kind::Anchor | Kind::Alias))
}

/// The position directly before an entry.
fn before(collection: Node<'_>, entry: EntryId) -> Position {
    let ids = collection.entries().map(Entry::id);
    ids.take_while(|id| *id != entry).last().map_or(Position::First, Position::After)
}
