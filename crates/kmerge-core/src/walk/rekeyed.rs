//! Finds fields that both sides replaced by other fields at one place.
//!
//! The alignment sees a renamed field as one removal and one addition. With two new names, both would be added, and
//! there would be two fields instead of one. A scalar field counts as renamed if a new field with the same value stands
//! in its place, after the same field. Any field counts as replaced if each side has exactly one new field there and no
//! other field was removed there. Ignores collections that were renamed elsewhere (`git/renames.rs`).

use std::collections::VecDeque;

use hashbrown::HashMap;
use kyaml_ast::{Entry, EntryId, Graft};

use super::unkeyed::Whole;
use super::{Change, Frame, Walker, rewrite};
use crate::correspond::Identity;
use crate::equal::same_value;
use crate::plan::{Role, Variant};
use crate::resolve::{Outcome, Rule};
use crate::slots::{Side, Slots};

/// The field of the base that something follows.
type Place = Option<EntryId>;

/// A new field of a side, with its row.
type New<'a> = (usize, Entry<'a>);

/// The fields that only one side has.
#[derive(Default)]
struct NewFields<'a> {
    /// By place and text, in order.
    scalars: HashMap<(Place, String), VecDeque<New<'a>>>,
    /// The only new field of a place. `None` if the place has several.
    only: HashMap<Place, Option<New<'a>>>,
}

/// A field that both sides removed, and its place on each side.
struct Gone<'a> {
    field: Entry<'a>,
    places: [Place; 2],
}

impl<'a> Walker<'a> {
    /// Makes a conflict of the fields that both sides put in the place of one field. If the policy lets one side win, takes
    /// that side's field.
    pub(super) fn rekeyed(&mut self, frame: &mut Frame<'a>) {
        if frame.identity != Identity::Field || frame.whole == Whole::Taken {
            return;
        }
        let Slots { dest: Some(_), base: Some(base), incoming: Some(_) } = frame.nodes else { return };
        if frame.aligned.has_all_of(base) {
            return;
        }
        let mut new = [Side::Dest, Side::Incoming].map(|side| NewFields::of(frame, side));
        for gone in gone_fields(frame).chunk_by(|a, b| a.places == b.places) {
            for field in gone {
                self.rekey(frame, field.successors(&mut new, gone.len() == 1), field.field);
            }
        }
    }

    /// Decides a field that has a successor on both sides.
    fn rekey(&mut self, frame: &mut Frame<'a>, successors: Option<[New<'a>; 2]>, gone: Entry<'a>) {
        let Some([(our_row, our), (their_row, their)]) = successors else { return };
        let fields = Slots::three(our, gone, their);
        let outcome = self.policy.both_changed.outcome();
        self.decide(Role::Name, outcome, Rule::BothChanged, fields);
        if outcome == Outcome::Take {
            frame.changes.insert(our_row, Change::Remove);
        } else {
            frame.changes.remove(&their_row);
        }
        if outcome == Outcome::Conflict {
            self.clash_of_names(frame, fields);
        }
    }

    fn clash_of_names(&mut self, frame: &Frame<'a>, fields: Slots<Entry<'a>>) {
        let (Some(place), Some(ours)) = (frame.place(), fields.dest) else { return };
        let version = |side: Side| {
            let graft = fields.get(side).map(|field| Graft::new(side.stream(), field.id()));
            Variant::Edited(graft.map(|graft| rewrite(ours.id(), graft)).into_iter().collect())
        };
        self.plan.conflicts.push(self.new_conflict(Role::Name, place, fields.map(Entry::span), version));
    }
}

impl<'a> Gone<'a> {
    /// The fields that both sides put in the place of this one. Uses them up.
    fn successors(&self, new: &mut [NewFields<'a>; 2], is_only: bool) -> Option<[New<'a>; 2]> {
        let [ours, theirs] = new;
        let [our_place, their_place] = self.places;
        let our = ours.successor(self.field, our_place, is_only)?;
        let their = theirs.successor(self.field, their_place, is_only)?;
        ours.take(our.1, our_place);
        theirs.take(their.1, their_place);
        Some([our, their])
    }
}

impl<'a> NewFields<'a> {
    fn of(frame: &Frame<'a>, side: Side) -> Self {
        let rows = frame.aligned.rows_of(side);
        let mut new = Self::default();
        let mut after = None;
        for field in frame.nodes.get(side).copied().into_iter().flat_map(kyaml_ast::Node::entries) {
            let Some(row) = rows.get(&field.id()) else { continue };
            let slots = &frame.aligned.rows[*row];
            if slots.base.is_some() {
                after = slots.base;
            } else if slots.present().count() == 1 {
                new.scalars.entry((after, text(field))).or_default().push_back((*row, field));
                new.only.entry(after).and_modify(|only| *only = None).or_insert(Some((*row, field)));
            }
        }
        new
    }

    /// The new field in the place of a removed one: a scalar with another name and the same value, or the only new
    /// field there.
    fn successor(&self, gone: Entry<'a>, place: Place, is_only: bool) -> Option<New<'a>> {
        let alike = self.scalars.get(&(place, text(gone))).and_then(|alike| alike.front()).copied();
        let is_renamed = |new: &New<'a>| gone.value().kind().is_scalar() && same_value(new.1.value(), gone.value());
        let only = if is_only { self.only.get(&place).copied().flatten() } else { None };
        alike.filter(is_renamed).or(only)
    }

    /// Uses up a field, because each field replaces at most one other.
    fn take(&mut self, field: Entry<'a>, place: Place) {
        if let Some(alike) = self.scalars.get_mut(&(place, text(field))) {
            alike.pop_front();
        }
        self.only.remove(&place);
    }
}

fn gone_fields<'a>(frame: &Frame<'a>) -> Vec<Gone<'a>> {
    let rows = frame.aligned.rows_of(Side::Base);
    let mut gone = Vec::new();
    let mut places = [None, None];
    for field in frame.nodes.base.into_iter().flat_map(kyaml_ast::Node::entries) {
        let Some(row) = rows.get(&field.id()).map(|row| &frame.aligned.rows[*row]) else {
            gone.push(Gone { field, places });
            continue;
        };
        let sides = [row.dest, row.incoming];
        places.iter_mut().zip(sides).filter(|(_, side)| side.is_some()).for_each(|(place, _)| *place = row.base);
    }
    gone
}

/// The text of a scalar. Empty for any other value.
fn text(field: Entry<'_>) -> String {
    let value = field.value();
    if value.kind().is_scalar() { value.value().into_owned() } else { String::new() }
}
