//! Merges lists item by item.
//!
//! kubectl orders a merged list by where items stood in the old list's memory, which it changes while it merges: the
//! places of deleted items at the end are taken by the first items that are added. [`MergedList::memory`] is what then
//! is there; it explains why an added item can come after one that only the object has.

//! Merges lists item by item.
//!
//! kubectl orders a merged list by where items stood in the old list's memory, which it changes while it merges: the
//! places of deleted items at the end are taken by the first items that are added. [`MergedList::memory`] is what then
//! is there; it explains why an added item can come after one that only the object has.

use std::collections::{BTreeMap, BTreeSet};

use super::directive::PATCH;
use super::error::{Result, StrategicErrorKind};
use super::items::{Identity, item_shape};
use super::merge::{Context, Target, merge_maps, note_patch, unknown_directive};
use super::meta::{FieldMeta, Strategy};
use super::order::{Ranks, enforce, is_deletion};
use super::prune::without_directives;
use crate::value::{Data, Shape, Value};

/// A merged list.
pub(super) struct MergedList {
    pub(super) items: Vec<Value>,
    /// Identities of what the old list's memory holds after the merge.
    memory: Vec<Value>,
}

/// Merges the items of `patch` into `own`, in kubectl's order.
pub(super) fn merge_lists(
    own: Vec<Value>,
    patch: Vec<Value>,
    field: FieldMeta<'_>,
    target: Target,
) -> Result<MergedList> {
    match item_shape(own.iter().chain(&patch))? {
        None => Ok(MergedList { items: own, memory: Vec::new() }),
        Some(Shape::Map) => merge_mappings(own, patch, field, target),
        Some(_) if field.merge_key.is_some() => Err(StrategicErrorKind::NotAMapping.into()),
        Some(_) => merge_scalars(own, &patch),
    }
}

fn merge_scalars(own: Vec<Value>, patch: &[Value]) -> Result<MergedList> {
    let (length, room) = (own.len(), own.len().next_power_of_two());
    let (mut both, before) = (own.clone(), own);
    both.extend_from_slice(patch);
    let in_place = both.len() <= room;
    deduplicate(&mut both);
    let memory = if in_place { both.iter().take(length).cloned().collect() } else { before };
    let items = enforce(both, &Ranks::of_identities(patch), &Ranks::of_identities(&memory), Identity::Itself)?;
    Ok(MergedList { items, memory })
}

/// Removes repeated scalars; the last one moves to the place of a removed one, as kubectl has it.
fn deduplicate(items: &mut Vec<Value>) {
    let mut places: BTreeMap<Value, BTreeSet<usize>> = BTreeMap::new();
    for (place, item) in items.iter().enumerate() {
        places.entry(item.clone()).or_default().insert(place);
    }
    let mut first = 0;
    while first < items.len() {
        let value = items[first].clone();
        while let Some(place) = places.get_mut(&value).and_then(|places| take_after(places, first)) {
            let last = items.len() - 1;
            items.swap_remove(place);
            if let Some(places) = items.get(place).and_then(|moved| places.get_mut(moved)) {
                places.remove(&last);
                places.insert(place);
            }
        }
        first += 1;
    }
}

fn take_after(places: &mut BTreeSet<usize>, first: usize) -> Option<usize> {
    let place = places.range(first + 1..).next().copied()?;
    places.remove(&place);
    Some(place)
}

/// What the items of a patch's list ask for.
struct Sorted {
    /// Items to merge or add.
    items: Vec<Value>,
    /// Identities of items to delete.
    deleted: BTreeSet<Value>,
    /// Whether the items are all that the list shall hold.
    replace: bool,
}

fn sort_out(patch: Vec<Value>, identity: Identity<'_>) -> Result<Sorted> {
    let mut sorted = Sorted { items: Vec::new(), deleted: BTreeSet::new(), replace: false };
    for item in patch {
        let Some(directive) = item.get(PATCH) else {
            sorted.items.push(item);
            continue;
        };
        match directive.as_text() {
            Some("delete") => {
                sorted.deleted.insert(identity.of(&item)?.clone());
            }
            Some("replace") => sorted.replace = true,
            Some("merge") => return Err(StrategicErrorKind::MergeDirective.into()),
            _ => return Err(unknown_directive(directive)),
        }
    }
    Ok(sorted)
}

fn merge_mappings(own: Vec<Value>, patch: Vec<Value>, field: FieldMeta<'_>, target: Target) -> Result<MergedList> {
    let key = field.merge_key.ok_or(StrategicErrorKind::NoDeclaredKey)?;
    let identity = Identity::Key(key);
    let sorted = sort_out(patch, identity)?;
    let length = own.len();
    let mut kept = Vec::with_capacity(length);
    for item in own {
        if !identity.find(&item)?.is_some_and(|value| sorted.deleted.contains(value)) {
            kept.push(item);
        }
    }
    let freed = length - kept.len();
    let (base, added) = if sorted.replace { (sorted.items, Vec::new()) } else { (kept, sorted.items) };
    let (own_order, order) = (identities(&base, identity)?, identities(&added, identity)?);
    let merged = merge_items(base, added, identity, Context { meta: field.below, target })?;
    let appended = identities(&merged[own_order.len()..], identity)?;
    let items = enforce(merged, &Ranks::of_identities(&order), &Ranks::of_identities(&own_order), identity)?;
    let memory = own_order.into_iter().chain(appended.into_iter().take(freed)).collect();
    Ok(MergedList { items, memory })
}

fn identities(items: &[Value], identity: Identity<'_>) -> Result<Vec<Value>> {
    items.iter().map(|item| identity.of(item).cloned()).collect()
}

/// Merges each item into the first one of the same identity, or appends it.
fn merge_items(own: Vec<Value>, added: Vec<Value>, identity: Identity<'_>, context: Context<'_>) -> Result<Vec<Value>> {
    let mut items = own;
    let mut places: BTreeMap<Value, usize> = BTreeMap::new();
    for (place, item) in items.iter().enumerate() {
        places.entry(identity.of(item)?.clone()).or_insert(place);
    }
    for item in added {
        let key = identity.of(&item)?.clone();
        let place = *places.entry(key.clone()).or_insert(items.len());
        let origin = item.origin;
        match (items.get_mut(place), item.data) {
            (Some(own), Data::Map(patch)) => {
                let map = own.as_map_mut().ok_or(StrategicErrorKind::MixedItems)?;
                merge_maps(map, patch, context).map_err(|error| error.under_item(identity.field(), Some(&key)))?;
                note_patch(own, origin, context.target);
            }
            (_, data) => items.push(Value::with_origin(data, origin)),
        }
    }
    Ok(items)
}

/// Removes scalars from a list.
pub(super) fn delete_scalars(items: &mut Vec<Value>, deleted: &[Value]) {
    let deleted: BTreeSet<&Value> = deleted.iter().collect();
    items.retain(|item| !deleted.contains(item));
}

/// A list whose order a patch sets, and what the patch changes in it.
pub(super) struct Ordered<'v> {
    pub(super) own: Option<Vec<Value>>,
    pub(super) change: Option<Vec<Value>>,
    pub(super) order: &'v [Value],
}

/// Merges a list and puts it in order; `None` where there is none at all.
pub(super) fn order_list(list: Ordered<'_>, field: FieldMeta<'_>, target: Target) -> Result<Option<Vec<Value>>> {
    let Ordered { own, change, order } = list;
    let identity = field.merge_key.map_or(Identity::Itself, Identity::Key);
    check_order(change.as_deref().unwrap_or_default(), order, identity)?;
    if own.is_none() && change.is_none() {
        return Ok(None);
    }
    let all = own.iter().chain(&change).flatten();
    let shape = item_shape(all)?.ok_or(StrategicErrorKind::NoItems)?;
    if matches!(identity, Identity::Itself) && (shape == Shape::Map || order.iter().any(Value::is_collection)) {
        return Err(StrategicErrorKind::OrderWithoutKey.into());
    }
    let memory = identities(own.as_deref().unwrap_or_default(), identity)?;
    let merged = match (own, change) {
        (Some(own), None) => MergedList { items: own, memory },
        (Some(own), Some(change)) if field.strategy == Strategy::Merge => merge_lists(own, change, field, target)?,
        (Some(_), Some(items)) => MergedList { items, memory },
        (None, change) => {
            let items = change.unwrap_or_default().into_iter().filter_map(without_directives).collect();
            MergedList { items, memory }
        }
    };
    let (order, own) = (Ranks::of(order, identity)?, Ranks::of_identities(&merged.memory));
    enforce(merged.items, &order, &own, identity).map(Some)
}

/// Checks that a patch's items, those with directives apart, stand in the order that the patch itself sets. An empty
/// order allows anything.
fn check_order(change: &[Value], order: &[Value], identity: Identity<'_>) -> Result<()> {
    if order.is_empty() {
        return Ok(());
    }
    let mut order = order.iter().peekable();
    for item in change.iter().filter(|item| !is_deletion(item)) {
        if order.peek().is_none() {
            return Err(StrategicErrorKind::Order.into());
        }
        if item.get(PATCH).is_some() {
            continue;
        }
        let wanted = identity.of(item)?;
        loop {
            let next = order.next().ok_or(StrategicErrorKind::Order)?;
            if identity.of(next)? == wanted {
                break;
            }
        }
    }
    Ok(())
}
