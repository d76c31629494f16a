//! What a finished merge lacks of its parents, whoever made it.
//!
//! The opposite question to merging: which change that a side made to the base would still change the result if it were
//! merged into it? Values and comments count; layout, order and blank lines do not.

use kyaml_ast::Stream;

use super::carries::carries;
use super::examine::{count, kind};
use crate::check::{Finding, check};
use crate::documents;
use crate::error::MergeError;
use crate::plan::{Decision, Plan, Role};
use crate::policy::Policy;
use crate::resolve::Outcome;
use crate::schema::Schema;
use crate::slots::Slots;

/// The changes of `incoming` to `base` that `dest`, the result of a merge, does not have, as decisions of a plan that is
/// not meant to be rendered. A conflict among them is a place that the result has changed, too, in another way.
///
/// # Errors
///
/// Where the sides cannot be merged by structure.
pub fn lost(sides: Slots<&Stream<'_>>, schema: &Schema) -> Result<Plan, MergeError> {
    let plan = documents::merge(sides, schema, &Policy::GIT)?;
    let are_values_there = || match (sides.base, sides.incoming, sides.dest) {
        (Some(base), Some(side), Some(result)) => carries(base, side, result),
        _ => false,
    };
    let is_lost = |decision: &Decision| {
        decision.outcome != Outcome::Keep && matches!(decision.role, Role::Value | Role::Lead | Role::Trail)
    };
    let mut decisions: Vec<Decision> = plan.decisions.into_iter().filter(is_lost).collect();
    if decisions.iter().any(|decision| decision.role == Role::Value) && are_values_there() {
        decisions.retain(|decision| decision.role != Role::Value);
    }
    Ok(Plan { decisions, ..Plan::default() })
}

/// The faults of a result that none of its sides has.
#[must_use]
pub fn new_faults(result: &Stream<'_>, sides: Slots<&Stream<'_>>, schema: &Schema) -> Vec<Finding> {
    let found = check(result, schema);
    if found.is_empty() {
        return found;
    }
    let known: Vec<_> = sides.present().map(|(_, side)| count(&check(side, schema))).collect();
    let times = count(&found);
    let is_new = |finding: &Finding| {
        let kind = kind(finding);
        let times = times.get(&kind).copied().unwrap_or_default();
        !known.iter().any(|known| known.get(&kind).is_some_and(|known| *known >= times))
    };
    found.into_iter().filter(is_new).collect()
}
