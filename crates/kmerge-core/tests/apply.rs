//! Configurations applied to live files: pairing, the action tables, the annotation, and the bytes that stay.
#![allow(clippy::unwrap_used)]

use kmerge_core::Schema;
use kmerge_core::apply::batch::{Batch, BatchError, NewObjects, Options, Outcome, Verb, apply};
use kmerge_core::apply::strategic::{ListKeys, ListOrder, Overwrite};
use kmerge_core::value::Source;
use kyaml_ast::Stream;
use pretty_assertions::assert_eq;

fn applied_with(live: &str, config: &str, change: impl FnOnce(&mut Options<'_>)) -> Result<Outcome, Box<BatchError>> {
    let (live, config) = (Stream::parse(live).unwrap(), Stream::parse(config).unwrap());
    let (live, config) = ([Source::new(&live)], [Source::new(&config)]);
    let schema = Schema::new();
    let mut options = Options {
        schema: &schema,
        keys: ListKeys::Ssa,
        order: ListOrder::Stable(kmerge_core::ListOrder::Neighbour),
        overwrite: Overwrite::Yes,
        namespace: None,
        new_objects: NewObjects::InFile,
    };
    change(&mut options);
    apply(Batch { live: &live, config: &config, last_applied: None }, options)
}

fn applied(live: &str, config: &str) -> Outcome {
    applied_with(live, config, |_| {}).unwrap()
}

const LIVE: &str = r#"# kept
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    deployment.kubernetes.io/revision: "1"
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{},"name":"web","namespace":"default"},"spec":{"replicas":2,"template":{"spec":{"containers":[{"image":"app:1","name":"app"},{"image":"old:1","name":"old"}]}}}}
  name: web
  namespace: default
  uid: 0b8a
spec:
  replicas: 7 # scaled by hand
  progressDeadlineSeconds: 600
  template:
    spec:
      containers:
      - image: "app:1"   # the app
        name: app
        terminationMessagePath: /dev/termination-log
      - image: old:1
        name: old
      - image: mesh:3 # injected
        name: mesh
status: {readyReplicas: 7}
"#;

const CONFIG: &str = r#"apiVersion: apps/v1
kind: Deployment
metadata:
  name: web
spec:
  replicas: 2
  template:
    spec:
      containers:
      - name: app
        image: app:2
        # where it listens
        ports:
        - containerPort: 80
      - name: log
        image: log:1 # new
"#;

#[test]
fn the_live_file_keeps_its_bytes() {
    let outcome = applied(LIVE, CONFIG);
    let expected = r#"# kept
apiVersion: apps/v1
kind: Deployment
metadata:
  annotations:
    deployment.kubernetes.io/revision: "1"
    kubectl.kubernetes.io/last-applied-configuration: |
      {"apiVersion":"apps/v1","kind":"Deployment","metadata":{"annotations":{},"name":"web","namespace":"default"},"spec":{"replicas":2,"template":{"spec":{"containers":[{"image":"app:2","name":"app","ports":[{"containerPort":80}]},{"image":"log:1","name":"log"}]}}}}
  name: web
  namespace: default
  uid: 0b8a
spec:
  replicas: 2 # scaled by hand
  progressDeadlineSeconds: 600
  template:
    spec:
      containers:
      - image: "app:2"   # the app
        # where it listens
        ports:
        - containerPort: 80
        name: app
        terminationMessagePath: /dev/termination-log
      - name: log
        image: log:1 # new
      - image: mesh:3 # injected
        name: mesh
status: {readyReplicas: 7}
"#;
    assert_eq!(outcome.texts[0].as_deref(), Some(expected));
    let findings: Vec<String> =
        outcome.reports[0].findings.iter().map(|finding| format!("{} {:?}", finding.path, finding.cause)).collect();
    assert_eq!(
        findings,
        [
            ".spec.replicas Reverted",
            r#".spec.template.spec.containers[name="app"].image Changed"#,
            r#".spec.template.spec.containers[name="app"].ports Added"#,
            r#".spec.template.spec.containers[name="old"] Removed"#,
            r#".spec.template.spec.containers[name="log"] Added"#,
        ]
    );
}

#[test]
fn applying_again_changes_nothing() {
    let once = applied(LIVE, CONFIG).texts[0].clone().unwrap();
    let again = applied(&once, CONFIG);
    assert_eq!(again.texts, [None]);
    assert_eq!(again.reports[0].verb, Verb::Unchanged);
    assert!(again.reports[0].findings.is_empty());
}

#[test]
fn what_is_missing_is_created() {
    let config =
        "# a map\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: new}\ndata:\n  a: \"1\" # one\n  b: null\n";
    let outcome = applied(LIVE, config);
    let text = outcome.texts[0].as_deref().unwrap();
    assert!(text.starts_with(LIVE) && text.contains("# a map") && text.contains("a: \"1\" # one"), "{text}");
    assert!(!text.contains("b: null\n"), "{text}");
    assert!(text.contains(r#""data":{"a":"1","b":null}"#), "{text}");
    assert_eq!(outcome.reports[0].verb, Verb::Created);
}
