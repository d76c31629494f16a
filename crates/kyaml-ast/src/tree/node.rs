//! The view on one node: its kind, position, properties and children.

use super::{Kind, NodeId, Record, Stream, children, flag, span_at};
use crate::span::{Span, line_start};

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
        span_at(&self.stream.tape, self.id.index())
    }

    /// The node with its anchor and tag.
    #[must_use]
    pub fn full_span(self) -> Span {
        let first = self.stream.tape[self.first_record()];
        Span::new(first.start, self.span().end)
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
        self.anchor_span().map(|span| &span.of(self.stream.source)[1..])
    }

    /// Where the anchor is written, with its `&`.
    #[must_use]
    pub fn anchor_span(self) -> Option<Span> {
        self.property(Kind::Anchor).map(Record::leaf_span)
    }

    /// The tag as written.
    #[must_use]
    pub fn tag(self) -> Option<&'t str> {
        self.property(Kind::Tag).map(|record| record.leaf_span().of(self.stream.source))
    }

    /// The name an alias refers to, without `*`.
    #[must_use]
    pub fn alias(self) -> Option<&'t str> {
        (self.kind() == Kind::Alias).then(|| &self.text()[1..])
    }

    /// The end of the node's anchor or tag, whichever comes last. `None` if it has neither.
    #[must_use]
    pub fn properties_end(self) -> Option<u32> {
        let records = &self.stream.tape[self.first_record()..self.id.index()];
        records.iter().rfind(|record| record.kind != Kind::Comment).map(|record| record.leaf_span().end)
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
        self.id.index() + self.record().skip()
    }

    /// The child nodes: keys and values in turn for a mapping, items for a sequence.
    pub fn children(self) -> impl Iterator<Item = Node<'t>> {
        children(self.stream, self.id)
            .filter(move |&index| self.stream.tape[index].kind.is_node())
            .map(move |index| self.stream.node(NodeId(index as u32)))
    }
}
