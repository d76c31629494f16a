//! Places inside a document: paths, how they are written and how they are read.
//!
//! [`Path`] and [`Pattern`] document the syntax.
//!
//! Owns the vocabulary of paths, and how to find their places. Ignores which fields identify an element, and the
//! documents of a stream.

mod chain;
mod follow;
mod lookup;
mod near;
mod parse;
mod pattern;

use std::fmt::{self, Display, Write};

pub use chain::Path;
pub use follow::End;
pub use lookup::{Found, LookupError, LookupErrorKind};
pub use near::similar_names;
pub use parse::{PathError, PathErrorKind};
pub use pattern::{Condition, Fit, FitError, Pattern, Seat, Step, Test};

/// One step of a [`Path`].
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// The value of a mapping's field.
    Field(String),
    /// The element of a list whose fields have these values, as printed. At least one field.
    Key(Vec<(String, String)>),
    /// The member of a set with this value, as printed.
    Value(String),
    /// The item at a position from 0; negative positions count from the end, -1 is the last.
    Index(i64),
}

impl Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Field(name) if is_bare(name) => write!(f, ".{name}"),
            Self::Field(name) => write!(f, "[{}]", Quoted(name)),
            Self::Key(fields) => write_key(f, fields, "]"),
            Self::Value(value) => write!(f, "[={}]", Quoted(value)),
            Self::Index(index) => write!(f, "[{index}]"),
        }
    }
}

fn write_key(f: &mut fmt::Formatter<'_>, fields: &[(String, String)], end: &str) -> fmt::Result {
    for (at, (name, value)) in fields.iter().enumerate() {
        f.write_char(if at == 0 { '[' } else { ',' })?;
        if is_bare(name) && !name.ends_with('!') && !name.starts_with(['?', '+']) {
            f.write_str(name)?;
        } else {
            Quoted(name).fmt(f)?;
        }
        write!(f, "={}", Quoted(value))?;
    }
    f.write_str(end)
}

/// Text in double quotes, with JSON's escapes.
struct Quoted<'a>(&'a str);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for char in self.0.chars() {
            match char {
                '"' | '\\' => write!(f, "\\{char}")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                _ if char.is_control() => write!(f, "\\u{:04x}", u32::from(char))?,
                _ => f.write_char(char)?,
            }
        }
        f.write_char('"')
    }
}

/// Whether a name needs no quotes in a path.
fn is_bare(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_bare_char)
}

/// Characters without a meaning in a path.
fn is_bare_char(char: char) -> bool {
    !(matches!(char, '.' | '[' | ']' | '"' | '\'' | '=' | ',' | '*' | '\\')
        || char.is_whitespace()
        || char.is_control())
}
