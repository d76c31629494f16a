//! Merges Kubernetes-style YAML: three streams, a schema and a policy in, a plan of edits out.
//!
//! No input or output, no environment, no clock, no globals: the command line lives in `kmerge-cli`.

pub mod apply;
pub mod lines;
pub mod schema;
pub mod value;
