//! The tests of the tools that kmerge stands beside, read from a checkout of their sources.
//!
//! Nothing of them is in this repository: cases are named by their file and their number, or by their function. A case whose
//! data is made by code is not read, and is counted.

mod json;
mod kpt;
mod kustomize;
mod kyaml;
mod strategic;
mod yaml;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::go::{self, Constants, Tree};
use super::{Reasons, Verdict, listed};

/// What a suite's reader gives.
#[derive(Default)]
pub(super) struct Suite {
    pub(super) verdicts: Vec<Verdict>,
    /// So many cases could not be read.
    pub(super) unread: usize,
}

/// A suite, and where it lies in a checkout.
pub(super) struct Upstream {
    pub(super) name: &'static str,
    pub(super) path: &'static str,
    pub(super) read: fn(&Path) -> anyhow::Result<Suite>,
}

pub(super) const SUITES: [Upstream; 11] = [
    Upstream { name: "kyaml merge2", path: "kyaml/yaml/merge2", read: kyaml::merge2 },
    Upstream { name: "kyaml merge3", path: "kyaml/yaml/merge3", read: kyaml::merge3 },
    Upstream { name: "kustomize patch transformers", path: "plugin/builtin", read: kustomize::transformers },
    Upstream { name: "krusty with patches", path: "api/krusty", read: kustomize::patches },
    Upstream { name: "krusty with openapi or sortOptions", path: "api/krusty", read: kustomize::orders },
    Upstream { name: "kpt packages", path: "internal/util/merge", read: kpt::packages },
    Upstream { name: "strategicpatch", path: "pkg/util/strategicpatch", read: strategic::patches },
    Upstream { name: "JSON merge patch", path: "pkg/util/jsonmergepatch", read: json::three_way },
    Upstream { name: "RFC 7386", path: "merge_test.go", read: json::merge_patches },
    Upstream { name: "RFC 6902, json-patch", path: "patch_test.go", read: json::patches },
    Upstream { name: "RFC 6902, json-patch-tests", path: "spec_tests.json", read: json::patch_tests },
];

pub(super) fn reasons() -> anyhow::Result<Reasons> {
    listed("upstream/divergences.toml", "cases")
}

/// A file of tests.
struct Tests {
    /// Its name, without `_test.go`.
    name: String,
    trees: Vec<Tree>,
    constants: Constants,
}

impl Tests {
    fn read(path: &Path) -> anyhow::Result<Self> {
        let source = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let trees = go::read(&source);
        let constants = go::constants(&trees);
        Ok(Self { name: name.trim_end_matches("_test.go").to_owned(), trees, constants })
    }

    /// All strings, in order.
    fn texts(&self) -> impl Iterator<Item = &str> {
        go::texts(&self.trees).into_iter()
    }

    /// The literals that have all of these fields, by their number.
    fn tables(&self, wanted: &[&str]) -> Vec<(String, BTreeMap<String, String>)> {
        let literals = go::literals(&self.trees);
        let all = literals.iter().map(|literal| go::fields(literal, &self.constants));
        let fitting = all.filter(|fields| wanted.iter().all(|name| fields.contains_key(*name)));
        fitting.enumerate().map(|(number, fields)| (format!("{} {}", self.name, number + 1), fields)).collect()
    }
}

/// The test files of a directory and of those directly in it, in order.
fn files(directory: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let list = |path: &Path| -> anyhow::Result<Vec<PathBuf>> {
        Ok(std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?)
    };
    let mut paths = list(directory)?;
    for inner in paths.clone().iter().filter(|path| path.is_dir()) {
        paths.extend(list(inner)?);
    }
    paths.retain(|path| path.to_string_lossy().ends_with("_test.go"));
    paths.sort();
    Ok(paths)
}

/// Two answers that should be alike, shown if they are not.
fn compare(name: String, ours: Option<&serde_json::Value>, theirs: Option<&serde_json::Value>) -> Verdict {
    let show = |value: Option<&serde_json::Value>| value.map_or_else(|| "refused".to_owned(), ToString::to_string);
    let difference = (ours != theirs).then(|| format!("\n{}\ninstead of\n{}", show(ours), show(theirs)));
    Verdict { name, difference }
}
