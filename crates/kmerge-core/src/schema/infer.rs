//! Keys of lists that no schema describes, inferred from the elements themselves.
//!
//! The key is the first of [`CANDIDATES`] that identifies: every element of every side carries it as a scalar, and no
//! side has a value twice. (A list of `{name, type}` whose types repeat is therefore keyed by `name`, although `type`
//! comes first.) An empty list agrees with any key.

use kyaml_ast::{Kind, Node};

use super::Keys;
use super::element::{ElementId, NoIdentity, element_ids, scalar_text};
use crate::resource::fields;

/// The keys that are tried, in this order.
pub(crate) const CANDIDATES: [&str; 7] =
    ["mountPath", "devicePath", "ip", "type", "topologyKey", "name", "containerPort"];

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
        match sides.iter().map(|side| element_ids(side, Keys::one(candidate))).collect() {
            Ok(ids) => return Ok((candidate, ids)),
            Err(duplicate) if why == NoIdentity::NoCommonKey => why = duplicate,
            Err(_) => {}
        }
    }
    Err(why)
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
