//! What a finished merge lacks of its parents, whoever made it.
//!
//! The opposite question to merging: which change that a side made to the base would still change the result if it were
//! merged into it? Values and comments count; layout, order and blank lines do not.

use hashbrown::HashSet;
use kyaml_ast::Stream;

use super::carries::carries;
use super::comments;
use super::examine::{Kind, count, kind};
use crate::check::{Finding, check, check_apart};
use crate::documents;
use crate::error::MergeError;
use crate::plan::{Decision, Plan, Role};
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
    let plan = documents::changes(sides, schema)?;
    let are_values_there = || match (sides.base, sides.incoming, sides.dest) {
        (Some(base), Some(side), Some(result)) => carries(base, side, result),
        _ => false,
    };
    let is_lost = |decision: &Decision| {
        decision.outcome != Outcome::Keep
            && (decision.role.is_data() || matches!(decision.role, Role::Lead | Role::Trail))
    };
    let mut decisions: Vec<Decision> = plan.decisions.into_iter().filter(is_lost).collect();
    if decisions.iter().any(|decision| decision.role.is_data()) && are_values_there() {
        decisions.retain(|decision| !decision.role.is_data());
    }
    if let (Some(side), Some(result)) = (sides.incoming, sides.dest)
        && decisions.iter().any(|decision| !decision.role.is_data())
    {
        let is_elsewhere = comments::found_in(side, result);
        decisions.retain(|decision| decision.role.is_data() || !decision.spans.incoming.is_some_and(&is_elsewhere));
    }
    Ok(Plan { decisions, ..Plan::default() })
}

/// The faults of a result that none of its sides has.
#[must_use]
pub fn new_faults(result: &Stream<'_>, sides: Slots<&Stream<'_>>, schema: &Schema) -> Vec<Finding> {
    let mut new: Option<HashSet<Kind>> = None;
    for (_, side) in sides.present() {
        let [found, known] = check_apart([result, side], schema).map(|findings| count(&findings));
        let is_more = |(fault, times): &(Kind, usize)| known.get(fault).is_none_or(|known| known < times);
        let more: HashSet<Kind> = found.into_iter().filter(is_more).map(|(fault, _)| fault).collect();
        let still: HashSet<Kind> = match new {
            None => more,
            Some(new) => new.into_iter().filter(|fault| more.contains(fault)).collect(),
        };
        // Mostly there are none, and the first side tells.
        if still.is_empty() {
            return Vec::new();
        }
        new = Some(still);
    }
    let is_new = |finding: &Finding| new.as_ref().is_none_or(|new| new.contains(&kind(finding)));
    check(result, schema).into_iter().filter(is_new).collect()
}
