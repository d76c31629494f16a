//! The laws of trees, edits and paths on files: those of the repository, or all below the directory `KMERGE_LAW_FILES`.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};

use kmerge_laws::{paths, tiling};
use kyaml_ast::Stream;

/// Longer files are left out: an oracle may take its time.
const LONGEST: u64 = 200_000;

fn files() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let given = std::env::var_os("KMERGE_LAW_FILES").map(|given| vec![PathBuf::from(given)]);
    let mut open = given.unwrap_or_else(|| vec![root.join("fixtures"), root.join("examples")]);
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        if path.is_symlink() {
            continue;
        }
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else if path.extension().is_some_and(|it| it == "yaml" || it == "yml") {
            files.push(path);
        }
    }
    files.sort();
    files
}

#[test]
fn what_a_path_names_can_be_read_set_and_deleted() {
    let (mut broken, mut checked) = (Vec::new(), 0);
    for (number, path) in files().into_iter().enumerate() {
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let Some(stream) = Stream::parse(&text).ok().filter(|_| text.len() as u64 <= LONGEST) else { continue };
        let laws = tiling(&stream).and_then(|()| paths(&text, number as u64, 4));
        broken.extend(laws.err().map(|error| format!("{}: {error}", path.display())));
        checked += 1;
    }
    assert!(checked > 0, "there are no files");
    assert!(broken.is_empty(), "{} of {checked} files break a law:\n\n{}", broken.len(), broken.join("\n\n"));
}
