//! Random edits that make sense together: none of them lies in a place that another takes away.

use std::collections::HashSet;

use kmerge_testgen::Rng;
use kyaml_ast::{
    CommentSlot, Content, Document, DocumentPiece, Edit, Entry, EntryId, Graft, Kind, Node, NodeId, Piece, Position,
    Stream, StreamId,
};

const INLINE: &[&str] =
    &["x", "'q: #'", "\"d\\n\"", "{}", "[]", "{n: 1}", "[1, [2]]", "~", "\"\"", "&new y", "!!str 5", "- x"];
const HEADERS: &[&str] = &["|", "|-", "|+", ">", ">-", "|2", "|4-"];
const BODIES: &[&str] = &["text\n", "a\nb\n", "a\n\n  b\n", "#no\n- c: {\n", "t\n\n\n"];
const KEYS: &[&str] = &["new", "\"q k\"", "'x'", "k1"];

/// Picks edits of one stream.
pub(crate) struct Picker<'a> {
    pub(crate) rng: &'a mut Rng,
    pub(crate) streams: &'a [&'a Stream<'a>],
    pub(crate) stream: StreamId,
    /// Entries that may be edited.
    entries: Vec<EntryId>,
    /// Nodes that go.
    gone: HashSet<NodeId>,
    /// Nodes and entries that an edit needs.
    needed: HashSet<NodeId>,
    comments: HashSet<(EntryId, CommentSlot)>,
    /// Entries that go.
    removed: HashSet<EntryId>,
    depth: usize,
}

impl<'a> Picker<'a> {
    /// A picker for all entries of a stream.
    pub(crate) fn new(rng: &'a mut Rng, streams: &'a [&'a Stream<'a>], stream: StreamId) -> Self {
        let entries = entries(streams[stream.0 as usize]);
        Self::over(rng, streams, stream, entries)
    }

    fn over(rng: &'a mut Rng, streams: &'a [&'a Stream<'a>], stream: StreamId, entries: Vec<EntryId>) -> Self {
        let (gone, needed, comments, removed) = Default::default();
        Self { rng, streams, stream, entries, gone, needed, comments, removed, depth: 0 }
    }

    fn tree(&self) -> &'a Stream<'a> {
        self.streams[self.stream.0 as usize]
    }

    /// Up to `count` edits.
    pub(crate) fn edits(&mut self, count: usize) -> Vec<Edit> {
        (0..count).flat_map(|_| self.edit()).collect()
    }

    fn edit(&mut self) -> Vec<Edit> {
        if self.depth == 0 && self.rng.chance(8) {
            return self.document_edit();
        }
        if self.entries.is_empty() {
            return Vec::new();
        }
        let id = self.rng.pick(&self.entries);
        match self.rng.below(100) {
            0..30 => self.replace(id),
            30..50 => self.remove(id).into_iter().collect(),
            50..72 => self.insert(id),
            72..79 => self.rewrite(id),
            79..91 => self.comment(id),
            91..95 => self.key(id),
            _ => self.shift(id),
        }
    }

    fn replace(&mut self, id: EntryId) -> Vec<Edit> {
        if !self.consume(&[id.value], None) {
            return Vec::new();
        }
        let content = self.content();
        vec![Edit::ReplaceValue { entry: id, content }]
    }

    fn remove(&mut self, id: EntryId) -> Option<Edit> {
        let nodes: Vec<NodeId> = id.key.into_iter().chain([id.value]).collect();
        let is_free = self.consume(&nodes, Some(id));
        self.removed.extend(is_free.then_some(id));
        is_free.then_some(Edit::Remove { entry: id })
    }

    fn insert(&mut self, id: EntryId) -> Vec<Edit> {
        let tree = self.tree();
        // A collection that an entry holds, if it does, so that empty ones get their share.
        let held = tree.node(id.value).kind().is_collection() && self.rng.chance(50);
        let collection = if held { id.value } else { id.collection };
        if self.gone.contains(&collection) {
            return Vec::new();
        }
        let siblings: Vec<EntryId> = tree.node(collection).entries().map(Entry::id).collect();
        let at = self.rng.below(siblings.len() + 1);
        let position = at.checked_sub(1).map_or(Position::First, |at| Position::After(siblings[at]));
        let is_mapping = tree.node(collection).kind() == Kind::Mapping;
        let count = self.rng.pick(&[1, 1, 1, 2]);
        let pieces: Vec<Piece> = (0..count).filter_map(|_| self.piece(is_mapping)).collect();
        self.needed.insert(collection);
        if pieces.is_empty() { Vec::new() } else { vec![Edit::Insert { collection, position, pieces }] }
    }

    fn rewrite(&mut self, id: EntryId) -> Vec<Edit> {
        let pieces: Vec<Piece> = self.piece(id.key.is_some()).into_iter().collect();
        if pieces.is_empty() || self.remove(id).is_none() {
            return Vec::new();
        }
        vec![Edit::Rewrite { entry: id, pieces }]
    }

    fn comment(&mut self, id: EntryId) -> Vec<Edit> {
        let slot = self.rng.pick(&[CommentSlot::Lead, CommentSlot::Trail]);
        if self.removed.contains(&id) || self.gone.contains(&id.collection) || !self.comments.insert((id, slot)) {
            return Vec::new();
        }
        self.needed.insert(id.collection);
        self.needed.extend(id.key);
        let from = self.rng.chance(70).then(|| self.any_entry()).flatten();
        vec![Edit::SetComment { entry: id, slot, from }]
    }

    fn key(&mut self, id: EntryId) -> Vec<Edit> {
        let Some(key) = id.key.filter(|_| self.depth == 0) else { return Vec::new() };
        if !self.consume(&[key], None) {
            return Vec::new();
        }
        vec![Edit::ReplaceKey { entry: id, text: self.rng.pick(KEYS).to_owned() }]
    }

    /// Moves an entry to another place.
    fn shift(&mut self, id: EntryId) -> Vec<Edit> {
        let tree = self.tree();
        let to = self.rng.pick(&self.entries);
        let is_same_kind = to.key.is_some() == id.key.is_some();
        if !is_same_kind || tree.entry(id).holds(to.value) || self.gone.contains(&to.collection) {
            return Vec::new();
        }
        let Some(remove) = self.remove(id) else { return Vec::new() };
        if self.gone.contains(&to.collection) {
            return vec![remove];
        }
        self.needed.insert(to.collection);
        let pieces = vec![Piece::Entry(Graft::new(self.stream, id))];
        vec![remove, Edit::Insert { collection: to.collection, position: Position::After(to), pieces }]
    }

    fn document_edit(&mut self) -> Vec<Edit> {
        let documents: Vec<_> = self.tree().documents().collect();
        let document = documents[self.rng.below(documents.len())];
        match self.rng.below(3) {
            0 => {
                let Some(root) = document.root().map(Node::id) else { return Vec::new() };
                if !self.consume(&[root], None) {
                    return Vec::new();
                }
                vec![Edit::ReplaceRoot { root, content: self.content() }]
            }
            1 => {
                let nodes: Vec<NodeId> = document.root().map(Node::id).into_iter().chain([document.id()]).collect();
                let is_free = self.consume(&nodes, None);
                if is_free { vec![Edit::RemoveDocument { document: document.id() }] } else { Vec::new() }
            }
            _ => {
                let from = StreamId(self.rng.below(self.streams.len()) as u32);
                let theirs: Vec<_> = self.streams[from.0 as usize].documents().map(Document::id).collect();
                let piece = DocumentPiece::Document(Graft::new(from, theirs[self.rng.below(theirs.len())]));
                let after = self.rng.chance(70).then_some(document.id());
                vec![Edit::InsertDocuments { after, documents: vec![piece] }]
            }
        }
    }

    fn content(&mut self) -> Content {
        match self.rng.below(10) {
            0..3 => Content::Inline(self.inline().to_owned()),
            3 => Content::Block { header: self.rng.pick(HEADERS).to_owned(), body: self.rng.pick(BODIES).to_owned() },
            _ => match self.graft(None) {
                Some(graft) => Content::Value(graft),
                None => Content::Inline("z".to_owned()),
            },
        }
    }

    /// A text whose tag means the same anywhere.
    fn inline(&mut self) -> &'static str {
        let text = self.rng.pick(&INLINE[..INLINE.len() - 1]);
        let is_declared = |stream: &&Stream<'_>| stream.source().contains("%TAG");
        if text.contains('!') && self.streams.iter().any(is_declared) { "x" } else { text }
    }

    fn piece(&mut self, is_mapping: bool) -> Option<Piece> {
        if self.rng.chance(25) {
            let key = is_mapping.then(|| self.rng.pick(KEYS).to_owned());
            return Some(Piece::New { key, value: self.content() });
        }
        self.graft(Some(is_mapping)).map(Piece::Entry)
    }

    /// A graft of an entry of some stream, of one kind if that matters.
    fn graft(&mut self, is_mapping: Option<bool>) -> Option<Graft<EntryId>> {
        let stream = StreamId(self.rng.below(self.streams.len()) as u32);
        let tree = self.streams[stream.0 as usize];
        let mut all = entries(tree);
        all.retain(|id| is_mapping.is_none_or(|is_mapping| id.key.is_some() == is_mapping));
        if all.is_empty() {
            return None;
        }
        let part = self.rng.pick(&all);
        let mut edits = Vec::new();
        if self.depth < 2 && self.rng.chance(30) {
            let inside = entries_in(tree.node(part.value));
            let mut picker = Picker::over(self.rng, self.streams, stream, inside);
            picker.depth = self.depth + 1;
            let count = picker.rng.between(1, 2);
            edits = picker.edits(count);
        }
        Some(Graft { stream, part, edits })
    }

    fn any_entry(&mut self) -> Option<(StreamId, EntryId)> {
        let stream = StreamId(self.rng.below(self.streams.len()) as u32);
        let tree = self.streams[stream.0 as usize];
        let all = entries(tree);
        let with: Vec<EntryId> = all
            .iter()
            .copied()
            .filter(|id| tree.entry(*id).lead().is_some() || tree.entry(*id).trail().is_some())
            .collect();
        let from = if with.is_empty() || self.rng.chance(20) { all } else { with };
        (!from.is_empty()).then(|| (stream, self.rng.pick(&from)))
    }

    /// Claims the subtrees of `nodes`; fails where another edit needs a part of them.
    fn consume(&mut self, nodes: &[NodeId], entry: Option<EntryId>) -> bool {
        let tree = self.tree();
        let mut all: HashSet<NodeId> = nodes.iter().copied().collect();
        for node in nodes.iter().filter(|node| tree.documents().all(|document| document.id() != **node)) {
            all.extend(entries_in(tree.node(*node)).iter().flat_map(|id| id.key.into_iter().chain([id.value])));
        }
        let has_comment = entry.is_some_and(|entry| self.comments.iter().any(|(it, _)| *it == entry));
        if has_comment || all.iter().any(|node| self.gone.contains(node) || self.needed.contains(node)) {
            return false;
        }
        self.gone.extend(all);
        true
    }
}

/// All entries of a stream, outer ones first.
pub(crate) fn entries(stream: &Stream<'_>) -> Vec<EntryId> {
    stream.documents().filter_map(Document::root).flat_map(entries_in).collect()
}

fn entries_in(node: Node<'_>) -> Vec<EntryId> {
    let mut out = Vec::new();
    let mut todo = vec![node];
    while let Some(node) = todo.pop() {
        for entry in node.entries() {
            out.push(entry.id());
            todo.extend(entry.key().into_iter().chain([entry.value()]));
        }
    }
    out
}
