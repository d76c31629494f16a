use kyaml_ast::{Path, Stream};

use super::*;

/// What the schema says about a path: `string`, `free`, `key: string`, `unspecified`, or the segment that is unknown and
/// the names that are like it.
fn said(root: Cursor<'_>, path: &str) -> String {
    let path: Path = path.parse().unwrap();
    match look_up(root, &path) {
        Lookup::Unspecified => "unspecified".to_owned(),
        Lookup::Free => "free".to_owned(),
        Lookup::Known(cursor) => short(cursor),
        Lookup::Key(cursor) => format!("key: {}", short(cursor)),
        Lookup::Unknown { segment, inside } => {
            let name = path.segments()[segment].to_string();
            format!("{segment}? {}", inside.similar_fields(name.trim_start_matches('.')).join(" "))
                .trim_end()
                .to_owned()
        }
    }
}

fn short(cursor: Cursor<'_>) -> String {
    match cursor.value_type() {
        Some(of) => format!("{of:?}").to_lowercase(),
        None => "nothing".to_owned(),
    }
}

fn resource<'s>(schema: &'s Schema, api_version: &str, kind: &str) -> Cursor<'s> {
    let (group, version) = crate::resource::split_api_version(api_version);
    schema.resource(group, version, kind)
}

#[test]
fn fields_of_built_in_kinds() {
    let schema = Schema::new();
    let cases = [
        ("apps/v1", "Deployment", ".apiVersion", "string"),
        ("apps/v1", "Deployment", ".spec.replicas", "integer"),
        ("apps/v1", "Deployment", ".spec.paused", "boolean"),
        ("apps/v1", "Deployment", ".spec.strategy.rollingUpdate.maxSurge", "intorstring"),
        ("apps/v1", "Deployment", ".spec.template.spec.containers", "list"),
        ("apps/v1", "Deployment", ".spec.template.spec.containers[name=a].image", "string"),
        ("apps/v1", "Deployment", ".spec.template.spec.containers[0].resources.limits", "map"),
        ("apps/v1", "Deployment", ".spec.template.spec.containers[0].resources.limits.cpu", "key: quantity"),
        ("apps/v1", "Deployment", ".spec.template.spec.containers[0].args[0]", "string"),
        ("apps/v1", "Deployment", ".spec.template.spec.nodeSelector.disk", "key: string"),
        ("apps/v1", "Deployment", ".metadata.labels[\"app.kubernetes.io/name\"]", "key: string"),
        ("apps/v1", "Deployment", ".metadata.creationTimestamp", "string"),
        ("v1", "ConfigMap", ".data.port", "key: string"),
        ("v1", "Secret", ".data.password", "key: bytes"),
        ("v1", "Secret", ".stringData.password", "key: string"),
        ("v1", "PersistentVolumeClaim", ".spec.resources.requests.storage", "key: quantity"),
        ("apps/v1", "ControllerRevision", ".data", "free"),
        ("apps/v1", "ControllerRevision", ".data.spec.any", "free"),
        (
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            ".spec.versions[0].schema.openAPIV3Schema.maximum",
            "number",
        ),
        ("kustomize.config.k8s.io/v1beta1", "Kustomization", ".images[name=a].newTag", "string"),
        ("apps/v1", "Deployment", ".spec.replcias", "1? replicas"),
        ("apps/v1", "Deployment", ".spec.template.spec.container", "3? containers"),
        ("apps/v1", "Deployment", ".spec.template.spec.containers[0].imagePullPolice", "5? imagePullPolicy"),
        ("apps/v1", "Deployment", ".spec.nothing.like.it", "1?"),
        ("apps/v1", "Deployment", ".spec.replicas.x", "2?"),
        ("apps/v1", "Deployment", ".spec[0]", "1?"),
        ("apps/v1", "Deployment", ".metadata.labels[0]", "2?"),
        ("kustomize.config.k8s.io/v1beta1", "Kustomization", ".namespaces", "0? namespace"),
    ];
    for (api_version, kind, path, expected) in cases {
        assert_eq!(said(resource(&schema, api_version, kind), path), expected, "{api_version} {kind} {path}");
    }
}

/// A version that is not known merges like another one, but what it lacks may be there.
#[test]
fn what_is_only_like_a_known_kind_lacks_nothing() {
    let schema = Schema::new();
    for (api_version, kind) in [("extensions/v1beta1", "Ingress"), ("networking.k8s.io/v9", "Ingress")] {
        let root = resource(&schema, api_version, kind);
        assert_eq!(said(root, ".spec.rules[0].host"), "string");
        assert_eq!(said(root, ".spec.backend.serviceName"), "unspecified");
    }
    let rollout = resource(&schema, "argoproj.io/v1alpha1", "Rollout");
    assert_eq!(said(rollout, ".metadata.labels.app"), "key: string");
    assert_eq!(said(rollout, ".metadata.label"), "unspecified");
    assert_eq!(said(rollout, ".spec.replcias"), "unspecified");
    assert_eq!(said(schema.untyped(), ".image.tag"), "unspecified");
    assert_eq!(said(resource(&Schema::without_builtin(), "v1", "Pod"), ".spec"), "unspecified");
}

const WIDGET: &str = "\
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
spec:
  group: example.com
  names: {kind: Widget}
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              size: {type: integer}
              name: {type: string}
              secret: {type: string, format: byte}
              ratio: {type: number}
              on: {type: boolean}
              port: {x-kubernetes-int-or-string: true, anyOf: [{type: integer}, {type: string}]}
              gears: {type: array, items: {type: object, properties: {teeth: {type: integer}}}}
              byName: {type: object, additionalProperties: {type: string}}
              loose: {type: object, properties: {known: {type: string}}, x-kubernetes-preserve-unknown-fields: true}
              free: {type: object, x-kubernetes-preserve-unknown-fields: true}
              bare: {type: object}
              inner: {type: object, x-kubernetes-embedded-resource: true, properties: {spec: {type: object}}}
";

fn with(definition: &str) -> Schema {
    let mut schema = Schema::new();
    let stream = Stream::parse(definition).unwrap();
    stream.documents().for_each(|document| assert_eq!(schema.add_crds(document), Ok(1)));
    schema
}

#[test]
fn fields_of_definitions() {
    let schema = with(WIDGET);
    let root = resource(&schema, "example.com/v1", "Widget");
    let cases = [
        (".kind", "string"),
        (".metadata.name", "string"),
        (".spec.size", "integer"),
        (".spec.secret", "bytes"),
        (".spec.ratio", "number"),
        (".spec.on", "boolean"),
        (".spec.port", "intorstring"),
        (".spec.gears[0].teeth", "integer"),
        (".spec.byName.any", "key: string"),
        (".spec.loose.known", "string"),
        (".spec.loose.other", "unspecified"),
        (".spec.free.any.thing", "free"),
        (".spec.bare.any", "free"),
        (".spec.inner.metadata.labels.a", "key: string"),
        (".spec.inner.kind", "string"),
        (".spec.sice", "1? size"),
        (".spec.gears[0].tooth", "3? teeth"),
        (".specs", "0? spec"),
        (".status", "0?"),
    ];
    for (path, expected) in cases {
        assert_eq!(said(root, path), expected, "{path}");
    }
    assert_eq!(said(resource(&schema, "example.com/v2", "Widget"), ".spec.sice"), "unspecified");
}

/// Up to v1beta1 a server keeps what the schema does not list.
#[test]
fn old_definitions_keep_unknown_fields_unless_they_say_no() {
    let old = WIDGET.replace("apiextensions.k8s.io/v1\n", "apiextensions.k8s.io/v1beta1\n");
    let strict = old.replace("  group:", "  preserveUnknownFields: false\n  group:");
    for (definition, expected) in [(&old, "unspecified"), (&strict, "1? size")] {
        let schema = with(definition);
        assert_eq!(said(resource(&schema, "example.com/v1", "Widget"), ".spec.sice"), expected);
    }
}

#[test]
fn values_fit_as_kubernetes_reads_them() {
    let cases: [(ValueType, &[&str], &[&str]); 11] = [
        (
            ValueType::String,
            &["a", "'5'", "2020-01-01", "|\n  1", "!!str 5", ""],
            &["5", "true", "yes", "1.5", "[]", "{}"],
        ),
        (ValueType::Integer, &["5", "0x10", "0644", "3.0", "~", "-1"], &["five", "'5'", "1.5", "true", "[5]"]),
        (ValueType::Number, &["5", "1.5", "1e3"], &["'5'", "a"]),
        (ValueType::Boolean, &["true", "yes", "off", "null"], &["'true'", "1", "t"]),
        (
            ValueType::Bytes,
            &["aGVsbG8=", "''", "|\n  aGVs\n  bG8=\n", "YWI="],
            &["hello", "aGVsbG8", "a===", "5", "aGVs bG8="],
        ),
        (ValueType::Quantity, &["500m", "1", "0.5", "'2'"], &["true", "{}"]),
        (ValueType::IntOrString, &["80", "http", "25%", "'80'"], &["1.5", "false", "[]"]),
        (ValueType::Object, &["{}", "{a: 1}", "null", ""], &["[]", "a", "5", "''"]),
        (ValueType::Map, &["{}", "null"], &["[]", "a"]),
        (ValueType::List, &["[]", "- a", "null"], &["{}", "a"]),
        (ValueType::Free, &["1", "a", "[]", "{}"], &[]),
    ];
    for (wanted, good, bad) in cases {
        for (texts, fits) in [(good, true), (bad, false)] {
            for text in texts {
                let value = format!("a: {text}\n").replace("a: - ", "a:\n- ");
                let stream = Stream::parse(&value).unwrap();
                let root = stream.documents().next().unwrap().root().unwrap();
                assert_eq!(wanted.fits(root.entries().next().unwrap().value()), fits, "{wanted}: {text}");
            }
        }
    }
}

#[test]
fn aliases_fit_everywhere() {
    let stream = Stream::parse("a: &a 5\nb: *a\n").unwrap();
    let root = stream.documents().next().unwrap().root().unwrap();
    assert!(ValueType::List.fits(root.entries().nth(1).unwrap().value()));
}
