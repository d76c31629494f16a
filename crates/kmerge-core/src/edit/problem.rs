//! Why a statement cannot be made.

use kyaml_ast::{ChangeError, LookupError, LookupErrorKind, ParseError, Path, Segment, Span, Step};

/// A statement that cannot be made in a file, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The statement, from 0; `None` if the file is the problem.
    pub statement: Option<usize>,
    /// The resource, where it is known.
    pub resource: Option<String>,
    /// Where in the file; `None` if statements before have changed it.
    pub span: Option<Span>,
    /// Why.
    pub kind: Box<ProblemKind>,
}

/// Why a statement cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file is not YAML.
    #[error(transparent)]
    Syntax(ParseError),
    /// There is no such place, and none may be made.
    #[error(transparent)]
    Missing(LookupError),
    /// The schema knows of no such field.
    #[error("there is no field {path}{}", similar.as_ref().map(|name| format!("; did you mean {name}?")).unwrap_or_default())]
    Unknown {
        /// The way to the field.
        path: String,
        /// A field that is written almost like it.
        similar: Option<String>,
    },
    /// A name that holds dots was taken for several.
    #[error("{path} is a scalar, so it has no fields")]
    Split {
        /// The text.
        path: String,
        /// What is meant, probably.
        meant: String,
    },
    /// The value does not fit the place.
    #[error("{path}: {reason}")]
    Value {
        /// The place.
        path: String,
        /// Why not, in words.
        reason: String,
        /// Where it is no YAML.
        syntax: Option<ParseError>,
        /// What can be done about it.
        help: Option<&'static str>,
    },
    /// An alias or a merge key stands in the way.
    #[error("{message}")]
    Blocked {
        /// What it is.
        message: String,
        /// Its value.
        target: Option<Span>,
        /// What to do.
        help: &'static str,
    },
    /// The edit cannot be made.
    #[error("{path}: {error}")]
    Change {
        /// The place.
        path: String,
        /// Why not.
        error: ChangeError,
    },
    /// The value has an alias, and there is no such anchor before it.
    #[error("there is no anchor {name} before the alias *{name}")]
    Undefined {
        /// The name of the alias.
        name: String,
    },
    /// The statements before have made resources come or go.
    #[error("an earlier statement added or removed resources; select again")]
    Recounted,
}

impl ProblemKind {
    /// Whether there is no such place, and none may be made.
    pub(super) const fn is_missing(&self) -> bool {
        matches!(self, Self::Missing(_) | Self::Unknown { .. })
    }

    /// What can be done about it.
    #[must_use]
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Missing(LookupError { kind: LookupErrorKind::Missing { present, .. }, .. })
                if !present.is_empty() =>
            {
                Some(format!("there are {}", listed(present)))
            }
            Self::Missing(LookupError {
                step: Step::One(Segment::Field(name)),
                kind: LookupErrorKind::WrongKind(_),
                ..
            }) if name.parse::<usize>().is_ok() => {
                Some(format!("an element is named by its position in brackets: [{name}]"))
            }
            Self::Missing(_) => None,
            Self::Unknown { .. } => Some("--create (-c) adds it anyway".to_owned()),
            Self::Split { meant, .. } => Some(format!("a name that holds dots is written in quotes: {meant}")),
            Self::Undefined { name } => {
                Some(format!("write &{name} in front of a value above it, or take --string for the text"))
            }
            Self::Value { help, .. } => help.map(str::to_owned),
            Self::Blocked { help, .. } => Some((*help).to_owned()),
            _ => None,
        }
    }
}

/// Why a change of a place cannot be made.
pub(super) fn change(path: &Path, error: ChangeError) -> ProblemKind {
    match error {
        ChangeError::Lookup(error) => ProblemKind::Missing(error),
        error => ProblemKind::Change { path: path.to_string(), error },
    }
}

/// Names, at most ten.
fn listed(present: &[Segment]) -> String {
    const MOST: usize = 10;
    let name = |segment: &Segment| match segment {
        Segment::Key(fields) => fields.iter().map(|(_, value)| value.as_str()).collect::<Vec<_>>().join(","),
        Segment::Value(value) => value.clone(),
        other => other.to_string(),
    };
    let names: Vec<String> = present.iter().take(MOST).map(name).collect();
    match present.len().checked_sub(MOST).filter(|more| *more > 0) {
        Some(more) => format!("{}, and {more} more", names.join(", ")),
        None => names.join(", "),
    }
}
