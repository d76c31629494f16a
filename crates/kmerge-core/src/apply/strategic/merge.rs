//! Merges a patch into a mapping, or into another patch.

use super::directive::{Directive, PATCH, RETAIN_KEYS};
use super::error::{Result, StrategicError, StrategicErrorKind};
use super::items::item_shape;
use super::merge_list::{Ordered, delete_scalars, merge_lists, order_list};
use super::meta::{Meta, Strategy};
use super::prune::{without_directives, without_nulls};
use crate::policy;
use crate::value::{Data, Map, Origin, Shape, Value};

/// The order of a list after a patch was merged into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListOrder {
    /// kubectl's order: the items that the patch names in its order, the others between them.
    Kubectl,
    /// Items keep their place unless `$setElementOrder` says otherwise. The policy says where new items go.
    Directed(policy::ListOrder),
    /// Items keep their place. `$setElementOrder` only says which neighbours new items have.
    Stable(policy::ListOrder),
}

/// What a patch is merged into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// An object: directives are executed, and nulls remove fields.
    Object(ListOrder),
    /// Another patch: directives and nulls are kept.
    Patch,
}

impl Target {
    /// Where new items of an object's lists go. `None` if kubectl's rule orders all items.
    pub(super) const fn new_items(self) -> Option<policy::ListOrder> {
        match self {
            Self::Object(ListOrder::Directed(new) | ListOrder::Stable(new)) => Some(new),
            Self::Object(ListOrder::Kubectl) | Self::Patch => None,
        }
    }
}

/// The context of a merge: what it merges into, and the kind of the mapping.
#[derive(Clone, Copy)]
pub(super) struct Context<'s> {
    pub(super) meta: Meta<'s>,
    pub(super) target: Target,
}

/// Applies a strategic merge patch to an object.
///
/// # Errors
///
/// [`StrategicError`] if kubectl refuses the patch or crashes on it.
pub(crate) fn apply_patch(object: &mut Map, patch: Map, meta: Meta<'_>, order: ListOrder) -> Result<()> {
    merge_maps(object, patch, Context { meta, target: Target::Object(order) })
}

/// Merges `patch` into `map`.
pub(super) fn merge_maps(map: &mut Map, mut patch: Map, context: Context<'_>) -> Result<()> {
    if let Some(directive) = patch.remove(PATCH) {
        *map = match directive.as_text() {
            Some("replace") => patch,
            Some("delete") => Map::new(),
            _ => return Err(unknown_directive(&directive)),
        };
        return Ok(());
    }
    retain_keys(map, &mut patch, context.target)?;
    order_lists(map, &mut patch, context)?;
    for (key, value) in patch {
        merge_field(map, &key, value, context).map_err(|error| error.under(&key))?;
    }
    Ok(())
}

pub(super) fn unknown_directive(directive: &Value) -> StrategicError {
    let text = directive.as_text().map_or_else(|| directive.to_json(), str::to_owned);
    StrategicErrorKind::UnknownDirective(text).into()
}

/// Executes `$retainKeys`, or passes it on to a patch.
fn retain_keys(map: &mut Map, patch: &mut Map, target: Target) -> Result<()> {
    let Some(kept) = patch.remove(RETAIN_KEYS) else { return Ok(()) };
    if target == Target::Patch {
        return hand_on(map, RETAIN_KEYS.to_owned(), kept);
    }
    let kept = kept.as_list().ok_or(StrategicErrorKind::RetainKeys)?;
    let kept: std::collections::BTreeSet<&str> = kept.iter().filter_map(Value::as_text).collect();
    let is_field = |key: &str| !matches!(Directive::of(key), Directive::DeleteItems(_) | Directive::ItemOrder(_));
    if patch.iter().any(|(key, value)| !value.is_null() && is_field(key) && !kept.contains(key.as_str())) {
        return Err(StrategicErrorKind::RetainKeys.into());
    }
    map.retain(|key, _| kept.contains(key.as_str()));
    Ok(())
}

/// Moves a directive into the patch that is merged into. At most one of the two may have it, or both have the same one.
fn hand_on(map: &mut Map, key: String, directive: Value) -> Result<()> {
    if map.get(&key).is_some_and(|own| *own != directive) {
        return Err(StrategicErrorKind::Contradiction.into());
    }
    map.insert(key, directive);
    Ok(())
}

/// Merges the lists whose order the patch sets, and removes them from the patch.
fn order_lists(map: &mut Map, patch: &mut Map, context: Context<'_>) -> Result<()> {
    let is_order = |key: &&String| matches!(Directive::of(key), Directive::ItemOrder(_));
    let keys: Vec<String> = patch.keys().filter(is_order).cloned().collect();
    for key in keys {
        let Directive::ItemOrder(field) = Directive::of(&key) else { continue };
        let Some(order) = patch.remove(&key) else { continue };
        if context.target == Target::Patch {
            hand_on(map, key.clone(), order.clone())?;
        }
        let change = patch.remove(field);
        merge_in_order(map, field, change, &order, context).map_err(|error| error.under(field))?;
    }
    Ok(())
}

fn merge_in_order(
    map: &mut Map,
    field: &str,
    change: Option<Value>,
    order: &Value,
    context: Context<'_>,
) -> Result<()> {
    let origin = map.get(field).or(change.as_ref()).and_then(|list| list.origin);
    let list = Ordered {
        own: map.remove(field).map(into_list).transpose()?,
        change: change.map(into_list).transpose()?,
        order: order.as_list().ok_or(StrategicErrorKind::ExpectedList)?,
    };
    let merged = order_list(list, context.meta.list(field)?, context.target)?;
    map.extend(merged.map(|items| (field.to_owned(), Value::with_origin(Data::List(items), origin))));
    Ok(())
}

fn into_list(value: Value) -> Result<Vec<Value>> {
    match value.data {
        Data::List(items) => Ok(items),
        _ => Err(StrategicErrorKind::ExpectedList.into()),
    }
}

fn merge_field(map: &mut Map, key: &str, value: Value, context: Context<'_>) -> Result<()> {
    match Directive::of(key) {
        Directive::DeleteItems(field) if context.target != Target::Patch => delete_items(map, field, value, context),
        Directive::DeleteItems(_) => {
            map.insert(key.to_owned(), value);
            Ok(())
        }
        Directive::Malformed => Err(StrategicErrorKind::MalformedDirective(key.to_owned()).into()),
        _ if value.is_null() => {
            map.remove(key);
            if context.target == Target::Patch {
                map.insert(key.to_owned(), value);
            }
            Ok(())
        }
        _ => match map.get_mut(key) {
            Some(own) if own.shape() == value.shape() => merge_values(own, key, value, context),
            _ => {
                insert_new(map, key, value, context.target);
                Ok(())
            }
        },
    }
}

/// Adds a field that the mapping lacks, or has with another type.
fn insert_new(map: &mut Map, key: &str, mut value: Value, target: Target) {
    if target != Target::Patch {
        without_nulls(&mut value);
    }
    match without_directives(value) {
        Some(value) => map.insert(key.to_owned(), value),
        None => map.remove(key),
    };
}

/// Merges two values of one type.
fn merge_values(own: &mut Value, key: &str, value: Value, context: Context<'_>) -> Result<()> {
    let origin = value.origin;
    match (&mut own.data, value.data) {
        (Data::Map(own_map), Data::Map(patch)) => {
            let field = context.meta.mapping(key)?;
            if field.strategy != Strategy::Replace {
                merge_maps(own_map, patch, Context { meta: field.below, ..context })?;
                note_patch(own, origin, context.target);
                return Ok(());
            }
            *own = Value::with_origin(Data::Map(patch), origin);
        }
        (Data::List(own_items), Data::List(patch)) => {
            let field = context.meta.list(key)?;
            if field.strategy == Strategy::Merge {
                *own_items = merge_lists(std::mem::take(own_items), patch, field, context.target)?.items;
                note_patch(own, origin, context.target);
                return Ok(());
            }
            *own = Value::with_origin(Data::List(patch), origin);
        }
        (_, data) => *own = Value::with_origin(data, origin),
    }
    Ok(())
}

/// Stores which patch was merged into a value. If two patches become one, they need one text.
pub(super) fn note_patch(own: &mut Value, origin: Option<Origin>, target: Target) {
    match target {
        Target::Object(_) => own.patch = origin,
        Target::Patch => own.origin = own.origin.or(origin),
    }
}

/// Executes `$deleteFromPrimitiveList`. As in kubectl, null removes the list, and mappings are merged instead of
/// deleted.
fn delete_items(map: &mut Map, field: &str, deleted: Value, context: Context<'_>) -> Result<()> {
    if deleted.is_null() {
        map.remove(field);
        return Ok(());
    }
    let (Some(list), Data::List(deleted)) = (map.get_mut(field), deleted.data) else { return Ok(()) };
    let Some(items) = list.as_list_mut() else { return Ok(()) };
    let meta = context.meta.list(field)?;
    if item_shape(items.iter().chain(&deleted))? == Some(Shape::Map) {
        *items = merge_lists(std::mem::take(items), deleted, meta, context.target)?.items;
    } else {
        delete_scalars(items, &deleted);
    }
    Ok(())
}
