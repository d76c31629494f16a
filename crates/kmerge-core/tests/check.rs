//! What [`kmerge_core::check`] finds, and what it must not find.

use kmerge_core::Schema;
use kmerge_core::check::{Fault, check};
use kyaml_ast::Stream;
use pretty_assertions::assert_eq;

/// Each finding as `fault path name`, with the texts it points at.
fn findings(source: &str) -> Vec<String> {
    let stream = Stream::parse(source).expect("the test's source is YAML");
    let text = |finding: &kmerge_core::check::Finding| {
        let first = finding.first.map_or("-", |first| first.of(source));
        format!("{:?} {} {} at {} after {first}", finding.fault, finding.path, finding.name, finding.span.of(source))
    };
    check(&stream, &Schema::new()).iter().map(text).collect()
}

const POD: &str = "apiVersion: v1\nkind: Pod\nmetadata: {name: p}\nspec:\n";

fn pod(spec: &str) -> String {
    format!("{POD}{spec}")
}

#[test]
fn duplicate_keys() {
    assert_eq!(
        findings("a: 1\nb: {x: 1, x: 2}\na: 3\n"),
        ["DuplicateKey .b.x x at x after x", "DuplicateKey .a a at a after a"]
    );
    assert_eq!(findings("a: 1\n\"a\": 2\n"), ["DuplicateKey .a a at \"a\" after a"]);
    assert_eq!(findings("a: 1\nA: 2\n? [a]\n: 3\n---\na: 1\n"), [""; 0]);
}

#[test]
fn aliases_need_an_anchor_before_them_in_their_document() {
    assert_eq!(findings("a: &x 1\nb: *x\nc: {d: &y [*x], e: *y}\n&k k: *k\n"), [""; 0]);
    assert_eq!(
        findings("a: *x\nb: &x 1\n---\nc: *x\n"),
        ["UndefinedAlias .a x at *x after -", "UndefinedAlias .c x at *x after -"]
    );
}

#[test]
fn elements_of_keyed_lists_and_sets() {
    let containers = "  containers:\n  - name: a\n    env: [{name: X}, {name: X}]\n  - image: i\n    name: a\n";
    assert_eq!(
        findings(&pod(containers)),
        [
            "RepeatedName .spec.containers[0].env[1] X at {name: X} after {name: X}",
            "DuplicateElement .spec.containers[1] a at - image: i\n    name: a after - name: a\n    env: [{name: X}, {name: X}]"
        ]
    );
    let finalizers = "apiVersion: v1\nkind: Pod\nmetadata: {name: p, finalizers: [a, b, a]}\n";
    assert_eq!(findings(finalizers), ["DuplicateElement .metadata.finalizers[2] a at a after a"]);
}

#[test]
fn one_port_may_have_two_protocols() {
    let service =
        |ports: &str| format!("apiVersion: v1\nkind: Service\nmetadata: {{name: s}}\nspec:\n  ports:\n{ports}");
    assert_eq!(findings(&service("  - {port: 53, protocol: UDP}\n  - {port: 53, protocol: TCP}\n")), [""; 0]);
    assert_eq!(findings(&service("  - {port: 53}\n  - {port: 53, protocol: TCP}\n")).len(), 1);
}

#[test]
fn lists_without_a_schema_may_repeat() {
    assert_eq!(findings("list: [{type: a}, {type: a}, b, b]\n"), [""; 0]);
    let repeated = "RepeatedName .list[1] a at {name: a} after {name: a}";
    assert_eq!(findings("list: [{name: a}, {name: a}, {name: b}]\n"), [repeated]);
    assert_eq!(findings(&pod("  containers:\n  - name: a\n    command: [a, a]\n")), [""; 0]);
}

#[test]
fn resources_of_a_stream() {
    let config = |name: &str, namespace: &str| {
        format!("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\n  namespace: {namespace}\n")
    };
    let distinct =
        [config("a", "x"), config("b", "x"), config("a", "y"), config("a", "x").replace("ConfigMap", "Secret")];
    assert_eq!(findings(&distinct.join("---\n")), [""; 0]);
    let twice = [config("a", "x"), config("a", "x")].join("---\n");
    let metadata = "metadata:\n  name: a\n  namespace: x";
    assert_eq!(findings(&twice), [format!("DuplicateResource . ConfigMap/a at {metadata} after {metadata}")]);
    assert_eq!(findings("kind: List\n---\nkind: List\n"), [""; 0]);
}

#[test]
fn unions_have_one_member() {
    let volume = |fields: &str| findings(&pod(&format!("  volumes:\n  - name: v\n{fields}")));
    assert_eq!(volume("    emptyDir: {}\n"), [""; 0]);
    assert_eq!(volume("    emptyDir: null\n    configMap: {name: c}\n"), [""; 0]);
    let clash = "SecondMember .spec.volumes[0].configMap configMap at configMap after emptyDir";
    assert_eq!(volume("    emptyDir: {}\n    configMap: {name: c}\n"), [clash]);
    let env = "  containers:\n  - name: a\n    env:\n    - name: X\n      value: x\n      valueFrom: {}\n";
    assert_eq!(findings(&pod(env)).len(), 1);
}

#[test]
fn deep_and_wide_inputs_end() {
    let deep = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(findings(&deep), [""; 0]);
    let wide: String = (0..100_000).map(|key| format!("key{key}: 1\n")).collect();
    assert_eq!(findings(&(wide + "key0: 2\n")).len(), 1);
    let keys = "? ".repeat(100_000) + "a";
    assert_eq!(findings(&keys), [""; 0]);
    let twins = "{a: 1, a: 2, b: ".repeat(20_000) + "1" + &"}".repeat(20_000);
    let stream = Stream::parse(&twins).expect("the test's source is YAML");
    assert_eq!(check(&stream, &Schema::without_builtin()).len(), 20_000);
}

#[test]
fn long_keys_are_told_apart() {
    let key = |last: &str| format!("? [{}{last}]\n: 1\n", "some text, ".repeat(50));
    assert_eq!(findings(&(key("a") + &key("b"))), [""; 0]);
    assert_eq!(findings(&(key("a") + &key("a"))).len(), 1);
}

#[test]
fn faults_are_told_apart() {
    let stream = Stream::parse("a: 1\na: *b\n").expect("the test's source is YAML");
    let faults: Vec<Fault> = check(&stream, &Schema::without_builtin()).iter().map(|finding| finding.fault).collect();
    assert_eq!(faults, [Fault::DuplicateKey, Fault::UndefinedAlias]);
}
