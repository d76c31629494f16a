//! Applies one configuration to one live object, as `kubectl apply` does.

use kyaml_ast::Path;
use thiserror::Error;

use super::json_merge::{self, JsonMergeError};
use super::last_applied;
use super::strategic::{self, Meta, Overwrite, Sides, StrategicError, without_nulls};
use crate::value::{JsonError, Map, Value};

/// How the patch is made and applied.
#[derive(Clone, Copy, Debug)]
pub enum Algorithm<'s> {
    /// By what is known about the object's kind.
    Strategic(Meta<'s>),
    /// Without any knowledge: lists are replaced.
    JsonMerge,
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
    /// How the kind's fields merge.
    pub algorithm: Algorithm<'v>,
    /// Whether changes of others may be overwritten.
    pub overwrite: Overwrite,
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

/// Applies a configuration to a live object; the result's annotation then holds the configuration.
///
/// # Errors
///
/// [`ApplyError`] where kubectl refuses the objects, or crashes on them.
pub fn apply(request: &Request<'_>) -> Result<Applied, ApplyError> {
    let annotation = match request.last_applied {
        Some(_) => None,
        None => last_applied::read(request.live)?,
    };
    let nothing = Map::new();
    let last_applied = match (request.last_applied, &annotation) {
        (Some(given), _) => given,
        (None, Some(value)) => value.as_map().ok_or(ApplyError::NotAnObject)?,
        (None, None) => &nothing,
    };
    let config = last_applied::annotated(request.config);
    let sides = Sides { last_applied, config: &config, live: request.live };
    match request.algorithm {
        Algorithm::Strategic(meta) => by_strategy(&sides, meta, request.overwrite),
        Algorithm::JsonMerge => by_json_merge(&sides),
    }
}

fn by_strategy(sides: &Sides<'_>, meta: Meta<'_>, overwrite: Overwrite) -> Result<Applied, ApplyError> {
    let made = strategic::three_way_patch(sides, meta, overwrite)?;
    let mut result = sides.live.clone();
    strategic::apply_patch(&mut result, made.patch.clone(), meta)?;
    Ok(Applied { patch: made.patch, result, conflicts: made.conflicts })
}

fn by_json_merge(sides: &Sides<'_>) -> Result<Applied, ApplyError> {
    let patch = json_merge::three_way_patch(sides)?;
    let mut result = sides.live.clone();
    json_merge::apply_patch(&mut result, patch.clone());
    Ok(Applied { patch, result, conflicts: Vec::new() })
}

/// The object that kubectl creates from a configuration: annotated, without nulls.
#[must_use]
pub fn create(config: &Map) -> Value {
    let mut object = Value::map(last_applied::annotated(config));
    without_nulls(&mut object);
    object
}
