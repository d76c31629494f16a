//! Strategic merge patches: makes them from three objects, and applies them to one.
//!
//! A patch is a value like any other. Besides fields, its mappings may have directives (see [`Directive`]), and a
//! `null` removes a field. The kind of the object says how lists merge: [`Meta`].

mod conflict;
mod diff;
mod diff_list;
mod directive;
mod error;
mod items;
mod lenient;
mod merge;
mod merge_list;
mod meta;
mod order;
mod prune;
mod three_way;

pub(crate) use directive::Directive;
pub(crate) use error::StrategicError;
pub(crate) use items::Identity;
pub(super) use items::in_print;
pub(crate) use lenient::without_merge_directives;
pub use merge::ListOrder;
pub(crate) use merge::apply_patch;
pub use meta::ListKeys;
pub(crate) use meta::{FieldMeta, Strategy};
pub(crate) use meta::{Meta, UnknownFields};
pub(crate) use prune::without_nulls;
pub(crate) use three_way::{three_way_patch, two_way_patch};
