//! Builds kustomizations: the resources of files, changed as kustomizations say.
//!
//! Owns the meaning of a kustomization ([`Kustomization`]), which resources a patch is for (`Target`), how patches are
//! merged, what transformers do ([`Transform`]), and the references that follow new names ([`Session`]). A caller reads
//! the files that a kustomization names and passes them to a session in order: open a layer, add files, patch and
//! transform, close it. The files keep every byte that nothing changes. [`Session::finish`] returns their new texts,
//! and [`Order::join`] makes one stream of them.
//!
//! Values are those of kustomize. [`Dialect::Kustomize`] also reproduces kustomize's errors and its arbitrary choices:
//! its order of lists, lists that it empties, patches that it drops, kinds that it does not know.
//!
//! [`Instructions`] are the same for a KRM function: patches and objects for the items of a list.
//!
//! Ignores generators, replacements, plugins, and all other fields of a kustomization, on purpose. [`Kustomization`]
//! lists them.

mod error;
mod fields;
mod function;
mod join;
mod known;
mod kustomization;
mod merge;
mod merge_list;
mod pattern;
mod selector;
mod session;
mod target;
mod transform;
mod written;

pub use error::{BuildError, BuildErrorKind, Near, TextPlace};
pub use function::Instructions;
pub use join::Order;
pub use kustomization::{Kustomization, KustomizationError, KustomizationKind, PatchEntry, PatchText, Reference, Work};
pub use merge::Dialect;
pub use session::Session;
pub use transform::Transform;

use crate::value::Value;

/// The text of a scalar, for comparing names. `None` for mappings and lists.
fn scalar_text(value: &Value) -> Option<String> {
    match value.as_text() {
        Some(text) => Some(text.to_owned()),
        None if value.is_collection() => None,
        None => Some(value.to_json()),
    }
}
