//! Objects that name one thing with several fields: a key of a Secret, the target of a binding, a field of the pod.
//!
//! A schema calls them atomic, and all that they hold is scalars. Where each side changed another field, both together name what
//! neither side meant, so that git's preset makes one conflict of the object. Changes of one side alone, and those that the other
//! side made as well, merge as everywhere. Ignores label selectors and maps of labels: each of their entries has a meaning of its own.

use kyaml_ast::Entry;

use super::Frame;
use crate::correspond::field_name;
use crate::equal::same_value;
use crate::policy::{BothChanged, Policy, Unkeyed};
use crate::slots::Slots;

/// Fields of a reference that do not tell things beside each other apart.
const APART: [&str; 4] = ["apiGroup", "apiVersion", "namespace", "optional"];

impl<'a> super::Walker<'a> {
    /// Whether a merge of an object's fields would name what no side named.
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

/// Whether lists without identity, and so all that is one value, are looked into.
fn is_of_git(policy: &Policy) -> bool {
    policy.both_changed == BothChanged::Conflict && policy.unkeyed == Unkeyed::Elementwise
}
