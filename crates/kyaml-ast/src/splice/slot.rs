//! The two parts of a value: one on the line of its indicator, and the lines below.
//!
//! Every value of any kind has an *inline* part after the indicator (a scalar, the header of a block scalar, the anchor
//! of a block collection, or nothing) and a *body* of whole lines (the text of a block scalar, the entries of a block
//! collection, or nothing). Replacing a value replaces both parts. So every pair of kinds works in the same way.

use std::cmp::Reverse;

use super::Place;
use super::render::Rendered;
use super::replacement::{Rank, Replacement, Seam, Tail};
use crate::entry::Entry;
use crate::parents::Seat;
use crate::span::{Span, column_of, line_end, line_start};
use crate::tree::{Kind, Node, NodeId, Record, flag};

/// The two parts of a value in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// End of the indicator.
    after: u32,
    pub(super) inline: Span,
    pub(super) body: Span,
    /// Index of the first record after the value.
    next: usize,
}

impl Slot {
    /// Finds the parts of `node`. Its indicator ends at `after`.
    pub(super) fn of(node: Node<'_>, after: u32) -> Self {
        let source = node.stream().source;
        let span = node.full_span();
        let next = node.after();
        if node.is_block_collection() {
            return block_collection(node, after);
        }
        let start = start_below_comments(node);
        if let Some(scalar) = node.block_scalar() {
            return Self { after, inline: Span::new(start, scalar.header.end), body: scalar.body, next };
        }
        Self { after, inline: Span::new(start, span.end), body: Span::at(line_end(source, span.end)), next }
    }

    /// The slot without the node's anchor and tag, which stay. Also returns whether there are any.
    pub(super) fn behind_properties(self, node: Node<'_>) -> (Self, bool) {
        let Some(after) = node.properties_end() else { return (self, false) };
        let inline = Span::new(after, self.inline.end.max(after));
        (Self { after, inline, ..self }, true)
    }

    /// The bytes between the indicator and the inline part.
    pub(super) fn above(self) -> Span {
        Span::new(self.after, self.inline.start.max(self.after))
    }

    /// The column of the inline part, if a block collection may stand in its place.
    pub(super) fn compact_column(self, source: &str) -> Option<usize> {
        let start = if self.inline.is_empty() { self.after } else { self.inline.start };
        let gap = Span::new(self.after, start).of(source);
        let column = column_of(source, start) + usize::from(self.inline.is_empty());
        (!self.is_below(source) && !gap.contains('\t')).then_some(column)
    }

    /// Whether the inline part stands on a line below its indicator.
    pub(super) fn is_below(self, source: &str) -> bool {
        self.after < self.inline.start && Span::new(self.after, self.inline.start).of(source).contains('\n')
    }
}

/// Whether comments stand between the properties of a node and its text, or between two of its properties.
pub(super) fn has_inner_comments(node: Node<'_>) -> bool {
    start_below_comments(node) > node.full_span().start
}

/// The start of the part of a node below all comments between its properties and its text. These comments stay.
pub(super) fn start_below_comments(node: Node<'_>) -> u32 {
    let records = &node.stream().tape[node.first_record()..=node.id().index()];
    let is_part = |record: &Record| record.kind.is_property() || !node.is_block_collection() && record.kind.is_node();
    let count = records.iter().rposition(is_part).map_or(0, |last| last + 1);
    let comment = records[..count].iter().rposition(|record| record.kind == Kind::Comment);
    comment.map_or(node.full_span().start, |comment| records[comment + 1].start)
}

/// All bytes of a block collection's entries: from the start of the first extent to the end of the last.
pub(super) fn entries_span(node: Node<'_>) -> Option<Span> {
    let first = node.entries().next()?;
    let last = node.entries().last()?;
    Some(Span::new(first.extent().start, last.extent().end))
}

/// The lines of a block collection whose first entry starts its line, with the comments above that no entry owns.
pub(super) fn body_span(node: Node<'_>, after: u32) -> Option<Span> {
    let entries = entries_span(node)?;
    let properties = node.properties_end().unwrap_or(after);
    Some(Span::new(line_end(node.stream().source, properties).min(entries.start), entries.end))
}

fn block_collection(node: Node<'_>, after: u32) -> Slot {
    let source = node.stream().source;
    let full = node.full_span();
    let next = node.after();
    if node.entries().next().is_some_and(Entry::starts_line) {
        let inline = node.properties_end().map_or(Span::at(after), |end| Span::new(start_below_comments(node), end));
        let body = body_span(node, after).unwrap_or(node.span());
        return Slot { after, inline, body, next };
    }
    let entries = entries_span(node).unwrap_or(node.span());
    let lines = Span::new(full.start, entries.end).of(source);
    let end = full.start + lines.trim_end_matches(['\n', '\r']).len() as u32;
    // Blank lines that a block scalar keeps belong to the body.
    let body = Span::new(line_end(source, end), entries.end);
    Slot { after, inline: Span::new(full.start, end), body, next }
}

impl Place<'_, '_> {
    /// Writes a rendered value into the slot of `node`. `column` is the column of the entry that holds it.
    pub(super) fn fill(&mut self, slot: Slot, mut rendered: Rendered, column: usize, node: NodeId) {
        let inline_tail = if rendered.body.is_none() { rendered.tail } else { Tail::Closed };
        self.settle_properties(self.stream.node(node), slot.above(), &mut rendered.inline);
        let is_root = self.context.seat(self.id, node) == Seat::Root;
        let least = if is_root { 0 } else { column + 1 };
        let inline = self.inline(slot, &rendered.inline, least);
        self.out.extend(inline.into_iter().flatten().map(|it| it.tail(inline_tail)));
        if rendered.tail != Tail::Closed {
            self.dedent_comments(slot.body.end, slot.next, column);
        }
        let tail = rendered.tail;
        let is_nothing = slot.inline.is_empty() && slot.body.start == slot.after;
        let rank = if is_nothing { Rank::BehindNothing } else { Rank::Behind }(Reverse(node.0));
        match rendered.body {
            Some(body) => self.out.push(Replacement::lines(slot.body, body, rank).tail(tail)),
            None if tail == Tail::Closed && slot.body.is_empty() => {}
            None => self.out.push(Replacement { seam: Seam::Lines, ..Replacement::new(slot.body, "", rank) }),
        }
    }

    /// Handles the anchor and the tag of a node that stand in `above`, whose comments stay. If the new `text` starts
    /// with the same properties, they stay and are cut from the text. Otherwise they are removed.
    pub(super) fn settle_properties(&mut self, node: Node<'_>, above: Span, text: &mut String) {
        let source = self.stream.source;
        let records = &self.stream.tape[node.first_record()..node.id().index()];
        let is_above = |record: &&Record| record.kind.is_property() && above.contains(record.leaf_span());
        let spans: Vec<Span> = records.iter().filter(is_above).map(|record| record.leaf_span()).collect();
        let old = spans.iter().map(|span| span.of(source)).collect::<Vec<_>>().join(" ");
        let rest = text.strip_prefix(&old).filter(|rest| rest.is_empty() || rest.starts_with(' '));
        if let Some(rest) = rest.map(|rest| rest.trim_start_matches(' ')).filter(|rest| !rest.starts_with('#')) {
            *text = rest.to_owned();
            return;
        }
        for span in spans {
            let before = Span::new(line_start(source, span.start), span.start).of(source);
            let beside = Replacement { seam: Seam::SwallowBlanks, ..Replacement::new(span, "", Rank::Value) };
            self.out.push(if before.trim_ascii().is_empty() { removal(source, span) } else { beside });
        }
    }

    /// The replacements of the inline part. `least` is the smallest column for text on a line of its own.
    fn inline(&self, slot: Slot, text: &str, least: usize) -> [Option<Replacement>; 2] {
        let source = self.stream.source;
        let mut inline = slot.inline;
        if text.contains('\n') && !inline.is_empty() {
            inline.end = self.without_blanks(inline.end);
        }
        // A `#` directly after a quote starts a comment. After other text it does not.
        let space = if source[inline.end as usize..].starts_with('#') { " " } else { "" };
        let removed = removal(source, inline);
        let replacement = match (inline.is_empty(), text.is_empty()) {
            (true, true) => return [None, None],
            // The new value stands below the comment that comes with it.
            (false, false) if slot.is_below(source) && text.starts_with('#') => {
                let beside = Replacement::new(Span::at(slot.after), format!(" {text}"), Rank::Value);
                return [Some(beside), Some(removed)];
            }
            (true, false) => {
                let end = if text.contains('\n') { self.without_blanks(slot.after) } else { slot.after };
                Replacement::new(Span::new(slot.after, end), format!(" {text}"), Rank::Value)
            }
            // Only the header of a block scalar may stand below its indicator without deeper indentation.
            (false, false) if slot.is_below(source) && is_left_of(source, inline.start, least) => {
                let span = Span::new(line_start(source, inline.start), inline.end);
                Replacement::new(span, format!("{}{text}{space}", " ".repeat(least)), Rank::Value)
            }
            (false, false) => Replacement::new(inline, format!("{text}{space}"), Rank::Value),
            (false, true) if slot.is_below(source) => removed,
            (false, true) => Replacement::new(Span::new(slot.after.min(inline.start), inline.end), space, Rank::Value),
        };
        [Some(replacement), None]
    }

    /// The end of the line, if only blanks stand after byte `at`; otherwise `at`. Blanks at the end of a line would
    /// become text of a block scalar that now ends there.
    fn without_blanks(&self, at: u32) -> u32 {
        let rest = &self.stream.source[at as usize..];
        let text = rest.trim_start_matches([' ', '\t']);
        let is_end = text.is_empty() || text.starts_with(['\n', '\r']);
        if is_end { at + (rest.len() - text.len()) as u32 } else { at }
    }

    /// Moves comments after byte `at` (record `next`) to `column`, where they cannot be text of a block scalar. A
    /// comment that is already there ends the scalar, so all comments after it are safe.
    pub(super) fn dedent_comments(&mut self, at: u32, next: usize, column: usize) {
        let source = self.stream.source;
        let mut at = at;
        let records = self.stream.tape.get(next..).unwrap_or_default();
        for record in records.iter().take_while(|record| record.kind == Kind::Comment) {
            if record.start < at {
                continue;
            }
            let between = Span::new(at, record.start).of(source);
            let blanks = Span::new(line_start(source, record.start), record.start);
            // Tabs are no indentation. Below a block scalar they must not stand before a comment.
            let is_deeper = usize::from(record.column) > column || blanks.of(source).contains('\t');
            if !record.has(flag::OWN_LINE) || !between.trim_ascii().is_empty() || !is_deeper {
                return;
            }
            let replacement = Replacement::new(blanks, " ".repeat(column), Rank::Value);
            self.out.push(Replacement { seam: Seam::Soft, ..replacement });
            at = line_end(source, record.leaf_span().end);
        }
    }
}

/// Whether byte `at` stands too far left on its line for text that must be indented by `least` spaces.
fn is_left_of(source: &str, at: u32, least: usize) -> bool {
    let indent = Span::new(line_start(source, at), at).of(source);
    column_of(source, at) < least || indent.contains('\t')
}

/// Removes `span`, which starts its line: the whole line, or, if a comment follows, only the text before the comment.
fn removal(source: &str, span: Span) -> Replacement {
    let end = line_end(source, span.end);
    if Span::new(span.end, end).of(source).trim_ascii().is_empty() {
        return Replacement::new(Span::new(line_start(source, span.start), end), "", Rank::Value);
    }
    Replacement { seam: Seam::SwallowBlanks, ..Replacement::new(span, "", Rank::Value) }
}
