//! Random Kubernetes objects, changes of them, and patches: the same for the same seed.

mod patches;
mod shapes;

use serde_json::{Map, Value, json};

pub(crate) use patches::{json_patch, strategic_patch};
pub(crate) use shapes::{Shape, shape_of};

/// SplitMix64.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) const fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) const fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    pub(crate) const fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) const fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }

    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for at in (1..items.len()).rev() {
            items.swap(at, self.below(at + 1));
        }
    }
}

/// An object of a kind, without a name.
pub(crate) fn object(random: &mut Random, api_version: &str, kind: &str) -> Value {
    let mut object = json!({"apiVersion": api_version, "kind": kind});
    if let (Value::Object(object), Value::Object(fields)) = (&mut object, value(random, &shape_of(kind))) {
        object.extend(fields);
    }
    if !object["metadata"].is_object() {
        object["metadata"] = json!({});
    }
    object
}

/// A value of a shape.
pub(crate) fn value(random: &mut Random, shape: &Shape) -> Value {
    match shape {
        Shape::Scalar(values) => random.pick(values).clone(),
        Shape::Map(values) => {
            let keys = ["a", "b", "c", "x/y"];
            let keys = keys.into_iter().filter(|_| random.one_in(2)).collect::<Vec<_>>();
            keys.into_iter().map(|key| (key.to_owned(), random.pick(values).clone())).collect()
        }
        Shape::Object(fields) => {
            let mut object = Map::new();
            for (name, shape) in fields {
                if random.one_in(2) {
                    object.insert((*name).to_owned(), field(random, shape));
                }
            }
            Value::Object(object)
        }
        Shape::Keyed(key, keys, item) => {
            let mut keys = keys.clone();
            random.shuffle(&mut keys);
            keys.truncate(random.below(5));
            if random.one_in(20) && !keys.is_empty() {
                keys.push(keys[0].clone());
            }
            keys.into_iter().map(|value| keyed_item(random, key, value, item)).collect()
        }
        Shape::Set(values) => {
            let mut values = values.clone();
            random.shuffle(&mut values);
            values.truncate(random.below(4));
            if random.one_in(20) && !values.is_empty() {
                values.push(values[0].clone());
            }
            Value::Array(values)
        }
        Shape::List(item) => (0..random.below(4)).map(|_| value(random, item)).collect(),
    }
}

/// A value of a field: now and then null.
fn field(random: &mut Random, shape: &Shape) -> Value {
    if random.one_in(25) { Value::Null } else { value(random, shape) }
}

fn keyed_item(random: &mut Random, key: &str, key_value: Value, shape: &Shape) -> Value {
    let mut item = value(random, shape);
    if let Value::Object(item) = &mut item {
        item.insert(key.to_owned(), key_value);
    }
    item
}

/// Changes a value of a shape here and there.
pub(crate) fn mutate(random: &mut Random, target: &mut Value, shape: &Shape) {
    match (target, shape) {
        (Value::Object(object), Shape::Object(fields)) => {
            for (name, shape) in fields {
                match (object.get_mut(*name), random.below(10)) {
                    (Some(_), 0) => drop(object.remove(*name)),
                    (_, 1) => drop(object.insert((*name).to_owned(), field(random, shape))),
                    (Some(value), 2..=5) => mutate(random, value, shape),
                    _ => {}
                }
            }
        }
        (Value::Array(items), Shape::Keyed(key, keys, shape)) => {
            items.iter_mut().for_each(|item| {
                if random.one_in(3) {
                    mutate(random, item, shape);
                }
            });
            let used: Vec<Value> = items.iter().map(|item| item[*key].clone()).collect();
            let free: Vec<Value> = keys.iter().filter(|key| !used.contains(key)).cloned().collect();
            change_items(random, items, |random| {
                let key_value = (!free.is_empty()).then(|| random.pick(&free).clone())?;
                Some(keyed_item(random, key, key_value, shape))
            });
        }
        (Value::Array(items), Shape::Set(values)) => {
            change_items(random, items, |random| Some(random.pick(values).clone()))
        }
        (Value::Array(items), Shape::List(shape)) => {
            items.iter_mut().for_each(|item| {
                if random.one_in(3) {
                    mutate(random, item, shape);
                }
            });
            change_items(random, items, |random| Some(value(random, shape)));
        }
        (Value::Object(object), Shape::Map(values)) => {
            for key in ["a", "b", "c", "d"] {
                match random.below(6) {
                    0 => drop(object.remove(key)),
                    1 => drop(object.insert(key.to_owned(), random.pick(values).clone())),
                    _ => {}
                }
            }
        }
        (target, shape) => *target = value(random, shape),
    }
}

/// Removes, adds and moves items.
fn change_items(random: &mut Random, items: &mut Vec<Value>, new: impl Fn(&mut Random) -> Option<Value>) {
    if random.one_in(3) && !items.is_empty() {
        items.remove(random.below(items.len()));
    }
    for _ in 0..random.below(3) {
        if let Some(item) = new(random) {
            items.insert(random.below(items.len() + 1), item);
        }
    }
    if random.one_in(4) {
        random.shuffle(items);
    }
}
