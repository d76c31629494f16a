//! Says which part of a value is read, so that a small change of a large object needs little memory.
//!
//! Owns the set of fields. Fields outside the set are checked for errors and summed up by
//! [`Reader::part`](super::Reader), but never kept in memory.

use std::collections::BTreeMap;

use super::{Data, Map};

/// The part of a value that must be read.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Needed {
    /// Everything.
    All,
    /// For a mapping: these fields, and of each the part that is stated here. Any other value is read completely.
    Fields(BTreeMap<String, Self>),
}

impl Needed {
    /// This part, and in addition the whole value at the end of a path of fields.
    pub(crate) fn and(self, way: &[impl AsRef<str>]) -> Self {
        let Self::Fields(mut fields) = self else { return Self::All };
        let Some((first, rest)) = way.split_first() else { return Self::All };
        let below = fields.remove(first.as_ref()).unwrap_or_else(Self::none);
        fields.insert(first.as_ref().to_owned(), below.and(rest));
        Self::Fields(fields)
    }

    /// Removes the fields of a mapping that are not needed.
    pub(crate) fn trim(&self, map: &mut Map) {
        let Self::Fields(needed) = self else { return };
        map.retain(|name, _| needed.contains_key(name));
        for (name, value) in map {
            if let (Some(needed), Data::Map(below)) = (needed.get(name), &mut value.data) {
                needed.trim(below);
            }
        }
    }

    /// No field of a mapping.
    pub(crate) const fn none() -> Self {
        Self::Fields(BTreeMap::new())
    }
}
