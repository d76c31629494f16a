//! Reads the lanes of a block collection: the lines between its entries, on each side. Has them merged and written.
//!
//! Lines above an entry that stays become edits of these lines. Lines above a new entry come with the entry. A conflict
//! covers whole lines. Ignores how lines are merged ([`merge::lane`](crate::merge::lane)) and written ([`writer`]), and
//! lines above entries whose first line also holds the start of their collection.

mod writer;

use std::cell::OnceCell;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Edit, Entry, EntryId, Newline, Node, Span, line_end};

use super::fates::Fates;
use super::foot::{is_bare, is_empty};
use super::loose::{any_in, loose_lines};
use super::{Change, Frame, Mode, Walker};
use crate::merge::lane;
use crate::merge::page::Page;
use crate::merge::strip::{Mark, Rows, Strip};
use crate::plan::{Conflict, ConflictPlace, Decision, Variant};
use crate::resolve::Outcome;
use crate::slots::{Side, Slots};
use writer::Writer;

impl<'a> Frame<'a> {
    /// Whether the lines between the entries are merged.
    pub(super) fn has_lane(&self) -> bool {
        let is_block = |node: Option<Node<'a>>| node.is_some_and(Node::is_block_collection);
        self.mode == Mode::Merge && is_block(self.nodes.dest) && is_block(self.nodes.incoming)
    }

    /// Gives the entries of a side their rows in its lane, in order.
    pub(super) fn lane_rows(&self, side: Side) -> Rows {
        Rows { known: self.aligned.rows_of(side), next: self.aligned.rows.len() + side as usize }
    }

    /// The parts of a side's document above and below the entries of its root.
    fn parts_beside(&self, side: Side) -> [&[Mark]; 2] {
        self.margins.get(side).map_or([&[], &[]], |margin| [&margin.above, &margin.below])
    }
}

/// Whether the lines above an entry belong to the collection, on all sides that have the entry.
pub(super) fn has_lines(entries: &Slots<Entry<'_>>) -> bool {
    entries.present().all(|(_, entry)| entry.starts_line() || entry.collection().is_flow())
}

impl<'a> Walker<'a> {
    /// Merges the lines between a collection's entries.
    pub(super) fn lane(&mut self, frame: &Frame<'a>, fates: &mut Fates) {
        let keeps_entries = fates.keep_entries() && fates.disputed.is_empty();
        if keeps_entries && self.has_no_lines(frame) {
            return;
        }
        let page = self.page(frame);
        if keeps_entries && page.is_settled() {
            return;
        }
        self.share_blanks(frame, fates, &page);
        let tokens = page.strips.as_ref().map(|strip| &strip.tokens[..]);
        let items = lane::merge(&tokens, &order(frame, fates), &fates.disputed);
        Writer {
            walker: self,
            frame,
            fates,
            page,
            head: None,
            taken: OnceCell::new(),
            outs: Vec::new(),
            waiting: Vec::new(),
        }
        .write(items);
    }

    /// Says of the conflicts about entries that one side removed which blank lines this side removed with them.
    fn share_blanks(&mut self, frame: &Frame<'a>, fates: &Fates, page: &Page<'a>) {
        if fates.disputed.is_empty() {
            return;
        }
        let kept: HashMap<EntryId, usize> = self.contested_entries(frame).collect();
        let places = page.strips.as_ref().map(Strip::places);
        let firsts: HashSet<usize> =
            fates.places.iter().filter(|(_, after)| after.is_none()).map(|(row, _)| *row).collect();
        let is_alone = fates.disputed.len() == 1;
        for (row, without) in &fates.disputed {
            let (is_new, number) = match fates.added.get(row) {
                Some(Change::BothChanged(number)) => (true, Some(*number)),
                _ => (false, removed_by_incoming(frame, *row).and_then(|dest| kept.get(&dest).copied())),
            };
            let shared = page.blanks_with(*row, *without, &places);
            // Of several entries, nobody knows whose the lines beside a new one are.
            if let (Some(number), Some(shared)) = (number, shared.filter(|shared| is_alone || !shared.is_beside_new)) {
                // What comes stands directly behind the entry before it, or directly above the first one.
                let starts_below = !is_new || firsts.contains(row);
                self.plan.conflicts[number].blanks = shared.around.without(shared.left, starts_below);
            }
        }
    }

    /// Whether no side has lines between its entries, as in most collections. Then there is nothing to read.
    fn has_no_lines(&self, frame: &Frame<'a>) -> bool {
        let count = |side: Side| frame.nodes.get(side).map(|node| node.entries().count());
        let incoming = count(Side::Incoming);
        let has_none = |side: Side| match (self.room(frame, side), self.streams.get(side), self.loose.get(side)) {
            (Some(room), Some(stream), Some(loose)) => !any_in(loose.get_or_init(|| loose_lines(stream)), room),
            _ => true,
        };
        (incoming == count(Side::Base) || incoming == count(Side::Dest)) && Side::ALL.into_iter().all(has_none)
    }

    /// A side's collection. An empty value counts as a collection of any kind.
    fn lane_of(&self, frame: &Frame<'a>, side: Side) -> Option<Node<'a>> {
        let empty = || self.entries(frame.holder).get(side).copied().filter(|entry| is_bare(*entry)).map(Entry::value);
        frame.nodes.get(side).copied().or_else(empty)
    }

    /// The lanes of all sides.
    pub(super) fn page(&self, frame: &Frame<'a>) -> Page<'a> {
        let have_lines: Vec<bool> = frame.aligned.rows.iter().map(|slots| has_lines(&self.entries(*slots))).collect();
        let strips = Slots::of(|side| self.strip(frame, side, &have_lines));
        let column = |side: Side| match self.lane_of(frame, side) {
            Some(node) if node.is_block_collection() => Some(node.column()),
            Some(_) => Some(strips.get(side).and_then(Strip::first_column).unwrap_or_default()),
            None => frame.margins.get(side)?.column,
        };
        let columns = Slots::of(column);
        let is_deep = frame.margins.dest.as_ref().is_some_and(|margin| margin.is_deep);
        Page { columns, is_deep, strips, newline: Newline::of(self.source(Side::Dest)) }
    }

    /// The lane of one side; `have_lines` says of each row whether the lines above it belong to the collection.
    fn strip(&self, frame: &Frame<'a>, side: Side, have_lines: &[bool]) -> Option<Strip<'a>> {
        let is_open = |node: &Node<'a>| node.is_block_collection() || is_empty(*node);
        let node = self.lane_of(frame, side).filter(is_open);
        if node.is_none() && frame.margins.get(side).is_none() {
            return None;
        }
        let mut rows = frame.lane_rows(side);
        let mark = |entry: Entry<'a>| {
            let row = rows.row(entry.id());
            Mark::of(entry, row, have_lines.get(row).copied().unwrap_or_else(|| entry.starts_line()))
        };
        let [above, below] = frame.parts_beside(side).map(|parts| parts.iter().copied());
        let marks = above.chain(node.into_iter().flat_map(Node::entries).map(mark)).chain(below);
        Some(Strip::of(self.source(side), self.room(frame, side)?, marks, frame.aligned.rows.len()))
    }

    /// The bytes that belong to a collection: from the end of the line with its key or dash to the end of its
    /// holder.
    pub(super) fn room(&self, frame: &Frame<'a>, side: Side) -> Option<Span> {
        if let Some(margin) = frame.margins.get(side) {
            return Some(margin.room);
        }
        let node = self.lane_of(frame, side)?;
        let own = || {
            let (first, last) = (node.entries().next(), node.entries().last());
            first.zip(last).map(|(first, last)| first.extent().cover(last.extent()))
        };
        let Some(holder) = self.entries(frame.holder).get(side).copied() else { return own() };
        let start = line_end(node.stream().source(), holder.indicator().end);
        // A flow collection may end on the line of its holder's key.
        let own = if node.is_flow() { own() } else { None };
        Some(Span::new(own.map_or(start, |own| start.min(own.end)), holder.extent().end))
    }

    /// The edits of the lines of a collection whose entries all stay. No edits if some text does not fit.
    pub(super) fn lines_alone(&mut self, frame: &Frame<'a>, fits: impl Fn(Span, &str) -> bool) -> Vec<Edit> {
        let mut fates = Fates::default();
        self.lane(frame, &mut fates);
        let is_edit = |edit: &Edit| if let Edit::Text { span, text } = edit { fits(*span, text) } else { true };
        let is_variant =
            |span: Span, variant: &Variant| if let Variant::Text(text) = variant { fits(span, text) } else { true };
        let is_conflict = |conflict: &Conflict| match conflict.place {
            ConflictPlace::Lines(span) => {
                let versions = conflict.dest.iter().chain([&conflict.base, &conflict.incoming]);
                versions.into_iter().all(|variant| is_variant(span, variant))
            }
            _ => true,
        };
        if fates.edits.iter().all(is_edit) && self.plan.conflicts[frame.conflicts..].iter().all(is_conflict) {
            return fates.edits;
        }
        self.keep_lines(frame);
        Vec::new()
    }

    /// Leaves the lines of a collection as the destination has them, whatever was found.
    pub(super) fn keep_lines(&mut self, frame: &Frame<'a>) {
        self.plan.conflicts.truncate(frame.conflicts);
        let told = self.plan.decisions.split_off(frame.decisions);
        let kept = told.into_iter().map(|decision| Decision { outcome: Outcome::Keep, ..decision });
        self.plan.decisions.extend(kept);
    }
}

/// The rows of the result in order. The last one is the end.
fn order(frame: &Frame<'_>, fates: &Fates) -> Vec<usize> {
    let mut behind: HashMap<Option<EntryId>, Vec<usize>> = HashMap::new();
    for (row, after) in fates.places.iter().filter(|(row, _)| fates.comes(*row)) {
        behind.entry(*after).or_default().push(*row);
    }
    let [above, below] = frame.parts_beside(Side::Dest).map(|parts| parts.iter().map(|mark: &Mark| mark.row));
    let mut order: Vec<usize> = above.chain(behind.remove(&None).unwrap_or_default()).collect();
    for (row, slots) in frame.aligned.rows.iter().enumerate() {
        let Some(dest) = slots.dest else { break };
        order.extend((!fates.gone.contains(&row)).then_some(row));
        order.extend(behind.remove(&Some(dest)).unwrap_or_default());
    }
    order.extend(below.chain([frame.aligned.rows.len()]));
    order
}

/// The destination's entry of a row, if the incoming side has removed it. A row of a clash is in no conflict of its own.
fn removed_by_incoming(frame: &Frame<'_>, row: usize) -> Option<EntryId> {
    frame.aligned.rows.get(row).filter(|slots| slots.incoming.is_none())?.dest
}
