//! What `kubectl apply` and `kubectl patch` compute, and how it reaches the files.
//!
//! [`apply`] and [`patch`] follow kubectl to the letter, list order included; where kubectl crashes, they return an error.
//! Strategic merge patches, JSON merge patches and JSON patches work on [`Value`](crate::value::Value)s. [`Documents`] writes
//! changed values into the text that they were read from.

mod batch;
mod differing;
pub(crate) mod documents;
mod json_merge;
pub(crate) mod json_patch;
pub mod last_applied;
mod object;
pub(crate) mod objects;
mod parts;
mod patch;
mod patch_diff;
mod report;
pub(crate) mod strategic;

pub use batch::{
    Batch, BatchError, BatchErrorKind, Detail, FilePlace, FileRole, NewObjects, Options, Outcome, Report,
    UncheckedOutcome, Verb, apply, apply_in_parts, apply_unchecked,
};
pub use documents::Documents;
pub use json_merge::{
    JsonMergeError, apply_patch as apply_json_merge_patch, three_way_patch as three_way_json_merge_patch,
};
pub use json_patch::{JsonPatchError, apply as apply_json_patch};
pub use object::{
    Algorithm, Applied, ApplyError, Part, Planned, Request, apply as apply_object, create as create_object,
    plan as plan_object,
};
pub use objects::{Directory, Found, Object, objects};
pub use parts::{PART, parts};
pub use patch::{PatchError, PatchKind, PatchOptions, needed, patch};
pub use patch_diff::{DiffError, diff};
pub use report::{Cause, Finding};
pub use strategic::{
    Directive, Identity, ListKeys, ListOrder, Meta, Overwrite, Sides, StrategicError, ThreeWay, UnknownFields,
    apply_patch as apply_strategic_patch, three_way_patch as three_way_strategic_patch,
};
