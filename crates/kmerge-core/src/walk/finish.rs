//! Turns the finished entries of a collection into edits of the collection, or into the change of its holder.
//!
//! Owns what follows from all entries together: their order, replaced members, and conflicts that become larger.
//! Ignores how a single entry was decided.

use kyaml_ast::{Content, Edit, EntryId, Graft, Node, Piece, Position, Span};

use super::fates::Fates;
use super::unkeyed::Whole;
use super::{Change, Frame, Mode, Walker, rewrite};
use crate::between::{between, neighbours};
use crate::correspond::Identity;
use crate::equal::same_value;
use crate::plan::{Conflict, ConflictPlace, Role, Variant};
use crate::resolve::{Outcome, Rule};
use crate::sequence::Clash;
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// Turns a collection's changes into the change of its holder. `None` if the collection has new rows now, which
    /// must be visited.
    pub(super) fn finish(&mut self, frame: &mut Frame<'a>) -> Option<Change> {
        Some(match frame.mode {
            Mode::Merge => Change::Keep(self.merged(frame)?),
            Mode::Dropped if frame.keeps_none() => Change::Remove,
            Mode::Dropped => Change::Keep(self.merged(frame)?),
            Mode::Delta => self.delta(frame),
        })
    }

    fn merged(&mut self, frame: &mut Frame<'a>) -> Option<Vec<Edit>> {
        if frame.is_wholesale
            && let Some(edits) = self.wholesale(frame)
        {
            return Some(edits);
        }
        if self.contests_whole(frame) {
            return Some(std::mem::take(&mut frame.own));
        }
        if !self.settle_union(frame) {
            self.rekeyed(frame);
        }
        self.reorder(frame);
        self.replacements(frame);
        let disputed = self.disputed(frame);
        let mut fates = Fates { disputed, ..Fates::of(frame) };
        fates.places = self.places(frame, &fates);
        if self.widens(frame, &fates) {
            return None;
        }
        // If no entry stays, brackets replace all of them.
        let is_emptied = |dest: Node<'a>| fates.added.is_empty() && dest.entries().count() == fates.gone.len();
        if frame.has_lane() && !frame.nodes.dest.is_some_and(is_emptied) {
            let feet = self.feet(frame, &mut fates);
            self.lane(frame, &mut fates);
            fates.edits.extend(feet);
            frame.has_settled_lines = true;
        }
        self.insert(frame, &mut fates);
        self.clashes(frame);
        let mut edits = std::mem::take(&mut frame.own);
        edits.extend(self.instead_of_alias(frame, fates.edits));
        Some(edits)
    }

    /// If the destination left an entry alone, replaces it by the incoming text, with its comments and layout.
    fn wholesale(&mut self, frame: &mut Frame<'a>) -> Option<Vec<Edit>> {
        let entries = self.entries(frame.holder);
        let [dest, incoming] = entries.both()?;
        if frame.order.as_ref().is_some_and(|order| order.changed.by_incoming) {
            self.tell_order(frame, Some((Outcome::Take, Rule::OnlyIncoming)));
        }
        if self.plan.decisions.len() == frame.decisions && frame.whole != Whole::Taken {
            let is_value = frame.identity == Identity::Position && !same_value(dest.value(), incoming.value());
            let role = if is_value { Role::Value } else { Role::Layout };
            self.decide(role, Outcome::Take, Rule::OnlyIncoming, entries);
        }
        let graft = Graft::new(Side::Incoming.stream(), incoming.id());
        if !dest.collection().is_flow() && !incoming.collection().is_flow() {
            return Some(vec![rewrite(dest.id(), graft)]);
        }
        let mut edits = std::mem::take(&mut frame.own);
        edits.push(Edit::ReplaceValue { entry: dest.id(), content: Content::Layout(graft) });
        Some(edits)
    }

    /// Turns the clashes of a list into conflicts.
    fn clashes(&mut self, frame: &mut Frame<'a>) {
        for clash in std::mem::take(&mut frame.clashes) {
            let Some(conflict) = self.clash(frame, &clash) else { return };
            self.tell(conflict.role, Outcome::Conflict, Rule::BothChanged, conflict.spans);
            self.plan.conflicts.push(conflict);
        }
    }

    /// The conflict of a clash: neighbouring entries that differ on each side.
    pub(super) fn clash(&self, frame: &Frame<'a>, clash: &Clash) -> Option<Conflict> {
        let list = frame.nodes.dest?;
        let last = clash.dest.last().copied().or(clash.after);
        let position = last.map_or(Position::First, Position::After);
        let is_new = clash.dest.is_empty();
        let place = if is_new { ConflictPlace::Gap(list.id(), position) } else { frame.place()? };
        let version = |side: Side| {
            let entries = if side == Side::Base { &clash.base } else { &clash.incoming };
            let grafts: Vec<_> = entries.iter().map(|entry| Graft::new(side.stream(), *entry)).collect();
            if is_new {
                return Variant::Entries(grafts);
            }
            let mut edits = without(list, &clash.dest);
            let stream = self.streams.get(side).copied();
            let pieces = stream.map_or_else(Vec::new, |stream| neighbours(stream, &grafts, list));
            if !pieces.is_empty() {
                edits.push(Edit::Insert { collection: list.id(), position, pieces });
            }
            Variant::Edited(edits)
        };
        Some(self.new_conflict(clash.role, place, self.spans(clash), version))
    }

    /// From the start of the first entry to the end of the last, on each side.
    fn spans(&self, clash: &Clash) -> Slots<Span> {
        let entries = Slots::three(&clash.dest, &clash.base, &clash.incoming);
        let span = |side: Side, entry: &EntryId| Some(self.streams.get(side)?.entry(*entry).span());
        Slots::of(|side| {
            let entries = entries.get(side)?;
            Some(span(side, entries.first()?)?.cover(span(side, entries.last()?)?))
        })
    }

    /// Puts the entries that come at their places, with the lines above them.
    fn insert(&mut self, frame: &Frame<'a>, fates: &mut Fates) {
        let Some(collection) = frame.nodes.dest.map(Node::id) else { return };
        let places = std::mem::take(&mut fates.places);
        let is_followed = fates.followed(&places);
        for ((row, after), is_followed) in places.iter().zip(is_followed) {
            let position = after.map_or(Position::First, Position::After);
            match fates.added.remove(row) {
                Some(Change::Add(graft)) => {
                    if let Some(lines) = fates.lines_above.remove(row).filter(|lines| !lines.is_empty()) {
                        fates.insert(collection, position, Piece::Lines(lines));
                    }
                    fates.insert(collection, position, Piece::Entry(graft));
                }
                Some(Change::BothChanged(index)) => {
                    self.plan.conflicts[index].place = ConflictPlace::Gap(collection, position);
                    if is_followed {
                        fates.keep_place(collection, position);
                    }
                }
                _ => {}
            }
        }
        let lines = std::mem::take(&mut fates.lines_below_first);
        if !lines.is_empty() {
            fates.insert(collection, Position::First, Piece::Lines(lines));
        }
    }

    /// For a collection that the destination removed: what the incoming side changed comes back, in the incoming
    /// layout.
    fn delta(&self, frame: &Frame<'a>) -> Change {
        let comes_back = frame.changes.values().any(|change| matches!(change, Change::Add(_)));
        let (Some(part), true) = (frame.holder.incoming, comes_back) else { return Change::Keep(Vec::new()) };
        let mut edits = Vec::new();
        for (row, slots) in frame.aligned.rows.iter().enumerate() {
            let Some(entry) = slots.incoming else { continue };
            match frame.changes.get(&row) {
                Some(Change::Add(graft)) => edits.extend(graft.edits.iter().cloned()),
                _ => edits.push(Edit::Remove { entry }),
            }
        }
        Change::Add(Graft { stream: Side::Incoming.stream(), part, edits })
    }
}

impl Frame<'_> {
    /// Whether no entry of the destination stays.
    fn keeps_none(&self) -> bool {
        let goes = |row: usize| matches!(self.changes.get(&row), Some(Change::Remove));
        self.aligned.rows.iter().enumerate().all(|(row, slots)| slots.dest.is_none() || goes(row))
    }

    /// Whether each side left something, and both together nothing.
    pub(super) fn is_emptied(&self) -> bool {
        let comes = |change: &Change| matches!(change, Change::Add(_) | Change::BothChanged(_));
        let has_entries = |node: &Node<'_>| node.entries().next().is_some();
        self.nodes.is_full()
            && self.keeps_none()
            && self.clashes.is_empty()
            && !self.changes.values().any(comes)
            && self.nodes.present().all(|(_, node)| has_entries(node))
    }

    /// The place of a conflict that is about several entries of the destination.
    pub(super) fn place(&self) -> Option<ConflictPlace> {
        let root = self.nodes.dest.map(|root| ConflictPlace::Root(root.id()));
        self.holder.dest.map(ConflictPlace::Entry).or(root)
    }

    /// The entries that a side has in some rows.
    pub(super) fn entries_of(&self, side: Side, rows: &[usize]) -> Vec<EntryId> {
        rows.iter().filter_map(|row| self.aligned.rows[*row].get(side).copied()).collect()
    }
}

/// Edits that remove neighbours from a list, together with the lines between them.
fn without(list: Node<'_>, entries: &[EntryId]) -> Vec<Edit> {
    let mut edits: Vec<Edit> = entries.iter().map(|entry| Edit::Remove { entry: *entry }).collect();
    if list.is_block_collection() && entries.len() < list.entries().count() {
        let gaps = entries.windows(2).filter_map(|pair| between(list.stream(), pair[0], pair[1]));
        edits.extend(gaps.map(|span| Edit::Text { span, text: String::new() }));
    }
    edits
}
