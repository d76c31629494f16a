//! The kept corpus of each fuzz target, and every input that ever broke a law, against the laws that the targets check.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::Path;

#[cfg(unix)]
use kmerge_laws::journal_input;
use kmerge_laws::{Broken, driver_input, edit_input, merge_input, package_input, parse_input, set_input, unpack};

fn replay(target: &str, law: fn(&[u8]) -> Result<(), Broken>) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut broken = Vec::new();
    for file in [format!("fuzz/corpus/{target}.txt"), format!("fixtures/fuzz/{target}.txt")] {
        let packed = std::fs::read_to_string(root.join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        for input in unpack(&packed) {
            if let Err(error) = law(&input) {
                broken.push(format!("{file}: {}\n{error}", input.escape_ascii()));
            }
        }
    }
    assert!(broken.is_empty(), "{} inputs break a law:\n\n{}", broken.len(), broken.join("\n\n"));
}

#[test]
fn parse() {
    replay("parse", parse_input);
}

#[test]
fn edit() {
    replay("edit", edit_input);
}

#[test]
fn merge3() {
    replay("merge3", merge_input);
}

#[test]
fn package() {
    replay("package", package_input);
}

#[test]
fn driver() {
    replay("driver", driver_input);
}

#[cfg(unix)]
#[test]
fn journal() {
    replay("journal", journal_input);
}

#[test]
fn set() {
    replay("set", set_input);
}
