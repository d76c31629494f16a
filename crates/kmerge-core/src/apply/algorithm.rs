//! Applies one configuration to one live object, as `kubectl apply` does: makes the patch from three objects and
//! applies it.

use kyaml_ast::Path;

use super::error::PatchError;
use super::json_merge;
use super::patch::PatchKind;
use super::strategic::{self, ListKeys, ListOrder, Meta, UnknownFields};
use crate::resource::split_api_version;
use crate::schema::{Cursor, Knowledge, Schema};
use crate::value::{Map, Value};

/// How a patch is made and applied: as a strategic patch, by the schema of the object's kind, or as a JSON merge patch,
/// which replaces lists.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm<'s> {
    /// The schema of the object. `None` for JSON merge patches.
    pub(super) meta: Option<Meta<'s>>,
}

/// The input of an apply: the texts of files, or one object each.
#[derive(Clone, Copy, Debug)]
pub struct Sides<T> {
    /// The live objects: what is there now.
    pub live: T,
    /// The configuration to apply. For one object: [annotated](Value::annotated).
    pub config: T,
    /// The configuration that was applied last. If no files have it, the annotations of the live objects are used. For
    /// one object, `None` means that it is not known.
    pub last_applied: Option<T>,
}

/// What kubectl sends to apply a configuration.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The patch that changes the live object as the configuration asks. Empty if nothing has to change.
    pub patch: Map,
    /// Places where the live object was changed since the last apply and where the patch changes it to something else.
    /// Only filled if changes of others must not be overwritten.
    pub conflicts: Vec<Path>,
}

impl<'s> Algorithm<'s> {
    /// JSON merge patches.
    pub const JSON_MERGE: Self = Self { meta: None };

    /// kubectl's choice: strategic for built-in kinds. Here also for kinds that a definition or a rule describes.
    #[must_use]
    pub fn of(schema: &'s Schema, object: &Map, keys: ListKeys) -> Self {
        let text = |field| object.get(field).and_then(Value::as_text).unwrap_or_default();
        Self::of_kind(schema, text("apiVersion"), text("kind"), keys)
    }

    /// The algorithm for an `apiVersion` and `kind`.
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

    /// Strategic patches for a kind that has only the fields at the cursor.
    #[must_use]
    pub const fn strategic(cursor: Cursor<'s>, keys: ListKeys) -> Self {
        Self { meta: Some(Meta::new(cursor, keys, UnknownFields::Refuse)) }
    }

    /// The kind of patches that it makes.
    #[must_use]
    pub const fn kind(self) -> PatchKind {
        if self.meta.is_some() { PatchKind::Strategic } else { PatchKind::Merge }
    }

    /// The patch that applies a configuration to a live object.
    ///
    /// With `overwrite`, the configuration wins if others changed the same field. Without it, such places are
    /// conflicts.
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
    /// [`PatchError`] if kubectl refuses the objects or crashes on them.
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
    /// [`PatchError`] if kubectl or the API server refuses the patch or crashes on it.
    pub fn apply(self, object: &mut Map, patch: Map, order: ListOrder) -> Result<(), PatchError> {
        match self.meta {
            Some(meta) => strategic::apply_patch(object, patch, meta, order)?,
            None => json_merge::apply_patch(object, patch),
        }
        Ok(())
    }
}
