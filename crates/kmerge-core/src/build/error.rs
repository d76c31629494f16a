//! Why a build fails, with the places.

use std::fmt;

use kyaml_ast::{Path, Segment, Span};
use thiserror::Error;

use crate::apply::error::PatchError;
use crate::reconcile::ReconcileError;
use crate::resource::Resource;
use crate::value::ReadError;

/// Why a build fails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuildError {
    /// What is wrong.
    pub kind: BuildErrorKind,
    /// The places. The most useful one comes first.
    pub places: Vec<TextPlace>,
    /// Resources that the patch nearly matches.
    pub near: Vec<Near>,
}

/// A place in one of the session's texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// Index of the text.
    pub text: usize,
    /// The bytes in it.
    pub span: Span,
}

/// A resource that a patch nearly matches.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The resource.
    pub resource: Resource,
    /// The parts in which it differs.
    pub misfits: Vec<&'static str>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// A document that is not an object.
    #[error("this is not a Kubernetes object: kind or apiVersion is missing")]
    NotAnObject,
    /// An object without a name.
    #[error("this object has no metadata.name")]
    NoName,
    /// Two resources with the same identity.
    #[error("{0} is there twice")]
    Duplicate(String),
    /// A text that cannot be read as values.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A patch that is neither a strategic nor a JSON patch, or not of the required kind.
    #[error("{0}")]
    NotAPatch(&'static str),
    /// A patch that names no resource and has no target.
    #[error("the patch names no kind and name, and has no target")]
    NoIdentity,
    /// Several strategic patches with one target.
    #[error("a patch with a target is a single document")]
    SeveralWithTarget,
    /// No resource matches the name in the patch.
    #[error("there is no {0} to patch")]
    NoMatch(String),
    /// No resource fits the target of the patch.
    #[error("no resource matches the target of this patch")]
    NoTarget,
    /// Several resources match the name in the patch.
    #[error("the patch for {0} matches several resources")]
    SeveralMatches(String),
    /// A patch cannot be applied.
    #[error("{resource}: {error}")]
    Patch {
        /// The resource.
        resource: String,
        /// The error.
        error: PatchError,
    },
    /// A transformer cannot change a resource, or a reference in it cannot follow a new name.
    #[error("{0}: {1}")]
    Transform(String, String),
    /// No resource has the name that replicas are for.
    #[error("there is no resource with replicas that is called {0:?}")]
    NoReplicas(String),
    /// The result of a patch is not an object.
    #[error("{0}: the patch removes apiVersion, kind or name")]
    Broken(String),
    /// A file cannot be written.
    #[error(transparent)]
    Write(#[from] ReconcileError),
}

impl BuildError {
    pub(super) fn new(kind: impl Into<BuildErrorKind>, places: Vec<TextPlace>) -> Box<Self> {
        Box::new(Self { kind: kind.into(), places, near: Vec::new() })
    }
}

impl fmt::Display for BuildError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(out)
    }
}

impl std::error::Error for BuildError {}

/// Why a strategic patch cannot be merged into a resource, with the field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MergeError {
    /// What is wrong.
    kind: MergeErrorKind,
    /// The path from the root, innermost step first.
    reversed_path: Vec<Segment>,
}

/// Why values cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub(super) enum MergeErrorKind {
    /// A mapping, a list and a scalar cannot become each other.
    #[error("the patch has {patch} where the resource has {own}; set the field to null in a patch before")]
    Mismatch {
        /// What the resource has.
        own: &'static str,
        /// What the patch has.
        patch: &'static str,
    },
    /// A directive that does not exist.
    #[error("unknown directive $patch: {0}: expected delete, replace or merge")]
    UnknownDirective(String),
    /// A list item without the field that identifies items.
    #[error("a list item lacks its merge key {0}")]
    NoMergeKey(String),
    /// A new list item that the patch has twice.
    #[error("the patch adds a list item twice; {0} identifies items")]
    DuplicateItem(String),
    /// A list directive that names no list, or whose value is not a list.
    #[error("{0} is a list, and names one")]
    Malformed(String),
}

impl MergeError {
    /// Adds a step that contains the place so far.
    pub(super) fn under(mut self, step: Segment) -> Self {
        self.reversed_path.push(step);
        self
    }
}

impl From<MergeErrorKind> for MergeError {
    fn from(kind: MergeErrorKind) -> Self {
        Self { kind, reversed_path: Vec::new() }
    }
}

impl From<MergeError> for PatchError {
    fn from(error: MergeError) -> Self {
        let path: Path = error.reversed_path.iter().rev().cloned().collect();
        Self::Strategic { path, reason: error.kind.to_string() }
    }
}
