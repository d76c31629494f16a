//! Objects whose fields are one choice: unions and references.
//!
//! At most one field of a union may be set. If both sides chose different fields, that is one choice. Ignores which
//! types are unions ([`crate::union`]).
//!
//! A reference is an object that names one thing with several fields: a key of a Secret, the target of a binding, a
//! field of the pod. A schema mostly calls such an object atomic, and it holds only scalars. If each side changed a different
//! field, both changes together name a thing that no side meant. So in git's preset the whole object becomes one
//! conflict. Changes of one side alone, and equal changes of both sides, merge as everywhere. Ignores label selectors
//! and maps of labels: each of their entries means something alone.
//!
//! In git's preset, a collection of which each side left something else is one choice, too: both together would leave nothing.

use hashbrown::HashSet;
use kyaml_ast::{Entry, Node, Segment};

use super::leaf::Scope;
use super::{Change, Frame, Walker};
use crate::correspond::{Identity, field_name};
use crate::equal::same_value;
use crate::plan::{ConflictPlace, Role};
use crate::policy::{BothChanged, Unkeyed};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::Slots;
use crate::union::{Union, of_type};

/// Fields of a reference that do not help to tell two things apart.
const APART: [&str; 4] = ["apiGroup", "apiVersion", "namespace", "optional"];

impl<'a> Walker<'a> {
    /// Makes one conflict of the whole collection: if both sides changed a union and chose different members, if both
    /// sides changed a reference in different ways, or if they emptied it together. Returns whether it did.
    pub(super) fn contests_whole(&mut self, frame: &Frame<'a>) -> bool {
        let entries = self.entries(frame.holder);
        let (Some(dest), Some(_)) = (entries.dest, entries.incoming) else { return false };
        let is_asked = self.policy.both_changed == BothChanged::Conflict;
        let is_emptied = || self.policy.unkeyed == Unkeyed::Elementwise && frame.is_emptied();
        let is_whole = || members_that_differ(frame).is_some() || self.names_another(frame) || is_emptied();
        if !is_asked || !is_whole() {
            return false;
        }
        // Whatever was found inside the object is part of this one conflict.
        self.plan.conflicts.truncate(frame.conflicts);
        self.plan.decisions.truncate(frame.decisions);
        self.decide(Role::Value, Outcome::Conflict, Rule::BothChanged, entries);
        let place = ConflictPlace::Entry(dest.id());
        self.report(Role::Value, place, entries.map(Entry::span), |side| Scope::Value.version(entries, side));
        true
    }

    /// Whether merging the fields of an object would name a thing that no side named.
    fn names_another(&self, frame: &Frame<'a>) -> bool {
        // Only version 1 of `autoscaling` declares this type atomic. It means the same in the later versions.
        let is_scaled = |name: &str| name.ends_with(".CrossVersionObjectReference");
        let is_reference = frame.cursor.type_name().is_some_and(|name| frame.cursor.is_atomic_map() || is_scaled(name));
        if !is_reference || self.policy.unkeyed != Unkeyed::Elementwise || frame.nodes.base.is_none() {
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
        let rules = rows().map(|values| resolve(values, BothChanged::Conflict, same_value).1);
        let changes: HashSet<Rule> = rules.filter(|rule| *rule != Rule::Agreed).collect();
        changes.len() > 1
    }

    /// Decides a union for which both sides chose different members, if the policy lets one side win. Its members are
    /// as the winner has them. Returns whether there was such a union.
    pub(super) fn settle_union(&mut self, frame: &mut Frame<'a>) -> bool {
        let outcome = self.policy.both_changed.outcome();
        if outcome == Outcome::Conflict || self.streams.base.is_none() {
            return false;
        }
        let Some([Some(ours), Some(theirs)]) = members_that_differ(frame) else { return false };
        let is_member = |name: &str| name == ours || name == theirs;
        for (row, slots) in frame.aligned.rows.iter().enumerate() {
            let entries = self.entries(*slots);
            let name = entries.present().next().map(|(_, entry)| field_name(*entry)).unwrap_or_default();
            if is_member(&name) {
                let is_kept = outcome == Outcome::Keep;
                frame.changes.insert(row, if is_kept { Change::Keep(Vec::new()) } else { self.taken(entries) });
            }
        }
        // Whatever was found inside the members is part of this one decision.
        let depth = self.path.depth();
        self.forget(
            frame,
            |decision| matches!(decision.path.segments().get(depth), Some(Segment::Field(name)) if is_member(name)),
        );
        self.decide(Role::Value, outcome, Rule::BothChanged, self.entries(frame.holder));
        true
    }
}

/// The names of the members that two sides chose, if both sides changed a union and chose different members. At most one
/// on each side.
fn members_that_differ(frame: &Frame<'_>) -> Option<[Option<String>; 2]> {
    let union = frame.cursor.type_name().and_then(of_type)?;
    let members = frame.nodes.map(|node| chosen(node, union));
    let [dest, base, incoming] = [members.dest, members.base, members.incoming].map(Option::unwrap_or_default);
    let same = |a: &Entry<'_>, b: &Entry<'_>| field_name(*a) == field_name(*b) && same_value(a.value(), b.value());
    let is_as_ever = |side: &[Entry<'_>]| side.len() == base.len() && side.iter().zip(&base).all(|(a, b)| same(a, b));
    let is_choice = frame.identity == Identity::Field && dest.len() <= 1 && incoming.len() <= 1;
    let names = [&dest, &incoming].map(|side| side.first().map(|member| field_name(*member)));
    (is_choice && names[0] != names[1] && !is_as_ever(&dest) && !is_as_ever(&incoming)).then_some(names)
}

/// The members of a union that an object has set.
fn chosen<'a>(object: Node<'a>, union: Union) -> Vec<Entry<'a>> {
    object.entries().filter(|field| union.has(&field_name(*field), field.value())).collect()
}
