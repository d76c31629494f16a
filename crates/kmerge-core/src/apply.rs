//! What `kubectl apply` and `kubectl patch` compute, and how the result is written into files.
//!
//! [`apply`] and [`Value::patch`](crate::value::Value::patch) do exactly what kubectl does, also for the order of
//! lists. Where kubectl crashes, they return an error. Strategic merge patches, JSON merge patches and JSON patches
//! work on [`Value`](crate::value::Value)s. [`Documents`] writes changed values into the text that they were read from.

pub(crate) mod algorithm;
mod batch;
mod differing;
pub(crate) mod documents;
pub(crate) mod error;
mod json_merge;
pub(crate) mod json_patch;
pub(crate) mod last_applied;
pub(crate) mod objects;
mod parts;
mod patch;
mod patch_diff;
mod report;
pub(crate) mod strategic;

pub use crate::reconcile::{ReconcileError, Unchecked};
pub use algorithm::{Algorithm, Planned, Sides};
pub use batch::{
    BatchError, BatchErrorKind, Detail, FilePlace, FileRole, NewObjects, Options, Outcome, Report, Verb, apply,
};
pub use documents::Documents;
pub use error::PatchError;
pub use objects::{Directory, Object};
pub use patch::{PatchKind, PatchOptions};
pub use report::{Cause, Finding};
pub use strategic::{ListKeys, ListOrder};
