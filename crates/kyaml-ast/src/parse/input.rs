//! Checks before and after the tape is written: size, encoding, characters.

use super::{Acceptance, ParseError, ParseErrorKind, Parsed, fail};
use crate::span::Span;
use crate::tree::{Document, Kind, Stream};
use wide::u8x16;

/// Offsets must fit the tape's `u32`.
pub(super) fn check_size(length: usize) -> Parsed<()> {
    if u32::try_from(length).is_err() { fail(ParseErrorKind::TooLarge, 0, 0) } else { Ok(()) }
}

/// The text in `bytes`.
pub(super) fn utf8(bytes: &[u8]) -> Parsed<&str> {
    check_size(bytes.len())?;
    if let Some(kind) = other_encoding(bytes) {
        return fail(kind, 0, bytes.len().min(4));
    }
    std::str::from_utf8(bytes).map_err(|error| {
        let start = error.valid_up_to();
        let end = start + error.error_len().unwrap_or(bytes.len() - start);
        ParseError { kind: ParseErrorKind::NotUtf8, span: Span::new(start as u32, end as u32) }
    })
}

/// Recognises UTF-16 and UTF-32 by a byte order mark, or by the zero bytes around a first ASCII character.
fn other_encoding(bytes: &[u8]) -> Option<ParseErrorKind> {
    match bytes {
        [0xFF, 0xFE, 0, 0, ..] | [0, 0, 0xFE, 0xFF, ..] | [0, 0, 0, _, ..] | [_, 0, 0, 0, ..] => {
            Some(ParseErrorKind::Utf32)
        }
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, _, ..] | [_, 0, ..] => Some(ParseErrorKind::Utf16),
        _ => None,
    }
}

const CHUNK: usize = 128;

/// Refuses characters that are allowed nowhere. Returns the places of those that are allowed in some places only.
pub(super) fn check_characters(source: &str, acceptance: Acceptance) -> Parsed<Vec<usize>> {
    let bytes = source.as_bytes();
    let mut unusual = Vec::new();
    let mut start = 0;
    for chunk in bytes.chunks(CHUNK) {
        // The last chunk may be shorter: bytes before it are looked at once more.
        let whole = chunk.first_chunk().or_else(|| bytes.last_chunk());
        if !whole.is_some_and(is_usual) && is_suspect(chunk) {
            check_chunk(source, start..start + chunk.len(), acceptance, &mut unusual)?;
        }
        start += chunk.len();
    }
    Ok(unusual)
}

/// Whether a chunk contains only printable ASCII and line feeds.
fn is_usual(chunk: &[u8; CHUNK]) -> bool {
    let (parts, _) = chunk.as_chunks();
    // Counted from the line feed on, all that is not allowed above a space is greater than `~`. Counted from behind the line feed
    // on, the line feed is the greatest, and all that is not allowed below a space is less than a space.
    let (from, behind) = (u8x16::splat(b'\n'), u8x16::splat(b'\n' + 1));
    let (greatest, least) = (u8x16::splat(b'~') - from, u8x16::splat(b' ') - behind);
    let found = parts.iter().fold((greatest, least), |(greatest, least), part| {
        let lanes = u8x16::new(*part);
        (greatest.max(lanes - from), least.min(lanes - behind))
    });
    found == (greatest, least)
}

/// Whether a chunk may contain a character that is not allowed everywhere.
fn is_suspect(chunk: &[u8]) -> bool {
    let suspect = |byte: u8| {
        let control = byte < 0x20 && byte != b'\n' && byte != b'\t' && byte != b'\r';
        // 0xC2: U+0080 to U+00BF; 0xEF: U+FEFF, U+FFFE, U+FFFF.
        control | (byte == 0x7F) | (byte == 0xC2) | (byte == 0xEF)
    };
    chunk.iter().fold(false, |found, &byte| found | suspect(byte))
}

fn check_chunk(
    source: &str,
    range: std::ops::Range<usize>,
    acceptance: Acceptance,
    unusual: &mut Vec<usize>,
) -> Parsed<()> {
    let bytes = source.as_bytes();
    for at in range {
        let code = match &bytes[at..] {
            [b'\n' | b'\t' | b'\r', ..] => continue,
            [code @ (0..=0x1F | 0x7F), ..] => u32::from(*code),
            [0xC2, low @ (0x80..=0x84 | 0x86..=0x9F), ..] => u32::from(*low),
            [0xEF, 0xBB, 0xBF, ..] => 0xFEFF,
            [0xEF, 0xBF, low @ (0xBE | 0xBF), ..] => 0xFFC0 + u32::from(*low & 0x3F),
            _ => continue,
        };
        let quotable = code == 0xFEFF || (code >= 0x7F && acceptance == Acceptance::Strict12);
        if !quotable {
            return fail_control(source, at, code);
        }
        if at > 0 {
            unusual.push(at);
        }
    }
    Ok(())
}

fn fail_control<T>(source: &str, at: usize, code: u32) -> Parsed<T> {
    let length = source[at..].chars().next().map_or(0, char::len_utf8);
    fail(ParseErrorKind::ControlCharacter(code), at, at + length)
}

/// Refuses the unusual characters outside quotes, except byte order marks between documents.
pub(super) fn check_unusual(stream: &Stream<'_>, unusual: &[usize], acceptance: Acceptance) -> Parsed<()> {
    if unusual.is_empty() {
        return Ok(());
    }
    let texts = stream.tape.iter().enumerate().filter(|(_, record)| is_text(record.kind));
    let mut texts = texts.map(|(index, record)| (record.kind, stream.span_at(index))).peekable();
    let mut gaps = stream.documents().map(|document| outside_root(document, acceptance)).peekable();
    for &at in unusual {
        while texts.next_if(|(_, span)| span.end as usize <= at).is_some() {}
        while gaps.next_if(|gap| gap.end <= at).is_some() {}
        let text = texts.peek().filter(|(_, span)| span.start as usize <= at);
        if text.is_some_and(|(kind, _)| matches!(kind, Kind::DoubleQuoted | Kind::SingleQuoted)) {
            continue;
        }
        let code = stream.source[at..].chars().next().map_or(0, u32::from);
        if code != 0xFEFF {
            return fail_control(stream.source, at, code);
        }
        if text.is_some() && !acceptance.is_strict() {
            continue;
        }
        let line_start = stream.source[..at].ends_with(['\n', '\r', '\u{FEFF}']);
        if text.is_some() || !line_start || !gaps.peek().is_some_and(|gap| at < gap.before || at >= gap.after) {
            return fail(ParseErrorKind::MisplacedByteOrderMark, at, at + 3);
        }
    }
    Ok(())
}

/// Whether records of this kind cover text that no other record covers.
fn is_text(kind: Kind) -> bool {
    let is_node = kind.is_scalar() && kind != Kind::Null;
    is_node || matches!(kind, Kind::Comment | Kind::Anchor | Kind::Tag | Kind::Alias | Kind::Directive)
}

/// A place in a document where a byte order mark can stand.
struct Gap {
    before: usize,
    after: usize,
    end: usize,
}

fn outside_root(document: Document<'_>, acceptance: Acceptance) -> Gap {
    let end = document.span().end;
    let root = document.root().map_or(Span::at(end), crate::tree::Node::full_span);
    let marker = document.start_marker().filter(|_| acceptance.is_strict());
    let first = document.directives().next().or(marker);
    let before = first.map_or(root.start, |first| first.start);
    Gap { before: before as usize, after: root.end as usize, end: end as usize }
}

#[cfg(test)]
mod tests {
    use super::{Acceptance, CHUNK, ParseErrorKind, check_characters, check_size};

    #[test]
    fn sources_are_below_four_gibibytes() {
        assert!(check_size(u32::MAX as usize).is_ok());
        assert_eq!(check_size(u32::MAX as usize + 1).map_err(|error| error.kind), Err(ParseErrorKind::TooLarge));
    }

    #[test]
    fn characters_are_refused_wherever_they_stand() {
        for byte in 0..=0x7F_u8 {
            let is_refused = byte.is_ascii_control() && !matches!(byte, b'\t' | b'\n' | b'\r');
            for at in [0, 1, 15, 16, CHUNK - 1, CHUNK, CHUNK + 20] {
                for length in [at + 1, CHUNK + 40, 3 * CHUNK] {
                    let mut text = vec![b'~'; length.max(at + 1)];
                    text[at] = byte;
                    let text = String::from_utf8(text).expect("ASCII");
                    let found =
                        check_characters(&text, Acceptance::KubeCompat).err().map(|error| error.span.start as usize);
                    assert_eq!(found, is_refused.then_some(at), "{byte:#x} at {at} of {length}");
                }
            }
        }
    }
}
