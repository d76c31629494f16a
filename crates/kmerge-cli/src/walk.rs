//! The manifests below a directory, as the commands that take many files find them.
//!
//! Invariants: what ignore files name (`.gitignore`, `.ignore`, `.krmignore`, git's excludes) is left out as `rg` does it, and so is `.git`;
//! links are not followed; files come in the order of their paths. A file that is named itself is taken, whatever it is called.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use ignore::{DirEntry, WalkBuilder};

use crate::tree::is_dot_git;

/// The file itself, or every manifest below a directory.
pub(crate) fn manifests(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    // `.github` and the like hold manifests, too.
    let mut walk = WalkBuilder::new(path);
    let is_no_repository = |entry: &DirEntry| entry.depth() == 0 || !entry.file_name().to_str().is_some_and(is_dot_git);
    walk.add_custom_ignore_filename(".krmignore");
    for entry in walk.hidden(false).filter_entry(is_no_repository).build() {
        let entry = entry.with_context(|| format!("cannot read {}", path.display()))?;
        if entry.file_type().is_some_and(|kind| kind.is_file()) && is_manifest(entry.path()) {
            files.push(entry.into_path());
        }
    }
    files.sort();
    Ok(files)
}

/// Whether the name is that of a manifest.
pub(crate) fn is_manifest(path: &Path) -> bool {
    matches!(path.extension().and_then(OsStr::to_str), Some("yaml" | "yml" | "json"))
        || path.file_name().is_some_and(|name| name == "Kptfile")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_files_are_left_out_unless_they_are_named() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        for directory in [".git", ".github", "vendor", "app"] {
            std::fs::create_dir(at(directory)).unwrap();
        }
        for file in [
            ".git/a.yaml",
            ".github/b.yml",
            "vendor/c.yaml",
            "app/d.json",
            "app/Kptfile",
            "app/e.txt",
            "app/g.yaml",
            "f.yaml",
        ] {
            std::fs::write(at(file), "a: 1\n").unwrap();
        }
        std::fs::write(at(".gitignore"), "vendor/\n").unwrap();
        std::fs::write(at(".ignore"), "f.yaml\n").unwrap();
        std::fs::write(at("app/.krmignore"), "g.yaml\n").unwrap();
        let found = manifests(room.path()).unwrap();
        let expected = [".github/b.yml", "app/Kptfile", "app/d.json"].map(at);
        assert_eq!(found, expected);
        assert_eq!(manifests(&at("vendor/c.yaml")).unwrap(), [at("vendor/c.yaml")]);
    }
}
