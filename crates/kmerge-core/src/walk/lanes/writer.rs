//! Writes the merged lines of a collection as edits of the destination.
//!
//! Invariant: a conflict stands between lines that the destination has. Ignores how lines were merged.

use std::cell::OnceCell;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{CommentSlot, Edit, Entry, EntryId, Graft, Piece, Span};

use super::super::comments::comment;
use super::super::fates::Fates;
use super::super::{Frame, Walker};
use super::has_lines;
use crate::merge::lane::{Item, Places};
use crate::merge::page::{Below, Lines, Out, Page, first_of_lead, is_instead, is_one_sided};
use crate::merge::pen::Pen;
use crate::plan::{Conflict, Role, Variant};
use crate::policy::BothChanged;
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

/// The row of the destination's first entry.
const OLD_FIRST: usize = 0;

/// Writes the lines of one collection.
pub(super) struct Writer<'w, 'a> {
    pub(super) walker: &'w mut Walker<'a>,
    pub(super) frame: &'w Frame<'a>,
    pub(super) fates: &'w mut Fates,
    pub(super) page: Page<'a>,
    pub(super) head: Option<Head>,
    /// Empty until an entry with lines above it asks.
    pub(super) taken: OnceCell<Taken>,
    /// Lines that have no place yet.
    pub(super) outs: Vec<Out>,
    /// Conflicts above new entries: they stand above the next entry that the destination has.
    pub(super) waiting: Vec<Out>,
}

/// The lines above the destination's first entry, if new entries come before it.
pub(super) struct Head {
    /// The row of the new first entry.
    first_new: usize,
    span: Span,
}

/// The destination's entries that are written together with their leads.
#[derive(Default)]
pub(super) struct Taken {
    /// Those that a conflict of the collection replaces or removes.
    in_conflict: HashSet<EntryId>,
    /// Those that an edit replaces, with the index of the edit.
    rewritten: HashMap<EntryId, usize>,
}

/// A place of the destination, and the lines that will stand there. `above` blank lines follow them.
struct Region {
    role: Role,
    span: Span,
    outs: Vec<Out>,
    above: usize,
}

/// The lines directly above an entry that stays, with `above` blank lines above them.
struct Lead {
    lines: Vec<Out>,
    above: usize,
    /// Whether the lead is written together with its entry.
    is_written: bool,
}

impl Taken {
    /// The graft that one of these edits puts in the place of an entry.
    fn graft<'e>(&self, entry: EntryId, edits: &'e mut [Edit]) -> Option<&'e mut Graft<EntryId>> {
        let Edit::Rewrite { pieces, .. } = edits.get_mut(*self.rewritten.get(&entry)?)? else { return None };
        if let Some(Piece::Entry(graft)) = pieces.first_mut() { Some(graft) } else { None }
    }
}

impl<'a> Writer<'_, 'a> {
    /// The lines above the destination's first entry that are not its lead, if new entries come before it.
    fn new_head(&self) -> Option<Head> {
        let mut firsts = self.fates.places.iter().filter(|(_, after)| after.is_none()).map(|(row, _)| *row);
        let first_new = firsts.find(|row| self.fates.comes(*row))?;
        let (entries, above) = self.lines_above(OLD_FIRST)?;
        let own = entries.dest?.extent().start.clamp(above.start, above.end);
        Some(Head { first_new, span: Span::new(above.start, own) })
    }

    /// Writes the lines of a merged lane.
    pub(super) fn write(mut self, items: Vec<Item>) {
        self.head = self.new_head();
        for item in items {
            match item {
                Item::BothChanged { lines, new, above } => self.both_changed(lines, &new, above),
                Item::Token { at, above } => self.token(at, above),
            }
        }
        for row in self.fates.gone.iter().filter(|row| self.head.is_none() || **row != OLD_FIRST) {
            let entry = self.walker.entries(self.frame.aligned.rows[*row]).dest;
            self.fates.edits.extend(entry.and_then(|entry| self.page.without_gap(entry, *row)));
        }
    }

    /// Writes a line, or the lines above an entry. Blank lines above lines that are gone stay.
    fn token(&mut self, at: Places, above: usize) {
        let above = match self.outs.last() {
            Some(Out { lines: Lines::Gone(_), above: gone }) => above.max(*gone),
            _ => above,
        };
        match self.page.row(&at) {
            Some(row) if self.fates.comes(row) => self.above_new(&Below { row, at, above }),
            Some(row) => self.above_kept(&Below { row, at, above }),
            None => {
                let (side, place) = self.page.line(&at);
                self.outs.push(Out { lines: Lines::Of(side, place), above });
            }
        }
    }

    /// Decides lines that both sides changed.
    fn both_changed(&mut self, lines: Slots<Vec<usize>>, new: &Slots<Vec<usize>>, above: usize) {
        let winner = match self.walker.policy.comments {
            BothChanged::Keep => Side::Dest,
            BothChanged::Take => Side::Incoming,
            BothChanged::Conflict => return self.outs.push(Out { lines: Lines::BothChanged(lines), above }),
        };
        let mut lines: Vec<Lines> =
            new.get(winner).into_iter().flatten().map(|place| Lines::Won(winner, *place)).collect();
        if lines.is_empty() {
            lines.push(Lines::Gone(winner));
        }
        let blanks = std::iter::once(above).chain(std::iter::repeat(0));
        self.outs.extend(lines.into_iter().zip(blanks).map(|(lines, above)| Out { lines, above }));
    }

    /// Writes the lines above a new entry.
    fn above_new(&mut self, below: &Below) {
        let Some(graft) = self.fates.graft(below.row) else { return };
        let head = self.head.as_ref().filter(|head| head.first_new == below.row).map(|head| head.span);
        // A conflict must stand between lines that the destination has.
        let is_here = |out: &Out| head.is_some() || !out.is_contested();
        let (mut outs, waiting): (Vec<Out>, Vec<Out>) = std::mem::take(&mut self.outs).into_iter().partition(is_here);
        self.waiting.extend(waiting);
        let brought = outs.split_off(outs.len() - self.page.brought(graft, below, &outs));
        let above = blanks_above(&brought, below);
        if let Some(span) = head {
            return self.gap(below, &Region { role: Role::Gap, span, outs, above });
        }
        self.fates.lines_above.insert(below.row, self.page.lines(&outs, above));
        self.tell_won(below, &outs);
    }

    /// Says which side won lines that come with new entries.
    fn tell_won(&mut self, below: &Below, outs: &[Out]) {
        if let Some(outcome) = outs.iter().find_map(Out::won) {
            let span = |side: Side| self.page.strips.get(side)?.above(below.row);
            self.walker.tell(Role::Gap, outcome, Rule::BothChanged, Slots::of(span));
        }
    }

    /// Writes the lines above an entry that the destination has, or at the end.
    fn above_kept(&mut self, below: &Below) {
        let Some((entries, span)) = self.lines_above(below.row) else { return };
        let mut outs = std::mem::take(&mut self.waiting);
        outs.append(&mut self.outs);
        let Some(dest) = entries.dest else {
            return self.gap(below, &Region { role: Role::Gap, span, outs, above: below.above });
        };
        let own = dest.extent().start.clamp(span.start, span.end);
        let mut lead = self.lead_of(dest, below, &mut outs);
        if self.head.is_none() || below.row != OLD_FIRST {
            let span = Span::new(span.start, own);
            self.gap(below, &Region { role: Role::Gap, span, outs, above: lead.above });
        } else {
            if own == span.end && !lead.is_written {
                outs.append(&mut lead.lines);
                lead.above = below.above;
            }
            self.below_new(below, Region { role: Role::Gap, span: Span::at(own), outs, above: lead.above });
        }
        if !lead.is_written {
            let region = Region { role: Role::Lead, span: Span::new(own, span.end), outs: lead.lines, above: 0 };
            self.write_lead(below, entries, region);
        }
    }

    /// Writes the lines between the new first entries and the entry that was first. Conflicts about them stand above the
    /// new ones: it is the only place there that the destination has.
    fn below_new(&mut self, below: &Below, region: Region) {
        let (contested, lines): (Vec<Out>, Vec<Out>) = region.outs.into_iter().partition(Out::is_contested);
        self.fates.lines_below_first = self.page.lines(&lines, region.above);
        self.tell_won(below, &lines);
        self.gap(below, &Region { outs: contested, above: 0, ..region });
    }

    /// Writes the lines directly above an entry.
    fn write_lead(&mut self, below: &Below, entries: Slots<Entry<'a>>, mut region: Region) {
        if let Some(first) = region.outs.first_mut() {
            // The blank lines above are written already.
            first.above = 0;
        }
        // Lines above an entry that a side lacks are reported with the same role in both directions of a merge.
        if self.frame.nodes.present().any(|(side, _)| entries.get(side).is_none()) {
            return self.gap(below, &Region { role: Role::Gap, ..region });
        }
        self.walker.path.push(self.walker.segment(self.frame, below.row));
        self.lead(entries, &region);
        self.walker.path.pop();
    }

    /// The entries of a row, and the destination's lines above them. `None` if these lines are not the collection's.
    fn lines_above(&self, row: usize) -> Option<(Slots<Entry<'a>>, Span)> {
        let span = self.page.strips.dest.as_ref()?.above(row)?;
        let slots = self.frame.aligned.rows.get(row).copied().unwrap_or_default();
        let entries = self.walker.entries(slots);
        has_lines(&entries).then_some((entries, span))
    }

    /// Takes the lead of an entry of the destination out of the lines above it.
    fn lead_of(&mut self, dest: Entry<'a>, below: &Below, outs: &mut Vec<Out>) -> Lead {
        let mut lines = outs.split_off(first_of_lead(outs, below));
        let above = blanks_above(&lines, below);
        let taken = self.taken.get_or_init(|| self.find_taken());
        let is_in_conflict = taken.in_conflict.contains(&dest.id());
        if is_in_conflict {
            // Each version in the conflict has its own lead.
            outs.extend(std::mem::take(&mut lines).into_iter().filter(|out| !self.page.is_own(below, out)));
        }
        let Some(graft) = taken.graft(dest.id(), &mut self.fates.edits) else {
            return Lead { lines, above, is_written: is_in_conflict };
        };
        let brought = lines.split_off(lines.len() - self.page.brought(graft, below, &lines));
        outs.append(&mut lines);
        Lead { lines, above: blanks_above(&brought, below), is_written: true }
    }

    /// Reads all conflicts and edits of the collection.
    fn find_taken(&self) -> Taken {
        let mut taken = Taken::default();
        taken.in_conflict.extend(self.frame.clashes.iter().flat_map(|clash| &clash.dest));
        let depth = self.walker.path.depth() + 1;
        let conflicts = self.walker.plan.conflicts.get(self.frame.conflicts..).unwrap_or_default();
        // Those further inside are about entries of other collections.
        for conflict in conflicts.iter().filter(|conflict| conflict.path.depth() <= depth) {
            let edits = [&conflict.base, &conflict.incoming].into_iter().flat_map(edits_of);
            taken.in_conflict.extend(edits.filter_map(|edit| match edit {
                Edit::Remove { entry } | Edit::Rewrite { entry, .. } => Some(*entry),
                _ => None,
            }));
        }
        for (index, edit) in self.fates.edits.iter().enumerate() {
            if let Edit::Rewrite { entry, .. } = edit {
                taken.rewritten.entry(*entry).or_insert(index);
            }
        }
        taken
    }

    /// Writes the lines between two entries.
    fn gap(&mut self, below: &Below, region: &Region) {
        let is_same = self.region(region);
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
            _ => self.page.strips.get(side)?.above(below.row),
        };
        self.walker.tell(Role::Gap, outcome, rule, Slots::of(span));
    }

    /// Writes the lead of an entry. Records a decision only if both sides changed the lead; other decisions were
    /// recorded with the entry.
    fn lead(&mut self, entries: Slots<Entry<'a>>, region: &Region) {
        let is_same = self.region(region);
        let leads = entries.filter_map(|entry| entry.lead().map(|_| entry));
        let slot = CommentSlot::Lead;
        let (_, rule) = resolve(leads, self.walker.policy.comments, |a, b| comment(a, slot) == comment(b, slot));
        let is_open = region.outs.iter().any(Out::is_contested);
        let (outcome, rule) = match region.outs.iter().find_map(Out::won) {
            Some(outcome) => (outcome, Rule::BothChanged),
            None if is_open || rule != Rule::BothChanged => return,
            None if is_same => (Outcome::Keep, Rule::Merged),
            None => (Outcome::Take, Rule::Merged),
        };
        self.walker.decide(Role::Lead, outcome, rule, entries);
    }

    /// Writes lines to a place of the destination. Returns whether nothing changed.
    fn region(&mut self, region: &Region) -> bool {
        let (source, newline) = (self.walker.source(Side::Dest), self.page.newline.as_str());
        let mut pen = Pen { source, newline, at: region.span.start, text: String::new(), edits: Vec::new() };
        // Conflicts about lines that the destination lacks, each with the number of the next edit.
        let mut bare = Vec::new();
        for out in &region.outs {
            let Lines::BothChanged(lines) = &out.lines else {
                self.line(&mut pen, region, out);
                continue;
            };
            let has_lines = self.conflict(&mut pen, region, lines, out.above);
            if !has_lines {
                bare.push((self.walker.plan.conflicts.len() - 1, pen.edits.len()));
            }
        }
        pen.write(region.above, "");
        pen.flush(region.span.end);
        let is_same = pen.edits.is_empty();
        // From below, so that the numbers of the edits above stay as they are.
        for (conflict, edit) in bare.into_iter().rev() {
            self.walker.plan.conflicts[conflict].take_text(&mut pen.edits, edit, source);
        }
        self.fates.edits.append(&mut pen.edits);
        is_same
    }

    /// Writes a line, if there is one. If the destination has it, it stays where it is.
    fn line(&self, pen: &mut Pen<'_>, region: &Region, out: &Out) {
        let (Lines::Of(side, place) | Lines::Won(side, place)) = out.lines else { return };
        let own = if side == Side::Dest { self.page.strips.dest.as_ref() } else { None };
        match own.map(|own| own.spans[place]).filter(|own| pen.is_below(region.span, *own)) {
            Some(own) => _ = pen.keep(own, out.above),
            None => pen.write(out.above, &self.page.text(side, place)),
        }
    }

    /// Records a conflict about lines. The destination's lines stay where they are. Returns whether it has some.
    fn conflict(&mut self, pen: &mut Pen<'_>, region: &Region, lines: &Slots<Vec<usize>>, above: usize) -> bool {
        let page = &self.page;
        let old = page.cover(Side::Dest, lines).filter(|old| pen.is_below(region.span, *old));
        let old = old.map(|old| page.marker_below(Side::Dest, lines).map_or(old, |line| old.cover(line)));
        let place = match old {
            Some(old) if is_one_sided(lines) => pen.take(old),
            Some(old) => pen.keep(old, above),
            None => pen.flush(pen.at),
        };
        let conflict = page.conflict(&self.walker.path, region.role, place, lines);
        if !is_instead(lines) {
            self.walker.tell(region.role, Outcome::Conflict, Rule::BothChanged, conflict.spans);
        }
        let dest = if old.is_some() { None } else { conflict.dest };
        self.walker.plan.conflicts.push(Conflict { dest, ..conflict });
        old.is_some()
    }
}

/// The number of blank lines above an entry and its `lead`.
fn blanks_above(lead: &[Out], below: &Below) -> usize {
    lead.first().map_or(below.above, |first| first.above)
}

fn edits_of(variant: &Variant) -> &[Edit] {
    if let Variant::Edited(edits) = variant { edits } else { &[] }
}
