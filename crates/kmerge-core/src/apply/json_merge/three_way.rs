//! The JSON merge patch that `kubectl apply` sends: deletions from last-applied to configuration, additions and changes
//! from live to configuration.

use super::{apply_patch, diff};
use crate::apply::algorithm::Sides;
use crate::apply::error::PatchError;
use crate::value::{Data, Map, Value};

/// The patch that applies a configuration to a live object of an unknown kind. Empty if nothing has to change.
///
/// # Errors
///
/// If the objects are not versions of one object.
pub(crate) fn three_way_patch(sides: &Sides<&Map>) -> Result<Map, PatchError> {
    let additions = without_deletions(diff(sides.live, sides.config));
    let mut patch = sides.last_applied.map_or_else(Map::new, |last| only_deletions(&diff(last, sides.config)));
    if contradict(&additions, &patch) {
        return Err(PatchError::Contradiction);
    }
    apply_patch(&mut patch, additions);
    check_identity(&patch).map(|()| patch)
}

/// The patch without nulls. Mappings with nothing else are dropped; mappings that were empty stay.
fn without_deletions(patch: Map) -> Map {
    let mut kept = Map::new();
    for (key, value) in patch {
        match value.data {
            Data::Null => {}
            Data::Map(fields) if !fields.is_empty() => {
                let fields = without_deletions(fields);
                if !fields.is_empty() {
                    kept.insert(key, Value::with_origin(Data::Map(fields), value.origin));
                }
            }
            data => {
                kept.insert(key, Value::with_origin(data, value.origin));
            }
        }
    }
    kept
}

/// The patch's nulls, and the mappings that lead to them.
fn only_deletions(patch: &Map) -> Map {
    let mut kept = Map::new();
    for (key, value) in patch {
        match &value.data {
            Data::Null => {
                kept.insert(key.clone(), Value::null());
            }
            Data::Map(fields) => {
                let fields = only_deletions(fields);
                if !fields.is_empty() {
                    kept.insert(key.clone(), Value::map(fields));
                }
            }
            _ => {}
        }
    }
    kept
}

/// Whether a field is in both halves with different values. (A mapping in both is no problem.)
fn contradict(additions: &Map, deletions: &Map) -> bool {
    additions.iter().any(|(key, added)| match (&added.data, deletions.get(key).map(|value| &value.data)) {
        (_, None) => false,
        (Data::Map(added), Some(Data::Map(deleted))) => contradict(added, deleted),
        (added, Some(deleted)) => added != deleted,
    })
}

fn check_identity(patch: &Map) -> Result<(), PatchError> {
    let has_name = patch.get("metadata").is_some_and(|metadata| metadata.get("name").is_some());
    let changed = [
        (patch.contains_key("apiVersion"), "apiVersion"),
        (patch.contains_key("kind"), "kind"),
        (has_name, "metadata.name"),
    ];
    let first = changed.into_iter().find(|(changed, _)| *changed);
    first.map_or(Ok(()), |(_, field)| Err(PatchError::Identity(field)))
}
