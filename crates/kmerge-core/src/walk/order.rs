//! Merges the order of a collection's entries, and brings the destination into the merged order.
//!
//! Order is decided apart from values. The order of fields and sets is free: it is layout, and if both sides changed
//! it, the destination's stays. In other collections, an order that both sides changed is a decision of its own.

use std::ops::Range;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Edit, EntryId, Graft, Node, Piece};

use super::fates::{Fates, Places};
use super::{Change, Frame, Walker};
use crate::correspond::Identity;
use crate::merge::lane::{Token, What};
use crate::order::{self, Changed, Merged, Rules, Weight, anchors, moved, with_new};
use crate::plan::Role;
use crate::policy::BothChanged;
use crate::resolve::{Outcome, Rule};
use crate::slots::{Side, Slots};

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
        if !frame.is_taken_list() && rule != Rule::Agreed {
            self.tell(frame.order_role(), outcome, rule, frame.nodes.map(Node::span));
            let counts = frame.identity == Identity::Position || frame.order_weight() == Weight::Turns;
            if let Some(decision) = self.plan.decisions.last_mut() {
                decision.counts = counts;
            }
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

    /// For each row that only one side has: its place among the comment lines and entries that the base has between the same
    /// entries, and whether it took the place of the next entry.
    fn ranks_in_base(&self, frame: &Frame<'a>) -> HashMap<usize, (usize, bool)> {
        let (strips, rows) = (self.page(frame).strips, &frame.aligned.rows);
        let is_everywhere = |row: usize| row == rows.len() || rows.get(row).is_some_and(Slots::is_full);
        let was = Was::of(strips.base.as_ref().map_or(&[][..], |strip| &strip.tokens), is_everywhere);
        let mut ranks = HashMap::new();
        for (side, strip) in strips.present().filter(|(side, _)| *side != Side::Base) {
            let lacks = |row: usize| rows.get(row).is_some_and(|slots| slots.get(side).is_none());
            for (row, rank, next) in was.ranks(&strip.tokens, is_everywhere) {
                ranks.insert(row, (rank, matches!(next, Some(What::Entry(row)) if lacks(row))));
            }
        }
        ranks
    }
}

/// The lane of the base.
struct Was<'s, 't> {
    tokens: &'s [Token<'t>],
    /// Where each line and each entry stands.
    places: HashMap<What<'t>, Vec<usize>>,
    /// Where the entries stand that all sides have.
    borders: Vec<usize>,
}

impl<'s, 't> Was<'s, 't> {
    fn of(tokens: &'s [Token<'t>], is_everywhere: impl Fn(usize) -> bool) -> Self {
        let (mut places, mut borders): (HashMap<_, Vec<usize>>, _) = (HashMap::new(), Vec::new());
        for (place, token) in tokens.iter().enumerate() {
            places.entry(token.what).or_default().push(place);
            borders.extend(matches!(token.what, What::Entry(row) if is_everywhere(row)).then_some(place));
        }
        Self { tokens, places, borders }
    }

    /// The rows of a lane, each with its place in its gap of the base, and with what the base has there.
    fn ranks(
        &self,
        lane: &[Token<'t>],
        is_everywhere: impl Fn(usize) -> bool,
    ) -> Vec<(usize, usize, Option<What<'t>>)> {
        let (mut gap, mut start, mut ranks) = (self.gap_from(0), 0, Vec::new());
        for what in lane.iter().map(|token| token.what) {
            if let Some(place) = self.place(what, &gap) {
                gap.start = place + 1;
            }
            let What::Entry(row) = what else { continue };
            if is_everywhere(row) {
                start = self.place(what, &(0..self.tokens.len())).map_or(self.tokens.len(), |place| place + 1);
                gap = self.gap_from(start);
            }
            ranks.push((row, gap.start - start, self.tokens.get(gap.start).map(|token| token.what)));
        }
        ranks
    }

    /// The places from `start` to the next entry that all sides have.
    fn gap_from(&self, start: usize) -> Range<usize> {
        let border = self.borders.partition_point(|border| *border < start);
        start..self.borders.get(border).copied().unwrap_or(start)
    }

    /// The first place of a line or an entry in a gap.
    fn place(&self, what: What<'t>, gap: &Range<usize>) -> Option<usize> {
        let known = self.places.get(&what)?;
        known.get(known.partition_point(|place| *place < gap.start)).copied().filter(|place| gap.contains(place))
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
