//! Three versions of the inside of a container become one.
//!
//! Owns how what stands between entries is merged: [`lane`] says it of tokens, without a tree; [`strip`] reads tokens from a
//! tree, [`page`] says how lines look in the destination, and [`pen`] writes them. Invariant: the order of the entries is not decided here; `order.rs` gives it. Ignores values, which `walk.rs`
//! compares.

pub(crate) mod lane;
pub(crate) mod page;
pub(crate) mod pen;
pub(crate) mod strip;
