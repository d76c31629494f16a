//! The declarations of an object's kind that strategic merge patches need.

use super::error::{Result, StrategicErrorKind};
use super::items::Identity;
use crate::schema::{Cursor, Knowledge, ListKind, PatchStrategy, RuleSource, ValueType};

/// How a field merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Nothing is declared: mappings merge, lists are replaced.
    Default,
    /// The list merges item by item.
    Merge,
    /// The value is replaced as a whole.
    Replace,
}

/// Which fields pair the items of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKeys {
    /// One field, as kubectl on the client: ports that differ only in the protocol are one item.
    Smp,
    /// All fields that identify an item, as server-side apply.
    Ssa,
}

/// What happens to lists and mappings in fields that the kind does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownFields {
    /// If both sides have such a field, it cannot be merged.
    Refuse,
    /// Mappings merge, lists are replaced.
    Merge,
}

/// The declarations for one field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldMeta<'s> {
    /// How it merges.
    pub strategy: Strategy,
    /// Whether fields that the configuration does not name are cleared.
    pub retain_keys: bool,
    /// What identifies the items of a list.
    pub identity: Option<Identity<'s>>,
    /// The declarations for the fields of the mapping, or of each item of the list.
    pub below: Meta<'s>,
}

/// The declarations for the fields of one mapping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta<'s> {
    cursor: Cursor<'s>,
    keys: ListKeys,
    unknown: UnknownFields,
}

impl<'s> Meta<'s> {
    /// The declarations of the schema for the mapping at the cursor.
    #[must_use]
    pub(crate) const fn new(cursor: Cursor<'s>, keys: ListKeys, unknown: UnknownFields) -> Self {
        Self { cursor, keys, unknown }
    }

    /// The declarations for a field that contains a mapping.
    ///
    /// # Errors
    ///
    /// If the mapping's kind is known and has no such field.
    pub(crate) fn mapping(self, field: &str) -> Result<FieldMeta<'s>> {
        let cursor = self.field_cursor(field)?;
        Ok(FieldMeta { below: Self { cursor, ..self }, ..self.declared(cursor) })
    }

    /// The declarations for a field that contains a list.
    ///
    /// # Errors
    ///
    /// If the mapping's kind is known and has no such field.
    pub(crate) fn list(self, field: &str) -> Result<FieldMeta<'s>> {
        Ok(self.declared(self.field_cursor(field)?))
    }

    fn field_cursor(self, field: &str) -> Result<Cursor<'s>> {
        let cursor = self.cursor.field(field);
        // A field that a kind has with a scalar does not count as a field with a mapping or list.
        let of_object = self.cursor.value_type() == Some(ValueType::Object);
        let is_scalar = of_object && cursor.value_type().is_some_and(ValueType::is_scalar);
        if self.unknown == UnknownFields::Refuse && (is_scalar || cursor.knowledge() == Knowledge::UnknownField) {
            return Err(StrategicErrorKind::UnknownField(field.to_owned()).into());
        }
        Ok(cursor)
    }

    /// The declarations for a list, or for the field itself if it contains no list.
    fn declared(self, cursor: Cursor<'s>) -> FieldMeta<'s> {
        let patch = cursor.patch();
        let (strategy, identity) = self.list_of(cursor).unwrap_or_else(|| match patch.strategy {
            PatchStrategy::Merge | PatchStrategy::MergeRetainKeys => {
                (Strategy::Merge, patch.merge_key.map(Identity::Key))
            }
            PatchStrategy::Replace => (Strategy::Replace, None),
            PatchStrategy::Default | PatchStrategy::RetainKeys => (Strategy::Default, None),
        });
        let below = Self { cursor: cursor.item(), ..self };
        FieldMeta { strategy, retain_keys: patch.strategy.retains_keys(), identity, below }
    }

    /// The declarations for a list that kubectl's patches do not know: from the user, from a definition, for a kind
    /// that no server has, or with several keys.
    fn list_of(self, cursor: Cursor<'s>) -> Option<(Strategy, Option<Identity<'s>>)> {
        let rule = cursor.list();
        let is_own = matches!(rule.source, RuleSource::User | RuleSource::Crd);
        let patch = cursor.patch();
        let has_no_key = patch.merge_key.is_none();
        match rule.kind {
            ListKind::Keyed(keys) if is_own || has_no_key || (self.keys == ListKeys::Ssa && keys.len() > 1) => {
                let merges = is_own || patch.strategy.merges_list();
                merges.then_some((Strategy::Merge, Some(Identity::Keys(keys))))
            }
            ListKind::Set if is_own => Some((Strategy::Merge, None)),
            ListKind::Atomic if is_own => Some((Strategy::Default, None)),
            _ => None,
        }
    }
}
