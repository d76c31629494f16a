//! Items of lists: their type and their identity.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use kyaml_ast::Segment;

use super::error::{Result, StrategicErrorKind};
use crate::schema::Keys;
use crate::value::{Data, Map, Shape, Value, display_float};

/// The type that all items have.
///
/// # Errors
///
/// If items differ in type, or are lists or null.
pub(super) fn item_shape<'v>(items: impl Iterator<Item = &'v Value>) -> Result<Option<Shape>> {
    let mut common = None;
    for item in items {
        let shape = item.shape();
        match common {
            None if shape == Shape::List => return Err(StrategicErrorKind::ListOfLists.into()),
            None if shape == Shape::Null => return Err(StrategicErrorKind::NullItem.into()),
            None => common = Some(shape),
            Some(other) if other != shape => return Err(StrategicErrorKind::MixedItems.into()),
            Some(_) => {}
        }
    }
    Ok(common)
}

/// The item as a mapping.
pub(super) fn mapping(item: &Value) -> Result<&Map> {
    item.as_map().ok_or_else(|| StrategicErrorKind::NotAMapping.into())
}

/// How an item is identified.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Identity<'k> {
    /// A scalar, by its value.
    Itself,
    /// A mapping, by one of its fields, as in kubectl: 80 and "80" differ.
    Key(&'k str),
    /// A mapping, by several of its fields, which may have defaults. 80 and "80" are the same.
    Keys(Keys<'k>),
}

impl<'k> Identity<'k> {
    /// The identity of the item. `None` if it has no such field.
    pub(crate) fn find(self, item: &Value) -> Result<Option<Value>> {
        match self {
            Self::Itself => Ok(Some(item.clone())),
            Self::Key(key) => Ok(scalar(mapping(item)?, key)?.cloned()),
            Self::Keys(keys) => composite(mapping(item)?, keys),
        }
    }

    /// The identity of the item.
    ///
    /// # Errors
    ///
    /// If the item has no such field, or if the field is not a scalar.
    pub(super) fn of(self, item: &Value) -> Result<Value> {
        self.find(item)?.ok_or_else(|| StrategicErrorKind::NoMergeKey(self.names().join(", ")).into())
    }

    /// The identity of each item.
    pub(super) fn of_all(self, items: &[Value]) -> Result<Vec<Value>> {
        items.iter().map(|item| self.of(item)).collect()
    }

    /// The fields of the item that identify it.
    pub(super) fn fields(self, item: &Map) -> Map {
        let names = self.names().into_iter();
        names.filter_map(|name| item.get_key_value(name)).map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// The path step to the item.
    pub(crate) fn segment(self, item: &Map) -> Segment {
        let fields = self.fields(item).into_iter();
        Segment::Key(fields.map(|(name, value)| (name, printed(&value).into_owned())).collect())
    }

    fn names(self) -> Vec<&'k str> {
        match self {
            Self::Itself => Vec::new(),
            Self::Key(key) => vec![key],
            Self::Keys(keys) => keys.iter().map(|key| key.name).collect(),
        }
    }
}

fn scalar<'v>(item: &'v Map, key: &str) -> Result<Option<&'v Value>> {
    match item.get(key) {
        Some(value) if value.is_collection() => Err(StrategicErrorKind::KeyNotScalar(key.to_owned()).into()),
        value => Ok(value),
    }
}

/// The printed values of several keys as one value. `None` if the item has none of them.
fn composite(item: &Map, keys: Keys<'_>) -> Result<Option<Value>> {
    let (mut parts, mut is_there) = (Vec::with_capacity(keys.len()), false);
    for key in keys.iter() {
        let own = scalar(item, key.name)?.filter(|value| !value.is_null());
        is_there |= own.is_some();
        let text = own.map(printed);
        let text = text.as_deref().map(|text| key.part(text)).or(key.default);
        parts.push(text.map_or_else(Value::null, Value::text));
    }
    Ok(is_there.then(|| Value::list(parts)))
}

/// A scalar as Go's `%v` prints it. 80 and "80" print alike.
pub(super) fn printed(scalar: &Value) -> Cow<'_, str> {
    match &scalar.data {
        Data::Null => "<nil>".into(),
        Data::Bool(value) => if *value { "true" } else { "false" }.into(),
        Data::Int(number) => number.to_string().into(),
        Data::Float(number) => display_float(*number).into(),
        Data::Text(text) => text.into(),
        Data::List(_) => "[]".into(),
        Data::Map(_) => "map[]".into(),
    }
}

/// Positions of the items, sorted by printed identity. Of several that print alike, the last comes first.
///
/// (kubectl's sort reverses such items in short lists. In longer lists their order is arbitrary.)
pub(super) fn sorted_by_print(items: &[Value], identity: Identity<'_>) -> Result<Vec<(String, usize)>> {
    let mut sorted = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate().rev() {
        sorted.push((in_print(&identity.of(item)?), position));
    }
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(sorted)
}

/// The printed identity of an item.
pub(in crate::apply) fn in_print(identity: &Value) -> String {
    match &identity.data {
        Data::List(parts) => parts.iter().map(printed).collect::<Vec<_>>().join("\u{1}"),
        _ => printed(identity).into_owned(),
    }
}

/// Removes repeated scalars. The last item moves to the place of a removed one, as in kubectl.
pub(super) fn deduplicate(items: &mut Vec<Value>) {
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
