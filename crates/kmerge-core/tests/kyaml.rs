//! What kustomize's kyaml and kpt answer to the same merges: ours agrees, or the difference is listed with its reason.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::BTreeMap;
use std::path::Path;

use kmerge_core::{ConflictStyle, ListOrder, MergeError, Policy, Schema, Slots, merge, render, same_value};
use kyaml_ast::{Document, Stream};
use serde_json::Value;

fn read(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/kyaml").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Ours, as the probe wants it merged.
fn ours(probe: &Value) -> Result<String, MergeError> {
    let parse = |name: &str| probe[name].as_str().map(|text| Stream::parse(text).unwrap());
    let (dest, base) = (parse("dest"), parse("original"));
    let incoming = parse("updated").or_else(|| parse("source"));
    let sides = Slots { dest: dest.as_ref(), base: base.as_ref(), incoming: incoming.as_ref() };
    let order = if probe["prepend"] == true { ListOrder::Prepend } else { ListOrder::Append };
    let preset = if base.is_some() { Policy::MERGE3 } else { Policy::MERGE2 };
    let plan = merge(sides, &Schema::new(), &Policy { order, ..preset })?;
    let result = render(&plan, sides, &ConflictStyle::Dest)?;
    Stream::parse(&result).unwrap_or_else(|error| panic!("{}: {error}\n{result}", probe["name"]));
    Ok(result)
}

/// Whether two answers mean the same, list order included.
fn is_same(ours: &str, theirs: &str) -> bool {
    let (ours, theirs) = (Stream::parse(ours).unwrap(), Stream::parse(theirs).unwrap());
    let root = |stream| Stream::documents(stream).next().and_then(Document::root);
    match (root(&ours), root(&theirs)) {
        (Some(ours), Some(theirs)) => same_value(ours, theirs),
        (ours, theirs) => ours.is_none() == theirs.is_none(),
    }
}

#[test]
fn every_probe_agrees_or_differs_for_a_listed_reason() {
    let listed: toml::Table = read("divergences.toml").parse().unwrap();
    let mut reasons = BTreeMap::new();
    for group in listed["group"].as_array().unwrap() {
        assert!(group["reason"].as_str().is_some_and(|reason| reason.len() > 20), "a reason says why: {group:?}");
        for name in group["probes"].as_array().unwrap() {
            let name = name.as_str().unwrap();
            assert!(reasons.insert(name.to_owned(), ()).is_none(), "{name} is listed twice");
        }
    }
    let probes: Value = serde_json::from_str(&read("probes.json")).unwrap();
    let (mut agree, mut wrong) = (0, String::new());
    for probe in probes["probes"].as_array().unwrap() {
        let name = probe["name"].as_str().unwrap();
        let ours = ours(probe);
        let is_same = match (&ours, probe["answer"].as_str()) {
            (Ok(ours), Some(theirs)) => is_same(ours, theirs),
            (Err(_), None) => true,
            _ => false,
        };
        agree += usize::from(is_same);
        let is_listed = reasons.remove(name).is_some();
        if is_same == is_listed {
            let what = if is_same { "is listed, but agrees" } else { "differs" };
            wrong += &format!("{name} {what}\n{}", show(probe, ours.as_deref()));
        }
    }
    assert!(wrong.is_empty(), "{wrong}\n{agree} agree");
    assert!(reasons.is_empty(), "no such probe: {reasons:?}");
}

fn show(probe: &Value, ours: Result<&str, &MergeError>) -> String {
    let text = |name: &str| probe[name].as_str().map(|text| format!("  {name}:\n{text}")).unwrap_or_default();
    let inputs = ["original", "updated", "source", "dest", "answer", "error"].map(text).concat();
    format!("{inputs}  ours:\n{}\n", ours.map_or_else(ToString::to_string, str::to_owned))
}
