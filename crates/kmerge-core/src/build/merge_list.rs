//! Merges the list of a patch into the list of a resource: as a whole, as a set, or item by item.
//!
//! Owns the rules for lists in both dialects: kmerge's and kustomize's. Ignores the fields of items: [`merge_mapping`]
//! merges them.

use std::collections::{BTreeMap, BTreeSet};

use super::error::{MergeError, MergeErrorKind};
use super::merge::{Context, Dialect, Verb, merge_mapping, mismatch, new_mapping, take_verb};
use crate::apply::strategic::Identity;
use crate::schema::{Cursor, Keys, ListKind, RuleSource};
use crate::value::{Data, Map, Origin, Value};

/// A list after a merge.
pub(super) struct Merged {
    /// Its items. `None` if the list is removed.
    pub(super) items: Option<Vec<Value>>,
    /// Whether it has only items of the patch, and none of the resource.
    pub(super) is_patch: bool,
}

/// How a list merges.
#[derive(Clone, Copy)]
enum Nature<'s> {
    Atomic,
    Set,
    Keyed(Keys<'s>),
}

impl<'s> Nature<'s> {
    fn of(cursor: Cursor<'s>) -> Self {
        let (rule, patch) = (cursor.list(), cursor.patch());
        let merges = patch.strategy.merges_list() || matches!(rule.source, RuleSource::User | RuleSource::Crd);
        match rule.kind {
            _ if !merges => Self::Atomic,
            ListKind::Keyed(keys) => Self::Keyed(keys),
            ListKind::Set => Self::Set,
            ListKind::Atomic => Self::Atomic,
            ListKind::Infer => patch.merge_key.map_or(Self::Set, |key| Self::Keyed(Keys::one(key))),
        }
    }
}

/// Merges a list; `own` is `None` if the resource has none.
pub(super) fn merge_list(
    own: Option<Vec<Value>>,
    patch: Vec<Value>,
    context: Context<'_>,
) -> Result<Merged, MergeError> {
    let nature = Nature::of(context.cursor);
    if matches!(nature, Nature::Atomic) && context.dialect == Dialect::Kustomize {
        return Ok(Merged { items: Some(patch), is_patch: true });
    }
    let (verb, patch) = list_verb(patch)?;
    let is_patch = matches!(nature, Nature::Atomic) || own.is_none() || verb == Some(Verb::Replace);
    let own = if verb == Some(Verb::Replace) { own.map(|_| Vec::new()) } else { own };
    let items = match nature {
        _ if verb == Some(Verb::Delete) => None,
        Nature::Atomic => Some(patch),
        Nature::Set => Some(merge_set(own.unwrap_or_default(), patch, context.dialect)),
        Nature::Keyed(keys) if context.dialect == Dialect::Kmerge => Some(merge_items(own, patch, keys, context)?),
        Nature::Keyed(keys) => Some(kustomize_items(own, patch, keys, context)?),
    };
    Ok(Merged { items, is_patch })
}

/// The directive for a list: an item with nothing but `$patch`.
fn list_verb(patch: Vec<Value>) -> Result<(Option<Verb>, Vec<Value>), MergeError> {
    let (mut verb, mut items) = (None, Vec::with_capacity(patch.len()));
    for item in patch {
        match item.as_map().filter(|map| map.len() == 1 && map.contains_key("$patch")) {
            Some(map) => verb = take_verb(&mut map.clone())?.or(verb),
            None => items.push(item),
        }
    }
    Ok((verb, items))
}

fn merge_set(own: Vec<Value>, patch: Vec<Value>, dialect: Dialect) -> Vec<Value> {
    let patch = patch.into_iter().filter(|item| !item.is_null());
    let mut seen = BTreeSet::new();
    if dialect == Dialect::Kustomize {
        return patch.chain(own).filter(|item| seen.insert(item.clone())).collect();
    }
    seen.extend(own.iter().cloned());
    let places: BTreeMap<Value, usize> = own.iter().cloned().zip(0..).collect();
    let mut placing = Placing::new(own.len());
    for item in patch {
        match places.get(&item) {
            Some(place) => placing.pass(*place),
            None if seen.insert(item.clone()) => placing.add(item),
            None => {}
        }
    }
    placing.finish(own.into_iter().map(Some).collect())
}

/// Collects new items with their places. A new item goes after the nearest old item before it in the patch; if there is
/// none, before the next old item; else to the end.
struct Placing {
    /// The new items before each old item, and those at the end.
    slots: Vec<Vec<Value>>,
    anchor: Option<usize>,
    waiting: Vec<Value>,
}

impl Placing {
    fn new(length: usize) -> Self {
        Self { slots: vec![Vec::new(); length + 1], anchor: None, waiting: Vec::new() }
    }

    /// Called for each old item.
    fn pass(&mut self, place: usize) {
        self.slots[place].append(&mut self.waiting);
        self.anchor = Some(place + 1);
    }

    fn add(&mut self, item: Value) {
        match self.anchor {
            Some(slot) => self.slots[slot].push(item),
            None => self.waiting.push(item),
        }
    }

    fn finish(mut self, own: Vec<Option<Value>>) -> Vec<Value> {
        let last = self.slots.len() - 1;
        self.slots[last].append(&mut self.waiting);
        let own = own.into_iter().chain([None]);
        self.slots.into_iter().zip(own).flat_map(|(before, item)| before.into_iter().chain(item)).collect()
    }
}

/// Merges item by item. Old items do not move.
fn merge_items(
    own: Option<Vec<Value>>,
    patch: Vec<Value>,
    keys: Keys<'_>,
    context: Context<'_>,
) -> Result<Vec<Value>, MergeError> {
    let is_new = own.is_none();
    let mut items = Items::new(own.unwrap_or_default(), keys);
    for item in patch {
        let (id, origin) = (items.identity(&item), item.origin);
        let mut map = match item.data {
            Data::Map(map) => map,
            Data::Null => continue,
            _ => return Err(MergeErrorKind::NoMergeKey(keys.to_string()).into()),
        };
        let segment = Identity::Keys(keys).segment(&map);
        let verb = take_verb(&mut map)?;
        match id {
            Some(id) => items.merge(id, (verb, map, origin), context).map_err(|error| error.under(segment))?,
            None if is_new => items.placing.add(new_mapping(map, origin, context.item())?),
            None => return Err(MergeErrorKind::NoMergeKey(keys.to_string()).into()),
        }
    }
    Ok(items.placing.finish(items.own))
}

/// The items of a list while a patch is merged into it.
struct Items<'k> {
    keys: Keys<'k>,
    own: Vec<Option<Value>>,
    places: BTreeMap<Value, Vec<usize>>,
    /// The identities of new items.
    added: BTreeSet<Value>,
    placing: Placing,
}

impl<'k> Items<'k> {
    fn new(own: Vec<Value>, keys: Keys<'k>) -> Self {
        let (placing, added) = (Placing::new(own.len()), BTreeSet::new());
        let mut items = Self { keys, own: Vec::new(), places: BTreeMap::new(), added, placing };
        for (place, item) in own.iter().enumerate() {
            if let Some(id) = items.identity(item) {
                items.places.entry(id).or_default().push(place);
            }
        }
        items.own = own.into_iter().map(Some).collect();
        items
    }

    fn identity(&self, item: &Value) -> Option<Value> {
        Identity::Keys(self.keys).find(item).ok().flatten()
    }

    fn merge(
        &mut self,
        id: Value,
        (verb, map, origin): (Option<Verb>, Map, Option<Origin>),
        context: Context<'_>,
    ) -> Result<(), MergeError> {
        let found = self.places.get(&id).map(Vec::as_slice).unwrap_or_default();
        match (verb, found.first()) {
            (Some(Verb::Delete), _) => found.iter().for_each(|place| self.own[*place] = None),
            (None, Some(place)) => {
                self.placing.pass(*place);
                if let Some(own) = &mut self.own[*place] {
                    merge_mapping(own, map, origin, context.item())?;
                }
            }
            (Some(Verb::Replace), Some(place)) => {
                self.placing.pass(*place);
                self.own[*place] = Some(new_mapping(map, origin, context.item())?);
            }
            (_, None) if self.added.insert(id) => self.placing.add(new_mapping(map, origin, context.item())?),
            (_, None) => return Err(MergeErrorKind::DuplicateItem(self.keys.to_string()).into()),
        }
        Ok(())
    }
}

/// Merges item by item as kustomize does.
fn kustomize_items(
    own: Option<Vec<Value>>,
    patch: Vec<Value>,
    keys: Keys<'_>,
    context: Context<'_>,
) -> Result<Vec<Value>, MergeError> {
    let Some(own) = own else { return new_items(patch, keys, context) };
    // Measured: an item without its merge key empties the list.
    if patch.iter().any(|item| parts(item, keys).is_empty()) {
        return Ok(Vec::new());
    }
    let mut places: BTreeMap<Parts, usize> = BTreeMap::new();
    for (place, item) in own.iter().enumerate() {
        places.entry(parts(item, keys)).or_insert(place);
    }
    let used: BTreeSet<String> = own.iter().chain(&patch).flat_map(|item| parts(item, keys).into_keys()).collect();
    let mut overlaps = Overlaps { own: places.keys().cloned().collect(), projections: BTreeMap::new() };
    let mut own: Vec<Option<Value>> = own.into_iter().map(Some).collect();
    let (mut first, mut seen) = (Vec::new(), BTreeSet::new());
    for item in patch {
        let id = parts(&item, keys);
        if !seen.insert(id.clone()) {
            continue;
        }
        let found = places.get(&id).copied();
        let (origin, Data::Map(mut map)) = (item.origin, item.data) else { continue };
        match (take_verb(&mut map)?, found) {
            (Some(Verb::Delete), Some(place)) => own[place] = None,
            (Some(Verb::Delete), None) => {}
            (verb, Some(place)) => {
                // Measured: an item with `$patch: replace` does not change the old item.
                if let (None, Some(own)) = (verb, &mut own[place]) {
                    merge_mapping(own, map, origin, context.item())?;
                }
                // Measured: where items have several keys, old ones keep their place.
                first.extend(if used.len() == 1 { own[place].take() } else { None });
            }
            // Measured: an item is ignored if it differs from an old one only by a key that one of them lacks.
            (_, None) if keys.len() > 1 && overlaps.holds(&id) => {}
            (_, None) => first.push(new_mapping(map, origin, context.item())?),
        }
    }
    Ok(first.into_iter().chain(own.into_iter().flatten()).collect())
}

/// The items of a list that only the patch has, as kustomize merges them.
fn new_items(patch: Vec<Value>, keys: Keys<'_>, context: Context<'_>) -> Result<Vec<Value>, MergeError> {
    let (mut items, mut places): (Vec<Value>, BTreeMap<Parts, usize>) =
        (Vec::with_capacity(patch.len()), BTreeMap::new());
    for item in patch {
        let (id, origin) = (parts(&item, keys), item.origin);
        let mut map = match item.data {
            Data::Map(map) => map,
            Data::Null => continue,
            _ => return Err(mismatch(&Value::map(Map::new()), "a scalar")),
        };
        if take_verb(&mut map)? == Some(Verb::Delete) || map.values().all(Value::is_null) {
            continue;
        }
        let item = new_mapping(map, origin, context.item())?;
        let is_alone = id.is_empty() || keys.len() > 1;
        match places.get(&id).and_then(|place| items.get_mut(*place)) {
            Some(other) if !is_alone => *other = item,
            _ => {
                places.insert(id, items.len());
                items.push(item);
            }
        }
    }
    Ok(items)
}

/// Keys and their values.
type Parts = BTreeMap<String, Value>;

/// The keys that an item has.
fn parts(item: &Value, keys: Keys<'_>) -> Parts {
    let part =
        |name: &str| item.get(name).filter(|value| !value.is_null()).map(|value| (name.to_owned(), value.clone()));
    keys.iter().filter_map(|key| part(key.name)).collect()
}

/// Finds items that share at least one key with another item, and agree with it in all shared keys.
struct Overlaps {
    own: Vec<Parts>,
    /// First key: the names of an item's keys. Second key: the keys among them that `own` has, too. Value: the
    /// values of these shared keys in `own`.
    projections: BTreeMap<Vec<String>, BTreeMap<Vec<String>, BTreeSet<Parts>>>,
}

impl Overlaps {
    fn holds(&mut self, item: &Parts) -> bool {
        let own = &self.own;
        let projections = self.projections.entry(names(item)).or_insert_with(|| {
            let mut projections: BTreeMap<Vec<String>, BTreeSet<Parts>> = BTreeMap::new();
            for projection in own.iter().map(|own| project(own, &names(item))).filter(|parts| !parts.is_empty()) {
                projections.entry(names(&projection)).or_default().insert(projection);
            }
            projections
        });
        projections.iter().any(|(names, held)| held.contains(&project(item, names)))
    }
}

fn names(item: &Parts) -> Vec<String> {
    item.keys().cloned().collect()
}

/// The keys of an item that are in `names`.
fn project(item: &Parts, names: &[String]) -> Parts {
    names
        .iter()
        .filter_map(|name| item.get_key_value(name))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

/// Removes items from a list.
pub(super) fn without_items(own: &mut Vec<Value>, items: &[Value]) {
    let items: BTreeSet<&Value> = items.iter().collect();
    own.retain(|item| !items.contains(item));
}

/// Puts the items that an order names into that order. They use the places that they have together; other items stay.
pub(super) fn in_order(own: Vec<Value>, order: &[Value], context: Context<'_>) -> Vec<Value> {
    let identity = match Nature::of(context.cursor) {
        Nature::Keyed(keys) => Identity::Keys(keys),
        Nature::Atomic | Nature::Set => Identity::Itself,
    };
    let id = |item: &Value| identity.find(item).ok().flatten();
    let ranks: BTreeMap<Value, usize> = order.iter().filter_map(id).zip(0..).collect();
    let rank = |item: &Value| id(item).and_then(|id| ranks.get(&id).copied());
    let places: Vec<bool> = own.iter().map(|item| rank(item).is_some()).collect();
    let (mut named, others): (Vec<Value>, Vec<Value>) = own.into_iter().partition(|item| rank(item).is_some());
    named.sort_by_key(|item| rank(item));
    let (mut named, mut others) = (named.into_iter(), others.into_iter());
    places.iter().filter_map(|is_named| if *is_named { named.next() } else { others.next() }).collect()
}
