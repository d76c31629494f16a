//! Other YAML parsers behind one face: what they make of a source, and what it costs them.
//!
//! Two lineages that owe each other nothing: the saphyr family (`saphyr-parser`, `yaml-rust2`: YAML 1.2) and libyaml
//! (`unsafe-libyaml`: YAML 1.1, the ancestor of what kubectl reads with). Events are given in a notation that all of them
//! can express: no anchors' names, no flow markers, no document markers.

mod libyaml;
mod saphyr_family;

pub use libyaml::{count_events as libyaml_count, events as libyaml_events};
pub use saphyr_family::{saphyr_count, saphyr_events, yaml_rust2_count, yaml_rust2_events};
