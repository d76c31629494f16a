//! The keys that identify a list's elements.

use super::table::{KeyRow, Table};

/// One field of an element's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key<'s> {
    /// The field's name.
    pub name: &'s str,
    /// What a missing field counts as.
    pub default: Option<&'s str>,
}

/// The fields that together identify an element; never none.
#[derive(Clone, Copy)]
pub struct Keys<'s>(Source<'s>);

#[derive(Clone, Copy)]
enum Source<'s> {
    One(&'s str),
    Names(&'s [String]),
    Rows(&'s Table, &'s [KeyRow]),
}

impl<'s> Keys<'s> {
    /// A single key without a default.
    #[must_use]
    pub const fn one(name: &'s str) -> Self {
        Self(Source::One(name))
    }

    pub(super) const fn names(names: &'s [String]) -> Self {
        Self(Source::Names(names))
    }

    pub(super) const fn rows(table: &'s Table, rows: &'s [KeyRow]) -> Self {
        Self(Source::Rows(table, rows))
    }

    /// The keys in their order.
    pub fn iter(self) -> impl Iterator<Item = Key<'s>> + Clone {
        (0..self.len()).map(move |index| self.get(index))
    }

    /// How many keys there are.
    #[must_use]
    #[allow(clippy::len_without_is_empty, reason = "keys are never empty")]
    pub const fn len(self) -> usize {
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
            Source::One(name) => Key { name, default: None },
            Source::Names(names) => Key { name: &names[index], default: None },
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
