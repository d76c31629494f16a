//! What a finished merge lacks of its parents, whoever made it.
//!
//! The opposite question to merging: which change that a side made to the base would still change the result if it were
//! merged into it? Values and comments count; layout, order and blank lines do not.

use hashbrown::HashMap;
use kyaml_ast::{Span, Stream};

use crate::documents;
use crate::error::MergeError;
use crate::plan::{Decision, Plan, Role};
use crate::policy::Policy;
use crate::proof::carries;
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
    let is_lost = |decision: &Decision| {
        decision.outcome != Outcome::Keep
            && (decision.role.is_data() || matches!(decision.role, Role::Lead | Role::Trail))
    };
    let mut decisions: Vec<Decision> = plan.decisions.into_iter().filter(is_lost).collect();
    if let Slots { base: Some(base), incoming: Some(side), dest: Some(result) } = sides {
        let is_data = |decision: &Decision| decision.role.is_data();
        if decisions.iter().any(is_data) && carries(base, side, result, schema) {
            decisions.retain(|decision| !is_data(decision));
        }
        if !decisions.iter().all(is_data) {
            let is_elsewhere = found_in(side, [base, result]);
            decisions.retain(|decision| is_data(decision) || !decision.spans.incoming.is_some_and(&is_elsewhere));
        }
    }
    Ok(Plan { decisions, ..Plan::default() })
}

/// Tells of a span of a side whether each comment in it stands in one of two others as often as on the side, wherever: in the
/// result, or in the base, where the side did not write it.
fn found_in<'s>(side: &'s Stream<'_>, others: [&'s Stream<'_>; 2]) -> impl Fn(Span) -> bool + 's {
    let [now, base, result] = [side, others[0], others[1]].map(|stream| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        stream.comments().for_each(|comment| *counts.entry(bare(comment)).or_default() += 1);
        counts
    });
    move |span| {
        let mut comments = side.comments_in(span).map(bare).peekable();
        comments.peek().is_some()
            && comments.all(|comment| base.get(&comment).max(result.get(&comment)) >= now.get(&comment))
    }
}

/// A comment without its spacing.
fn bare(comment: &str) -> String {
    comment.split([' ', '\t']).collect()
}
