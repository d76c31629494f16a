//! Configurations applied to live files: pairing, the action tables, the annotation, and the bytes that stay.
#![allow(clippy::unwrap_used)]

use kmerge_core::Schema;
use kmerge_core::apply::{
    BatchError, Detail, Documents, ListKeys, ListOrder, Object, Options, Outcome, PatchKind, PatchOptions, Sides, Verb,
    apply,
};
use kmerge_core::value::{Source, Value};
use kyaml_ast::Stream;
use pretty_assertions::assert_eq;

fn applied_with(live: &str, config: &str, change: impl FnOnce(&mut Options<'_>)) -> Result<Outcome, Box<BatchError>> {
    let schema = Schema::new();
    let mut options = Options::new(&schema);
    change(&mut options);
    apply(Sides { live: &[live][..], config: &[config], last_applied: None }, options)
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

/// Where nobody asks for every change, only those are held that overrule others; all of them where there is a conflict.
#[test]
fn changes_of_others_are_reported_in_any_detail() {
    let overruled = applied_with(LIVE, CONFIG, |options| options.detail = Detail::Overruled).unwrap();
    assert_eq!(overruled.texts, applied(LIVE, CONFIG).texts);
    let [finding] = overruled.reports[0].findings.as_slice() else { panic!("{:?}", overruled.reports) };
    assert_eq!(format!("{} {:?}", finding.path, finding.cause), ".spec.replicas Reverted");
    let refused = |detail| {
        let refused = applied_with(LIVE, CONFIG, |options| {
            options.overwrite = false;
            options.detail = detail;
        });
        let reports = refused.unwrap().reports;
        assert_eq!(reports[0].verb, Verb::Conflicting);
        reports[0].findings.clone()
    };
    assert_eq!(refused(Detail::Overruled), refused(Detail::All));
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

/// The selector of a budget is replaced as a whole: nothing of it stays because it was left unread.
#[test]
fn what_is_replaced_is_read_as_a_whole() {
    let budget = |labels: &str| {
        format!(
            "apiVersion: policy/v1\nkind: PodDisruptionBudget\nmetadata:\n  name: b\nspec:\n  minAvailable: 1\n  selector:\n{labels}"
        )
    };
    let live = budget("    matchLabels:\n      a: x\n      b: x\n    matchExpressions: []\n");
    let patch = "{spec: {selector: {matchLabels: {b: z}}}}";
    assert_eq!(patched(&live, patch, PatchKind::Strategic), budget("    matchLabels:\n      b: z\n"));
    let merged = budget("    matchLabels:\n      a: x\n      b: z\n    matchExpressions: []\n");
    assert_eq!(patched(&live, patch, PatchKind::Merge), merged);
    let config = budget("    matchLabels:\n      a: x\n      b: z\n");
    let outcome = applied(&live, &config);
    let result = outcome.texts[0].as_deref().unwrap();
    assert!(result.ends_with("  selector:\n    matchLabels:\n      a: x\n      b: z\n"), "{result}");
}

/// What a patch leaves unread is kept byte by byte, and what is wrong in it is still an error.
#[test]
fn a_patch_leaves_the_rest_alone() {
    let live = "# c\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata:\n  a: 0x1 # one\n  \"b\":   'x'\n  c: |\n    t\nother: [1, {x: 2}]\n";
    let given = "{data: {a: null, d: e}}";
    let result = live.replace("  a: 0x1 # one\n", "").replace("    t\n", "    t\n  d: e\n");
    assert_eq!(patched(live, given, PatchKind::Merge), result);
    let json = "[{op: move, from: /data/c, path: /data/z}, {op: remove, path: /other/1}]";
    let result = live.replace("  c: |", "  z: |").replace("[1, {x: 2}]", "[1]");
    assert_eq!(patched(live, json, PatchKind::Json), result);
    for (broken, error) in [("data: {~: 1}", "null"), ("other: {x: !!int y}", "tag")] {
        let live = format!("apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: m}}\n{broken}\n");
        assert!(patched(&live, "{metadata: {x: y}}", PatchKind::Merge).contains(error));
    }
}

/// A patch applied to the first object of a text; or why not.
fn patched(text: &str, given: &str, kind: PatchKind) -> String {
    let (stream, given) = (Stream::parse(text).unwrap(), Stream::parse(given).unwrap());
    let (source, given) = (Source::new(&stream), [Source::new(&given)]);
    let value = given[0].value(given[0].stream().documents().next().unwrap()).unwrap().unwrap();
    // What the patch brings is printed: it comes from nowhere.
    let value = Value::from_json(&value.to_json()).unwrap();
    let schema = Schema::new();
    let options = PatchOptions {
        schema: &schema,
        keys: ListKeys::Smp,
        order: ListOrder::Stable(kmerge_core::ListOrder::Neighbour),
    };
    let mut documents = Documents::for_patches(&source, &given);
    let object = &Object::all(std::slice::from_ref(&source))[0];
    match documents.patch(object, &value, kind, options) {
        Ok(()) => documents.write().unwrap().unwrap(),
        Err(error) => error.to_string(),
    }
}

/// The objects of a text, as values.
fn values(text: &str) -> Vec<Value> {
    let stream = Stream::parse(text).unwrap();
    let source = [Source::new(&stream)];
    Object::all(&source).iter().map(|object| object.value(&source[0]).unwrap()).collect()
}

/// Items of a list change, stay and come as documents do, whether the list is written in lines, in brackets or as JSON; and
/// there are more than are held at once.
#[test]
fn items_of_a_list_are_objects() {
    let item = |number: usize, value: &str| {
        format!(
            r#"{{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {{"name": "m-{number}"}}, "data": {{"k": "{value}", "n": "{number}"}}}}"#
        )
    };
    let documents = |numbers: std::ops::Range<usize>, value: &str| -> String {
        numbers.map(|number| format!("---\n{}\n", item(number, value))).collect()
    };
    // What stands before the items, between them and behind them.
    let lists = [
        ["# c\napiVersion: v1\nitems:\n- ", " # one\n- ", " # one\nkind: List\nmetadata: {x: 0x1}\n"],
        ["# c\n{kind: List, items: [", ", ", "], metadata: {x: .inf}}\n"],
        ["{\n  \"kind\": \"List\",\n  \"items\": [\n    ", ",\n    ", "\n  ]\n}\n"],
    ];
    // Every one changes, one of them, and one that was not there.
    for config in [documents(0..300, "new"), documents(7..8, "new"), documents(300..301, "new")] {
        let expected = applied(&documents(0..300, "old"), &config).texts[0].clone().unwrap();
        for [before, between, behind] in lists {
            let live = (0..300).map(|number| item(number, "old")).collect::<Vec<_>>().join(between);
            let result = applied(&[before, &live, behind].concat(), &config).texts[0].clone().unwrap();
            assert_eq!(values(&result), values(&expected), "{result}");
            // A new item has no comment; brackets that get one with a text of several lines become lines.
            let (behind, is_open) = (behind.trim_start_matches(" # one"), result.contains("\nkind: List\nitems:\n"));
            assert!(is_open || result.starts_with(before) && result.ends_with(behind), "{result}");
            if before.starts_with("{\n") {
                assert!(kmerge_core::value::Value::from_json(&result).is_ok(), "{result}");
            }
        }
    }
}
