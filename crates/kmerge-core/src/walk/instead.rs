//! Puts an entry that was removed on one side, and the new entries that replaced it, into one conflict.
//!
//! If one side removed an entry that the other changed, and put something new in its place, that is one choice: who
//! keeps the changed entry does not also want its replacement (`source` and `sources`), and wants all that was replaced
//! (`uses` and `with`). A place is the gap between two entries that all sides have. What the other side inserted at this
//! place stays outside of the conflict. Ignores entries that are no neighbours in the destination.
//!
//! A field `type` says which fields may stand beside it (`minimum` beside `integer`). If both sides changed it, new
//! fields directly beside it belong to its conflict. If one side changed it, it belongs to a conflict directly beside
//! it.

use std::cell::LazyCell;
use std::collections::BTreeMap;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, EntryId, Node, Segment};

use super::foot::is_bare;
use super::{Change, Frame, Walker};
use crate::correspond::Gap;
use crate::equal::same_value;
use crate::merge::lane::Disputed;
use crate::plan::{Conflict, Role};
use crate::policy::BothChanged;
use crate::resolve::Rule;
use crate::sequence::Clash;
use crate::slots::{Side, Slots};

/// The rows before and behind a place.
type Place = (Option<usize>, Option<usize>);

/// What one side did at one place.
#[derive(Default)]
struct Replaced {
    /// Rows whose entry it removed.
    gone: Vec<usize>,
    /// Rows whose entry is new.
    new: Vec<usize>,
    /// The indices of the conflicts about removed entries that the other side changed.
    numbers: Vec<usize>,
}

/// Rows that became part of a conflict about several of them.
#[derive(Default)]
struct Joined {
    rows: HashSet<usize>,
    /// The indices of the conflicts that became part of another one.
    numbers: Vec<usize>,
}

impl<'a> Walker<'a> {
    /// Moves new entries into the conflicts about the entries that they replaced.
    pub(super) fn replacements(&mut self, frame: &mut Frame<'a>) {
        if self.policy.both_changed != BothChanged::Conflict || self.plan.conflicts.len() == frame.conflicts {
            return;
        }
        let mut all = Joined::default();
        for (at, sides) in gaps(frame, &self.removed_against_change(frame)) {
            self.join_replaced(frame, at, &sides, &mut all);
        }
        self.join_type(frame, &mut all);
        if !all.rows.is_empty() {
            self.forget_rows(frame, &all.rows);
            frame.changes.retain(|row, _| !all.rows.contains(row));
            all.numbers.sort_unstable();
            self.drop_conflicts(frame, &all.numbers);
        }
    }

    /// Joins the entries in conflict at one place with what replaced them. Who does not want the new entries wants all
    /// that they replaced.
    fn join_replaced(&mut self, frame: &Frame<'a>, at: Place, sides: &[Replaced; 2], all: &mut Joined) {
        let (gap, other) = if sides[0].numbers.is_empty() { (&sides[1], &sides[0]) } else { (&sides[0], &sides[1]) };
        // A new entry that is in a conflict about names has no change any more.
        let is_settled = |row: &usize| !frame.changes.contains_key(row);
        if other.numbers.is_empty() && !gap.new.is_empty() && !gap.new.iter().any(is_settled) {
            let [above, below] = self.changed_type(frame, at);
            let order = [above.as_slice(), &gap.gone, &gap.new, below.as_slice()].concat();
            self.join(frame, &order, &gap.numbers, all);
        }
    }

    /// The rows whose entry is in conflict because one side removed or emptied it, each with that side. Empty if the
    /// policy never reports conflicts about comments.
    pub(super) fn disputed(&self, frame: &Frame<'a>) -> Disputed {
        let has_none = self.plan.conflicts.len() == frame.conflicts && frame.clashes.is_empty();
        if self.policy.comments != BothChanged::Conflict || has_none {
            return Disputed::new();
        }
        let contested: LazyCell<HashSet<EntryId>, _> =
            LazyCell::new(|| self.contested_entries(frame).map(|(entry, _)| entry).collect());
        let by = |(row, change): (&usize, &Change)| {
            let entries = self.entries(frame.aligned.rows[*row]);
            let (dest, base) = (entries.dest, entries.base?);
            let is_gone = |side: &Side| entries.get(*side).is_none_or(|entry| is_bare(*entry) && !is_bare(base));
            let side = [Side::Dest, Side::Incoming].into_iter().find(is_gone)?;
            let is_contested = match change {
                Change::BothChanged(_) => true,
                _ => dest.is_some_and(|dest| contested.contains(&dest.id())),
            };
            is_contested.then_some((*row, side))
        };
        frame.changes.iter().filter_map(by).chain(removed_in_clashes(frame)).collect()
    }

    /// The numbers of the conflicts about entries of a collection, by the destination's entry.
    pub(super) fn contested_entries(&self, frame: &Frame<'a>) -> impl Iterator<Item = (EntryId, usize)> {
        let depth = self.path.depth() + 1;
        let conflicts = self.plan.conflicts.iter().enumerate().skip(frame.conflicts);
        // Those further inside are many more.
        let own = conflicts.filter(move |(_, it)| it.path.depth() == depth && it.role == Role::Value);
        own.filter_map(|(number, conflict)| Some((conflict.entry()?, number)))
    }

    /// The rows whose entry one side removed and the other changed, each with the index of its conflict.
    fn removed_against_change(&self, frame: &Frame<'a>) -> HashMap<usize, usize> {
        let contested: HashMap<EntryId, usize> = self.contested_entries(frame).collect();
        let number = |(row, change): (&usize, &Change)| match (change, frame.aligned.rows[*row]) {
            (Change::BothChanged(number), Slots { base: Some(_), .. }) => Some((*row, *number)),
            (Change::Keep(_), Slots { dest: Some(dest), incoming: None, .. }) => Some((*row, *contested.get(&dest)?)),
            _ => None,
        };
        frame.changes.iter().filter_map(number).collect()
    }

    /// The row of a field `type` directly above and directly below a place, if exactly one side changed its value.
    fn changed_type(&self, frame: &Frame<'a>, (above, below): Place) -> [Option<usize>; 2] {
        [above, below].map(|row| {
            let entries = self.entries(frame.aligned.rows[row?]);
            let [dest, base, incoming] = entries.all()?;
            let [ours, theirs] = [dest, incoming].map(|side| same_value(side.value(), base.value()));
            if is_type(base) && ours != theirs { row } else { None }
        })
    }

    /// If both sides changed the value of the field `type`, joins it with new fields directly beside it.
    fn join_type(&mut self, frame: &Frame<'a>, all: &mut Joined) {
        let Some((kind, number)) = self.contested_type(frame) else { return };
        let beside = |at: fn(Place) -> Option<usize>| {
            let places = [Side::Dest, Side::Incoming].into_iter().flat_map(|side| places(frame, side));
            let is_new = |row: usize| frame.aligned.rows[row].present().count() == 1;
            let new = places.filter(|(row, place)| is_new(*row) && at(*place) == Some(kind));
            let mut rows: Vec<usize> = new.map(|(row, _)| row).collect();
            rows.sort_unstable();
            rows
        };
        let (before, behind) = (beside(|place| place.1), beside(|place| place.0));
        let order = [before.as_slice(), &[kind], &behind].concat();
        if order.len() > 1 && !order.iter().any(|row| all.rows.contains(row)) {
            self.join(frame, &order, &[number], all);
        }
    }

    /// The row of the field `type`, if both sides changed its value, and the index of its conflict.
    fn contested_type(&self, frame: &Frame<'a>) -> Option<(usize, usize)> {
        let dest = self.streams.dest?;
        let (entry, number) = self.contested_entries(frame).find(|(entry, _)| is_type(dest.entry(*entry)))?;
        let is_row = |slots: &Slots<EntryId>| slots.dest == Some(entry) && slots.is_full();
        Some((frame.aligned.rows.iter().position(is_row)?, number))
    }

    /// Records one conflict for rows in this `order`, in the place of the conflicts `numbers`. It gets the path of the first
    /// of these. Does nothing if the rows are no neighbours in the destination.
    fn join(&mut self, frame: &Frame<'a>, order: &[usize], numbers: &[usize], all: &mut Joined) {
        let clash = Clash {
            dest: frame.entries_of(Side::Dest, order),
            after: None,
            base: frame.entries_of(Side::Base, order),
            incoming: frame.entries_of(Side::Incoming, order),
            role: Role::Value,
        };
        let are_neighbours = frame.nodes.dest.is_some_and(|node| are_neighbours(node, &clash.dest));
        if let (true, Some(conflict)) = (are_neighbours, self.clash(frame, &clash)) {
            let path = self.plan.conflicts[numbers[0]].path.clone();
            self.plan.conflicts.push(Conflict { path, ..conflict });
            all.rows.extend(order);
            all.numbers.extend(numbers);
        }
    }

    /// Drops decisions about entries that only the incoming side added or removed: they are part of a conflict now.
    fn forget_rows(&mut self, frame: &Frame<'a>, new: &HashSet<usize>) {
        let segments: HashSet<Segment> = new.iter().map(|row| self.segment(frame, *row)).collect();
        let depth = self.path.depth();
        self.forget(frame, |decision| {
            decision.rule == Rule::OnlyIncoming
                && decision.path.depth() == depth + 1
                && decision.path.last().is_some_and(|last| segments.contains(last))
        });
    }

    /// Removes conflicts that became part of another one, given by their ascending indices.
    fn drop_conflicts(&mut self, frame: &mut Frame<'a>, gone: &[usize]) {
        let mut indices = 0..;
        let is_gone = |index: usize| gone.binary_search(&index).is_ok();
        self.plan.conflicts.retain(|_| !indices.next().is_some_and(is_gone));
        for change in frame.changes.values_mut() {
            if let Change::BothChanged(number) = change {
                *number -= gone.partition_point(|gone| *gone < *number);
            }
        }
    }
}

/// The rows of the base's elements that one side removed in a clash, each with that side.
fn removed_in_clashes(frame: &Frame<'_>) -> Vec<(usize, Side)> {
    let remover = |clash: &Clash| match (clash.dest.is_empty(), clash.incoming.is_empty()) {
        (true, false) => Some(Side::Dest),
        (false, true) => Some(Side::Incoming),
        _ => None,
    };
    let removed = |clash| remover(clash).into_iter().flat_map(|side| clash.base.iter().map(move |id| (*id, side)));
    let removed: HashMap<EntryId, Side> = frame.clashes.iter().flat_map(removed).collect();
    if removed.is_empty() {
        return Vec::new();
    }
    let Some(base) = frame.nodes.base else { return Vec::new() };
    let mut rows = frame.lane_rows(Side::Base);
    let numbered = base.entries().map(|entry| (rows.row(entry.id()), removed.get(&entry.id())));
    numbered.filter_map(|(row, side)| Some((row, *side?))).collect()
}

/// The places that have a conflict, in order, with what each side did there.
fn gaps(frame: &Frame<'_>, both_changed: &HashMap<usize, usize>) -> BTreeMap<Place, [Replaced; 2]> {
    let mut gaps: BTreeMap<Place, [Replaced; 2]> = BTreeMap::new();
    if both_changed.is_empty() {
        return gaps;
    }
    let places = [Side::Dest, Side::Incoming].map(|side| places(frame, side));
    for (row, slots) in frame.aligned.rows.iter().enumerate() {
        let (side, other) = match (slots.dest, slots.incoming) {
            (Some(_), None) => (0, 1),
            (None, Some(_)) => (1, 0),
            _ => continue,
        };
        let Some(at) = places[side].get(&row) else { continue };
        let gap = gaps.entry(*at).or_default();
        if slots.base.is_none() {
            gap[side].new.push(row);
        } else {
            gap[other].gone.push(row);
            gap[other].numbers.extend(both_changed.get(&row));
        }
    }
    gaps.retain(|_, sides| sides.iter().any(|side| !side.numbers.is_empty()));
    gaps
}

/// The place of each row of a side that not all sides have.
fn places(frame: &Frame<'_>, side: Side) -> HashMap<usize, Place> {
    let rows = |gap: Gap<EntryId>| {
        let place = (gap.before, gap.behind);
        gap.things.into_iter().filter_map(move |(_, row)| Some((row?, place)))
    };
    frame.aligned.gaps(side, &frame.nodes).into_iter().flat_map(rows).collect()
}

fn is_type(entry: Entry<'_>) -> bool {
    entry.key().is_some_and(|key| key.value() == "type")
}

/// Whether entries directly follow each other in a collection.
fn are_neighbours(collection: Node<'_>, entries: &[EntryId]) -> bool {
    let Some(first) = entries.first() else { return false };
    let from_first = collection.entries().map(Entry::id).skip_while(|id| id != first);
    from_first.take(entries.len()).eq(entries.iter().copied())
}
