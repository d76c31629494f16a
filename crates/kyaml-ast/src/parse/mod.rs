//! Turns source text into a tape, in one pass and without recursion.
//!
//! `document` finds documents, markers and directives. `block` owns the stack of open block collections, `flow` the
//! stack of open brackets. `scalar`, `block_scalar` and `property` find the end of an atom. Nothing is decoded here: a
//! flag says whether a scalar's value differs from its text. `line` is a shortcut through all of these. `diagnose`
//! chooses among errors. `again` parses only what another stream does not have.
//!
//! Invariant: `last` holds the tape's length and the source offset right after the last complete node. So a collection
//! can be closed without looking back over the comments that follow it. Ignores duplicate keys and undefined aliases.

mod again;
mod block;
mod block_scalar;
mod diagnose;
mod document;
mod error;
mod flow;
mod input;
mod known;
mod line;
mod property;
mod scalar;
mod taken_out;
#[cfg(test)]
mod tests;

use crate::scan;
use crate::span::Span;
use crate::tree::{Kind, Record, Stream, flag};
use block::Frame;
use flow::Bracket;
use known::Known;
use property::Properties;
use std::collections::HashSet;

pub use error::{ParseError, ParseErrorKind};
pub(crate) use scalar::hex;

/// The rules for accepting a source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Acceptance {
    /// Exactly YAML 1.2.2.
    Strict12,
    /// YAML 1.2.2, and the extensions that kubectl and kpt accept, read as they read them: brackets, flow content and
    /// quoted lines at any column, comments without a blank before them, `\'` in double quotes, a byte order mark after
    /// `---` or inside text, `*alias: value`; and inside brackets `[-]` as text, `{a:}` as the key `a:`, `{?a: b}` as
    /// the key `a`. Characters that these tools refuse even in quotes are refused.
    #[default]
    KubeCompat,
}

impl Acceptance {
    fn is_strict(self) -> bool {
        self == Self::Strict12
    }
}

impl<'s> Stream<'s> {
    /// Parses `source` as [`Acceptance::KubeCompat`].
    ///
    /// ```
    /// let stream = kyaml_ast::Stream::parse("a: 1 # one\n---\nb: 2\n")?;
    /// assert_eq!(stream.documents().count(), 2);
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    ///
    /// # Errors
    /// The first place where `source` is not YAML.
    pub fn parse(source: &'s str) -> Result<Self, ParseError> {
        Self::parse_with(source, Acceptance::default())
    }

    /// Parses `source`.
    ///
    /// # Errors
    /// The first place where `source` is not acceptable YAML.
    pub fn parse_with(source: &'s str, acceptance: Acceptance) -> Result<Self, ParseError> {
        input::check_size(source.len())?;
        Self::parse_by(Parser::new(source, acceptance))
    }

    fn parse_by(mut parser: Parser<'s>) -> Result<Self, ParseError> {
        let (source, acceptance) = (parser.source, parser.acceptance);
        let unusual = input::check_characters(source, acceptance)?;
        if let Err(error) = parser.stream() {
            return Err(parser.explain(error));
        }
        let stream = Self::new(source, parser.into_tape(), acceptance);
        input::check_unusual(&stream, &unusual, acceptance)?;
        Ok(stream)
    }

    /// Parses a part of a source. Its tag handles are declared elsewhere.
    pub(crate) fn parse_fragment(source: &'s str) -> Result<Self, ParseError> {
        let mut parser = Parser::new(source, Acceptance::default());
        parser.is_fragment = true;
        parser.stream()?;
        Ok(Self::new(source, parser.into_tape(), Acceptance::default()))
    }

    /// Parses bytes that should be UTF-8 as [`Acceptance::KubeCompat`].
    ///
    /// # Errors
    /// As [`Stream::parse`], and for bytes in another encoding.
    pub fn parse_bytes(source: &'s [u8]) -> Result<Self, ParseError> {
        Self::parse(input::utf8(source)?)
    }
}

/// The tape starts with space for one record in this many bytes of source. Manifests have one in 12 to 50. Unused space
/// is given back at the end.
const BYTES_PER_RECORD: usize = 12;

type Parsed<T> = Result<T, ParseError>;

fn fail<T>(kind: ParseErrorKind, start: usize, end: usize) -> Parsed<T> {
    Err(ParseError { kind, span: Span::new(start as u32, end as u32) })
}

/// The parser's knowledge about the token at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Lead {
    /// Only blanks stand before it on its line.
    fresh: bool,
    /// A block collection may start here.
    open: bool,
    /// The first tab between it and the last token or line start.
    tab: Option<usize>,
}

impl Lead {
    const FRESH: Self = Self { fresh: true, open: true, tab: None };
    /// After `- `, `? ` and the `: ` of an explicit key: a compact collection may follow.
    const COMPACT: Self = Self { fresh: false, open: true, tab: None };
    const INLINE: Self = Self { fresh: false, open: false, tab: None };
}

/// The place of a node that is not written.
#[derive(Clone, Copy, Debug)]
struct Hole {
    /// Tape index.
    index: usize,
    /// Source offset.
    at: usize,
    column: usize,
}

struct Parser<'s> {
    source: &'s str,
    bytes: &'s [u8],
    acceptance: Acceptance,
    at: usize,
    /// Start of the line that `at` is on.
    line: usize,
    lead: Lead,
    tape: Vec<Record>,
    frames: Vec<Frame>,
    brackets: Vec<Bracket>,
    hole: Hole,
    /// Nulls that go before comments which are recorded already. Their place is right before `last`.
    nulls: Vec<Record>,
    /// See the module's invariant.
    last: Hole,
    /// Properties on lines before the token's line, still without a node.
    outer: Properties,
    /// Properties on the token's line, still without a node.
    inner: Properties,
    /// An anchor's name in this document contains `:`.
    colon_names: bool,
    /// Tag handles that the document declares.
    handles: HashSet<&'s str>,
    /// All tag handles count as declared.
    is_fragment: bool,
    /// Whether lines of the common shape take the shortcut. Tests also run without it.
    is_quick: bool,
    /// Another stream, which may already have much of the source.
    known: Option<Known<'s>>,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str, acceptance: Acceptance) -> Self {
        Self {
            source,
            bytes: source.as_bytes(),
            acceptance,
            at: 0,
            line: 0,
            lead: Lead::FRESH,
            tape: Vec::with_capacity(source.len() / BYTES_PER_RECORD + 4),
            frames: Vec::with_capacity(16),
            brackets: Vec::new(),
            hole: Hole { index: 0, at: 0, column: 0 },
            nulls: Vec::new(),
            last: Hole { index: 0, at: 0, column: 0 },
            outer: Properties::NONE,
            inner: Properties::NONE,
            colon_names: false,
            handles: HashSet::new(),
            is_fragment: false,
            is_quick: true,
            known: None,
        }
    }

    fn into_tape(mut self) -> Vec<Record> {
        if self.tape.capacity() > self.tape.len() + self.tape.len() / 32 {
            self.tape.shrink_to_fit();
        }
        self.tape
    }

    #[inline]
    fn peek(&self) -> u8 {
        scan::byte(self.bytes, self.at)
    }

    #[inline]
    fn is_at(&self, at: usize, classes: u8) -> bool {
        scan::is(scan::byte(self.bytes, at), classes)
    }

    /// The last record of the last complete node.
    #[inline]
    fn last_record(&self) -> Option<Record> {
        self.tape.get(self.last.index.wrapping_sub(1)).copied()
    }

    fn at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn column(&self) -> usize {
        self.at - self.line
    }

    /// The character at `at` and the offset after it.
    fn char_at(&self, at: usize) -> (char, usize) {
        let found = self.source[at..].chars().next().unwrap_or('\0');
        (found, (at + found.len_utf8()).min(self.bytes.len()))
    }

    /// Reports `kind` for the character at `at`.
    fn fail_at<T>(&self, kind: ParseErrorKind, at: usize) -> Parsed<T> {
        let end = if at < self.bytes.len() { self.char_at(at).1 } else { at };
        fail(kind, at, end)
    }

    /// Reports `kind` for the rest of the line from `at`.
    fn fail_line<T>(&self, kind: ParseErrorKind, at: usize) -> Parsed<T> {
        let end = scan::find_break(self.bytes, at);
        fail(kind, at, scan::trim(self.bytes, at, end))
    }

    #[inline]
    fn push(&mut self, record: Record) {
        if self.tape.len() == self.tape.capacity() {
            self.grow();
        }
        self.tape.push(record);
    }

    #[inline]
    fn insert(&mut self, index: usize, record: Record) {
        if self.tape.len() == self.tape.capacity() {
            self.grow();
        }
        self.tape.insert(index, record);
    }

    /// Makes room for as many records as the source needs if it continues as it began, but for at least a quarter more.
    #[cold]
    fn grow(&mut self) {
        let used = self.tape.len();
        let expected = used as u64 * (self.bytes.len() as u64 + 1) / (self.at as u64 + 1);
        let more = (expected as usize).saturating_sub(used).min(used * 2).max(used / 4 + 4);
        self.tape.reserve_exact(more);
    }

    /// Moves over the line break at the cursor.
    #[inline]
    fn next_line(&mut self) {
        self.at = scan::skip_break(self.bytes, self.at);
        self.line = self.at;
    }

    /// Moves over a comment and records it.
    fn comment(&mut self, flags: u8) -> Parsed<()> {
        let start = self.at;
        let separated = start == self.line || self.is_at(start - 1, scan::BLANK);
        if !separated && self.acceptance.is_strict() {
            return self.fail_line(ParseErrorKind::ExpectedBlankBeforeComment, start);
        }
        self.at = scan::find_break(self.bytes, start);
        let flags = if flags == flag::OWN_LINE { flags | self.item_flag(self.line, start) } else { flags };
        self.push(Record::leaf(Kind::Comment, flags, start - self.line, start..self.at));
        Ok(())
    }

    /// Moves to the next token of block context; records the comments on the way.
    #[inline]
    fn skip_trivia(&mut self) -> Parsed<()> {
        while scan::is(self.peek(), scan::TRIVIA) {
            match self.peek() {
                b' ' => self.at = scan::skip_spaces(self.bytes, self.at),
                b'\n' | b'\r' => self.fresh_line()?,
                b'\t' => self.skip_tab(),
                b'#' => self.comment(if self.lead.fresh { flag::OWN_LINE } else { 0 })?,
                _ if self.at == self.line && scan::is_bom(self.bytes, self.at) => self.skip_bom(),
                _ => break,
            }
        }
        Ok(())
    }

    /// Moves over the line break at the cursor and the spaces after it.
    #[inline]
    fn fresh_line(&mut self) -> Parsed<()> {
        self.next_line();
        self.at = scan::skip_spaces(self.bytes, self.at);
        self.lead = Lead::FRESH;
        if self.inner.any() { self.keep_properties() } else { Ok(()) }
    }

    fn skip_tab(&mut self) {
        if !self.inner.any() {
            self.lead.open = false;
            self.lead.tab = self.lead.tab.or(Some(self.at));
        }
        self.at += 1;
    }

    /// The number of spaces at the start of the current line, up to its first tab or token.
    #[inline]
    fn indent(&self) -> usize {
        self.lead.tab.unwrap_or(self.at) - self.line
    }

    /// A byte order mark does not count as a column.
    fn skip_bom(&mut self) {
        self.at += '\u{FEFF}'.len_utf8();
        self.line = self.at;
    }
}
