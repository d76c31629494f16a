//! Why a kustomization or `functionConfig` cannot be understood.

use kyaml_ast::{FitError, Span};
use thiserror::Error;

use super::FIELDS;
use crate::build::target::TargetError;
use crate::value::{ReadError, ReadErrorKind};

/// Why a kustomization cannot be understood, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct KustomizationError {
    /// What is wrong.
    pub(in crate::build) kind: KustomizationErrorKind,
    /// The place.
    pub span: Span,
}

/// What is wrong with a kustomization.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(in crate::build) enum KustomizationErrorKind {
    /// Only comments.
    #[error("the kustomization is empty")]
    Empty,
    /// Several documents.
    #[error("a kustomization file holds one document")]
    SeveralDocuments,
    /// Not a mapping.
    #[error("a kustomization is a mapping")]
    NotAMapping,
    /// Another kind.
    #[error("expected kind Kustomization or Component, found {0:?}")]
    OtherKind(String),
    /// A field that kustomizations do not have.
    #[error("a kustomization has no field {0:?}")]
    UnknownField(String),
    /// The same field twice.
    #[error("the field {0:?} is here twice")]
    DuplicateField(String),
    /// A field that is not a list.
    #[error("{0} is a list")]
    NotAList(String),
    /// An item of a list that is not text.
    #[error("expected text: a path")]
    NotText,
    /// A patch that is not a mapping.
    #[error("a patch entry is a mapping with path or patch, and target")]
    NotAnEntry,
    /// A field that an entry does not have.
    #[error("{0} has no field {1:?}: expected {2}")]
    UnknownFieldOf(String, String, String),
    /// A value of the wrong type.
    #[error("{0} is {1}")]
    Expected(String, &'static str),
    /// Two descriptions of one field, of which only one creates the field.
    #[error("there are two descriptions of the field {0}: one creates it, the other does not")]
    FieldsClash(String),
    /// The name of an image is not a valid regular expression.
    #[error("name: {0}")]
    ImageName(FitError),
    /// A schema given in two ways, or in none.
    #[error("openapi has a path to a file with definitions, or the version v1.21.2")]
    OpenApi,
    /// Legacy options with another order.
    #[error("legacySortOptions go with the order legacy")]
    SortOptions,
    /// A value that cannot be read.
    #[error(transparent)]
    Read(#[from] ReadErrorKind),
    /// Neither `path` nor `patch`, or both.
    #[error("a patch entry has either a path or a patch")]
    PathOrPatch,
    /// A patch that is written as YAML, not as text.
    #[error("an inline patch is text: write it below `patch: |-`")]
    PatchNotText,
    /// An option that does not exist.
    #[error("an option is allowNameChange or allowKindChange, true or false")]
    Option,
    /// The target cannot be understood.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A `functionConfig` without patches or objects.
    #[error("the functionConfig has neither patches, nor patch, nor merge")]
    NoInstructions,
    /// A `functionConfig` that names files.
    #[error("a function reads no files: write the patch inline")]
    NoFiles,
    /// A `compat` value that is not known.
    #[error("compat must be kustomize, or missing")]
    Compat,
    /// A JSON patch without a target.
    #[error("a JSON patch needs a target")]
    NoTarget,
}

impl KustomizationError {
    /// A field with a similar name, if the error is an unknown field.
    #[must_use]
    pub fn similar_field(&self) -> Option<&'static str> {
        let KustomizationErrorKind::UnknownField(name) = &self.kind else { return None };
        FIELDS.into_iter().find(|known| known.eq_ignore_ascii_case(name) || known.starts_with(name.as_str()))
    }
}

impl From<ReadError> for KustomizationError {
    fn from(error: ReadError) -> Self {
        Self { kind: error.kind.into(), span: error.span }
    }
}
