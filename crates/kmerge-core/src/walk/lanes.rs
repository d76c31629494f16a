//! Merges the lines between the entries of a block collection: reads the lanes, has them merged, and writes the result
//! as edits.
//!
//! Lines above an entry that stays become edits of these lines. Lines above a new entry come with the entry. A conflict
//! covers whole lines. Ignores how lines are merged ([`merge::lane`](crate::merge::lane)), and lines above entries
//! whose first line also holds the start of their collection.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{CommentSlot, Edit, Entry, EntryId, Graft, Newline, Node, Piece, Span, line_end};

use super::ends::Margin;
use super::foot::{is_bare, is_empty};
use super::leaf::comment;
use super::loose::loose_lines;
use super::{Change, Frame, Mode, Walker, step};
use crate::merge::lane::{self, Disputed, Item};
use crate::merge::page::{Below, Lines, Out, Page, first_of_lead, is_instead, is_one_sided};
use crate::merge::pen::Pen;
use crate::merge::strip::{Mark, Rows, Strip};
use crate::plan::{Conflict, ConflictPlace, Decision, Role, Variant};
use crate::policy::BothChanged;
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

/// What happens to the rows of a collection.
pub(super) struct Fates<'f> {
    pub(super) added: &'f mut HashMap<usize, Change>,
    pub(super) gone: &'f HashSet<usize>,
    /// The destination's entry that each added row follows.
    pub(super) places: &'f [(usize, Option<EntryId>)],
    /// Rows whose entry one side removed or emptied and the other changed.
    pub(super) disputed: Disputed,
}
/// The row of the destination's first entry.
const OLD_FIRST: usize = 0;

/// The lines above the destination's first entry, if new entries come before it.
struct Head {
    /// The row of the new first entry.
    first_new: usize,
    span: Span,
}

/// A place of the destination, and the lines that will stand there. `above` blank lines follow them.
struct Region {
    role: Role,
    span: Span,
    outs: Vec<Out>,
    above: usize,
}
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
}

/// Whether the lines above an entry belong to the collection, on all sides that have the entry.
pub(super) fn has_lines(entries: &Slots<Entry<'_>>) -> bool {
    entries.present().all(|(_, entry)| entry.starts_line() || entry.collection().is_flow())
}

/// The lines to write above new entries.
#[derive(Default)]
pub(super) struct AboveNew {
    /// The lines above a new entry, by its row.
    pub(super) lines: HashMap<usize, String>,
    /// The lines between the last of the new first entries and the entry that was first.
    pub(super) below_first: String,
}

/// The result of a lane so far.
struct Draft<'e> {
    edits: &'e mut Vec<Edit>,
    above_new: AboveNew,
    head: Option<Head>,
    /// Lines that have no place yet.
    outs: Vec<Out>,
    /// Whether some of these lines stand above a new entry.
    are_above_new: bool,
}

impl<'a> Walker<'a> {
    /// Merges the lines between a collection's entries. Returns the lines above the new entries.
    pub(super) fn lane(&mut self, frame: &Frame<'a>, fates: &mut Fates<'_>, edits: &mut Vec<Edit>) -> AboveNew {
        let mut draft =
            Draft { edits, above_new: AboveNew::default(), head: None, outs: Vec::new(), are_above_new: false };
        let keeps_entries = fates.added.is_empty() && fates.gone.is_empty() && fates.disputed.is_empty();
        if keeps_entries && self.has_no_lines(frame) {
            return draft.above_new;
        }
        let page = self.page(frame);
        if keeps_entries && page.is_settled() {
            return draft.above_new;
        }
        let order = self.order_of(frame, fates);
        draft.head = self.new_head(frame, fates, &page);
        let tokens = page.strips.as_ref().map(|strip| &strip.tokens[..]);
        for item in lane::merge(&tokens, &order, &fates.disputed) {
            let below = match item {
                Item::BothChanged { lines, new, above } => {
                    draft.outs.extend(self.both_changed(lines, &new, above));
                    continue;
                }
                Item::Token { at, above } => match page.row(&at) {
                    Some(row) => Below { row, at, above },
                    None => {
                        let (side, place) = page.line(&at);
                        draft.outs.push(Out { lines: Lines::Of(side, place), above });
                        continue;
                    }
                },
            };
            match fates.added.get_mut(&below.row) {
                Some(Change::Add(graft)) => self.above_new(&page, &below, graft, &mut draft),
                _ => self.above_kept(frame, &page, &below, &mut draft),
            }
        }
        let gone = fates.gone.iter().filter(|row| draft.head.is_none() || **row != OLD_FIRST);
        draft.edits.extend(gone.filter_map(|row| page.without_gap(self.entries(frame.aligned.rows[*row]).dest?, *row)));
        draft.above_new
    }

    /// The lines above the destination's first entry that are not its lead, if new entries come before it.
    fn new_head(&self, frame: &Frame<'a>, fates: &Fates<'_>, page: &Page<'a>) -> Option<Head> {
        let is_new = |row: &usize| matches!(fates.added.get(row), Some(Change::Add(_)));
        let mut firsts = fates.places.iter().filter(|(_, after)| after.is_none()).map(|(row, _)| *row);
        let first_new = firsts.find(is_new)?;
        let entries = self.entries(*frame.aligned.rows.first()?);
        if !has_lines(&entries) {
            return None;
        }
        let above = page.strips.dest.as_ref()?.above(OLD_FIRST)?;
        let own = entries.dest?.extent().start.clamp(above.start, above.end);
        Some(Head { first_new, span: Span::new(above.start, own) })
    }

    /// Writes the lines above a new entry.
    fn above_new(&mut self, page: &Page<'a>, below: &Below, graft: &mut Graft<EntryId>, draft: &mut Draft<'_>) {
        // A conflict must stand between lines that the destination has.
        let is_line = |out: &Out| !matches!(out.lines, Lines::BothChanged(_));
        let (mut lines, rest): (Vec<Out>, Vec<Out>) = draft.outs.drain(..).partition(is_line);
        draft.are_above_new |= !rest.is_empty();
        draft.outs = rest;
        let brought = lines.split_off(lines.len() - page.brought(graft, below, &lines));
        let above = brought.first().map_or(below.above, |out| out.above);
        match draft.head.as_ref().filter(|head| head.first_new == below.row) {
            Some(head) => {
                self.gap(page, below, &Region { role: Role::Gap, span: head.span, outs: lines, above }, draft.edits)
            }
            None => _ = draft.above_new.lines.insert(below.row, page.lines(&lines, above)),
        }
    }

    /// Whether no side has lines between its entries, as in most collections. Then there is nothing to read.
    fn has_no_lines(&self, frame: &Frame<'a>) -> bool {
        let count = |side: Side| frame.nodes.get(side).map(|node| node.entries().count());
        let incoming = count(Side::Incoming);
        let has_none = |side: Side| match (self.room(frame, side), self.streams.get(side), self.loose.get(side)) {
            (Some(room), Some(stream), Some(loose)) => {
                let loose = loose.get_or_init(|| loose_lines(stream));
                let first = loose.partition_point(|line| *line < room.start);
                loose.get(first).is_none_or(|line| *line >= room.end)
            }
            _ => true,
        };
        (incoming == count(Side::Base) || incoming == count(Side::Dest)) && Side::ALL.into_iter().all(has_none)
    }

    /// A side's collection. An empty value counts as a collection of any kind.
    pub(super) fn lane_of(&self, frame: &Frame<'a>, side: Side) -> Option<Node<'a>> {
        let empty = || self.entries(frame.holder).get(side).copied().filter(|entry| is_bare(*entry)).map(Entry::value);
        frame.nodes.get(side).copied().or_else(empty)
    }

    fn page(&self, frame: &Frame<'a>) -> Page<'a> {
        let end = frame.aligned.rows.len();
        let strip = |side: Side| {
            let mut rows = frame.lane_rows(side);
            let mark = |entry: Entry<'a>| {
                let row = rows.row(entry.id());
                let entries = frame.aligned.rows.get(row).map(|slots| self.entries(*slots));
                Mark::of(entry, row, entries.map_or_else(|| entry.starts_line(), |entries| has_lines(&entries)))
            };
            let is_open = |node: &Node<'a>| node.is_block_collection() || is_empty(*node);
            let (node, margin) = (self.lane_of(frame, side).filter(is_open), frame.margins.get(side));
            if node.is_none() && margin.is_none() {
                return None;
            }
            let marks = |marks: fn(&Margin) -> &Vec<Mark>| margin.map(marks).into_iter().flatten().copied();
            let entries = node.into_iter().flat_map(Node::entries).map(mark);
            let marks = marks(|margin| &margin.above).chain(entries).chain(marks(|margin| &margin.below));
            Some(Strip::of(self.streams.get(side)?.source(), self.room(frame, side)?, marks, end))
        };
        let strips = Slots::of(strip);
        let column = |side: Side| match self.lane_of(frame, side) {
            Some(node) if node.is_block_collection() => Some(node.column()),
            Some(_) => Some(strips.get(side).and_then(Strip::first_column).unwrap_or_default()),
            None => frame.margins.get(side)?.column,
        };
        let source = self.streams.dest.map_or("", |stream| stream.source());
        let is_deep = frame.margins.dest.as_ref().is_some_and(|margin| margin.is_deep);
        Page { columns: Slots::of(column), is_deep, strips, newline: Newline::of(source) }
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

    /// The rows of the result in order. The last one is the end.
    fn order_of(&self, frame: &Frame<'a>, fates: &Fates<'_>) -> Vec<usize> {
        let margin = frame.margins.dest.as_ref();
        let rows = |marks: fn(&Margin) -> &Vec<Mark>| margin.map(marks).into_iter().flatten().map(|mark| mark.row);
        let mut all: Vec<usize> = rows(|margin| &margin.above).collect();
        all.extend(order(frame, fates));
        all.extend(rows(|margin| &margin.below));
        all.push(frame.aligned.rows.len());
        all
    }

    /// The edits of the lines of a collection whose entries all stay. No edits if some text does not fit.
    pub(super) fn lines_alone(&mut self, frame: &Frame<'a>, fits: impl Fn(Span, &str) -> bool) -> Vec<Edit> {
        let (mut edits, gone) = (Vec::new(), HashSet::new());
        self.lane(
            frame,
            &mut Fates { added: &mut HashMap::new(), gone: &gone, places: &[], disputed: Disputed::new() },
            &mut edits,
        );
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
        if edits.iter().all(is_edit) && self.plan.conflicts[frame.conflicts..].iter().all(is_conflict) {
            return edits;
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

    /// What to write for lines that both sides changed.
    fn both_changed(&self, lines: Slots<Vec<usize>>, new: &Slots<Vec<usize>>, above: usize) -> Vec<Out> {
        let winner = match self.policy.comments {
            BothChanged::Keep => Side::Dest,
            BothChanged::Take => Side::Incoming,
            BothChanged::Conflict => return vec![Out { lines: Lines::BothChanged(lines), above }],
        };
        let places = new.get(winner).into_iter().flatten().copied();
        let mut outs: Vec<Out> = places.map(|place| Out { lines: Lines::Won(winner, place), above: 0 }).collect();
        if outs.is_empty() {
            outs.push(Out { lines: Lines::Gone(winner), above: 0 });
        }
        outs.iter_mut().take(1).for_each(|first| first.above = above);
        outs
    }

    /// Writes the lines above an entry that the destination has, or at the end.
    fn above_kept(&mut self, frame: &Frame<'a>, page: &Page<'a>, below: &Below, draft: &mut Draft<'_>) {
        let span = page.strips.dest.as_ref().and_then(|strip| strip.above(below.row));
        let entries = frame.aligned.rows.get(below.row).map(|slots| self.entries(*slots)).unwrap_or_default();
        let (Some(span), true) = (span, has_lines(&entries)) else { return };
        let mut outs = std::mem::take(&mut draft.outs);
        let are_above_new = std::mem::take(&mut draft.are_above_new);
        let Some(dest) = entries.dest else {
            return self.gap(page, below, &Region { role: Role::Gap, span, outs, above: below.above }, draft.edits);
        };
        let own = dest.extent().start.clamp(span.start, span.end);
        let mut lead = outs.split_off(first_of_lead(&outs, below));
        let mut above = lead.first().map_or(below.above, |out| out.above);
        let is_in_conflict = self.is_in_conflict_whole(frame, dest.id());
        if is_in_conflict {
            // Each version in the conflict has its own lead.
            outs.extend(std::mem::take(&mut lead).into_iter().filter(|out| !page.is_own(below, out)));
            above = dest.lead().map_or(below.above, |_| above);
        }
        let rewritten = rewritten(dest.id(), draft.edits);
        let is_rewritten = rewritten.is_some() || is_in_conflict;
        if let Some(graft) = rewritten {
            let brought = lead.split_off(lead.len() - page.brought(graft, below, &lead));
            above = brought.first().map_or(below.above, |out| out.above);
            outs.append(&mut lead);
        }
        if draft.head.is_some() && below.row == OLD_FIRST {
            if own == span.end && !is_rewritten {
                outs.append(&mut lead);
                above = below.above;
            }
            draft.above_new.below_first = page.lines(&outs, above);
        } else {
            self.gap(
                page,
                below,
                &Region { role: Role::Gap, span: Span::new(span.start, own), outs, above },
                draft.edits,
            );
        }
        if is_rewritten {
            return;
        }
        if let Some(first) = lead.first_mut() {
            // The blank lines above are written already.
            first.above = 0;
        }
        let region = |role: Role| Region { role, span: Span::new(own, span.end), outs: lead, above: 0 };
        // Lines above an entry that a side lacks are reported with the same role in both directions of a merge.
        if are_above_new || frame.nodes.present().any(|(side, _)| entries.get(side).is_none()) {
            return self.gap(page, below, &region(Role::Gap), draft.edits);
        }
        self.path.push(step(frame, below.row, &self.streams).0);
        self.lead(page, entries, &region(Role::Lead), draft.edits);
        self.path.pop();
    }

    /// Whether a conflict of the collection replaces or removes an entry together with its lead.
    fn is_in_conflict_whole(&self, frame: &Frame<'a>, id: EntryId) -> bool {
        let takes = |edit: &Edit| matches!(edit, Edit::Remove { entry } | Edit::Rewrite { entry, .. } if *entry == id);
        let is_taken = |variant: &Variant| matches!(variant, Variant::Edited(edits) if edits.iter().any(takes));
        let conflicts = self.plan.conflicts.get(frame.conflicts..).unwrap_or_default();
        frame.clashes.iter().any(|clash| clash.dest.contains(&id))
            || conflicts.iter().any(|conflict| is_taken(&conflict.base) || is_taken(&conflict.incoming))
    }

    /// Writes the lines between two entries.
    fn gap(&mut self, page: &Page<'a>, below: &Below, region: &Region, edits: &mut Vec<Edit>) {
        let is_same = self.region(page, region, edits);
        let won = region.outs.iter().find_map(Out::won);
        if is_same && won.is_none() {
            return;
        }
        let is_own = |out: &Out| matches!(out.lines, Lines::Of(Side::Dest, _));
        let (outcome, rule) = match won {
            Some(outcome) => (outcome, Rule::BothChanged),
            None if region.outs.iter().any(is_own) => (Outcome::Take, Rule::Merged),
            None => (Outcome::Take, Rule::OnlyIncoming),
        };
        let span = |side: Side| match side {
            Side::Dest => Some(region.span),
            _ => page.strips.get(side)?.above(below.row),
        };
        self.tell(Role::Gap, outcome, rule, Slots::of(span));
    }

    /// Writes the lead of an entry. Records a decision only if both sides changed the lead; other decisions were
    /// recorded with the entry.
    fn lead(&mut self, page: &Page<'a>, entries: Slots<Entry<'a>>, region: &Region, edits: &mut Vec<Edit>) {
        let is_same = self.region(page, region, edits);
        let leads = entries.filter_map(|entry| entry.lead().map(|_| entry));
        let slot = CommentSlot::Lead;
        let (_, rule) = resolve(leads, self.policy.comments, |a, b| comment(a, slot) == comment(b, slot));
        let is_open = region.outs.iter().any(|out| matches!(out.lines, Lines::BothChanged(_)));
        match region.outs.iter().find_map(Out::won) {
            Some(outcome) => self.decide(Role::Lead, outcome, Rule::BothChanged, entries),
            None if is_open || rule != Rule::BothChanged => {}
            None if is_same => self.decide(Role::Lead, Outcome::Keep, Rule::Merged, entries),
            None => self.decide(Role::Lead, Outcome::Take, Rule::Merged, entries),
        }
    }

    /// Writes lines to a place of the destination. Returns whether nothing changed.
    fn region(&mut self, page: &Page<'a>, region: &Region, edits: &mut Vec<Edit>) -> bool {
        let source = self.streams.dest.map_or("", |stream| stream.source());
        let (newline, at) = (page.newline.as_str(), region.span.start);
        let mut pen = Pen { source, newline, at, text: String::new(), edits: Vec::new() };
        for out in &region.outs {
            match &out.lines {
                Lines::Of(side, place) | Lines::Won(side, place) => {
                    let places = Slots::of(|of| (of == *side).then(|| vec![*place]));
                    match page.cover(Side::Dest, &places).filter(|old| pen.is_below(region.span, *old)) {
                        Some(old) => _ = pen.keep(old, out.above),
                        None => pen.write(out.above, &page.text(*side, *place)),
                    }
                }
                Lines::Gone(_) => {}
                Lines::BothChanged(lines) => {
                    let old = page.cover(Side::Dest, lines).filter(|old| pen.is_below(region.span, *old));
                    let old = old.map(|old| page.marker_below(Side::Dest, lines).map_or(old, |line| old.cover(line)));
                    let place = match old {
                        Some(old) if is_one_sided(lines) => pen.take(old),
                        Some(old) => pen.keep(old, out.above),
                        None => pen.flush(pen.at),
                    };
                    let conflict = page.conflict(&self.path, region.role, place, lines);
                    if !is_instead(lines) {
                        self.tell(region.role, Outcome::Conflict, Rule::BothChanged, conflict.spans);
                    }
                    let dest = if old.is_some() { None } else { conflict.dest };
                    self.plan.conflicts.push(Conflict { dest, ..conflict });
                }
            }
        }
        pen.write(region.above, "");
        pen.flush(region.span.end);
        let is_same = pen.edits.is_empty();
        edits.append(&mut pen.edits);
        is_same
    }
}
/// The rows of the result's entries in order.
fn order(frame: &Frame<'_>, fates: &Fates<'_>) -> Vec<usize> {
    let mut behind: HashMap<Option<EntryId>, Vec<usize>> = HashMap::new();
    for (row, after) in fates.places {
        if matches!(fates.added.get(row), Some(Change::Add(_))) {
            behind.entry(*after).or_default().push(*row);
        }
    }
    let mut order = behind.remove(&None).unwrap_or_default();
    for (row, slots) in frame.aligned.rows.iter().enumerate() {
        let Some(dest) = slots.dest else { break };
        order.extend((!fates.gone.contains(&row)).then_some(row));
        order.extend(behind.remove(&Some(dest)).unwrap_or_default());
    }
    order
}
/// The graft that an edit puts in the place of an entry.
fn rewritten(entry: EntryId, edits: &mut [Edit]) -> Option<&mut Graft<EntryId>> {
    edits.iter_mut().find_map(|edit| match edit {
        Edit::Rewrite { entry: old, pieces } if *old == entry => match pieces.first_mut() {
            Some(Piece::Entry(graft)) => Some(graft),
            _ => None,
        },
        _ => None,
    })
}
