//! Random patches as people write them, directives included.

use serde_json::{Map, Value, json};

use super::{Random, Shape, field, value};

/// A strategic merge patch for an object of a shape.
pub(crate) fn strategic_patch(random: &mut Random, shape: &Shape) -> Value {
    match shape {
        Shape::Object(fields) => {
            let mut patch = Map::new();
            for (name, shape) in fields {
                if random.one_in(3) {
                    add_field(random, name, shape, &mut patch);
                }
            }
            add_directive(random, &mut patch);
            Value::Object(patch)
        }
        _ => value(random, shape),
    }
}

fn add_field(random: &mut Random, name: &str, shape: &Shape, patch: &mut Map<String, Value>) {
    match shape {
        Shape::Object(_) if !random.one_in(12) => drop(patch.insert(name.to_owned(), strategic_patch(random, shape))),
        Shape::Keyed(key, keys, item) => add_keyed(random, name, (key, keys, item), patch),
        Shape::Set(values) => add_set(random, name, values, patch),
        Shape::Map(_) => {
            let mut inside = value(random, shape);
            if let Value::Object(inside) = &mut inside {
                if random.one_in(3) {
                    inside.insert("b".to_owned(), Value::Null);
                }
                add_directive(random, inside);
            }
            patch.insert(name.to_owned(), inside);
        }
        _ => drop(patch.insert(name.to_owned(), field(random, shape))),
    }
}

/// Now and then `$patch` or `$retainKeys`.
fn add_directive(random: &mut Random, patch: &mut Map<String, Value>) {
    match random.below(40) {
        0 => drop(patch.insert("$patch".to_owned(), json!("replace"))),
        1 => drop(patch.insert("$patch".to_owned(), json!("delete"))),
        2 => {
            let mut kept: Vec<Value> = patch.keys().filter(|key| !key.starts_with('$')).map(|key| json!(key)).collect();
            kept.push(json!("kept"));
            patch.insert("$retainKeys".to_owned(), Value::Array(kept));
        }
        3 => drop(patch.insert("$retainKeys".to_owned(), json!(["name"]))),
        _ => {}
    }
}

fn add_keyed(
    random: &mut Random,
    name: &str,
    (key, keys, shape): (&str, &[Value], &Shape),
    patch: &mut Map<String, Value>,
) {
    let mut keys = keys.to_vec();
    random.shuffle(&mut keys);
    let with_key = |value: &Value| Value::Object(Map::from_iter([(key.to_owned(), value.clone())]));
    let count = random.below(keys.len() + 1).min(3);
    let mut items: Vec<Value> = Vec::new();
    for value in &keys[..count] {
        let mut item = strategic_patch(random, shape);
        item[key] = value.clone();
        if random.one_in(4) {
            item = with_key(value);
            item["$patch"] = json!("delete");
        }
        items.push(item);
    }
    if random.one_in(15) {
        items.insert(0, json!({"$patch": "replace"}));
    }
    if random.one_in(3) && count < keys.len() {
        // Sometimes the order misses an item of the patch, which is an error.
        let from = if random.one_in(10) { 1.min(count) } else { 0 };
        let order: Vec<Value> = keys[from..].iter().take(1 + count + random.below(2)).map(with_key).collect();
        if !order.is_empty() {
            patch.insert(format!("$setElementOrder/{name}"), Value::Array(order));
        }
    }
    patch.insert(name.to_owned(), Value::Array(items));
}

fn add_set(random: &mut Random, name: &str, values: &[Value], patch: &mut Map<String, Value>) {
    let mut values = values.to_vec();
    random.shuffle(&mut values);
    let half = values.len() / 2;
    let (added, deleted) = values.split_at(half);
    match random.below(4) {
        0 => drop(patch.insert(name.to_owned(), json!(added))),
        1 => drop(patch.insert(format!("$deleteFromPrimitiveList/{name}"), json!(deleted))),
        2 => {
            patch.insert(name.to_owned(), json!(added));
            patch.insert(format!("$setElementOrder/{name}"), json!(values));
            patch.insert(format!("$deleteFromPrimitiveList/{name}"), json!(deleted));
        }
        _ => drop(patch.insert(format!("$setElementOrder/{name}"), json!(values))),
    }
}

/// A JSON patch for an object: operations on places that it has, and on some that it lacks.
pub(crate) fn json_patch(random: &mut Random, object: &Value) -> Value {
    let mut places = Vec::new();
    collect(object, String::new(), &mut places);
    places.retain(|place| !place.starts_with("/kind") && !place.starts_with("/apiVersion") && place != "/metadata");
    places.push("/spec/none/x".to_owned());
    let count = 1 + random.below(2);
    let mut operations = Vec::new();
    for _ in 0..count {
        let (path, other) = (random.pick(&places).clone(), random.pick(&places).clone());
        let end = if object.pointer(&path).is_some_and(Value::is_array) { 2 } else { 20 };
        let path = if random.one_in(end) { format!("{path}/-") } else { path };
        operations.push(match random.below(6) {
            0 => json!({"op": "add", "path": path, "value": {"n": null, "x": [1]}}),
            1 => json!({"op": "remove", "path": path}),
            2 => json!({"op": "replace", "path": path, "value": "new"}),
            3 => json!({"op": "test", "path": path, "value": object.pointer(&path)}),
            4 => json!({"op": "copy", "from": other, "path": path}),
            _ => json!({"op": "move", "from": other, "path": path}),
        });
    }
    Value::Array(operations)
}

fn collect(value: &Value, path: String, places: &mut Vec<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                collect(value, format!("{path}/{}", key.replace('~', "~0").replace('/', "~1")), places);
            }
        }
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                collect(item, format!("{path}/{index}"), places);
            }
        }
        _ => {}
    }
    if !path.is_empty() {
        places.push(path);
    }
}
