//! kustomize's tests of whole builds and of its patch transformers, against `kmerge build --compat kustomize`.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value as Json, json};

use super::super::Verdict;
use super::super::go::{self, Call};
use super::super::kustomize::{built, objects};
use super::{Suite, Tests, files, yaml};

/// Files of a test, and where to build.
type Files = BTreeMap<String, String>;

const PATCHES: [&str; 3] = ["patches:", "patchesStrategicMerge:", "patchesJson6902:"];
const ORDERS: [&str; 2] = ["openapi:", "sortOptions:"];

pub(super) fn patches(directory: &Path) -> anyhow::Result<Suite> {
    builds(directory, |text| mentions(text, &PATCHES) && !mentions(text, &ORDERS))
}

pub(super) fn orders(directory: &Path) -> anyhow::Result<Suite> {
    builds(directory, |text| mentions(text, &ORDERS))
}

fn mentions(text: &str, fields: &[&str]) -> bool {
    text.lines().any(|line| fields.iter().any(|field| line.starts_with(field)))
}

fn builds(directory: &Path, is_wanted: fn(&str) -> bool) -> anyhow::Result<Suite> {
    let mut suite = Suite::default();
    for path in files(directory)? {
        let tests = Tests::read(&path)?;
        let functions = go::functions(&tests.trees);
        for (name, function) in functions.iter().filter(|(name, _)| name.starts_with("Test")) {
            let mut calls = go::calls(function.body, &functions, &tests.constants);
            for text in calls.iter_mut().flat_map(|call| &mut call.arguments).flatten() {
                if let Some(file) = text.strip_prefix(go::FILE) {
                    *text = std::fs::read_to_string(directory.join(file))?;
                }
            }
            if calls.iter().flat_map(|call| &call.arguments).flatten().any(|text| is_wanted(text)) {
                replay(name, &calls, &mut suite)?;
            }
        }
    }
    Ok(suite)
}

/// Writes and builds as a test does. A build and what it should give may come in any order.
fn replay(name: &str, calls: &[Call], suite: &mut Suite) -> anyhow::Result<()> {
    let (mut files, mut ours, mut theirs, mut number) = (Files::new(), None, None, 0);
    for call in calls {
        let texts: Option<Vec<&str>> = call.arguments.iter().map(Option::as_deref).collect();
        match (call.name.as_str(), texts.as_deref()) {
            ("WriteF", Some([path, text])) => {
                files.insert((*path).to_owned(), (*text).to_owned());
            }
            ("WriteK", Some([path, text])) => {
                files.insert(format!("{path}/kustomization.yaml"), format!("{KUSTOMIZATION}{text}"));
            }
            ("WriteC", Some([path, text])) => {
                files.insert(format!("{path}/kustomization.yaml"), format!("{COMPONENT}{text}"));
            }
            ("WriteF" | "WriteK" | "WriteC" | "MakeOptionsPluginsEnabled", _) => {
                suite.unread += 1;
                return Ok(());
            }
            ("Run" | "RunWithErr", _) => {
                let Some(Some(place)) = call.arguments.first() else { continue };
                ours = Some(built(&in_order(&files, place), place)?);
                if call.name == "RunWithErr" {
                    theirs = Some(None);
                }
            }
            ("AssertActualEqualsExpected" | "AssertActualEqualsExpectedNoIdAnnotations", _) => {
                let Some(Some(expected)) = call.arguments.last() else {
                    suite.unread += 1;
                    continue;
                };
                theirs = Some(Some(objects(expected)?));
            }
            _ => {}
        }
        if let Some(ours) = ours.take_if(|_| theirs.is_some()) {
            number += 1;
            suite.verdicts.push(verdict(format!("{name} {number}"), ours, theirs.take().flatten()));
        }
    }
    Ok(())
}

const KUSTOMIZATION: &str = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
const COMPONENT: &str = "apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n";

/// These tests build in the order of the files unless a kustomization says otherwise; the command line of kustomize does not.
fn in_order(files: &Files, place: &str) -> Files {
    let mut files = files.clone();
    let root = files.get_mut(&format!("{place}/kustomization.yaml")).filter(|text| !mentions(text, &["sortOptions:"]));
    if let Some(text) = root {
        text.push_str("\nsortOptions:\n  order: fifo\n");
    }
    files
}

fn verdict(name: String, ours: Result<Vec<Json>, String>, theirs: Option<Vec<Json>>) -> Verdict {
    let is_same = ours.as_ref().ok() == theirs.as_ref();
    let ours = ours.map_or_else(|message| format!("refused: {message}"), |objects| Json::from(objects).to_string());
    let theirs = theirs.map_or_else(|| "refused".to_owned(), |objects| Json::from(objects).to_string());
    Verdict { name, difference: (!is_same).then(|| format!("\n{ours}\ninstead of\n{theirs}")) }
}

/// Configurations of patch transformers, as kustomizations that say the same.
pub(super) fn transformers(directory: &Path) -> anyhow::Result<Suite> {
    let mut suite = Suite::default();
    for path in files(directory)?.iter().filter(|path| path.to_string_lossy().contains("/patch")) {
        let tests = Tests::read(path)?;
        let functions = go::functions(&tests.trees);
        for (name, function) in functions.iter().filter(|(name, _)| name.starts_with("Test")) {
            transform(name, &go::calls(function.body, &functions, &tests.constants), &mut suite)?;
        }
    }
    Ok(suite)
}

fn transform(name: &str, calls: &[Call], suite: &mut Suite) -> anyhow::Result<()> {
    let mut files = Files::new();
    for call in calls {
        let texts: Option<Vec<&str>> = call.arguments.iter().take(3).map(Option::as_deref).collect();
        let error = call.name == "RunTransformerAndCheckError";
        match (call.name.as_str(), call.arguments.as_slice(), texts.as_deref()) {
            ("WriteF", _, Some([path, text])) => drop(files.insert((*path).to_owned(), (*text).to_owned())),
            (
                "RunTransformerAndCheckResult" | "RunTransformerAndCheckError",
                [Some(config), Some(input), rest @ ..],
                _,
            ) => {
                files.insert("/resources.yaml".to_owned(), input.clone());
                files.insert("/kustomization.yaml".to_owned(), kustomization(&yaml::json(config)?).to_string());
                let expected = match rest {
                    [Some(text)] if !error => Some(objects(text)?),
                    _ if error => None,
                    _ => {
                        suite.unread += 1;
                        continue;
                    }
                };
                suite.verdicts.push(verdict(name.to_owned(), built(&files, "/")?, expected));
            }
            ("RunTransformerAndCheckResult" | "RunTransformerAndCheckError" | "RunTransformer", ..) => {
                suite.unread += 1
            }
            _ => {}
        }
    }
    Ok(())
}

/// The names of fields count in any case, as in Go.
fn kustomization(config: &Json) -> Json {
    let mut out = json!({ "resources": ["resources.yaml"] });
    let part = |names: &[(&str, &str)]| -> serde_json::Map<String, Json> {
        let given = config.as_object().into_iter().flatten();
        let renamed = |(field, value): (&String, &Json)| {
            let (_, to) = names.iter().find(|(from, _)| from.eq_ignore_ascii_case(field))?;
            Some(((*to).to_owned(), value.clone()))
        };
        given.filter_map(renamed).collect()
    };
    match config["kind"].as_str() {
        Some("PatchStrategicMergeTransformer") => {
            let mut all = config["paths"].as_array().cloned().unwrap_or_default();
            all.extend(config.get("patches").cloned());
            out["patchesStrategicMerge"] = all.into();
        }
        Some("PatchJson6902Transformer") => {
            let names = [("target", "target"), ("path", "path"), ("jsonOp", "patch")];
            out["patchesJson6902"] = vec![Json::Object(part(&names))].into();
        }
        _ => {
            let names = [("target", "target"), ("path", "path"), ("patch", "patch"), ("options", "options")];
            out["patches"] = vec![Json::Object(part(&names))].into();
        }
    }
    out
}
