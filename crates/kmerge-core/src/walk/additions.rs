//! Elements of one name that both sides added: one element, or two?
//!
//! Where a schema, a definition or a rule says that the name identifies, they are one, and their fields are merged. Where that is but
//! inferred (tasks, steps, whatever has a `name`), two elements that each have a field of their own may be two things that
//! happen to be called alike: for git, that is contested.

use kyaml_ast::{Kind, Node};

use crate::align::field_name;
use crate::identity::Identity;
use crate::policy::{Contested, Policy};
use crate::schema::{Cursor, RuleSource};
use crate::slots::Slots;

/// Whether the elements of a row of a list may be two things.
pub(super) fn may_be_two(
    policy: &Policy,
    (identity, list): (Identity<'_>, Cursor<'_>),
    values: &Slots<Node<'_>>,
) -> bool {
    let is_inferred = matches!(identity, Identity::Keyed(_)) && list.list().source == RuleSource::Inferred;
    let Slots { dest: Some(dest), base: None, incoming: Some(incoming) } = *values else { return false };
    policy.contested == Contested::Conflict
        && is_inferred
        && dest.kind() == Kind::Mapping
        && incoming.kind() == Kind::Mapping
        && has_more(dest, incoming)
        && has_more(incoming, dest)
}

/// Whether a mapping has a field that another has not.
fn has_more(mapping: Node<'_>, other: Node<'_>) -> bool {
    let known: std::collections::HashSet<String> = other.entries().map(field_name).collect();
    mapping.entries().any(|entry| !known.contains(&field_name(entry)))
}
