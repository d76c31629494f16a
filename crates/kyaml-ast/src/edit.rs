//! The vocabulary of change: what [`splice`](crate::splice) can do to a stream.
//!
//! Edits are data and refer to places by id. An edit names places in the stream that it changes. It writes either a
//! *graft* or text that is already rendered. A graft is a part of some stream that is copied as source text, with its
//! comments, quoting and layout.
//!
//! Invariants: all ids of an edit belong to the stream it is applied to, all ids of a graft (and of the graft's own edits)
//! to the graft's stream.

use std::collections::BTreeSet;

use crate::entry::EntryId;
use crate::span::Span;
use crate::tree::NodeId;

/// Index of a stream in the list given to [`splice`](crate::splice).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId(pub u32);

impl StreamId {
    pub(crate) const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A part of a stream to write elsewhere, after `edits` were applied to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Graft<T> {
    /// The stream that contains the part.
    pub stream: StreamId,
    /// The part: an entry, a root or a document.
    pub part: T,
    /// Changes to the part while it is copied. Their ids belong to `stream`.
    pub edits: Vec<Edit>,
}

impl<T> Graft<T> {
    /// The part without changes.
    pub const fn new(stream: StreamId, part: T) -> Self {
        Self { stream, part, edits: Vec::new() }
    }
}

/// What a value becomes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// The value of an entry of some stream, with its anchor and tag.
    Value(Graft<EntryId>),
    /// As [`Content::Value`], but a block collection keeps its distance from its key, whatever the habit of the
    /// destination is.
    Layout(Graft<EntryId>),
    /// The root of a document of some stream, with its anchor and tag. If it replaces a block collection, which has no
    /// comment beside it, the comment beside this root comes along.
    Root(Graft<NodeId>),
    /// Text that is valid at any place: a scalar on one line or a flow collection. Its tags and aliases have the
    /// meaning that they have at that place.
    Inline(String),
    /// A header such as `|-` and the lines below it, without indentation.
    Block {
        /// `|` or `>` with its indicators.
        header: String,
        /// The lines with their newlines. Each line is indented to the scalar's own column, except empty lines.
        body: String,
    },
}

/// One thing that is inserted: an entry, or a line as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// An entry of some stream, moved to the column of its new siblings.
    Entry(Graft<EntryId>),
    /// A new pair or item: rendered key (`None` for an item) and value.
    New {
        /// The key as it is to be written.
        key: Option<String>,
        /// The value.
        value: Content,
    },
    /// Whole lines, written as they are: for example a conflict with its markers.
    Lines(String),
}

/// A position among the entries of a collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Position {
    /// Before all entries (and after the comments that no entry owns).
    First,
    /// Directly after an entry.
    After(EntryId),
}

/// The comments of an entry that can be changed apart from its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CommentSlot {
    /// The comment lines directly above.
    Lead,
    /// The comment on the entry's own line.
    Trail,
}

/// A change to one stream.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Edit {
    /// Replaces an entry's value, properties included; its key and comments stay.
    ReplaceValue {
        /// The entry whose value it is.
        entry: EntryId,
        /// What it becomes.
        content: Content,
    },
    /// Replaces a document's root.
    ReplaceRoot {
        /// The root.
        root: NodeId,
        /// What it becomes.
        content: Content,
    },
    /// Replaces a key, properties included.
    ReplaceKey {
        /// The entry whose key it is.
        entry: EntryId,
        /// The rendered key.
        text: String,
    },
    /// Adds entries to a collection.
    Insert {
        /// The mapping or sequence.
        collection: NodeId,
        /// The position. Edits at one position are written in the given order.
        position: Position,
        /// What.
        pieces: Vec<Piece>,
    },
    /// Removes an entry with its comments. A collection that loses all of its entries becomes `{}` or `[]`.
    Remove {
        /// The entry.
        entry: EntryId,
    },
    /// Replaces an entry and its comments by other lines (an entry that starts its own line).
    Rewrite {
        /// The entry.
        entry: EntryId,
        /// What is written instead.
        pieces: Vec<Piece>,
    },
    /// Sets or removes one comment of an entry.
    SetComment {
        /// The entry.
        entry: EntryId,
        /// Which of its comments.
        slot: CommentSlot,
        /// The entry of some stream whose comment is taken. `None` removes the comment.
        from: Option<(StreamId, EntryId)>,
    },
    /// Adds documents after a document, or before all of them.
    InsertDocuments {
        /// The document that comes before. `None`: the new documents come first.
        after: Option<NodeId>,
        /// The documents.
        documents: Vec<DocumentPiece>,
    },
    /// Removes a document with its markers, directives and comments.
    RemoveDocument {
        /// The document.
        document: NodeId,
    },
    /// Replaces bytes. Safe inside one scalar, for comments and blank lines between entries, and for whole documents.
    /// Anything else is the caller's responsibility.
    Text {
        /// The bytes.
        span: Span,
        /// Their replacement.
        text: String,
    },
    /// Replaces whole lines by lines that are written as they are: for example a conflict with its markers.
    Lines {
        /// The old lines.
        span: Span,
        /// The new ones.
        text: String,
    },
}

/// One thing that is inserted between documents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentPiece {
    /// A document of some stream. `---` is added if it is needed.
    Document(Graft<NodeId>),
    /// Whole lines, written as they are: for example a conflict marker.
    Lines(String),
}

impl Edit {
    /// The entry that the edit changes. `None` if it changes something else.
    #[must_use]
    pub const fn entry(&self) -> Option<EntryId> {
        match self {
            Self::ReplaceValue { entry, .. }
            | Self::ReplaceKey { entry, .. }
            | Self::Remove { entry }
            | Self::Rewrite { entry, .. }
            | Self::SetComment { entry, .. } => Some(*entry),
            _ => None,
        }
    }
}

/// The owner of a list of edits: the target, or one graft.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Owner {
    /// The stream that is edited.
    Target,
    /// A graft, known by its address. The address is valid as long as the list that contains the graft does not change.
    Graft(usize),
    /// No list: text that an edit brings.
    Text,
}

impl Owner {
    pub(crate) fn of<T>(graft: &Graft<T>) -> Self {
        Self::Graft(std::ptr::from_ref(graft).addr())
    }
}

/// A part of some stream that is copied, with its edits.
pub(crate) struct Travel<'e> {
    pub(crate) stream: StreamId,
    pub(crate) edits: &'e [Edit],
}

impl Edit {
    /// The grafts in this edit, in order. Grafts inside the edits of these grafts are not included.
    pub(crate) fn travels(&self) -> Vec<Travel<'_>> {
        fn graft<T>(graft: &Graft<T>) -> Travel<'_> {
            Travel { stream: graft.stream, edits: &graft.edits }
        }
        fn content(content: &Content) -> Option<Travel<'_>> {
            match content {
                Content::Value(it) | Content::Layout(it) => Some(graft(it)),
                Content::Root(it) => Some(graft(it)),
                Content::Inline(_) | Content::Block { .. } => None,
            }
        }
        fn piece(piece: &Piece) -> Option<Travel<'_>> {
            match piece {
                Piece::Entry(it) => Some(graft(it)),
                Piece::New { value, .. } => content(value),
                Piece::Lines(_) => None,
            }
        }
        fn document(piece: &DocumentPiece) -> Option<Travel<'_>> {
            match piece {
                DocumentPiece::Document(it) => Some(graft(it)),
                DocumentPiece::Lines(_) => None,
            }
        }
        match self {
            Self::ReplaceValue { content: it, .. } | Self::ReplaceRoot { content: it, .. } => {
                content(it).into_iter().collect()
            }
            Self::Insert { pieces, .. } | Self::Rewrite { pieces, .. } => pieces.iter().filter_map(piece).collect(),
            Self::InsertDocuments { documents, .. } => documents.iter().filter_map(document).collect(),
            _ => Vec::new(),
        }
    }
}

/// All streams that edits of `target` refer to: the target, and the streams of all grafts, also of grafts inside
/// grafts.
pub(crate) fn streams_of(target: StreamId, edits: &[Edit]) -> BTreeSet<StreamId> {
    let mut streams = BTreeSet::from([target]);
    let mut todo: Vec<&[Edit]> = vec![edits];
    while let Some(edits) = todo.pop() {
        for travel in edits.iter().flat_map(Edit::travels) {
            streams.insert(travel.stream);
            todo.push(travel.edits);
        }
    }
    streams
}
