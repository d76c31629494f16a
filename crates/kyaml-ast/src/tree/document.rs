//! The view on one document: its root, its markers and its directives.

use super::{Kind, Node, NodeId, Record, Stream, children};
use crate::span::Span;

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

    /// Every byte of the document, with markers, directives and comments.
    #[must_use]
    pub fn span(self) -> Span {
        let tape = &self.stream.tape;
        let (record, next) = (self.record(), self.id.index() + self.record().skip());
        Span::new(record.start, tape.get(next).map_or(self.stream.source.len() as u32, |next| next.start))
    }

    /// The source text of [`Document::span`].
    #[must_use]
    pub fn text(self) -> &'t str {
        self.span().of(self.stream.source)
    }

    /// The root node. `None` if the document has only comments and blanks.
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
        self.children().map(|index| tape[index]).filter(|record| record.kind == Kind::Directive).map(Record::leaf_span)
    }

    fn marker(self, kind: Kind) -> Option<Span> {
        self.children().map(|index| self.stream.tape[index]).find(|record| record.kind == kind).map(Record::leaf_span)
    }

    fn children(self) -> impl Iterator<Item = usize> {
        children(self.stream, self.id)
    }
}
