//! Merges the order of a collection's entries, and brings the destination into the merged order.
//!
//! Order is decided apart from values. The order of fields and sets is free: it is layout, and if both sides changed
//! it, the destination's stays. In other collections, an order that both sides changed is a decision of its own.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Edit, Entry, EntryId, Graft, Node, Piece, Span};

use super::fates::{Fates, Places};
use super::{Change, Frame, Walker};
use crate::correspond::{Gap, Identity};
use crate::order::{self, Changed, Merged, Rules, Weight, anchors, moved, with_new};
use crate::plan::Role;
use crate::policy::BothChanged;
use crate::resolve::{Outcome, Rule};
use crate::slots::Side;

impl<'a> Walker<'a> {
    /// Merges the order of the rows. Elements whose order is in conflict are taken out of the rows, and become clashes. In
    /// a list that takes the incoming value, the order is the incoming one.
    pub(super) fn order_rows(&self, frame: &mut Frame<'a>) {
        let is_taken = frame.is_taken_list();
        frame.order = None;
        if frame.aligned.is_as_ever() && !is_taken {
            return;
        }
        let base = match is_taken {
            true => Some((0..frame.aligned.rows.len()).collect()),
            false => self.streams.base.map(|_| frame.aligned.base_order()),
        };
        let rules =
            Rules { weight: frame.order_weight(), both_changed: self.policy.both_changed, first: self.policy.first() };
        let mut order = order::merge(&frame.aligned.orders(base), rules);
        if self.policy.both_changed == BothChanged::Conflict {
            frame.contest(&mut order);
        }
        frame.order = Some(order);
    }

    /// Turns kept entries that must move into removals and additions.
    pub(super) fn reorder(&mut self, frame: &mut Frame<'a>) {
        let Some(order) = frame.order.take() else { return };
        let moves = self.moves(frame, &order);
        let is_changed = moves.as_deref().is_some_and(|moves| !moves.is_empty());
        let met = frame.order_weight() == Weight::Turns && !order.met.is_empty();
        let decided = match !order.both_changed.is_empty() || met {
            true => frame.order_conflict(self.policy.both_changed),
            false => decision(order.changed, is_changed),
        };
        let as_it_is = || Merged { order: (0..frame.aligned.rows.len()).collect(), ..Merged::default() };
        frame.order = Some(if moves.is_some() { order } else { as_it_is() });
        for row in moves.into_iter().flatten() {
            let Some(part) = frame.aligned.rows[row].dest else { continue };
            let edits = if let Some(Change::Keep(edits)) = frame.changes.remove(&row) { edits } else { Vec::new() };
            frame.changes.insert(row, arriving(part, edits));
        }
        self.tell_order(frame, decided);
    }

    /// The rows whose entry must move within the destination. `None` if conflicts stand in the way of the merged order.
    fn moves(&self, frame: &Frame<'a>, order: &Merged) -> Option<Vec<usize>> {
        let entries = self.streams.dest?;
        let dest = |row: usize| frame.aligned.rows[row].dest.map(|dest| entries.entry(dest));
        let stays =
            |row: &usize| dest(*row).is_some() && matches!(frame.changes.get(row), None | Some(Change::Keep(_)));
        let kept: Vec<usize> = (0..frame.aligned.rows.len()).filter(stays).collect();
        let conflicted = self.conflicted(frame.conflicts);
        let is_fixed = |row: &usize| dest(*row).is_some_and(|dest| conflicted.any_in(dest));
        let fixed: HashSet<usize> = kept.iter().copied().filter(is_fixed).collect();
        moved(&kept, &order.order, &fixed)
    }

    /// Records the decision about the order of a collection.
    pub(super) fn tell_order(&mut self, frame: &Frame<'a>, decided: Option<(Outcome, Rule)>) {
        let Some((outcome, rule)) = decided else { return };
        if !frame.is_taken_list() {
            self.tell(frame.order_role(), outcome, rule, frame.nodes.map(Node::span));
        }
    }

    /// The places of the entries that come, in order.
    pub(super) fn places(&self, frame: &Frame<'a>, fates: &Fates) -> Places {
        if fates.added.is_empty() {
            return Vec::new();
        }
        if let Some(places) = self.sorted_places(frame, fates) {
            return places;
        }
        let rows = &frame.aligned.rows;
        let Some(Merged { order, .. }) = &frame.order else { return Vec::new() };
        let mut order = with_new(order, frame.list_order(self.policy), |row| rows[row].dest.is_none());
        self.order_by_base(frame, &mut order);
        let stays = |row: usize| rows[row].dest.is_some() && !fates.gone.contains(&row);
        let places = anchors(&order, stays, |row| fates.added.contains_key(&row));
        places.into_iter().map(|(row, anchor)| (row, anchor.and_then(|anchor| rows[anchor].dest))).collect()
    }

    /// Sorts neighbouring new entries of both sides by what the base has around them: first the entry that stands further up
    /// among its comment lines and entries.
    fn order_by_base(&self, frame: &Frame<'a>, order: &mut [usize]) {
        let rows = &frame.aligned.rows;
        let is_new = |row: usize| rows[row].present().count() == 1 && rows[row].base.is_none();
        let are_new = |a: &usize, b: &usize| is_new(*a) && is_new(*b);
        let is_mixed =
            |run: &[usize]| run.windows(2).any(|two| rows[two[0]].dest.is_some() != rows[two[1]].dest.is_some());
        if !frame.has_lane() || !order.chunk_by(are_new).any(is_mixed) {
            return;
        }
        let ranks = self.ranks_in_base(frame);
        let rank = |row: &usize| ranks.get(row).copied().unwrap_or_default();
        order.chunk_by_mut(are_new).for_each(|run| run.sort_by_key(rank));
    }

    /// For each row that only one side has: how many of the base's comment lines and entries at its place stand above it, and
    /// whether it took the place of the next entry.
    fn ranks_in_base(&self, frame: &Frame<'a>) -> HashMap<usize, (usize, bool)> {
        let mut ranks = HashMap::new();
        let was = self.gaps_with_lines(frame, Side::Base);
        for side in [Side::Dest, Side::Incoming] {
            for (before, gap) in self.gaps_with_lines(frame, side) {
                let has = |row: usize| frame.aligned.rows[row].get(side).is_some();
                ranks.extend(was.get(&before).into_iter().flat_map(|was| ranks_of(&gap, was, has)));
            }
        }
        ranks
    }

    /// The gaps of a side, by the row before them.
    fn gaps_with_lines(&self, frame: &Frame<'a>, side: Side) -> HashMap<Option<usize>, Vec<Below<'a>>> {
        let Some(room) = self.room(frame, side) else { return HashMap::new() };
        let gaps = frame.aligned.gaps(side, &frame.nodes).into_iter();
        gaps.map(|gap| (gap.before, self.with_lines(frame, side, room, gap))).collect()
    }

    /// The entries of a gap with the comment lines above them, and last the end of the gap.
    fn with_lines(&self, frame: &Frame<'a>, side: Side, room: Span, gap: Gap<EntryId>) -> Vec<Below<'a>> {
        let Some(stream) = self.streams.get(side).copied() else { return Vec::new() };
        let entry = |row: usize| frame.aligned.rows[row].get(side).map(|id| stream.entry(*id));
        let mut start = gap.before.and_then(entry).map_or(room.start, |before| before.extent().end);
        let end = gap.behind.and_then(entry).map_or(room.end, Entry::start);
        let things =
            gap.things.into_iter().map(|(id, row)| (stream.entry(id).start(), stream.entry(id).extent().end, row));
        let mut all = Vec::new();
        for (place, next, row) in things.chain([(end, end, None)]) {
            let above = stream.comments_in(Span::new(start.min(place), place)).map(str::trim).collect();
            all.push(Below { above, row });
            start = next;
        }
        all
    }
}

/// An entry of the destination that comes to another place, with these edits. An incoming entry in its place comes itself.
fn arriving(part: EntryId, edits: Vec<Edit>) -> Change {
    if let [Edit::Rewrite { entry, pieces }] = &edits[..]
        && let [Piece::Entry(graft)] = &pieces[..]
        && *entry == part
    {
        return Change::Add(graft.clone());
    }
    Change::Add(Graft { stream: Side::Dest.stream(), part, edits })
}

/// An entry of a gap, or its end.
struct Below<'a> {
    /// The comment lines between the previous entry and this one.
    above: Vec<&'a str>,
    row: Option<usize>,
}

/// Something of a gap that both versions of the gap may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Mark<'a> {
    Line(&'a str),
    /// An entry, by its row. What both sides removed has none.
    Entry(Option<usize>),
}

impl<'a> Below<'a> {
    fn marks(&self) -> impl Iterator<Item = Mark<'a>> {
        self.above.iter().map(|line| Mark::Line(line)).chain([Mark::Entry(self.row)])
    }
}

impl Frame<'_> {
    /// How much the order of a collection matters.
    const fn order_weight(&self) -> Weight {
        match self.identity {
            Identity::Field | Identity::Set => Weight::Free,
            Identity::Keyed(_) if self.cursor.takes_turns() => Weight::Turns,
            // Conflicts in a list without identity were found when it was aligned.
            Identity::Keyed(_) | Identity::Resource | Identity::Position => Weight::Counts,
        }
    }

    /// The role of a decision about the order of a collection.
    const fn order_role(&self) -> Role {
        if matches!(self.order_weight(), Weight::Free) { Role::Layout } else { Role::Order }
    }

    /// The decision about an order that both sides changed differently. A conflict about it is recorded elsewhere.
    const fn order_conflict(&self, both_changed: BothChanged) -> Option<(Outcome, Rule)> {
        match (self.order_role(), both_changed) {
            (Role::Order, BothChanged::Take) => Some((Outcome::Take, Rule::BothChanged)),
            _ => Some((Outcome::Keep, Rule::BothChanged)),
        }
    }
}

/// The ranks of the rows of a gap, by what the gap `was`.
fn ranks_of(gap: &[Below<'_>], was: &[Below<'_>], has: impl Fn(usize) -> bool) -> Vec<(usize, (usize, bool))> {
    let marks: Vec<Mark<'_>> = was.iter().flat_map(Below::marks).collect();
    let mut places: HashMap<Mark<'_>, Vec<usize>> = HashMap::new();
    marks.iter().enumerate().for_each(|(place, mark)| places.entry(*mark).or_default().push(place));
    let (mut rank, mut ranks) = (0, Vec::new());
    for below in gap {
        for known in below.marks().filter_map(|mark| places.get(&mark)) {
            rank = known.get(known.partition_point(|place| *place < rank)).map_or(rank, |place| place + 1);
        }
        let is_instead = matches!(marks.get(rank), Some(Mark::Entry(Some(row))) if !has(*row));
        ranks.extend(below.row.map(|row| (row, (rank, is_instead))));
    }
    ranks
}

/// The decision about an order without conflict. `None` if no side changed the order, or if the destination has the
/// merged order already.
const fn decision(changed: Changed, is_changed: bool) -> Option<(Outcome, Rule)> {
    match (changed.by_dest, changed.by_incoming) {
        (true, false) => Some((Outcome::Keep, Rule::OnlyDest)),
        (false, true) if is_changed => Some((Outcome::Take, Rule::OnlyIncoming)),
        (true, true) if is_changed => Some((Outcome::Take, Rule::Merged)),
        _ => None,
    }
}
