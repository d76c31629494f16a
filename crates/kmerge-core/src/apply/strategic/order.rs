//! The order of a merged list: the patch's for the items that it names, the list's own for the others.

use std::collections::BTreeMap;

use super::directive::PATCH;
use super::error::Result;
use super::items::Identity;
use crate::value::{Data, Value};

/// Where each identity stands first.
pub(super) struct Ranks<'v>(BTreeMap<&'v Value, usize>);

impl<'v> Ranks<'v> {
    /// The ranks of items.
    ///
    /// # Errors
    ///
    /// Where an item has no identity.
    pub(super) fn of(items: &'v [Value], identity: Identity<'_>) -> Result<Self> {
        let identities = items.iter().map(|item| identity.of(item));
        Ok(Self::of_identities(identities.collect::<Result<Vec<_>>>()?))
    }

    /// The ranks of identities.
    pub(super) fn of_identities(identities: impl IntoIterator<Item = &'v Value>) -> Self {
        let mut ranks = BTreeMap::new();
        for (rank, identity) in identities.into_iter().enumerate() {
            ranks.entry(identity).or_insert(rank);
        }
        Self(ranks)
    }

    pub(super) fn get(&self, identity: &Value) -> Option<usize> {
        self.0.get(identity).copied()
    }
}

/// The items in the order of others; those to be deleted come last.
pub(super) fn by_order(items: Vec<Value>, order: &[Value], identity: Identity<'_>) -> Result<Vec<Value>> {
    ranked(items, &Ranks::of(order, identity)?, identity)
}

/// The items by rank; those to be deleted come last.
fn ranked(items: Vec<Value>, ranks: &Ranks<'_>, identity: Identity<'_>) -> Result<Vec<Value>> {
    let mut sorted = Vec::with_capacity(items.len());
    for item in items {
        sorted.push((is_deletion(&item), ranks.get(identity.of(&item)?), item));
    }
    sorted.sort_by_key(|(deletion, rank, _)| if *deletion { (true, None) } else { (false, *rank) });
    Ok(sorted.into_iter().map(|(_, _, item)| item).collect())
}

/// Whether the item is a mapping with `$patch: delete`.
pub(super) fn is_deletion(item: &Value) -> bool {
    item.get(PATCH).is_some_and(|directive| matches!(&directive.data, Data::Text(text) if text == "delete"))
}

/// Puts a merged list in order: items that `order` names by it, others by `own`; where one of the others and the next
/// named one both stand in `own`, the earlier goes first, otherwise the named one.
pub(super) fn enforce(
    merged: Vec<Value>,
    order: &Ranks<'_>,
    own: &Ranks<'_>,
    identity: Identity<'_>,
) -> Result<Vec<Value>> {
    let (mut named, mut others) = (Vec::new(), Vec::new());
    for item in merged {
        let is_named = order.get(identity.of(&item)?).is_some();
        if is_named { &mut named } else { &mut others }.push(item);
    }
    interleave(ranked(others, own, identity)?, ranked(named, order, identity)?, own, identity)
}

fn interleave(others: Vec<Value>, named: Vec<Value>, own: &Ranks<'_>, identity: Identity<'_>) -> Result<Vec<Value>> {
    let mut result = Vec::with_capacity(others.len() + named.len());
    let (mut others, mut named) = (others.into_iter().peekable(), named.into_iter().peekable());
    while let (Some(other), Some(next)) = (others.peek(), named.peek()) {
        let (other, next) = (own.get(identity.of(other)?), own.get(identity.of(next)?));
        let other_first = matches!((other, next), (Some(other), Some(next)) if other < next);
        result.extend(if other_first { others.next() } else { named.next() });
    }
    result.extend(others);
    result.extend(named);
    Ok(result)
}
