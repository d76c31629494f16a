//! Applies one configuration to one live object, as `kubectl apply` does.

use kyaml_ast::Path;
use thiserror::Error;

use super::json_merge::{self, JsonMergeError};
use super::last_applied;
use super::strategic::{
    self, ListKeys, ListOrder, Meta, Overwrite, Sides, StrategicError, UnknownFields, without_nulls,
};
use crate::resource::split_api_version;
use crate::schema::{Knowledge, Schema};
use crate::value::{Data, JsonError, Map, Needed, Value};

/// How a patch is made and applied.
#[derive(Clone, Copy, Debug)]
pub enum Algorithm<'s> {
    /// By what is known about the object's kind.
    Strategic(Meta<'s>),
    /// Without any knowledge: lists are replaced.
    JsonMerge,
}

impl<'s> Algorithm<'s> {
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
            return Self::Strategic(Meta::new(cursor, keys, UnknownFields::Refuse));
        }
        if cursor.knowledge() != Knowledge::NoSchema || schema.has_rules() {
            return Self::Strategic(Meta::new(cursor, keys, UnknownFields::Merge));
        }
        Self::JsonMerge
    }
}

/// A configuration, and what it is applied to.
#[derive(Clone, Copy)]
pub struct Request<'v> {
    /// The object that is there.
    pub live: &'v Map,
    /// The configuration.
    pub config: &'v Map,
    /// What was applied last, unless the live object's annotation shall say.
    pub last_applied: Option<&'v Map>,
    /// What the three were read for, where that is not everything.
    pub part: Option<Part<'v>>,
    /// How the kind's fields merge.
    pub algorithm: Algorithm<'v>,
    /// Whether changes of others may be overwritten.
    pub overwrite: Overwrite,
    /// The order of merged lists.
    pub list_order: ListOrder,
}

/// A part of the objects, which are the same in all the rest.
#[derive(Clone, Copy, Debug)]
pub struct Part<'v> {
    /// What has been read.
    pub needed: &'v Needed,
    /// The text of the new annotation: the whole configuration.
    pub annotation: &'v str,
}

/// What an apply does to a live object.
#[derive(Clone, Debug)]
pub struct Applied {
    /// The patch; empty if nothing changes.
    pub patch: Map,
    /// The object afterwards.
    pub result: Map,
    /// Where others changed what the patch changes; empty if that may be overwritten.
    pub conflicts: Vec<Path>,
    /// What was applied last; `None` if nothing says so.
    pub last_applied: Option<Map>,
}

/// Why a configuration cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ApplyError {
    /// The strategic merge patch cannot be made or applied.
    #[error(transparent)]
    Strategic(#[from] StrategicError),
    /// The JSON merge patch cannot be made.
    #[error(transparent)]
    JsonMerge(#[from] JsonMergeError),
    /// The last-applied annotation is not JSON.
    #[error("the last-applied annotation is not JSON: {0}")]
    Annotation(#[from] JsonError),
    /// The last-applied annotation holds something else than an object.
    #[error("the last-applied annotation is not an object")]
    NotAnObject,
}

/// What kubectl sends to apply a configuration.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The patch; empty if nothing is sent.
    pub patch: Map,
    /// Where others changed what the patch changes; empty if that may be overwritten.
    pub conflicts: Vec<Path>,
    /// What was applied last; `None` if nothing says so.
    pub last_applied: Option<Map>,
}

/// The patch that applies a configuration to a live object.
///
/// # Errors
///
/// [`ApplyError`] where kubectl refuses the objects, or crashes on them.
pub fn plan(request: &Request<'_>) -> Result<Planned, ApplyError> {
    let mut last_applied = match request.last_applied {
        Some(given) => Some(given.clone()),
        None => last_applied::read(request.live)?.map(into_map).transpose()?,
    };
    let nothing = Map::new();
    let config = match request.part {
        Some(part) => last_applied::annotated_with(request.config.clone(), part.annotation.to_owned()),
        None => last_applied::annotated(request.config),
    };
    if let (Some(part), Some(last_applied)) = (request.part, &mut last_applied) {
        part.needed.trim(last_applied);
    }
    let sides = Sides { last_applied: last_applied.as_ref().unwrap_or(&nothing), config: &config, live: request.live };
    let (patch, conflicts) = match request.algorithm {
        Algorithm::Strategic(meta) => {
            let made = strategic::three_way_patch(&sides, meta, request.overwrite)?;
            (made.patch, made.conflicts)
        }
        Algorithm::JsonMerge => (json_merge::three_way_patch(&sides)?, Vec::new()),
    };
    Ok(Planned { patch, conflicts, last_applied })
}

/// Applies a configuration to a live object; the result's annotation then holds the configuration.
///
/// # Errors
///
/// [`ApplyError`] where kubectl or the API server refuses, or crashes.
pub fn apply(request: &Request<'_>) -> Result<Applied, ApplyError> {
    let Planned { patch, conflicts, last_applied } = plan(request)?;
    let mut result = request.live.clone();
    match request.algorithm {
        Algorithm::Strategic(meta) => {
            strategic::apply_patch(&mut result, patch.clone(), meta, request.list_order)?;
        }
        Algorithm::JsonMerge => json_merge::apply_patch(&mut result, patch.clone()),
    }
    Ok(Applied { patch, result, conflicts, last_applied })
}

fn into_map(value: Value) -> Result<Map, ApplyError> {
    match value.data {
        Data::Map(map) => Ok(map),
        _ => Err(ApplyError::NotAnObject),
    }
}

/// The object that kubectl creates from a configuration: annotated, without nulls.
#[must_use]
pub fn create(config: &Value) -> Value {
    let mut object = config.clone();
    if let Data::Map(map) = &mut object.data {
        *map = last_applied::annotated(map);
    }
    without_nulls(&mut object);
    object
}
