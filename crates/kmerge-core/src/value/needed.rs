//! Which part of a value is read, so that a large object need not be held for a small change.
//!
//! Owns the set of fields. What it does not name is looked at for errors and summed up by [`Reader::part`](super::Reader), never held.

use std::collections::BTreeMap;

use super::{Data, Map};

/// What has to be read of a value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Needed {
    /// Everything.
    All,
    /// Of a mapping, these fields, and of each no more than it says here; anything else whole.
    Fields(BTreeMap<String, Self>),
}

impl Needed {
    /// This and all of what stands at the end of a way of fields.
    pub(crate) fn and(self, way: &[impl AsRef<str>]) -> Self {
        let Self::Fields(mut fields) = self else { return Self::All };
        let Some((first, rest)) = way.split_first() else { return Self::All };
        let below = fields.remove(first.as_ref()).unwrap_or_else(Self::none);
        fields.insert(first.as_ref().to_owned(), below.and(rest));
        Self::Fields(fields)
    }

    /// Takes out of a mapping what is not needed.
    pub(crate) fn trim(&self, map: &mut Map) {
        let Self::Fields(needed) = self else { return };
        map.retain(|name, _| needed.contains_key(name));
        for (name, value) in map {
            if let (Some(needed), Data::Map(below)) = (needed.get(name), &mut value.data) {
                needed.trim(below);
            }
        }
    }

    /// Nothing of a mapping.
    pub(crate) const fn none() -> Self {
        Self::Fields(BTreeMap::new())
    }
}
