//! Byte ranges and what is derived from them: lines, columns, newline style.
//!
//! A [`Span`] always lies inside its source and on character boundaries; sources are at most 4 GiB - 1.

use std::ops::Range;

/// A half-open byte range `start..end` of one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte; never below `start`.
    pub end: u32,
}

impl Span {
    /// The range `start..end`.
    #[must_use]
    pub const fn new(start: u32, end: u32) -> Self {
        debug_assert!(start <= end);
        Self { start, end }
    }

    /// The empty range at `at`.
    #[must_use]
    pub const fn at(at: u32) -> Self {
        Self { start: at, end: at }
    }

    /// Whether the range holds no byte.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.start == self.end
    }

    /// Number of bytes.
    #[must_use]
    pub const fn len(self) -> usize {
        (self.end - self.start) as usize
    }

    /// The range as `usize`, for indexing.
    #[must_use]
    pub const fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// The part of `source` the span covers.
    #[must_use]
    pub fn of(self, source: &str) -> &str {
        &source[self.range()]
    }

    /// The smallest span that covers both.
    #[must_use]
    pub fn cover(self, other: Self) -> Self {
        Self::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// Whether `other` lies inside this span.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }
}

/// A place as people count it: line and column from 1, the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Finds line and column of byte `at`; linear in `at`.
///
/// ```
/// let place = kyaml_ast::place("a: 1\nb: é x\n", 11);
/// assert_eq!((place.line, place.column), (2, 6));
/// ```
#[must_use]
pub fn place(source: &str, at: u32) -> Place {
    let before = &source.as_bytes()[..at as usize];
    let line_start = line_start(source, at);
    Place {
        line: 1 + memchr::memchr_iter(b'\n', before).count(),
        column: 1 + source[line_start as usize..at as usize].chars().count(),
    }
}

/// First byte of the line that holds byte `at`.
#[must_use]
pub fn line_start(source: &str, at: u32) -> u32 {
    let before = &source.as_bytes()[..at as usize];
    memchr::memrchr(b'\n', before).map_or(0, |newline| newline as u32 + 1)
}

/// One past the newline of the line that holds byte `at`, or the end of the source.
#[must_use]
pub fn line_end(source: &str, at: u32) -> u32 {
    let after = &source.as_bytes()[at as usize..];
    memchr::memchr(b'\n', after).map_or(source.len() as u32, |newline| at + newline as u32 + 1)
}

/// How lines of a source end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Newline {
    /// `\n`
    #[default]
    Lf,
    /// `\r\n`
    CrLf,
}

impl Newline {
    /// The style of the first line of `source`; `Lf` where there is none.
    #[must_use]
    pub fn of(source: &str) -> Self {
        match memchr::memchr(b'\n', source.as_bytes()) {
            Some(at) if at > 0 && source.as_bytes()[at - 1] == b'\r' => Self::CrLf,
            _ => Self::Lf,
        }
    }

    /// The bytes themselves.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Lf => "\n",
            Self::CrLf => "\r\n",
        }
    }
}
