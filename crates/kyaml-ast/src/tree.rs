//! The tape: all nodes, comments and markers of a source as 12-byte records in pre-order, and read-only views on it.
//!
//! # Invariants of the tape
//!
//! - Records are in pre-order, and their `start`s never decrease. `skip` is the number of records of a subtree, with
//!   the record itself: the subtree of record `i` is `i..i + skip`. A leaf has `skip == 1`.
//! - A leaf stores its end. A record with a subtree stores the number of records in it, and ends where the last of
//!   these ends; that last one is a leaf. A document ends where the next one starts.
//! - The last child of a flow collection is its closing bracket, a [`Kind::Close`]. A block scalar whose header has
//!   parts has one, too: an empty span at the scalar's end.
//! - [`Kind::Document`] records are at top level, and their spans tile the source. A document starts where the previous
//!   one ends (the first at 0, with its byte order mark). It ends after the line of its `...`. Without `...`, it ends
//!   before the line of the next `---`, or at the end of the source. Text between `...` and the next `---` belongs to
//!   the later document; if there is no such `---`, to the earlier one. A document without a root has at most comments:
//!   a source without content is one, and so is the text before a `...` that ends nothing.
//! - The children of a document: [`Kind::Directive`]s, [`Kind::Start`] (`---`), the root node, [`Kind::End`] (`...`,
//!   once for each that follows another). A document with `---` and no content has a [`Kind::Null`] root.
//! - The children of a mapping alternate between key node and value node. Those of a sequence are its item nodes. A key
//!   or value that is not written is a [`Kind::Null`] with an empty span. If it has properties, its place is right
//!   after the last one. Otherwise, the place of a value is right after its `:` or `-` (or right after its key, if even
//!   the `:` is missing), and the place of a key is right after its `?` or right before its `:`. Its record comes
//!   before the comments that follow its place.
//! - A node's properties ([`Kind::Anchor`], [`Kind::Tag`]) come directly before it. Only comments may stand between.
//! - [`Kind::Comment`] records are where their bytes are. The subtree of a block collection ends with its last node:
//!   comments after that node, also on the same line, are outside, after the subtree. (In flow collections, and between
//!   a key and its value, comments are inside.) The comment on a block scalar's header line is a child of the scalar.
//!   So is the digit in its header ([`Kind::Indent`]), whose `column` is the indentation of the scalar's text.
//! - The `span` of a node does not include its properties. Block mapping: from the first byte of its first entry (a
//!   property or `?` counts) to the end of its last node, or of the last `:` if its value is null. Block sequence: from
//!   the first `-` to the same end. Flow collection: from bracket to bracket; a pair without braces in a flow sequence
//!   (`PAIR`) is like a block mapping. Quoted scalar: with its quotes. Plain scalar: from the first to the last
//!   character. Block scalar: from its header to the end of its last line that counts, without that line's newline.
//!   Lines up to the last one with content count; with keep (`+`), also the blank lines after it. If no line counts,
//!   the span is the header alone, with its comment but without blanks after it.
//! - `column` is the distance in bytes from the start of the line to `start`, at most `u16::MAX`. A byte order mark
//!   does not count. For block collections this is their indentation. Lines end with `\n`, `\r\n`, or a lone `\r`.

use std::sync::OnceLock;

use crate::anchors::Anchors;
use crate::digest::Digests;
use crate::indent::IndentStyle;
use crate::parse::Acceptance;
use crate::span::Span;

mod document;
mod node;
mod record;

pub use document::Document;
pub use node::Node;
pub use record::Kind;
pub(crate) use record::{Record, end_at, flag, span_at};

/// A node of one [`Stream`]: the index of its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The node's place in its stream, in pre-order; a parent comes before its children.
    #[must_use]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A parsed source: zero or more documents over borrowed, unchanged bytes.
///
/// - The spans of the documents tile the source. A document starts where the one before it ends; the first starts at 0. It ends
///   after the line of its `...`, or before the line of the next `---`, or at the end of the source.
/// - A source with comments only is one document without a root.
/// - A value or key that is not written is a node of [`Kind::Null`] with an empty span.
/// - Nodes are numbered in the order in which they start ([`NodeId::index`]). A parent comes before its children.
/// - Lines end with `\n`, `\r\n`, or a lone `\r`.
#[derive(Clone, Debug)]
pub struct Stream<'s> {
    pub(crate) source: &'s str,
    pub(crate) tape: Vec<Record>,
    pub(crate) acceptance: Acceptance,
    pub(crate) digests: Digests,
    /// Empty until somebody asks.
    anchors: OnceLock<Anchors>,
    /// The same.
    names: OnceLock<Names>,
}

/// Whether a stream uses names that are declared elsewhere in it.
#[derive(Clone, Copy, Debug)]
struct Names {
    aliases: bool,
    tag_handles: bool,
}

impl Names {
    fn of(stream: &Stream<'_>) -> Self {
        let (source, records) = (stream.source.as_bytes(), || stream.tape.iter());
        let is_declaration = |record: &Record| {
            record.kind == Kind::Directive && record.leaf_span().of(stream.source).starts_with("%TAG")
        };
        // Most sources have neither of these characters.
        Self {
            aliases: memchr::memchr(b'*', source).is_some() && records().any(|record| record.kind == Kind::Alias),
            tag_handles: memchr::memchr(b'%', source).is_some() && records().any(is_declaration),
        }
    }
}

impl<'s> Stream<'s> {
    /// The stream of a tape.
    pub(crate) fn new(source: &'s str, tape: Vec<Record>, acceptance: Acceptance) -> Self {
        Self { source, tape, acceptance, digests: Digests::default(), anchors: OnceLock::new(), names: OnceLock::new() }
    }

    /// To what its aliases refer: read once, however often it is asked for.
    pub(crate) fn anchors(&self) -> &Anchors {
        self.anchors.get_or_init(|| Anchors::of(self))
    }

    /// The bytes the stream was parsed from.
    #[must_use]
    pub const fn source(&self) -> &'s str {
        self.source
    }

    /// The root of the first document. `None` if that document has no content.
    ///
    /// ```
    /// let stream = kyaml_ast::Stream::parse("a: 1\n")?;
    /// assert_eq!(stream.root().map(|root| root.entries().count()), Some(1));
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    #[must_use]
    pub fn root(&self) -> Option<Node<'_>> {
        self.documents().next()?.root()
    }

    /// The documents, in source order. Their spans tile the source.
    pub fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let record = self.tape.get(next)?;
            let id = NodeId(next as u32);
            next += record.skip();
            Some(Document { stream: self, id })
        })
    }

    /// The document of this stream with this id.
    #[must_use]
    pub fn document(&self, id: NodeId) -> Option<Document<'_>> {
        let record = self.tape.get(id.index())?;
        (record.kind == Kind::Document).then_some(Document { stream: self, id })
    }

    /// Whether the stream has an alias.
    #[must_use]
    pub fn has_aliases(&self) -> bool {
        self.names().aliases
    }

    /// Whether the stream has `%TAG` directives.
    pub(crate) fn declares_tags(&self) -> bool {
        self.names().tag_handles
    }

    /// What is read once, however often it is asked for: edits ask for each value.
    fn names(&self) -> Names {
        *self.names.get_or_init(|| Names::of(self))
    }

    /// The indentation of new block collections: the number of columns for mappings, and for the dashes of sequences.
    #[must_use]
    pub fn indentation(&self) -> [usize; 2] {
        let style = IndentStyle::of(self);
        [style.step, style.sequence.unwrap_or(0)]
    }

    /// Whether any node has an anchor or a tag.
    #[must_use]
    pub fn has_properties(&self) -> bool {
        self.tape.iter().any(|record| record.kind.is_property())
    }

    /// The rules by which the source was accepted.
    #[must_use]
    pub const fn acceptance(&self) -> Acceptance {
        self.acceptance
    }

    /// The comments, in source order, from `#` to the last byte before the line break.
    pub fn comments(&self) -> impl Iterator<Item = &'s str> {
        let comments = self.tape.iter().filter(|record| record.kind == Kind::Comment);
        comments.map(|record| record.leaf_span().of(self.source))
    }

    /// The comments that start inside a span. See [`Stream::comments`].
    pub fn comments_in(&self, span: Span) -> impl Iterator<Item = &'s str> {
        self.comment_spans_in(span).map(|comment| comment.of(self.source))
    }

    /// The spans of the comments that start inside a span.
    pub fn comment_spans_in(&self, span: Span) -> impl Iterator<Item = Span> {
        let first = self.tape.partition_point(|record| record.start < span.start);
        let inside = self.tape[first..].iter().take_while(move |record| record.start < span.end);
        inside.filter(|record| record.kind == Kind::Comment).map(|record| record.leaf_span())
    }

    /// The view on a node of this stream.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { stream: self, id }
    }

    /// The span of any record.
    pub(crate) fn span_at(&self, index: usize) -> Span {
        match self.document(NodeId(index as u32)) {
            Some(document) => document.span(),
            None => span_at(&self.tape, index),
        }
    }

    pub(crate) fn node_at(&self, index: usize) -> Node<'_> {
        self.node(NodeId(index as u32))
    }

    /// The indentation of a block scalar's text, if its header states it.
    pub(crate) fn indent_indicator(&self, id: NodeId) -> Option<usize> {
        let record = self.tape.get(id.index() + 1).filter(|record| record.kind == Kind::Indent)?;
        Some(usize::from(record.column))
    }

    /// The number of heap bytes of the tape, with its unused capacity.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.tape.capacity() * size_of::<Record>()
    }
}

/// Indices of the direct children of a record, comments and properties included.
pub(crate) fn children(stream: &Stream<'_>, id: NodeId) -> impl Iterator<Item = usize> {
    let mut next = id.index() + 1;
    let end = id.index() + stream.tape[id.index()].skip();
    std::iter::from_fn(move || {
        let index = next;
        (index < end).then(|| {
            next += stream.tape[index].skip();
            index
        })
    })
}
