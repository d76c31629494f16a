//! Comments and blank lines between the entries of a block collection, as a slot of the entry below them.
//!
//! A gap follows the four rules like any slot: what only the incoming side changed is taken. Contested gaps are merged line
//! by line, and stay as the destination has them where that is no merge.

use std::collections::HashMap;

use kyaml_ast::{Edit, Entry, EntryId, Newline, Node, NodeId, Span, line_end};

use super::{Frame, Walker};
use crate::between;
use crate::lines::{self, Style, Texts};
use crate::plan::{Decision, Role};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

/// The entries of a collection before each of its entries.
struct Siblings<'a> {
    before: HashMap<NodeId, Entry<'a>>,
}

impl<'a> Siblings<'a> {
    fn of(node: Node<'a>) -> Self {
        let before = node.entries().zip(node.entries().skip(1)).map(|(before, entry)| (entry.id().value, before));
        Self { before: before.collect() }
    }
}

/// Gaps of one collection on all sides.
pub(super) struct Gaps<'a> {
    siblings: Slots<Siblings<'a>>,
    holder: Slots<Entry<'a>>,
}

impl<'a> Gaps<'a> {
    /// `None` where the collections are no block collections on all sides.
    pub(super) fn of(nodes: Slots<Node<'a>>, holder: Slots<Entry<'a>>) -> Option<Self> {
        let (dest, base, incoming) = (nodes.dest?, nodes.base?, nodes.incoming?);
        let is_block = dest.is_block_collection() && base.is_block_collection() && incoming.is_block_collection();
        is_block.then(|| Self { siblings: nodes.map(Siblings::of), holder })
    }

    /// The bytes between an entry and the one before it that neither owns.
    fn span(&self, side: Side, entry: Entry<'a>) -> Option<Span> {
        if !entry.starts_line() {
            return None;
        }
        let start = match self.siblings.get(side)?.before.get(&entry.id().value) {
            Some(before) => before.extent().end,
            None => line_end(entry.stream().source(), self.holder.get(side)?.indicator().end),
        };
        let end = entry.extent().start;
        (start <= end).then(|| Span::new(start, end))
    }

    /// Where the gap of a new entry comes from; nothing for a first entry.
    pub(super) fn of_new(&self, entry: Entry<'a>) -> Option<&'a str> {
        self.siblings.incoming.as_ref()?.before.get(&entry.id().value)?;
        Some(self.span(Side::Incoming, entry)?.of(entry.stream().source())).filter(|text| !text.is_empty())
    }

    /// Whether the incoming side has the same bytes as the base between an entry and the one before it.
    fn is_untouched(&self, entries: Slots<Entry<'a>>) -> bool {
        let between = |side: Side| {
            let entry = entries.get(side)?;
            let before = self.siblings.get(side)?.before.get(&entry.id().value)?;
            let (from, to) = (before.span().end, entry.start());
            (from <= to).then(|| Span::new(from, to).of(entry.stream().source()))
        };
        let incoming = between(Side::Incoming);
        incoming.is_some() && incoming == between(Side::Base)
    }

    fn spans(&self, entries: Slots<Entry<'a>>) -> Slots<Span> {
        let span = |side: Side| self.span(side, *entries.get(side)?);
        Slots { dest: span(Side::Dest), base: span(Side::Base), incoming: span(Side::Incoming) }
    }
}

impl<'a> Walker<'a> {
    /// Resolves the gaps above the entries that all sides have, and takes away those of removed ones.
    pub(super) fn gaps(&mut self, frame: &Frame<'a>, gaps: &Gaps<'a>, gone: &[EntryId]) -> Vec<Edit> {
        let mut edits = Vec::new();
        for (index, row) in frame.aligned.rows.iter().enumerate() {
            let entries = self.entries(*row);
            let Slots { dest: Some(dest), base: Some(_), .. } = entries else { continue };
            if !gone.contains(&dest.id()) && gaps.is_untouched(entries) {
                continue;
            }
            let spans = gaps.spans(entries);
            let (Some(old), Some(_)) = (spans.dest, spans.base) else { continue };
            let texts = Slots {
                dest: text(spans, entries, Side::Dest),
                base: text(spans, entries, Side::Base),
                incoming: text(spans, entries, Side::Incoming),
            };
            if gone.contains(&dest.id()) {
                let next = frame.aligned.rows.get(index + 1).map(|row| self.entries(*row));
                // What is new in the destination has a gap of its own.
                let keeps_next = next.is_none_or(|next| next.base.is_none() || is_unchanged(gaps, next));
                if same(texts.dest, texts.base) && keeps_next && !old.is_empty() {
                    edits.push(Edit::Text { span: old, text: String::new() });
                }
                continue;
            }
            let (Some(incoming), Some(new)) = (entries.incoming, texts.incoming) else { continue };
            let (outcome, rule) = resolve(texts, self.policy.comments, |a, b| same(Some(a), Some(b)));
            if rule == Rule::Agreed || rule == Rule::OnlyDest {
                continue;
            }
            let path = self.path.clone();
            let new = shifted(new, incoming.column(), dest);
            let (outcome, rule, text) = match outcome {
                Outcome::Conflict => {
                    let was = texts.base.zip(entries.base).map(|(text, base)| shifted(text, base.column(), dest));
                    match merged_lines(old.of(dest.stream().source()), &was.unwrap_or_default(), &new) {
                        Some(text) => (Outcome::Take, Rule::Merged, text),
                        None => (Outcome::Keep, rule, new),
                    }
                }
                _ => (outcome, rule, new),
            };
            self.plan.decisions.push(Decision { path, role: Role::Gap, outcome, rule, spans, list: None });
            if outcome == Outcome::Take {
                edits.push(Edit::Text { span: old, text });
            }
        }
        edits
    }
}

/// The lines of both sides, where they do not overlap.
pub(super) fn merged_lines(ours: &str, base: &str, theirs: &str) -> Option<String> {
    let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    let regions = lines::merge(texts, Style::Diff3);
    if lines::has_conflict(&regions) {
        return None;
    }
    String::from_utf8(lines::assemble(texts, &regions)).ok()
}

fn text<'a>(spans: Slots<Span>, entries: Slots<Entry<'a>>, side: Side) -> Option<&'a str> {
    Some(spans.get(side)?.of(entries.get(side)?.stream().source()))
}

/// Whether the destination kept the gap of a row.
fn is_unchanged<'a>(gaps: &Gaps<'a>, entries: Slots<Entry<'a>>) -> bool {
    let spans = gaps.spans(entries);
    same(text(spans, entries, Side::Dest), text(spans, entries, Side::Base))
}

/// Whether two gaps hold the same lines, indentation aside.
pub(super) fn same(a: Option<&str>, b: Option<&str>) -> bool {
    let lines =
        |text: Option<&str>| text.map(|text| text.lines().map(|line| line.trim().to_owned()).collect::<Vec<_>>());
    lines(a) == lines(b)
}

/// A gap's lines at the column of the destination's entry.
pub(super) fn shifted(text: &str, from: usize, dest: Entry<'_>) -> String {
    between::shifted(text, from, dest.column(), Newline::of(dest.stream().source()))
}
