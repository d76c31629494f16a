//! The tape: every node, comment and marker of a source as 16-byte records in pre-order, and read-only views on it.
//!
//! # Invariants of the tape
//!
//! - Records are in pre-order and their `start`s never decrease. `skip` is the number of records of a subtree, itself
//!   included; the subtree of record `i` is `i..i + skip`. Leaves have `skip == 1`.
//! - [`Kind::Document`] records stand at top level and their spans tile the source: a document starts where the
//!   previous one ends (the first at 0, byte order mark included) and ends after the line of its `...`, else before the
//!   line of the next `---`, else at the end of the source. What stands between `...` and the next `---` belongs to the
//!   later document; where none follows, to the earlier. A document without a root holds comments at most: a source
//!   without content is one, and so is what stands before a `...` that ends nothing.
//! - The children of a document: [`Kind::Directive`]s, [`Kind::Start`] (`---`), the root node, [`Kind::End`] (`...`, once
//!   for each that follows another). A document with `---` and no content has a [`Kind::Null`] root.
//! - The children of a mapping alternate key node, value node; those of a sequence are its item nodes. What is not
//!   written is a [`Kind::Null`] with an empty span: right after its last property, if it has any; else a value right
//!   after its `:` or `-` indicator (or right after its key, when even the `:` is missing), a key right after its `?` or
//!   right before its `:`. It stands before the comments that follow its place.
//! - A node's properties ([`Kind::Anchor`], [`Kind::Tag`]) stand directly before it, after nothing of another node;
//!   comments may stand between.
//! - [`Kind::Comment`] records stand wherever their bytes are. A block collection's subtree ends with its last node:
//!   comments after it, also on the same line, stand outside, after the subtree. (Inside flow collections, and between
//!   a key and its value, comments are inside.) The comment on a block scalar's header line is the scalar's child,
//!   and so is the digit in its header ([`Kind::Indent`]), whose `column` is the indentation of the scalar's text.
//! - `span` of a node leaves its properties out. Block mapping: first entry's first byte (property or `?` included) to
//!   the end of its last node (or of the last `:` whose value is null). Block sequence: first `-` to the same. Flow
//!   collection: bracket to bracket; a pair without braces in a flow sequence (`PAIR`) like a block mapping. Quoted scalar:
//!   quotes included. Plain: first to last character. Block scalar: header to the end of its last line that counts (last
//!   line with content; under keep, `+`, also the blank lines after it), that line's newline left out; without any, the
//!   header alone, with its comment but without blanks after it.
//! - `column` is the byte distance from the start of the line to `start`, saturating at `u16::MAX`; a byte order mark
//!   counts for nothing. For block collections this is their indentation. Lines end with `\n`, `\r\n`, or a lone `\r`.

use crate::parse::Acceptance;
use crate::span::{Span, line_start};

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// One document; its root, markers and directives are its children.
    Document,
    /// `---`
    Start,
    /// `...`
    End,
    /// `%YAML 1.2`, without a trailing comment.
    Directive,
    /// From `#` to the last byte before the line break.
    Comment,
    /// `&name`
    Anchor,
    /// `!tag`, `!!tag`, `!<uri>`
    Tag,
    /// The digit in the header of a block scalar.
    Indent,
    /// Block or flow mapping.
    Mapping,
    /// Block or flow sequence.
    Sequence,
    /// Unquoted scalar.
    Plain,
    /// `'…'`
    SingleQuoted,
    /// `"…"`
    DoubleQuoted,
    /// `|`
    Literal,
    /// `>`
    Folded,
    /// A node that is not written at all.
    Null,
    /// `*name`
    Alias,
}

impl Kind {
    /// Whether the record is a node (and not a marker, comment or property).
    #[must_use]
    pub const fn is_node(self) -> bool {
        self as u8 >= Self::Mapping as u8
    }

    /// Whether the record is a scalar, written or not.
    #[must_use]
    pub const fn is_scalar(self) -> bool {
        self.is_node() && !matches!(self, Self::Mapping | Self::Sequence | Self::Alias)
    }

    /// Whether the record is a mapping or sequence.
    #[must_use]
    pub const fn is_collection(self) -> bool {
        matches!(self, Self::Mapping | Self::Sequence)
    }

    /// Whether the record is an anchor or a tag.
    pub(crate) const fn is_property(self) -> bool {
        matches!(self, Self::Anchor | Self::Tag)
    }

    /// Whether the record is a literal or folded block scalar.
    #[must_use]
    pub const fn is_block_scalar(self) -> bool {
        matches!(self, Self::Literal | Self::Folded)
    }
}

/// Flag bits of a [`Record`].
pub(crate) mod flag {
    /// A flow collection.
    pub(crate) const FLOW: u8 = 1;
    /// A single pair without braces inside a flow sequence (always together with `FLOW`).
    pub(crate) const PAIR: u8 = 1 << 1;
    /// A scalar whose value is not simply its text (without quotes): escapes, folding, block scalars.
    pub(crate) const DECODE: u8 = 1 << 2;
    /// A comment with nothing but blanks before it on its line.
    pub(crate) const OWN_LINE: u8 = 1 << 3;
    /// A key introduced by `?`.
    pub(crate) const EXPLICIT: u8 = 1 << 4;
}

/// One entry of the tape; see the module for its invariants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
    pub(crate) column: u16,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) skip: u32,
}

const _: () = assert!(size_of::<Record>() == 16);

impl Record {
    pub(crate) const fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    pub(crate) const fn span(self) -> Span {
        Span::new(self.start, self.end)
    }
}

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
#[derive(Clone, Debug)]
pub struct Stream<'s> {
    pub(crate) source: &'s str,
    pub(crate) tape: Vec<Record>,
    pub(crate) acceptance: Acceptance,
}

impl<'s> Stream<'s> {
    /// The bytes the stream was parsed from.
    #[must_use]
    pub const fn source(&self) -> &'s str {
        self.source
    }

    /// The documents, in source order; their spans tile the source.
    pub fn documents(&self) -> impl Iterator<Item = Document<'_>> {
        let mut next = 0;
        std::iter::from_fn(move || {
            let record = self.tape.get(next)?;
            let id = NodeId(next as u32);
            next += record.skip as usize;
            Some(Document { stream: self, id })
        })
    }

    /// Whether an alias stands anywhere.
    #[must_use]
    pub fn has_aliases(&self) -> bool {
        self.tape.iter().any(|record| record.kind == Kind::Alias)
    }

    /// The comments, in source order, from `#` to the last byte before the line break.
    pub fn comments(&self) -> impl Iterator<Item = &'s str> {
        let comments = self.tape.iter().filter(|record| record.kind == Kind::Comment);
        comments.map(|record| record.span().of(self.source))
    }

    /// The comments that start inside a span, as [`Stream::comments`].
    pub fn comments_in(&self, span: Span) -> impl Iterator<Item = &'s str> {
        self.comment_spans_in(span).map(|comment| comment.of(self.source))
    }

    /// Where the comments are that start inside of a span.
    pub fn comment_spans_in(&self, span: Span) -> impl Iterator<Item = Span> {
        let first = self.tape.partition_point(|record| record.start < span.start);
        let inside = self.tape[first..].iter().take_while(move |record| record.start < span.end);
        inside.filter(|record| record.kind == Kind::Comment).map(|record| record.span())
    }

    /// The view on a node of this stream.
    #[must_use]
    pub fn node(&self, id: NodeId) -> Node<'_> {
        Node { stream: self, id }
    }

    pub(crate) fn node_at(&self, index: usize) -> Node<'_> {
        self.node(NodeId(index as u32))
    }

    /// Indentation of a block scalar's text, where its header says it.
    pub(crate) fn indent_indicator(&self, id: NodeId) -> Option<usize> {
        let record = self.tape.get(id.index() + 1).filter(|record| record.kind == Kind::Indent)?;
        Some(usize::from(record.column))
    }

    /// Heap bytes that the tape takes, with the room that it does not use.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        self.tape.capacity() * size_of::<Record>()
    }
}

/// One document of a stream.
#[derive(Clone, Copy, Debug)]
pub struct Document<'t> {
    pub(crate) stream: &'t Stream<'t>,
    pub(crate) id: NodeId,
}

impl<'t> Document<'t> {
    fn record(self) -> Record {
        self.stream.tape[self.id.index()]
    }

    /// The stream this document belongs to.
    #[must_use]
    pub const fn stream(self) -> &'t Stream<'t> {
        self.stream
    }

    /// Identifies the document within its stream.
    #[must_use]
    pub const fn id(self) -> NodeId {
        self.id
    }

    /// Every byte of the document, markers, directives and comments included.
    #[must_use]
    pub fn span(self) -> Span {
        self.record().span()
    }

    /// The source text of [`Document::span`].
    #[must_use]
    pub fn text(self) -> &'t str {
        self.span().of(self.stream.source)
    }

    /// The root node; `None` where the document holds nothing but comments and blanks.
    #[must_use]
    pub fn root(self) -> Option<Node<'t>> {
        self.children()
            .find(|&index| self.stream.tape[index].kind.is_node())
            .map(|index| self.stream.node(NodeId(index as u32)))
    }

    /// The `---` of the document.
    #[must_use]
    pub fn start_marker(self) -> Option<Span> {
        self.marker(Kind::Start)
    }

    /// The `...` of the document.
    #[must_use]
    pub fn end_marker(self) -> Option<Span> {
        self.marker(Kind::End)
    }

    /// The directives, in order, without their comments.
    pub fn directives(self) -> impl Iterator<Item = Span> {
        let tape = &self.stream.tape;
        self.children().map(|index| tape[index]).filter(|record| record.kind == Kind::Directive).map(Record::span)
    }

    fn marker(self, kind: Kind) -> Option<Span> {
        self.children().map(|index| self.stream.tape[index]).find(|record| record.kind == kind).map(Record::span)
    }

    fn children(self) -> impl Iterator<Item = usize> {
        children(self.stream, self.id)
    }
}

/// Indices of the direct children of a record, comments and properties included.
pub(crate) fn children(stream: &Stream<'_>, id: NodeId) -> impl Iterator<Item = usize> {
    let mut next = id.index() + 1;
    let end = id.index() + stream.tape[id.index()].skip as usize;
    std::iter::from_fn(move || {
        let index = next;
        (index < end).then(|| {
            next += stream.tape[index].skip as usize;
            index
        })
    })
}

/// One node: a mapping, a sequence, a scalar or an alias. Cheap to copy.
#[derive(Clone, Copy, Debug)]
pub struct Node<'t> {
    pub(crate) stream: &'t Stream<'t>,
    pub(crate) id: NodeId,
}

impl<'t> Node<'t> {
    pub(crate) fn record(self) -> Record {
        self.stream.tape[self.id.index()]
    }

    /// The stream this node belongs to.
    #[must_use]
    pub const fn stream(self) -> &'t Stream<'t> {
        self.stream
    }

    /// Identifies the node within its stream.
    #[must_use]
    pub const fn id(self) -> NodeId {
        self.id
    }

    /// What the node is.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.record().kind
    }

    /// The node without its properties.
    #[must_use]
    pub fn span(self) -> Span {
        self.record().span()
    }

    /// The node with its anchor and tag.
    #[must_use]
    pub fn full_span(self) -> Span {
        let first = self.stream.tape[self.first_record()];
        Span::new(first.start, self.record().end)
    }

    /// The source text of [`Node::span`].
    #[must_use]
    pub fn text(self) -> &'t str {
        self.span().of(self.stream.source)
    }

    /// Whether the node is a collection in flow style (`{…}`, `[…]`, or a pair inside `[…]`).
    #[must_use]
    pub fn is_flow(self) -> bool {
        self.record().has(flag::FLOW)
    }

    /// Whether the node is a block mapping or block sequence.
    #[must_use]
    pub fn is_block_collection(self) -> bool {
        self.kind().is_collection() && !self.is_flow()
    }

    /// Whether the node is a pair without braces inside a flow sequence.
    #[must_use]
    pub fn is_flow_pair(self) -> bool {
        self.record().has(flag::PAIR)
    }

    /// Whether the node is a key introduced by `?`.
    #[must_use]
    pub fn is_explicit_key(self) -> bool {
        self.record().has(flag::EXPLICIT)
    }

    /// Distance in bytes from the start of its line to the node (without properties).
    #[must_use]
    pub fn column(self) -> usize {
        let record = self.record();
        if record.column < u16::MAX {
            return record.column as usize;
        }
        (record.start - line_start(self.stream.source, record.start)) as usize
    }

    /// The anchor's name, without `&`.
    #[must_use]
    pub fn anchor(self) -> Option<&'t str> {
        self.property(Kind::Anchor).map(|record| &record.span().of(self.stream.source)[1..])
    }

    /// The tag as written.
    #[must_use]
    pub fn tag(self) -> Option<&'t str> {
        self.property(Kind::Tag).map(|record| record.span().of(self.stream.source))
    }

    /// The name an alias refers to, without `*`.
    #[must_use]
    pub fn alias(self) -> Option<&'t str> {
        (self.kind() == Kind::Alias).then(|| &self.text()[1..])
    }

    /// Index of the first record that belongs to the node: a property, or the node itself.
    pub(crate) fn first_record(self) -> usize {
        let tape = &self.stream.tape;
        let mut first = self.id.index();
        let mut index = first;
        while index > 0 {
            index -= 1;
            match tape[index].kind {
                Kind::Anchor | Kind::Tag => first = index,
                Kind::Comment => {}
                _ => break,
            }
        }
        first
    }

    fn property(self, kind: Kind) -> Option<Record> {
        let tape = &self.stream.tape;
        tape[self.first_record()..self.id.index()].iter().copied().find(|record| record.kind == kind)
    }

    /// Index of the record after the node's subtree.
    pub(crate) fn after(self) -> usize {
        self.id.index() + self.record().skip as usize
    }

    /// The child nodes: keys and values in turn for a mapping, items for a sequence.
    pub fn children(self) -> impl Iterator<Item = Node<'t>> {
        children(self.stream, self.id)
            .filter(move |&index| self.stream.tape[index].kind.is_node())
            .map(move |index| self.stream.node(NodeId(index as u32)))
    }
}
