//! Scripts of edits: common changes of checked-in manifests, written as statements.
//!
//! ```
//! use kmerge_core::Schema;
//! use kmerge_core::edit::{Options, Script};
//!
//! let script = Script::parse("select deploy/web\nset .spec.replicas 3\nappend ..containers[name=app].args --fast\n")?;
//! let text = "kind: Deployment\nmetadata: {name: web}\nspec:\n  replicas: 2\n  containers:\n  - name: app\n    args:\n    - --port\n";
//! let schema = Schema::new();
//! let planned = script.plan("web.yaml", text, &Options::new(&schema)).expect("it can be made");
//! assert!(planned.text.is_some_and(|text| text.contains("replicas: 3") && text.ends_with("    - --port\n    - --fast\n")));
//! assert_eq!(planned.places.len(), 2);
//! # Ok::<(), kmerge_core::edit::ScriptError>(())
//! ```
//!
//! Statements are executed one after the other. Each sees the changes of those before it. Nothing is invented: a
//! missing field is created only if the schema knows it, or if the caller asks for it.
//!
//! Owns the language of scripts, which places a statement means, and whether it may change them. Ignores input and
//! output, and how changes are written: that is in `kyaml_ast`.

mod aliases;
mod known;
mod plan;
mod problem;
mod resources;
mod script;
mod select;
mod selection;
mod statement;
mod tally;
mod value;
mod words;

pub use plan::{FilePlan, Options, PlacePlan};
pub use problem::{Problem, ProblemKind};
pub use resources::Chosen;
pub use script::{Script, ScriptError, ScriptErrorKind};
pub use select::Selector;
pub use statement::{Action, Value};
pub use tally::Tally;
