//! What kubectl and kpt accept is accepted, with kubectl's reading; `fixtures/acceptance/cases.json` holds their recorded
//! answers, and a `reason` for each case where we answer differently on purpose.

#![allow(clippy::unwrap_used)] // Helpers of tests, which the lint's exception for tests does not reach.

use kyaml_ast::{Document, Kind, Node, Resolved, Scalar, ScalarSchema, Stream, resolve_scalar};
use serde_json::{Map, Value, json};
use std::collections::HashMap;

#[test]
fn recorded_answers() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/acceptance/cases.json");
    let cases: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let failures: Vec<String> = cases.iter().filter_map(check).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// What is wrong with a case: an answer of our own without a reason, or a reason that no answer needs.
fn check(case: &Value) -> Option<String> {
    let name = case["name"].as_str().unwrap();
    let source = input(case);
    let difference = difference(case, &source);
    match (difference, case.get("reason")) {
        (Some(found), None) => Some(format!("{name}: {found}")),
        (None, Some(_)) => Some(format!("{name}: agrees, its reason is stale")),
        _ => None,
    }
}

fn input(case: &Value) -> Vec<u8> {
    if let Some(text) = case["input"].as_str() {
        return text.as_bytes().to_vec();
    }
    let digits = case["inputHex"].as_str().unwrap();
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

fn difference(case: &Value, source: &[u8]) -> Option<String> {
    let accepted = case["kubectl"].is_array() || case["kpt"] == true;
    let stream = match (Stream::parse_bytes(source), accepted) {
        (Ok(_), false) => return Some("accepted by us only".to_owned()),
        (Err(error), true) => return Some(format!("refused by us only: {error}")),
        (Err(_), false) => return None,
        (Ok(stream), true) => stream,
    };
    stream.check_tape().unwrap();
    let reading = case["kubectl"].as_array()?;
    let mut anchors = HashMap::new();
    let roots = stream.documents().filter_map(Document::root);
    let ours: Vec<Value> = roots.map(|root| read(root, &mut anchors)).filter(|value| !value.is_null()).collect();
    (&ours != reading).then(|| format!("we read {}, kubectl {}", json!(ours), json!(reading)))
}

type Anchors<'t> = HashMap<&'t str, Value>;

/// The JSON that kubectl would make of a node. Recursive, which is fine for the fixtures.
fn read<'t>(node: Node<'t>, anchors: &mut Anchors<'t>) -> Value {
    let value = match node.kind() {
        Kind::Alias => node.alias().and_then(|name| anchors.get(name)).cloned().unwrap_or(json!("undefined alias")),
        Kind::Sequence => node.children().map(|item| read(item, anchors)).collect(),
        Kind::Mapping => read_mapping(node, anchors),
        _ => read_scalar(node),
    };
    if let Some(name) = node.anchor() {
        anchors.insert(name, value.clone());
    }
    value
}

fn read_mapping<'t>(node: Node<'t>, anchors: &mut Anchors<'t>) -> Value {
    let mut own = Map::new();
    let mut merged = Map::new();
    let children: Vec<Node<'t>> = node.children().collect();
    for entry in children.chunks(2) {
        let key = read(entry[0], anchors);
        let value = read(entry[1], anchors);
        let name = key.as_str().map_or_else(|| key.to_string(), ToOwned::to_owned);
        if name == "<<" {
            let maps = if value.is_array() { value.as_array().cloned().unwrap() } else { vec![value] };
            for map in maps {
                for (name, value) in map.as_object().unwrap() {
                    merged.entry(name.clone()).or_insert(value.clone());
                }
            }
        } else {
            own.insert(name, value);
        }
    }
    merged.extend(own);
    Value::Object(merged)
}

fn read_scalar(node: Node<'_>) -> Value {
    let text = node.value();
    let scalar = Scalar { kind: node.kind(), tag: node.tag(), text: &text };
    match resolve_scalar(scalar, ScalarSchema::Kube11) {
        Resolved::Null => Value::Null,
        Resolved::Bool(value) => json!(value),
        Resolved::Int(value) => json!(value as i64),
        Resolved::BigInt(text) => json!(text),
        Resolved::Float(value) if value.fract() == 0.0 => json!(value as i64),
        Resolved::Float(value) => json!(value),
        Resolved::String(text) | Resolved::Tagged { text, .. } => json!(text),
    }
}
