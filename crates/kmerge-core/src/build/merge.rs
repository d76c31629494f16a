//! Merges a strategic patch into a resource, as kustomize does.
//!
//! Values in the patch are set, `null` removes, mappings merge field by field, and lists merge as their kind says
//! ([`merge_list`]). `$patch` changes that for a mapping, a list or an item. Unlike in kubectl, a mapping, a list and a
//! scalar never replace each other: that is an error.

use std::collections::BTreeSet;

use kyaml_ast::Segment;

use super::error::{MergeError, MergeErrorKind};
use super::merge_list::{in_order, merge_list, without_items};
use crate::apply::strategic::Directive;
use crate::schema::Cursor;
use crate::value::{Data, Map, Origin, Value};

const PATCH: &str = "$patch";

/// The rules for cases in which kustomize loses data or makes arbitrary choices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Nothing is lost: items keep their place, an item without its merge key is an error, and kubectl's directives for
    /// lists are executed.
    #[default]
    Kmerge,
    /// kustomize's rules: the items of a patch come first, an item without its merge key empties the list, and so on.
    Kustomize,
}

/// The context of a merge.
#[derive(Clone, Copy)]
pub(super) struct Context<'s> {
    pub(super) cursor: Cursor<'s>,
    pub(super) dialect: Dialect,
}

impl Context<'_> {
    pub(super) fn field(self, name: &str) -> Self {
        Self { cursor: self.cursor.field(name), ..self }
    }

    pub(super) fn item(self) -> Self {
        Self { cursor: self.cursor.item(), ..self }
    }
}

/// The meaning of `$patch` at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Delete,
    Replace,
}

/// What happens to a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    Kept,
    Deleted,
}

/// Merges a patch into a resource.
pub(super) fn merge(own: &mut Value, patch: Value, context: Context<'_>) -> Result<Fate, MergeError> {
    let origin = patch.origin;
    let (Data::Map(fields), Data::Map(mut patch)) = (&mut own.data, patch.data) else { return Ok(Fate::Kept) };
    match take_verb(&mut patch)? {
        Some(Verb::Delete) => return Ok(Fate::Deleted),
        // Measured: kustomize leaves the resource unchanged.
        Some(Verb::Replace) if context.dialect == Dialect::Kustomize => return Ok(Fate::Kept),
        Some(Verb::Replace) => *fields = Map::new(),
        None => {}
    }
    merge_fields(fields, patch, context)?;
    own.patch = origin;
    Ok(Fate::Kept)
}

/// Removes `$patch` from a mapping of a patch and returns it.
pub(super) fn take_verb(patch: &mut Map) -> Result<Option<Verb>, MergeError> {
    let Some(directive) = patch.remove(PATCH) else { return Ok(None) };
    match directive.as_text() {
        Some("delete") => Ok(Some(Verb::Delete)),
        Some("replace") => Ok(Some(Verb::Replace)),
        Some("merge") => Ok(None),
        text => {
            let text = text.map_or_else(|| directive.to_json(), str::to_owned);
            let error = MergeError::from(MergeErrorKind::UnknownDirective(text));
            Err(error.under(Segment::Field(PATCH.to_owned())))
        }
    }
}

/// Merges the fields of a patch into those of a mapping.
pub(super) fn merge_fields(own: &mut Map, mut patch: Map, context: Context<'_>) -> Result<(), MergeError> {
    let orders = if context.dialect == Dialect::Kmerge { take_list_directives(own, &mut patch)? } else { Map::new() };
    for (key, value) in patch {
        merge_field(own, &key, value, context).map_err(|error| error.under(Segment::Field(key)))?;
    }
    for (key, order) in orders {
        if let (Directive::ItemOrder(name), Some(order)) = (Directive::of(&key), order.as_list())
            && let Some(items) = own.get_mut(name).and_then(Value::as_list_mut)
        {
            *items = in_order(std::mem::take(items), order, context.field(name));
        }
    }
    Ok(())
}

/// Executes `$retainKeys` and `$deleteFromPrimitiveList`. Returns `$setElementOrder`, which is executed last.
fn take_list_directives(own: &mut Map, patch: &mut Map) -> Result<Map, MergeError> {
    let is_directive = |key: &String| !matches!(Directive::of(key), Directive::Field(_) | Directive::Patch);
    let keys: Vec<String> = patch.keys().filter(|key| is_directive(key)).cloned().collect();
    let mut orders = Map::new();
    for key in keys {
        let Some(value) = patch.remove(&key) else { continue };
        let items = value.as_list().ok_or_else(|| MergeErrorKind::Malformed(key.clone()))?;
        match Directive::of(&key) {
            Directive::RetainKeys => {
                let kept: BTreeSet<&str> = items.iter().filter_map(Value::as_text).collect();
                own.retain(|name, _| kept.contains(name.as_str()));
            }
            Directive::DeleteItems(name) => {
                if let Some(own) = own.get_mut(name).and_then(Value::as_list_mut) {
                    without_items(own, items);
                }
            }
            Directive::ItemOrder(_) => drop(orders.insert(key, value)),
            _ => return Err(MergeErrorKind::Malformed(key).into()),
        }
    }
    Ok(orders)
}

fn merge_field(own: &mut Map, key: &str, value: Value, context: Context<'_>) -> Result<(), MergeError> {
    let (origin, context) = (value.origin, context.field(key));
    let before = own.get_mut(key).filter(|value| !value.is_null());
    match (value.data, before) {
        (Data::Null, _) => drop(own.remove(key)),
        (Data::Map(mut patch), before) => match (take_verb(&mut patch)?, before) {
            (Some(Verb::Delete), Some(before))
                if context.dialect == Dialect::Kustomize && before.as_map().is_none() =>
            {
                return Err(mismatch(before, "a mapping"));
            }
            (Some(Verb::Delete), _) => drop(own.remove(key)),
            (None, Some(before)) => merge_mapping(before, patch, origin, context)?,
            (verb, before) => {
                if let (Some(Verb::Replace), Some(before)) = (verb, before) {
                    before.as_map().ok_or_else(|| mismatch(before, "a mapping"))?;
                }
                own.insert(key.to_owned(), new_mapping(patch, origin, context)?);
            }
        },
        (Data::List(patch), before) => {
            let list = match before {
                None => merge_list(None, patch, context)?,
                Some(Value { data: Data::List(items), .. }) => merge_list(Some(std::mem::take(items)), patch, context)?,
                Some(before) => return Err(mismatch(before, "a list")),
            };
            set_list(own, key, list.items, (origin, list.is_patch));
        }
        (_, Some(before)) if before.is_collection() => return Err(mismatch(before, "a scalar")),
        (data, _) => drop(own.insert(key.to_owned(), Value::with_origin(data, origin))),
    }
    Ok(())
}

/// Sets a merged list. A list with only the patch's items is taken from the patch.
fn set_list(own: &mut Map, key: &str, items: Option<Vec<Value>>, (origin, is_patch): (Option<Origin>, bool)) {
    let Some(items) = items else { return drop(own.remove(key)) };
    match own.get_mut(key).filter(|list| !is_patch && !list.is_null()) {
        Some(list) => {
            list.data = Data::List(items);
            list.patch = origin;
        }
        None => drop(own.insert(key.to_owned(), Value::with_origin(Data::List(items), origin))),
    }
}

/// Merges a mapping of a patch into an existing value.
pub(super) fn merge_mapping(
    own: &mut Value,
    patch: Map,
    origin: Option<Origin>,
    context: Context<'_>,
) -> Result<(), MergeError> {
    let Data::Map(fields) = &mut own.data else { return Err(mismatch(own, "a mapping")) };
    merge_fields(fields, patch, context)?;
    own.patch = origin;
    Ok(())
}

/// A mapping that only the patch has: the result of merging it into an empty one.
pub(super) fn new_mapping(patch: Map, origin: Option<Origin>, context: Context<'_>) -> Result<Value, MergeError> {
    let mut fields = Map::new();
    merge_fields(&mut fields, patch, context)?;
    Ok(Value::with_origin(Data::Map(fields), origin))
}

pub(super) fn mismatch(own: &Value, patch: &'static str) -> MergeError {
    let own = match own.data {
        Data::Map(_) => "a mapping",
        Data::List(_) => "a list",
        _ => "a scalar",
    };
    MergeErrorKind::Mismatch { own, patch }.into()
}
