//! What makes inputs unusable.

use kyaml_ast::{ParseError, Path, Span, SpliceError};

use crate::slots::Side;

/// Why there is no merge. (A conflict is not an error: it is part of a plan.)
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// A `$patch` with a value that is not one of `merge`, `replace`, `delete`.
    #[error("{path}: unknown patch directive: expected `merge`, `replace` or `delete`")]
    UnknownDirective {
        /// The value, in the incoming side.
        span: Span,
        /// The mapping or list that it speaks about.
        path: Path,
    },
    /// A directive that only a strategic merge patch can execute, such as `$retainKeys`.
    #[error("{path}: only a patch can execute `{name}`")]
    PatchDirective {
        /// The directive's key, in the incoming side.
        span: Span,
        /// The mapping that holds it.
        path: Path,
        /// The key.
        name: String,
    },
    /// A null is to remove a field that the destination gets from a merge key (`<<`).
    #[error("{path} comes from a merge key, and is not here to be removed")]
    Inherited {
        /// The field, in the destination.
        span: Span,
        /// The path of the field.
        path: Path,
    },
    /// A side has a key twice, and another side has it, too: nothing says which is meant.
    #[error("{path} is there twice, so that nothing says which one is meant")]
    RepeatedKey {
        /// The side that has it twice.
        side: Side,
        /// The entry that is too much, on that side.
        span: Span,
        /// The path of the field.
        path: Path,
    },
    /// What the destination has aliases for would be too much text.
    #[error("what the aliases refer to is more than {most} bytes in all")]
    TooManyAliases {
        /// The first value that is too much, in the destination.
        span: Span,
        /// How many bytes may be read through aliases.
        most: usize,
    },
    /// The plan could not be written.
    #[error("the plan cannot be applied: {0}")]
    Splice(#[from] SpliceError),
}

/// A text that was written by this crate does not parse.
impl From<ParseError> for MergeError {
    fn from(error: ParseError) -> Self {
        Self::Splice(error.into())
    }
}
