//! Merges of whole packages: which document of one tree is which of the others, and what becomes of it.
//!
//! In: three trees of files ([`Trees`]), each file read as a manifest with its units, as text, as bytes or as a link.
//! Out: a [`PackagePlan`]: for each file of the destination that changes, the documents it consists of and what is merged
//! into each. The fields of a document are not this module's business, nor is any byte: a plan names units, and those who
//! carry it out splice.
//!
//! Rules (a unit is a document, or an item of a `kind: List`):
//!
//! 1. A file that is not a manifest on some side is one whole on all sides: taken, kept, or merged line by line.
//! 2. Units are paired by group, kind, namespace and name (the version may change; a comment `# kpt-merge: ns/name` on the
//!    `metadata` line counts instead of namespace and name); the same identity in several files is distinguished by path,
//!    then by content. What has no name (a kustomization, values, a comment-only document) is paired within its file.
//!    What is left over is paired with the same kind if the bodies are alike: a renamed resource.
//! 3. What only one side has is kept or added; what one side removed and the other left alone goes; what one side removed
//!    and the other changed is in conflict.
//! 4. A unit that only the incoming side moved to another file follows; one that the destination moved stays where it is.

mod assemble;
mod definitions;
mod exact;
mod excerpt;
mod extract;
mod fate;
mod files;
mod fold;
mod items;
mod lists;
mod place;
mod plan;
mod read;
mod rows;
mod scoped;
mod similar;
mod trees;
mod unit;
mod variants;
mod whole;
mod write;

pub use fate::Fate;
pub use fold::Folded;
pub use plan::{FilePlan, PackageError, PackagePlan};
pub use rows::{Match, Row};
pub use trees::{Content, File, Trees, UnitRef};
pub use whole::{MergedLines, WholeFile};
pub use write::{Report, Terms, Written};
