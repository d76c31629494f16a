//! The pages for people who change the code name files and items that exist.
#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::HashSet;
use std::path::{Path, PathBuf};

const PAGES: [&str; 3] =
    ["ARCHITECTURE.md", "crates/kmerge-core/docs/comments.md", "crates/kmerge-core/docs/list-rules.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What stands between backquotes, outside of blocks of code.
fn quoted(page: &str) -> Vec<&str> {
    let prose = page.split("```").step_by(2);
    prose.flat_map(|prose| prose.split('`').skip(1).step_by(2)).collect()
}

fn is_path(word: &str) -> bool {
    let is_file = [".rs", ".in", ".txt", ".toml"].iter().any(|end| word.ends_with(end));
    !word.contains(' ') && (is_file || word.ends_with('/'))
}

/// An item of Rust: `Walker::leaf`, `CANDIDATES`, `set_rules`.
fn is_item(word: &str) -> bool {
    let is_name = word.chars().all(|char| char.is_ascii_alphanumeric() || "_:".contains(char));
    is_name
        && !word.contains("...")
        && (word.contains("::") || word.contains('_') || word.starts_with(char::is_uppercase))
}

/// The files of the crates, the tasks and a suite of fixtures, and every word of the sources.
fn known() -> (Vec<PathBuf>, HashSet<String>) {
    let mut open: Vec<_> = ["crates", "xtask/src", "fixtures/merge3"].map(|start| root().join(start)).into();
    let (mut files, mut words) = (Vec::new(), HashSet::new());
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(path.read_dir().unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|end| end == "rs") && !path.ends_with("tests/pages.rs") {
            let text = std::fs::read_to_string(&path).unwrap();
            words.extend(text.split(|char: char| !char.is_alphanumeric() && char != '_').map(str::to_owned));
        }
        files.push(path);
    }
    (files, words)
}

#[test]
fn what_the_pages_name_exists() {
    let ((files, words), mut missing, mut checked) = (known(), Vec::new(), 0);
    for name in PAGES {
        let page = std::fs::read_to_string(root().join(name)).unwrap();
        for word in quoted(&page) {
            let exists = if is_path(word) {
                root().join(word).exists() || files.iter().any(|file| file.ends_with(word))
            } else if is_item(word) {
                word.split("::").all(|part| words.contains(part))
            } else {
                continue;
            };
            checked += 1;
            if !exists {
                missing.push(format!("{name}: {word}"));
            }
        }
    }
    assert!(missing.is_empty(), "these do not exist:\n{}", missing.join("\n"));
    assert!(checked > 100, "only {checked} names were found");
}
