//! Builds kustomizations: resources of files, with what kustomizations do to them.
//!
//! Owns what a kustomization means ([`Kustomization`]), which resources a patch is for (`Target`), how it is merged, what
//! transformers do ([`Transform`]), and the references that follow new names ([`Session`]). A caller reads the files that a
//! kustomization names and tells a session about them in order: open a layer, add files, patch and transform, close it. The
//! files keep every byte that nothing changes; what becomes of them is in [`Session::finish`], and [`Order::join`] makes one stream
//! of them.
//!
//! Values are those of kustomize. [`Dialect::Kustomize`] also reproduces what kustomize gets wrong or leaves to chance:
//! its order of lists, lists that it empties, patches that it drops, kinds that it does not know.
//!
//! [`Instructions`] are the same for a KRM function: patches and objects for the items of a list.
//!
//! Ignored on purpose: generators, replacements, plugins, and whatever else a kustomization says; [`Kustomization`] lists it.

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

/// The text of a scalar, as names are compared; `None` for mappings and lists.
fn scalar_text(value: &Value) -> Option<String> {
    match value.as_text() {
        Some(text) => Some(text.to_owned()),
        None if value.is_collection() => None,
        None => Some(value.to_json()),
    }
}
