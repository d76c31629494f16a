//! Lists what a stream contains after edits, without rendering anything: the nodes of the result, in order.
//!
//! This is a second implementation of what edits mean, beside [`splice`](crate::splice()). The result of `splice` is
//! parsed and compared with this walk. Ignores whole lines ([`Piece::Lines`]), comments and layout.
//!
//! The cost is that of the steps it yields, plus the edits. A subtree without edits is one step.

mod level;
mod text;

use crate::edit::{Content, DocumentPiece, Edit, Graft, Owner, Piece, StreamId};
use crate::entry::EntryId;
use crate::tree::{Document, Kind, NodeId, Stream};
use level::Level;
pub(crate) use text::is_unforeseen;

/// Index of a [`Level`] of a [`Walk`].
pub(crate) type LevelId = usize;

/// The next thing that the result contains.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'a> {
    /// A document that comes from the given one.
    Document { level: LevelId, document: NodeId },
    /// A node of a level's stream. `whole`: with everything inside. Otherwise the nodes inside a collection follow,
    /// then [`Step::End`]; the text of a scalar is then not known.
    Node { level: LevelId, node: NodeId, whole: bool },
    /// The collection ends.
    End,
    /// Documents in one piece of text.
    Documents(&'a str),
    /// A node in one piece of text.
    Text(&'a str),
    /// A block scalar, by header and lines.
    Block { header: &'a str, body: &'a str },
}

enum Task<'a> {
    Documents { level: LevelId, next: usize },
    DocumentPieces(&'a [DocumentPiece]),
    Document { level: LevelId, document: NodeId },
    Node { level: LevelId, node: NodeId },
    Children { level: LevelId, collection: NodeId, next: usize, key: Option<NodeId> },
    Pieces(&'a [Piece]),
    Content(&'a Content),
    Key(&'a str),
    End,
}

/// Walks over the nodes that the result of edits contains.
pub(crate) struct Walk<'a> {
    streams: &'a [&'a Stream<'a>],
    pub(crate) levels: Vec<Level<'a>>,
    tasks: Vec<Task<'a>>,
}

impl<'a> Walk<'a> {
    /// A walk over the stream `target` after `edits`. All streams that the edits name must be given.
    pub(crate) fn new(streams: &'a [&'a Stream<'a>], target: StreamId, edits: &'a [Edit]) -> Self {
        let level = Level::new(target, streams[target.index()], Owner::Target, edits);
        let mut walk = Self { streams, levels: vec![level], tasks: Vec::new() };
        walk.tasks.push(Task::Documents { level: 0, next: 0 });
        walk.push_documents(0, None);
        walk
    }

    /// The stream of a level.
    pub(crate) fn stream(&self, level: LevelId) -> &'a Stream<'a> {
        self.streams[self.levels[level].stream.index()]
    }

    fn level<T>(&mut self, graft: &'a Graft<T>) -> LevelId {
        let tree = self.streams[graft.stream.index()];
        self.levels.push(Level::new(graft.stream, tree, Owner::of(graft), &graft.edits));
        self.levels.len() - 1
    }

    fn push_documents(&mut self, level: LevelId, after: Option<NodeId>) {
        let pieces = self.levels[level].documents.get(&after);
        self.tasks.extend(pieces.into_iter().flatten().rev().map(|pieces| Task::DocumentPieces(pieces)));
    }

    fn push_pieces(&mut self, pieces: Option<Vec<&'a [Piece]>>) {
        self.tasks.extend(pieces.into_iter().flatten().rev().map(Task::Pieces));
    }

    fn documents(&mut self, level: LevelId, next: usize) {
        let Some(record) = self.stream(level).tape.get(next) else { return };
        let document = NodeId(next as u32);
        self.tasks.push(Task::Documents { level, next: next + record.skip() });
        self.push_documents(level, Some(document));
        if !self.levels[level].removed.contains(&document) {
            self.tasks.push(Task::Document { level, document });
        }
    }

    fn document_pieces(&mut self, pieces: &'a [DocumentPiece]) {
        let Some((first, rest)) = pieces.split_first() else { return };
        self.tasks.push(Task::DocumentPieces(rest));
        if let DocumentPiece::Document(graft) = first {
            let level = self.level(graft);
            self.tasks.push(Task::Document { level, document: graft.part });
        }
    }

    fn document(&mut self, level: LevelId, document: NodeId) -> Option<Step<'a>> {
        if let Some(text) = self.levels[level].rewritten.get(&document) {
            return Some(Step::Documents(text));
        }
        let stream = self.stream(level);
        let root = Document { stream, id: document }.root()?;
        self.tasks.push(Task::Node { level, node: root.id() });
        Some(Step::Document { level, document })
    }

    fn node(&mut self, level: LevelId, node: NodeId) -> Option<Step<'a>> {
        let here = &self.levels[level];
        if let Some(content) = here.values.get(&node) {
            self.tasks.push(Task::Content(content));
            return None;
        }
        if let Some(text) = here.keys.get(&node) {
            self.tasks.push(Task::Key(text));
            return None;
        }
        let tree = self.stream(level).node(node);
        let whole = !here.is_touched(node, tree.after());
        if !whole && tree.kind().is_collection() {
            let first = here.first.get(&node).cloned();
            self.tasks.push(Task::End);
            self.tasks.push(Task::Children { level, collection: node, next: node.index() + 1, key: None });
            self.push_pieces(first);
        }
        Some(Step::Node { level, node, whole })
    }

    fn children(&mut self, level: LevelId, collection: NodeId, next: usize, key: Option<NodeId>) {
        let tape = &self.stream(level).tape;
        let end = collection.index() + tape[collection.index()].skip();
        let node_from = |from: usize| (from..end).find(|&index| tape[index].kind.is_node());
        let Some(index) = node_from(next) else { return };
        let node = NodeId(index as u32);
        let after = |index: usize| index + tape[index].skip();
        let is_key = tape[collection.index()].kind == Kind::Mapping && key.is_none();
        let gone = if key.is_none() { self.levels[level].gone.get(&node).copied() } else { None };
        let value = if is_key && gone.is_some() { node_from(after(index)).unwrap_or(index) } else { index };
        let key = (is_key && gone.is_none()).then_some(node);
        self.tasks.push(Task::Children { level, collection, next: after(value), key });
        if key.is_none() {
            let behind = self.levels[level].after.get(&NodeId(value as u32)).cloned();
            self.push_pieces(behind);
        }
        match gone {
            Some(pieces) => self.tasks.push(Task::Pieces(pieces)),
            None => self.tasks.push(Task::Node { level, node }),
        }
    }

    fn pieces(&mut self, pieces: &'a [Piece]) {
        let Some((first, rest)) = pieces.split_first() else { return };
        self.tasks.push(Task::Pieces(rest));
        match first {
            Piece::Lines(_) => {}
            Piece::New { key, value } => {
                self.tasks.push(Task::Content(value));
                self.tasks.extend(key.as_deref().map(Task::Key));
            }
            Piece::Entry(graft) => {
                let level = self.level(graft);
                let EntryId { key, value, .. } = graft.part;
                if let Some(pieces) = self.levels[level].gone.get(&key.unwrap_or(value)) {
                    self.tasks.push(Task::Pieces(pieces));
                    return;
                }
                self.tasks.push(Task::Node { level, node: value });
                self.tasks.extend(key.map(|node| Task::Node { level, node }));
            }
        }
    }

    fn content(&mut self, content: &'a Content) -> Option<Step<'a>> {
        match content {
            Content::Inline(text) => Some(Step::Text(text)),
            Content::Block { header, body } => Some(Step::Block { header, body }),
            Content::Value(graft) | Content::Layout(graft) => {
                let level = self.level(graft);
                self.tasks.push(Task::Node { level, node: graft.part.value });
                None
            }
            Content::Root(graft) => {
                let level = self.level(graft);
                self.tasks.push(Task::Node { level, node: graft.part });
                None
            }
        }
    }
}

impl<'a> Iterator for Walk<'a> {
    type Item = Step<'a>;

    fn next(&mut self) -> Option<Step<'a>> {
        loop {
            let step = match self.tasks.pop()? {
                Task::Documents { level, next } => {
                    self.documents(level, next);
                    None
                }
                Task::DocumentPieces(pieces) => {
                    self.document_pieces(pieces);
                    None
                }
                Task::Document { level, document } => self.document(level, document),
                Task::Node { level, node } => self.node(level, node),
                Task::Children { level, collection, next, key } => {
                    self.children(level, collection, next, key);
                    None
                }
                Task::Pieces(pieces) => {
                    self.pieces(pieces);
                    None
                }
                Task::Content(content) => self.content(content),
                Task::Key(text) => Some(Step::Text(text)),
                Task::End => Some(Step::End),
            };
            if step.is_some() {
                return step;
            }
        }
    }
}
