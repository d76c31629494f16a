//! The order of a merged list: items that the patch names have the patch's order, others the list's own.

use std::collections::BTreeMap;

use super::directive::PATCH;
use super::error::Result;
use super::items::Identity;
use crate::policy::ListOrder;
use crate::value::{Data, Value};

/// The first position of each identity.
pub(super) struct Ranks(BTreeMap<Value, usize>);

impl Ranks {
    /// The ranks of identities.
    pub(super) fn of(identities: impl IntoIterator<Item = Value>) -> Self {
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

/// The items in the given order. Items to delete come last.
pub(super) fn by_order(items: Vec<Value>, order: &[Value], identity: Identity<'_>) -> Result<Vec<Value>> {
    ranked(items, &Ranks::of(identity.of_all(order)?), identity)
}

/// The items by rank. Items to delete come last.
fn ranked(items: Vec<Value>, ranks: &Ranks, identity: Identity<'_>) -> Result<Vec<Value>> {
    let mut sorted = Vec::with_capacity(items.len());
    for item in items {
        sorted.push((is_deletion(&item), ranks.get(&identity.of(&item)?), item));
    }
    sorted.sort_by_key(|(deletion, rank, _)| if *deletion { (true, None) } else { (false, *rank) });
    Ok(sorted.into_iter().map(|(_, _, item)| item).collect())
}

/// Whether the item is a mapping with `$patch: delete`.
pub(super) fn is_deletion(item: &Value) -> bool {
    item.get(PATCH).is_some_and(|directive| matches!(&directive.data, Data::Text(text) if text == "delete"))
}

/// Puts a merged list in order. Items that `order` names are in its order. The other items are in the order of `own`.
/// If one of the others and the next named item are both in `own`, the one that is earlier in `own` goes first.
/// Otherwise the named item goes first.
pub(super) fn enforce(merged: Vec<Value>, order: &Ranks, own: &Ranks, identity: Identity<'_>) -> Result<Vec<Value>> {
    let (mut named, mut others) = (Vec::new(), Vec::new());
    for item in merged {
        let is_named = order.get(&identity.of(&item)?).is_some();
        if is_named { &mut named } else { &mut others }.push(item);
    }
    interleave(ranked(others, own, identity)?, ranked(named, order, identity)?, own, identity)
}

fn interleave(others: Vec<Value>, named: Vec<Value>, own: &Ranks, identity: Identity<'_>) -> Result<Vec<Value>> {
    let mut result = Vec::with_capacity(others.len() + named.len());
    let (mut others, mut named) = (others.into_iter().peekable(), named.into_iter().peekable());
    while let (Some(other), Some(next)) = (others.peek(), named.peek()) {
        let (other, next) = (own.get(&identity.of(other)?), own.get(&identity.of(next)?));
        let other_first = matches!((other, next), (Some(other), Some(next)) if other < next);
        result.extend(if other_first { others.next() } else { named.next() });
    }
    result.extend(others);
    result.extend(named);
    Ok(result)
}

/// The place of new items.
#[derive(Clone, Copy)]
pub(super) struct NewItems<'v> {
    /// Identities in the order of the patch.
    pub(super) order: &'v [Value],
    pub(super) place: ListOrder,
}

/// Puts a merged list in order so that no old item moves. A new item goes after the nearest item before it in the
/// patch's order that the list has. If there is none, before the nearest such item after it; else to the end. The first
/// `kept` items are the old ones.
pub(super) fn keep(merged: Vec<Value>, kept: usize, new: NewItems<'_>, identity: Identity<'_>) -> Result<Vec<Value>> {
    let mut merged = merged;
    let mut added: BTreeMap<Value, Vec<Value>> = BTreeMap::new();
    for item in merged.split_off(kept) {
        added.entry(identity.of(&item)?).or_default().push(item);
    }
    let places = Ranks::of(identity.of_all(&merged)?);
    let mut slots: Vec<Vec<Value>> = vec![Vec::new(); merged.len() + 1];
    let behind = || new.order.iter().find_map(|wanted| places.get(wanted));
    let mut slot = match new.place {
        ListOrder::Prepend => 0,
        ListOrder::Append => merged.len(),
        ListOrder::Neighbour => behind().unwrap_or(merged.len()),
    };
    for wanted in new.order {
        match places.get(wanted) {
            Some(place) if new.place == ListOrder::Neighbour => slot = place + 1,
            Some(_) => {}
            None => slots[slot].extend(added.remove(wanted).unwrap_or_default()),
        }
    }
    let unnamed = if new.place == ListOrder::Prepend { 0 } else { merged.len() };
    slots[unnamed].extend(added.into_values().flatten());
    let mut slots = slots.into_iter();
    let mut result = slots.next().unwrap_or_default();
    for (item, behind) in merged.into_iter().zip(slots) {
        result.push(item);
        result.extend(behind);
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The result of `keep` for a list of words. New words stand after the bar.
    fn kept(list: &str, order: &str) -> String {
        let (own, new) = list.split_once('|').unwrap();
        let words = |text: &str| text.split_whitespace().map(Value::text).collect::<Vec<_>>();
        let order = words(order);
        let place = NewItems { order: &order, place: ListOrder::Neighbour };
        let kept = keep([words(own), words(new)].concat(), words(own).len(), place, Identity::Itself).unwrap();
        kept.iter().filter_map(Value::as_text).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn new_items_stand_by_their_neighbours_or_last() {
        assert_eq!(kept("a b | n", "n"), "a b n");
        assert_eq!(kept("a b | n", "a n"), "a n b");
        assert_eq!(kept("a b | n", "n b"), "a n b");
        assert_eq!(kept("a b | n m", "n b m"), "a n b m");
        assert_eq!(kept("a b | n m", "b n a m"), "a m b n");
    }
}
