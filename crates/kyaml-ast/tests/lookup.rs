//! What paths lead to, and how far they get.

use kmerge_testgen::{manifest_stream, random_stream};
use kyaml_ast::{Entry, Kind, LookupErrorKind, Node, NodeId, Path, Pattern, Segment, Step, Stream};
use proptest::prelude::*;

const POD: &str = "\
spec:
  containers:
  - name: app
    image: nginx
    ports:
    - {containerPort: 80, protocol: TCP}
    - {containerPort: '80', protocol: UDP}
  - name: side
  finalizers: [a, 5]
  \"a.b/c\": x
  shared: &x {y: 1}
  copy: *x
  dup: 1
  dup: 2
";

fn root<'t>(stream: &'t Stream<'t>) -> Node<'t> {
    stream.documents().next().and_then(kyaml_ast::Document::root).expect("a root")
}

fn found(path: &str) -> String {
    let stream = Stream::parse(POD).expect("valid YAML");
    let path: Path = path.parse().expect("a path");
    path.find(root(&stream)).map_or_else(|error| error.to_string(), |found| found.node.text().to_owned())
}

#[test]
fn finds_what_is_there() {
    assert_eq!(found(".spec.containers[name=app].image"), "nginx");
    assert_eq!(found(".spec.containers[-1].name"), "side");
    assert_eq!(found(".spec.containers[0].ports[containerPort=80,protocol=UDP].protocol"), "UDP");
    assert_eq!(found(".spec.finalizers[=5]"), "5");
    assert_eq!(found(".spec[\"a.b/c\"]"), "x");
    assert_eq!(found(".spec.copy"), "*x");
    assert_eq!(found(".spec.dup"), "2");
    assert!(found(".").starts_with("spec:"));
}

#[test]
fn says_how_far_it_got() {
    let cases = [
        (".spce", "no .spce in .; did you mean .spec?"),
        (".spec.nothing", "no .nothing in .spec"),
        (".spec.containers[name=ap]", "no [name=\"ap\"] in .spec.containers; did you mean [name=\"app\"]?"),
        (".spec.finalizers[=6]", "no [=\"6\"] in .spec.finalizers"),
        (".spec.containers[2]", "no [2] in .spec.containers, which has 2 items"),
        (".spec.containers[-3]", "no [-3] in .spec.containers, which has 2 items"),
        (".spec.containers.name", "no .name in .spec.containers, which is a list"),
        (".spec[0]", "no [0] in .spec, which is a mapping"),
        (".spec.dup.x", "no .x in .spec.dup, which is a scalar"),
        (".spec.copy.y", "no .y in .spec.copy, which is an alias"),
        (
            ".spec.containers[0].ports[containerPort=80]",
            "[containerPort=\"80\"] fits 2 items of .spec.containers[0].ports",
        ),
    ];
    for (path, message) in cases {
        assert_eq!(found(path), message);
    }
}

#[test]
fn errors_carry_the_place() {
    let stream = Stream::parse(POD).unwrap();
    let path: Path = ".spec.finalizers[7].x".parse().unwrap();
    let error = path.find(root(&stream)).unwrap_err();
    assert_eq!(error.span.of(POD), "[a, 5]");
    assert_eq!(error.reached.to_string(), ".spec.finalizers");
    assert_eq!(error.step, Step::One(Segment::Index(7)));
    assert_eq!(error.kind, LookupErrorKind::OutOfRange { len: 2 });
}

fn places(pattern: &str) -> Vec<String> {
    let stream = Stream::parse(POD).expect("valid YAML");
    let pattern: Pattern = pattern.parse().expect("a path");
    let shown = |end: &kyaml_ast::End<'_, '_>| match end.error() {
        Some(error) => error.to_string(),
        None => format!("{} {}", end.path, end.found.node.text().replace('\n', "|")),
    };
    pattern.follow(root(&stream)).iter().map(shown).collect()
}

#[test]
fn patterns_lead_to_any_number_of_places() {
    assert_eq!(places(".spec.containers[*].name"), [".spec.containers[0].name app", ".spec.containers[1].name side"]);
    assert_eq!(places(".spec.containers[name!=app].name"), [".spec.containers[1].name side"]);
    assert_eq!(places(".spec.containers[name=~^a].name"), [".spec.containers[0].name app"]);
    assert_eq!(places(".spec.containers[image!=x].name").len(), 2);
    assert_eq!(places(".spec.finalizers[=~'^[0-9]']"), [".spec.finalizers[1] 5"]);
    assert_eq!(
        places("..protocol"),
        [".spec.containers[0].ports[0].protocol TCP", ".spec.containers[0].ports[1].protocol UDP"]
    );
    assert_eq!(places("..ports[protocol=UDP].containerPort").len(), 1);
    assert_eq!(places("..ports..protocol").len(), 2);
    assert_eq!(places(".spec.shared.*"), [".spec.shared.y 1"]);
    assert_eq!(places("/spec/containers/1/name"), [".spec.containers[1].name side"]);
    assert_eq!(places("..nothing"), [""; 0]);
}

#[test]
fn patterns_say_where_they_stop_short() {
    assert_eq!(
        places(".spec.containers[*].image"),
        [".spec.containers[0].image nginx", "no .image in .spec.containers[1]"]
    );
    assert_eq!(places(".spec[*]"), ["no [*] in .spec, which is a mapping"]);
    assert_eq!(places(".spec.*[*].name").len(), 4);
    assert_eq!(places(".spec.copy.*"), ["no .* in .spec.copy, which is an alias"]);
    assert_eq!(places(".spec.containers[+]"), ["no [+] in .spec.containers"]);
    assert_eq!(
        places(".spec.containers[name=ap+]"),
        ["no [name=\"ap\"+] in .spec.containers; did you mean [name=\"app\"]?"]
    );
    assert_eq!(places("/spec/containers/x"), ["no /x in .spec.containers"]);
}

/// Every node below `root` with the path of names and positions to it, where names are unique.
fn paths(root: Node<'_>) -> Vec<(Path, NodeId)> {
    let mut out = vec![(Path::root(), root.id())];
    let mut next = 0;
    while let Some((path, id)) = out.get(next).cloned() {
        let node = root.stream().node(id);
        for (at, entry) in node.entries().enumerate() {
            if let Some(segment) = segment(node, entry, at) {
                let mut path = path.clone();
                path.push(segment);
                out.push((path, entry.value().id()));
            }
        }
        next += 1;
    }
    out
}

fn segment(collection: Node<'_>, entry: Entry<'_>, at: usize) -> Option<Segment> {
    if collection.kind() == Kind::Sequence {
        return Some(Segment::Index(at as i64));
    }
    let name = entry.key().filter(|key| key.kind().is_scalar())?.value();
    let is_name = |key: &Node<'_>| key.kind().is_scalar() && key.value() == name;
    let same = collection.entries().filter_map(Entry::key).filter(is_name).count();
    (same == 1).then(|| Segment::Field(name.into_owned()))
}

proptest! {
    #[test]
    fn every_node_is_found(seed: u64, is_manifest: bool) {
        let generated = if is_manifest { manifest_stream(seed, 1) } else { random_stream(seed, 40) };
        let text = generated.text();
        let stream = Stream::parse(&text).map_err(|error| TestCaseError::fail(error.to_string()))?;
        for root in stream.documents().filter_map(kyaml_ast::Document::root) {
            for (path, id) in paths(root) {
                let path: Path = path.to_string().parse().map_err(|error| TestCaseError::fail(format!("{error}")))?;
                prop_assert_eq!(path.find(root).map(|found| found.node.id()), Ok(id), "{}", path);
            }
        }
    }
}
