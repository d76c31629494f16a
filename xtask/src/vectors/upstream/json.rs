//! Patches of JSON: merge patches (RFC 7386), those that kubectl makes of three objects, and JSON patches (RFC 6902).

use std::path::Path;

use anyhow::Context as _;
use kmerge_core::apply::{Algorithm, ListOrder, Sides};
use kmerge_core::value::{Map, Value};
use serde_json::Value as Json;

use super::super::Verdict;
use super::{Suite, Tests, compare, yaml};
use crate::ours::plain;

/// Patches of objects without a schema: what is made of three objects, and what it leaves.
pub(super) fn three_way(directory: &Path) -> anyhow::Result<Suite> {
    let mut suite = Suite::default();
    let mut cases = yaml::cases(&Tests::read(&directory.join("patch_test.go"))?)?;
    cases.retain(|case| case.get("modified").is_some());
    for (number, case) in cases.iter().enumerate() {
        let side = |name: &str| yaml::map(case.get(name));
        let [original, modified, current] = ["original", "modified", "current"].map(side);
        let sides = Sides { last_applied: Some(&original), config: &modified, live: &current };
        let patch = Algorithm::JSON_MERGE.plan(&sides, true).ok().map(|planned| planned.patch);
        let result = patch.clone().and_then(|patch| applied(current.clone(), patch));
        for (name, ours) in [("threeWay", patch), ("result", result)] {
            let ours = ours.map(|map| plain(&Value::map(map)));
            suite.verdicts.push(compare(
                format!("jsonmergepatch {} {name}", number + 1),
                ours.as_ref(),
                case.get(name),
            ));
        }
    }
    Ok(suite)
}

/// The table of the examples of RFC 7386.
pub(super) fn merge_patches(path: &Path) -> anyhow::Result<Suite> {
    let tests = Tests::read(path)?;
    let verdict = |(name, case): (String, std::collections::BTreeMap<String, String>)| {
        let theirs = serde_json::from_str(&case["expected"])?;
        Ok(compare(format!("json-patch {name}"), merged(&case["target"], &case["patch"]).as_ref(), Some(&theirs)))
    };
    let tables = tests.tables(&["target", "patch", "expected"]).into_iter();
    Ok(Suite { verdicts: tables.map(verdict).collect::<anyhow::Result<_>>()?, unread: 0 })
}

/// As a field of an object, because the root of what kmerge patches is always a mapping.
fn merged(target: &str, patch: &str) -> Option<Json> {
    let object = |text: &str| Some(Value::from_json(&format!("{{\"field\":{text}}}")).ok()?.as_map()?.clone());
    let result = applied(object(target)?, object(patch)?)?;
    Some(result.get("field").map_or(Json::Null, plain))
}

fn applied(mut object: Map, patch: Map) -> Option<Map> {
    Algorithm::JSON_MERGE.apply(&mut object, patch, ListOrder::Kubectl).ok()?;
    Some(object)
}

/// The tables of the library that kubectl uses: patches that give a text, that have to be refused, and that test a value.
pub(super) fn patches(path: &Path) -> anyhow::Result<Suite> {
    let tests = Tests::read(path)?;
    let mut suite = Suite::default();
    for (name, case) in tests.tables(&["0", "1"]) {
        let field = |place: &str| case.get(place).map(String::as_str);
        let ours = patched(&case["0"], &case["1"]);
        let theirs = match (field("2"), field("3")) {
            (None, None) | (Some("false"), Some(_)) => None,
            (Some("true"), Some(_)) => Some(serde_json::from_str(&case["0"])?),
            (Some(result), None) => serde_json::from_str(result).ok(),
            (None | Some(_), Some(_)) => continue,
        };
        suite.verdicts.push(compare(format!("json-patch {name}"), ours.as_ref(), theirs.as_ref()));
    }
    Ok(suite)
}

/// What a JSON patch leaves of a value; `None` where it is refused.
fn patched(doc: &str, patch: &str) -> Option<Json> {
    let (Ok(mut doc), Ok(patch)) = (Value::from_json(doc), Value::from_json(patch)) else { return None };
    doc.apply_json_patch(&patch).ok()?;
    Some(plain(&doc))
}

/// The common tests of JSON patches.
pub(super) fn patch_tests(path: &Path) -> anyhow::Result<Suite> {
    let mut suite = Suite::default();
    for file in [path, &path.with_file_name("tests.json")] {
        let recorded: Json = serde_json::from_str(&std::fs::read_to_string(file)?)?;
        let stem = file.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        for (number, case) in recorded.as_array().context("a list of tests")?.iter().enumerate() {
            if case["disabled"] == true || case.get("patch").is_none() {
                suite.unread += 1;
                continue;
            }
            suite.verdicts.push(patch_test(format!("json-patch-tests {stem} {}", number + 1), case));
        }
    }
    Ok(suite)
}

/// A test without a result only has to be accepted.
fn patch_test(name: String, case: &Json) -> Verdict {
    let ours = patched(&case["doc"].to_string(), &case["patch"].to_string());
    match (case.get("expected"), case.get("error")) {
        (None, None) if ours.is_some() => Verdict { name, difference: None },
        (None, None) => Verdict { name, difference: Some("refused".to_owned()) },
        (_, Some(_)) => compare(name, ours.as_ref(), None),
        (expected, None) => compare(name, ours.as_ref(), expected),
    }
}
