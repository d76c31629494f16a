//! Laws of reconciling, on random documents in random styles. Any document can get any value (`reconcile` itself checks
//! this by reading its result again). A document that already has the wanted value does not change by a byte.
mod random;

use kyaml_ast::{Stream, StreamId};

use self::random::{Random, document, mapping, value};
use super::{Change, Comments, reconcile};
use crate::value::{Data, Reader, Source, Value};

fn read(stream: &Stream<'_>, id: u32) -> Value {
    let document = stream.documents().next().unwrap();
    Reader::new(&Source::new(stream), StreamId(id)).document(document).unwrap().unwrap()
}

/// Rewrites `text` to have the value that `wanted` makes of its value.
fn rewritten(text: &str, other: &str, wanted: &Value, comments: Comments) -> Result<String, String> {
    let (stream, other) = (Stream::parse(text).unwrap(), Stream::parse(other).unwrap());
    let document = stream.documents().next().unwrap().id();
    let change = Change::Rewrite { document, own: read(&stream, 0), wanted: wanted.clone() };
    let sources = [Source::new(&stream), Source::new(&other)];
    reconcile(&[&sources[0], &sources[1]], StreamId(0), vec![change], comments).map_err(|error| error.to_string())
}

/// Changes a value at random places. New parts come from `other`, or have no origin.
fn mutate(random: &mut Random, value_: &mut Value, other: &Value) {
    match &mut value_.data {
        Data::List(items) => {
            items.iter_mut().for_each(|item| {
                if random.one_in(4) {
                    mutate(random, item, other);
                }
            });
            for _ in 0..random.below(3) {
                let at = random.below(items.len() + 1);
                match random.below(4) {
                    0 => items.insert(at, part(random, other)),
                    1 if at < items.len() => drop(items.remove(at)),
                    2 if at < items.len() => items.swap(0, at),
                    3 if at < items.len() => items[at] = part(random, other),
                    _ => {}
                }
            }
        }
        Data::Map(map) => {
            let keys: Vec<String> = map.keys().cloned().collect();
            for key in keys {
                match random.below(9) {
                    0 => drop(map.remove(&key)),
                    1 => drop(map.insert(key, part(random, other))),
                    2..=4 => map.get_mut(&key).into_iter().for_each(|value| mutate(random, value, other)),
                    _ => {}
                }
            }
            if random.one_in(3) {
                let new = other.as_map().cloned().unwrap_or_default();
                map.extend(new.into_iter().filter(|_| random.one_in(2)));
            }
            if random.one_in(4) {
                map.insert("new".to_owned(), part(random, other));
            }
        }
        _ => *value_ = part(random, other),
    }
}

/// A part of `other`, or a value without an origin.
fn part(random: &mut Random, other: &Value) -> Value {
    if random.one_in(3) {
        return value(random, 2);
    }
    let mut found = other;
    while !random.one_in(3) {
        found = match &found.data {
            Data::List(items) if !items.is_empty() => random.pick(items),
            Data::Map(map) if !map.is_empty() => map.values().nth(random.below(map.len())).unwrap(),
            _ => break,
        };
    }
    found.clone()
}

#[test]
fn every_document_can_mean_anything() {
    for seed in (0..3000).chain([4787, 7234, 20910, 22714, 59042]) {
        let mut random = Random(seed);
        let (root, root_other) = (mapping(&mut random, 3), mapping(&mut random, 3));
        let mut text = document(&mut random, &root);
        let other_text = document(&mut random, &root_other);
        if random.one_in(8) {
            text = text.trim_end_matches('\n').to_owned();
        }
        if random.one_in(8) {
            text = text.replace('\n', "\r\n");
        }
        let (stream, other) = (Stream::parse(&text), Stream::parse(&other_text));
        let (Ok(stream), Ok(other)) = (stream, other) else { panic!("seed {seed}: not YAML:\n{text}\n{other_text}") };
        let (own, other) = (read(&stream, 0), read(&other, 1));
        assert_eq!(own, root, "seed {seed}:\n{text}");
        let mut wanted = own.clone();
        assert_eq!(rewritten(&text, &other_text, &wanted, Comments::OfPatch).as_ref(), Ok(&text), "seed {seed}");
        mutate(&mut random, &mut wanted, &other);
        let comments = if random.one_in(2) { Comments::OfChanges } else { Comments::OfPatch };
        let result = rewritten(&text, &other_text, &wanted, comments);
        let wanted_json = wanted.to_json();
        let result = result.unwrap_or_else(|error| {
            panic!("seed {seed}: {error}\n--- own\n{text}\n--- other\n{other_text}\n--- wanted\n{wanted_json}")
        });
        let again = rewritten(&result, &other_text, &read(&Stream::parse(&result).unwrap(), 0), Comments::OfChanges);
        assert_eq!(again.as_ref(), Ok(&result), "seed {seed}");
    }
}
