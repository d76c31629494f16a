//! The edits of one part, sorted by the nodes that they change.

use std::collections::{BTreeMap, BTreeSet};

use super::text::{TextPlace, text_place};
use crate::edit::{Content, DocumentPiece, Edit, Owner, Piece, Position, StreamId};
use crate::span::Span;
use crate::tree::{NodeId, Stream};

/// A stream, and the edits of it that apply to one part: those of the target, or of one graft.
pub(crate) struct Level<'a> {
    pub(crate) stream: StreamId,
    pub(crate) owner: Owner,
    /// Removed entries by their first node, each with what replaces it.
    pub(super) gone: BTreeMap<NodeId, &'a [Piece]>,
    pub(super) values: BTreeMap<NodeId, &'a Content>,
    pub(super) keys: BTreeMap<NodeId, &'a str>,
    pub(super) first: BTreeMap<NodeId, Vec<&'a [Piece]>>,
    /// What is inserted after an entry, by the entry's value.
    pub(super) after: BTreeMap<NodeId, Vec<&'a [Piece]>>,
    /// New text, by the start of the bytes that it replaces.
    texts: BTreeMap<u32, &'a str>,
    pub(super) removed: BTreeSet<NodeId>,
    /// The text that replaces whole documents, by the first of them.
    pub(super) rewritten: BTreeMap<NodeId, &'a str>,
    pub(super) documents: BTreeMap<Option<NodeId>, Vec<&'a [DocumentPiece]>>,
    /// All nodes that an edit changes.
    touched: BTreeSet<NodeId>,
}

impl<'a> Level<'a> {
    pub(super) fn new(stream: StreamId, tree: &Stream<'_>, owner: Owner, edits: &'a [Edit]) -> Self {
        let mut level = Self {
            stream,
            owner,
            gone: BTreeMap::new(),
            values: BTreeMap::new(),
            keys: BTreeMap::new(),
            first: BTreeMap::new(),
            after: BTreeMap::new(),
            texts: BTreeMap::new(),
            removed: BTreeSet::new(),
            rewritten: BTreeMap::new(),
            documents: BTreeMap::new(),
            touched: BTreeSet::new(),
        };
        edits.iter().for_each(|edit| level.add(tree, edit));
        level
    }

    fn add(&mut self, tree: &Stream<'_>, edit: &'a Edit) {
        match edit {
            Edit::ReplaceValue { entry, content } => self.value(entry.value, content),
            Edit::ReplaceRoot { root, content } => self.value(*root, content),
            Edit::ReplaceKey { entry, text } => {
                self.keys.extend(entry.key.map(|key| (key, text.as_str())));
                self.touched.extend(entry.key);
            }
            Edit::Insert { collection, position, pieces } => {
                self.touched.insert(*collection);
                match position {
                    Position::First => self.first.entry(*collection).or_default().push(pieces),
                    Position::After(entry) => self.after.entry(entry.value).or_default().push(pieces),
                }
            }
            Edit::Remove { entry } => self.go(entry.key.unwrap_or(entry.value), &[]),
            Edit::Rewrite { entry, pieces } => self.go(entry.key.unwrap_or(entry.value), pieces),
            Edit::SetComment { .. } => {}
            Edit::InsertDocuments { after, documents } => self.documents.entry(*after).or_default().push(documents),
            Edit::RemoveDocument { document } => _ = self.removed.insert(*document),
            Edit::Text { span, text } => self.text(tree, *span, text),
            Edit::Lines { .. } => {}
        }
    }

    fn text(&mut self, tree: &Stream<'_>, span: Span, text: &'a str) {
        match text_place(tree, span, text) {
            TextPlace::Leaf(node) => {
                self.texts.insert(span.start, text);
                self.touched.insert(node);
            }
            TextPlace::Documents(documents) => {
                let Some((first, rest)) = documents.split_first() else { return };
                self.rewritten.insert(*first, text);
                self.removed.extend(rest);
            }
            TextPlace::Gap | TextPlace::Other => {}
        }
    }

    fn value(&mut self, node: NodeId, content: &'a Content) {
        self.values.insert(node, content);
        self.touched.insert(node);
    }

    fn go(&mut self, first: NodeId, pieces: &'a [Piece]) {
        self.gone.insert(first, pieces);
        self.touched.insert(first);
    }

    /// The new text for the bytes that start at `at`.
    pub(crate) fn text_at(&self, at: u32) -> Option<&'a str> {
        self.texts.get(&at).copied()
    }

    pub(super) fn is_touched(&self, from: NodeId, to: usize) -> bool {
        self.touched.range(from..).next().is_some_and(|node| node.index() < to)
    }
}
