//! The records of the tape: their kinds and their flags.

use std::ops::Range;

use crate::span::Span;

/// What a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Kind {
    /// One document. Its root, markers and directives are its children.
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
    /// The bracket that ends a flow collection, and the end of a block scalar with a comment or digit in its header.
    Close,
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
    /// A scalar whose value differs from its text (without quotes): escapes, folding, block scalars.
    pub(crate) const DECODE: u8 = 1 << 2;
    /// A comment with only blanks before it on its line.
    pub(crate) const OWN_LINE: u8 = 1 << 3;
    /// A key introduced by `?`.
    pub(crate) const EXPLICIT: u8 = 1 << 4;
    /// A comment that is a list item which somebody commented out.
    pub(crate) const ITEM: u8 = 1 << 5;
    /// A record with a subtree: a document, a collection, or a block scalar with parts in its header.
    pub(crate) const SUBTREE: u8 = 1 << 6;
}

/// One entry of the tape; see the module for its invariants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    pub(crate) kind: Kind,
    pub(crate) flags: u8,
    pub(crate) column: u16,
    pub(crate) start: u32,
    /// For a leaf, its end. For a record with [`flag::SUBTREE`], the number of records in its subtree.
    link: u32,
}

const _: () = assert!(size_of::<Record>() == 12);

impl Record {
    /// A record without children.
    #[inline]
    pub(crate) fn leaf(kind: Kind, flags: u8, column: usize, range: Range<usize>) -> Self {
        let column = column.min(u16::MAX as usize) as u16;
        Self { kind, flags, column, start: range.start as u32, link: range.end as u32 }
    }

    /// Gives the record a subtree of this many records, including itself.
    #[inline]
    pub(crate) const fn close(&mut self, records: usize) {
        self.flags |= flag::SUBTREE;
        self.link = records as u32;
    }

    /// Sets the end of a leaf.
    #[inline]
    pub(crate) const fn end_at(&mut self, end: usize) {
        self.link = end as u32;
    }

    /// The same record at another position of a text.
    #[inline]
    pub(crate) fn moved(self, to: impl Fn(u32) -> u32) -> Self {
        Self { start: to(self.start), link: if self.has_subtree() { self.link } else { to(self.link) }, ..self }
    }

    /// Whether two records of the same kind have the same extent.
    pub(crate) fn stands_as(self, other: Self) -> bool {
        let extent = |record: Self| (record.kind, record.has_subtree(), record.start, record.link);
        extent(self) == extent(other)
    }

    pub(crate) const fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    const fn has_subtree(self) -> bool {
        self.has(flag::SUBTREE)
    }

    /// The number of records in the subtree, including this one.
    #[inline]
    pub(crate) const fn skip(self) -> usize {
        if self.has_subtree() { self.link as usize } else { 1 }
    }

    /// The span of a leaf. For other records, use [`span_at`].
    #[inline]
    pub(crate) const fn leaf_span(self) -> Span {
        debug_assert!(!self.has_subtree(), "its end stands elsewhere");
        Span::new(self.start, self.link)
    }
}

/// The end of the node or leaf at an index: the end of the last record of its subtree.
#[inline]
pub(crate) fn end_at(tape: &[Record], index: usize) -> u32 {
    span_at(tape, index).end
}

/// The span of the node or leaf at an index.
#[inline]
pub(crate) fn span_at(tape: &[Record], index: usize) -> Span {
    let record = tape[index];
    let end = if record.has_subtree() { tape[index + record.link as usize - 1].link } else { record.link };
    Span::new(record.start, end)
}
