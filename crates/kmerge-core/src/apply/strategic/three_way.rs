//! The patch that `kubectl apply` sends: deletions from last-applied to configuration, additions and changes from live
//! to configuration.

use super::conflict::conflicts;
use super::diff::{Site, Wanted, diff_maps};
use super::error::Result;
use super::merge::{Context, Target, merge_maps};
use super::meta::Meta;
use crate::apply::algorithm::{Planned, Sides};
use crate::value::Map;

/// The patch that makes `old` equal to `new`.
///
/// # Errors
///
/// [`StrategicError`](super::StrategicError) if kubectl refuses the objects or crashes on them.
pub(crate) fn two_way_patch(old: &Map, new: &Map, meta: Meta<'_>) -> Result<Map> {
    diff_maps(&mut old.clone(), new, Site::new(meta, Wanted::Everything))
}

/// The patch that applies a configuration to a live object.
///
/// # Errors
///
/// [`StrategicError`](super::StrategicError) if kubectl refuses the objects or crashes on them.
pub(crate) fn three_way_patch(sides: &Sides<&Map>, meta: Meta<'_>, overwrite: bool) -> Result<Planned> {
    let (mut live, mut last_applied) = (sides.live.clone(), sides.last_applied.cloned().unwrap_or_default());
    let additions = diff_maps(&mut live, sides.config, Site::new(meta, Wanted::Additions))?;
    let mut patch = diff_maps(&mut last_applied, sides.config, Site::new(meta, Wanted::Deletions))?;
    merge_maps(&mut patch, additions, Context { meta, target: Target::Patch })?;
    if overwrite {
        return Ok(Planned { patch, conflicts: Vec::new() });
    }
    let changes = diff_maps(&mut last_applied, &live, Site::new(meta, Wanted::Changes))?;
    let conflicts = conflicts(&patch, &changes, meta)?;
    Ok(Planned { patch, conflicts })
}
