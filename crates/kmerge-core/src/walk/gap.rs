//! Comments and blank lines between the entries of a block collection, as a slot of the entry below them.
//!
//! A gap follows the four rules like any slot: what only the incoming side changed is taken. Contested gaps are merged line
//! by line, and stay as the destination has them where that is no merge.

use std::collections::{HashMap, HashSet};

use kyaml_ast::{Edit, Entry, EntryId, Newline, Node, NodeId, Span, line_end};

use super::{Frame, Walker};
use crate::between;
use crate::lines::{self, Style, Texts};
use crate::plan::{Decision, Role};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

/// The entries of a collection before each of its entries, and the first.
struct Siblings<'a> {
    first: Option<Entry<'a>>,
    before: HashMap<NodeId, Entry<'a>>,
}

impl<'a> Siblings<'a> {
    fn of(node: Node<'a>) -> Self {
        let before = node.entries().zip(node.entries().skip(1)).map(|(before, entry)| (entry.id().value, before));
        Self { first: node.entries().next(), before: before.collect() }
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
    pub(super) fn span(&self, side: Side, entry: Entry<'a>) -> Option<Span> {
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

    /// The entry before another one of its collection.
    pub(super) fn before(&self, side: Side, entry: Entry<'a>) -> Option<Entry<'a>> {
        self.siblings.get(side)?.before.get(&entry.id().value).copied()
    }

    /// Whether an entry is not the first of its collection.
    fn has_one_before(&self, side: Side, entry: Entry<'a>) -> bool {
        self.before(side, entry).is_some()
    }

    /// The entries above which the gaps are that belong together: what is above a first entry is the collection's, also where
    /// the incoming side has another first one.
    fn with_same_gap(&self, entries: Slots<Entry<'a>>) -> Slots<Entry<'a>> {
        let is_first = |side: Side| entries.get(side).is_some_and(|entry| !self.has_one_before(side, *entry));
        if !is_first(Side::Dest) || !is_first(Side::Base) {
            return entries;
        }
        Slots { incoming: self.siblings.incoming.as_ref().and_then(|siblings| siblings.first), ..entries }
    }

    /// Where the gap of a new entry comes from; nothing for a first entry.
    pub(super) fn of_new(&self, entry: Entry<'a>) -> Option<&'a str> {
        if !self.has_one_before(Side::Incoming, entry) {
            return None;
        }
        Some(self.span(Side::Incoming, entry)?.of(entry.stream().source())).filter(|text| !text.is_empty())
    }

    /// What stands above an entry that becomes the first of a document, as it is on the incoming side, and is the document's
    /// own there: blank lines, and comments that come with the document's head.
    fn gap_of_head(&self, entries: Slots<Entry<'a>>) -> Option<Span> {
        let (dest, incoming) = (entries.dest?, entries.incoming?);
        let is_root = self.holder.get(Side::Dest).is_none() && !self.has_one_before(Side::Incoming, incoming);
        let gap = self.span(Side::Dest, dest).filter(|gap| is_root && !gap.is_empty())?;
        let text = gap.of(dest.stream().source());
        (text.trim_ascii().is_empty() || self.comes_with_head(text, incoming)).then_some(gap)
    }

    /// Whether the document's head ends with a gap on the incoming side, and the destination takes that head.
    fn comes_with_head(&self, gap: &str, incoming: Entry<'a>) -> bool {
        let head = |side: Side| Some(head_above(self.siblings.get(side)?.first?));
        let (Some(dest), Some(base)) = (head(Side::Dest), head(Side::Base)) else { return false };
        let (new, gap) = (comments(head_above(incoming)), comments(gap));
        comments(dest) == comments(base) && new.ends_with(&gap) && !comments(dest).ends_with(&gap)
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

    /// The gaps of entries, also where one side has its entry as the first of a document: what is above that is the document's, so
    /// that the gap is empty unless the same comments are there.
    fn spans_with_first(&self, entries: Slots<Entry<'a>>) -> Slots<Span> {
        let spans = self.spans(entries);
        let lines = |side: Side| {
            let (span, entry) = (spans.get(side)?, entries.get(side)?);
            Some(comments(span.of(entry.stream().source()))).filter(|lines| !lines.is_empty())
        };
        let empty = |side: Side| entries.get(side).map(|entry| Span::at(entry.extent().start));
        let was_first =
            || self.is_first_of_document(Side::Base, entries, &lines(Side::Incoming)?).then(|| empty(Side::Base))?;
        let is_first = || {
            self.is_first_of_document(Side::Incoming, entries, &lines(Side::Base)?).then(|| empty(Side::Incoming))?
        };
        Slots { base: spans.base.or_else(was_first), incoming: spans.incoming.or_else(is_first), ..spans }
    }

    /// Whether an entry is the first of its document, and `lines` are not what stands above it.
    fn is_first_of_document(&self, side: Side, entries: Slots<Entry<'a>>, lines: &[&str]) -> bool {
        let is_first = |entry: &&Entry<'a>| entry.starts_line() && !self.has_one_before(side, **entry);
        let first = entries.get(side).filter(|_| self.holder.get(side).is_none()).filter(is_first);
        first.is_some_and(|first| !comments(head_above(*first)).ends_with(lines))
    }

    fn spans(&self, entries: Slots<Entry<'a>>) -> Slots<Span> {
        let span = |side: Side| self.span(side, *entries.get(side)?);
        Slots { dest: span(Side::Dest), base: span(Side::Base), incoming: span(Side::Incoming) }
    }
}

/// What goes of a collection, and what of it comes again elsewhere.
#[derive(Default)]
pub(super) struct Gone {
    pub(super) entries: HashSet<EntryId>,
    pub(super) moved: HashSet<EntryId>,
    /// Entries above which all is said.
    pub(super) settled: HashSet<EntryId>,
}

impl<'a> Walker<'a> {
    /// Resolves the gaps above the entries that all sides have, and takes away those of removed ones.
    pub(super) fn gaps(&mut self, frame: &Frame<'a>, gaps: &Gaps<'a>, gone: &Gone) -> Vec<Edit> {
        let mut edits = Vec::new();
        // What removed entries leave stands above the next entry that stays.
        let mut left: Vec<Span> = Vec::new();
        let mut is_first = true;
        for (index, row) in frame.aligned.rows.iter().enumerate() {
            let entries = self.entries(*row);
            let Some(dest) = entries.dest else { break };
            if gone.settled.contains(&dest.id()) {
                continue;
            }
            if gone.entries.contains(&dest.id()) {
                let next = frame.aligned.rows.get(index + 1).map(|row| self.entries(*row));
                let Some(old) = gaps.spans(entries).dest.filter(|old| !old.is_empty()) else { continue };
                if goes_along(gaps, entries, next, gone) {
                    edits.push(Edit::Text { span: old, text: String::new() });
                } else {
                    left.push(old);
                }
                continue;
            }
            let left = std::mem::take(&mut left);
            if std::mem::take(&mut is_first) && index > 0 && left.is_empty() {
                edits.extend(gaps.gap_of_head(entries).map(|span| Edit::Text { span, text: String::new() }));
            }
            if entries.base.is_some() && (!left.is_empty() || !gaps.is_untouched(entries)) {
                edits.extend(self.gap(gaps, entries, &left));
            }
        }
        edits
    }

    /// Resolves one gap; what removed entries `left` above it is part of it.
    fn gap(&mut self, gaps: &Gaps<'a>, entries: Slots<Entry<'a>>, left: &[Span]) -> Vec<Edit> {
        let entries = gaps.with_same_gap(entries);
        let spans = gaps.spans_with_first(entries);
        let (Some(old), Some(_), Some(_)) = (spans.dest, spans.base, spans.incoming) else { return Vec::new() };
        let texts = texts(spans, entries);
        let source = self.streams.dest.map_or("", |stream| stream.source());
        let dest: String = left.iter().chain([&old]).map(|span| span.of(source)).collect();
        let Some(text) = self.resolved_gap(entries, spans, Slots { dest: Some(&dest), ..texts }) else {
            return Vec::new();
        };
        let empty = left.iter().map(|span| Edit::Text { span: *span, text: String::new() });
        empty.chain([Edit::Text { span: old, text }]).collect()
    }

    /// The gap of an entry that moves, at its new place.
    pub(super) fn gap_of_moved(&mut self, gaps: &Gaps<'a>, entries: Slots<Entry<'a>>) -> Option<String> {
        let all = gaps.spans(entries);
        // Above a first entry, it is the collection's.
        let own = |side: Side| {
            let entry = *entries.get(side)?;
            all.get(side).copied().filter(|_| gaps.has_one_before(side, entry))
        };
        let spans = Slots { dest: own(Side::Dest), base: own(Side::Base), incoming: own(Side::Incoming) };
        let texts = texts(spans, entries);
        let old = texts.dest.unwrap_or_default().to_owned();
        Some(self.resolved_gap(entries, spans, texts).unwrap_or(old)).filter(|text| !text.is_empty())
    }

    /// What becomes of a gap, at the destination's column; `None` where it stays.
    fn resolved_gap(&mut self, entries: Slots<Entry<'a>>, spans: Slots<Span>, texts: Slots<&str>) -> Option<String> {
        let (dest, incoming) = (entries.dest?, entries.incoming?);
        let (outcome, rule) = resolve(texts, self.policy.comments, |a, b| same(Some(a), Some(b)));
        if rule == Rule::Agreed || rule == Rule::OnlyDest {
            return None;
        }
        let new = shifted(texts.incoming.unwrap_or_default(), incoming.column(), dest);
        let (outcome, rule, text) = match outcome {
            Outcome::Conflict => {
                let was = texts.base.zip(entries.base).map(|(text, base)| shifted(text, base.column(), dest));
                match merged_lines(texts.dest.unwrap_or_default(), &was.unwrap_or_default(), &new) {
                    Some(text) => (Outcome::Take, Rule::Merged, text),
                    None => (Outcome::Keep, rule, new),
                }
            }
            _ => (outcome, rule, new),
        };
        let path = self.path.clone();
        self.plan.decisions.push(Decision { path, role: Role::Gap, outcome, rule, spans, list: None });
        (outcome == Outcome::Take).then_some(text)
    }
}

/// The lines of both sides, where they do not overlap; `None` also where merging the result again would change it, as it is not
/// clear which of several equal lines is which.
pub(super) fn merged_lines(ours: &str, base: &str, theirs: &str) -> Option<String> {
    let merged = merged_once(ours, base, theirs)?;
    let is_stable = merged_once(&merged, base, theirs).is_none_or(|again| again == merged);
    is_stable.then_some(merged)
}

fn merged_once(ours: &str, base: &str, theirs: &str) -> Option<String> {
    let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
    let regions = lines::merge(texts, Style::Diff3);
    if lines::has_conflict(&regions) {
        return None;
    }
    String::from_utf8(lines::assemble(texts, &regions)).ok()
}

fn texts<'a>(spans: Slots<Span>, entries: Slots<Entry<'a>>) -> Slots<&'a str> {
    let text = |side: Side| Some(spans.get(side)?.of(entries.get(side)?.stream().source()));
    Slots { dest: text(Side::Dest), base: text(Side::Base), incoming: text(Side::Incoming) }
}

/// Whether the gap of an entry that goes does so, too.
fn goes_along<'a>(gaps: &Gaps<'a>, entries: Slots<Entry<'a>>, next: Option<Slots<Entry<'a>>>, gone: &Gone) -> bool {
    let is_moved = |dest: Entry<'a>| gone.moved.contains(&dest.id()) && gaps.has_one_before(Side::Dest, dest);
    if entries.dest.is_some_and(is_moved) {
        return true;
    }
    // What is new in the destination has a gap of its own.
    let keeps_next = next.is_none_or(|next| next.base.is_none() || is_unchanged(gaps, next));
    gaps.spans(entries).base.is_some() && keeps_next && is_unchanged(gaps, entries)
}

/// Whether the destination kept the gap of a row.
fn is_unchanged<'a>(gaps: &Gaps<'a>, entries: Slots<Entry<'a>>) -> bool {
    let texts = texts(gaps.spans(entries), entries);
    same(texts.dest, texts.base)
}

/// What stands above a document's first entry, in the document.
fn head_above(first: Entry<'_>) -> &str {
    let (stream, end) = (first.stream(), first.extent().start);
    let document = stream.documents().find(|document| document.span().end > end);
    document.map_or("", |document| Span::new(document.span().start, end).of(stream.source()))
}

fn comments(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|line| !line.is_empty()).collect()
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
