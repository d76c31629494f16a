//! Applies against the answers of the real `kubectl apply`, recorded by `cargo xtask fixtures`.
//!
//! The patch that is sent is the same, what it leaves of the live object is the same in value and list order, and what
//! kubectl refuses is refused.
#![allow(clippy::unwrap_used)]

use kmerge_core::Schema;
use kmerge_core::apply::{Algorithm, ListKeys, ListOrder, PatchKind, Sides};
use kmerge_core::value::Value;
use serde_json::{Value as Json, json};

const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

fn value(json: &Json) -> Value {
    Value::from_json(&json.to_string()).unwrap()
}

fn plain(value: &Value) -> Json {
    serde_json::from_str(&value.to_json()).unwrap()
}

/// Our answer, in the form of the record.
fn answer(schema: &Schema, config: &Json, live: &Json, overwrite: bool) -> Json {
    let (config, live) = (value(config), value(live));
    let Ok(last_applied) = live.last_applied() else { return json!({"error": ""}) };
    let Some(live) = live.as_map() else { return json!({"created": plain(&config.created())}) };
    let config = config.annotated();
    let config = config.as_map().unwrap();
    let algorithm = Algorithm::of(schema, config, ListKeys::Smp);
    let sides = Sides { last_applied: last_applied.as_ref(), config, live };
    match algorithm.plan(&sides, overwrite) {
        Ok(planned) if planned.conflicts.is_empty() && planned.patch.is_empty() => json!({"unchanged": true}),
        Ok(planned) if planned.conflicts.is_empty() => {
            let mut result = live.clone();
            let applied = algorithm.apply(&mut result, planned.patch.clone(), ListOrder::Kubectl);
            let result = applied.ok().map(|()| plain(&Value::map(result)));
            let media_type = match algorithm.kind() {
                PatchKind::Strategic => "application/strategic-merge-patch+json",
                PatchKind::Merge | PatchKind::Json => "application/merge-patch+json",
            };
            json!({"type": media_type, "patch": plain(&Value::map(planned.patch)), "result": result})
        }
        Ok(_) | Err(_) => json!({"error": ""}),
    }
}

/// The recorded answer without what kubectl says.
fn comparable(recorded: &Json) -> Json {
    if recorded.get("error").is_some() { json!({"error": ""}) } else { recorded.clone() }
}

fn record() -> Json {
    let path = format!("{}/../../fixtures/kubectl/apply.json", env!("CARGO_MANIFEST_DIR"));
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

/// An object under the name and namespace of the record.
fn named(object: &Json) -> Json {
    let mut object = object.clone();
    object["metadata"]["name"] = "x".into();
    object["metadata"]["namespace"] = "default".into();
    object
}

/// What kubectl notes of an object.
fn note(object: &Json) -> String {
    let mut object = named(object);
    if object["metadata"]["annotations"].is_null() {
        object["metadata"]["annotations"] = json!({});
    }
    object.sort_all_objects();
    format!("{object}\n")
}

#[test]
fn every_combination_of_states_is_applied_as_kubectl_does() {
    let (schema, mut count, mut wrong) = (Schema::new(), 0, Vec::new());
    for group in record()["groups"].as_array().unwrap() {
        let object = |at: &Json| &group["objects"][at.as_u64().unwrap() as usize];
        for case in group["answers"].as_array().unwrap() {
            let (last, config, live) = (object(&case[0][0]), object(&case[0][1]), object(&case[0][2]));
            let mut annotated = named(live);
            annotated["metadata"]["annotations"][ANNOTATION] = note(last).into();
            let ours = answer(&schema, &named(config), &annotated, true);
            let note = json!(note(config)).to_string();
            let expected = comparable(&case[1]).to_string().replace("\"$config\"", &note);
            if ours != serde_json::from_str::<Json>(&expected).unwrap() {
                wrong.push(format!("{}: {last}\n  {config}\n  {live}\n  {expected}\n  {ours}", group["name"]));
            }
            count += 1;
        }
    }
    assert!(wrong.is_empty(), "{} differ\n{}", wrong.len(), wrong.join("\n"));
    assert!(count > 1500, "{count} combinations");
}

#[test]
fn random_objects_are_applied_as_kubectl_does() {
    let (schema, record) = (Schema::new(), record());
    for case in record["random"].as_array().unwrap() {
        let mut config = case["config"].clone();
        config["metadata"]["namespace"] = "default".into();
        let ours = answer(&schema, &config, &case["live"], case["overwrite"] == true);
        assert_eq!(ours, comparable(&case["answer"]), "{case}");
    }
}
