//! Why a patch cannot be made or applied.

use kyaml_ast::{Kind, Node, Path, Span};
use thiserror::Error;

use super::json_patch::JsonPatchError;
use super::strategic::StrategicError;
use crate::value::JsonError;

/// Why a patch cannot be made or applied.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The strategic merge patch cannot be made or applied.
    #[error("{path}: {reason}")]
    Strategic {
        /// The field.
        path: Path,
        /// What is wrong with it.
        reason: String,
    },
    /// The JSON patch is not one, or an operation fails.
    #[error("{reason}")]
    Json {
        /// The position of the operation in the patch.
        operation: Option<usize>,
        /// Which operation, and what is wrong with it.
        reason: String,
    },
    /// This field identifies the object, and live object and configuration differ in it.
    #[error("{0} must not change")]
    Identity(&'static str),
    /// One half of a JSON merge patch adds what the other removes.
    #[error("additions and deletions contradict each other")]
    Contradiction,
    /// The last-applied annotation is not JSON.
    #[error("the last-applied annotation is not JSON: {0}")]
    Annotation(#[from] JsonError),
    /// The last-applied annotation holds something other than an object.
    #[error("the last-applied annotation is not an object")]
    NotAnObject,
    /// The schema of the object's kind is not known.
    #[error("the schema of this kind is unknown, so its lists cannot be merged")]
    UnknownKind,
    /// The patch is not a mapping.
    #[error("the patch is not a mapping")]
    NotAMapping,
    /// The result is not an object any more.
    #[error("the patch removes apiVersion or kind")]
    NoKind,
    /// This kind of patch cannot express the difference of two objects.
    #[error("this type of patch cannot express the change: it has explicit nulls, or list items with the same key")]
    Inexpressible,
}

impl PatchError {
    /// The place of the error: the field or operation in a patch, or the field in the configuration of an apply.
    #[must_use]
    pub fn place_in(&self, root: Node<'_>) -> Option<Span> {
        let found = match self {
            Self::Strategic { path, .. } => path.find(root).ok()?.node,
            Self::Json { operation, .. } if root.kind() == Kind::Sequence => root.children().nth((*operation)?)?,
            _ => return None,
        };
        Some(found.full_span())
    }
}

impl From<StrategicError> for PatchError {
    fn from(error: StrategicError) -> Self {
        Self::Strategic { path: error.path(), reason: error.kind.to_string() }
    }
}

impl From<JsonPatchError> for PatchError {
    fn from(error: JsonPatchError) -> Self {
        Self::Json { operation: error.operation, reason: error.to_string() }
    }
}
