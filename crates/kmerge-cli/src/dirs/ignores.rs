//! `.krmignore`: which files of a package are none of its business, in the syntax of `.gitignore`.

use std::collections::BTreeMap;

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
    /// Takes the rules of a directory of the tree; `name` is what messages call them.
    pub(super) fn add(&mut self, directory: &str, text: &str, name: &str) -> anyhow::Result<()> {
        let mut builder = GitignoreBuilder::new("");
        for line in text.lines() {
            builder.add_line(None, line).with_context(|| format!("{name}: {line:?} is not a pattern"))?;
        }
        let rules = builder.build().with_context(|| format!("{name} cannot be used"))?;
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
        let mut ignores = Ignores::default();
        ignores.add("", "# tests\n*.txt\n/vendor/\n", FILE).unwrap();
        ignores.add("a", "!keep.txt\nb/\n", FILE).unwrap();
        let files = ["x.txt", "x.yaml", "vendor/x.yaml", "a/vendor/x.yaml", "a/keep.txt", "a/x.txt", "a/b/x.yaml"];
        let ignored: Vec<bool> = files.iter().map(|file| ignores.ignores(file)).collect();
        assert_eq!(ignored, [true, false, true, false, false, true, true]);
        assert!(ignores.ignores_directory("vendor") && !ignores.ignores_directory("a"));
    }
}
