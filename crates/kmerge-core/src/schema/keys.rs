//! The keys that identify a list's elements.

use super::table::{KeyRow, Table};

/// One field of an element's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key<'s> {
    /// The field's name.
    pub name: &'s str,
    /// What a missing field counts as.
    pub default: Option<&'s str>,
    /// Whether the version at the end of the value (`:v1`, `@sha256:…`) is no part of the identity.
    pub is_unversioned: bool,
}

impl<'s> Key<'s> {
    /// A field that every element has.
    pub(super) const fn required(name: &'s str) -> Self {
        Self { name, default: None, is_unversioned: false }
    }

    /// The part of a value that identifies.
    pub(crate) fn part(self, value: &str) -> &str {
        if !self.is_unversioned {
            return value;
        }
        let named = value.split_once('@').map_or(value, |(named, _)| named);
        // A colon before a slash stands before a port.
        named.rsplit_once(':').filter(|(_, tag)| !tag.contains('/')).map_or(named, |(named, _)| named)
    }
}

/// The fields that together identify an element; never none.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'s>(Source<'s>);

#[derive(Clone, Copy)]
enum Source<'s> {
    One(&'s str),
    Names(&'s [String]),
    Rows(&'s Table, &'s [KeyRow]),
}

impl<'s> Keys<'s> {
    /// A single key without a default.
    #[must_use]
    pub(crate) const fn one(name: &'s str) -> Self {
        Self(Source::One(name))
    }

    pub(super) const fn names(names: &'s [String]) -> Self {
        Self(Source::Names(names))
    }

    pub(super) const fn rows(table: &'s Table, rows: &'s [KeyRow]) -> Self {
        Self(Source::Rows(table, rows))
    }

    /// The keys in their order.
    pub(crate) fn iter(self) -> impl Iterator<Item = Key<'s>> + Clone {
        (0..self.len()).map(move |index| self.get(index))
    }

    /// How many keys there are.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "keys are never empty")]
    pub(crate) const fn len(self) -> usize {
        match self.0 {
            Source::One(_) => 1,
            Source::Names(names) => names.len(),
            Source::Rows(_, rows) => rows.len(),
        }
    }

    /// The key, where it is the only one.
    pub(super) fn single(self) -> Option<Key<'s>> {
        (self.len() == 1).then(|| self.get(0))
    }

    fn get(self, index: usize) -> Key<'s> {
        match self.0 {
            Source::One(name) => Key::required(name),
            Source::Names(names) => Key::required(&names[index]),
            Source::Rows(table, rows) => table.key(rows[index]),
        }
    }
}

impl PartialEq for Keys<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Keys<'_> {}

impl std::fmt::Debug for Keys<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// `containerPort,protocol`
impl std::fmt::Display for Keys<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, key) in self.iter().enumerate() {
            let comma = if index == 0 { "" } else { "," };
            write!(f, "{comma}{}", key.name)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_no_part_of_an_unversioned_key() {
        let key = Key { is_unversioned: true, ..Key::required("image") };
        assert_eq!(key.part("host:5000/a/b:v1"), "host:5000/a/b");
        assert_eq!(key.part("host:5000/a/b"), "host:5000/a/b");
        assert_eq!(key.part("a:v1@sha256:00"), "a");
        assert_eq!(Key::required("image").part("a:v1"), "a:v1");
    }
}
