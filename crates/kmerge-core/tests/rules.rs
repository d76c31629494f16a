//! The documented rules of merge2 and merge3, one by one.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use kmerge_core::{ConflictStyle, Plan, Policy, Schema, Slots, merge, render};
use kyaml_ast::{Node, Stream};
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
        pod("  - name: a\n    image: a:2\n  - name: c\n")
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

/// All scalars of a node, in order.
fn texts(node: Node<'_>) -> Vec<String> {
    if node.kind().is_scalar() {
        return vec![node.value().into_owned()];
    }
    node.entries().flat_map(|entry| [entry.key(), Some(entry.value())]).flatten().flat_map(texts).collect()
}

/// One side changes the text, the other how it is written: the result has the new text, whatever it is, in both directions.
#[test]
fn a_new_text_in_the_other_sides_style_is_the_same_text() {
    const TEXTS: [&str; 20] = [
        "x",
        "",
        "\n",
        "yes",
        "8080",
        "x\ny",
        "x\n",
        "x\n\n",
        "x\n\n\n",
        "\nx",
        " x\ny",
        "x \ny",
        "x\n\n y\n",
        "x\ty\n",
        "a: b\nc # d\n",
        "---\nx\n",
        "# x\ny",
        "x\r\ny",
        "it's \"x\"",
        "- a\n- b\n",
    ];
    // What the other side made of `"o\np\n"`, or of `"o"`.
    const LINES: [&str; 2] = ["|\n    o\n    p\n", "'o\n\n    p\n\n    '\n"];
    const WORDS: [&str; 3] = ["'o'\n", "o\n", "|-\n    o\n"];
    let styles = LINES.map(|style| ("o\np\n", style)).into_iter().chain(WORDS.map(|style| ("o", style)));
    for (old, style) in styles {
        for text in TEXTS.into_iter().filter(|text| *text != old) {
            for (head, tail) in
                [("a: ", "b: 1\n"), ("a: ", ""), ("l:\n- ", "- z\n"), ("m:\n  a: ", "  b: 1\n\n# end\n")]
            {
                let quoted = |text: &str| format!("{head}{}\n{tail}", serde_json::Value::from(text));
                let (base, changed, restyled) = (quoted(old), quoted(text), format!("{head}{style}{tail}"));
                let wanted = texts(parse(&changed).documents().next().unwrap().root().unwrap());
                for (updated, dest) in [(&changed, &restyled), (&restyled, &changed)] {
                    for policy in [Policy::MERGE3, Policy::GIT] {
                        let (result, plan) = plan3(&base, updated, dest, &policy);
                        assert!(plan.conflicts.is_empty(), "{base}+ {updated}+ {dest}");
                        let found = texts(parse(&result).documents().next().unwrap().root().unwrap());
                        assert_eq!(found, wanted, "{base}+ {updated}+ {dest}= {result}");
                    }
                }
            }
        }
    }
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
