//! Comments that stand above something else since an entry between went or came.
//!
//! A heading says what follows it. Where the destination removed the entry below a heading and the incoming side put a new one
//! behind that, the new one stands below the heading; where both put one comment above a place, and the incoming side a new
//! entry between, it is one comment. Ignores what the destination changed in other ways.

use std::collections::{HashMap, HashSet};

use kyaml_ast::{CommentSlot, Edit, Entry, EntryId, Graft, NodeId, Span, line_start};

use super::gap::{Gaps, shifted};
use super::{Frame, Walker, lead_lines};
use crate::plan::{Decision, Role};
use crate::slots::{Side, Slots};

/// What goes above a new entry, and from above the entry below it.
pub(super) struct Heading {
    /// Lines in place of those that the new entry has above it; `None` where they are the same.
    pub(super) lines: Option<String>,
    /// What becomes of the entry below.
    pub(super) edits: Vec<Edit>,
}

/// Finds headings in a collection that gets new entries.
pub(super) struct Headings<'g, 'a> {
    gaps: &'g Gaps<'a>,
    /// The rows of the destination's entries.
    rows: HashMap<NodeId, usize>,
    /// The rows that do not stay where they are.
    gone: &'g HashSet<usize>,
    /// The incoming side's entries that the destination removed.
    removed: HashSet<NodeId>,
}

impl<'g, 'a> Headings<'g, 'a> {
    /// In rows of which some are added and some `gone`.
    pub(super) fn of(
        frame: &Frame<'a>,
        gaps: &'g Gaps<'a>,
        is_added: impl Fn(usize) -> bool,
        gone: &'g HashSet<usize>,
    ) -> Self {
        let rows = || frame.aligned.rows.iter().enumerate();
        let is_removed =
            |(row, slots): &(usize, &Slots<EntryId>)| slots.dest.is_none() && slots.base.is_some() && !is_added(*row);
        Self {
            gaps,
            gone,
            rows: rows().filter_map(|(row, slots)| Some((slots.dest?.value, row))).collect(),
            removed: rows().filter(is_removed).filter_map(|(_, slots)| Some(slots.incoming?.value)).collect(),
        }
    }

    /// The first of the entries right before a new one that the destination removed.
    fn gone_before(&self, new: Entry<'a>) -> Option<Entry<'a>> {
        let before = |entry: &Entry<'a>| {
            self.gaps.before(Side::Incoming, *entry).filter(|entry| self.removed.contains(&entry.id().value))
        };
        std::iter::successors(before(&new), before).last()
    }
}

impl<'a> Walker<'a> {
    /// The heading that a new entry (its row), which comes behind one of the destination's, takes over from what is below.
    pub(super) fn heading(
        &self,
        frame: &Frame<'a>,
        headings: &Headings<'_, 'a>,
        (row, after): (usize, Option<EntryId>),
    ) -> Option<Heading> {
        let below = after.map_or(Some(0), |after| headings.rows.get(&after.value).map(|row| row + 1));
        let below = below.filter(|row| !headings.gone.contains(row))?;
        let entries = self.entries(*frame.aligned.rows.get(below)?);
        let Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) } = entries else { return None };
        let new = self.entries(frame.aligned.rows[row]).incoming?;
        let gaps = headings.gaps;
        let heading = above(gaps, Side::Dest, dest);
        let was = above(gaps, Side::Base, base);
        let is_heading = dest.starts_line() && has_comment(heading);
        if !is_heading || same(was, heading) || !same(was, above(gaps, Side::Incoming, incoming)) {
            return None;
        }
        if same(above(gaps, Side::Incoming, new), heading) {
            return Some(Heading { lines: None, edits: edits(gaps, dest, incoming) });
        }
        let gone = headings.gone_before(new).filter(|_| new.lead().is_none())?;
        let is_of_gone = same(above(gaps, Side::Incoming, gone), heading);
        is_of_gone.then(|| Heading { lines: Some(heading.to_owned()), edits: edits(gaps, dest, incoming) })
    }
}

impl<'a> Walker<'a> {
    /// The first entries of incoming side and destination where one comment stands above both, as it did above the base's, and
    /// none of the three has it where it is not the first: it is above all of them.
    pub(super) fn header_of_firsts(&self, frame: &Frame<'a>, gone: &HashSet<usize>) -> Option<[EntryId; 2]> {
        let first = |side: Side| frame.nodes.get(side).filter(|node| node.is_block_collection())?.entries().next();
        let (dest, incoming) = (first(Side::Dest)?, first(Side::Incoming)?);
        let is_same = |entry: Entry<'a>| lead_lines(entry).eq(lead_lines(dest));
        let is_known = frame.nodes.base.is_none() || first(Side::Base).is_some_and(is_same);
        let is_shared = dest.lead().is_some() && is_known && is_same(incoming);
        let is_first = |side: Side, entry: Entry<'a>| first(side).is_some_and(|first| first.id() == entry.id());
        let has_own = |row: &Slots<EntryId>| {
            let entries = self.entries(*row);
            let (of_first, others): (Vec<_>, Vec<_>) =
                entries.present().partition(|(side, entry)| is_first(*side, **entry));
            let mut others = others.into_iter().filter(|(side, _)| *side != Side::Base);
            !of_first.is_empty() && others.any(|(_, entry)| is_same(*entry))
        };
        let is_header = is_shared && !gone.contains(&0) && !frame.aligned.rows.iter().any(has_own);
        is_header.then_some([incoming.id(), dest.id()])
    }

    /// Takes no such comment for an entry further below that both sides have anew.
    pub(super) fn keep_header(&mut self, frame: &Frame<'a>, gone: &HashSet<usize>, edits: &mut Vec<Edit>) {
        let Some([new, first]) = self.header_of_firsts(frame, gone) else { return };
        let mut rows = frame.aligned.rows.iter();
        let Some(Slots { dest: Some(below), base: None, .. }) = rows.find(|row| row.incoming == Some(new)) else {
            return;
        };
        let takes_it = |edit: &Edit| matches!(edit, Edit::SetComment { entry, slot: CommentSlot::Lead, .. } if entry == below && *entry != first);
        if !edits.iter().any(takes_it) || is_settled(first, edits) {
            return;
        }
        edits.retain(|edit| !takes_it(edit));
        let lead = self.streams.incoming.and_then(|stream| stream.entry(new).lead());
        let is_about = |decision: &Decision| decision.role == Role::Lead && decision.spans.incoming == lead;
        let decisions = &mut self.plan.decisions;
        if let Some(at) = decisions[frame.decisions..].iter().position(is_about) {
            decisions.remove(frame.decisions + at);
        }
    }
}

/// Takes the comment that a new entry has in common with the destination's first one away from the lower of them.
pub(super) fn without_header(
    [new, first]: [EntryId; 2],
    (graft, after): (&mut Graft<EntryId>, Option<EntryId>),
    edits: &mut Vec<Edit>,
) {
    if graft.part != new || graft.stream != Side::Incoming.stream() {
        return;
    }
    let none = |entry| Edit::SetComment { entry, slot: CommentSlot::Lead, from: None };
    match after {
        _ if is_settled(first, edits) => {}
        Some(_) => graft.edits.push(none(new)),
        None => edits.push(none(first)),
    }
}

/// Whether edits say what is above an entry.
fn is_settled(entry: EntryId, edits: &[Edit]) -> bool {
    edits.iter().any(|edit| match edit {
        Edit::SetComment { entry: other, slot: CommentSlot::Lead, .. } | Edit::Rewrite { entry: other, .. } => {
            *other == entry
        }
        _ => false,
    })
}

/// Gives the destination's entry what the incoming one has above it.
fn edits(gaps: &Gaps<'_>, dest: Entry<'_>, incoming: Entry<'_>) -> Vec<Edit> {
    let from = incoming.lead().map(|_| (Side::Incoming.stream(), incoming.id()));
    let lead = Edit::SetComment { entry: dest.id(), slot: CommentSlot::Lead, from };
    let own = dest.lead().is_some() || from.is_some();
    let text = gaps.span(Side::Incoming, incoming).map_or("", |gap| gap.of(incoming.stream().source()));
    let text = shifted(text, incoming.column(), dest);
    let gap = gaps.span(Side::Dest, dest).map(|span| Edit::Text { span, text });
    own.then_some(lead).into_iter().chain(gap).collect()
}

/// The lines above an entry: its gap, and its lead comment.
fn above<'a>(gaps: &Gaps<'a>, side: Side, entry: Entry<'a>) -> &'a str {
    let source = entry.stream().source();
    let start = gaps.span(side, entry).map_or(entry.extent().start, |gap| gap.start);
    Span::new(start, line_start(source, entry.start()).max(start)).of(source)
}

fn has_comment(lines: &str) -> bool {
    lines.lines().any(|line| line.trim_start().starts_with('#'))
}

/// Whether two texts hold the same lines, indentation aside.
fn same(a: &str, b: &str) -> bool {
    a.lines().map(str::trim).eq(b.lines().map(str::trim))
}
