//! Items of lists: of which type they are, and what identifies them.

use std::borrow::Cow;

use super::error::{Result, StrategicErrorKind};
use crate::value::{Data, Map, Shape, Value, display_float};

/// The one type that all items have.
///
/// # Errors
///
/// Where items differ in type, or are lists or null.
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

/// The mapping that an item is.
pub(super) fn mapping(item: &Value) -> Result<&Map> {
    item.as_map().ok_or_else(|| StrategicErrorKind::NotAMapping.into())
}

/// What an item is known by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Identity<'k> {
    /// A scalar, by itself.
    Itself,
    /// A mapping, by a field of it.
    Key(&'k str),
}

impl<'k> Identity<'k> {
    /// The identifying field; empty for scalars.
    pub(super) const fn field(self) -> &'k str {
        match self {
            Self::Itself => "",
            Self::Key(key) => key,
        }
    }

    /// What identifies the item; `None` where it has no such field.
    pub(super) fn find(self, item: &Value) -> Result<Option<&Value>> {
        let key = match self {
            Self::Itself => return Ok(Some(item)),
            Self::Key(key) => key,
        };
        match mapping(item)?.get(key) {
            Some(value) if value.is_collection() => Err(StrategicErrorKind::KeyNotScalar(key.to_owned()).into()),
            value => Ok(value),
        }
    }

    /// What identifies the item.
    ///
    /// # Errors
    ///
    /// Where the item has no such field, or one that is no scalar.
    pub(super) fn of(self, item: &Value) -> Result<&Value> {
        let Self::Key(key) = self else { return Ok(item) };
        self.find(item)?.ok_or_else(|| StrategicErrorKind::NoMergeKey(key.to_owned()).into())
    }
}

/// A scalar as Go's `%v` prints it: 80 and "80" print alike.
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

/// Positions of the items, ordered by what identifies them in print; of several that print alike the last comes first.
///
/// (kubectl's sort of short lists reverses those; longer ones it leaves in no particular order.)
pub(super) fn sorted_by_print(items: &[Value], identity: Identity<'_>) -> Result<Vec<(String, usize)>> {
    let mut sorted = Vec::with_capacity(items.len());
    for (position, item) in items.iter().enumerate().rev() {
        sorted.push((printed(identity.of(item)?).into_owned(), position));
    }
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    Ok(sorted)
}
