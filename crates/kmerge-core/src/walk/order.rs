//! Merges the order of a collection's entries, and brings the destination into the merged order.
//!
//! Order is decided apart from values. The order of fields and sets is free: it is layout, and if both sides changed
//! it, the destination's stays. In other collections, an order that both sides changed is a decision of its own.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Edit, Entry, EntryId, Graft, Node, Piece, Span};

use super::contest::contest;
use super::unkeyed::Whole;
use super::{Change, Frame, Walker};
use crate::correspond::{Aligned, Gap, Identity};
use crate::order::{self, Changed, Merged, Rules, Weight, anchors, moved, with_new};
use crate::plan::Role;
use crate::policy::BothChanged;
use crate::resolve::{Outcome, Rule};
use crate::schema::Cursor;
use crate::sequence::Clash;
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// The merged order of the rows, and its conflicts. Elements in conflict are taken out of the rows. In a list that
    /// takes the incoming value, the order is the incoming one.
    pub(super) fn ordered(
        &self,
        aligned: &mut Aligned,
        nodes: &Slots<Node<'_>>,
        (identity, cursor): (Identity<'_>, Cursor<'_>),
        whole: Whole,
    ) -> (Option<Merged>, Vec<Clash>) {
        let is_taken = identity == Identity::Position && whole == Whole::Taken;
        if aligned.is_as_ever() && !is_taken {
            return (None, Vec::new());
        }
        let base = match is_taken {
            true => Some((0..aligned.rows.len()).collect()),
            false => self.streams.base.map(|_| aligned.base_order()),
        };
        let weight = weight(identity, cursor);
        let rules = Rules { weight, both_changed: self.policy.both_changed, first: self.policy.first() };
        let mut order = order::merge(&aligned.orders(base), rules);
        let clashes = match self.policy.both_changed {
            BothChanged::Conflict => contest(aligned, &mut order, nodes, (identity, cursor)),
            BothChanged::Keep | BothChanged::Take => Vec::new(),
        };
        (Some(order), clashes)
    }

    /// Turns a kept entry that must move into a removal and an addition.
    pub(super) fn reorder(&mut self, frame: &mut Frame<'a>) {
        let Some(order) = &frame.order else { return };
        let rows = &frame.aligned.rows;
        let is_gone = |(row, change): &(usize, Change)| (!matches!(change, Change::Keep(_))).then_some(*row);
        let gone: HashSet<usize> = frame.changes.iter().filter_map(is_gone).collect();
        let kept: Vec<usize> = (0..rows.len()).filter(|row| rows[*row].dest.is_some() && !gone.contains(row)).collect();
        let conflicted = self.conflicted(frame.conflicts);
        let is_fixed = |row: &usize| self.entries(rows[*row]).dest.is_some_and(|dest| conflicted.any_in(dest));
        let fixed: HashSet<usize> = kept.iter().copied().filter(is_fixed).collect();
        let moves = moved(&kept, &order.order, &fixed);
        let takes_turns = frame.cursor.takes_turns() && matches!(frame.identity, Identity::Keyed(_));
        let is_in_conflict = !order.both_changed.is_empty() || takes_turns && !order.met.is_empty();
        let is_changed = moves.as_deref().is_some_and(|moves| !moves.is_empty());
        let decided = match is_in_conflict {
            true => both_changed(order_role(frame.identity), self.policy.both_changed),
            false => decision(order.changed, is_changed),
        };
        let is_impossible = moves.is_none();
        if is_impossible {
            frame.order = Some(Merged { order: (0..rows.len()).collect(), ..Merged::default() });
        }
        let changes: HashMap<usize, usize> =
            frame.changes.iter().enumerate().map(|(index, (row, _))| (*row, index)).collect();
        for row in moves.into_iter().flatten() {
            let Some(part) = frame.aligned.rows[row].dest else { continue };
            match changes.get(&row).map(|index| &mut frame.changes[*index].1) {
                Some(change) => {
                    let edits = if let Change::Keep(edits) = change { std::mem::take(edits) } else { Vec::new() };
                    *change = arriving(part, edits);
                }
                None => frame.changes.push((row, arriving(part, Vec::new()))),
            }
        }
        self.tell_order(frame, decided);
    }

    /// Records the decision about the order of a collection.
    pub(super) fn tell_order(&mut self, frame: &Frame<'a>, decided: Option<(Outcome, Rule)>) {
        let Some((outcome, rule)) = decided else { return };
        if !frame.is_taken_list() {
            self.tell(order_role(frame.identity), outcome, rule, frame.nodes.map(Node::span));
        }
    }

    /// The destination's entries that new entries follow, in the order of the new ones.
    pub(super) fn places(
        &self,
        frame: &Frame<'a>,
        added: &HashMap<usize, Change>,
        gone: &HashSet<usize>,
    ) -> Vec<(usize, Option<EntryId>)> {
        if added.is_empty() {
            return Vec::new();
        }
        let new: HashSet<usize> = added.keys().copied().collect();
        if let Some(places) = self.sorted_places(frame, &new, gone) {
            return places;
        }
        let rows = &frame.aligned.rows;
        let Some(Merged { order, .. }) = &frame.order else { return Vec::new() };
        let mut order = with_new(order, frame.list_order(self.policy), |row| rows[row].dest.is_none());
        self.order_by_base(frame, &mut order);
        let stays = |row: usize| rows[row].dest.is_some() && !gone.contains(&row);
        let places = anchors(&order, stays, |row| new.contains(&row));
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
                let Some(was) = was.get(&before) else { continue };
                let marks: Vec<Mark<'a>> = was.iter().flat_map(Below::marks).collect();
                let mut places: HashMap<Mark<'a>, Vec<usize>> = HashMap::new();
                marks.iter().enumerate().for_each(|(place, mark)| places.entry(*mark).or_default().push(place));
                let has = |row: usize| frame.aligned.rows[row].get(side).is_some();
                let mut rank = 0;
                for below in gap {
                    for known in below.marks().filter_map(|mark| places.get(&mark)) {
                        rank = known.get(known.partition_point(|place| *place < rank)).map_or(rank, |place| place + 1);
                    }
                    let is_instead = matches!(marks.get(rank), Some(Mark::Entry(Some(row))) if !has(*row));
                    ranks.extend(below.row.map(|row| (row, (rank, is_instead))));
                }
            }
        }
        ranks
    }

    /// The gaps of a side, by the row before them. Each gap is its entries with the comment lines above them, and last
    /// the end of the gap.
    fn gaps_with_lines(&self, frame: &Frame<'a>, side: Side) -> HashMap<Option<usize>, Vec<Below<'a>>> {
        let (Some(room), Some(stream)) = (self.room(frame, side), self.streams.get(side).copied()) else {
            return HashMap::new();
        };
        let entry = |row: usize| frame.aligned.rows[row].get(side).map(|id| stream.entry(*id));
        let with_lines = |gap: Gap<EntryId>| {
            let behind = gap.behind.and_then(entry);
            let mut start = gap.before.and_then(entry).map_or(room.start, |before| before.extent().end);
            let above = |start: u32, end: u32| -> Vec<&'a str> {
                stream.comments_in(Span::new(start.min(end), end)).map(str::trim).collect()
            };
            let mut things = Vec::with_capacity(gap.things.len() + 1);
            for (id, row) in gap.things {
                let thing = stream.entry(id);
                things.push(Below { above: above(start, thing.start()), row });
                start = thing.extent().end;
            }
            things.push(Below { above: above(start, behind.map_or(room.end, Entry::start)), row: None });
            (gap.before, things)
        };
        frame.aligned.gaps(side, &frame.nodes).into_iter().map(with_lines).collect()
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

/// How much the order of a collection matters.
const fn weight(identity: Identity<'_>, cursor: Cursor<'_>) -> Weight {
    match identity {
        Identity::Field | Identity::Set => Weight::Free,
        Identity::Keyed(_) if cursor.takes_turns() => Weight::Turns,
        // Conflicts in a list without identity were found when it was aligned.
        Identity::Keyed(_) | Identity::Resource | Identity::Position => Weight::Counts,
    }
}

/// The role of a decision about the order of a collection.
const fn order_role(identity: Identity<'_>) -> Role {
    match identity {
        Identity::Keyed(_) | Identity::Resource | Identity::Position => Role::Order,
        Identity::Field | Identity::Set => Role::Layout,
    }
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

/// The decision about an order that both sides changed differently. A conflict about it is recorded elsewhere.
fn both_changed(role: Role, both_changed: BothChanged) -> Option<(Outcome, Rule)> {
    match both_changed {
        BothChanged::Take if role == Role::Order => Some((Outcome::Take, Rule::BothChanged)),
        _ if role == Role::Order => Some((Outcome::Keep, Rule::BothChanged)),
        _ => None,
    }
}
