//! The patch that `kubectl apply` sends: deletions from last-applied to configuration, additions and changes from live
//! to configuration.

use super::diff::{Site, Wanted, diff_maps};
use super::error::Result;
use super::merge::{Context, Target, merge_maps};
use super::meta::Meta;
use kyaml_ast::Path;

use super::conflict::conflicts;
use crate::value::Map;

/// The three objects of an apply.
pub struct Sides<'v> {
    /// What was applied last.
    pub last_applied: &'v Map,
    /// What is to be applied.
    pub config: &'v Map,
    /// What is there.
    pub live: &'v Map,
}

/// A patch, and whether changes that others made contradict it.
pub struct ThreeWay {
    /// What turns live into what the configuration asks for; empty if that is so already.
    pub patch: Map,
    /// Where live was changed since it was last applied, and the patch changes it to something else. Only looked for
    /// where others' changes may not be overwritten.
    pub conflicts: Vec<Path>,
}

/// Whether an apply may overwrite what others changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overwrite {
    /// It may.
    Yes,
    /// It may not: such places are conflicts.
    No,
}

/// The patch that makes one object mean what another does.
///
/// # Errors
///
/// [`StrategicError`](super::StrategicError) where kubectl refuses the objects, or crashes on them.
pub(crate) fn two_way_patch(old: &Map, new: &Map, meta: Meta<'_>) -> Result<Map> {
    diff_maps(&mut old.clone(), new, Site::new(meta, Wanted::Everything))
}

/// The patch that applies a configuration to a live object.
///
/// # Errors
///
/// [`StrategicError`](super::StrategicError) where kubectl refuses the objects, or crashes on them.
pub fn three_way_patch(sides: &Sides<'_>, meta: Meta<'_>, overwrite: Overwrite) -> Result<ThreeWay> {
    let (mut live, mut last_applied) = (sides.live.clone(), sides.last_applied.clone());
    let additions = diff_maps(&mut live, sides.config, Site::new(meta, Wanted::Additions))?;
    let mut patch = diff_maps(&mut last_applied, sides.config, Site::new(meta, Wanted::Deletions))?;
    merge_maps(&mut patch, additions, Context { meta, target: Target::Patch })?;
    let conflicts = match overwrite {
        Overwrite::Yes => Vec::new(),
        Overwrite::No => {
            let changes = diff_maps(&mut last_applied, &live, Site::new(meta, Wanted::Changes))?;
            conflicts(&patch, &changes, meta)?
        }
    };
    Ok(ThreeWay { patch, conflicts })
}
