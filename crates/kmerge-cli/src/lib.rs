//! The part of `kmerge` that touches trees of files: a library so that fuzzers reach it, with no stable interface.

pub mod transaction;
pub mod tree;
