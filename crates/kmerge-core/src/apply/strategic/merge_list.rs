//! Merges lists item by item.
//!
//! kubectl orders a merged list by the places of items in the old list's memory, and it changes that memory while it
//! merges: the first added items take the places of deleted items at the end. [`MergedList::memory`] is the content of
//! this memory. It explains why an added item can come after an item that only the object has.

use std::collections::{BTreeMap, BTreeSet};

use super::directive::PATCH;
use super::error::{Result, StrategicErrorKind};
use super::items::{Identity, deduplicate, item_shape};
use super::merge::{Context, ListOrder, Target, merge_maps, note_patch, unknown_directive};
use super::meta::{FieldMeta, Strategy};
use super::order::{NewItems, Ranks, enforce, is_deletion, keep};
use super::prune::without_directives;
use crate::value::{Data, Shape, Value};

/// A merged list.
pub(super) struct MergedList {
    pub(super) items: Vec<Value>,
    /// Identities of the items in the old list's memory after the merge.
    memory: Vec<Value>,
}

/// Merges the items of `patch` into `own`.
pub(super) fn merge_lists(
    own: Vec<Value>,
    patch: Vec<Value>,
    field: FieldMeta<'_>,
    target: Target,
) -> Result<MergedList> {
    match item_shape(own.iter().chain(&patch))? {
        None => Ok(MergedList { items: own, memory: Vec::new() }),
        Some(Shape::Map) => merge_mappings(own, patch, field, target),
        Some(_) if !matches!(field.identity, None | Some(Identity::Itself)) => {
            Err(StrategicErrorKind::NotAMapping.into())
        }
        Some(_) => merge_scalars(own, &patch, target),
    }
}

fn merge_scalars(own: Vec<Value>, patch: &[Value], target: Target) -> Result<MergedList> {
    if let Some(new) = target.new_items() {
        let (mut items, mut seen) = (own, BTreeSet::new());
        let kept = items.len();
        seen.extend(items.iter().cloned());
        items.extend(patch.iter().filter(|item| seen.insert((*item).clone())).cloned());
        let items = keep(items, kept, NewItems { order: patch, place: new }, Identity::Itself)?;
        return Ok(MergedList { memory: items.clone(), items });
    }
    let (length, room) = (own.len(), own.len().next_power_of_two());
    let (mut both, before) = (own.clone(), own);
    both.extend_from_slice(patch);
    let in_place = both.len() <= room;
    deduplicate(&mut both);
    let memory = if in_place { both.iter().take(length).cloned().collect() } else { before };
    let (order, own) = (Ranks::of(patch.iter().cloned()), Ranks::of(memory.iter().cloned()));
    let items = enforce(both, &order, &own, Identity::Itself)?;
    Ok(MergedList { items, memory })
}

/// The parts of a patch's list.
struct Sorted {
    /// Items to merge or add.
    items: Vec<Value>,
    /// Identities of items to delete.
    deleted: BTreeSet<Value>,
    /// Whether the items replace the whole list.
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
                sorted.deleted.insert(identity.of(&item)?);
            }
            Some("replace") => sorted.replace = true,
            Some("merge") => return Err(StrategicErrorKind::MergeDirective.into()),
            _ => return Err(unknown_directive(directive)),
        }
    }
    Ok(sorted)
}

fn merge_mappings(own: Vec<Value>, patch: Vec<Value>, field: FieldMeta<'_>, target: Target) -> Result<MergedList> {
    let identity = field.identity.ok_or(StrategicErrorKind::NoDeclaredKey)?;
    let sorted = sort_out(patch, identity)?;
    let length = own.len();
    let mut kept = Vec::with_capacity(length);
    for item in own {
        if !identity.find(&item)?.is_some_and(|value| sorted.deleted.contains(&value)) {
            kept.push(item);
        }
    }
    let freed = length - kept.len();
    let (base, added) = if sorted.replace { (sorted.items, Vec::new()) } else { (kept, sorted.items) };
    let (own_order, order) = (identity.of_all(&base)?, identity.of_all(&added)?);
    let merged = merge_items(base, added, identity, Context { meta: field.below, target })?;
    let appended = identity.of_all(&merged[own_order.len()..])?;
    let items = match target.new_items() {
        None => enforce(merged, &Ranks::of(order), &Ranks::of(own_order.iter().cloned()), identity)?,
        Some(new) => keep(merged, own_order.len(), NewItems { order: &order, place: new }, identity)?,
    };
    let memory = own_order.into_iter().chain(appended.into_iter().take(freed)).collect();
    Ok(MergedList { items, memory })
}

/// Merges each item into the first one with the same identity, or appends it.
fn merge_items(own: Vec<Value>, added: Vec<Value>, identity: Identity<'_>, context: Context<'_>) -> Result<Vec<Value>> {
    let mut items = own;
    let mut places: BTreeMap<Value, usize> = BTreeMap::new();
    for (place, item) in items.iter().enumerate() {
        places.entry(identity.of(item)?).or_insert(place);
    }
    for item in added {
        let place = *places.entry(identity.of(&item)?).or_insert(items.len());
        let origin = item.origin;
        match (items.get_mut(place), item.data) {
            (Some(own), Data::Map(patch)) => {
                let segment = identity.segment(&patch);
                let map = own.as_map_mut().ok_or(StrategicErrorKind::MixedItems)?;
                merge_maps(map, patch, context).map_err(|error| error.inside(segment))?;
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

/// A list whose order a patch sets, and the changes of the patch in it.
pub(super) struct Ordered<'v> {
    pub(super) own: Option<Vec<Value>>,
    pub(super) change: Option<Vec<Value>>,
    pub(super) order: &'v [Value],
}

/// Merges a list and puts it in order. `None` if there is no list at all.
pub(super) fn order_list(list: Ordered<'_>, field: FieldMeta<'_>, target: Target) -> Result<Option<Vec<Value>>> {
    let Ordered { own, change, order } = list;
    let identity = field.identity.unwrap_or(Identity::Itself);
    check_order(change.as_deref().unwrap_or_default(), order, identity)?;
    if own.is_none() && change.is_none() {
        return Ok(None);
    }
    let all = own.iter().chain(&change).flatten();
    let shape = item_shape(all)?.ok_or(StrategicErrorKind::NoItems)?;
    if matches!(identity, Identity::Itself) && (shape == Shape::Map || order.iter().any(Value::is_collection)) {
        return Err(StrategicErrorKind::OrderWithoutKey.into());
    }
    let memory = identity.of_all(own.as_deref().unwrap_or_default())?;
    let kept = memory.clone();
    let merged = match (own, change) {
        (Some(own), None) => MergedList { items: own, memory },
        (Some(own), Some(change)) if field.strategy == Strategy::Merge => merge_lists(own, change, field, target)?,
        (Some(_), Some(items)) => MergedList { items, memory },
        (None, change) => {
            let items = change.unwrap_or_default().into_iter().filter_map(without_directives).collect();
            MergedList { items, memory }
        }
    };
    let order = identity.of_all(order)?;
    if let Target::Object(ListOrder::Stable(place)) = target {
        return behind_own(merged.items, &kept, NewItems { order: &order, place }, identity).map(Some);
    }
    enforce(merged.items, &Ranks::of(order), &Ranks::of(merged.memory), identity).map(Some)
}

/// Puts the old items in their old order, and the new ones at their places.
fn behind_own(items: Vec<Value>, own: &[Value], new: NewItems<'_>, identity: Identity<'_>) -> Result<Vec<Value>> {
    let places = Ranks::of(own.iter().cloned());
    let (mut kept, mut added) = (Vec::new(), Vec::new());
    for item in items {
        match places.get(&identity.of(&item)?) {
            Some(place) => kept.push((place, item)),
            None => added.push(item),
        }
    }
    kept.sort_by_key(|(place, _)| *place);
    let count = kept.len();
    let items = kept.into_iter().map(|(_, item)| item).chain(added).collect();
    keep(items, count, new, identity)
}

/// Checks that a patch's items stand in the order that the patch itself sets. Items with directives are exempt. An
/// empty order allows anything.
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
