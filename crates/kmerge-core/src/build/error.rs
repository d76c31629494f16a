//! Why a build fails, and where.

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
    /// Where, the most telling place first.
    pub places: Vec<TextPlace>,
    /// Resources that almost are what a patch is for.
    pub near: Vec<Near>,
}

/// A place in one of the session's texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// Index of the text.
    pub text: usize,
    /// Where in it.
    pub span: Span,
}

/// A resource that a patch is almost for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Near {
    /// The resource.
    pub resource: Resource,
    /// In what it differs.
    pub misfits: Vec<&'static str>,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum BuildErrorKind {
    /// A document that is no object.
    #[error("this is not a Kubernetes object: kind or apiVersion is missing")]
    NotAnObject,
    /// An object without a name.
    #[error("this object has no metadata.name")]
    NoName,
    /// Two resources that nothing tells apart.
    #[error("{0} is there twice")]
    Duplicate(String),
    /// A text that cannot be read as values.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A patch that is neither a strategic nor a JSON patch, or not of the kind that it has to be.
    #[error("{0}")]
    NotAPatch(&'static str),
    /// A patch that says neither itself nor by a target for what it is.
    #[error("the patch names no kind and name, and has no target")]
    NoIdentity,
    /// Several strategic patches with one target.
    #[error("a patch with a target is a single document")]
    SeveralWithTarget,
    /// There is no resource that the patch names.
    #[error("there is no {0} to patch")]
    NoMatch(String),
    /// No resource fits the target of the patch.
    #[error("no resource matches the target of this patch")]
    NoTarget,
    /// Several resources are what the patch names.
    #[error("the patch for {0} matches several resources")]
    SeveralMatches(String),
    /// A patch cannot be applied.
    #[error("{resource}: {error}")]
    Patch {
        /// To this resource.
        resource: String,
        /// Why not.
        error: PatchError,
    },
    /// A resource cannot be given what a transformer asks for, or a reference in it cannot follow.
    #[error("{0}: {1}")]
    Transform(String, String),
    /// No resource has the name that replicas are for.
    #[error("there is no resource with replicas that is called {0:?}")]
    NoReplicas(String),
    /// A patch leaves no object.
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

/// Why a strategic patch cannot be merged into a resource, and at which field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MergeError {
    /// What is wrong.
    kind: MergeErrorKind,
    /// The way from the root, innermost step first.
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
    /// A directive that there is not.
    #[error("unknown directive $patch: {0}: expected delete, replace or merge")]
    UnknownDirective(String),
    /// A list item without what tells items apart.
    #[error("a list item lacks its merge key {0}")]
    NoMergeKey(String),
    /// A new list item that the patch has twice.
    #[error("the patch adds a list item twice; {0} identifies items")]
    DuplicateItem(String),
    /// A list directive that names no list, or holds none.
    #[error("{0} is a list, and names one")]
    Malformed(String),
}

impl MergeError {
    /// Adds a step that leads to the place seen so far.
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
