//! JSON merge patches (RFC 7386): applies them, and makes them from two objects, or from three as `kubectl apply` does
//! for kinds that it does not know.
//!
//! Lists are values: they are replaced as a whole. As in kubectl, applying a patch drops null fields of mappings inside
//! lists, and keeps null items.

mod three_way;

pub(crate) use three_way::three_way_patch;

use super::strategic::without_nulls;
use crate::value::{Data, Map, Value};

/// Applies a JSON merge patch to an object.
pub(crate) fn apply_patch(object: &mut Map, patch: Map) {
    for (key, value) in patch {
        if value.is_null() {
            object.remove(&key);
            continue;
        }
        match object.get_mut(&key) {
            Some(own) => merge_value(own, value),
            None => {
                object.insert(key, pruned(value));
            }
        }
    }
}

fn merge_value(own: &mut Value, value: Value) {
    let origin = value.origin;
    let Data::Map(fields) = &mut own.data else {
        *own = pruned(value);
        return;
    };
    match value.data {
        Data::Map(patch) => {
            apply_patch(fields, patch);
            own.patch = origin;
        }
        data => *own = Value::with_origin(data, origin),
    }
}

fn pruned(mut value: Value) -> Value {
    without_nulls(&mut value);
    value
}

/// The JSON merge patch from `old` to `new`. Nulls in `new` stay: they remove.
#[must_use]
pub(super) fn diff(old: &Map, new: &Map) -> Map {
    let mut patch = Map::new();
    for (key, value) in new {
        match (old.get(key).map(|old| &old.data), &value.data) {
            (Some(Data::Map(old)), Data::Map(new)) => {
                let below = diff(old, new);
                if !below.is_empty() {
                    patch.insert(key.clone(), Value::with_origin(Data::Map(below), value.origin));
                }
            }
            (Some(old), new) if same(old, new) => {}
            _ => {
                patch.insert(key.clone(), value.clone());
            }
        }
    }
    let gone = old.keys().filter(|key| !new.contains_key(*key));
    patch.extend(gone.map(|key| (key.clone(), Value::null())));
    patch
}

/// Whether two values are the same JSON. Numbers have no types there.
fn same(a: &Data, b: &Data) -> bool {
    match (a, b) {
        (Data::Int(int), Data::Float(float)) | (Data::Float(float), Data::Int(int)) => float.get() == *int as f64,
        (Data::List(a), Data::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(&a.data, &b.data)),
        (Data::Map(a), Data::Map(b)) => {
            a.len() == b.len()
                && a.iter().zip(b).all(|((a_key, a), (b_key, b))| a_key == b_key && same(&a.data, &b.data))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::{apply_patch, diff};
    use crate::value::{Map, Value};

    fn map(json: &str) -> Map {
        Value::from_json(json).unwrap().as_map().unwrap().clone()
    }

    #[test]
    fn applies_as_the_standard_says() {
        let cases = [
            (r#"{"a":"b"}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"b":"c"}"#, r#"{"a":"b","b":"c"}"#),
            (r#"{"a":"b"}"#, r#"{"a":null}"#, "{}"),
            (r#"{"a":["b"]}"#, r#"{"a":"c"}"#, r#"{"a":"c"}"#),
            (r#"{"a":{"b":"c"}}"#, r#"{"a":{"b":"d","c":null}}"#, r#"{"a":{"b":"d"}}"#),
            (r#"{"a":[{"b":"c"}]}"#, r#"{"a":[1]}"#, r#"{"a":[1]}"#),
            (r#"{"e":null}"#, r#"{"a":1}"#, r#"{"a":1,"e":null}"#),
            ("{}", r#"{"a":{"bb":{"ccc":null}}}"#, r#"{"a":{"bb":{}}}"#),
            (r#"{"l":1}"#, r#"{"l":[{"q":null},null]}"#, r#"{"l":[{},null]}"#),
        ];
        for (object, patch, result) in cases {
            let mut object = map(object);
            apply_patch(&mut object, map(patch));
            assert_eq!(Value::map(object).to_json(), result);
        }
    }

    #[test]
    fn a_difference_leads_to_the_other_object() {
        let objects = [r#"{"a":1,"b":{"c":[1]}}"#, r#"{"b":{"c":[1,{"d":2}],"e":{}}}"#, r#"{"b":5}"#, "{}"];
        for old in objects {
            for new in objects {
                let mut object = map(old);
                apply_patch(&mut object, diff(&map(old), &map(new)));
                assert_eq!(Value::map(object).to_json(), new, "from {old}");
            }
        }
    }
}
