//! Byte ranges and what is derived from them: lines, columns, newline style.
//!
//! A [`Span`] always lies inside its source and on character boundaries; sources are at most 4 GiB - 1.

use std::ops::Range;

/// A half-open byte range `start..end` of one source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// First byte.
    pub start: u32,
    /// One past the last byte. Never less than `start`.
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

/// A place as people count it: line and column from 1, with the column in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// Finds line and column of byte `at`. Takes time linear in `at`.
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
        line: 1 + memchr::memchr2_iter(b'\n', b'\r', before).filter(|&at| ends_line(source.as_bytes(), at)).count(),
        column: 1 + source[line_start as usize..at as usize].chars().count(),
    }
}

/// Whether the `\n` or `\r` at `at` is the last byte of its line.
fn ends_line(bytes: &[u8], at: usize) -> bool {
    bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n')
}

/// First byte of the line that holds byte `at`.
#[must_use]
pub fn line_start(source: &str, at: u32) -> u32 {
    let (before, after) = source.as_bytes().split_at(at as usize);
    // Between the two bytes of `\r\n` the line has not ended yet.
    let before = if after.first() == Some(&b'\n') { before.strip_suffix(b"\r").unwrap_or(before) } else { before };
    memchr::memrchr2(b'\n', b'\r', before).map_or(0, |newline| newline as u32 + 1)
}

/// The number of bytes between the start of its line and byte `at`, without a byte order mark.
pub(crate) fn column_of(source: &str, at: u32) -> usize {
    let line = Span::new(line_start(source, at), at).of(source);
    line.trim_start_matches('\u{feff}').len()
}

/// One past the newline (`\n`, `\r\n` or a lone `\r`) of the line that holds byte `at`, or the end of the source.
#[must_use]
pub fn line_end(source: &str, at: u32) -> u32 {
    let after = &source.as_bytes()[at as usize..];
    let newline = memchr::memchr2(b'\n', b'\r', after).unwrap_or(after.len());
    let length = match &after[newline..] {
        [b'\r', b'\n', ..] => 2,
        rest => rest.len().min(1),
    };
    at + (newline + length) as u32
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
    /// The style of the first line of `source`. `Lf` if there is none.
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

#[cfg(test)]
mod tests {
    use super::{line_end, line_start, place};

    #[test]
    fn lines_end_with_any_break() {
        let source = "a\nb\r\nc\rd";
        let lines = [(0, 2), (2, 5), (5, 7), (7, 8)];
        for (number, (start, end)) in lines.into_iter().enumerate() {
            for at in start..end {
                assert_eq!((line_start(source, at), line_end(source, at)), (start, end), "at {at}");
            }
            assert_eq!((place(source, start).line, place(source, start).column), (number + 1, 1));
        }
        assert_eq!((line_start(source, 8), line_end(source, 8)), (7, 8));
    }
}
