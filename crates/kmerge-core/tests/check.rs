//! What [`kmerge_core::check`] finds, and what it must not find.

use kmerge_core::Schema;
use kmerge_core::check::Fault;
use kyaml_ast::Stream;
use pretty_assertions::assert_eq;

/// Each finding as `fault path name`, with the texts it points at.
fn findings(source: &str) -> Vec<String> {
    let stream = Stream::parse(source).expect("the test's source is YAML");
    let text = |finding: &kmerge_core::check::Finding| {
        let first = finding.first.map_or("-", |first| first.of(source));
        format!("{:?} {} {} at {} after {first}", finding.fault, finding.path, finding.name, finding.span.of(source))
    };
    Schema::new().check(&stream).iter().map(text).collect()
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
    assert_eq!(Schema::without_builtin().check(&stream).len(), 20_000);
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
    let faults: Vec<Fault> = Schema::without_builtin().check(&stream).iter().map(|finding| finding.fault).collect();
    assert_eq!(faults, [Fault::DuplicateKey, Fault::UndefinedAlias]);
}

/// Each unknown field, with what is like it, and each value of the wrong type, with what it has to be.
fn fields(source: &str) -> Vec<String> {
    let stream = Stream::parse(source).expect("the test's source is YAML");
    let schema = Schema::new();
    let found = schema.check_with_fields(&stream).into_iter().filter(|finding| {
        assert_eq!(
            schema.check(&stream).contains(finding),
            finding.expected.is_none() && finding.fault != Fault::UnknownField
        );
        matches!(finding.fault, Fault::UnknownField | Fault::WrongType)
    });
    let text = |finding: kmerge_core::check::Finding| {
        let what = finding.expected.map_or_else(|| finding.similar.join(" "), |expected| expected.to_string());
        format!("{} {}: {what}", finding.path, finding.span.of(source)).trim_end().to_owned()
    };
    found.map(text).collect()
}

#[test]
fn fields_that_a_kind_lacks_and_values_of_the_wrong_type() {
    let found = fields(&pod("  contaners: []\n  hostNetwork: 1\n  nodeSelector: {a: 1, b: b}\n"));
    let expected = [
        ".spec.contaners contaners: containers",
        ".spec.hostNetwork 1: true or false",
        ".spec.nodeSelector.a 1: a string",
    ];
    assert_eq!(found, expected);
    let found = fields(&pod("  containers: [{name: a, args: [1, b], ports: {a: 1}, env: x}, 5]\n"));
    let expected = [
        ".spec.containers[0].args[0] 1: a string",
        ".spec.containers[0].ports {a: 1}: a list",
        ".spec.containers[0].env x: a list",
        ".spec.containers[1] 5: a mapping",
    ];
    assert_eq!(found, expected);
    let list =
        "kind: List\nitems:\n- {apiVersion: v1, kind: Pod, spec: {nodename: a}}\n- {kind: Other, spec: {a: 1}}\n";
    assert_eq!(fields(list), [".items[0].spec.nodename nodename: nodeName hostname"]);
}

#[test]
fn what_nobody_can_judge_is_passed_over() {
    for spec in [
        "  hostNetwork: ${NET}\n  priority: \"{{ .Values.priority }}\"\n  nodeName: {{ name }}\n",
        "  $patch: replace\n  $retainKeys: [a]\n  volumes: null\n",
        "  securityContext: &a {runAsUser: 1}\n  affinity:\n    <<: *a\n",
        "  hostNetwork: &a 5\n  containers: *a\n",
    ] {
        let found = fields(&pod(spec));
        assert!(found.iter().all(|found| found.contains("&a 5") || found.contains(".hostNetwork 5")), "{found:?}");
    }
    for source in [
        "apiVersion: apps/v9\nkind: Deployment\nspec: {replcias: 1}\n",
        "apiVersion: extensions/v1beta1\nkind: Ingress\nspec: {backend: {serviceName: a}}\n",
        "apiVersion: example.com/v1\nkind: Widget\nmetadata: {labels: {a: 1}}\n",
        "apiVersion: v1\nkind: Secret\ndata: {a: 'ENC[b]'}\nsops: {mac: a}\n",
        "replicas: five\n",
    ] {
        assert_eq!(fields(source), [""; 0], "{source}");
    }
}

#[test]
fn kinds_of_which_nobody_knows_the_fields() {
    let source = "apiVersion: v1\nkind: Pod\n---\napiVersion: apps/v9\nkind: Deployment\nmetadata: {name: a}\n---\nkind: List\n\
                  items:\n- {apiVersion: v1, kind: Secret}\n- {apiVersion: example.com/v1, kind: Widget}\n---\na: 1\n";
    let stream = Stream::parse(source).expect("the test's source is YAML");
    let unknown = Schema::new().unknown_in(&stream);
    let unknown: Vec<String> = unknown.iter().map(ToString::to_string).collect();
    assert_eq!(unknown, ["apps/v9 Deployment a", "example.com/v1 Widget"]);
}
