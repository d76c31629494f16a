//! One statement: an action, its place and its value.

use std::fmt::{self, Display};

use kyaml_ast::{CommentSlot, Document, PathError, Pattern, Seat, Segment, Step, Stream};

use super::script::{ScriptError, ScriptErrorKind};
use super::select::Selector;
use super::words::{Word, Words};

/// One line of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Statement {
    /// The action.
    pub(super) action: Action,
    /// Its place in the text of the script: first byte, and end.
    pub(super) at: (usize, usize),
}

/// An action.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Action {
    /// Selects the resources for the following statements.
    Select(Selector),
    /// `set PATH VALUE`, `append PATH VALUE`, `insert PATH VALUE`: sets a value at a place, which may be new.
    Set {
        /// The place.
        path: Pattern,
        /// The value.
        value: Value,
        /// Whether missing fields that the schema does not know are created.
        create: bool,
    },
    /// `delete PATH`.
    Delete(Pattern),
    /// `rename PATH NAME`: renames a field.
    Rename {
        /// The field.
        path: Pattern,
        /// Its new name.
        name: String,
    },
    /// `move PATH PATH`.
    Move {
        /// The old place.
        from: Pattern,
        /// The new place, which must not exist yet.
        to: Pattern,
    },
    /// `comment PATH TEXT`.
    Comment {
        /// The entry.
        path: Pattern,
        /// Beside the entry or above it.
        slot: CommentSlot,
        /// The text without `#`. Empty: removes the comment.
        text: String,
    },
}

/// A value as the user wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The text.
    pub text: String,
    /// How it is read.
    pub(super) reading: Reading,
}

/// How a value is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Reading {
    /// By the type in the schema; else by the type of the old value; else as YAML.
    #[default]
    Guess,
    /// As a string.
    String,
    /// As YAML.
    Yaml,
}

impl Value {
    /// A value that is read by the type of its place. What is in quotes is a string.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        match Quoted::read(&text).filter(|quoted| quoted.text == text) {
            Some(quoted) => Self::string(quoted.value),
            None => Self { text, reading: Reading::Guess },
        }
    }

    /// A value that is a string, whatever it looks like.
    #[must_use]
    pub fn string(text: impl Into<String>) -> Self {
        Self { text: text.into(), reading: Reading::String }
    }

    /// A value that is YAML, whatever type its place has.
    #[must_use]
    pub fn yaml(text: impl Into<String>) -> Self {
        Self { text: text.into(), reading: Reading::Yaml }
    }
}

impl Action {
    /// The verb of the action in scripts.
    #[must_use]
    pub fn verb(&self) -> &'static str {
        match self {
            Self::Select(_) => "select",
            Self::Set { path, .. } if matches!(path.steps().last(), Some(Step::New(Seat::Last))) => "append",
            Self::Set { path, .. } if matches!(path.steps().last(), Some(Step::New(_))) => "insert",
            Self::Set { .. } => "set",
            Self::Delete(_) => "delete",
            Self::Rename { .. } => "rename",
            Self::Move { .. } => "move",
            Self::Comment { .. } => "comment",
        }
    }

    /// Whether it makes missing fields that the schema does not know.
    pub(super) const fn creates(&self) -> bool {
        matches!(self, Self::Set { create: true, .. })
    }

    /// The places that it changes. `None` for a selection.
    #[must_use]
    pub const fn path(&self) -> Option<&Pattern> {
        match self {
            Self::Select(_) => None,
            Self::Set { path, .. } | Self::Delete(path) | Self::Rename { path, .. } | Self::Comment { path, .. } => {
                Some(path)
            }
            Self::Move { from, .. } => Some(from),
        }
    }

    /// Sets a value as the new last element of each list.
    #[must_use]
    pub fn append(list: Pattern, value: Value, create: bool) -> Self {
        Self::Set { path: list.with(Step::New(Seat::Last)), value, create }
    }

    /// Sets a value as a new element of a list: for `[0]` and `[+0]` before the first element, for `[name=app+]` after
    /// that element. `None` if the path does not end in such a place.
    #[must_use]
    pub fn insert(path: &Pattern, value: Value, create: bool) -> Option<Self> {
        let mut steps = path.steps().to_vec();
        let seat = match steps.pop()? {
            Step::New(seat) => seat,
            Step::One(Segment::Index(index)) => Seat::Before(usize::try_from(index).ok()?),
            Step::Token(token) => Seat::Before(token.parse().ok()?),
            _ => return None,
        };
        let list = steps.into_iter().fold(Pattern::default(), Pattern::with);
        Some(Self::Set { path: list.with(Step::New(seat)), value, create })
    }
}

/// `set .spec.replicas`, without the value.
impl Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Move { from, to } => write!(f, "move {from} {to}"),
            Self::Rename { path, name } => write!(f, "rename {path} {name}"),
            other => match other.path() {
                Some(path) => write!(f, "{} {path}", other.verb()),
                None => f.write_str(other.verb()),
            },
        }
    }
}

/// The verbs.
pub(super) const VERBS: [&str; 8] = ["set", "append", "insert", "delete", "rename", "move", "comment", "select"];

/// Reads a line that is not empty. Error places are bytes of the line.
pub(super) fn read(line: &str) -> Result<Action, ScriptError> {
    let mut words = Words::new(line);
    let Some(verb) = words.next() else { return Err(ScriptError::new(0, ScriptErrorKind::NoVerb)) };
    let flags = Flags::read(&mut words, verb)?;
    match verb.text {
        "select" => Selector::words(words).map(Action::Select),
        "set" => valued(words, flags, |path, value| Some(Action::Set { path, value, create: flags.create })),
        "append" => valued(words, flags, |path, value| Some(Action::append(path, value, flags.create))),
        "insert" => valued(words, flags, |path, value| Action::insert(&path, value, flags.create)),
        "delete" => {
            let path = pattern(&mut words)?;
            ended(words, Action::Delete(path))
        }
        "rename" => {
            let path = pattern(&mut words)?;
            let name = words.next().ok_or_else(|| ScriptError::new(words.at(), ScriptErrorKind::NoName))?.unquoted();
            ended(words, Action::Rename { path, name })
        }
        "move" => {
            let from = pattern(&mut words)?;
            let to = pattern(&mut words)?;
            ended(words, Action::Move { from, to })
        }
        "comment" => {
            let path = pattern(&mut words)?;
            let slot = if flags.above { CommentSlot::Lead } else { CommentSlot::Trail };
            let text = text_of(words.rest());
            Ok(Action::Comment { path, slot, text })
        }
        _ => Err(ScriptError::new(verb.at, ScriptErrorKind::Verb)),
    }
}

/// The flags between the verb and the path.
#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    create: bool,
    above: bool,
    reading: Reading,
}

impl Flags {
    fn read(words: &mut Words<'_>, verb: Word<'_>) -> Result<Self, ScriptError> {
        let has_value = matches!(verb.text, "set" | "append" | "insert");
        let mut flags = Self::default();
        loop {
            let mut next = *words;
            let Some(word) = next.next().filter(|word| word.text.starts_with('-') && verb.text != "select") else {
                return Ok(flags);
            };
            match word.text {
                "-c" | "--create" if has_value => flags.create = true,
                "--string" if has_value => flags.reading = Reading::String,
                "--yaml" if has_value => flags.reading = Reading::Yaml,
                "--above" if verb.text == "comment" => flags.above = true,
                _ => return Err(ScriptError::new(word.at, ScriptErrorKind::Flag)),
            }
            *words = next;
        }
    }
}

fn valued(
    mut words: Words<'_>,
    flags: Flags,
    make: impl FnOnce(Pattern, Value) -> Option<Action>,
) -> Result<Action, ScriptError> {
    let at = words.at();
    let path = pattern(&mut words)?;
    let value = value(words.rest(), flags.reading)?;
    make(path, value).ok_or_else(|| ScriptError::new(at, ScriptErrorKind::NoSeat))
}

fn pattern(words: &mut Words<'_>) -> Result<Pattern, ScriptError> {
    let at = words.at();
    let word = words.next().ok_or_else(|| ScriptError::new(at, ScriptErrorKind::NoPath))?;
    let outside = |error: PathError| ScriptError::new(word.at + error.at, ScriptErrorKind::Path(error.kind));
    word.text.parse().map_err(outside)
}

fn ended(words: Words<'_>, action: Action) -> Result<Action, ScriptError> {
    let rest = words.rest();
    if rest.text.is_empty() || rest.text.starts_with('#') {
        Ok(action)
    } else {
        Err(ScriptError::new(rest.at, ScriptErrorKind::Rest))
    }
}

/// The rest of a line as a value: a quoted string, or the text up to a comment. A value that is YAML keeps its quotes.
fn value(rest: Word<'_>, reading: Reading) -> Result<Value, ScriptError> {
    if rest.text.is_empty() || rest.text.starts_with('#') {
        return Err(ScriptError::new(rest.at, ScriptErrorKind::NoValue));
    }
    if let Some(quoted) = Quoted::read(rest.text) {
        return Ok(match reading {
            Reading::Guess | Reading::String => Value::string(quoted.value),
            Reading::Yaml => Value::yaml(quoted.text),
        });
    }
    let end = comment_start(rest.text);
    Ok(Value { text: rest.text[..end].trim_end().to_owned(), reading })
}

/// A text that may be in quotes. If it is, a comment may follow.
fn text_of(rest: Word<'_>) -> String {
    Quoted::read(rest.text).map_or_else(|| rest.text.to_owned(), |quoted| quoted.value)
}

/// A YAML scalar in quotes.
struct Quoted {
    /// As it is written.
    text: String,
    value: String,
}

impl Quoted {
    /// Reads a text that is nothing else, but for a comment behind it.
    fn read(text: &str) -> Option<Self> {
        if !text.starts_with(['"', '\'']) {
            return None;
        }
        let stream = Stream::parse(text).ok()?;
        let root = stream.documents().next().and_then(Document::root)?;
        root.kind().is_scalar().then(|| Self { text: root.text().to_owned(), value: root.value().into_owned() })
    }
}

/// The start of a comment: after a blank, outside quotes. The end of the text if there is none.
fn comment_start(text: &str) -> usize {
    let (mut quote, mut before) = (None, ' ');
    for (at, char) in text.char_indices() {
        match (quote, char) {
            (Some(open), char) if open == char => quote = None,
            (None, '"' | '\'') if matches!(before, ' ' | '[' | '{' | ',' | ':') => quote = Some(char),
            (None, '#') if before.is_whitespace() => return at,
            _ => {}
        }
        before = char;
    }
    text.len()
}
