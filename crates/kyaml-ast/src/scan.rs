//! Byte classes, and searches within one line.
//!
//! All functions take the whole source and an offset. Past the end every byte reads as 0. No accepted source contains 0
//! (see [`crate::parse`]), so the end of the source needs no extra test.

use wide::u8x16;

/// A line ends here: `\n`, `\r`, or the end of the source.
pub(crate) const BREAK: u8 = 1;
/// Space or tab.
pub(crate) const BLANK: u8 = 1 << 1;
/// `,` `[` `]` `{` `}`
pub(crate) const FLOW: u8 = 1 << 2;
/// `:` and `#`, which may end a plain scalar.
pub(crate) const STOP: u8 = 1 << 3;
/// Indicators that cannot start a plain scalar, except `-` `?` `:`.
pub(crate) const INDICATOR: u8 = 1 << 4;
/// `-` `?` `:`, which start a plain scalar when a non-blank follows.
pub(crate) const MAYBE: u8 = 1 << 5;
/// Bytes between tokens: blanks, breaks, `#`, and the first byte of a byte order mark.
pub(crate) const TRIVIA: u8 = 1 << 6;

static CLASS: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut table = [0; 256];
    table = mark(table, b"\n\r\0", BREAK);
    table = mark(table, b" \t", BLANK);
    table = mark(table, b",[]{}", FLOW | INDICATOR);
    table = mark(table, b":#", STOP);
    table = mark(table, b" \t\n\r#\xEF", TRIVIA);
    table = mark(table, b"#&*!|>'\"%@`", INDICATOR);
    mark(table, b"-?:", MAYBE)
}

const fn mark(mut table: [u8; 256], bytes: &[u8], class: u8) -> [u8; 256] {
    let mut index = 0;
    while index < bytes.len() {
        table[bytes[index] as usize] |= class;
        index += 1;
    }
    table
}

/// The byte at `at`, or 0 past the end.
#[inline]
pub(crate) fn byte(bytes: &[u8], at: usize) -> u8 {
    bytes.get(at).copied().unwrap_or(0)
}

/// Whether `byte` is of one of the classes.
#[inline]
pub(crate) fn is(byte: u8, classes: u8) -> bool {
    CLASS[byte as usize] & classes != 0
}

/// First offset from `at` with a byte of one of the classes. The classes must include [`BREAK`].
#[inline]
pub(crate) fn find(bytes: &[u8], mut at: usize, classes: u8) -> usize {
    while !is(byte(bytes, at), classes) {
        at += 1;
    }
    at
}

/// First offset from `at` that is not a blank.
#[inline]
pub(crate) fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    while is(byte(bytes, at), BLANK) {
        at += 1;
    }
    at
}

/// First offset from `at` that is not a space.
#[inline]
pub(crate) fn skip_spaces(bytes: &[u8], at: usize) -> usize {
    find_lane(bytes, at, |lanes| !equal(lanes, b' '), |byte| byte != b' ')
}

/// Offset of the line break that ends the line of `at`, or the end of the source.
#[inline]
pub(crate) fn find_break(bytes: &[u8], at: usize) -> usize {
    find_lane(bytes, at, |lanes| equal(lanes, b'\n') | equal(lanes, b'\r'), |byte| is(byte, BREAK))
}

/// Offset after the line break at `at`; `at` itself if there is none.
#[inline]
pub(crate) fn skip_break(bytes: &[u8], at: usize) -> usize {
    match byte(bytes, at) {
        b'\n' => at + 1,
        b'\r' if byte(bytes, at + 1) == b'\n' => at + 2,
        b'\r' => at + 1,
        _ => at,
    }
}

/// The end of `start..end` after removing the blanks at its end.
#[inline]
pub(crate) fn trim(bytes: &[u8], start: usize, mut end: usize) -> usize {
    // One comparison for most bytes.
    while end > start && bytes[end - 1] <= b' ' && is(bytes[end - 1], BLANK) {
        end -= 1;
    }
    end
}

/// The number of equal bytes at the start of both.
pub(crate) fn agreement(one: &[u8], other: &[u8]) -> usize {
    const LANE: usize = 32;
    let lanes = one.chunks_exact(LANE).zip(other.chunks_exact(LANE));
    let start = LANE * lanes.take_while(|(one, other)| one == other).count();
    let rest = one[start..].iter().zip(&other[start..]);
    start + rest.take_while(|(one, other)| one == other).count()
}

/// Whether `---` or `...` stands at `at`, followed by a blank or a break. `at` must be the start of a line.
#[inline]
pub(crate) fn is_marker(bytes: &[u8], at: usize) -> bool {
    matches!(byte(bytes, at), b'-' | b'.') && {
        let rest = &bytes[at..];
        (rest.starts_with(b"---") || rest.starts_with(b"...")) && is(byte(bytes, at + 3), BLANK | BREAK)
    }
}

/// Whether a byte order mark stands at `at`.
#[inline]
pub(crate) fn is_bom(bytes: &[u8], at: usize) -> bool {
    byte(bytes, at) == 0xEF && bytes[at..].starts_with("\u{FEFF}".as_bytes())
}

/// Which flow indicators end a plain scalar, as classes. Zero in block context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlainStops {
    /// Those that end it anywhere.
    pub(crate) anywhere: u8,
    /// Those that end it after `:`.
    pub(crate) after_colon: u8,
}

/// Where a plain scalar's text on this line stops: before a break, `: `, ` #`, or (in flow style) a flow indicator.
#[inline]
pub(crate) fn plain_stop(bytes: &[u8], mut at: usize, stops: PlainStops) -> usize {
    loop {
        at = find_plain_stop(bytes, at, stops.anywhere);
        let ends = match byte(bytes, at) {
            b':' => is(byte(bytes, at + 1), BLANK | BREAK | stops.after_colon),
            b'#' => at == 0 || is(bytes[at - 1], BLANK),
            b'\t' => false,
            _ => true,
        };
        if ends {
            return at;
        }
        at += 1;
    }
}

/// First offset from `at` with a byte that may end a plain scalar: a control character, `:`, `#`, or an indicator in
/// `flow`.
#[inline]
fn find_plain_stop(bytes: &[u8], at: usize, flow: u8) -> usize {
    if flow == 0 {
        let stops = |lanes| control(lanes) | equal(lanes, b':') | equal(lanes, b'#');
        return find_lane(bytes, at, stops, |byte| is(byte, BREAK | STOP));
    }
    let stops = |lanes| {
        // `[` and `{` differ only in bit 5, as do `]` and `}`.
        let folded = lanes | u8x16::splat(0x20);
        let brackets = equal(folded, b'{') | equal(folded, b'}') | equal(lanes, b',');
        control(lanes) | equal(lanes, b':') | equal(lanes, b'#') | brackets
    };
    find_lane(bytes, at, stops, |byte| is(byte, BREAK | STOP | flow))
}

/// First offset from `at` with a byte that may end quoted text or a part of it: a control character (or the end of the
/// source), `quote`, or `escape`.
#[inline]
pub(crate) fn find_in_quotes(bytes: &[u8], at: usize, quote: u8, escape: u8) -> usize {
    let stops = |lanes| control(lanes) | equal(lanes, quote) | equal(lanes, escape);
    find_lane(bytes, at, stops, |byte| byte < b' ' || byte == quote || byte == escape)
}

/// First offset from `at` with a wanted byte. `lanes` sets the top bit of each wanted byte among sixteen. `one` tests a
/// single byte near the end, and must be true for the 0 past the end.
#[inline]
fn find_lane(bytes: &[u8], mut at: usize, lanes: impl Fn(u8x16) -> u8x16, one: impl Fn(u8) -> bool) -> usize {
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<LANES>) {
        let found = lanes(u8x16::new(*chunk)).move_mask();
        if found != 0 {
            return at + found.trailing_zeros() as usize;
        }
        at += LANES;
    }
    while !one(byte(bytes, at)) {
        at += 1;
    }
    at
}

const LANES: usize = 16;

#[inline]
fn equal(lanes: u8x16, byte: u8) -> u8x16 {
    lanes.cmp_eq(u8x16::splat(byte))
}

/// The bytes below a space.
#[inline]
fn control(lanes: u8x16) -> u8x16 {
    lanes.cmp_eq(lanes.min(u8x16::splat(b' ' - 1)))
}
