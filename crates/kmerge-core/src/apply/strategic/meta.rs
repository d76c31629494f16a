//! What the kind of an object says about its fields, as far as strategic merge patches care.

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

/// By what items of lists are paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKeys {
    /// By one field, as kubectl does on the client: ports that differ in nothing but the protocol are one.
    Smp,
    /// By all fields that identify an item, as server-side apply does.
    Ssa,
}

/// What happens to lists and mappings in fields that a kind does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnknownFields {
    /// Where both sides have one, they cannot be merged.
    Refuse,
    /// Mappings merge, lists are replaced.
    Merge,
}

/// What is declared about one field.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FieldMeta<'s> {
    /// How it merges.
    pub strategy: Strategy,
    /// Whether fields that the configuration does not name are cleared.
    pub retain_keys: bool,
    /// What identifies the items of a list.
    pub identity: Option<Identity<'s>>,
    /// What is declared about the fields within the mapping, or within each item of the list.
    pub below: Meta<'s>,
}

/// What is declared about the fields of one mapping.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Meta<'s> {
    cursor: Cursor<'s>,
    keys: ListKeys,
    unknown: UnknownFields,
}

impl<'s> Meta<'s> {
    /// What the schema says of the mapping at the cursor.
    #[must_use]
    pub(crate) const fn new(cursor: Cursor<'s>, keys: ListKeys, unknown: UnknownFields) -> Self {
        Self { cursor, keys, unknown }
    }

    /// What is declared about a field that holds a mapping.
    ///
    /// # Errors
    ///
    /// Where the mapping's kind is known and has no such field.
    pub(crate) fn mapping(self, field: &str) -> Result<FieldMeta<'s>> {
        let cursor = self.known(field)?;
        Ok(FieldMeta { below: Self { cursor, ..self }, ..self.declared(cursor) })
    }

    /// What is declared about a field that holds a list.
    ///
    /// # Errors
    ///
    /// Where the mapping's kind is known and has no such field.
    pub(crate) fn list(self, field: &str) -> Result<FieldMeta<'s>> {
        Ok(self.declared(self.known(field)?))
    }

    fn known(self, field: &str) -> Result<Cursor<'s>> {
        let cursor = self.cursor.field(field);
        // A field that an object has for a scalar is none that it has for a mapping or list.
        let of_object = self.cursor.value_type() == Some(ValueType::Object);
        let is_scalar = of_object && cursor.value_type().is_some_and(ValueType::is_scalar);
        if self.unknown == UnknownFields::Refuse && (is_scalar || cursor.knowledge() == Knowledge::UnknownField) {
            return Err(StrategicErrorKind::UnknownField(field.to_owned()).into());
        }
        Ok(cursor)
    }

    /// What is declared about a list, or about the field itself where it holds none.
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

    /// What is declared about a list where kubectl's patches would not know it: by the user, by a definition, for a kind that
    /// no server has, or by several keys.
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
