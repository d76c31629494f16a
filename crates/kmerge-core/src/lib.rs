//! Merges Kubernetes-style YAML: three streams, a schema and a policy in, a plan of edits out.
//!
//! No input or output, no environment, no clock, no globals: the command line lives in `kmerge-cli`.
//!
//! ```
//! use kmerge_core::{ConflictStyle, Policy, Schema, Slots, merge, render};
//! use kyaml_ast::Stream;
//!
//! let dest = Stream::parse("replicas: 3 # tuned\nimage: app:1\n")?;
//! let base = Stream::parse("replicas: 1\nimage: app:1\n")?;
//! let incoming = Stream::parse("replicas: 1\nimage: app:2\n")?;
//! let sides = Slots::three(&dest, &base, &incoming);
//! let plan = merge(sides, &Schema::new(), &Policy::MERGE3)?;
//! assert_eq!(render(&plan, sides, &ConflictStyle::Dest)?, "replicas: 3 # tuned\nimage: app:2\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod apply;
mod between;
pub mod build;
pub mod check;
mod conflict;
mod correspond;
mod documents;
pub mod edit;
mod equal;
mod error;
pub mod git;
pub mod image;
pub mod lines;
pub mod markers;
mod merge;
mod order;
mod overlay;
pub mod package;
mod plan;
mod policy;
mod proof;
pub mod reconcile;
mod resolve;
mod resource;
pub mod schema;
mod secret;
mod sequence;
mod slots;
mod template;
mod union;
pub mod value;
mod walk;

pub use conflict::{ConflictStyle, render};
pub use documents::merge;
pub use equal::same_value;
pub use error::MergeError;
pub use plan::{Conflict, ConflictPlace, Decision, OneValue, Plan, Role, Variant};
pub use policy::{Contested, Directives, First, ListOrder, Nulls, Policy, Removal, Unkeyed};
pub use resolve::{Outcome, Rule, resolve};
pub use resource::{Resource, ResourceId, field, listed, repeated, resources};
pub use schema::Schema;
pub use secret::{Secrets, hides, is_secret};
pub use slots::{Side, Slots};
pub use template::{is_of_template, is_template, template_in};

/// The examples of the crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
