//! Finds fields that both sides replaced by other fields at one place.
//!
//! The alignment sees a renamed field as one removal and one addition. With two new names, both would be added, and
//! there would be two fields instead of one. A scalar field counts as renamed if a new field with the same value stands
//! in its place, after the same field. Any field counts as replaced if each side has exactly one new field there and no
//! other field was removed there. Ignores collections that were renamed elsewhere (`git/renames.rs`).

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Edit, Entry, EntryId, Graft, Piece};

use super::unkeyed::Whole;
use super::{Change, Frame, Walker};
use crate::correspond::Identity;
use crate::equal::same_value;
use crate::plan::{ConflictPlace, Role, Variant};
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
        let [mut ours, mut theirs] = [Side::Dest, Side::Incoming].map(|side| NewFields::of(frame, side));
        let gone = gone_fields(frame);
        let mut times: HashMap<[Place; 2], usize> = HashMap::new();
        gone.iter().for_each(|gone| *times.entry(gone.places).or_default() += 1);
        let (mut not_taken, mut removed) = (HashSet::new(), Vec::new());
        for gone in gone {
            let is_only = times.get(&gone.places) == Some(&1);
            let [our_place, their_place] = gone.places;
            let our = ours.successor(gone.field, our_place, is_only);
            let their = theirs.successor(gone.field, their_place, is_only);
            let (Some((our_row, our)), Some((row, their))) = (our, their) else { continue };
            ours.take(our, our_place);
            theirs.take(their, their_place);
            let fields = Slots { dest: Some(our), base: Some(gone.field), incoming: Some(their) };
            let outcome = self.policy.both_changed.outcome();
            self.decide(Role::Name, outcome, Rule::BothChanged, fields);
            not_taken.insert(if outcome == Outcome::Take { our_row } else { row });
            match outcome {
                Outcome::Keep => {}
                Outcome::Take => removed.push((our_row, Change::Remove)),
                Outcome::Conflict => self.clash_of_names(frame.holder.dest, fields),
            }
        }
        frame.changes.retain(|(changed, _)| !not_taken.contains(changed));
        frame.changes.extend(removed);
    }

    fn clash_of_names(&mut self, holder: Option<EntryId>, fields: Slots<Entry<'a>>) {
        let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = fields else { return };
        let variant = |side: Side, field: Entry<'a>| {
            let pieces = vec![Piece::Entry(Graft::new(side.stream(), field.id()))];
            Variant::Edited(vec![Edit::Rewrite { entry: ours.id(), pieces }])
        };
        let place = holder.map_or(ConflictPlace::Root(ours.id().collection), ConflictPlace::Entry);
        let variants = (variant(Side::Base, base), variant(Side::Incoming, theirs));
        self.push_conflict(Role::Name, place, variants, fields);
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
