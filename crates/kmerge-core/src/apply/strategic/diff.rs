//! The difference between two mappings, as a strategic merge patch.

use super::diff_list::{ListDiff, diff_lists};
use super::directive::{Directive, PATCH, RETAIN_KEYS};
use super::directive::{delete_items, item_order};
use super::error::{Result, StrategicErrorKind};
use super::meta::{FieldMeta, Meta, Strategy};
use crate::value::{Data, Map, Value};

/// Which differences are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Wanted {
    /// Additions and changes, and directives that order lists.
    Additions,
    /// Removals, and directives that order lists.
    Deletions,
    /// Everything but directives that order lists.
    Changes,
    /// Everything.
    Everything,
}

impl Wanted {
    pub(super) const fn additions(self) -> bool {
        !matches!(self, Self::Deletions)
    }

    pub(super) const fn deletions(self) -> bool {
        !matches!(self, Self::Additions)
    }

    pub(super) const fn order(self) -> bool {
        !matches!(self, Self::Changes)
    }
}

/// A mapping's kind, and which differences are wanted.
#[derive(Clone, Copy)]
pub(super) struct Site<'s> {
    pub(super) meta: Meta<'s>,
    pub(super) wanted: Wanted,
    /// Whether to write `$retainKeys`.
    pub(super) retain_keys: bool,
}

impl<'s> Site<'s> {
    pub(super) const fn new(meta: Meta<'s>, wanted: Wanted) -> Self {
        Self { meta, wanted, retain_keys: false }
    }

    pub(super) const fn below(self, field: FieldMeta<'s>) -> Self {
        Self { meta: field.below, retain_keys: field.retain_keys, ..self }
    }
}

/// The patch from `old` to `new`. It leaves lists of scalars in `old` sorted, as kubectl does; this affects later
/// differences.
pub(super) fn diff_maps(old: &mut Map, new: &Map, site: Site<'_>) -> Result<Map> {
    let mut patch = Map::new();
    for (key, new_value) in new {
        match old.get_mut(key) {
            Some(old_value) => {
                let mut pair = Pair { key, old: old_value, new: new_value };
                diff_field(&mut pair, site, &mut patch).map_err(|error| error.under(key))?;
            }
            None if site.wanted.additions() => {
                patch.insert(key.clone(), new_value.clone());
            }
            None => {}
        }
    }
    if site.wanted.deletions() {
        let gone = old.keys().filter(|key| !new.contains_key(*key));
        patch.extend(gone.map(|key| (key.clone(), Value::null())));
    }
    if site.retain_keys {
        retain_keys(old, new, &mut patch);
    }
    Ok(patch)
}

/// A field that both mappings have.
struct Pair<'v> {
    key: &'v str,
    old: &'v mut Value,
    new: &'v Value,
}

fn diff_field(pair: &mut Pair<'_>, site: Site<'_>, patch: &mut Map) -> Result<()> {
    if Directive::of(pair.key) == Directive::Patch {
        return diff_directive(pair, patch);
    }
    match (&mut pair.old.data, &pair.new.data) {
        (Data::Map(old), Data::Map(new)) => match site.meta.mapping(pair.key) {
            Ok(field) if field.strategy == Strategy::Replace => replace(pair.key, pair.new, site, patch),
            Ok(field) => {
                let below = diff_maps(old, new, site.below(field))?;
                if !below.is_empty() {
                    patch.insert(pair.key.to_owned(), Value::with_origin(Data::Map(below), pair.new.origin));
                }
            }
            Err(_) if old == new => {}
            Err(error) => return Err(error),
        },
        (Data::List(old), Data::List(new)) => match site.meta.list(pair.key) {
            Ok(field) if field.strategy == Strategy::Merge => {
                let difference = diff_lists(old, new, site, field)?;
                insert_list(pair, difference, patch);
            }
            Ok(_) if old != new => replace(pair.key, pair.new, site, patch),
            Ok(_) => {}
            Err(_) if old == new => {}
            Err(error) => return Err(error),
        },
        (old, new) if old != new => replace(pair.key, pair.new, site, patch),
        _ => {}
    }
    Ok(())
}

fn replace(key: &str, value: &Value, site: Site<'_>, patch: &mut Map) {
    if site.wanted.additions() {
        patch.insert(key.to_owned(), value.clone());
    }
}

/// `$patch` in both objects. Manifests may contain directives, which are then compared as text.
fn diff_directive(pair: &Pair<'_>, patch: &mut Map) -> Result<()> {
    let (Some(old), Some(new)) = (pair.old.as_text(), pair.new.as_text()) else {
        return Err(StrategicErrorKind::DirectiveNotText.into());
    };
    if old != new {
        patch.insert(PATCH.to_owned(), pair.new.clone());
    }
    Ok(())
}

fn insert_list(pair: &Pair<'_>, difference: ListDiff, patch: &mut Map) {
    let parts = [
        (pair.key.to_owned(), difference.patch),
        (delete_items(pair.key), difference.deleted),
        (item_order(pair.key), difference.order),
    ];
    let parts = parts.into_iter().filter(|(_, items)| !items.is_empty());
    patch.extend(parts.map(|(key, items)| (key, Value::with_origin(Data::List(items), pair.new.origin))));
}

/// Lists the fields that stay, if there is a patch at all, or if other fields must go.
fn retain_keys(old: &Map, new: &Map, patch: &mut Map) {
    let others = || old.iter().any(|(key, value)| !value.is_null() && !new.contains_key(key));
    let kept = new.iter().filter(|(_, value)| !value.is_null()).map(|(key, _)| Value::text(key));
    let kept: Vec<Value> = kept.collect();
    if !kept.is_empty() && (!patch.is_empty() || others()) {
        patch.insert(RETAIN_KEYS.to_owned(), Value::list(kept));
    }
}
