//! Why a patch cannot be made or applied.

use thiserror::Error;

use super::json_patch::JsonPatchError;
use super::strategic::StrategicError;
use crate::value::JsonError;

/// Why a patch cannot be made or applied.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum PatchError {
    /// The strategic merge patch cannot be made or applied.
    #[error(transparent)]
    Strategic(#[from] StrategicError),
    /// An operation of the JSON patch fails.
    #[error(transparent)]
    Json(#[from] JsonPatchError),
    /// This field identifies the object, and differs between live and configuration.
    #[error("{0} must not change")]
    Identity(&'static str),
    /// What one half of a JSON merge patch adds, the other removes.
    #[error("additions and deletions contradict each other")]
    Contradiction,
    /// The last-applied annotation is not JSON.
    #[error("the last-applied annotation is not JSON: {0}")]
    Annotation(#[from] JsonError),
    /// The last-applied annotation holds something else than an object.
    #[error("the last-applied annotation is not an object")]
    NotAnObject,
    /// Nothing is known about the object's kind.
    #[error("the schema of this kind is unknown, so its lists cannot be merged")]
    UnknownKind,
    /// The patch is no mapping.
    #[error("the patch is not a mapping")]
    NotAMapping,
    /// The result is no object any more.
    #[error("the patch removes apiVersion or kind")]
    NoKind,
    /// This kind of patch cannot express the difference of two objects.
    #[error("this type of patch cannot express the change: it has explicit nulls, or list items with the same key")]
    Inexpressible,
}
