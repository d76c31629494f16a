//! Whether one side changed the order of a list in which the other changed something: then lines do not say what comes first.
//!
//! To lines, an element belongs behind the line above it, wherever that went. Ignores what the lists hold.

use std::ops::Range;

use hashbrown::HashSet;
use kyaml_ast::Stream;

use crate::documents;
use crate::lines::{Change, Texts};
use crate::plan::{Decision, Plan, Role};
use crate::policy::Policy;
use crate::schema::Schema;
use crate::slots::{Side, Slots};

/// Whether a side has a line that went from one place in another place: without it, no list has another order.
pub(super) fn moves_lines(texts: Texts<'_>, changes: &[Change]) -> bool {
    let moves = |text: &[u8], own: fn(&Change) -> &Range<usize>, other: Side| {
        let changed = || changes.iter().filter(|change| change.by != Some(other));
        let gone: HashSet<&[u8]> = changed().flat_map(|change| words(&texts.base[change.base.clone()])).collect();
        changed().any(|change| words(&text[own(change).clone()]).any(|line| gone.contains(line)))
    };
    moves(texts.ours, |change| &change.ours, Side::Incoming) || moves(texts.theirs, |change| &change.theirs, Side::Dest)
}

/// Lines that say something, without blanks around them.
fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
}

/// Whether there is such a list.
pub(super) fn is_reordered(sides: &Slots<Stream<'_>>, schema: &Schema) -> bool {
    let changes = |side: &Option<Stream<'_>>| {
        let (base, incoming) = (sides.base.as_ref(), side.as_ref());
        documents::merge(Slots { dest: base, base, incoming }, schema, &Policy::GIT).ok()
    };
    let (Some(ours), Some(theirs)) = (changes(&sides.dest), changes(&sides.incoming)) else { return false };
    meets_order(&ours, &theirs) || meets_order(&theirs, &ours)
}

/// Whether a plan reorders a list in which another changes something.
fn meets_order(plan: &Plan, other: &Plan) -> bool {
    let mut orders = plan.decisions.iter().filter(|decision| decision.role == Role::Order);
    let is_data = |decision: &&Decision| decision.role.is_data() || decision.role == Role::Order;
    orders.any(|order| other.decisions.iter().filter(is_data).any(|change| order.path.contains(&change.path)))
}
