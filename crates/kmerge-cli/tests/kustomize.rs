//! `kmerge build` against the answers of the real `kubectl kustomize`, recorded by `cargo xtask fixtures kustomize`.
//!
//! With `--compat kustomize` every answer is the same, refusals included, in values and in the order of lists and
//! documents, except those in `divergences.json`, each with its reason; one that no longer diverges fails. Without that
//! flag, values are the same for everything but patches, except those that are listed there as `NAME, by default`. What
//! is done to resources can go into the files themselves, and changes nothing about what is built then.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use kmerge_core::value::{Data, Source, Value};
use kyaml_ast::Stream;
use serde_json::Value as Json;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/kustomize")
}

fn json(name: &str) -> Json {
    let text = std::fs::read_to_string(fixtures().join(name)).expect("readable");
    serde_json::from_str(&text).expect("JSON")
}

/// The files of a case: from the record, or from the case's own text.
fn files(case: &Json) -> BTreeMap<String, String> {
    if let Some(files) = case["files"].as_object() {
        let text = |text: &Json| text.as_str().expect("text").to_owned();
        return files.iter().map(|(path, content)| (path.clone(), text(content))).collect();
    }
    let name = case["name"].as_str().expect("a name");
    let text = std::fs::read_to_string(fixtures().join(format!("cases/{name}.txt"))).expect("readable");
    let (mut files, mut path) = (BTreeMap::new(), String::new());
    for line in text.split_inclusive('\n') {
        match line.trim_end().strip_prefix("-- ").and_then(|line| line.strip_suffix(" --")) {
            Some(name) => name.clone_into(&mut path),
            None => files.entry(path.clone()).or_insert_with(String::new).push_str(line),
        }
    }
    files
}

fn room(case: &Json) -> tempfile::TempDir {
    let room = tempfile::tempdir().expect("a directory");
    for (path, text) in files(case) {
        let path = room.path().join(path);
        std::fs::create_dir_all(path.parent().expect("it is in a directory")).expect("created");
        std::fs::write(path, text).expect("written");
    }
    room
}

fn build(room: &Path, flags: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_kmerge"));
    let state = tempfile::tempdir().expect("a directory");
    command.env("XDG_STATE_HOME", state.path());
    command.arg("build").arg(".").args(flags).current_dir(room).stdin(Stdio::null());
    command.output().expect("the binary runs")
}

/// The objects of a stream; the items of lists are objects of their own.
fn objects(text: &str) -> Vec<Value> {
    let stream = Stream::parse(text).expect("YAML");
    let source = Source::new(&stream);
    let mut objects = Vec::new();
    for document in stream.documents() {
        match source.value(document).expect("readable") {
            Some(Value { data: Data::Null, .. }) | None => {}
            Some(list) if list.get("kind").and_then(Value::as_text) == Some("List") => {
                objects.extend(list.get("items").and_then(Value::as_list).unwrap_or_default().iter().cloned());
            }
            Some(object) => objects.push(object),
        }
    }
    objects
}

fn show(objects: Option<&[Value]>) -> String {
    objects
        .map_or("refused".to_owned(), |objects| objects.iter().map(Value::to_json).collect::<Vec<_>>().join("\n    "))
}

fn built(output: &Output) -> Option<Vec<Value>> {
    let text = std::str::from_utf8(&output.stdout).expect("UTF-8");
    match output.status.code() {
        Some(0) => Some(objects(text)),
        code => {
            assert_eq!(code, Some(2), "{}", String::from_utf8_lossy(&output.stderr));
            None
        }
    }
}

#[test]
fn answers_as_kustomize_does() {
    let record = json("answers.json");
    let known = json("divergences.json");
    let reason = |case: &Json| known[case["name"].as_str().expect("a name")].as_str();
    let mut wrong = Vec::new();
    let cases = record["cases"].as_array().expect("cases");
    assert!(cases.len() > 300, "{} cases", cases.len());
    for case in cases {
        let ours = built(&build(room(case).path(), &["--compat", "kustomize", "--quiet"]));
        let theirs = case["result"].as_str().map(objects);
        let diverges = ours != theirs;
        if diverges != reason(case).is_some() {
            let (ours, theirs) = (show(ours.as_deref()), show(theirs.as_deref()));
            wrong.push(format!("{}\n  ours\n    {ours}\n  kustomize {}\n    {theirs}", case["name"], case["error"]));
        }
    }
    assert!(wrong.is_empty(), "{} differences, or divergences that are none\n{}", wrong.len(), wrong.join("\n"));
}

/// The fields of kustomizations other than patches, as the names of their cases begin.
const TRANSFORMERS: [&str; 10] = [
    "images-",
    "image-",
    "replicas",
    "namespace",
    "names-",
    "labels-",
    "common-",
    "sort-",
    "transformers-",
    "openapi-",
];

#[test]
fn transformers_by_default_do_as_kustomize_does() {
    let record = json("answers.json");
    let known = json("divergences.json");
    let (mut wrong, mut count) = (Vec::new(), 0);
    for case in record["cases"].as_array().expect("cases") {
        let name = case["name"].as_str().expect("a name");
        if !TRANSFORMERS.iter().any(|prefix| name.starts_with(prefix)) {
            continue;
        }
        let sorted = |objects: Option<Vec<Value>>| {
            objects.map(|mut objects| {
                objects.sort();
                objects
            })
        };
        let ours = sorted(built(&build(room(case).path(), &[])));
        let theirs = sorted(case["result"].as_str().map(objects));
        let is_listed = [name.to_owned(), format!("{name}, by default")].iter().any(|name| !known[name].is_null());
        if (ours != theirs) != is_listed {
            wrong.push(format!(
                "{name}\n  ours\n    {}\n  kustomize\n    {}",
                show(ours.as_deref()),
                show(theirs.as_deref())
            ));
        }
        count += 1;
    }
    assert!(count > 60, "{count} cases");
    assert!(wrong.is_empty(), "{} differences, or divergences that are none\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn baked_patches_build_the_same() {
    let record = json("answers.json");
    let written = |case: &&Json| case["files"].is_null();
    let (mut count, mut split) = (0, Vec::new());
    for case in record["cases"].as_array().expect("cases").iter().filter(written) {
        let room = room(case);
        let before = build(room.path(), &[]);
        let Some(objects) = built(&before) else { continue };
        let unchanged = build(room.path(), &["--check"]).status.code() == Some(0);
        let baked = build(room.path(), &["--in-place", "--quiet"]);
        if String::from_utf8_lossy(&baked.stderr).contains("is built more than once, and becomes two") {
            assert_eq!(baked.status.code(), Some(2), "{}", case["name"]);
            split.push(case["name"].as_str().expect("a name"));
            continue;
        }
        assert_eq!(baked.status.code(), Some(0), "{}: {}", case["name"], String::from_utf8_lossy(&baked.stderr));
        let after = build(room.path(), &[]);
        assert_eq!(built(&after), Some(objects), "{}", case["name"]);
        assert_eq!(after.stdout, before.stdout, "{}", case["name"]);
        assert_eq!(build(room.path(), &["--check"]).status.code(), Some(0), "{}", case["name"]);
        count += usize::from(!unchanged);
    }
    assert!(count > 80, "{count} cases change anything");
    assert_eq!(split, ["names-one-base-twice"]);
}

#[test]
fn no_directive_reaches_a_result() {
    for case in json("answers.json")["cases"].as_array().expect("cases") {
        let output = build(room(case).path(), &["--quiet"]);
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(!text.contains("$patch") && !text.contains("$retainKeys"), "{}\n{text}", case["name"]);
    }
}
