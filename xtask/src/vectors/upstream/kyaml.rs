//! The tables of kyaml's merges of two and of three texts.

use std::path::Path;

use serde_json::{Value, json};

use super::super::{Verdict, merges};
use super::{Suite, Tests, files};

pub(super) fn merge2(directory: &Path) -> anyhow::Result<Suite> {
    tables("merge2", directory, &["source", "dest", "expected"])
}

pub(super) fn merge3(directory: &Path) -> anyhow::Result<Suite> {
    tables("merge3", directory, &["origin", "update", "local"])
}

/// Each case as a probe; see [`merges`].
fn tables(suite_name: &str, directory: &Path, wanted: &[&str]) -> anyhow::Result<Suite> {
    let mut suite = Suite::default();
    for path in files(directory)? {
        let tests = Tests::read(&path)?;
        for (name, case) in tests.tables(wanted) {
            let is_prepending = case.get("ListIncreaseDirection").is_some_and(|word| word == "MergeOptionsListPrepend");
            let probe = json!({
                "src": case.get("source"), "original": case.get("origin"), "updated": case.get("update"),
                "dest": case.get("dest").or_else(|| case.get("local")),
                "options": { "listIncreaseDirection": if is_prepending { "prepend" } else { "append" } },
                "kyaml_head_output": if case.contains_key("err") { None } else { case.get("expected") },
            });
            suite.verdicts.push(verdict(format!("{suite_name} {name}"), &probe)?);
        }
    }
    Ok(suite)
}

fn verdict(name: String, probe: &Value) -> anyhow::Result<Verdict> {
    Ok(Verdict { name, difference: merges::difference(probe)? })
}
