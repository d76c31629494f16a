//! Keys of lists that no schema describes, inferred from the elements themselves.
//!
//! The key is the first of [`CANDIDATES`] that identifies: every element of every side carries it as a scalar, and no
//! side has a value twice. (A list of `{name, type}` whose types repeat is therefore keyed by `name`, although `type`
//! comes first.) One of [`LENT`] does not identify if it gives one element two names. An empty list agrees with any key.

use hashbrown::HashMap;
use kyaml_ast::{Kind, Node};

use super::Keys;
use super::element::{ElementId, NoIdentity, element_ids, scalar_text};
use crate::resource::{field, fields};

/// The keys that are tried, in this order.
pub(crate) const CANDIDATES: [&str; 7] =
    ["mountPath", "devicePath", "ip", "type", "topologyKey", "name", "containerPort"];

/// The keys that one element may have after another.
const LENT: [&str; 2] = ["ip", "type"];

/// What an element may be called beside such a key.
const NAMES: [&str; 3] = ["id", "name", "title"];

/// The key of a list, and the identity of each element; `sides` are the elements of each side that has the list.
///
/// # Errors
/// Why there is none.
pub(super) fn infer<'a>(sides: &[&[Node<'a>]]) -> Result<(&'static str, Vec<Vec<ElementId<'a>>>), NoIdentity> {
    let mut common = u8::MAX;
    for &item in sides.iter().copied().flatten() {
        if item.kind() != Kind::Mapping {
            return Err(NoIdentity::NotAMapping(item.span()));
        }
        common &= carried(item);
    }
    if sides.iter().all(|side| side.is_empty()) {
        return Err(NoIdentity::NoElements);
    }
    let candidates = CANDIDATES.iter().enumerate().filter(|(bit, _)| common & (1 << bit) != 0);
    let mut why = NoIdentity::NoCommonKey;
    for (_, candidate) in candidates {
        match sides.iter().map(|side| element_ids(side, Keys::one(candidate))).collect::<Result<Vec<_>, _>>() {
            Ok(ids) if is_contradicted(candidate, sides, &ids) => {}
            Ok(ids) => return Ok((candidate, ids)),
            Err(duplicate) if why == NoIdentity::NoCommonKey => why = duplicate,
            Err(_) => {}
        }
    }
    Err(why)
}

/// Whether elements of two sides have one key, and different names: then they are two things that have it in turn.
fn is_contradicted(key: &str, sides: &[&[Node<'_>]], ids: &[Vec<ElementId<'_>>]) -> bool {
    let names = if LENT.contains(&key) { NAMES.as_slice() } else { &[] };
    names.iter().any(|name| {
        let mut known = HashMap::new();
        sides.iter().zip(ids).flat_map(|(items, ids)| ids.iter().zip(items.iter())).any(|(id, item)| {
            let Some(text) = field(*item, name).and_then(scalar_text) else { return false };
            *known.entry(id).or_insert_with(|| text.clone()) != text
        })
    })
}

/// The candidates that an element carries as a scalar, one bit each.
fn carried(item: Node<'_>) -> u8 {
    let bit = |(key, value): (Node<'_>, Node<'_>)| {
        let name = key.kind().is_scalar().then(|| key.value())?;
        let bit = CANDIDATES.iter().position(|candidate| *candidate == name)?;
        scalar_text(value).map(|_| 1 << bit)
    };
    fields(item).filter_map(bit).fold(0, |bits, bit| bits | bit)
}
