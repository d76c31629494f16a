//! Reads paths.

use std::str::FromStr;

use super::{Path, Segment, is_bare_char};

/// Why a text is not a path, and where.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind} (at byte {at})")]
pub struct PathError {
    /// What is wrong.
    pub kind: PathErrorKind,
    /// Byte offset of the place in the text.
    pub at: usize,
}

/// What is wrong with the text of a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathErrorKind {
    /// Nothing where a name has to be.
    #[error("expected a field name")]
    NoName,
    /// A character that only a quoted name can hold.
    #[error("unexpected {0:?}; a name that holds it is written [\"…\"]")]
    Unexpected(char),
    /// `[` without `]`.
    #[error("expected ]")]
    Unclosed,
    /// Brackets around something else.
    #[error("expected an index, a quoted name, key=value or =value in brackets")]
    Bracket,
    /// An index beyond 64 bits.
    #[error("index out of range")]
    Index,
    /// A quote without its partner.
    #[error("expected a closing quote")]
    UnclosedQuote,
    /// An escape that JSON does not know, or half of a surrogate pair.
    #[error("unknown escape")]
    Escape,
}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        if text == "." {
            return Ok(Self::root());
        }
        let mut cursor = Cursor { text, at: 0 };
        let mut path = Self::from_iter([first(&mut cursor)?]);
        while !cursor.is_at_end() {
            path.push(segment(&mut cursor)?);
        }
        Ok(path)
    }
}

/// The first segment, whose dot may be missing.
fn first(cursor: &mut Cursor<'_>) -> Result<Segment, PathError> {
    match cursor.peek() {
        Some('.' | '[') => segment(cursor),
        _ => name(cursor).map(Segment::Field),
    }
}

fn segment(cursor: &mut Cursor<'_>) -> Result<Segment, PathError> {
    let has_dot = cursor.eat('.');
    if cursor.eat('[') {
        return bracket(cursor);
    }
    match cursor.peek() {
        Some(other) if !has_dot => Err(cursor.error(PathErrorKind::Unexpected(other))),
        _ => name(cursor).map(Segment::Field),
    }
}

/// What stands between `[` and `]`, and the `]`.
fn bracket(cursor: &mut Cursor<'_>) -> Result<Segment, PathError> {
    let start = cursor.at;
    if cursor.eat('=') {
        let value = value(cursor)?;
        return close(cursor, Segment::Value(value));
    }
    let is_quoted = matches!(cursor.peek(), Some('"' | '\''));
    let name = if is_quoted { name(cursor)? } else { cursor.take_until(&['=', ']', ',', '[', '"', '\'']).to_owned() };
    match cursor.peek() {
        Some('=') if !name.is_empty() || is_quoted => key(cursor, name),
        Some(']') if is_quoted => close(cursor, Segment::Field(name)),
        Some(']') => close(cursor, Segment::Index(index(&name, start)?)),
        None => Err(cursor.error(PathErrorKind::Unclosed)),
        Some(_) => Err(PathError { kind: PathErrorKind::Bracket, at: start }),
    }
}

/// The rest of a key from the first `=` on.
fn key(cursor: &mut Cursor<'_>, first: String) -> Result<Segment, PathError> {
    let mut fields = Vec::new();
    let mut name = first;
    loop {
        cursor.expect('=', PathErrorKind::Bracket)?;
        fields.push((name, value(cursor)?));
        if !cursor.eat(',') {
            return close(cursor, Segment::Key(fields));
        }
        name = key_name(cursor)?;
    }
}

fn key_name(cursor: &mut Cursor<'_>) -> Result<String, PathError> {
    if matches!(cursor.peek(), Some('"' | '\'')) {
        return name(cursor);
    }
    match cursor.take_until(&['=', ']', ',', '[', '"', '\'']) {
        "" => Err(cursor.error(PathErrorKind::NoName)),
        name => Ok(name.to_owned()),
    }
}

fn value(cursor: &mut Cursor<'_>) -> Result<String, PathError> {
    match cursor.peek() {
        Some(quote @ ('"' | '\'')) => quoted(cursor, quote),
        _ => Ok(cursor.take_until(&[',', ']']).to_owned()),
    }
}

fn index(text: &str, at: usize) -> Result<i64, PathError> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(PathError { kind: PathErrorKind::Bracket, at });
    }
    text.parse().map_err(|_| PathError { kind: PathErrorKind::Index, at })
}

fn close(cursor: &mut Cursor<'_>, segment: Segment) -> Result<Segment, PathError> {
    cursor.expect(']', PathErrorKind::Unclosed)?;
    Ok(segment)
}

/// A field's name, bare or in quotes.
fn name(cursor: &mut Cursor<'_>) -> Result<String, PathError> {
    match cursor.peek() {
        Some(quote @ ('"' | '\'')) => quoted(cursor, quote),
        _ => bare(cursor),
    }
}

fn bare(cursor: &mut Cursor<'_>) -> Result<String, PathError> {
    let rest = cursor.rest();
    let name = &rest[..rest.find(|char| !is_bare_char(char)).unwrap_or(rest.len())];
    cursor.at += name.len();
    match cursor.peek() {
        Some(other) if !matches!(other, '.' | '[') => Err(cursor.error(PathErrorKind::Unexpected(other))),
        _ if name.is_empty() => Err(cursor.error(PathErrorKind::NoName)),
        _ => Ok(name.to_owned()),
    }
}

fn quoted(cursor: &mut Cursor<'_>, quote: char) -> Result<String, PathError> {
    let start = cursor.at;
    cursor.eat(quote);
    let mut out = String::new();
    loop {
        let at = cursor.at;
        match cursor.next() {
            None => return Err(PathError { kind: PathErrorKind::UnclosedQuote, at: start }),
            Some('\\') if quote == '"' => {
                out.push(escape(cursor).ok_or(PathError { kind: PathErrorKind::Escape, at })?);
            }
            Some(char) if char != quote => out.push(char),
            Some(_) if quote == '\'' && cursor.eat('\'') => out.push('\''),
            Some(_) => return Ok(out),
        }
    }
}

/// What stands after a backslash.
fn escape(cursor: &mut Cursor<'_>) -> Option<char> {
    Some(match cursor.next()? {
        char @ ('"' | '\\' | '/') => char,
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'b' => '\u{8}',
        'f' => '\u{c}',
        'u' => {
            let digits = cursor.rest().get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
            cursor.at += digits.len();
            char::from_u32(u32::from_str_radix(digits, 16).ok()?)?
        }
        _ => return None,
    })
}

/// A text and the place up to which it has been read.
struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let char = self.peek()?;
        self.at += char.len_utf8();
        Some(char)
    }

    fn eat(&mut self, wanted: char) -> bool {
        let found = self.peek() == Some(wanted);
        if found {
            self.at += wanted.len_utf8();
        }
        found
    }

    fn expect(&mut self, wanted: char, otherwise: PathErrorKind) -> Result<(), PathError> {
        if self.eat(wanted) { Ok(()) } else { Err(self.error(otherwise)) }
    }

    fn take_until(&mut self, stops: &[char]) -> &'a str {
        let rest = self.rest();
        let taken = &rest[..rest.find(stops).unwrap_or(rest.len())];
        self.at += taken.len();
        taken
    }

    const fn error(&self, kind: PathErrorKind) -> PathError {
        PathError { kind, at: self.at }
    }
}
