use super::super::element::element_ids;
use super::super::infer::infer;
use super::*;
use kyaml_ast::{Node, Stream};

/// Pairs the lists at the roots of the sources by a rule.
fn paired(kind: ListKind<'static>, sources: &[&str]) -> String {
    let streams: Vec<_> = sources.iter().map(|source| Stream::parse(source).unwrap()).collect();
    let sides: Vec<Vec<Node<'_>>> =
        streams.iter().map(|stream| stream.documents().next().unwrap().root().unwrap().children().collect()).collect();
    let sides: Vec<&[Node<'_>]> = sides.iter().map(Vec::as_slice).collect();
    match pair(ListRule { kind, source: RuleSource::Builtin }, &sides) {
        Pairing::Unkeyed { why: None, .. } => "atomic".to_owned(),
        Pairing::Unkeyed { why: Some(why), .. } => why.to_string(),
        Pairing::Identified { keys, sides, .. } => {
            let keys = keys.map_or("set".to_owned(), |keys| keys.to_string());
            format!("{keys}: {}", sides.iter().map(|side| show_side(side)).collect::<Vec<_>>().join(" | "))
        }
    }
}

fn show_side(side: &[ElementId<'_>]) -> String {
    let identities = side.iter().map(|identity| match identity {
        ElementId::One(text) => text.to_string(),
        ElementId::Many(parts) => parts.iter().map(|part| part.as_deref().unwrap_or("-")).collect::<Vec<_>>().join("/"),
    });
    identities.collect::<Vec<_>>().join(" ")
}

const INFER: ListKind<'static> = ListKind::Infer;

#[test]
fn the_first_key_that_every_element_has() {
    let cases: [(&[&str], &str); 17] = [
        (&["- {name: a, image: x}\n- {name: b}"], "name: a b"),
        (&["- {mountPath: /a, name: v}\n- {mountPath: /b, name: v}"], "mountPath: /a /b"),
        (&["- {type: Ready, name: a}\n- {type: Live, name: b}"], "type: Ready Live"),
        (&["- {name: a, type: string}\n- {name: b, type: string}"], "name: a b"),
        (&["- {topologyKey: zone}", "- {topologyKey: host}"], "topologyKey: zone | host"),
        (&["- {containerPort: 80}", "- {containerPort: '80'}"], "containerPort: 80 | 80"),
        (&["- {ip: 1.2.3.4, name: a}", "- {name: a}"], "name: a | a"),
        (&["- {name: a}", "[]", "- {name: b}"], "name: a |  | b"),
        (&["[]", "[]"], "the list is empty"),
        (&["- {name: a}\n- {name: a}"], "two elements have the same key"),
        (&["- {name: a, type: x}\n- {name: a, type: x}"], "two elements have the same key"),
        (&["- {name: a}", "- {title: a}"], "no key is common to all elements"),
        (&["- {name: {a: 1}}"], "no key is common to all elements"),
        (&["- {name: null}", "- {name: a}"], "no key is common to all elements"),
        (&["- {name: }"], "no key is common to all elements"),
        (&["- a\n- b"], "an element is not a mapping"),
        (&["- &x {name: a}\n- *x"], "an element is not a mapping"),
    ];
    for (sources, expected) in cases {
        assert_eq!(paired(INFER, sources), expected, "{sources:?}");
    }
}

#[test]
fn schema_keys_have_to_identify() {
    let name = ListKind::Keyed(Keys::one("name"));
    assert_eq!(paired(name, &["- {name: a}", "- {name: 'b'}\n- {name: a}"]), "name: a | b a");
    assert_eq!(paired(name, &["- {name: 0x50}", "- {name: \"80\"}"]), "name: 80 | 80");
    assert_eq!(paired(name, &["- {name: a}\n- {nome: b}"]), "an element lacks the key");
    assert_eq!(paired(name, &["- {name: ~}"]), "an element lacks the key");
    assert_eq!(paired(name, &["- {name: \"~\"}"]), "name: ~");
    assert_eq!(paired(name, &["- {name: a}", "- {name: b}\n- {name: b}"]), "two elements have the same key");
    assert_eq!(paired(name, &["- {name: a}", "[]"]), "name: a | ");
    assert_eq!(paired(name, &["- 5"]), "an element is not a mapping");
    assert_eq!(paired(ListKind::Atomic, &["- {name: a}"]), "atomic");
}

#[test]
fn a_missing_part_has_its_default() {
    let schema = Schema::new();
    let ports = at(schema.resource("", "v1", "Service"), "spec.ports").list();
    let stream = Stream::parse("- {port: 53}\n- {port: 53, protocol: UDP}\n- {port: '80', protocol: TCP}\n").unwrap();
    let items: Vec<_> = stream.documents().next().unwrap().root().unwrap().children().collect();
    let ListKind::Keyed(keys) = ports.kind else { panic!("{ports:?}") };
    assert_eq!(show_side(&element_ids(&items, keys).unwrap()), "53/TCP 53/UDP 80/TCP");
    // An element that has no part of the key is not known by the default.
    let stream = Stream::parse("- {name: dns}").unwrap();
    let items: Vec<_> = stream.documents().next().unwrap().root().unwrap().children().collect();
    assert!(matches!(element_ids(&items, keys), Err(NoIdentity::MissingKey(_))));
    let devices = at(schema.resource("resource.k8s.io", "v1", "ResourceClaim"), "status.devices").list();
    let stream =
        Stream::parse("- {driver: d, device: x, pool: p}\n- {driver: d, device: x, pool: p, shareID: s}").unwrap();
    let items: Vec<_> = stream.documents().next().unwrap().root().unwrap().children().collect();
    let ListKind::Keyed(keys) = devices.kind else { panic!("{devices:?}") };
    assert_eq!(show_side(&element_ids(&items, keys).unwrap()), "d/x/p/- d/x/p/s");
    let stream = Stream::parse("- {other: d}").unwrap();
    let items: Vec<_> = stream.documents().next().unwrap().root().unwrap().children().collect();
    assert!(matches!(element_ids(&items, keys), Err(NoIdentity::MissingKey(_))));
}

#[test]
fn members_of_sets() {
    assert_eq!(paired(ListKind::Set, &["[a, 5]", "['5', \"b\"]"]), "set: a 5 | 5 b");
    assert_eq!(paired(ListKind::Set, &["[a, 'a']"]), "set: a a");
    assert_eq!(paired(ListKind::Set, &["[a, {b: c}]"]), "a member is not a scalar");
}

#[test]
fn the_places_of_duplicates() {
    let source = "- {name: a}\n- {name: b}\n- {name: a, x: 1}\n";
    let stream = Stream::parse(source).unwrap();
    let items: Vec<_> = stream.documents().next().unwrap().root().unwrap().children().collect();
    let Err(NoIdentity::Duplicate { first, second }) = element_ids(&items, Keys::one("name")) else { panic!() };
    assert_eq!((first.of(source), second.of(source)), ("{name: a}", "{name: a, x: 1}"));
    assert_eq!(infer(&[&items]).map(|(key, _)| key), Err(NoIdentity::Duplicate { first, second }));
}

/// The type that the roots of the sources are taken for below an unknown kind.
fn by_structure(sources: &[&str]) -> bool {
    let schema = Schema::new();
    let streams: Vec<_> = sources.iter().map(|source| Stream::parse(source).unwrap()).collect();
    let sides: Vec<_> = streams.iter().filter_map(|stream| stream.documents().next()?.root()).collect();
    let cursor =
        at(schema.resource("argoproj.io", "v1alpha1", "Rollout"), "spec.template").by_structure(sides.iter().copied());
    assert!(Schema::without_builtin().untyped().by_structure(sides.iter().copied()).type_name().is_none());
    cursor.type_name() == Some("core/v1.PodTemplateSpec")
}

#[test]
fn a_pod_template_in_an_unknown_kind() {
    let full = "metadata: {labels: {}}\nspec: {containers: [{name: a, image: b}], volumes: []}";
    assert!(by_structure(&[full]));
    assert!(by_structure(&[full, "spec: {containers: [{name: a, args: []}]}", "metadata: {}"]));
    assert!(!by_structure(&[full, "spec: {containers: [{image: a}]}"]));
    assert!(!by_structure(&[full, "spec: {containers: {}}"]));
    assert!(!by_structure(&[full, "spec: {}\nother: 1"]));
    assert!(!by_structure(&["spec: {containers: [{name: a}]}"]));
    assert!(!by_structure(&["spec: {containers: []}"]));
    assert!(!by_structure(&["[a]"]));
    assert!(!by_structure(&[]));
}

#[test]
fn structure_does_not_overrule_a_known_type() {
    let schema = Schema::new();
    let stream = Stream::parse("spec: {containers: [{name: a, image: b}]}").unwrap();
    let root = stream.documents().next().unwrap().root().unwrap();
    let pod = schema.resource("", "v1", "Pod");
    assert_eq!(pod.by_structure([root].into_iter()).type_name(), Some("core/v1.Pod"));
}
