//! Merges the comments of an entry: its lead, directly above it, and its trail, beside it.
//!
//! Each follows the four rules on its own. Ignores the lead where the lines between the entries are merged: that is the
//! lane's, in [`lanes`](super::lanes).

use kyaml_ast::{CommentSlot, Edit, Entry, Path};

use super::lanes::has_lines;
use super::{Walker, lead_lines};
use crate::plan::{ConflictPlace, Plan, Role, Variant};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// Merges lead and trail of an entry that destination and incoming both have.
    ///
    /// If the collection has a lane, the lane decides the lead.
    pub(super) fn comments(&mut self, entries: Slots<Entry<'a>>, has_lane: bool) -> Vec<Edit> {
        if entries.present().all(|(_, entry)| entry.lead().is_none() && entry.trail().is_none()) {
            return Vec::new();
        }
        let lead = self.lead(entries, has_lane);
        lead.into_iter().chain(self.comment(entries, CommentSlot::Trail, false)).collect()
    }

    /// Merges lead and trail of an entry at a path that is not walked to.
    pub(crate) fn comments_of(&mut self, path: Path, entries: Slots<Entry<'a>>) -> Plan {
        (self.path, self.plan) = (path, Plan::default());
        let edits = self.comments(entries, false);
        self.path = Path::default();
        Plan { edits, ..std::mem::take(&mut self.plan) }
    }

    /// Merges the lead, unless the lane has it.
    pub(super) fn lead(&mut self, entries: Slots<Entry<'a>>, has_lane: bool) -> Option<Edit> {
        self.comment(entries, CommentSlot::Lead, has_lane && has_lines(&entries))
    }

    /// Applies the four rules to one comment of an entry. `None` if there is nothing to decide here.
    fn comment_rule(&self, entries: Slots<Entry<'a>>, slot: CommentSlot, is_in_lane: bool) -> Option<(Outcome, Rule)> {
        let [dest, incoming] = entries.both()?;
        // Where no comment can be written, a missing comment does not mean that somebody removed it.
        if !incoming.has_room_for_comments() && comment(incoming, slot).is_none() {
            return None;
        }
        let mut texts = entries.filter_map(|entry| comment(entry, slot).map(|_| entry));
        if !dest.has_room_for_comments() && texts.dest.is_none() {
            texts.dest = texts.base;
        }
        let policy = self.policy.comments;
        match resolve(texts, policy, |a, b| comment(a, slot) == comment(b, slot)) {
            (_, Rule::BothChanged) if is_in_lane => None,
            (_, Rule::BothChanged) => Some(resolve(texts, policy, |a, b| bare(a, slot) == bare(b, slot))),
            decided => Some(decided),
        }
    }

    /// Merges one comment of an entry.
    fn comment(&mut self, entries: Slots<Entry<'a>>, slot: CommentSlot, is_in_lane: bool) -> Option<Edit> {
        let dest = entries.dest?;
        let (outcome, rule) = self.comment_rule(entries, slot, is_in_lane)?;
        let role = if slot == CommentSlot::Lead { Role::Lead } else { Role::Trail };
        self.decide(role, outcome, rule, entries);
        if is_in_lane {
            return None;
        }
        let set = |side: Side| set_comment(dest, slot, side, entries.get(side).copied());
        match outcome {
            Outcome::Keep => None,
            Outcome::Take => Some(set(Side::Incoming)),
            Outcome::Conflict => {
                let version = |side: Side| Variant::Edited(vec![set(side)]);
                let place = ConflictPlace::Entry(dest.id());
                self.report(role, place, entries.map(Entry::span), version);
                None
            }
        }
    }
}

/// The edit that gives the destination's entry the comment of another version, or removes its comment.
pub(super) fn set_comment(dest: Entry<'_>, slot: CommentSlot, side: Side, entry: Option<Entry<'_>>) -> Edit {
    let entry = entry.filter(|entry| comment(*entry, slot).is_some());
    Edit::SetComment { entry: dest.id(), slot, from: entry.map(|entry| (side.stream(), entry.id())) }
}

/// The text of a comment without indentation.
pub(super) fn comment(entry: Entry<'_>, slot: CommentSlot) -> Option<String> {
    match slot {
        CommentSlot::Lead => entry.lead().map(|_| lead_lines(entry).collect::<Vec<_>>().join("\n")),
        CommentSlot::Trail => entry.trail().map(|trail| trail.of(entry.stream().source()).trim_end().to_owned()),
    }
}

/// The text of a comment without spaces and tabs.
fn bare(entry: Entry<'_>, slot: CommentSlot) -> Option<String> {
    comment(entry, slot).map(|text| text.split([' ', '\t']).collect())
}
