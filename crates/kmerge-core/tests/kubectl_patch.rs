//! Patches on values against the answers of the real `kubectl patch --local`, recorded by `cargo xtask fixtures`.
//!
//! Every answer is the same, refusals included, except those in `patch-divergences.json`, each with its reason; one that
//! no longer diverges fails.
#![allow(clippy::unwrap_used)]

use kmerge_core::Schema;
use kmerge_core::apply::{ListKeys, ListOrder, PatchKind, PatchOptions};
use kmerge_core::value::Value;
use serde_json::Value as Json;

fn fixture(name: &str) -> Json {
    let path = format!("{}/../../fixtures/kubectl/{name}", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn value(json: &Json) -> Value {
    Value::from_json(&json.to_string()).unwrap()
}

/// What we make of a patch; `None` where we refuse it.
fn patched(schema: &Schema, object: &Value, patch: &Value, kind: &str) -> Option<Value> {
    let mut object = object.clone();
    let kind = match kind {
        "strategic" => PatchKind::Strategic,
        "merge" => PatchKind::Merge,
        _ => PatchKind::Json,
    };
    let options = PatchOptions { schema, keys: ListKeys::Smp, order: ListOrder::Kubectl };
    object.patch(patch, kind, options).ok()?;
    Some(object)
}

/// The objects of a group on which our answer to a patch differs, with both answers.
fn differences(schema: &Schema, group: &Json, case: &Json) -> Vec<String> {
    let show = |value: Option<Value>| value.map_or("refused".to_owned(), |value| value.to_json());
    let objects = group["objects"].as_array().unwrap().iter().map(value);
    let pairs = objects.zip(case["answers"].as_array().unwrap());
    let compared = pairs.filter_map(|(object, answer)| {
        let ours = patched(schema, &object, &value(&case["patch"]), group["type"].as_str().unwrap());
        let kubectls = answer.get("result").map(value);
        (ours != kubectls).then(|| {
            format!("{}\n  ours    {}\n  kubectl {} {}", object.to_json(), show(ours), show(kubectls), answer["error"])
        })
    });
    compared.collect()
}

#[test]
fn answers_as_kubectl_does() {
    let schema = Schema::new();
    let (record, known) = (fixture("patch.json"), fixture("patch-divergences.json"));
    let mut known = known.as_array().unwrap().clone();
    let (mut wrong, mut answers) = (Vec::new(), 0);
    for group in record["groups"].as_array().unwrap() {
        for case in group["patches"].as_array().unwrap() {
            answers += case["answers"].as_array().unwrap().len();
            let differences = differences(&schema, group, case);
            let position =
                known.iter().position(|known| known["group"] == group["name"] && known["patch"] == case["patch"]);
            if differences.is_empty() {
                continue;
            }
            match position {
                Some(at) => drop(known.remove(at)),
                None => wrong.push(format!("{} {}\non {}", group["name"], case["patch"], differences.join("\non "))),
            }
        }
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
    assert!(known.is_empty(), "no longer divergent: {known:?}");
    assert!(answers > 5000, "{answers} answers");
}
