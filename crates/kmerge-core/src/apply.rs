//! What `kubectl apply` and `kubectl patch` compute, on plain values.
//!
//! Owns the algorithms: strategic merge patches ([`strategic`]), JSON merge patches ([`json_merge`]) and JSON patches
//! ([`json_patch`]). They read and write [`crate::value::Value`]s; how a result reaches the text of a document is no
//! concern of theirs. They follow kubectl to the letter, list order included; where kubectl crashes, they return an error.

pub mod batch;
mod differing;
pub mod documents;
pub mod json_merge;
pub mod json_patch;
pub mod last_applied;
pub mod object;
pub mod objects;
pub mod patch;
pub mod patch_diff;
pub mod report;
pub mod strategic;
