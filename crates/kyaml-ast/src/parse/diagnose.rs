//! Chooses the error to report. The parser knows that something is wrong; these functions look around for the likely
//! reason.
//!
//! Nothing here decides whether a source is accepted.

use super::block::{Frame, State};
use super::{ParseError, ParseErrorKind, Parsed, Parser, fail};
use crate::scan;
use crate::span::Span;
use crate::tree::Kind;

impl Parser<'_> {
    pub(super) fn fail_tab<T>(&self, tab: usize) -> Parsed<T> {
        fail(ParseErrorKind::TabIndentation, tab, tab + 1)
    }

    /// A block collection where none can start. `nested` is the error if a key stands before it on the same line.
    pub(super) fn fail_closed<T>(&self, nested: ParseErrorKind, top: Frame) -> Parsed<T> {
        if let Some(tab) = self.lead.tab {
            return self.fail_tab(tab);
        }
        let kind = if top.state == State::Root { ParseErrorKind::CollectionOnMarkerLine } else { nested };
        self.fail_line(kind, self.at)
    }

    /// A line at a column where no entry of the top frame can be. `closed` is the collection just left.
    pub(super) fn fail_indent<T>(&self, top: Frame, closed: Option<i64>) -> Parsed<T> {
        if let Some(tab) = self.lead.tab {
            return self.fail_tab(tab);
        }
        let found = self.indent() as u32;
        let deeper = i64::from(found) > top.indent;
        let kind = match (closed, top.state) {
            (Some(expected), State::RootDone) => ParseErrorKind::TooDeep { expected: expected as u32, found },
            (None, State::RootDone) => ParseErrorKind::SecondRoot,
            (Some(inner), _) if deeper => {
                ParseErrorKind::NoSuchLevel { outer: top.indent as u32, inner: inner as u32, found }
            }
            (None, _) if deeper => ParseErrorKind::TooDeep { expected: top.indent as u32, found },
            (_, State::Items) => ParseErrorKind::ExpectedItem,
            _ => ParseErrorKind::UnexpectedItem,
        };
        self.fail_line(kind, self.at)
    }

    /// More content on the line of a complete node.
    pub(super) fn fail_trailing<T>(&self) -> Parsed<T> {
        let Some(last) = self.last_record() else {
            return self.fail_line(ParseErrorKind::TrailingContent, self.at);
        };
        let start = last.start as usize;
        let many_lines = start < self.line;
        if matches!(last.kind, Kind::DoubleQuoted | Kind::SingleQuoted) && self.last.at == self.at {
            let quote = char::from(self.bytes[start]);
            if many_lines {
                return fail(ParseErrorKind::UnclosedQuote(quote), start, start + 1);
            }
            return self.fail_line(ParseErrorKind::TextAfterQuote(quote), self.at);
        }
        if self.peek() == b':' && self.is_at(self.at + 1, scan::BLANK | scan::BREAK) && many_lines {
            if let Some(colon) = self.tight_colon(start) {
                return fail(ParseErrorKind::ExpectedSpaceAfterColon, colon, colon + 1);
            }
            return self.fail_line(ParseErrorKind::KeyInScalar, scan::skip_blanks(self.bytes, self.line));
        }
        match self.peek() {
            bracket @ (b']' | b'}') => self.fail_at(ParseErrorKind::UnopenedBracket(char::from(bracket)), self.at),
            _ => self.fail_line(ParseErrorKind::TrailingContent, self.at),
        }
    }

    /// Plain text where a key should be.
    pub(super) fn fail_colon<T>(&self, start: usize, stop: usize) -> Parsed<T> {
        if let Some(tab) = self.lead.tab {
            return self.fail_tab(tab);
        }
        match self.tight_colon(start) {
            Some(colon) => fail(ParseErrorKind::ExpectedSpaceAfterColon, colon, colon + 1),
            None => fail(ParseErrorKind::ExpectedColon, start, scan::trim(self.bytes, start, stop)),
        }
    }

    /// The `:` of `key:value` at `start`, if the text there looks like that, and not like a URL.
    fn tight_colon(&self, start: usize) -> Option<usize> {
        let end = scan::find(self.bytes, start, scan::BLANK | scan::BREAK);
        let colon = start + memchr::memchr(b':', &self.bytes[start..end])?;
        let is_url = self.bytes[colon..].starts_with(b"://");
        (colon > start && !is_url).then_some(colon)
    }

    /// A token inside brackets that is no separator and no closing bracket.
    pub(super) fn fail_comma<T>(&self) -> Parsed<T> {
        let (open, close) = self.opener();
        let many_lines = self.last_record().is_some_and(|last| (last.start as usize) < self.line);
        if self.peek() == b':' && many_lines {
            return fail(ParseErrorKind::KeyInUnclosedBracket(close), open, open + 1);
        }
        let tight = self.peek() == b':' && !self.is_at(self.at + 1, scan::BLANK | scan::BREAK);
        let kind = if tight { ParseErrorKind::ExpectedSpaceAfterColon } else { ParseErrorKind::ExpectedComma(close) };
        self.fail_at(kind, self.at)
    }

    /// The error to report in the place of `error`. If the line, or the text that the error is about, shows that the
    /// source is no YAML yet (a template, a conflict marker), that is reported.
    #[cold]
    pub(super) fn explain(&self, error: ParseError) -> ParseError {
        let at = error.span.start as usize;
        let last_line = self.last_record().map(|record| self.line_of(record.start as usize));
        let lines = [Some(self.line_of(at)), last_line];
        let found = lines.into_iter().flatten().find_map(|(start, end)| {
            let line = &self.source[start..end];
            let is_marker = ["<<<<<<< ", "||||||| ", ">>>>>>> "].iter().any(|marker| line.starts_with(marker));
            if is_marker || line.trim_end() == "=======" {
                return Some((ParseErrorKind::ConflictMarker, start, end));
            }
            let template = line.find("{{").filter(|_| is_structural(error.kind))?;
            Some((ParseErrorKind::Template, start + template, end))
        });
        match found {
            Some((kind, start, end)) => {
                let end = scan::trim(self.bytes, start, end);
                ParseError { kind, span: Span::new(start as u32, end as u32) }
            }
            None => self.refined(error).unwrap_or(error),
        }
    }

    /// The mistake that was most likely made shortly before the place of `error`.
    fn refined(&self, error: ParseError) -> Option<ParseError> {
        use ParseErrorKind as E;
        let start = error.span.start as usize;
        let at = |kind, start: usize, end: usize| Some(ParseError { kind, span: Span::new(start as u32, end as u32) });
        let text = error.span.of(self.source);
        match error.kind {
            E::ExpectedItem if text.starts_with('-') => at(E::ExpectedSpaceAfterDash, start, start + 1),
            E::ExpectedColon if text.starts_with('-') && self.is_below_item(start) => {
                at(E::ExpectedSpaceAfterDash, start, start + 1)
            }
            E::ReservedCharacter('%') if self.is_directive(start) => {
                at(E::MisplacedDirective, start, self.line_of(start).1)
            }
            E::ExpectedColon | E::ExpectedItem | E::SecondRoot if self.is_below_header(start) => {
                at(E::UnindentedBlockScalar, start, error.span.end as usize)
            }
            E::TooDeep { .. } | E::NoSuchLevel { .. } if self.is_below_block_scalar(start) => {
                at(E::DedentedBlockScalar, start, error.span.end as usize)
            }
            E::ExpectedColon if text.starts_with("--") && text.bytes().all(|byte| byte == b'-') => {
                at(E::MalformedMarker, start, error.span.end as usize)
            }
            E::KeyInScalar => self.key_above(start).and_then(|key| at(E::ExpectedColon, key.start, key.end)),
            E::KeyInUnclosedBracket(close) if self.indent_at(self.line) > self.indent_at(self.line_of(start).0) => {
                let key = scan::skip_blanks(self.bytes, self.line);
                at(E::ExpectedComma(close), key, self.char_at(key).1)
            }
            _ => None,
        }
    }

    fn is_directive(&self, at: usize) -> bool {
        let (start, end) = self.line_of(at);
        at == start && ["%YAML ", "%TAG "].iter().any(|name| self.source[start..end].starts_with(name))
    }

    /// Whether the line of `at` is the one below byte `above`.
    fn is_below(&self, at: usize, above: usize) -> bool {
        scan::skip_break(self.bytes, self.line_of(above).1) == self.line_of(at).0
    }

    fn is_below_header(&self, at: usize) -> bool {
        self.last_record().is_some_and(|last| last.kind.is_block_scalar() && self.is_below(at, last.start as usize))
    }

    fn is_below_block_scalar(&self, at: usize) -> bool {
        self.last_record()
            .is_some_and(|last| last.kind.is_block_scalar() && self.is_below(at, last.leaf_span().end as usize))
    }

    /// Whether the line above starts with a `-` at the same column.
    fn is_below_item(&self, at: usize) -> bool {
        let line = self.line_of(at).0;
        let Some(above) = line.checked_sub(1).map(|end| self.line_of(end).0) else { return false };
        self.bytes[above..].get(at - line) == Some(&b'-') && self.indent_at(above) == at - line
    }

    /// A word alone on the line above `at` and less indented: a key without its colon.
    fn key_above(&self, at: usize) -> Option<std::ops::Range<usize>> {
        let word = self.last_record().filter(|record| record.kind == Kind::Plain)?;
        let start = word.start as usize;
        let (line, end) = self.line_of(start);
        let is_alone =
            scan::skip_blanks(self.bytes, line) == start && self.indent_at(self.line_of(at).0) > start - line;
        let text = self.source[start..end].trim_end();
        let is_word = !text.contains([' ', '\t']);
        (self.is_below(at, start) && is_alone && is_word).then(|| start..start + text.len())
    }

    /// The number of blanks at the start of the line at `line`.
    fn indent_at(&self, line: usize) -> usize {
        scan::skip_blanks(self.bytes, line) - line
    }

    /// Start and end of the line that holds `at`.
    fn line_of(&self, at: usize) -> (usize, usize) {
        let before = memchr::memrchr2(b'\n', b'\r', &self.bytes[..at]);
        (before.map_or(0, |found| found + 1), scan::find_break(self.bytes, at))
    }
}

/// Whether a template may be the reason: templates put brackets and lines where YAML allows none.
fn is_structural(kind: ParseErrorKind) -> bool {
    use ParseErrorKind as E;
    matches!(
        kind,
        E::BareIndicator(_)
            | E::ExpectedColon
            | E::ExpectedComma(_)
            | E::KeyInScalar
            | E::KeyInUnclosedBracket(_)
            | E::MultilineKey
            | E::NestedMapping
            | E::ReservedCharacter(_)
            | E::SecondRoot
            | E::TooDeep { .. }
            | E::TrailingContent
            | E::UnclosedBracket(_)
            | E::WrongBracket { .. }
    )
}
