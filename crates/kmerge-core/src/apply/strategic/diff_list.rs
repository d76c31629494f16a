//! The difference between two lists that merge item by item.

use super::diff::{Site, diff_maps};
use super::directive::PATCH;
use super::error::{Result, StrategicErrorKind};
use super::items::{Identity, deduplicate, item_shape, mapping, printed, sorted_by_print};
use super::meta::FieldMeta;
use super::order::by_order;
use crate::value::{Data, Map, Shape, Value};

/// The part of a patch for one list.
#[derive(Default)]
pub(super) struct ListDiff {
    /// Items to add or to merge, and mappings to delete.
    pub(super) patch: Vec<Value>,
    /// Scalars to delete.
    pub(super) deleted: Vec<Value>,
    /// The items, or their merge keys, in the wanted order of the list.
    pub(super) order: Vec<Value>,
}

/// The patch from `old` to `new`. `old` is left sorted if it has scalars.
pub(super) fn diff_lists(old: &mut [Value], new: &[Value], site: Site<'_>, field: FieldMeta<'_>) -> Result<ListDiff> {
    if old.is_empty() {
        let patch = if site.wanted.additions() { new.to_vec() } else { Vec::new() };
        return Ok(ListDiff { patch, ..ListDiff::default() });
    }
    if item_shape(old.iter().chain(new))? != Some(Shape::Map) {
        return diff_scalars(old, new, site);
    }
    let identity = field.identity.ok_or(StrategicErrorKind::NoDeclaredKey)?;
    diff_mappings(old, new, site.below(field), identity)
}

/// The next items of two sorted lists.
enum Next {
    Both(usize, usize),
    Old(usize),
    New(usize),
}

/// Pairs the items of two sorted lists, one by one.
fn zip(old: Vec<(String, usize)>, new: Vec<(String, usize)>) -> impl Iterator<Item = Next> {
    let (mut old, mut new) = (old.into_iter().peekable(), new.into_iter().peekable());
    std::iter::from_fn(move || match (old.peek(), new.peek()) {
        (None, None) => None,
        (Some((a, _)), Some((b, _))) if a == b => Some(Next::Both(old.next()?.1, new.next()?.1)),
        (Some((a, _)), Some((b, _))) if a < b => Some(Next::Old(old.next()?.1)),
        (Some(_), None) => Some(Next::Old(old.next()?.1)),
        _ => Some(Next::New(new.next()?.1)),
    })
}

fn diff_mappings(old: &mut [Value], new: &[Value], site: Site<'_>, identity: Identity<'_>) -> Result<ListDiff> {
    let (mut patch, mut deleted) = (Vec::new(), Vec::new());
    for next in zip(sorted_by_print(old, identity)?, sorted_by_print(new, identity)?) {
        match next {
            Next::Both(at, new_at) => patch.extend(diff_items(&mut old[at], &new[new_at], site, identity)?),
            Next::Old(at) if site.wanted.deletions() => deleted.push(deletion(mapping(&old[at])?, identity)),
            Next::New(at) if site.wanted.additions() => patch.push(new[at].clone()),
            Next::Old(_) | Next::New(_) => {}
        }
    }
    let mut patch = by_order(patch, new, identity)?;
    patch.append(&mut deleted);
    let changed = !patch.is_empty() || (site.wanted.additions() && identity.of_all(old)? != identity.of_all(new)?);
    let order = if site.wanted.order() && changed { order_of(new, identity)? } else { Vec::new() };
    Ok(ListDiff { patch, order, deleted })
}

fn diff_items(old: &mut Value, new: &Value, site: Site<'_>, identity: Identity<'_>) -> Result<Option<Value>> {
    let origin = new.origin;
    let (Some(old), Some(new)) = (old.as_map_mut(), new.as_map()) else {
        return Err(StrategicErrorKind::MixedItems.into());
    };
    let mut patch = diff_maps(old, new, site).map_err(|error| error.inside(identity.segment(new)))?;
    if patch.is_empty() {
        return Ok(None);
    }
    patch.extend(identity.fields(new));
    Ok(Some(Value::with_origin(Data::Map(patch), origin)))
}

fn deletion(item: &Map, identity: Identity<'_>) -> Value {
    let mut deletion = identity.fields(item);
    deletion.insert(PATCH.to_owned(), Value::text("delete"));
    Value::map(deletion)
}

fn order_of(new: &[Value], identity: Identity<'_>) -> Result<Vec<Value>> {
    new.iter().map(|item| Ok(Value::map(identity.fields(mapping(item)?)))).collect()
}

fn diff_scalars(old: &mut [Value], new: &[Value], site: Site<'_>) -> Result<ListDiff> {
    old.sort_by(|a, b| printed(a).cmp(&printed(b)));
    let (mut patch, mut deleted) = (Vec::new(), Vec::new());
    for next in zip(sorted_by_print(old, Identity::Itself)?, sorted_by_print(new, Identity::Itself)?) {
        match next {
            Next::Old(at) if site.wanted.deletions() => deleted.push(old[at].clone()),
            Next::New(at) if site.wanted.additions() => patch.push(new[at].clone()),
            Next::Both(..) | Next::Old(_) | Next::New(_) => {}
        }
    }
    deduplicate(&mut deleted);
    let patch = by_order(patch, new, Identity::Itself)?;
    let changed = !deleted.is_empty() || (site.wanted.additions() && old != new);
    let order = if site.wanted.order() && changed { new.to_vec() } else { Vec::new() };
    Ok(ListDiff { patch, deleted, order })
}
