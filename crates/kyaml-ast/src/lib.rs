//! A lossless YAML tree over its own bytes, and edits as splices.
//!
//! The crate knows YAML; it knows nothing of Kubernetes, of merging, or of input and output.

mod span;
mod tree;

pub use span::{Newline, Place, Span, line_end, line_start, place};
pub use tree::{Document, Kind, Node, NodeId, Stream};
