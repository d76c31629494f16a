//! Merges comments between an entry's key (or dash) and a value on a later line that is no block collection.
//!
//! These inner comments are one slot under the four rules. No edit can set them alone. If they are taken, the whole
//! incoming entry is taken, and the parts that the destination keeps are put back into it. Ignores flow collections.

use kyaml_ast::{CommentSlot, Content, Edit, Entry, EntryId, Graft};

use super::comments::comment;
use super::foot::{foot, foot_text, is_bare, is_filled, same_lines};
use super::leaf::text_of;
use super::{Frame, Walker, rewrite};
use crate::plan::{ConflictPlace, Role, Variant};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// Merges the inner comments of an entry that stays. `edits` change its value and its other comments. Before this
    /// entry there were `known` conflicts.
    pub(super) fn kept(&mut self, entries: Slots<Entry<'a>>, edits: Vec<Edit>, known: usize) -> Vec<Edit> {
        let Some([dest, incoming]) = entries.both() else { return edits };
        let texts = entries.filter_map(|entry| (!inner(entry).is_empty()).then_some(entry));
        if texts.present().count() == 0 {
            return edits;
        }
        let (outcome, rule) = resolve(texts, self.policy.comments, |a, b| inner(a) == inner(b));
        if matches!(rule, Rule::Agreed | Rule::OnlyDest) {
            return edits;
        }
        let is_free = !self.conflicted(known).any_in(dest) && is_replaceable(entries);
        let parts = if is_free && outcome == Outcome::Take { Parts::of(dest.id(), &edits) } else { None };
        let outcome = if parts.is_some() { Outcome::Take } else { Outcome::Keep };
        self.decide(Role::Gap, outcome, rule, entries);
        let Some(parts) = parts else { return edits };
        vec![rewrite(dest.id(), self.with_parts(dest, incoming, &parts))]
    }

    /// If the incoming side filled an empty entry with a collection: puts this collection in, together with the
    /// comments below the destination's key. `None` if there are no such comments, or if they are in conflict.
    pub(super) fn filling(&mut self, frame: &Frame<'a>, entries: Slots<Entry<'a>>, edits: &[Edit]) -> Option<Edit> {
        let [dest, incoming] = entries.both()?;
        if !is_filled_in(frame, &entries) {
            return None;
        }
        let mut graft = self.with_parts(dest, incoming, &Parts::of(dest.id(), edits)?);
        graft.edits.extend(self.turned(frame, entries.map(Entry::id))?);
        Some(rewrite(dest.id(), graft))
    }

    /// The edits that bring the destination's comments into the incoming collection. `None` if these comments are in
    /// conflict.
    fn turned(&mut self, frame: &Frame<'a>, row: Slots<EntryId>) -> Option<Vec<Edit>> {
        let (decisions, conflicts) = (self.plan.decisions.len(), self.plan.conflicts.len());
        self.streams = turned(self.streams);
        let edits = self.filled(frame, turned(row));
        self.streams = turned(self.streams);
        for decision in &mut self.plan.decisions[decisions..] {
            decision.spans = turned(decision.spans);
            decision.outcome = match decision.outcome {
                Outcome::Keep => Outcome::Take,
                Outcome::Take => Outcome::Keep,
                Outcome::Conflict => Outcome::Conflict,
            };
        }
        if self.plan.conflicts.len() == conflicts {
            return Some(edits);
        }
        self.plan.conflicts.truncate(conflicts);
        self.plan.decisions.truncate(decisions);
        self.conflicting_foot(turned(row));
        None
    }

    /// Records a conflict about the comments below a key: they stay, or they go because the incoming side has them
    /// inside its collection.
    fn conflicting_foot(&mut self, row: Slots<EntryId>) {
        let entries = self.entries(row);
        let spans = entries.filter_map(foot);
        let Some(place) = spans.dest else { return };
        self.tell(Role::Gap, Outcome::Conflict, Rule::BothChanged, spans);
        let version = |side: Side| {
            let entry = if side == Side::Base { entries.base } else { None };
            Variant::Text(entry.map_or("", foot_text).to_owned())
        };
        self.report(Role::Gap, ConflictPlace::Lines(place), spans, version);
    }

    /// The incoming entry with those parts of the destination's entry that `parts` does not take from the incoming
    /// side.
    fn with_parts(&self, dest: Entry<'a>, incoming: Entry<'a>, parts: &Parts<'_>) -> Graft<EntryId> {
        let own = || Content::Layout(Graft::new(Side::Dest.stream(), dest.id()));
        let value = match parts.value {
            Some(Content::Value(_) | Content::Layout(_)) => None,
            Some(other) => Some(other.clone()),
            None => (text_of(dest) != text_of(incoming)).then(own),
        };
        let mut graft = match value {
            None => self.graft(incoming),
            Some(content) => {
                let edits = vec![Edit::ReplaceValue { entry: incoming.id(), content }];
                Graft { stream: Side::Incoming.stream(), part: incoming.id(), edits }
            }
        };
        for slot in [CommentSlot::Lead, CommentSlot::Trail] {
            let ours = comment(dest, slot);
            if !parts.comments.contains(&slot) && ours != comment(incoming, slot) {
                let from = ours.map(|_| (Side::Dest.stream(), dest.id()));
                graft.edits.push(Edit::SetComment { entry: incoming.id(), slot, from });
            }
        }
        graft
    }
}

/// Whether the incoming side filled an entry that is empty in base and destination, and the destination has comments
/// below it.
pub(super) fn is_filled_in(frame: &Frame<'_>, entries: &Slots<Entry<'_>>) -> bool {
    let Some([dest, base, incoming]) = entries.all() else { return false };
    let has_comments = |foot: kyaml_ast::Span| dest.stream().comments_in(foot).next().is_some();
    frame.has_lane() && is_bare(base) && is_bare(dest) && is_filled(incoming) && foot(dest).is_some_and(has_comments)
}

/// Exchanges the two sides.
fn turned<T>(sides: Slots<T>) -> Slots<T> {
    Slots { dest: sides.incoming, base: sides.base, incoming: sides.dest }
}

/// The parts of an entry that edits take from the incoming side.
struct Parts<'e> {
    value: Option<&'e Content>,
    comments: Vec<CommentSlot>,
}

impl<'e> Parts<'e> {
    /// `None` if the edits change anything else, too.
    fn of(dest: EntryId, edits: &'e [Edit]) -> Option<Self> {
        let mut parts = Self { value: None, comments: Vec::new() };
        for edit in edits {
            match edit {
                Edit::ReplaceValue { entry, content } if *entry == dest => parts.value = Some(content),
                Edit::SetComment { entry, slot, .. } if *entry == dest => parts.comments.push(*slot),
                // The incoming key comes with the incoming entry.
                Edit::ReplaceKey { entry, .. } if *entry == dest => {}
                _ => return None,
            }
        }
        Some(parts)
    }
}

/// Whether the destination's entry can be replaced: everything that is its own can be put back.
fn is_replaceable(entries: Slots<Entry<'_>>) -> bool {
    let Some([dest, incoming]) = entries.both() else { return false };
    if [dest, incoming].into_iter().any(|entry| entry.collection().is_flow()) {
        return false;
    }
    let key = |entry: Entry<'_>| entry.key().map(|key| key.full_span().of(entry.stream().source()).to_owned());
    let mut known = [Some(incoming), entries.base].into_iter().flatten();
    known.clone().any(|other| key(other) == key(dest))
        && known.any(|other| same_lines(foot_text(other), foot_text(dest)))
}

/// The comments between key and value, without the comment on the line of the key.
fn inner(entry: Entry<'_>) -> Vec<&str> {
    if entry.value().is_block_collection() {
        return Vec::new();
    }
    let source = entry.stream().source();
    let trail = entry.trail().map(|trail| trail.of(source).as_ptr());
    let span = kyaml_ast::Span::new(entry.start(), entry.value().span().start.max(entry.start()));
    let comments = entry.stream().comments_in(span).filter(|comment| Some(comment.as_ptr()) != trail);
    comments.map(str::trim_end).collect()
}
