//! JSON patches (RFC 6902), as kubectl applies them.
//!
//! Three deviations from the standard come from kubectl: `replace` adds a missing field; indices may be negative (`-1`
//! is the position after the last item in `add`, and the last item elsewhere); and `copy` of a missing field copies
//! null. Unlike in kubectl, an operation without its `value`, or with a pointer that does not start with `/`, is an
//! error.

mod execute;
mod operation;
mod pointer;

pub(crate) use execute::apply_patch;
pub(crate) use operation::{Operation, OperationKind, read};
pub(crate) use pointer::Pointer;

use std::fmt;

use thiserror::Error;

use super::error::PatchError;
use crate::value::{MAX_DEPTH, Value};

impl Value {
    /// Applies a JSON patch.
    ///
    /// # Errors
    ///
    /// [`PatchError::Json`] if it is not a JSON patch, or an operation fails. The value may then be partly changed.
    pub fn apply_json_patch(&mut self, patch: &Self) -> Result<(), PatchError> {
        Ok(apply_patch(self, read(patch)?)?)
    }
}

/// What is wrong with a JSON patch, and in which operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JsonPatchError {
    /// Index of the operation; `None` if the patch as a whole is wrong.
    pub(crate) operation: Option<usize>,
    /// The operation, as far as it could be read, for example `remove /spec/replicas`.
    pub(crate) summary: String,
    /// What is wrong.
    pub(crate) kind: JsonPatchErrorKind,
}

/// What is wrong with an operation of a JSON patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub(crate) enum JsonPatchErrorKind {
    /// The patch is not a list.
    #[error("a JSON patch is a list of operations")]
    NotAList,
    /// An operation is not a mapping, or one of its fields is not text.
    #[error("an operation is a mapping with the fields op and path")]
    NotAnOperation,
    /// An unknown `op`.
    #[error("unknown operation: expected add, remove, replace, move, copy or test")]
    UnknownOperation,
    /// A missing `path`, or a missing `from` where one is needed.
    #[error("the operation lacks its path or from")]
    NoPointer,
    /// A missing `value` where one is needed.
    #[error("the operation lacks its value")]
    NoValue,
    /// A pointer that is not empty and does not start with a slash.
    #[error("a path starts with a slash")]
    BadPointer,
    /// There is no value that contains the place.
    #[error("there is nothing at the path, or nothing that holds it")]
    Missing,
    /// An index beyond the list.
    #[error("the index is outside the list")]
    OutOfBounds,
    /// A step into a list that is not an index.
    #[error("the path leads into a list, but its step is not an index")]
    NotAnIndex,
    /// The value differs from what `test` expects.
    #[error("the value is not the expected one")]
    TestFailed,
    /// The result would be nested too deeply.
    #[error("the result would be nested deeper than {MAX_DEPTH} levels")]
    TooDeep,
    /// The patch copies too much.
    #[error("the patch copies more than a million values")]
    TooMuch,
    /// The operation cannot act on the whole document.
    #[error("the operation cannot act on the whole object")]
    Root,
}

impl std::error::Error for JsonPatchError {}

impl fmt::Display for JsonPatchError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.operation {
            Some(index) => write!(out, "operation {} ({}): {}", index + 1, self.summary, self.kind),
            None => write!(out, "{}", self.kind),
        }
    }
}
