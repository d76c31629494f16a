//! The documented rules of merge2 and merge3, one by one.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kmerge_core::{ConflictStyle, Plan, Policy, Schema, Slots, merge, render};
use kyaml_ast::Stream;
use pretty_assertions::assert_eq;

fn parse(source: &str) -> Stream<'_> {
    Stream::parse(source).unwrap_or_else(|error| panic!("{error}: {source}"))
}

fn merge2(source: &str, dest: &str) -> String {
    let (incoming, dest) = (parse(source), parse(dest));
    let sides = Slots { dest: Some(&dest), base: None, incoming: Some(&incoming) };
    let plan = merge(sides, &Schema::new(), &Policy::MERGE2).unwrap();
    let result = render(&plan, sides, &ConflictStyle::Dest).unwrap();
    parse(&result);
    result
}

fn plan3(original: &str, updated: &str, dest: &str, policy: &Policy) -> (String, Plan) {
    let (base, incoming, dest) = (parse(original), parse(updated), parse(dest));
    let sides = Slots { dest: Some(&dest), base: Some(&base), incoming: Some(&incoming) };
    let plan = merge(sides, &Schema::new(), policy).unwrap();
    let result = render(&plan, sides, &ConflictStyle::Dest).unwrap();
    parse(&result);
    (result, plan)
}

fn merge3(original: &str, updated: &str, dest: &str) -> String {
    plan3(original, updated, dest, &Policy::MERGE3).0
}

#[test]
fn merge2_scalars_and_maps() {
    assert_eq!(merge2("a: 5\n", "a: 3 # why\n"), "a: 5 # why\n");
    assert_eq!(merge2("a: 5 # new\n", "a: 3 # why\n"), "a: 5 # new\n");
    assert_eq!(merge2("a: null\n", "a: 3\nb: 1\n"), "b: 1\n");
    assert_eq!(merge2("b: 1\n", "a:\nb: 0\n"), "a:\nb: 1\n");
    assert_eq!(merge2("a: {}\n", "a:\n  b: 1\n"), "a:\n  b: 1\n");
    assert_eq!(merge2("a: 5\n", "a: \"3\"\n"), "a: 5\n");
    assert_eq!(merge2("a: nginx:2\n", "a: \"nginx:1\"\n"), "a: \"nginx:2\"\n");
    assert_eq!(merge2("m:\n  z: 1\n  b: 2\n", "m:\n  m: 0\n"), "m:\n  m: 0\n  z: 1\n  b: 2\n");
    assert_eq!(merge2("a: {x: 1, n: null}\n", "b: 1\n"), "b: 1\na: {x: 1}\n");
    assert_eq!(merge2("m: {$patch: delete}\n", "m: {a: 1}\nb: 1\n"), "b: 1\n");
    assert_eq!(merge2("m:\n  $patch: replace\n  x: 1\n", "m:\n  a: 1\nb: 1\n"), "m:\n  x: 1\nb: 1\n");
}

#[test]
fn merge2_deployment() {
    let source = "\
apiVersion: apps/v1
kind: Deployment
spec:
  replicas: 3 # scalar
  template:
    spec:
      containers: # associative list -- (name)
      - name: nginx
        image: nginx:1.7
        command: ['new_run.sh', 'arg1']
      - name: sidecar2
        image: sidecar2:v1
";
    let dest = "\
apiVersion: apps/v1
kind: Deployment
spec:
  replicas: 1
  template:
    spec:
      containers:
        - name: nginx
          image: nginx:1.6   # keep

        - name: sidecar1
          image: sidecar1:v1
";
    let expected = "\
apiVersion: apps/v1
kind: Deployment
spec:
  replicas: 3 # scalar
  template:
    spec:
      containers: # associative list -- (name)
        - name: nginx
          image: nginx:1.7   # keep
          command: ['new_run.sh', 'arg1']
        - name: sidecar2
          image: sidecar2:v1

        - name: sidecar1
          image: sidecar1:v1
";
    assert_eq!(merge2(source, dest), expected);
}

#[test]
fn merge3_fields() {
    assert_eq!(merge3("a: 1\n", "a: 2\n", "a: 1 # c\n"), "a: 2 # c\n");
    assert_eq!(merge3("a: 1\n", "a: 2\n", "a: 3\n"), "a: 2\n");
    assert_eq!(merge3("a: 1\nb: 1\n", "b: 1\n", "a: 1\nb: 1\n"), "b: 1\n");
    assert_eq!(merge3("a: 1\n", "a: 1\nz: 1\nb: 2\n", "a: 1\nc: 0\n"), "a: 1\nz: 1\nb: 2\nc: 0\n");
    assert_eq!(merge3("a: 5\n", "a: \"5\"\n", "a: 5\n"), "a: \"5\"\n");
    assert_eq!(merge3("a: x\n", "a: \"x\"\n", "a: x\n"), "a: \"x\"\n");
    assert_eq!(merge3("a: x\n", "a: \"x\"\n", "a: y\n"), "a: y\n");
    assert_eq!(merge3("a: 1\n", "a: {x: 1}\n", "a: 1\n"), "a: {x: 1}\n");
    assert_eq!(merge3("a: null\n", "a: null\n", "a: null\n"), "a: null\n");
    assert_eq!(merge3("a: 1\n", "a: null\n", "a: 1\nb: 1\n"), "b: 1\n");
}

#[test]
fn merge3_removals_leave_no_husks() {
    assert_eq!(merge3("m: {a: 1}\nk: 1\n", "k: 1\n", "m: {a: 1}\nk: 1\n"), "k: 1\n");
    assert_eq!(merge3("m: {a: 1}\nk: 1\n", "k: 1\n", "m: {a: 1, b: 2}\nk: 1\n"), "m: {b: 2}\nk: 1\n");
    assert_eq!(merge3("m: {a: {x: 1}}\nk: 1\n", "k: 1\n", "m: {a: {x: 1}}\nk: 1\n"), "k: 1\n");
    assert_eq!(merge3("m: {a: 1}\nk: 1\n", "m: {a: 1}\nk: 1\n", "k: 1\n"), "k: 1\n");
    assert_eq!(merge3("m: {a: 1, b: 1}\nk: 1\n", "m: {a: 2, b: 1}\nk: 1\n", "k: 1\n"), "m: {a: 2}\nk: 1\n");
    let pod = |rest: &str| format!("kind: Pod\napiVersion: v1\nspec:\n  containers:\n{rest}");
    assert_eq!(
        merge3(
            &pod("  - name: a\n    image: a:1\n  - name: b\n    image: b:1\n"),
            &pod("  - name: a\n    image: a:2\n"),
            &pod("  - name: b\n    image: b:1\n  - name: c\n"),
        ),
        pod("  - name: c\n  - name: a\n    image: a:2\n")
    );
}

#[test]
fn merge3_reorders_where_the_destination_kept_the_order() {
    let pod = |rest: &str| format!("kind: Pod\napiVersion: v1\nspec:\n  containers:\n{rest}");
    assert_eq!(
        merge3(
            &pod("  - name: a\n  - name: b\n  - name: c\n"),
            &pod("  - name: c\n  - name: a\n  - name: b\n"),
            &pod("  - name: a\n    image: x # c\n  - name: b\n  - name: c\n"),
        ),
        pod("  - name: c\n  - name: a\n    image: x # c\n  - name: b\n")
    );
}

#[test]
fn git_conflicts() {
    let (result, plan) = plan3("a: 1\nb: 1\n", "a: 2\nb: 2\n", "a: 3\nb: 1\n", &Policy::GIT);
    assert_eq!(result, "a: 3\nb: 2\n");
    assert_eq!(plan.conflicts.len(), 1);
    assert_eq!(plan.conflicts[0].path.to_string(), ".a");
}

#[test]
fn documents_are_paired_by_identity() {
    let doc = |name: &str, value: u8| {
        format!("kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: {name}\ndata:\n  v: \"{value}\"\n")
    };
    let join = |docs: &[String]| docs.join("---\n");
    let base = join(&[doc("a", 1), doc("b", 1), doc("c", 1)]);
    let incoming = join(&[doc("c", 1), doc("n", 1), doc("a", 2)]);
    let dest = join(&[doc("a", 1), doc("l", 1), doc("b", 1), doc("c", 3)]);
    let expected = join(&[doc("a", 2), doc("l", 1)]) + "---\n" + &join(&[doc("c", 3), doc("n", 1)]);
    assert_eq!(merge3(&base, &incoming, &dest), expected);
}
