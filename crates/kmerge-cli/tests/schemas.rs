//! The JSON Schemas in `docs/schemas`: what the program writes and reads fits them, and what it refuses does not.

#![cfg(unix)]

use std::path::{Path, PathBuf};
use std::process::Command;

use jsonschema::Validator;
use serde_json::{Value, json};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn schema(name: &str) -> Value {
    let path = Path::new(ROOT).join("docs/schemas").join(name);
    serde_json::from_slice(&std::fs::read(path).expect("readable")).expect("JSON")
}

/// The schema of one command's reports.
fn report(command: &str) -> Validator {
    let mut schema = schema("report.schema.json");
    assert!(schema["$defs"][command].is_object(), "{command}");
    schema.as_object_mut().expect("an object").remove("anyOf");
    schema["$ref"] = json!(format!("#/$defs/{command}"));
    jsonschema::validator_for(&schema).expect("a schema")
}

/// What a command prints on stdout, as JSON.
fn run(directory: &Path, arguments: &[&str]) -> Value {
    let state = tempfile::tempdir().expect("a directory");
    let output = Command::new(env!("CARGO_BIN_EXE_kmerge"))
        .args(arguments)
        .current_dir(directory)
        .env("XDG_STATE_HOME", state.path())
        .output()
        .expect("it runs");
    let code = output.status.code().expect("an exit code");
    assert!(code < 2, "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON on stdout")
}

fn fits(validator: &Validator, report: &Value, what: &str) {
    let errors: Vec<String> =
        validator.iter_errors(report).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{what}: {}\n{report:#}", errors.join("\n"));
}

/// Every `step`-th fixture of a suite.
fn fixtures(suite: &str, step: usize) -> Vec<PathBuf> {
    let entries = Path::new(ROOT).join("fixtures").join(suite).read_dir().expect("a suite");
    let mut cases: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    cases.retain(|case| case.is_dir());
    cases.sort();
    cases.into_iter().step_by(step).collect()
}

const MERGE3: [&str; 6] = ["--check", "--report", "-", "--format", "json", "--on-conflict"];

#[test]
fn reports_of_merges_fit() {
    let validator = report("merge");
    let mut records = 0;
    for (number, case) in fixtures("merge3", 12).iter().enumerate() {
        let who = ["updated", "fail"][number % 2];
        let inputs = ["merge3", "--original", "base.yaml", "--updated", "incoming.yaml", "--dest", "dest.yaml"];
        let report = run(case, &[&inputs[..], &MERGE3, &[who]].concat());
        fits(&validator, &report, &case.display().to_string());
        records += report["files"][0]["decisions"].as_array().map_or(0, Vec::len);
        records += report["files"][0]["conflicts"].as_array().map_or(0, Vec::len);
    }
    assert!(records > 20, "{records} records");
}

#[test]
fn reports_of_directories_fit() {
    let validator = report("merge");
    let mut seen = [0; 3];
    // A package without `expected` is refused, and has no report.
    for case in fixtures("packages", 1).into_iter().filter(|case| case.join("expected").is_dir()) {
        let inputs = ["merge3", "--original", "base", "--updated", "incoming", "--dest", "dest"];
        let report = run(&case, &[&inputs[..], &MERGE3, &["updated"]].concat());
        fits(&validator, &report, &case.display().to_string());
        for (count, field) in seen.iter_mut().zip(["changes", "resources", "whole_files"]) {
            *count += report[field].as_array().expect("a list").len();
        }
    }
    assert!(seen.iter().all(|count| *count > 0), "{seen:?}");
}

#[test]
fn reports_of_applies_fit() {
    let validator = report("apply");
    let mut changes = 0;
    for case in fixtures("apply", 6) {
        let inputs = ["apply", "--live", "live.yaml", "--config", "config.yaml"];
        let report = run(&case, &[&inputs[..], &MERGE3[..5]].concat());
        fits(&validator, &report, &case.display().to_string());
        changes += report["objects"][0]["changes"].as_array().expect("a list").len();
    }
    assert!(changes > 10, "{changes} changes");
}

#[test]
fn differences_and_findings_fit() {
    let room = tempfile::tempdir().expect("a directory");
    let write = |name: &str, text: &str| std::fs::write(room.path().join(name), text).expect("written");
    write("a.yaml", "a: 1 # one\nb: {c: [1, 2]}\n");
    write("b.yaml", "a: 2 # two\nd: {c: [1, 2]}\n");
    write("broken.yaml", "a: [\n");
    write("twice.yaml", "a: 1\nb: *x\na: 2\n");
    for (b, comments) in [("b.yaml", true), ("b.yaml", false), ("broken.yaml", false)] {
        let flags: &[&str] = if comments { &["--comments"] } else { &[] };
        let found = run(room.path(), &[&["diff", "a.yaml", b, "--format", "json"], flags].concat());
        assert_eq!(found["files"].as_array().map(Vec::len), Some(1));
        fits(&report("diff"), &found, b);
    }
    let found = run(room.path(), &["check", "twice.yaml", "broken.yaml", "a.yaml", "--format", "json"]);
    assert_eq!(found["files"][0]["findings"].as_array().map(Vec::len), Some(2), "{found:#}");
    fits(&report("check"), &found, "check");
}

/// What edits a file reports its changes in the form of differences.
#[test]
fn reports_of_edits_fit() {
    let room = tempfile::tempdir().expect("a directory");
    let text = "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{name: app, image: nginx:1}]}\n";
    std::fs::write(room.path().join("a.yaml"), text).expect("written");
    let image = ".spec.containers[name=app].image";
    for arguments in [
        &["set", "a.yaml", image, "nginx:2"][..],
        &["delete", "a.yaml", ".metadata.name"],
        &["edit", "-e", "set ..image nginx:2", "a.yaml"],
        &["set-image", "nginx:2", "a.yaml"],
        &["patch", "--type", "merge", "-p", "{metadata: {labels: {a: b}}}", "a.yaml"],
        &["last-applied", "set", "a.yaml", "--config", "a.yaml", "--create"],
    ] {
        let found = run(room.path(), &[arguments, &MERGE3[..5]].concat());
        assert_eq!(found["files"][0]["places"].as_array().map(Vec::len), Some(1), "{arguments:?}: {found:#}");
        fits(&report("diff"), &found, arguments[0]);
    }
}

#[test]
fn previews_fit() {
    let room = tempfile::tempdir().expect("a directory");
    let script = "git init -qb main && printf 'a: 1\\nb: 1\\n' > a.yaml && git add . && git commit -qm 1
        git switch -qc topic && printf 'a: 2\\nb: 1\\n' > a.yaml && git commit -qam 2
        git switch -q main && printf 'a: 3\\nb: 2\\n' > a.yaml && git commit -qam 3";
    let mut command = Command::new("sh");
    command.args(["-ec", script]).current_dir(room.path());
    for role in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{role}_NAME"), "Kim").env(format!("GIT_{role}_EMAIL"), "kim@example.com");
    }
    assert!(command.status().expect("a shell").success());
    let preview = run(room.path(), &["ci", "--base", "main", "--head", "topic", "--format", "json"]);
    assert_eq!(preview["conflicts"][0]["places"][0]["path"], ".a");
    fits(&report("ci"), &preview, "ci");
}

/// One place looks alike in every report.
#[test]
fn all_reports_share_the_shape_of_spans() {
    let defs = &schema("report.schema.json")["$defs"];
    for (at, properties) in [
        ("span", &defs["span"]["properties"]),
        ("version", &defs["version"]["properties"]),
        ("apply", &defs["apply"]["properties"]["objects"]["items"]["properties"]["config"]["properties"]),
    ] {
        for field in ["bytes", "from", "to"] {
            assert_eq!(properties[field], defs["span"]["properties"][field], "{at}");
        }
    }
    assert_eq!(defs["span"]["properties"]["from"], json!({ "$ref": "#/$defs/position" }));
}

/// A configuration, as YAML for the program and as JSON for the schema, and whether both accept it.
#[test]
fn rules_that_are_read_fit() {
    let validator = jsonschema::validator_for(&schema("kmerge.schema.json")).expect("a schema");
    let room = tempfile::tempdir().expect("a directory");
    std::fs::write(room.path().join("a.yaml"), "a: [1]\n").expect("written");
    let rule = |rule: Value| json!({ "lists": [rule] });
    let cases = [
        (rule(json!({ "path": ".a", "keys": "set" })), true),
        (rule(json!({ "path": ".a[].b", "keys": ["x", "y"], "kind": "Widget", "group": "" })), true),
        (rule(json!({ "path": ".a", "keys": "atomic" })), true),
        (json!({ "lists": [] }), true),
        (json!({ "upstream": { "repo": "https://example.com/a.git", "ref": "v1", "commit": "0f" } }), true),
        (rule(json!({ "path": ".a" })), false),
        (rule(json!({ "keys": "x" })), false),
        (rule(json!({ "path": "", "keys": "x" })), false),
        (rule(json!({ "path": ".a", "key": "x" })), false),
        (rule(json!({ "path": ".a", "keys": [] })), false),
        (rule(json!({ "path": ".a", "keys": {} })), false),
        (json!({ "list": [] }), false),
        (json!([]), false),
    ];
    for (config, is_good) in cases {
        std::fs::write(room.path().join("rules.yaml"), config.to_string()).expect("written");
        let output = Command::new(env!("CARGO_BIN_EXE_kmerge"))
            .args(["explain", "keys", "a.yaml", "--config", "rules.yaml"])
            .current_dir(room.path())
            .output()
            .expect("it runs");
        assert_eq!((output.status.success(), validator.is_valid(&config)), (is_good, is_good), "{config}: {output:?}");
    }
}
