use super::super::crd::CrdErrorKind;
use super::super::cursor::Patch;
use super::*;
use kyaml_ast::Stream;
use proptest::prelude::*;

fn with(crds: &str) -> Schema {
    let mut schema = Schema::new();
    add(&mut schema, crds).unwrap();
    schema
}

fn add(schema: &mut Schema, crds: &str) -> Result<usize, SchemaError> {
    let stream = Stream::parse(crds).unwrap();
    stream.documents().try_fold(0, |count, document| Ok(count + schema.add_crds(document)?))
}

/// A definition of `example.com/v1 Widget` with these properties of `spec`, indented by 16.
fn widget(properties: &str) -> String {
    format!(
        "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {{name: widgets.example.com}}
spec:
  group: example.com
  names: {{kind: Widget, plural: widgets}}
  versions:
  - name: v1
    served: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          metadata: {{type: object}}
          spec:
            type: object
            properties:
{properties}"
    )
}

const LISTS: &str = "
                ports:
                  type: array
                  x-kubernetes-list-type: map
                  x-kubernetes-list-map-keys: [port, protocol]
                  items:
                    type: object
                    properties:
                      port: {type: integer}
                      protocol: {type: string, default: TCP}
                      rules: {type: array, x-kubernetes-list-type: atomic, items: {type: object}}
                hosts: {type: array, x-kubernetes-list-type: set, items: {type: string}}
                plain: {type: array, items: {type: string}}
                smp:
                  type: array
                  x-kubernetes-patch-strategy: merge
                  x-kubernetes-patch-merge-key: id
                  items: {type: object}
                merged: {type: array, x-kubernetes-patch-strategy: merge, items: {type: string}}
                nested: {type: array, x-kubernetes-list-type: atomic, items: {type: array, x-kubernetes-list-type: set, items: {type: string}}}
                byZone:
                  type: object
                  additionalProperties:
                    type: object
                    properties:
                      nodes: {type: array, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [id], items: {type: object}}
                selector: {type: object, x-kubernetes-map-type: atomic, properties: {matchLabels: {type: object, additionalProperties: {type: string}}}}
                free: {type: object, x-kubernetes-preserve-unknown-fields: true}
                replicas: {type: integer}
                port: {x-kubernetes-int-or-string: true}
                inner:
                  type: object
                  x-kubernetes-embedded-resource: true
                  x-kubernetes-preserve-unknown-fields: true
                  properties: {spec: {type: object}}
";

#[test]
fn what_a_definition_declares() {
    let schema = with(&widget(LISTS));
    let cases = [
        ("spec.ports", "port,protocol:TCP"),
        ("spec.ports[].rules", "atomic"),
        ("spec.hosts", "set"),
        ("spec.plain", "infer"),
        ("spec.smp", "id"),
        ("spec.merged", "set"),
        ("spec.nested", "atomic"),
        ("spec.nested[]", "set"),
        ("spec.byZone.anything.nodes", "id"),
        ("spec.unknown", "infer"),
        ("metadata.finalizers", "set"),
        ("spec.inner.metadata.ownerReferences", "uid"),
    ];
    for (path, expected) in cases {
        assert_eq!(rule(&schema, "example.com/v1", "Widget", path), expected, "{path}");
    }
    let root = schema.resource("example.com", "v1", "Widget");
    assert_eq!(root.type_name(), Some("example.com/v1.Widget"));
    assert_eq!(at(root, "spec").type_name(), None);
    assert_eq!(at(root, "spec.ports").list().source, RuleSource::Crd);
    assert_eq!(at(root, "spec.plain").list().source, RuleSource::Inferred);
    assert_eq!(at(root, "metadata.finalizers").list().source, RuleSource::Builtin);
    assert_eq!(at(root, "spec.smp").patch(), Patch { strategy: PatchStrategy::Merge, merge_key: Some("id") });
    assert!(at(root, "spec.selector").is_atomic_map());
    assert!(!at(root, "spec.byZone").is_atomic_map());
    assert_eq!(at(root, "spec.free.any.thing").knowledge(), Knowledge::Free);
    assert_eq!(at(root, "spec.nonsense").knowledge(), Knowledge::UnknownField);
    assert_eq!(at(schema.resource("apps", "v1", "Deployment"), "spec").type_name(), Some("apps/v1.DeploymentSpec"));
}

const ROLLOUT: &str = "
                template:
                  type: object
                  properties:
                    metadata: {type: object}
                    spec:
                      type: object
                      properties:
                        containers:
                          type: array
                          items:
                            type: object
                            properties:
                              name: {type: string}
                              image: {type: string}
                              env: {type: array, items: {type: object, properties: {name: {type: string}}}}
                              ports: {type: array, items: {type: object, properties: {containerPort: {type: integer}}}}
                              volumeMounts: {type: array, x-kubernetes-list-type: atomic, items: {type: object}}
                              gadgets: {type: array, items: {type: object}}
                        tolerations: {type: array, items: {type: object}}
                        volumes: {type: array, items: {type: object, x-kubernetes-preserve-unknown-fields: true}}
                        affinity: {type: object, x-kubernetes-preserve-unknown-fields: true}
                containers: {type: array, items: {type: object, properties: {name: {type: string}}}}
";

#[test]
fn a_pod_template_is_recognised_by_its_structure() {
    let schema = with(&widget(ROLLOUT));
    let cases = [
        ("spec.template.spec.containers", "name"),
        ("spec.template.spec.containers[].env", "name"),
        ("spec.template.spec.containers[].ports", "containerPort,protocol:TCP"),
        ("spec.template.spec.containers[].volumeMounts", "atomic"),
        ("spec.template.spec.containers[].gadgets", "infer"),
        ("spec.template.spec.tolerations", "atomic"),
        ("spec.template.spec.volumes", "name"),
        ("spec.template.spec.volumes[].projected.sources", "atomic"),
        ("spec.template.spec.affinity.nodeAffinity.preferredDuringSchedulingIgnoredDuringExecution", "atomic"),
        ("spec.template.metadata.finalizers", "set"),
        ("spec.containers", "infer"),
    ];
    for (path, expected) in cases {
        assert_eq!(rule(&schema, "example.com/v1", "Widget", path), expected, "{path}");
    }
    let mut without = Schema::without_builtin();
    add(&mut without, &widget(ROLLOUT)).unwrap();
    assert_eq!(rule(&without, "example.com/v1", "Widget", "spec.template.spec.volumes"), "infer");
    assert_eq!(rule(&without, "example.com/v1", "Widget", "metadata.finalizers"), "infer");
}

#[test]
fn a_definition_of_the_old_kind_shares_its_schema() {
    let schema = with(
        "\
apiVersion: apiextensions.k8s.io/v1beta1
kind: CustomResourceDefinition
spec:
  group: example.com
  version: v1
  names: {kind: Widget}
  versions: [{name: v1}, {name: v2}]
  validation:
    openAPIV3Schema:
      properties:
        spec: {properties: {hosts: {type: array, x-kubernetes-list-type: set, items: {type: string}}}}
",
    );
    for version in ["example.com/v1", "example.com/v2", "example.com/v3"] {
        assert_eq!(rule(&schema, version, "Widget", "spec.hosts"), "set");
    }
    let single = with(
        "\
{apiVersion: apiextensions.k8s.io/v1beta1, kind: CustomResourceDefinition,
 spec: {group: g, version: v1, names: {kind: K}}}
",
    );
    assert_eq!(rule(&single, "g/v1", "K", "metadata.finalizers"), "set");
    assert_eq!(rule(&single, "g/v1", "K", "spec.x"), "infer");
}

#[test]
fn lists_of_definitions_and_what_is_none() {
    let mut schema = Schema::new();
    let item = widget(LISTS).lines().map(|line| format!("    {line}\n")).collect::<String>();
    let list = format!("apiVersion: v1\nkind: List\nitems:\n  -\n{item}  - {{apiVersion: v1, kind: ConfigMap}}\n");
    assert_eq!(add(&mut schema, &list), Ok(1));
    assert_eq!(rule(&schema, "example.com/v1", "Widget", "spec.hosts"), "set");
    for other in ["", "# nothing", "[]", "kind: CustomResourceDefinition", "a: &a 1\nb: *a", "kind: List\nitems: 5"] {
        assert_eq!(add(&mut schema, other), Ok(0), "{other}");
    }
}

/// As the definitions of an API server have it: `strategy` of a Deployment refers to a type, and says `retainKeys` beside it.
#[test]
fn what_stands_beside_a_reference_counts() {
    let definitions = r##"{"definitions": {
      "t": {"properties": {"a": {"type": "string"}}},
      "k": {"properties": {"s": {"$ref": "#/definitions/t", "x-kubernetes-patch-strategy": "retainKeys"}},
            "x-kubernetes-group-version-kind": [{"group": "g", "version": "v1", "kind": "K"}]}}}"##;
    let stream = Stream::parse(definitions).unwrap();
    let mut schema = Schema::new();
    assert_eq!(schema.add_openapi(stream.documents().next().unwrap()).unwrap(), 1);
    let field = schema.resource("g", "v1", "K").field("s");
    assert_eq!(field.patch().strategy, PatchStrategy::RetainKeys);
    assert_eq!(field.field_names().collect::<Vec<_>>(), ["a"]);
}

#[test]
fn the_first_definition_of_a_kind_counts() {
    let mut schema =
        with(&widget("                a: {type: array, x-kubernetes-list-type: set, items: {type: string}}\n"));
    let second = widget("                a: {type: array, x-kubernetes-list-type: atomic, items: {type: string}}\n");
    assert_eq!(add(&mut schema, &second), Ok(1));
    assert_eq!(rule(&schema, "example.com/v1", "Widget", "spec.a"), "set");
}

#[test]
fn what_cannot_be_understood_is_pointed_at() {
    let list = |rest: &str| widget(&format!("                a: {{type: array, items: {{type: object}}, {rest}}}\n"));
    let head = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\n";
    let cases = [
        (list("x-kubernetes-list-type: bag"), CrdErrorKind::ListType, "bag"),
        (list("x-kubernetes-list-type: map"), CrdErrorKind::MapKeys, "map"),
        (list("x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [[b]]"), CrdErrorKind::MapKeys, "[b]"),
        (list("x-kubernetes-map-type: loose"), CrdErrorKind::MapType, "loose"),
        (list("x-kubernetes-patch-strategy: append"), CrdErrorKind::PatchStrategy, "append"),
        (widget("                a: 5\n"), CrdErrorKind::NotASchema, "5"),
        (widget("                a: {items: []}\n"), CrdErrorKind::NotASchema, "[]"),
        (format!("{head}spec: {{names: {{kind: K}}}}"), CrdErrorKind::NoGroup, ""),
        (format!("{head}spec: {{group: g}}"), CrdErrorKind::NoKind, ""),
        (format!("{head}spec: {{group: g, names: {{kind: K}}}}"), CrdErrorKind::NoVersion, ""),
        (format!("{head}spec: {{group: g, names: {{kind: K}}, versions: [{{}}]}}"), CrdErrorKind::NoVersion, "{}"),
    ];
    for (crd, kind, place) in cases {
        let mut schema = Schema::new();
        let error = add(&mut schema, &crd).unwrap_err();
        assert_eq!(error.kind, kind.into(), "{crd}");
        assert!(place.is_empty() || error.span.of(&crd) == place, "{crd}");
        assert_eq!(schema.resource("example.com", "v1", "Widget").knowledge(), Knowledge::NoSchema);
    }
}

#[test]
fn a_schema_may_nest_as_deep_as_it_likes() {
    let depth = 20_000;
    let nested = format!("{}{{type: string}}{}", "{properties: {a: ".repeat(depth), "}}".repeat(depth));
    let crd = format!(
        "{{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, spec: {{group: g, names: {{kind: K}}, \
         versions: [{{name: v1, schema: {{openAPIV3Schema: {nested}}}}}]}}}}"
    );
    let schema = with(&crd);
    let root = schema.resource("g", "v1", "K");
    assert_eq!((1..depth).fold(root, |cursor, _| cursor.field("a")).knowledge(), Knowledge::Known);
}

proptest! {
    /// Definitions that lost lines, or have some twice, are understood or refused; what was understood can be asked.
    #[test]
    fn damaged_definitions(counts in prop::collection::vec(prop_oneof![8 => Just(1), 1 => 0..3_usize], 60)) {
        let lines = [widget(LISTS), widget(ROLLOUT)].map(|crd| crd.lines().map(str::to_owned).collect::<Vec<_>>());
        for lines in lines {
            let counts = counts.iter().copied().chain(std::iter::repeat(1));
            let damaged: String = lines.iter().zip(counts).map(|(line, count)| format!("{line}\n").repeat(count)).collect();
            let Ok(stream) = Stream::parse(&damaged) else { continue };
            let mut schema = Schema::new();
            let added = stream.documents().map(|document| schema.add_crds(document)).collect::<Result<Vec<_>, _>>();
            if let Err(error) = added {
                prop_assert!(error.span.end as usize <= damaged.len());
            }
            let root = schema.resource("example.com", "v1", "Widget");
            for path in ["spec.ports[].rules", "spec.byZone.x.nodes", "spec.template.spec.containers[].env", "metadata.finalizers"] {
                let _ = (at(root, path).list(), at(root, path).patch(), at(root, path).is_atomic_map());
            }
        }
    }
}
