//! The records of the tape: what each is, and what its flags say.

use crate::span::Span;

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
    /// A comment that is an item of the list above it, which somebody took out.
    pub(crate) const ITEM: u8 = 1 << 5;
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
