//! What a field, list or map at some place of a resource is: the schema, and the cursor that walks it.
//!
//! Every source compiles to the same table: the built-in kinds, custom resource definitions, the rules that a user
//! gives. A [`Cursor`] is a copyable position; the walker moves it along with itself and asks it at each list. Where
//! nothing is known the cursor says so (`ListKind::Infer`), and the keys are inferred from the elements (`infer`).
//! User rules win. A kind that a definition describes is looked up there, any other in the built-in kinds; then comes inference.
//!
//! Ignored on purpose: validation beyond names and types of fields (`look_up`), defaults of anything but list keys, and
//! API versions beyond finding the kind (one that is not known merges as the newest known one of its group and kind).

mod builtin;
mod crd;
mod cursor;
mod element;
mod error;
mod fields;
mod infer;
mod keys;
mod pod;
mod rules;
mod scopes;
pub(crate) mod sources;
mod table;
mod turns;

pub use cursor::{Cursor, RuleSource};
pub(crate) use cursor::{Knowledge, ListKind, ListRule, PatchStrategy};
pub(crate) use element::{ElementId, Pairing, element_id, pair};
pub use element::{NoIdentity, OneValue};
pub use error::SchemaError;
pub use fields::ValueType;
pub(crate) use fields::{Lookup, look_up};
pub(crate) use infer::CANDIDATES;
pub(crate) use keys::{Key, Keys};
pub use rules::{Rule, RuleError};
use sources::Builtin;
pub(crate) use sources::Schema;
pub(crate) use turns::Places;

#[cfg(test)]
mod tests;
