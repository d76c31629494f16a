//! Accepts what people may write in a patch and kubectl does not accept: `$patch: merge`, which asks for the default.
//!
//! It is also stricter than kubectl: an unknown `$patch` is an error at any place, even if there is nothing to patch.

use kyaml_ast::Segment;

use super::directive::PATCH;
use super::error::Result;
use super::merge::unknown_directive;
use crate::value::{Data, Map, Value};

/// Removes `$patch: merge` from a patch.
///
/// # Errors
///
/// An unknown `$patch`.
pub(crate) fn without_merge_directives(patch: &mut Map) -> Result<()> {
    match patch.get(PATCH).map(|directive| (directive, directive.as_text())) {
        Some((_, Some("merge"))) => drop(patch.remove(PATCH)),
        None | Some((_, Some("replace" | "delete"))) => {}
        Some((directive, _)) => return Err(unknown_directive(directive)),
    }
    patch.iter_mut().try_for_each(|(key, value)| in_value(value).map_err(|error| error.under(key)))
}

/// As for mappings. An item with nothing but the directive is about its list, and is removed.
fn in_value(value: &mut Value) -> Result<()> {
    match &mut value.data {
        Data::Map(map) => without_merge_directives(map),
        Data::List(items) => {
            items.retain(|item| !says_only_merge(item));
            let mut items = items.iter_mut().enumerate();
            items.try_for_each(|(at, item)| in_value(item).map_err(|error| error.inside(Segment::Index(at as i64))))
        }
        _ => Ok(()),
    }
}

fn says_only_merge(item: &Value) -> bool {
    let is_alone = item.as_map().is_some_and(|map| map.len() == 1);
    is_alone && item.get(PATCH).and_then(Value::as_text) == Some("merge")
}
