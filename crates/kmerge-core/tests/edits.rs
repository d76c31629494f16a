//! Scripts of edits on texts, byte for byte: `fixtures/edit`.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::{Path, PathBuf};

use kmerge_core::Schema;
use kmerge_core::edit::{Action, Options, Problem, Script, Value};
use kyaml_ast::Stream;
use pretty_assertions::assert_eq;

fn cases() -> Vec<PathBuf> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/edit");
    let mut cases: Vec<PathBuf> = suite.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    cases
}

fn edited(script: &str, name: &str, text: &str) -> Result<String, Problem> {
    let script = Script::parse(script).unwrap_or_else(|error| panic!("{script}: {error}"));
    let schema = Schema::new();
    let planned = script.plan(name, text, &Options::new(&schema))?;
    Ok(planned.text.unwrap_or_else(|| text.to_owned()))
}

#[test]
fn scripts_give_what_is_expected() {
    let cases = cases();
    assert!(cases.len() >= 60, "{}", cases.len());
    let mut wrong = Vec::new();
    for case in cases {
        let name = case.file_name().unwrap().to_string_lossy().into_owned();
        let read = |file: &str| {
            std::fs::read_to_string(case.join(file)).unwrap_or_else(|error| panic!("{name}/{file}: {error}"))
        };
        let (input, script, expected) = (read("input.yaml"), read("script.txt"), read("expected.yaml"));
        match edited(&script, "input.yaml", &input) {
            Ok(found) if found == expected => assert!(Stream::parse(&found).is_ok(), "{name}"),
            Ok(found) => wrong.push(format!("--- {name}\n{script}=== found\n{found}=== expected\n{expected}")),
            Err(problem) => wrong.push(format!("--- {name}\n{script}=== {problem:?}")),
        }
    }
    assert!(wrong.is_empty(), "{} cases differ\n{}", wrong.len(), wrong.join("\n"));
}

/// What a statement writes beside others does not depend on whether those were written before.
#[test]
fn a_script_writes_what_its_statements_write_one_by_one() {
    let cases = [
        ("inerw:\n  -  +:", "set --yaml .inerw[0] {}\nappend --string .inerw 8080"),
        ("- -", "comment --above [0][0] x # y\ninsert --yaml [0][+0] true\nset --yaml [0][1] {}"),
        ("l:\n- \"a\"\n", "set --yaml .l[0] b\nappend .l c"),
        ("l:\n- n: \"a\"\n", "set --yaml .l[0].n b\nset -c .l[n=c].v 1"),
        ("a: \"x\"\nb: \"y\"\n", "set -c .c z\nset --yaml .a 1\nset --yaml .b 2\nset -c .d z"),
        ("a: 1\nb: 2\n", "rename .a c\nrename .b a\nrename .c b"),
        ("a: 1\nb: 2\n", "delete .b\nrename .a b"),
        ("a: 1\nb: 2\n", "rename .a c\nset -c .a 3"),
    ];
    for (source, script) in cases {
        let apart = script.lines().fold(source.to_owned(), |text, line| edited(line, "f.yaml", &text).unwrap());
        assert_eq!(edited(script, "f.yaml", source).unwrap(), apart, "{script}");
    }
}

/// Where a number or a name fits, the old value says nothing about the new one; JSON leaves nothing open.
#[test]
fn a_value_has_the_type_that_its_place_and_its_quotes_say() {
    let surge = "kind: Deployment\napiVersion: apps/v1\nspec: {strategy: {rollingUpdate: {maxSurge: 25%}}}\n";
    let new = |value: &str| edited(&format!("set ..maxSurge {value}"), "f.yaml", surge).unwrap();
    assert!(new("1").contains("maxSurge: 1}") && new("50%").contains("maxSurge: 50%}"));
    let set = |value: &str| {
        let path = ".a".parse().map(|path| Action::Set { path, value: Value::new(value), create: false });
        let script = Script::of(path.into_iter().collect::<Vec<_>>());
        let plan = script.plan("f.yaml", "a: true\n", &Options::new(&Schema::new())).unwrap();
        plan.text.unwrap_or_default()
    };
    assert_eq!((set("\"false\""), set("false")), ("a: \"false\"\n".to_owned(), "a: false\n".to_owned()));
    let pod = r#"{"apiVersion": "v1", "kind": "Pod", "spec": {"hostNetwork": false, "priority": 1}}"#;
    for (script, message) in [
        ("set .spec.hostNetwork yes", "`yes`, which is true to Kubernetes and a string to YAML 1.2"),
        ("set .spec.priority 010", "`010`, which is 8 to Kubernetes and 10 to YAML 1.2"),
        ("set .spec {priority: 1_000}", "`1_000`, which is 1000 to Kubernetes and a string to YAML 1.2"),
    ] {
        assert!(refused(script, pod).contains(message), "{}", refused(script, pod));
    }
    assert!(edited("set .spec.priority 18446744073709551615", "f.json", pod).is_ok());
    assert!(edited("set .spec.hostname yes", "f.json", pod).unwrap().contains(r#""hostname": "yes""#));
}

#[test]
fn what_a_value_brings_is_checked_like_a_path() {
    assert_eq!(
        refused("set .spec.template.spec.containers[0].resources {limit: {cpu: 1}}", WEB),
        "there is no field .spec.template.spec.containers[0].resources.limit; did you mean .limits? (--create (-c) adds it anyway)"
    );
    assert_eq!(
        refused("append .spec.template.spec.containers {name: x, port: [{containerPort: 1}]}", WEB),
        "there is no field .spec.template.spec.containers[-1].port; did you mean .ports? (--create (-c) adds it anyway)"
    );
    assert_eq!(
        refused("set .spec.template.spec.containers[0].ports [{containerPort: \"80\"}]", WEB),
        ".spec.template.spec.containers[0].ports[0].containerPort: expected an integer (--yaml takes the value as it is)"
    );
    assert_eq!(
        refused("set .spec.template.spec {containers: {name: x}}", WEB),
        ".spec.template.spec.containers: expected a list (--yaml takes the value as it is)"
    );
    for fine in [
        "set -c .spec.template.spec.containers[0].resources {limit: {cpu: 1}}",
        "set .spec.template.spec.containers[0].resources {limits: {example.com/gpu: 1, cpu: 500m}}",
        "set --yaml .spec.template.spec.containers[0].ports [{containerPort: \"80\"}]",
        "set .metadata.labels {any: name}",
        "rename .spec.replicas paused",
        "set .metadata {name: a, <<: {namespace: b}}",
    ] {
        assert!(edited(fine, "f.yaml", WEB).is_ok(), "{fine}");
    }
    for new_name in ["rename .spec.replicas replcias", "move .spec.replicas .spec.replcias"] {
        let unknown = "there is no field .spec.replcias; did you mean .replicas? (--create (-c) adds it anyway)";
        assert_eq!(refused(new_name, WEB), unknown);
    }
}

#[test]
fn a_keyed_list_has_no_element_twice_and_a_set_no_member() {
    let twice = [
        "append .spec.template.spec.containers {name: proxy, image: x}",
        "append .spec.template.spec.containers {name: x}\nappend .spec.template.spec.containers {name: x, image: b}",
    ];
    assert_eq!(refused(twice[0], WEB), ".spec.template.spec.containers[-1]: proxy already exists");
    assert_eq!(refused(twice[1], WEB), ".spec.template.spec.containers[-1]: x already exists");
    let renamed = "set .spec.template.spec.containers[name=proxy].name x\nappend .spec.template.spec.containers {name: x, image: b}";
    assert_eq!(refused(renamed, WEB), ".spec.template.spec.containers[-1]: x already exists");
    let same = "append .spec.template.spec.containers {name: x, image: b}";
    let once = edited(same, "f.yaml", WEB).expect("it is new");
    assert_eq!(edited(&format!("{same}\n{same}"), "f.yaml", WEB).expect("it is the same"), once);
    let finalizer = "append -c .metadata.finalizers a/b";
    let once = edited(finalizer, "f.yaml", WEB).expect("it is new");
    assert_eq!(edited(&format!("{finalizer}\n{finalizer}"), "f.yaml", WEB).expect("it is the same"), once);
}

#[test]
fn an_edit_is_of_the_place_that_is_meant() {
    let list = "apiVersion: v1\nkind: List\nitems: [{kind: Secret, apiVersion: v1, metadata: {name: a}}]\n";
    let in_list = refused("set .metadata.labels.x z", list);
    assert!(in_list.starts_with("no .metadata in . (this is a list of resources: select its items"), "{in_list}");
    assert!(edited("select Secret\nset .metadata.labels.x z", "f.yaml", list).unwrap().contains("labels: {x: z}"));
    // Of a key that is there twice, the last one counts; nothing takes it away.
    for (script, text) in [
        ("delete .a", "a: 1\nb: 2\na: 3\n"),
        ("rename .a c", "a: 1\na: 3\n"),
        ("set ..a 5", "a: 1\na: 3\n"),
        ("move .a .c", "{a: 1, a: 3}\n"),
    ] {
        assert_eq!(
            refused(script, text).split(" (").next(),
            Some(".a is there twice, so that nothing says which one is meant")
        );
    }
    assert_eq!(edited("set .a 5", "f.yaml", "a: 1\na: 3\n").unwrap(), "a: 1\na: 5\n");
    // Nor is a place left out because its key fits two items.
    assert_eq!(refused("set ..l[p=1].x 2", "l: [{p: 1, x: 1}, {p: 1, x: 1}]\n"), "[p=\"1\"] fits 2 items of .l");
}

fn refused(script: &str, text: &str) -> String {
    let problem = edited(script, "f.yaml", text).unwrap_err();
    let help = problem.kind.help().map(|help| format!(" ({help})")).unwrap_or_default();
    format!("{}{help}", problem.kind)
}

const WEB: &str = "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  annotations:\n    a: b\nspec:\n  replicas: 1\n  template:\n    spec:\n      containers:\n      - name: app\n        image: app:1\n        env:\n        - name: LOG\n          value: info\n      - name: proxy\n";

#[test]
fn nothing_is_invented() {
    assert_eq!(refused("delete .spec.paused", WEB), "no .paused in .spec");
    assert_eq!(
        refused("set .spec.template.spec.containers[name=ap].image x", WEB),
        "no [name=\"ap\"] in .spec.template.spec.containers; did you mean [name=\"app\"]? (there are app, proxy)"
    );
    assert_eq!(
        refused("set .spec.template.spec.containers[name=sidecar].image x", WEB),
        "no [name=\"sidecar\"] in .spec.template.spec.containers (there are app, proxy)"
    );
    assert_eq!(
        refused("set .metadata.annotations.prometheus.io/scrape true", WEB),
        ".metadata.annotations.prometheus is a scalar, so it has no fields (a name that holds dots is written in quotes: \
         .metadata.annotations[\"prometheus.io/scrape\"])"
    );
    assert_eq!(
        refused("set .spec.strategy {type: Recreate", WEB),
        ".spec.strategy: the value starts like a list or mapping in brackets, but is not valid YAML: expected `}` that closes this bracket (--string takes it as a string)"
    );
    assert_eq!(refused("set .a.b 1", "a: {c: 1}\n"), "no .b in .a (--create (-c) adds it)");
    assert_eq!(
        refused("set .spec.replcias 3", WEB),
        "there is no field .spec.replcias; did you mean .replicas? (--create (-c) adds it anyway)"
    );
    assert_eq!(
        refused("set .spec.replicas five", WEB),
        ".spec.replicas: expected an integer (--yaml takes the value as it is)"
    );
    assert_eq!(
        refused("append ..containers[name=app].env {name: PORT, value: 8080}", WEB),
        ".spec.template.spec.containers[name=\"app\"].env[-1].value: expected a string (put it in quotes; --yaml takes the value as it is)"
    );
    assert!(edited("append ..containers[name=app].env {name: P, value: \"80\"}", "f.yaml", WEB).is_ok());
    assert!(edited("append --yaml ..containers[name=app].env {name: P, value: 80}", "f.yaml", WEB).is_ok());
    assert_eq!(
        refused("set .spec.template.spec.containers[0].env[name=LOK].value x", WEB),
        "no [name=\"LOK\"] in .spec.template.spec.containers[0].env; did you mean [name=\"LOG\"]? (there are LOG)"
    );
    assert_eq!(
        refused("set .spec.template.spec.containers[0].image.x 1", WEB),
        "no .x in .spec.template.spec.containers[0].image, which is a scalar"
    );
    assert_eq!(
        refused("rename .metadata.annotations.a a2\nrename .metadata.name annotations", WEB),
        ".metadata.name: annotations already exists"
    );
    // What the statements before brought is there, too.
    for script in ["set -c .c 1\nrename .a c", "rename .a c\nrename .b c", "rename .* c", "move .a .c\nrename .b c"] {
        assert!(refused(script, "a: 1\nb: 2\n").ends_with(": c already exists"), "{script}");
    }
    for value in ["{x: 1, x: 2}", "[{a: {x: 1, x: 2}}]"] {
        assert_eq!(refused(&format!("set -c .v {value}"), "a: 1\n"), ".v: the value has the key x twice");
    }
    assert_eq!(refused("move .spec .spec.template.x", WEB), ".spec: a place cannot be moved into itself");
    assert_eq!(refused("comment .a x", "{a: 1}\n"), ".a: there is no room for a comment inside brackets on one line");
    assert_eq!(refused("insert .l[3] x", "l: [a]\n"), "no [+3] in .l, which has 1 items");
}
