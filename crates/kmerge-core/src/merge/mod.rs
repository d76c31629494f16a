//! Merges three versions of the lines inside a container.
//!
//! Owns the merge of everything between entries. [`lane`] merges tokens and knows no tree. [`strip`] reads the tokens
//! from a tree. [`page`] knows how lines look in the destination. [`pen`] writes them. Invariant: the order of the
//! entries is given by `order.rs`, not decided here. Ignores values: `walk.rs` compares them.

pub(crate) mod lane;
pub(crate) mod page;
pub(crate) mod pen;
pub(crate) mod strip;
