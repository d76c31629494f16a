//! The part of `kmerge` that reaches files: a library so that fuzzers reach it, with no stable interface.

pub mod bytes;
pub mod temporary;
pub mod transaction;
pub mod tree;
