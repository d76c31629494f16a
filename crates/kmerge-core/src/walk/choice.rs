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

use std::collections::BTreeMap;

use hashbrown::HashSet;
use kyaml_ast::{Entry, Node, Segment};

use super::leaf::Scope;
use super::{Change, Frame, Walker};
use crate::correspond::{Identity, field_name};
use crate::equal::same_value;
use crate::plan::{ConflictPlace, Decision, Role};
use crate::policy::{BothChanged, Unkeyed};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::Slots;
use crate::union::{Union, of_type};

/// Fields of a reference that do not help to tell two things apart.
const APART: [&str; 4] = ["apiGroup", "apiVersion", "namespace", "optional"];

impl<'a> Walker<'a> {
    /// Makes one conflict of the whole object: if both sides changed a union and chose different members, or if both
    /// sides changed a reference in different ways. Returns whether it did.
    pub(super) fn contests_object(&mut self, frame: &Frame<'a>) -> bool {
        let entries = self.entries(frame.holder);
        let (Some(dest), Some(_)) = (entries.dest, entries.incoming) else { return false };
        let is_asked = self.policy.both_changed == BothChanged::Conflict;
        if !is_asked || members_that_differ(frame).is_none() && !self.names_another(frame) {
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
        let is_git = self.policy.both_changed == BothChanged::Conflict && self.policy.unkeyed == Unkeyed::Elementwise;
        // Only version 1 of `autoscaling` declares this type atomic. It means the same in the later versions.
        let is_scaled = |name: &str| name.ends_with(".CrossVersionObjectReference");
        let is_reference = frame.cursor.type_name().is_some_and(|name| frame.cursor.is_atomic_map() || is_scaled(name));
        if !is_reference || !is_git || frame.nodes.base.is_none() {
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
        let Some(Members { ours, theirs }) = members_that_differ(frame) else { return false };
        if ours.is_empty() || theirs.is_empty() {
            return false;
        }
        let is_member = |name: &str| ours.contains_key(name) || theirs.contains_key(name);
        for (row, slots) in frame.aligned.rows.iter().enumerate() {
            let entries = self.entries(*slots);
            let name = entries.present().next().map(|(_, entry)| field_name(*entry)).unwrap_or_default();
            if is_member(&name) {
                let is_kept = outcome == Outcome::Keep;
                frame.changes.insert(row, if is_kept { Change::Keep(Vec::new()) } else { self.taken(entries) });
            }
        }
        // Whatever was found inside the members is part of this one decision.
        self.forget_fields(frame, is_member);
        self.decide(Role::Value, outcome, Rule::BothChanged, self.entries(frame.holder));
        true
    }

    /// Drops the decisions about some fields of an object, and about what these hold.
    fn forget_fields(&mut self, frame: &Frame<'a>, is_one: impl Fn(&str) -> bool) {
        let depth = self.path.depth();
        let is_inside = |decision: &Decision| match decision.path.segments().get(depth) {
            Some(Segment::Field(name)) => is_one(name),
            _ => false,
        };
        let found = self.plan.decisions.split_off(frame.decisions);
        self.plan.decisions.extend(found.into_iter().filter(|decision| !is_inside(decision)));
    }
}

/// The members of a union that two sides chose, by name.
struct Members<'a> {
    ours: BTreeMap<String, Node<'a>>,
    theirs: BTreeMap<String, Node<'a>>,
}

/// The members of a union, if both sides changed it and chose different ones.
fn members_that_differ<'a>(frame: &Frame<'a>) -> Option<Members<'a>> {
    let union = frame.cursor.type_name().and_then(of_type)?;
    let [ours, was, theirs] =
        [frame.nodes.dest, frame.nodes.base, frame.nodes.incoming].map(|node| chosen(node, union));
    let is_settled = ours.keys().eq(theirs.keys()) || same_choice(&ours, &was) || same_choice(&theirs, &was);
    let is_choice = frame.identity == Identity::Field && !is_settled && ours.len() <= 1 && theirs.len() <= 1;
    is_choice.then_some(Members { ours, theirs })
}

/// The members of a union that an object has set, by name.
fn chosen<'a>(object: Option<Node<'a>>, members: Union) -> BTreeMap<String, Node<'a>> {
    let fields = object.into_iter().flat_map(Node::entries).map(|entry| (field_name(entry), entry.value()));
    fields.filter(|(name, value)| members.has(name, *value)).collect()
}

fn same_choice(a: &BTreeMap<String, Node<'_>>, b: &BTreeMap<String, Node<'_>>) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.0 == b.0 && same_value(*a.1, *b.1))
}
