//! The cases of `fixtures/apply`: configurations and live objects as people have them, in YAML.
//!
//! A case is a directory: `config.yaml`, `live.yaml` where there is a live object, `kubectl.json` with what the real
//! kubectl sent and what that leaves, and `case.toml`, which says what the case is about. In compatible mode the answer is
//! kubectl's. By default the result is `expected.yaml`, byte for byte, or the `error` in `case.toml`, or its `conflicts`.
//! `KMERGE_BLESS=1` writes `expected.yaml` anew.
#![allow(clippy::unwrap_used, clippy::panic)]

use std::path::{Path, PathBuf};

use kmerge_core::Schema;
use kmerge_core::apply::{
    Algorithm, ListKeys, ListOrder, NewObjects, Options, Outcome, PatchError, Sides, Verb, apply,
};
use kmerge_core::value::{Map, Source, Value};
use kyaml_ast::Stream;
use serde_json::Value as Json;

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

struct Case {
    name: String,
    directory: PathBuf,
    config: String,
    live: Option<String>,
    overwrite: bool,
    error: Option<String>,
    conflicts: Vec<String>,
    kubectl: Json,
}

fn cases() -> Vec<Case> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/apply");
    let mut directories: Vec<PathBuf> = root.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    directories.sort();
    assert!(directories.len() > 40, "{} cases", directories.len());
    directories.into_iter().map(read_case).collect()
}

fn read_case(directory: PathBuf) -> Case {
    let file = |name: &str| std::fs::read_to_string(directory.join(name));
    let settings: toml::Table = file("case.toml").unwrap().parse().unwrap();
    assert!(settings["what"].as_str().is_some(), "case.toml says what it is about");
    let overwrite = settings.get("overwrite").and_then(toml::Value::as_bool).unwrap_or(true);
    let conflicts = settings.get("conflicts").and_then(toml::Value::as_array).into_iter().flatten();
    Case {
        name: directory.file_name().unwrap().to_string_lossy().into_owned(),
        config: file("config.yaml").unwrap(),
        live: file("live.yaml").ok(),
        overwrite,
        error: settings.get("error").map(|error| error.as_str().unwrap().to_owned()),
        conflicts: conflicts.map(|path| path.as_str().unwrap().to_owned()).collect(),
        kubectl: serde_json::from_str(&file("kubectl.json").unwrap()).unwrap(),
        directory,
    }
}

fn read(text: &str) -> Value {
    let stream = Stream::parse(text).unwrap();
    let document = stream.documents().next().unwrap();
    Source::new(&stream).value(document).unwrap().unwrap()
}

/// The configuration as kubectl reads it, in the namespace that it gives it.
fn config_of(case: &Case) -> Value {
    let mut config = read(&case.config);
    let metadata = config.as_map_mut().unwrap().get_mut("metadata").unwrap().as_map_mut().unwrap();
    metadata.entry("namespace".to_owned()).or_insert_with(|| Value::text("default"));
    config
}

/// What is wrong with the answer in compatible mode.
fn incompatible(case: &Case) -> Option<String> {
    let config = config_of(case);
    let recorded = |field: &str| case.kubectl.get(field).map(|json| Value::from_json(&json.to_string()).unwrap());
    let Some(live) = &case.live else {
        let (created, is_nameless) = (config.created(), config.get("metadata")?.get("name").is_none());
        return (!is_nameless && recorded("created") != Some(created.clone())).then(|| created.to_json());
    };
    let (live, schema) = (read(live), Schema::new());
    let algorithm = Algorithm::of(&schema, config.as_map().unwrap(), ListKeys::Smp);
    let Ok(Some((patch, result))) = sent(algorithm, &live, &config, case.overwrite) else {
        return case.kubectl.get("error").is_none().then(|| "is refused, but not by kubectl".to_owned());
    };
    let (patch, result) = (Value::map(patch), Value::map(result));
    let is_unchanged = case.kubectl.get("unchanged").is_some() && patch.as_map().unwrap().is_empty();
    let is_same =
        is_unchanged || (recorded("patch").as_ref() == Some(&patch) && recorded("result") == Some(result.clone()));
    (!is_same).then(|| format!("sends {}\nwhich gives {}", patch.to_json(), result.to_json()))
}

/// The patch that is sent, and what it leaves; `None` if others' changes stand against it.
fn sent(
    algorithm: Algorithm<'_>,
    live: &Value,
    config: &Value,
    overwrite: bool,
) -> Result<Option<(Map, Map)>, PatchError> {
    let (last_applied, config) = (live.last_applied()?, config.annotated());
    let (live, config) = (live.as_map().unwrap(), config.as_map().unwrap());
    let planned = algorithm.plan(&Sides { last_applied: last_applied.as_ref(), config, live }, overwrite)?;
    let mut result = live.clone();
    algorithm.apply(&mut result, planned.patch.clone(), ListOrder::Kubectl)?;
    Ok(planned.conflicts.is_empty().then_some((planned.patch, result)))
}

fn applied(live: Option<&str>, config: &str, overwrite: bool) -> Result<Outcome, String> {
    let (schema, live) = (Schema::new(), Vec::from_iter(live));
    let (namespace, new_objects) = (Some("default"), NewObjects::Apart);
    let options = Options { overwrite, namespace, new_objects, ..Options::new(&schema) };
    apply(Sides { live: live.as_slice(), config: &[config], last_applied: None }, options)
        .map_err(|error| error.to_string())
}

/// The only text that an apply leaves.
fn text_of(outcome: &Outcome, live: Option<&str>) -> String {
    match outcome.created.as_slice() {
        [(_, _, text)] => text.clone(),
        _ => outcome.texts[0].as_deref().or(live).unwrap().to_owned(),
    }
}

/// What is wrong with the default answer.
fn unexpected(case: &Case) -> Option<String> {
    let outcome = match (applied(case.live.as_deref(), &case.config, case.overwrite), &case.error) {
        (Ok(outcome), None) => outcome,
        (Err(error), Some(expected)) if error == *expected => return None,
        (Ok(outcome), Some(_)) => return Some(format!("is no error:\n{}", text_of(&outcome, case.live.as_deref()))),
        (Err(error), _) => return Some(error),
    };
    let conflicts: Vec<String> = outcome.reports[0].conflicts.iter().map(ToString::to_string).collect();
    if conflicts != case.conflicts {
        return Some(format!("conflicts at {conflicts:?}"));
    }
    let (text, path) = (text_of(&outcome, case.live.as_deref()), case.directory.join("expected.yaml"));
    if std::env::var_os("KMERGE_BLESS").is_some() {
        std::fs::write(path, &text).unwrap();
        return None;
    }
    let expected = std::fs::read_to_string(path).unwrap();
    (text != expected).then(|| format!("gives\n{text}--- expected\n{expected}")).or_else(|| unlawful(case, &text))
}

/// Applying again changes nothing, and the annotation holds the configuration.
fn unlawful(case: &Case, result: &str) -> Option<String> {
    if !case.conflicts.is_empty() {
        return None;
    }
    let is_json = |text: &str| serde_json::from_str::<Json>(text).is_ok();
    if case.live.as_deref().is_some_and(is_json) && !is_json(result) {
        return Some(format!("is no JSON any more:\n{result}"));
    }
    let again = applied(Some(result), &case.config, true).unwrap();
    if again.texts != [None] || again.reports[0].verb != Verb::Unchanged || !again.reports[0].findings.is_empty() {
        return Some(format!("applied again: {:?}", again.reports[0]));
    }
    let result = read(result);
    let noted = Value::map(result.last_applied().unwrap().unwrap());
    let mut config = config_of(case);
    let metadata = config.as_map_mut().unwrap().get_mut("metadata").unwrap().as_map_mut().unwrap();
    let annotations = metadata.entry("annotations".to_owned()).or_insert_with(|| Value::from_json("{}").unwrap());
    annotations.as_map_mut().unwrap().remove(ANNOTATION);
    (noted != config).then(|| format!("{} is noted", noted.to_json()))
}

fn check(wrong: impl Fn(&Case) -> Option<String>) {
    let cases = cases();
    let wrong: Vec<String> =
        cases.iter().filter_map(|case| wrong(case).map(|what| format!("{}: {what}", case.name))).collect();
    assert!(wrong.is_empty(), "{} of {} cases:\n\n{}", wrong.len(), cases.len(), wrong.join("\n\n"));
}

#[test]
fn compatible_answers_are_those_of_kubectl() {
    check(incompatible);
}

#[test]
fn default_answers_are_as_expected() {
    check(unexpected);
}
