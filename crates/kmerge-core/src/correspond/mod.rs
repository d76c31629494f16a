//! What is the same thing in another version: entries of collections, documents of streams, units and files of packages.
//!
//! Owns who is whom, and finds it out before anything is merged. An [`Identity`] pairs what has keys or a name, a [`Sketch`] what has
//! lost them. [`Links`] pair two versions, a [`Correspondence`] pairs three, and [`Aligned`] puts them in rows. Invariant: a thing has
//! at most one counterpart in each other version. Ignores what becomes of the things.

pub(crate) mod elements;
mod identity;
mod likeness;
mod links;
mod pairs;
mod rows;

pub(crate) use elements::shares_field;
pub(crate) use identity::{Identity, field_name, may_be_renamed, resource_pairs};
pub(crate) use likeness::{
    Fields, HALF, LEAST_RENAMED, MOST_MOVED, NEARLY_ALL, Sketch, each_leaf, id, share_of_bare, share_of_ends,
    share_of_shorter, title, titles,
};
pub use links::Match;
pub(crate) use links::{Correspondence, Group, Links, holders};
pub(crate) use pairs::{MOST_PAIRS, Pair, pair, pair_clearly, pair_mutual};
pub(crate) use rows::{Aligned, Gap, align, gaps};
