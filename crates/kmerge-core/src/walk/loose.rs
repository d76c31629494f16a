//! Finds the lines of a stream that may stand between entries: comments on lines of their own, and blank lines.
//!
//! Ignores which collection they belong to.

use kyaml_ast::{Span, Stream};
use memchr::memmem;

/// The offsets of comments on lines of their own, and of the line breaks that end blank lines.
pub(super) fn loose_lines(stream: &Stream<'_>) -> Vec<u32> {
    let bytes = stream.source().as_bytes();
    let comments = stream.comment_spans_in(Span::new(0, bytes.len() as u32)).map(|comment| comment.start as usize);
    let starts = comments.chain(breaks(bytes)).filter(|at| starts_line(bytes, *at));
    let mut loose: Vec<u32> = starts.map(|at| at as u32).collect();
    loose.sort();
    loose
}

/// Whether nothing but blanks stands before a byte on its line. The bytes of a byte order mark count as blanks here, even as parts of
/// other characters.
fn starts_line(bytes: &[u8], at: usize) -> bool {
    let is_text = |byte: &u8| !matches!(byte, b' ' | b'\t' | 0xEF | 0xBB | 0xBF);
    match bytes[..at].iter().rfind(|byte| is_text(byte)) {
        Some(b'\r') => bytes[at] != b'\n',
        before => before.is_none_or(|before| *before == b'\n'),
    }
}

/// The line breaks, without most of those behind text: these end no blank line.
fn breaks(bytes: &[u8]) -> Vec<usize> {
    if memchr::memchr(b'\r', bytes).is_some() {
        return memchr::memchr2_iter(b'\n', b'\r', bytes).collect();
    }
    let behind = [b"\n\n", b" \n", b"\t\n", b"\xBF\n"].into_iter().flat_map(|pair| ends_of(pair, bytes));
    behind.chain(bytes.starts_with(b"\n").then_some(0)).collect()
}

/// Whether one of some ascending offsets is in a span.
pub(super) fn any_in(starts: &[u32], span: Span) -> bool {
    let first = starts.partition_point(|start| *start < span.start);
    starts.get(first).is_some_and(|start| *start < span.end)
}

/// Where the second bytes of a pair stand.
fn ends_of(pair: &[u8; 2], bytes: &[u8]) -> impl Iterator<Item = usize> {
    let (finder, mut from) = (memmem::Finder::new(pair), 0);
    std::iter::from_fn(move || {
        from += finder.find(&bytes[from..])? + 1;
        Some(from)
    })
}

#[cfg(test)]
mod tests {
    use super::loose_lines;
    use kyaml_ast::Stream;

    #[test]
    fn comments_and_blank_lines_are_loose_whatever_ends_a_line() {
        for (text, loose) in [
            ("a: 1\n# x\nb: 2 # y\n\n  \nc: 3\n", vec![5, 18, 21]),
            ("a: 1\r\n# x\r\nb: 2\r\n\r\n", vec![6, 17]),
            ("a: 1\r# x\rb: 2\r\r", vec![5, 14]),
            ("\u{feff}# x\n", vec![3]),
            ("\u{feff}\n\na: 1 \n\n \n\n", vec![3, 4, 11, 13, 14]),
            ("\na: 1", vec![0]),
        ] {
            assert_eq!(loose_lines(&Stream::parse(text).unwrap()), loose, "{text:?}");
        }
    }
}
