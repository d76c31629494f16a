//! What scalars mean: answers recorded from kubectl, the core schema's own tables, and equality under both.

use std::hash::{DefaultHasher, Hash, Hasher};

use kyaml_ast::{
    Kind, Node, Resolved, Scalar, ScalarSchema, Stream, hash_scalar, is_merge_key, key_text, resolve_scalar,
    same_scalar,
};
use proptest::prelude::*;

const RECORDED: &str = include_str!("data/kubectl-scalars.tsv");

fn plain(text: &str) -> Scalar<'_> {
    Scalar { kind: Kind::Plain, tag: None, text }
}

fn quoted(text: &str) -> Scalar<'_> {
    Scalar { kind: Kind::DoubleQuoted, tag: None, text }
}

fn tagged<'a>(tag: &'a str, text: &'a str) -> Scalar<'a> {
    Scalar { kind: Kind::Plain, tag: Some(tag), text }
}

/// Whether kubectl's JSON is what a value turns into.
fn agrees(value: &Resolved<'_>, json: &str) -> bool {
    match value {
        Resolved::Null => json == "null",
        Resolved::Bool(value) => json == value.to_string(),
        Resolved::Int(value) => json == value.to_string(),
        Resolved::Float(value) if value.is_nan() => json == "NaN",
        Resolved::Float(value) => json.trim_start_matches('+').parse() == Ok(*value),
        Resolved::String(text) => json == format!("{text:?}"),
        Resolved::Tagged { .. } => json == "refused",
        Resolved::BigInt(_) => false,
    }
}

#[test]
fn reads_scalars_as_kubectl_does() {
    let mut seen = 0;
    for line in RECORDED.lines().filter(|line| !line.starts_with('#')) {
        let [style, tag, text, json] = line.split('\t').collect::<Vec<_>>().try_into().expect("four columns");
        let text = text.replace("\\n", "\n");
        let kind = match style {
            "plain" => Kind::Plain,
            "single" => Kind::SingleQuoted,
            _ => Kind::DoubleQuoted,
        };
        let value =
            resolve_scalar(Scalar { kind, tag: (tag != "-").then_some(tag), text: &text }, ScalarSchema::Kube11);
        assert!(agrees(&value, json), "{line}: {value:?}");
        seen += 1;
    }
    assert!(seen > 200, "{seen} recorded answers");
}

#[test]
fn reads_the_core_schema() {
    let cases = [
        ("", Resolved::Null),
        ("~", Resolved::Null),
        ("True", Resolved::Bool(true)),
        ("yes", Resolved::String("yes".into())),
        ("0644", Resolved::Int(644)),
        ("-0", Resolved::Int(0)),
        ("0o17", Resolved::Int(15)),
        ("-0o17", Resolved::String("-0o17".into())),
        ("0xfF", Resolved::Int(255)),
        ("0XFF", Resolved::String("0XFF".into())),
        ("0x", Resolved::String("0x".into())),
        ("0b1", Resolved::String("0b1".into())),
        ("1_0", Resolved::String("1_0".into())),
        ("1.", Resolved::Float(1.0)),
        (".5e-1", Resolved::Float(0.05)),
        (".", Resolved::String(".".into())),
        ("1e", Resolved::String("1e".into())),
        ("-.INF", Resolved::Float(f64::NEG_INFINITY)),
        ("18446744073709551616", Resolved::Int(1 << 64)),
    ];
    for (text, value) in cases {
        assert_eq!(resolve_scalar(plain(text), ScalarSchema::Core12), value, "{text}");
    }
}

#[test]
fn integers_of_any_size_keep_their_value() {
    let huge = "9".repeat(50);
    assert_eq!(resolve_scalar(plain(&huge), ScalarSchema::Core12), Resolved::BigInt(huge.as_str().into()));
    assert!(same_scalar(plain(&huge), plain(&format!("+0{huge}"))));
    assert!(!same_scalar(plain(&huge), plain(&format!("-{huge}"))));
    assert!(!same_scalar(plain("9007199254740993e0"), plain("9007199254740993")), "float and integer");
    assert!(!same_scalar(plain("18446744073709551615"), plain("18446744073709551616")), "one float for kubectl");
}

#[test]
fn tags_decide() {
    assert!(same_scalar(tagged("!!str", "5"), quoted("5")));
    assert!(same_scalar(tagged("!!int", "5"), plain("5")));
    assert!(same_scalar(tagged("!<tag:yaml.org,2002:int>", "5"), tagged("!!int", "5")));
    assert!(same_scalar(tagged("!", "5"), quoted("5")));
    assert!(same_scalar(tagged("!!float", "5"), plain("5.0")));
    assert!(same_scalar(tagged("!!binary", "aGk="), tagged("!!binary", "aGk=\n")));
    assert!(!same_scalar(tagged("!!binary", "aGk="), quoted("hi")));
    assert!(!same_scalar(tagged("!foo", "5"), quoted("5")));
    assert!(!same_scalar(tagged("!foo", "5"), tagged("!bar", "5")));
    let wrong = resolve_scalar(tagged("!!int", "x"), ScalarSchema::Kube11);
    assert_eq!(wrong, Resolved::Tagged { tag: "tag:yaml.org,2002:int".into(), text: "x".into() });
}

#[test]
fn equality_needs_both_schemas() {
    let same = [("~", ""), ("true", "True"), ("0o644", "420"), ("0x10", "16"), ("1.50", "1.5"), ("1e3", "1000.0")];
    for (a, b) in same {
        assert!(same_scalar(plain(a), plain(b)), "{a} and {b}");
    }
    let different = [("yes", "true"), ("0644", "420"), ("1_000", "1000"), ("1.0", "1"), ("0", "-0.0"), ("on", "yes")];
    for (a, b) in different {
        assert!(!same_scalar(plain(a), plain(b)), "{a} and {b}");
    }
    assert!(same_scalar(plain(".nan"), plain(".NaN")));
    assert!(same_scalar(plain("2001-01-01"), quoted("2001-01-01")), "dates are strings");
    assert!(!same_scalar(plain("no"), quoted("no")));
}

#[test]
fn list_keys_compare_by_print() {
    for scalar in [plain("80"), quoted("80"), plain("0x50"), plain("80.0"), plain("8_0")] {
        assert_eq!(key_text(scalar), "80", "{scalar:?}");
    }
    assert_eq!(key_text(plain("on")), "on");
    assert_eq!(key_text(plain("1.5")), "1.5");
}

#[test]
fn only_the_plain_merge_key_merges() {
    assert!(is_merge_key(plain("<<")));
    assert!(is_merge_key(tagged("!!merge", "<<")));
    assert!(!is_merge_key(quoted("<<")));
    assert!(!is_merge_key(tagged("!!str", "<<")));
}

fn scalars() -> impl Strategy<Value = (Kind, Option<&'static str>, String)> {
    let kind = prop::sample::select(vec![Kind::Plain, Kind::Plain, Kind::DoubleQuoted, Kind::Literal]);
    let tags =
        vec![None, None, None, Some("!!int"), Some("!!str"), Some("!!float"), Some("!!null"), Some("!x"), Some("!")];
    let text = prop_oneof![
        "[-+0-9._exob:]{0,6}",
        "~|null|yes|true|on|y|\\.inf|\\.NaN|2001-01-01|<<|=",
        "[0-9]{30,60}",
        any::<String>()
    ];
    (kind, prop::sample::select(tags), text)
}

fn hash(scalar: Scalar<'_>) -> u64 {
    let mut state = DefaultHasher::new();
    hash_scalar(scalar, &mut state);
    "end".hash(&mut state);
    state.finish()
}

proptest! {
    #[test]
    fn equality_is_reflexive_and_hashes_agree(a in scalars(), b in scalars()) {
        let a = Scalar { kind: a.0, tag: a.1, text: &a.2 };
        let b = Scalar { kind: b.0, tag: b.1, text: &b.2 };
        prop_assert!(same_scalar(a, a));
        prop_assert_eq!(same_scalar(a, b), same_scalar(b, a));
        if same_scalar(a, b) {
            prop_assert_eq!(hash(a), hash(b));
        }
    }
}

#[test]
fn nodes_know_their_value() {
    let source = "<<: 0x50\n'<<': |\n  text\n? [a]\n: *x\n\"n\\x6f\": !!str 80\n";
    let stream = Stream::parse(source).unwrap();
    let root = stream.documents().next().and_then(kyaml_ast::Document::root).unwrap();
    let nodes: Vec<Node<'_>> = root.children().collect();
    assert_eq!(nodes[1].key_text().unwrap(), "80");
    assert_eq!(nodes[7].key_text().unwrap(), "80");
    assert!(!nodes[1].is_same_scalar(nodes[7]));
    assert!(nodes[0].is_same_scalar(nodes[2]), "as values, both are the string");
    assert!(nodes[0].is_merge_key() && !nodes[2].is_merge_key());
    assert_eq!(nodes[3].resolve(ScalarSchema::Core12), Some(Resolved::String("text\n".into())));
    assert_eq!(nodes[6].resolve(ScalarSchema::Kube11), Some(Resolved::String("no".into())));
    for (node, is_scalar) in [(nodes[4], false), (nodes[5], false), (nodes[6], true)] {
        assert_eq!(node.resolve(ScalarSchema::Core12).is_some(), is_scalar);
        assert_eq!(node.is_same_scalar(node), is_scalar);
    }
}
