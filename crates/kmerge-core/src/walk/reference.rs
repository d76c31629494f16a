//! Finds merges of references. A reference is an object that names one thing with several fields: a key of a Secret,
//! the target of a binding, a field of the pod.
//!
//! A schema calls such an object atomic, and it holds only scalars. If each side changed a different field, both
//! changes together name a thing that no side meant. So in git's preset the whole object becomes one conflict. Changes
//! of one side alone, and equal changes of both sides, merge as everywhere. Ignores label selectors and maps of labels:
//! each of their entries means something alone.

use kyaml_ast::Entry;

use super::Frame;
use crate::correspond::field_name;
use crate::equal::same_value;
use crate::policy::{BothChanged, Policy, Unkeyed};
use crate::slots::Slots;

/// Fields of a reference that do not help to tell two things apart.
const APART: [&str; 4] = ["apiGroup", "apiVersion", "namespace", "optional"];

impl<'a> super::Walker<'a> {
    /// Whether merging the fields of an object would name a thing that no side named.
    pub(super) fn names_another(&self, frame: &Frame<'a>) -> bool {
        let is_reference = frame.cursor.is_atomic_map() && frame.cursor.type_name().is_some();
        if !is_reference || !is_of_git(self.policy) || frame.nodes.base.is_none() {
            return false;
        }
        let is_name = |row: &Slots<Entry<'a>>| row.present().all(|(_, entry)| !APART.contains(&&*field_name(*entry)));
        let rows = || {
            let rows = frame.aligned.rows.iter().map(|row| self.entries(*row));
            rows.filter(is_name).map(|row| row.map(Entry::value))
        };
        if !rows().all(|values| values.present().all(|(_, value)| value.kind().is_scalar())) {
            return false;
        }
        let mut changes = [false; 3];
        for Slots { dest, base, incoming } in rows() {
            let same = |a: Option<_>, b: Option<_>| match (a, b) {
                (Some(a), Some(b)) => same_value(a, b),
                (a, b) => a.is_none() && b.is_none(),
            };
            match (same(dest, base), same(incoming, base)) {
                (true, true) => {}
                (false, true) => changes[0] = true,
                (true, false) => changes[1] = true,
                (false, false) => changes[2] |= !same(dest, incoming),
            }
        }
        changes.into_iter().filter(|is_changed| *is_changed).count() > 1
    }
}

/// Whether the policy merges lists without identity by element and reports conflicts, as git's preset does.
fn is_of_git(policy: &Policy) -> bool {
    policy.both_changed == BothChanged::Conflict && policy.unkeyed == Unkeyed::Elementwise
}
