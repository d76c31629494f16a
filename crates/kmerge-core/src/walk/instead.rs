//! Puts an entry that was removed on one side, and the new entries that replaced it, into one conflict.
//!
//! If one side removed an entry that the other changed, and put something new in its place, that is one choice: who
//! keeps the changed entry does not also want its replacement (`source` and `sources`), and wants all that was replaced
//! (`uses` and `with`). A place is the gap between two entries that all sides have. Ignores places at which the other side inserted something, too, and entries that are no
//! neighbours.
//!
//! A field `type` says which fields may stand beside it (`minimum` beside `integer`). If both sides changed it, new
//! fields directly beside it belong to its conflict. If one side changed it, it belongs to a conflict directly beside
//! it.

use std::collections::{BTreeMap, BTreeSet};

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, EntryId, Node, Segment};

use super::foot::is_bare;
use super::{Change, Frame, Walker, step};
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

/// Rows at one place.
#[derive(Default)]
struct Replaced {
    /// Rows whose entry one side removed and the other changed, each with the index of its conflict.
    both_changed: Vec<(usize, usize)>,
    new_in_dest: Vec<usize>,
    new_in_incoming: Vec<usize>,
    /// Rows whose entry one side removed and the other left alone.
    gone: Vec<usize>,
    at: Place,
}

/// A field whose value both sides changed.
struct Contested {
    /// The row of the field.
    kind: usize,
    /// The index of its conflict.
    number: usize,
    /// The field's row and the rows directly beside it that are new on one side, in order.
    beside: Vec<usize>,
}

impl<'a> Walker<'a> {
    /// Moves new entries into the conflicts about the entries that they replaced.
    pub(super) fn replacements(&mut self, frame: &mut Frame<'a>) {
        if self.policy.both_changed != BothChanged::Conflict || self.plan.conflicts.len() == frame.conflicts {
            return;
        }
        let both_changed = self.removed_against_change(frame);
        let (mut new, mut rows, mut numbers) = (HashSet::new(), HashSet::new(), BTreeSet::new());
        for gap in gaps(frame, &both_changed) {
            let Some((by, replacement)) = gap.replacement(&frame.aligned.rows) else { continue };
            // Who does not want the new entries wants all that they replaced.
            let is_replaced = |row: &usize| frame.aligned.rows[*row].get(by).is_none();
            let mut gone: Vec<usize> = gap.gone.iter().copied().filter(is_replaced).collect();
            gone.extend(gap.both_changed.iter().map(|(row, _)| *row));
            gone.sort_unstable();
            let number = gap.both_changed.first().map(|(_, number)| *number);
            let [above, below] = self.changed_type(frame, gap.at);
            let together = [above.as_slice(), &gone, replacement, below.as_slice()].concat();
            if number.is_some_and(|number| self.join(frame, number, &together)) {
                gone.extend(above.into_iter().chain(below));
                new.extend(replacement.iter().copied());
                rows.extend(gone);
                numbers.extend(gap.both_changed.iter().map(|(_, number)| *number));
            }
        }
        if let Some(Contested { kind, number, beside }) = self.contested_type(frame)
            && beside.iter().all(|row| !new.contains(row))
            && self.join(frame, number, &beside)
        {
            new.extend(beside.into_iter().filter(|row| *row != kind));
            rows.insert(kind);
            numbers.insert(number);
        }
        if new.is_empty() {
            return;
        }
        self.forget(frame, &new.union(&rows).copied().collect());
        let is_joined = |row: usize, change: &Change| match change {
            Change::Add(_) => new.contains(&row),
            Change::BothChanged(_) | Change::Keep(_) | Change::Remove => rows.contains(&row),
            Change::Absent => false,
        };
        frame.changes.retain(|(row, change)| !is_joined(*row, change));
        self.drop_conflicts(frame, &numbers);
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
            let Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) } =
                self.entries(frame.aligned.rows[row])
            else {
                return None;
            };
            let mut sides = [(Side::Dest, dest), (Side::Incoming, incoming)].into_iter();
            let (side, _) = sides.find(|(_, entry)| is_bare(*entry) && !is_bare(base))?;
            Some((row, side, dest.id()))
        };
        let emptied: Vec<_> = frame.changes.iter().filter_map(|(row, _)| emptied(*row)).collect();
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
        let number = |(row, change): &(usize, Change)| match (change, frame.aligned.rows[*row]) {
            (Change::BothChanged(number), Slots { base: Some(_), .. }) => Some((*row, *number)),
            (Change::Keep(_), Slots { dest: Some(dest), .. }) => Some((*row, *of_entry.get(&dest)?)),
            _ => None,
        };
        frame.changes.iter().filter_map(number).collect()
    }

    /// The row of a field `type` directly above and directly below a place, if exactly one side changed its value.
    fn changed_type(&self, frame: &Frame<'a>, (above, below): Place) -> [Option<usize>; 2] {
        [above, below].map(|row| {
            let Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) } =
                self.entries(frame.aligned.rows[row?])
            else {
                return None;
            };
            let is_type = base.key().is_some() && field_name(base) == "type";
            let [ours, theirs] = [dest, incoming].map(|side| same_value(side.value(), base.value()));
            if is_type && ours != theirs { row } else { None }
        })
    }

    /// The field `type`, if both sides changed its value and at least one put a new field directly beside it.
    fn contested_type(&self, frame: &Frame<'a>) -> Option<Contested> {
        let rows = &frame.aligned.rows;
        let depth = self.path.depth() + 1;
        let is_kind = |(_, conflict): &(usize, &Conflict)| {
            conflict.role == Role::Value
                && matches!(conflict.path.last(), Some(Segment::Field(name)) if name == "type")
                && conflict.path.depth() == depth
        };
        let mut conflicts = self.plan.conflicts.iter().enumerate().skip(frame.conflicts);
        let (number, conflict) = conflicts.find(is_kind)?;
        let ConflictPlace::Entry(dest) = conflict.place else { return None };
        let kind =
            rows.iter().position(|slots| slots.dest == Some(dest) && slots.present().count() == Side::ALL.len())?;
        let (mut before, mut behind) = (Vec::new(), Vec::new());
        for side in [Side::Dest, Side::Incoming] {
            for (row, place) in places(frame, side) {
                let is_new = rows[row].present().count() == 1;
                before.extend((is_new && place.1 == Some(kind)).then_some(row));
                behind.extend((is_new && place.0 == Some(kind)).then_some(row));
            }
        }
        before.sort_unstable();
        behind.sort_unstable();
        let beside = [before, vec![kind], behind].concat();
        (beside.len() > 1).then_some(Contested { kind, number, beside })
    }

    /// Records one conflict for all `rows`, at the path of conflict `number`. Returns `false` if the rows are no
    /// neighbours in the destination.
    fn join(&mut self, frame: &Frame<'a>, number: usize, rows: &[usize]) -> bool {
        let entries = |side: Side| -> Vec<EntryId> {
            rows.iter().filter_map(|row| frame.aligned.rows[*row].get(side).copied()).collect()
        };
        let clash = Clash {
            dest: entries(Side::Dest),
            after: None,
            base: entries(Side::Base),
            incoming: entries(Side::Incoming),
            role: Role::Value,
        };
        let are_neighbours = frame.nodes.dest.is_some_and(|node| are_neighbours(node, &clash.dest));
        if !are_neighbours {
            return false;
        }
        let Some(conflict) = self.clash(frame, &clash) else { return false };
        let path = self.plan.conflicts[number].path.clone();
        self.plan.conflicts.push(Conflict { path, ..conflict });
        true
    }

    /// Drops decisions about entries that only the incoming side added or removed: they are part of a conflict now.
    fn forget(&mut self, frame: &Frame<'a>, new: &HashSet<usize>) {
        let segments: HashSet<Segment> = new.iter().map(|row| step(frame, *row, &self.streams).0).collect();
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
        for (_, change) in &mut frame.changes {
            if let Change::BothChanged(number) = change {
                *number = numbers[*number];
            }
        }
    }
}

impl Replaced {
    /// The side that removed all entries in conflict here, and its new rows. `None` if the other side has new rows, too.
    fn replacement(&self, rows: &[Slots<EntryId>]) -> Option<(Side, &[usize])> {
        let is_gone = |side: Side| self.both_changed.iter().all(|(row, _)| rows[*row].get(side).is_none());
        match (&self.new_in_dest[..], &self.new_in_incoming[..]) {
            (new @ [_, ..], []) if is_gone(Side::Dest) => Some((Side::Dest, new)),
            ([], new @ [_, ..]) if is_gone(Side::Incoming) => Some((Side::Incoming, new)),
            _ => None,
        }
        .filter(|(_, new)| new.len() <= MOST)
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
    let rows = &frame.aligned.rows;
    let places = Slots::of(|side| Some(places(frame, side)));
    let place = |side: Side, row: usize| places.get(side)?.get(&row).copied();
    let mut gaps: BTreeMap<Place, Replaced> = BTreeMap::new();
    for (row, slots) in rows.iter().enumerate() {
        let Some(number) = both_changed.get(&row) else { continue };
        let by = if slots.dest.is_none() { Side::Incoming } else { Side::Dest };
        let Some(at) = place(Side::Base, row).filter(|at| place(by, row) == Some(*at)) else { continue };
        let gap = gaps.entry(at).or_insert(Replaced { at, ..Replaced::default() });
        gap.both_changed.push((row, *number));
    }
    for (row, slots) in rows.iter().enumerate() {
        let side = match slots {
            Slots { dest: Some(_), incoming: None, .. } => Side::Dest,
            Slots { dest: None, incoming: Some(_), .. } => Side::Incoming,
            _ => continue,
        };
        let Some(gap) = place(side, row).and_then(|at| gaps.get_mut(&at)) else { continue };
        match side {
            _ if both_changed.contains_key(&row) => {}
            _ if slots.base.is_some() => gap.gone.push(row),
            Side::Dest => gap.new_in_dest.push(row),
            _ => gap.new_in_incoming.push(row),
        }
    }
    gaps.into_values().collect()
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
