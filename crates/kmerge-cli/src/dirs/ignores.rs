//! `.krmignore`: which files of a package are none of its business, in the syntax of `.gitignore`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

/// Name of the file.
pub(super) const FILE: &str = ".krmignore";

/// The rules of a tree, by the directory they stand in.
#[derive(Debug, Default)]
pub(super) struct Ignores {
    rules: BTreeMap<String, Gitignore>,
}

impl Ignores {
    /// Reads the rules of a directory of the tree.
    pub(super) fn add(&mut self, root: &Path, directory: &str) -> anyhow::Result<()> {
        let path = root.join(directory).join(FILE);
        let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let mut builder = GitignoreBuilder::new("");
        for line in text.lines() {
            builder.add_line(None, line).with_context(|| format!("{}: {line:?} is no pattern", path.display()))?;
        }
        let rules = builder.build().with_context(|| format!("{} cannot be used", path.display()))?;
        self.rules.insert(directory.to_owned(), rules);
        Ok(())
    }

    /// Whether a file, or a directory it stands in, is ignored.
    pub(super) fn ignores(&self, path: &str) -> bool {
        !self.rules.is_empty() && self.matches(path, false)
    }

    /// Whether a directory is ignored with everything in it.
    pub(super) fn ignores_directory(&self, path: &str) -> bool {
        !self.rules.is_empty() && self.matches(path, true)
    }

    /// The rules closest to the path decide.
    fn matches(&self, path: &str, is_directory: bool) -> bool {
        let parents = path.rmatch_indices('/').map(|(at, _)| &path[..at]).chain([""]);
        for directory in parents {
            let Some(rules) = self.rules.get(directory) else { continue };
            let below = path[directory.len()..].trim_start_matches('/');
            match rules.matched_path_or_any_parents(below, is_directory) {
                Match::None => {}
                Match::Ignore(_) => return true,
                Match::Whitelist(_) => return false,
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closest_rules_decide() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(root.path().join("a/b")).unwrap();
        std::fs::write(root.path().join(".krmignore"), "# tests\n*.txt\n/vendor/\n").unwrap();
        std::fs::write(root.path().join("a/.krmignore"), "!keep.txt\nb/\n").unwrap();
        let mut ignores = Ignores::default();
        ignores.add(root.path(), "").unwrap();
        ignores.add(root.path(), "a").unwrap();
        let files = ["x.txt", "x.yaml", "vendor/x.yaml", "a/vendor/x.yaml", "a/keep.txt", "a/x.txt", "a/b/x.yaml"];
        let ignored: Vec<bool> = files.iter().map(|file| ignores.ignores(file)).collect();
        assert_eq!(ignored, [true, false, true, false, false, true, true]);
        assert!(ignores.ignores_directory("vendor") && !ignores.ignores_directory("a"));
    }
}
