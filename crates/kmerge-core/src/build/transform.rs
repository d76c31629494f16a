//! Transformers: the changes of a kustomization to all its resources, except patches.
//!
//! Owns what each field of a kustomization asks for, and applies it to one resource. [`fields`](super::fields) says
//! which fields of a resource are meant. Invariant: values are those of kustomize. Ignores which resources there are,
//! and what their names refer to.

mod affix;
mod images;
mod labels;
mod namespace;
mod replicas;

use kyaml_ast::Span;
use thiserror::Error;

use super::kustomization::KustomizationError;
use super::written::Written;
pub(super) use affix::{Affix, End};
pub(super) use images::Image;
pub(super) use labels::Pairs;
pub(super) use namespace::{Namespace, Scope};
pub(super) use replicas::Replicas;

/// A change to the resources of a kustomization, with its place there.
#[derive(Clone, Debug)]
pub struct Transform {
    /// The field of the kustomization.
    pub field: &'static str,
    /// Where it is written.
    pub span: Span,
    pub(super) kind: Transformer,
}

/// The change.
#[derive(Clone, Debug)]
pub(super) enum Transformer {
    Namespace(Namespace),
    Affix(Affix),
    Pairs(Pairs),
    Replicas(Replicas),
    Image(Image),
}

/// Why a resource cannot be changed as the kustomization asks.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum TransformError {
    /// A scalar on the path to a field.
    #[error("there is a scalar where a mapping or list with {0} is expected")]
    OnTheWay(String),
    /// A mapping or list at the place of a scalar.
    #[error("{0} is not a scalar")]
    NotAScalar(String),
    /// Something other than a mapping at the place of a mapping.
    #[error("{0} is not a mapping")]
    NotAMapping(String),
    /// A reference without a name.
    #[error("a reference in {0} has no name")]
    NoName(String),
    /// A reference that may mean several resources.
    #[error("{0} may refer to several resources, which got different names: {1}")]
    Ambiguous(String, String),
}

/// The transformer fields of kustomizations, in the order in which they are applied.
type Read = fn(Written<'_>, &'static str) -> Result<Vec<Transformer>, KustomizationError>;

/// Applied before the JSON patches of `patchesJson6902`.
const EARLY: [(&str, Read); 6] = [
    ("namespace", namespace::read),
    ("namePrefix", affix::read_prefix),
    ("nameSuffix", affix::read_suffix),
    ("labels", labels::read_labels),
    ("commonLabels", labels::read_common),
    ("commonAnnotations", labels::read_annotations),
];
/// Applied after them.
const LATE: [(&str, Read); 3] = [("replicas", replicas::read), ("images", images::read), ("imageTags", images::read)];

/// The transformers that are applied before the patches of `patchesJson6902`, in order.
pub(super) fn early(root: Written<'_>) -> Result<Vec<Transform>, KustomizationError> {
    read(root, &EARLY)
}

/// The transformers that are applied after these patches, in order.
pub(super) fn late(root: Written<'_>) -> Result<Vec<Transform>, KustomizationError> {
    read(root, &LATE)
}

impl Transform {
    /// Whether a field of a kustomization is a transformer.
    #[must_use]
    pub fn is_field(field: &str) -> bool {
        EARLY.iter().chain(&LATE).any(|(name, _)| *name == field)
    }
}

fn read(root: Written<'_>, fields: &[(&'static str, Read)]) -> Result<Vec<Transform>, KustomizationError> {
    let mut transforms = Vec::new();
    for (field, read) in fields {
        let Some(part) = root.field(field) else { continue };
        if part.is_empty() {
            continue;
        }
        let span = part.entry_span();
        transforms.extend(read(part, field)?.into_iter().map(|kind| Transform { field, span, kind }));
    }
    Ok(transforms)
}
