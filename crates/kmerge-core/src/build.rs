//! Builds kustomizations: resources of files, with the patches of kustomizations merged in.
//!
//! Owns what a kustomization means ([`Kustomization`]), which resources a patch is for ([`Target`]), and how it is merged
//! ([`Session`]). A caller reads the files that a kustomization names and tells a session about them in order: open a
//! layer, add files, apply patches, close it. The files keep every byte that no patch changes; what becomes of them is in
//! [`Session::finish`], and [`join`] makes one stream of them.
//!
//! Values are those of kustomize. [`Dialect::Kustomize`] also reproduces what kustomize gets wrong or leaves to chance:
//! its order of lists, lists that it empties, patches that it drops, kinds that it does not know.
//!
//! [`Instructions`] are the same for a KRM function: patches and objects for the items of a list.
//!
//! Ignored on purpose: everything a kustomization says besides resources, components and patches; [`Kustomization`] lists
//! it.

mod error;
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

pub use error::{BuildError, BuildErrorKind, MergeError, MergeErrorKind, Near, TextPlace};
pub use function::Instructions;
pub use join::{Order, join};
pub use kustomization::{
    FIELDS, Kustomization, KustomizationError, KustomizationErrorKind, KustomizationKind, PatchEntry, PatchForm,
    PatchText, Reference, Unapplied, read_patches,
};
pub use merge::Dialect;
pub use pattern::PatternError;
pub use selector::{Selector, SelectorError};
pub use session::{Gathering, Options, Patch, Session};
pub use target::{Changes, Target, TargetError};
