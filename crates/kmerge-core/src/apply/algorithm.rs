//! How one configuration is applied to one live object, as `kubectl apply` does: the patch of three objects, and what it leaves.

use kyaml_ast::Path;

use super::error::PatchError;
use super::json_merge;
use super::patch::PatchKind;
use super::strategic::{self, ListKeys, ListOrder, Meta, UnknownFields};
use crate::resource::split_api_version;
use crate::schema::{Cursor, Knowledge, Schema};
use crate::value::{Map, Value};

/// How a patch is made and applied: strategic, by what is known about the object's kind, or as a JSON merge patch, which
/// replaces lists.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm<'s> {
    /// What is known; `None` for JSON merge patches.
    pub(super) meta: Option<Meta<'s>>,
}

/// What an apply is about: the texts of files, or one object each.
#[derive(Clone, Copy, Debug)]
pub struct Sides<T> {
    /// What is there.
    pub live: T,
    /// What is to be applied; [annotated](Value::annotated), where it is one object.
    pub config: T,
    /// What was applied last. Where files do not say it, the annotations of the live objects do; of one object, nothing is known
    /// then.
    pub last_applied: Option<T>,
}

/// What kubectl sends to apply a configuration.
#[derive(Clone, Debug)]
pub struct Planned {
    /// What turns live into what the configuration asks for; empty if that is so already.
    pub patch: Map,
    /// Where live was changed since it was last applied, and the patch changes it to something else. Only looked for
    /// where others' changes may not be overwritten.
    pub conflicts: Vec<Path>,
}

impl<'s> Algorithm<'s> {
    /// JSON merge patches.
    pub const JSON_MERGE: Self = Self { meta: None };

    /// kubectl's choice: strategic for the built-in kinds, and here also for kinds that a definition or a rule describes.
    #[must_use]
    pub fn of(schema: &'s Schema, object: &Map, keys: ListKeys) -> Self {
        let text = |field| object.get(field).and_then(Value::as_text).unwrap_or_default();
        Self::of_kind(schema, text("apiVersion"), text("kind"), keys)
    }

    /// The choice for an `apiVersion` and `kind`.
    pub(super) fn of_kind(schema: &'s Schema, api_version: &str, kind: &str, keys: ListKeys) -> Self {
        let (group, version) = split_api_version(api_version);
        let cursor = schema.resource(group, version, kind);
        if schema.is_builtin(group, version, kind) {
            return Self::strategic(cursor, keys);
        }
        if cursor.knowledge() != Knowledge::NoSchema || schema.has_rules() {
            return Self { meta: Some(Meta::new(cursor, keys, UnknownFields::Merge)) };
        }
        Self::JSON_MERGE
    }

    /// Strategic patches of a kind that has no fields but those at the cursor.
    #[must_use]
    pub const fn strategic(cursor: Cursor<'s>, keys: ListKeys) -> Self {
        Self { meta: Some(Meta::new(cursor, keys, UnknownFields::Refuse)) }
    }

    /// The kind of its patches.
    #[must_use]
    pub const fn kind(self) -> PatchKind {
        if self.meta.is_some() { PatchKind::Strategic } else { PatchKind::Merge }
    }

    /// The patch that applies a configuration to a live object.
    ///
    /// With `overwrite`, the configuration wins where others changed the same field; without it, such places are conflicts.
    ///
    /// ```
    /// use kmerge_core::Schema;
    /// use kmerge_core::apply::{Algorithm, ListKeys, ListOrder, Sides};
    /// use kmerge_core::value::Value;
    ///
    /// let config = Value::from_json(r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"2"}}"#)?;
    /// let live = Value::from_json(r#"{"apiVersion":"v1","kind":"ConfigMap","data":{"a":"1","theirs":"x"}}"#)?;
    /// let (last_applied, config) = (live.last_applied()?, config.annotated());
    /// let (config, live) = (config.as_map().expect("an object"), live.as_map().expect("an object"));
    ///
    /// let schema = Schema::new();
    /// let algorithm = Algorithm::of(&schema, config, ListKeys::Smp);
    /// let sides = Sides { last_applied: last_applied.as_ref(), config, live };
    /// let planned = algorithm.plan(&sides, true)?;
    /// let data = planned.patch.get("data").expect("`a` differs");
    /// assert_eq!(data.to_json(), r#"{"a":"2"}"#);
    ///
    /// let mut result = live.clone();
    /// algorithm.apply(&mut result, planned.patch, ListOrder::Kubectl)?;
    /// assert_eq!(result.get("data").expect("there before").to_json(), r#"{"a":"2","theirs":"x"}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`PatchError`] where kubectl refuses the objects, or crashes on them.
    pub fn plan(self, sides: &Sides<&Map>, overwrite: bool) -> Result<Planned, PatchError> {
        match self.meta {
            Some(meta) => Ok(strategic::three_way_patch(sides, meta, overwrite)?),
            None => Ok(Planned { patch: json_merge::three_way_patch(sides)?, conflicts: Vec::new() }),
        }
    }

    /// Applies a patch to an object.
    ///
    /// # Errors
    ///
    /// [`PatchError`] where kubectl or the API server refuses the patch, or crashes on it.
    pub fn apply(self, object: &mut Map, patch: Map, order: ListOrder) -> Result<(), PatchError> {
        match self.meta {
            Some(meta) => strategic::apply_patch(object, patch, meta, order)?,
            None => json_merge::apply_patch(object, patch),
        }
        Ok(())
    }
}
