//! Why a statement cannot be executed.

use kyaml_ast::{ChangeError, LookupError, LookupErrorKind, ParseError, Path, Segment, Span, Step};

/// A statement that cannot be executed in a file, with the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The statement, from 0. `None` if the file itself is the problem.
    pub statement: Option<usize>,
    /// The resource, if it is known.
    pub resource: Option<String>,
    /// The place in the file. `None` if earlier statements have changed the file.
    pub span: Option<Span>,
    /// Why.
    pub kind: Box<ProblemKind>,
}

/// Why a statement cannot be executed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ProblemKind {
    /// The file is not YAML.
    #[error(transparent)]
    Syntax(ParseError),
    /// The place does not exist and must not be created.
    #[error(transparent)]
    Missing(LookupError),
    /// The place does not exist, and no schema says whether it may.
    #[error(transparent)]
    Unspecified(LookupError),
    /// The place does not exist in a list of resources, outside its items.
    #[error(transparent)]
    OfList(LookupError),
    /// The schema has no such field.
    #[error("there is no field {path}{}", similar.as_ref().map(|name| format!("; did you mean {name}?")).unwrap_or_default())]
    Unknown {
        /// The path to the field.
        path: String,
        /// A field with a similar name.
        similar: Option<String>,
    },
    /// A name with dots was taken for several names.
    #[error("{path} is a scalar, so it has no fields")]
    Split {
        /// The text.
        path: String,
        /// The path that was probably meant.
        meant: String,
    },
    /// A mapping has the key twice.
    #[error("{path} is there twice, so that nothing says which one is meant")]
    Repeated {
        /// The path to both.
        path: String,
        /// The first one.
        first: Span,
    },
    /// The value does not fit the place.
    #[error("{path}: {reason}")]
    Value {
        /// The place.
        path: String,
        /// The reason.
        reason: String,
        /// The syntax error, if it is not YAML.
        syntax: Option<ParseError>,
        /// A hint for the user.
        help: Option<&'static str>,
    },
    /// An alias or a merge key prevents the change.
    #[error("{message}")]
    Blocked {
        /// The message.
        message: String,
        /// The value that it refers to.
        target: Option<Span>,
        /// A hint for the user.
        help: &'static str,
    },
    /// The edit cannot be made.
    #[error("{path}: {error}")]
    Change {
        /// The place.
        path: String,
        /// The reason.
        error: ChangeError,
    },
    /// The value has an alias without an anchor before it.
    #[error("there is no anchor {name} before the alias *{name}")]
    Undefined {
        /// The name of the alias.
        name: String,
    },
    /// Earlier statements have added or removed resources.
    #[error("an earlier statement added or removed resources; select again")]
    Recounted,
}

impl ProblemKind {
    /// Whether the place does not exist and must not be created.
    pub(super) const fn is_missing(&self) -> bool {
        self.is_absent() || matches!(self, Self::Unknown { .. })
    }

    /// Whether the place does not exist, and no schema forbids it.
    pub(super) const fn is_absent(&self) -> bool {
        match self {
            Self::Missing(error) => !matches!(error.kind, LookupErrorKind::Ambiguous { .. }),
            Self::Unspecified(_) | Self::OfList(_) => true,
            _ => false,
        }
    }

    /// A hint for the user.
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
            Self::Unspecified(_) => Some("--create (-c) adds it".to_owned()),
            Self::OfList(_) => Some(
                "this is a list of resources: select its items, as in --select KIND; --create (-c) adds it to the list"
                    .to_owned(),
            ),
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

/// The reason why a change of a place is not possible.
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
