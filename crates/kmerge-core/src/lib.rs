//! Merges Kubernetes-style YAML: three streams, a schema and a policy in, a plan of edits out.
//!
//! No input or output, no environment, no clock, no globals: the command line lives in `kmerge-cli`.
//!
//! The destination is edited, never printed again: comments, quotes, order and layout stay, and no byte changes outside of the
//! edits.
//!
//! # Merge
//!
//! [`merge`] compares three versions: the destination, the base that both sides started from, and the incoming side. Without a
//! base it is a 2-way merge. [`render`] writes the plan. [`Policy`] has presets: [`Policy::MERGE2`] and [`Policy::MERGE3`] are
//! kustomize's rules, [`Policy::GIT`] treats both sides alike.
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
//!
//! # Show what was decided
//!
//! A [`Plan`] is data: edits, a [`Decision`] for each place that a rule decided, and the [`Conflict`]s. [`Rule`]
//! says which of the four rules decided.
//!
//! ```
//! use kmerge_core::{Outcome, Policy, Rule, Schema, Slots, merge};
//! use kyaml_ast::Stream;
//!
//! let [dest, base, incoming] = ["a: 2\nb: 1\n", "a: 1\nb: 1\n", "a: 1\nb: 3\n"].map(Stream::parse);
//! let (dest, base, incoming) = (dest?, base?, incoming?);
//! let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
//! let plan = merge(sides, &Schema::new(), &Policy::MERGE3)?;
//! let decided: Vec<_> = plan.decisions.iter().map(|it| (it.path.to_string(), it.outcome, it.rule)).collect();
//! assert_eq!(decided, [
//!     (".a".into(), Outcome::Keep, Rule::OnlyDest),
//!     (".b".into(), Outcome::Take, Rule::OnlyIncoming),
//! ]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Show a conflict
//!
//! A conflict is no error. [`ConflictStyle`] says how it is written: one side, or both between markers.
//!
//! ```
//! use kmerge_core::lines::{Labels, Style};
//! use kmerge_core::{ConflictStyle, Policy, Schema, Slots, merge, render};
//! use kyaml_ast::Stream;
//!
//! let [dest, base, incoming] = ["image: app:2\n", "image: app:1\n", "image: app:3\n"].map(Stream::parse);
//! let (dest, base, incoming) = (dest?, base?, incoming?);
//! let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
//! let plan = merge(sides, &Schema::new(), &Policy::GIT)?;
//! assert_eq!(plan.conflicts[0].path.to_string(), ".image");
//! let labels = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
//! let text = render(&plan, sides, &ConflictStyle::Markers { style: Style::Merge, labels })?;
//! assert_eq!(text, "<<<<<<< ours\nimage: app:2\n=======\nimage: app:3\n>>>>>>> theirs\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Merge as git's driver does
//!
//! [`git::merge`] makes git's line merge first, and merges the structure where that has conflicts or is wrong. The result is
//! checked.
//!
//! # Merge a package
//!
//! [`package`] merges trees of files: resources are matched by identity, in whatever file they are. `examples/package.rs` in the
//! repository is a complete program.
//!
//! # Lists
//!
//! [`Schema`] says which items of two lists are the same. It has the built-in kinds of Kubernetes, and takes custom resource
//! definitions and rules of your own:
//!
//! ```
//! use kmerge_core::Schema;
//! use kmerge_core::schema::Rule;
//!
//! let mut schema = Schema::new();
//! let rule: Rule = ".spec.gears=id,side".parse()?;
//! schema.set_rules(vec![rule])?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # More
//!
//! - Module [`edit`]: scripts of edits, and selectors of resources. [`image`]: references to images.
//! - Module [`apply`]: what `kubectl apply` and `kubectl patch` compute. [`apply::Documents`]: a file
//!   gets other values with the fewest edits.
//! - Module [`build`]: kustomizations.
//! - [`Schema::check`]: mistakes in files that are valid YAML.
//! - Module [`markers`]: conflict markers in a text. [`lines`]: git's line merge.
//! - Type [`Secrets`]: what must not be shown.

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
mod inherit;
pub mod lines;
pub mod markers;
mod merge;
mod order;
mod overlay;
pub mod package;
mod plan;
mod policy;
mod proof;
mod reconcile;
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
pub use plan::{Conflict, Decision, Plan, Role};
pub use policy::{BothChanged, Directives, ListOrder, Nulls, Policy, Removal, Unkeyed};
pub use resolve::{Outcome, Rule};
pub use resource::{Resource, ResourceId};
pub use schema::sources::Schema;
pub use secret::Secrets;
pub use slots::{Side, Slots};
pub use template::{is_of_template, is_template};

/// The examples of the crate's README.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
