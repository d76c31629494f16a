//! Reads paths.

use std::str::FromStr;

use super::pattern::{Condition, Fit, Pattern, Seat, Step, Test};
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
    /// Nothing at a place where a name must be.
    #[error("expected a field name")]
    NoName,
    /// A character that only a quoted name can contain.
    #[error("unexpected {0:?}; write a name that contains it as [\"…\"]")]
    Unexpected(char),
    /// `[` without `]`.
    #[error("expected ]")]
    Unclosed,
    /// Brackets with any other content.
    #[error("expected an index, a quoted name, key=value or =value in brackets")]
    Bracket,
    /// An index beyond 64 bits.
    #[error("index out of range")]
    Index,
    /// A quote without its partner.
    #[error("expected a closing quote")]
    UnclosedQuote,
    /// Several places where one is needed.
    #[error("this path can match several places; here it must match one")]
    Several,
    /// A new element at a place where an existing one is needed.
    #[error("this path is for a new element; here it must name an existing one")]
    New,
    /// A path in braces, as in kubectl.
    #[error("a path has no braces: .spec.replicas")]
    Braces,
    /// `[]`.
    #[error("all elements are written [*], a new last one [+]")]
    NoIndex,
    /// A filter, as in JSONPath.
    #[error("a condition is written [name=app], without ?, ( and @")]
    Filter,
    /// `==`.
    #[error("a condition has one =: [name=app]; a value that starts with = is written [name=\"=…\"]")]
    TwoEquals,
    /// The text after `=~` is no regular expression, or is too large.
    #[error("this is not a regular expression, or too large a one; put one with , or ] in quotes: [name=~'^[a-z]+$']")]
    Regex,
    /// A backslash before a character that needs none.
    #[error("in a name, a backslash is only allowed before a dot; write other names with a backslash as [\"…\"]")]
    Backslash,
    /// A tilde in a JSON pointer.
    #[error("in a JSON pointer, ~ is written ~0, and / in a name ~1")]
    Tilde,
    /// An escape that JSON does not know, or half of a surrogate pair.
    #[error("unknown escape")]
    Escape,
}

impl FromStr for Path {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        let segment = |(at, step): (usize, Step)| {
            let kind = if step.is_plural() { PathErrorKind::Several } else { PathErrorKind::New };
            step.segment().ok_or(PathError { kind, at })
        };
        steps(text)?.into_iter().map(segment).collect()
    }
}

impl FromStr for Pattern {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        Ok(Self { steps: steps(text)?.into_iter().map(|(_, step)| step).collect() })
    }
}

/// The steps, each with its start byte.
fn steps(text: &str) -> Result<Vec<(usize, Step)>, PathError> {
    let mut cursor = Cursor { text, at: 0 };
    match text.as_bytes() {
        [b'.'] | [b'$'] => return Ok(Vec::new()),
        [b'/', ..] => return pointer(&mut cursor),
        [b'{', ..] => return Err(cursor.error(PathErrorKind::Braces)),
        [b'$', b'.' | b'[', ..] => cursor.at = 1,
        _ => {}
    }
    let mut steps = vec![(cursor.at, first(&mut cursor)?)];
    while !cursor.is_at_end() {
        steps.push((cursor.at, step(&mut cursor)?));
    }
    Ok(steps)
}

/// RFC 6901.
fn pointer(cursor: &mut Cursor<'_>) -> Result<Vec<(usize, Step)>, PathError> {
    let mut steps = Vec::new();
    while cursor.eat('/') {
        let at = cursor.at;
        let token = cursor.take_until(&['/']);
        let escapes =
            token.match_indices('~').find(|(at, _)| !matches!(token.as_bytes().get(at + 1), Some(b'0' | b'1')));
        if let Some((tilde, _)) = escapes {
            return Err(PathError { kind: PathErrorKind::Tilde, at: at + tilde });
        }
        let token = token.replace("~1", "/").replace("~0", "~");
        steps.push((at - 1, if token == "-" { Step::New(Seat::Last) } else { Step::Token(token) }));
    }
    Ok(steps)
}

/// The first step, whose dot may be missing.
fn first(cursor: &mut Cursor<'_>) -> Result<Step, PathError> {
    match cursor.peek() {
        Some('.' | '[') => step(cursor),
        _ => name(cursor).map(|name| Step::One(Segment::Field(name))),
    }
}

fn step(cursor: &mut Cursor<'_>) -> Result<Step, PathError> {
    let has_dot = cursor.eat('.');
    if has_dot && cursor.eat('.') {
        return anywhere(cursor);
    }
    if cursor.eat('[') {
        return bracket(cursor);
    }
    match cursor.peek() {
        Some(other) if !has_dot => Err(cursor.error(PathErrorKind::Unexpected(other))),
        Some('*') if matches!(cursor.rest().as_bytes().get(1), None | Some(b'.' | b'[')) => {
            cursor.eat('*');
            Ok(Step::Fields)
        }
        _ => name(cursor).map(|name| Step::One(Segment::Field(name))),
    }
}

/// Reads the text after `..`.
fn anywhere(cursor: &mut Cursor<'_>) -> Result<Step, PathError> {
    if !cursor.eat('[') {
        return name(cursor).map(Step::Anywhere);
    }
    match cursor.peek() {
        Some(quote @ ('"' | '\'')) => {
            let name = quoted(cursor, quote)?;
            close(cursor, Step::Anywhere(name))
        }
        _ => Err(cursor.error(PathErrorKind::NoName)),
    }
}

/// Reads the text between `[` and `]`, and the `]`.
fn bracket(cursor: &mut Cursor<'_>) -> Result<Step, PathError> {
    let start = cursor.at;
    let rest = cursor.rest();
    if let Some(known) =
        [("*]", Step::Items), ("+]", Step::New(Seat::Last))].iter().find(|(end, _)| rest.starts_with(end))
    {
        cursor.at += known.0.len();
        return Ok(known.1.clone());
    }
    match rest.as_bytes() {
        [b']', ..] => return Err(cursor.error(PathErrorKind::NoIndex)),
        [b'?', ..] => return Err(cursor.error(PathErrorKind::Filter)),
        [b'+', ..] => return before(cursor),
        [b'=', ..] | [b'!', b'=', ..] => return conditions(cursor, None),
        _ => {}
    }
    let is_quoted = rest.starts_with(['"', '\'']);
    let name = if is_quoted { name(cursor)? } else { condition_name(cursor).to_owned() };
    match cursor.peek() {
        Some('=' | '!') if !name.is_empty() || is_quoted => conditions(cursor, Some(name)),
        Some(']') if is_quoted => close(cursor, Step::One(Segment::Field(name))),
        Some(']') => {
            let index = index(&name, start)?;
            close(cursor, Step::One(Segment::Index(index)))
        }
        None => Err(cursor.error(PathErrorKind::Unclosed)),
        Some(_) => Err(PathError { kind: PathErrorKind::Bracket, at: start }),
    }
}

/// Reads `+N` and the `]`.
fn before(cursor: &mut Cursor<'_>) -> Result<Step, PathError> {
    cursor.eat('+');
    let at = cursor.at;
    let digits = cursor.take_until(&[']']);
    let index = index(digits, at)?;
    let index = usize::try_from(index).map_err(|_| PathError { kind: PathErrorKind::Index, at })?;
    close(cursor, Step::New(Seat::Before(index)))
}

/// Reads conditions separated by commas, from the operator of the first one on. A `+` at their end means a place after
/// an element.
fn conditions(cursor: &mut Cursor<'_>, first: Option<String>) -> Result<Step, PathError> {
    let start = cursor.at;
    let mut conditions = Vec::new();
    let mut field = first;
    loop {
        let (test, has_plus) = test(cursor)?;
        conditions.push(Condition { field, test });
        if cursor.eat(',') {
            field = Some(key_name(cursor)?);
            continue;
        }
        cursor.expect(']', PathErrorKind::Unclosed)?;
        return match (segment_of(&conditions), has_plus) {
            (Some(segment), true) => Ok(Step::New(Seat::Behind(segment))),
            (Some(segment), false) => Ok(Step::One(segment)),
            (None, false) => Ok(Step::Where(conditions)),
            (None, true) => Err(PathError { kind: PathErrorKind::Several, at: start }),
        };
    }
}

/// The segment for conditions that identify one element.
fn segment_of(conditions: &[Condition]) -> Option<Segment> {
    let is = |test: &Test| if let Test::Is(value) = test { Some(value.clone()) } else { None };
    if let [Condition { field: None, test }] = conditions {
        return is(test).map(Segment::Value);
    }
    let fields = conditions.iter().map(|condition| Some((condition.field.clone()?, is(&condition.test)?)));
    fields.collect::<Option<_>>().map(Segment::Key)
}

/// Reads an operator and a value, and whether a `+` ends the value.
fn test(cursor: &mut Cursor<'_>) -> Result<(Test, bool), PathError> {
    let at = cursor.at;
    let is_not = cursor.eat('!');
    cursor.expect('=', PathErrorKind::Bracket)?;
    if !is_not && cursor.eat('~') {
        let text = value(cursor)?;
        let fit = Fit::new(&text).map_err(|_| PathError { kind: PathErrorKind::Regex, at })?;
        return Ok((Test::Fits(fit), false));
    }
    if cursor.peek() == Some('=') {
        return Err(PathError { kind: PathErrorKind::TwoEquals, at });
    }
    let is_quoted = matches!(cursor.peek(), Some('"' | '\''));
    let mut value = value(cursor)?;
    let has_plus = if is_quoted { cursor.eat('+') } else { cursor.peek() == Some(']') && value.ends_with('+') };
    if has_plus && !is_quoted {
        value.pop();
    }
    Ok((if is_not { Test::IsNot(value) } else { Test::Is(value) }, has_plus))
}

fn key_name(cursor: &mut Cursor<'_>) -> Result<String, PathError> {
    if matches!(cursor.peek(), Some('"' | '\'')) {
        return name(cursor);
    }
    match condition_name(cursor) {
        "" => Err(cursor.error(PathErrorKind::NoName)),
        name => Ok(name.to_owned()),
    }
}

/// A bare name up to its operator.
fn condition_name<'a>(cursor: &mut Cursor<'a>) -> &'a str {
    let name = cursor.take_until(&['=', ']', ',', '[', '"', '\'']);
    match name.strip_suffix('!').filter(|_| cursor.peek() == Some('=')) {
        Some(name) => {
            cursor.at -= 1;
            name
        }
        None => name,
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

fn close(cursor: &mut Cursor<'_>, step: Step) -> Result<Step, PathError> {
    cursor.expect(']', PathErrorKind::Unclosed)?;
    Ok(step)
}

/// A field's name, bare or in quotes.
fn name(cursor: &mut Cursor<'_>) -> Result<String, PathError> {
    match cursor.peek() {
        Some(quote @ ('"' | '\'')) => quoted(cursor, quote),
        _ => bare(cursor),
    }
}

fn bare(cursor: &mut Cursor<'_>) -> Result<String, PathError> {
    let mut name = String::new();
    loop {
        let rest = cursor.rest();
        let part = &rest[..rest.find(|char| !is_bare_char(char)).unwrap_or(rest.len())];
        cursor.at += part.len();
        name.push_str(part);
        match cursor.rest().as_bytes() {
            [b'\\', escaped @ (b'.' | b'[' | b']' | b'\\' | b'/' | b'*'), ..] => {
                name.push(char::from(*escaped));
                cursor.at += 2;
            }
            [b'\\', ..] => return Err(cursor.error(PathErrorKind::Backslash)),
            [] | [b'.' | b'[', ..] if name.is_empty() => return Err(cursor.error(PathErrorKind::NoName)),
            [] | [b'.' | b'[', ..] => return Ok(name),
            _ => break,
        }
    }
    let other = cursor.peek().expect("bytes are left");
    Err(cursor.error(PathErrorKind::Unexpected(other)))
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

/// The character that an escape stands for. Reads the text after the backslash.
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

/// A text, and the position up to which it was read.
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
