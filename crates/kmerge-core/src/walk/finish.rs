//! What the finished entries of a collection amount to: edits of it, or the fate of its holder.

use std::collections::{HashMap, HashSet};

use kyaml_ast::{Edit, EntryId, Graft, NodeId, Piece, Position};

use super::{Change, Frame, Mode, Walker};
use crate::order::{Placement, moved, positions};
use crate::plan::{ConflictPlace, Decision, Role};
use crate::policy::Contested;
use crate::resolve::{Outcome, Rule};
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// Turns a collection's changes into the change of its holder.
    pub(super) fn finish(&mut self, mut frame: Frame<'a>) -> Change {
        match frame.mode {
            Mode::Merge => Change::Keep(self.merged(&mut frame)),
            Mode::Dropped if frame.keeps_any() => Change::Keep(self.merged(&mut frame)),
            Mode::Dropped => Change::Remove,
            Mode::Delta => self.delta(&frame),
        }
    }

    fn merged(&mut self, frame: &mut Frame<'a>) -> Vec<Edit> {
        self.reorder(frame);
        let mut edits = std::mem::take(&mut frame.own);
        let mut added = HashMap::new();
        let mut gone = HashSet::new();
        for (row, change) in std::mem::take(&mut frame.changes) {
            let slots = frame.aligned.rows[row];
            match (change, slots.dest) {
                (Change::Keep(inner), _) => edits.extend(inner),
                (Change::Remove, Some(entry)) => {
                    gone.insert(row);
                    edits.push(Edit::Remove { entry });
                }
                (Change::Remove | Change::Absent, _) => {}
                (change @ (Change::Add(_) | Change::Contested(_)), dest) => {
                    if let Some(entry) = dest {
                        gone.insert(row);
                        edits.push(Edit::Remove { entry });
                    }
                    added.insert(row, change);
                }
            }
        }
        if !added.is_empty() {
            self.insert(frame, added, &gone, &mut edits);
        }
        edits
    }

    fn insert(
        &mut self,
        frame: &Frame<'a>,
        mut added: HashMap<usize, Change>,
        gone: &HashSet<usize>,
        edits: &mut Vec<Edit>,
    ) {
        let Some(collection) = frame.nodes.dest else { return };
        let rows: HashSet<usize> = added.keys().copied().collect();
        let placement =
            Placement { order: self.policy.order, dest_first: self.policy.contested == Contested::Conflict };
        for (row, position) in positions(&frame.aligned, &rows, gone, placement) {
            match added.remove(&row) {
                Some(Change::Add(graft)) => {
                    push_insert(edits, collection.id(), position, Piece::Entry(graft));
                }
                Some(Change::Contested(index)) => {
                    self.plan.conflicts[index].place = ConflictPlace::Gap(collection.id(), position);
                }
                _ => {}
            }
        }
    }

    /// Turns kept entries that have to move into a removal and an addition.
    fn reorder(&mut self, frame: &mut Frame<'a>) {
        let Slots { dest: Some(_), base: Some(base), incoming: Some(_) } = frame.nodes else { return };
        let aligned = &frame.aligned;
        let is_ordered = aligned.incoming_order.windows(2).all(|pair| pair[0] < pair[1]);
        if is_ordered {
            return;
        }
        let row_of: HashMap<NodeId, usize> =
            aligned.rows.iter().enumerate().filter_map(|(row, slots)| Some((slots.base?.value, row))).collect();
        let base_order: Vec<usize> =
            base.entries().filter_map(|entry| row_of.get(&entry.id().value).copied()).collect();
        let is_gone = |(row, change): &(usize, Change)| (!matches!(change, Change::Keep(_))).then_some(*row);
        let gone: HashSet<usize> = frame.changes.iter().filter_map(is_gone).collect();
        let rows = moved(aligned, &base_order, &gone);
        let has_conflict = |row: &usize| self.lies_in_conflict(aligned.rows[*row].dest);
        if rows.is_empty() || rows.iter().any(has_conflict) {
            return;
        }
        for row in rows {
            let Some(part) = frame.aligned.rows[row].dest else { continue };
            let position = frame.changes.iter().position(|(changed, _)| *changed == row);
            let edits = match position.map(|position| frame.changes.swap_remove(position)) {
                Some((_, Change::Keep(edits))) => edits,
                _ => Vec::new(),
            };
            frame.changes.push((row, Change::Add(Graft { stream: Side::Dest.stream(), part, edits })));
        }
        let spans = frame.nodes.map(kyaml_ast::Node::span);
        let decision = Decision {
            path: self.path.clone(),
            role: Role::Order,
            outcome: Outcome::Take,
            rule: Rule::OnlyIncoming,
            spans,
        };
        self.plan.decisions.push(decision);
    }

    fn lies_in_conflict(&self, entry: Option<EntryId>) -> bool {
        let Some((entry, stream)) = entry.zip(self.streams.dest) else { return false };
        let span = stream.entry(entry).extent();
        self.plan.conflicts.iter().any(|conflict| conflict.spans.dest.is_some_and(|inner| span.contains(inner)))
    }

    /// A collection that the destination dropped: what changed upstream, in the incoming side's layout.
    fn delta(&self, frame: &Frame<'a>) -> Change {
        let changes: HashMap<usize, &Change> = frame.changes.iter().map(|(row, change)| (*row, change)).collect();
        if !changes.values().any(|change| matches!(change, Change::Add(_))) {
            return Change::Absent;
        }
        let Some(part) = frame.holder.incoming else { return Change::Absent };
        let mut edits = Vec::new();
        for (row, slots) in frame.aligned.rows.iter().enumerate() {
            let Some(entry) = slots.incoming else { continue };
            match changes.get(&row) {
                Some(Change::Add(graft)) => edits.extend(graft.edits.iter().cloned()),
                _ if self.is_identity(frame, entry) => {}
                _ => edits.push(Edit::Remove { entry }),
            }
        }
        Change::Add(Graft { stream: Side::Incoming.stream(), part, edits })
    }

    /// Whether a field is a merge key of the element it stands in: it comes back with the element.
    fn is_identity(&self, frame: &Frame<'a>, entry: EntryId) -> bool {
        let Some(stream) = self.streams.incoming else { return false };
        frame.keys.contains(&crate::align::field_name(stream.entry(entry)))
    }
}

impl Frame<'_> {
    /// Whether any entry of the destination stays.
    fn keeps_any(&self) -> bool {
        let changes: HashMap<usize, &Change> = self.changes.iter().map(|(row, change)| (*row, change)).collect();
        let mut rows = self.aligned.rows.iter().enumerate().filter(|(_, slots)| slots.dest.is_some());
        rows.any(|(row, _)| !matches!(changes.get(&row), Some(Change::Remove)))
    }
}

/// Adds a piece to the last insertion, where that is at the same position.
fn push_insert(edits: &mut Vec<Edit>, at: NodeId, place: Position, piece: Piece) {
    if let Some(Edit::Insert { collection, position, pieces }) = edits.last_mut()
        && *collection == at
        && *position == place
    {
        pieces.push(piece);
        return;
    }
    edits.push(Edit::Insert { collection: at, position: place, pieces: vec![piece] });
}
