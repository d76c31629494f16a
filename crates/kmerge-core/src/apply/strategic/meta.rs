//! What the kind of an object says about its fields, as far as strategic merge patches care.

use super::error::{Result, StrategicErrorKind};
use crate::schema::{Cursor, Knowledge, PatchStrategy};

/// How a field merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strategy {
    /// Nothing is declared: mappings merge, lists are replaced.
    Default,
    /// The list merges item by item.
    Merge,
    /// The value is replaced as a whole.
    Replace,
}

/// What is declared about one field.
#[derive(Clone, Copy, Debug)]
pub struct FieldMeta<'s> {
    /// How it merges.
    pub strategy: Strategy,
    /// Whether fields that the configuration does not name are cleared.
    pub retain_keys: bool,
    /// The field that identifies the items of a list.
    pub merge_key: Option<&'s str>,
    /// What is declared about the fields within the mapping, or within each item of the list.
    pub below: Meta<'s>,
}

/// What is declared about the fields of one mapping.
#[derive(Clone, Copy, Debug)]
pub struct Meta<'s>(Cursor<'s>);

impl<'s> Meta<'s> {
    /// What the schema says of the mapping at the cursor.
    #[must_use]
    pub const fn new(cursor: Cursor<'s>) -> Self {
        Self(cursor)
    }

    /// What is declared about a field that holds a mapping.
    ///
    /// # Errors
    ///
    /// Where the mapping's kind is known and has no such field.
    pub fn mapping(self, field: &str) -> Result<FieldMeta<'s>> {
        let cursor = self.known(field)?;
        Ok(FieldMeta { below: Self(cursor), ..declared(cursor) })
    }

    /// What is declared about a field that holds a list.
    ///
    /// # Errors
    ///
    /// Where the mapping's kind is known and has no such field.
    pub fn list(self, field: &str) -> Result<FieldMeta<'s>> {
        Ok(declared(self.known(field)?))
    }

    fn known(self, field: &str) -> Result<Cursor<'s>> {
        let cursor = self.0.field(field);
        match cursor.knowledge() {
            Knowledge::UnknownField => Err(StrategicErrorKind::UnknownField(field.to_owned()).into()),
            Knowledge::NoSchema | Knowledge::Free | Knowledge::Known => Ok(cursor),
        }
    }
}

/// What is declared about a list, or about the field itself where it holds none.
fn declared(cursor: Cursor<'_>) -> FieldMeta<'_> {
    let patch = cursor.patch();
    let strategy = match patch.strategy {
        PatchStrategy::Merge | PatchStrategy::MergeRetainKeys => Strategy::Merge,
        PatchStrategy::Replace => Strategy::Replace,
        PatchStrategy::Default | PatchStrategy::RetainKeys => Strategy::Default,
    };
    FieldMeta {
        strategy,
        retain_keys: patch.strategy.retains_keys(),
        merge_key: patch.merge_key,
        below: Meta(cursor.item()),
    }
}
