//! Plain scalars mean the same to all who resolve them under the core schema.

use std::collections::BTreeSet;

use kmerge_testgen::Rng;
use kyaml_ast::{EventKind, Kind, Resolved, Scalar, ScalarSchema, Stream, resolve_scalar};
use saphyr::LoadableYamlNode as _;

use crate::sources;

/// A value of the core schema in a notation that the peers share.
fn ours(text: &str) -> String {
    match resolve_scalar(Scalar { kind: Kind::Plain, tag: None, text }, ScalarSchema::Core12) {
        Resolved::Null => "null".to_owned(),
        Resolved::Bool(value) => value.to_string(),
        Resolved::Int(value) => format!("int {value}"),
        Resolved::BigInt(value) => format!("int {value}"),
        Resolved::Float(value) => float(value),
        Resolved::String(value) => format!("string {value}"),
        Resolved::Tagged { .. } => "tagged".to_owned(),
    }
}

fn float(value: f64) -> String {
    if value.is_nan() { "float nan".to_owned() } else { format!("float {value:e}") }
}

fn saphyr(text: &str) -> Option<String> {
    let documents = saphyr::Yaml::load_from_str(text).ok()?;
    Some(match documents.first()? {
        saphyr::Yaml::Value(saphyr::Scalar::Null) => "null".to_owned(),
        saphyr::Yaml::Value(saphyr::Scalar::Boolean(value)) => value.to_string(),
        saphyr::Yaml::Value(saphyr::Scalar::Integer(value)) => format!("int {value}"),
        saphyr::Yaml::Value(saphyr::Scalar::FloatingPoint(value)) => float(value.0),
        saphyr::Yaml::Value(saphyr::Scalar::String(value)) => format!("string {value}"),
        _ => return None,
    })
}

fn yaml_rust2(text: &str) -> Option<String> {
    use yaml_rust2::Yaml;
    let documents = yaml_rust2::YamlLoader::load_from_str(text).ok()?;
    Some(match documents.first()? {
        Yaml::Null => "null".to_owned(),
        Yaml::Boolean(value) => value.to_string(),
        Yaml::Integer(value) => format!("int {value}"),
        real @ Yaml::Real(_) => float(real.as_f64()?),
        Yaml::String(value) => format!("string {value}"),
        _ => return None,
    })
}

/// Texts that the peers read in another way. Chapter 10.3.2 of YAML 1.2.2 decides: `0x [0-9a-fA-F]+` and `0o [0-7]+` hold no
/// signs, and `[-+]? [0-9]+` is an integer of any size.
fn is_known(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    let is_big = digits.bytes().all(|byte| byte.is_ascii_digit()) && text.parse::<i64>().is_err();
    is_big || ["0x+", "0x-", "0o+", "0o-"].into_iter().any(|prefix| text.starts_with(prefix))
}

fn texts() -> BTreeSet<String> {
    const PARTS: [&str; 27] = [
        "0", "1", "7", "9", "42", "+", "-", ".", "_", "e", "E", "e+", "0x", "0o", "0b", "x", "a", "F", "inf", "Inf",
        "nan", "NaN", "true", "True", "null", "~", ":",
    ];
    let mut rng = Rng::new(1);
    let made = (0..4000).map(|_| (0..rng.between(1, 4)).map(|_| rng.pick(&PARTS)).collect::<String>());
    let mut texts: BTreeSet<String> = made.collect();
    for source in sources::real() {
        let Ok(stream) = Stream::parse(&source) else { continue };
        texts.extend(stream.events().filter_map(|event| match event.kind {
            EventKind::Leaf(node) if node.kind() == Kind::Plain => Some(node.value().into_owned()),
            _ => None,
        }));
    }
    texts
}

#[test]
fn scalars_resolve_alike() {
    let mut wrong = Vec::new();
    let mut compared = 0;
    for text in texts() {
        let is_plain = |stream: &Stream<'_>| {
            stream.documents().filter_map(kyaml_ast::Document::root).any(|root| root.kind() == Kind::Plain)
        };
        if !Stream::parse(&text).is_ok_and(|stream| is_plain(&stream)) {
            continue;
        }
        let (ours, a, b) = (ours(&text), saphyr(&text), yaml_rust2(&text));
        compared += 1;
        if a.is_some() && a == b && a.as_ref() != Some(&ours) && !is_known(&text) {
            wrong.push(format!("{text:?}: ours {ours}, theirs {a:?}"));
        }
    }
    assert!(compared > 1000, "{compared} texts");
    assert!(wrong.is_empty(), "{} of {compared}:\n{}", wrong.len(), wrong.join("\n"));
}
