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
use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, EntryId, Node, Segment};

use super::foot::is_bare;
use super::{Change, Frame, Walker};
use crate::correspond::{Gap, field_name};
use crate::equal::same_value;
use crate::merge::lane::Disputed;
use crate::plan::{Conflict, ConflictPlace, Decision, Role, Variant};
use crate::policy::BothChanged;
use crate::resolve::Rule;
use crate::sequence::Clash;
use crate::slots::{Side, Slots};

/// More new entries than this are no replacement of one entry.
const MOST: usize = 100;

/// The rows before and behind a place.
type Place = (Option<usize>, Option<usize>);

/// What happened at one place.
#[derive(Default)]
struct Replaced {
    /// Rows whose entry one side removed and the other changed, each with the index of its conflict.
    both_changed: Vec<(usize, usize)>,
    /// Rows whose entry is new on one side, each with that side.
    new: Vec<(usize, Side)>,
    /// Rows whose entry one side removed and the other left alone.
    gone: Vec<usize>,
    at: Place,
}

/// Neighbouring rows that become one conflict.
#[derive(Default)]
struct Joined {
    /// The rows whose entry is new on one side.
    new: HashSet<usize>,
    /// The other rows.
    old: HashSet<usize>,
    /// The indices of the conflicts that become part of this one. It gets the path of the first.
    numbers: Vec<usize>,
}

impl<'a> Walker<'a> {
    /// Moves new entries into the conflicts about the entries that they replaced.
    pub(super) fn replacements(&mut self, frame: &mut Frame<'a>) {
        if self.policy.both_changed != BothChanged::Conflict || self.plan.conflicts.len() == frame.conflicts {
            return;
        }
        let mut all = Joined::default();
        for gap in self.replaced(frame) {
            self.join_replaced(frame, &gap, &mut all);
        }
        self.join_type(frame, &mut all);
        if all.new.is_empty() {
            return;
        }
        self.forget(frame, &all.new.union(&all.old).copied().collect());
        let is_joined = |row: &usize, change: &Change| {
            all.new.contains(row) || all.old.contains(row) && !matches!(change, Change::Add(_))
        };
        frame.changes.retain(|row, change| !is_joined(row, change));
        self.drop_conflicts(frame, &all.numbers.into_iter().collect());
    }

    /// The places that have a conflict, and no new entry that is in another one.
    fn replaced(&self, frame: &Frame<'a>) -> Vec<Replaced> {
        let mut gaps = gaps(frame, &self.removed_against_change(frame));
        let renamed = LazyCell::new(|| self.renamed_by_both(frame));
        gaps.retain(|gap| !gap.new.iter().any(|(row, _)| self.is_settled(frame, *row, &renamed)));
        gaps
    }

    /// Joins the entries in conflict at one place with what replaced them. Who does not want the new entries wants all
    /// that they replaced.
    fn join_replaced(&mut self, frame: &Frame<'a>, gap: &Replaced, all: &mut Joined) {
        let rows = &frame.aligned.rows;
        let Some(by) = gap.replaced_by(rows) else { return };
        let (gone, new) = (gap.gone_from(by, rows), gap.new_of(by));
        let numbers: Vec<usize> = gap.both_changed.iter().map(|(_, number)| *number).collect();
        let [above, below] = self.changed_type(frame, gap.at);
        let order = [above.as_slice(), &gone, &new, below.as_slice()].concat();
        let (new, old) = (new.into_iter().collect(), gone.into_iter().chain(above).chain(below).collect());
        self.join(frame, &order, Joined { new, old, numbers }, all);
    }

    /// The starts of the destination's fields to which both sides gave another name. These have a conflict of their own.
    fn renamed_by_both(&self, frame: &Frame<'a>) -> HashSet<u32> {
        let conflicts = self.plan.conflicts[frame.conflicts..].iter();
        let of_names = conflicts.filter(|conflict| conflict.role == Role::Name);
        of_names.filter_map(|conflict| Some(conflict.spans.dest?.start)).collect()
    }

    /// Whether a new entry is in another conflict already.
    fn is_settled(&self, frame: &Frame<'a>, row: usize, renamed: &HashSet<u32>) -> bool {
        match self.entries(frame.aligned.rows[row]).dest {
            Some(dest) => renamed.contains(&dest.span().start),
            None => !matches!(frame.changes.get(&row), Some(Change::Add(_))),
        }
    }

    /// The rows whose entry is in conflict because one side removed or emptied it, each with that side. Empty if the
    /// policy never reports conflicts about comments.
    pub(super) fn disputed(&self, frame: &Frame<'a>) -> Disputed {
        let has_none = self.plan.conflicts.len() == frame.conflicts && frame.clashes.is_empty();
        if self.policy.comments != BothChanged::Conflict || has_none {
            return Disputed::new();
        }
        let rows = self.removed_against_change(frame).into_keys();
        let by = |row: usize| if frame.aligned.rows[row].dest.is_none() { Side::Dest } else { Side::Incoming };
        let rows = rows.map(|row| (row, by(row)));
        rows.chain(self.emptied_against_change(frame)).chain(removed_in_clashes(frame)).collect()
    }

    /// The rows whose entry is in conflict because one side emptied its value, each with that side.
    fn emptied_against_change(&self, frame: &Frame<'a>) -> Vec<(usize, Side)> {
        let emptied = |row: usize| {
            let entries = self.entries(frame.aligned.rows[row]);
            let (dest, base, incoming) = (entries.dest?, entries.base?, entries.incoming?);
            let mut sides = [(Side::Dest, dest), (Side::Incoming, incoming)].into_iter();
            let (side, _) = sides.find(|(_, entry)| is_bare(*entry) && !is_bare(base))?;
            Some((row, side, dest.id()))
        };
        let emptied: Vec<_> = frame.changes.keys().filter_map(|row| emptied(*row)).collect();
        if emptied.is_empty() {
            return Vec::new();
        }
        let depth = self.path.depth() + 1;
        let own = self.plan.conflicts[frame.conflicts..].iter().filter(|conflict| conflict.path.depth() == depth);
        let values = own.filter(|conflict| conflict.role == Role::Value);
        let contested: HashSet<EntryId> = values.filter_map(Conflict::entry).collect();
        emptied.into_iter().filter(|(.., id)| contested.contains(id)).map(|(row, side, _)| (row, side)).collect()
    }

    /// The rows whose entry one side removed and the other changed, each with the index of its conflict.
    fn removed_against_change(&self, frame: &Frame<'a>) -> HashMap<usize, usize> {
        let of_entry = |(number, conflict): (usize, &Conflict)| match conflict.place {
            ConflictPlace::Entry(entry) if conflict.incoming == Variant::Absent => Some((entry, number)),
            _ => None,
        };
        let conflicts = self.plan.conflicts.iter().enumerate().skip(frame.conflicts);
        let of_entry: HashMap<EntryId, usize> = conflicts.filter_map(of_entry).collect();
        let number = |(row, change): (&usize, &Change)| match (change, frame.aligned.rows[*row]) {
            (Change::BothChanged(number), Slots { base: Some(_), .. }) => Some((*row, *number)),
            (Change::Keep(_), Slots { dest: Some(dest), .. }) => Some((*row, *of_entry.get(&dest)?)),
            _ => None,
        };
        frame.changes.iter().filter_map(number).collect()
    }

    /// The row of a field `type` directly above and directly below a place, if exactly one side changed its value.
    fn changed_type(&self, frame: &Frame<'a>, (above, below): Place) -> [Option<usize>; 2] {
        [above, below].map(|row| {
            let entries = self.entries(frame.aligned.rows[row?]);
            let (dest, base, incoming) = (entries.dest?, entries.base?, entries.incoming?);
            let is_type = base.key().is_some() && field_name(base) == "type";
            let [ours, theirs] = [dest, incoming].map(|side| same_value(side.value(), base.value()));
            if is_type && ours != theirs { row } else { None }
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
        let new = [before.as_slice(), &behind].concat();
        if new.is_empty() || new.iter().any(|row| all.new.contains(row)) {
            return;
        }
        let order = [before, vec![kind], behind].concat();
        self.join(
            frame,
            &order,
            Joined { new: new.into_iter().collect(), old: [kind].into_iter().collect(), numbers: vec![number] },
            all,
        );
    }

    /// The row of the field `type`, if both sides changed its value, and the index of its conflict.
    fn contested_type(&self, frame: &Frame<'a>) -> Option<(usize, usize)> {
        let depth = self.path.depth() + 1;
        let is_type = |(_, conflict): &(usize, &Conflict)| {
            conflict.role == Role::Value
                && matches!(conflict.path.last(), Some(Segment::Field(name)) if name == "type")
                && conflict.path.depth() == depth
        };
        let mut conflicts = self.plan.conflicts.iter().enumerate().skip(frame.conflicts);
        let (number, conflict) = conflicts.find(is_type)?;
        let dest = conflict.entry()?;
        let is_row = |slots: &Slots<EntryId>| slots.dest == Some(dest) && slots.present().count() == Side::ALL.len();
        Some((frame.aligned.rows.iter().position(is_row)?, number))
    }

    /// Records one conflict for `joined`, whose rows stand in this `order`, and adds it to `all`. Does nothing if the
    /// rows are no neighbours in the destination.
    fn join(&mut self, frame: &Frame<'a>, order: &[usize], joined: Joined, all: &mut Joined) {
        let clash = Clash {
            dest: frame.entries_of(Side::Dest, order),
            after: None,
            base: frame.entries_of(Side::Base, order),
            incoming: frame.entries_of(Side::Incoming, order),
            role: Role::Value,
        };
        let are_neighbours = frame.nodes.dest.is_some_and(|node| are_neighbours(node, &clash.dest));
        if !are_neighbours {
            return;
        }
        let (Some(first), Some(conflict)) = (joined.numbers.first(), self.clash(frame, &clash)) else { return };
        let path = self.plan.conflicts[*first].path.clone();
        self.plan.conflicts.push(Conflict { path, ..conflict });
        all.new.extend(joined.new);
        all.old.extend(joined.old);
        all.numbers.extend(joined.numbers);
    }

    /// Drops decisions about entries that only the incoming side added or removed: they are part of a conflict now.
    fn forget(&mut self, frame: &Frame<'a>, new: &HashSet<usize>) {
        let segments: HashSet<Segment> = new.iter().map(|row| self.segment(frame, *row)).collect();
        let depth = self.path.depth();
        let is_told = |decision: &Decision| {
            decision.rule == Rule::OnlyIncoming
                && decision.path.depth() == depth + 1
                && decision.path.last().is_some_and(|last| segments.contains(last))
        };
        let told = self.plan.decisions.split_off(frame.decisions);
        self.plan.decisions.extend(told.into_iter().filter(|decision| !is_told(decision)));
    }

    /// Removes conflicts that became part of another one.
    fn drop_conflicts(&mut self, frame: &mut Frame<'a>, gone: &BTreeSet<usize>) {
        let mut kept = Vec::with_capacity(self.plan.conflicts.len());
        let mut numbers = Vec::with_capacity(self.plan.conflicts.len());
        for (number, conflict) in std::mem::take(&mut self.plan.conflicts).into_iter().enumerate() {
            numbers.push(kept.len());
            if !gone.contains(&number) {
                kept.push(conflict);
            }
        }
        self.plan.conflicts = kept;
        for change in frame.changes.values_mut() {
            if let Change::BothChanged(number) = change {
                *number = numbers[*number];
            }
        }
    }
}

impl Replaced {
    /// The side that removed all entries in conflict here, and has new rows.
    fn replaced_by(&self, rows: &[Slots<EntryId>]) -> Option<Side> {
        let removed_all = |by: Side| self.both_changed.iter().all(|(row, _)| rows[*row].get(by).is_none());
        let by = [Side::Dest, Side::Incoming].into_iter().find(|by| removed_all(*by))?;
        let has_new = self.new.iter().any(|(_, side)| *side == by);
        (has_new && self.new.len() <= MOST).then_some(by)
    }

    /// The rows that a side has not any more, in order.
    fn gone_from(&self, by: Side, rows: &[Slots<EntryId>]) -> Vec<usize> {
        let is_replaced = |row: &usize| rows[*row].get(by).is_none();
        let mut gone: Vec<usize> = self.gone.iter().copied().filter(is_replaced).collect();
        gone.extend(self.both_changed.iter().map(|(row, _)| *row));
        gone.sort_unstable();
        gone
    }

    /// The rows that are new on a side.
    fn new_of(&self, by: Side) -> Vec<usize> {
        self.new.iter().filter(|(_, side)| *side == by).map(|(row, _)| *row).collect()
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

/// The places that have a conflict, in order.
fn gaps(frame: &Frame<'_>, both_changed: &HashMap<usize, usize>) -> Vec<Replaced> {
    if both_changed.is_empty() {
        return Vec::new();
    }
    let places = Slots::of(|side| Some(places(frame, side)));
    let place = |side: Side, row: usize| places.get(side)?.get(&row).copied();
    let mut gaps: BTreeMap<Place, Replaced> = BTreeMap::new();
    for (row, slots) in frame.aligned.rows.iter().enumerate() {
        let Some(side) = kept_by(slots) else { continue };
        let Some(at) = place(side, row) else { continue };
        let gap = gaps.entry(at).or_insert(Replaced { at, ..Replaced::default() });
        match (both_changed.get(&row), slots.base) {
            (Some(number), _) if place(Side::Base, row) == Some(at) => gap.both_changed.push((row, *number)),
            (Some(_), _) => {}
            (None, Some(_)) => gap.gone.push(row),
            (None, None) => gap.new.push((row, side)),
        }
    }
    gaps.into_values().filter(|gap| !gap.both_changed.is_empty()).collect()
}

/// The side that has an entry, if the other side has not.
const fn kept_by(slots: &Slots<EntryId>) -> Option<Side> {
    match slots {
        Slots { dest: Some(_), incoming: None, .. } => Some(Side::Dest),
        Slots { dest: None, incoming: Some(_), .. } => Some(Side::Incoming),
        _ => None,
    }
}

/// The place of each row of a side that not all sides have.
fn places(frame: &Frame<'_>, side: Side) -> HashMap<usize, Place> {
    let rows = |gap: Gap<EntryId>| {
        let place = (gap.before, gap.behind);
        gap.things.into_iter().filter_map(move |(_, row)| Some((row?, place)))
    };
    frame.aligned.gaps(side, &frame.nodes).into_iter().flat_map(rows).collect()
}

/// Whether entries directly follow each other in a collection.
fn are_neighbours(collection: Node<'_>, entries: &[EntryId]) -> bool {
    let Some(first) = entries.first() else { return false };
    let from_first = collection.entries().map(Entry::id).skip_while(|id| id != first);
    from_first.take(entries.len()).eq(entries.iter().copied())
}
