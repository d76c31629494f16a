//! Plain and quoted scalars: finds their end, and whether decoding changes their text.

use super::{ParseErrorKind, Parsed, Parser, fail};
use crate::scan::{self, PlainStops};
use crate::tree::{Kind, Record, flag};

/// What follows a line of a plain scalar.
#[derive(Clone, Copy, Debug)]
pub(super) enum After {
    /// More on the same line.
    Line,
    /// A line that continues the scalar: its start, and the start of its text.
    Text { line: usize, at: usize },
    /// A line that does not continue it: its start, and the end of its leading spaces.
    Other { line: usize, at: usize },
}

impl Parser<'_> {
    /// Checks that a plain scalar can start at the cursor. `ends` are the classes that end it after `-`, `?`, `:`.
    #[inline]
    pub(super) fn check_plain_start(&self, ends: u8) -> Parsed<()> {
        let first = self.peek();
        if !scan::is(first, scan::INDICATOR | scan::MAYBE) {
            return Ok(());
        }
        if scan::is(first, scan::MAYBE) {
            if !self.is_at(self.at + 1, scan::BLANK | scan::BREAK | ends) {
                return Ok(());
            }
            return self.fail_at(ParseErrorKind::BareIndicator(char::from(first)), self.at);
        }
        let kind = match first {
            b']' | b'}' => ParseErrorKind::UnopenedBracket(char::from(first)),
            b'|' | b'>' => ParseErrorKind::MisplacedBlockScalar,
            _ => ParseErrorKind::ReservedCharacter(char::from(first)),
        };
        self.fail_at(kind, self.at)
    }

    /// Moves over a plain scalar whose first line ends at `stop`, and over the lines that continue it.
    ///
    /// A continuing line has at least `indent` spaces.
    #[inline]
    pub(super) fn plain(&mut self, mut stop: usize, indent: usize, stops: PlainStops) -> (Record, After) {
        let start = self.at;
        let column = self.column();
        let mut end = scan::trim(self.bytes, start, stop);
        let mut flags = 0;
        let after = loop {
            let after = self.after_plain(stop, indent, stops);
            let After::Text { line, at } = after else { break after };
            stop = scan::plain_stop(self.bytes, at, stops);
            if stop == at {
                break After::Line;
            }
            end = scan::trim(self.bytes, at, stop);
            flags = flag::DECODE;
            self.line = line;
        };
        self.at = end;
        (Record::leaf(Kind::Plain, flags, column, start..end), after)
    }

    /// What follows the line of a plain scalar that ends at `stop`.
    #[inline]
    fn after_plain(&self, stop: usize, indent: usize, stops: PlainStops) -> After {
        let mut at = stop;
        if !matches!(scan::byte(self.bytes, at), b'\n' | b'\r') {
            return After::Line;
        }
        loop {
            let line = scan::skip_break(self.bytes, at);
            let spaces = scan::skip_spaces(self.bytes, line);
            at = spaces;
            if self.peek_is_tab(at) {
                at = scan::skip_blanks(self.bytes, at);
            }
            let first = scan::byte(self.bytes, at);
            let shallow = spaces - line < indent;
            if matches!(first, b'\n' | b'\r') && !(shallow && at > spaces) {
                continue;
            }
            let ends = shallow
                || first == b'#'
                || first == 0
                || scan::is(first, stops.anywhere)
                || (first == 0xEF && scan::is_bom(self.bytes, at))
                || (at == line && scan::is_marker(self.bytes, line));
            return if ends { After::Other { line, at: spaces } } else { After::Text { line, at } };
        }
    }

    /// Moves over the quoted scalar at the cursor. Lines after the first have at least `indent` spaces.
    pub(super) fn quoted(&mut self, indent: i64) -> Parsed<Record> {
        let start = self.at;
        let column = self.column();
        let quote = self.peek();
        let (kind, flags) = if quote == b'"' {
            (Kind::DoubleQuoted, self.double_quoted(indent)?)
        } else {
            (Kind::SingleQuoted, self.single_quoted(indent)?)
        };
        Ok(Record::leaf(kind, flags, column, start..self.at))
    }

    fn single_quoted(&mut self, indent: i64) -> Parsed<u8> {
        let start = self.at;
        let mut flags = 0;
        self.at += 1;
        loop {
            self.at = scan::find_in_quotes(self.bytes, self.at, b'\'', b'\'');
            match self.peek() {
                b'\'' if scan::byte(self.bytes, self.at + 1) == b'\'' => {
                    self.at += 2;
                    flags = flag::DECODE;
                }
                b'\'' => {
                    self.at += 1;
                    return Ok(flags);
                }
                b'\n' | b'\r' => {
                    self.quoted_line(start, indent)?;
                    flags = flag::DECODE;
                }
                0 if self.at_end() => return fail(ParseErrorKind::UnclosedQuote('\''), start, start + 1),
                _ => self.at += 1,
            }
        }
    }

    fn double_quoted(&mut self, indent: i64) -> Parsed<u8> {
        let start = self.at;
        let mut flags = 0;
        self.at += 1;
        loop {
            self.at = scan::find_in_quotes(self.bytes, self.at, b'"', b'\\');
            match self.peek() {
                b'"' => {
                    self.at += 1;
                    return Ok(flags);
                }
                b'\\' => {
                    self.escape()?;
                    flags = flag::DECODE;
                }
                b'\n' | b'\r' => {
                    self.quoted_line(start, indent)?;
                    flags = flag::DECODE;
                }
                0 if self.at_end() => return fail(ParseErrorKind::UnclosedQuote('"'), start, start + 1),
                _ => self.at += 1,
            }
        }
    }

    /// Moves over the line break at the cursor, blank lines, and the indentation of the next line of quoted text.
    fn quoted_line(&mut self, start: usize, indent: i64) -> Parsed<()> {
        let quote = char::from(self.bytes[start]);
        loop {
            self.next_line();
            if scan::is_marker(self.bytes, self.line) {
                return fail(ParseErrorKind::MarkerInQuote(quote), start, start + 1);
            }
            let spaces = scan::skip_spaces(self.bytes, self.line);
            self.at = scan::skip_blanks(self.bytes, spaces);
            let shallow = ((spaces - self.line) as i64) < indent && self.acceptance.is_strict() && !self.at_end();
            if matches!(self.peek(), b'\n' | b'\r') && !(shallow && self.peek_is_tab(spaces)) {
                continue;
            }
            if shallow {
                let kind = if self.peek_is_tab(spaces) {
                    ParseErrorKind::TabIndentation
                } else {
                    ParseErrorKind::QuoteIndentation(indent as u32)
                };
                return self.fail_at(kind, spaces);
            }
            return Ok(());
        }
    }

    fn peek_is_tab(&self, at: usize) -> bool {
        scan::byte(self.bytes, at) == b'\t'
    }

    /// Moves over the escape at the cursor.
    fn escape(&mut self) -> Parsed<()> {
        let digits = match scan::byte(self.bytes, self.at + 1) {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            // The caller reads the break itself.
            b'\n' | b'\r' => {
                self.at += 1;
                return Ok(());
            }
            byte if b"0abt\tnvfre \"/\\N_LP".contains(&byte) => 0,
            b'\'' if !self.acceptance.is_strict() => 0,
            _ => return fail(ParseErrorKind::UnknownEscape, self.at, self.char_at(self.at + 1).1),
        };
        if digits > 0 {
            self.check_hex(digits)?;
        }
        self.at += 2 + digits;
        Ok(())
    }

    fn check_hex(&mut self, digits: usize) -> Parsed<()> {
        let start = self.at;
        let end = start + 2 + digits;
        let Some(code) = hex(self.bytes, start + 2, digits) else {
            return fail(ParseErrorKind::ExpectedHex(digits as u8), start, start + 2);
        };
        if char::from_u32(code).is_some() {
            return Ok(());
        }
        let low = (scan::byte(self.bytes, end) == b'\\' && scan::byte(self.bytes, end + 1) == b'u')
            .then(|| hex(self.bytes, end + 2, 4))
            .flatten();
        if digits == 4 && (0xD800..0xDC00).contains(&code) && low.is_some_and(|low| (0xDC00..0xE000).contains(&low)) {
            self.at = end;
            return Ok(());
        }
        fail(ParseErrorKind::NoCharacter, start, end)
    }
}

/// The number that `digits` hexadecimal digits at `at` stand for.
pub(crate) fn hex(bytes: &[u8], at: usize, digits: usize) -> Option<u32> {
    let text = bytes.get(at..at + digits)?;
    text.iter().try_fold(0u32, |code, &byte| {
        let digit = char::from(byte).to_digit(16)?;
        code.checked_mul(16)?.checked_add(digit)
    })
}
