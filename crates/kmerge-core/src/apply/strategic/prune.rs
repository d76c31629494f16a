//! Removes from a new value what only has a meaning in a patch.

use super::directive::PATCH;
use crate::value::{Data, Value};

/// Removes null fields, also of mappings inside lists. Null items of lists stay.
pub(crate) fn without_nulls(value: &mut Value) {
    match &mut value.data {
        Data::Map(map) => {
            map.retain(|_, value| !value.is_null());
            map.values_mut().for_each(without_nulls);
        }
        Data::List(items) => items.iter_mut().for_each(without_nulls),
        _ => {}
    }
}

/// The value without mappings that have a `$patch`. `None` if the value itself is one.
pub(super) fn without_directives(mut value: Value) -> Option<Value> {
    match &mut value.data {
        Data::Map(map) if map.contains_key(PATCH) => return None,
        Data::Map(map) => {
            let fields = std::mem::take(map).into_iter();
            map.extend(fields.filter_map(|(key, value)| Some((key, without_directives(value)?))));
        }
        Data::List(items) => *items = std::mem::take(items).into_iter().filter_map(without_directives).collect(),
        _ => {}
    }
    Some(value)
}
