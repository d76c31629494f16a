//! What stands between two neighbours that all sides have, where entries came and went: comments, blank lines and entries,
//! merged as the lines of a text.
//!
//! A comment between two entries says nothing about which of them it belongs to, so that what one side took away and what the
//! other put beside it are only told apart by where they stand among the other lines. Owns the lines of a stretch where
//! that merge is clean, and has the entries where they are to be; everything else is the business of `gap.rs` and
//! `heading.rs`.

use std::collections::{HashMap, HashSet};

use kyaml_ast::{Edit, Entry, EntryId, Node, NodeId, Span};

use super::gap::{Gaps, shifted};
use super::{Change, Frame, Walker};
use crate::lines::{self, Region, Side as LineSide, Style, Texts};
use crate::plan::{Decision, Role};
use crate::resolve::{Outcome, Rule};
use crate::slots::{Side, Slots};

/// What becomes of the lines of a collection's stretches.
#[derive(Default)]
pub(super) struct Stretches {
    /// What goes above new entries, by their rows.
    pub(super) above_new: HashMap<usize, String>,
    /// The destination's entries above which all is said.
    pub(super) settled: HashSet<EntryId>,
    /// What becomes of the lines above these.
    pub(super) edits: Vec<Edit>,
}

/// What happens to a collection's rows.
pub(super) struct Fates<'f> {
    pub(super) added: &'f HashMap<usize, Change>,
    pub(super) gone: &'f HashSet<usize>,
    /// The added rows that go behind each of the destination's entries, in their order.
    behind: HashMap<EntryId, Vec<usize>>,
}

impl<'f> Fates<'f> {
    /// The fates of rows of which some are `added`, behind what `places` says.
    pub(super) fn of(
        added: &'f HashMap<usize, Change>,
        gone: &'f HashSet<usize>,
        places: &[(usize, Option<EntryId>)],
    ) -> Self {
        let mut behind: HashMap<EntryId, Vec<usize>> = HashMap::new();
        for (row, after) in places {
            after.iter().for_each(|after| behind.entry(*after).or_default().push(*row));
        }
        Self { added, gone, behind }
    }

    /// Whether a row gets its entry from the incoming side.
    fn brings(&self, row: usize) -> bool {
        matches!(self.added.get(&row), Some(Change::Add(graft)) if graft.stream == Side::Incoming.stream())
    }
}

/// One side's entries, and their rows.
struct Column<'a> {
    entries: Vec<(Entry<'a>, Option<usize>)>,
    /// Where the rows are among them.
    places: HashMap<usize, usize>,
}

impl<'a> Column<'a> {
    fn of(frame: &Frame<'a>, side: Side) -> Self {
        let rows = frame.aligned.rows.iter().enumerate();
        let rows: HashMap<NodeId, usize> =
            rows.filter_map(|(row, slots)| Some((slots.get(side)?.value, row))).collect();
        let entries = frame.nodes.get(side).copied().into_iter().flat_map(Node::entries);
        let entries: Vec<_> = entries.map(|entry| (entry, rows.get(&entry.id().value).copied())).collect();
        let places = entries.iter().enumerate().filter_map(|(place, (_, row))| Some(((*row)?, place))).collect();
        Self { entries, places }
    }

    /// The entries from behind a row up to the next one that stays on all sides; `None` where that is another than `last`.
    fn stretch(&self, (first, last): (usize, usize), is_common: impl Fn(usize) -> bool) -> Option<Part<'_, 'a>> {
        let start = self.places.get(&first)? + 1;
        let length = self.entries[start..].iter().position(|(_, row)| row.is_some_and(&is_common))?;
        let stretch = &self.entries[start..=start + length];
        (stretch.last()?.1 == Some(last)).then_some(stretch)
    }
}

/// Entries with their rows.
type Part<'p, 'a> = &'p [(Entry<'a>, Option<usize>)];

/// A line of a stretch, or an entry in it.
#[derive(Default)]
struct Token {
    /// How it is known on all sides.
    name: String,
    /// The line as the destination would have it.
    text: String,
    /// The row, for an entry.
    row: Option<Option<usize>>,
}

impl<'a> Walker<'a> {
    /// Merges the stretches of a collection into which something new comes, and which the destination changed, too.
    pub(super) fn stretches(&mut self, frame: &Frame<'a>, gaps: &Gaps<'a>, fates: &Fates<'_>) -> Stretches {
        let mut stretches = Stretches::default();
        let rows = &frame.aligned.rows;
        if !(0..rows.len()).any(|row| fates.brings(row)) {
            return stretches;
        }
        let is_common = |row: usize| {
            rows[row].present().count() == Side::ALL.len()
                && !fates.gone.contains(&row)
                && !fates.added.contains_key(&row)
        };
        let columns = Slots { dest: Some(Side::Dest), base: Some(Side::Base), incoming: Some(Side::Incoming) };
        let columns = columns.map(|side| Column::of(frame, side));
        let common: Vec<usize> = (0..rows.len()).filter(|row| is_common(*row)).collect();
        for pair in common.windows(2) {
            let ends = (pair[0], pair[1]);
            let parts = columns.as_ref().filter_map(|column| column.stretch(ends, is_common));
            let has_new =
                parts.incoming.is_some_and(|part| part.iter().any(|(_, row)| row.is_some_and(|row| fates.brings(row))));
            if has_new && let Some(merged) = self.merged_stretch(frame, gaps, parts) {
                self.settle(frame, gaps, (&merged, fates, ends), &mut stretches);
            }
        }
        stretches
    }

    /// The lines and entries of both sides, behind the first common entry and before the next; `None` where they overlap, and
    /// where only one side changed something.
    fn merged_stretch(&self, frame: &Frame<'a>, gaps: &Gaps<'a>, parts: Slots<Part<'_, 'a>>) -> Option<Vec<Token>> {
        let (dest, base, incoming) = (parts.dest?, parts.base?, parts.incoming?);
        let model = dest.last()?.0;
        let tokens = |side: Side, part: Part<'_, 'a>| tokens(frame, gaps, (side, model), part);
        let (mut ours, base, mut theirs) =
            (tokens(Side::Dest, dest)?, tokens(Side::Base, base)?, tokens(Side::Incoming, incoming)?);
        let [our_text, base_text, their_text] = [&ours, &base, &theirs].map(|tokens| names(tokens));
        if our_text == base_text {
            return None;
        }
        let texts = Texts { base: base_text.as_bytes(), ours: our_text.as_bytes(), theirs: their_text.as_bytes() };
        let (our_starts, their_starts) = (starts(&our_text), starts(&their_text));
        let mut merged = Vec::new();
        for region in lines::merge(texts, Style::Diff3) {
            let Region::Clean { side, range } = region else { return None };
            let (tokens, starts) =
                if side == LineSide::Ours { (&mut ours, &our_starts) } else { (&mut theirs, &their_starts) };
            let place = |at: usize| starts.partition_point(|start| *start < at);
            merged.extend(tokens[place(range.start)..place(range.end)].iter_mut().map(std::mem::take));
        }
        Some(merged)
    }

    /// Says what goes above which entry of a stretch, if its entries are where they are to be.
    fn settle(
        &mut self,
        frame: &Frame<'a>,
        gaps: &Gaps<'a>,
        (merged, fates, (first, last)): (&[Token], &Fates<'_>, (usize, usize)),
        out: &mut Stretches,
    ) {
        let rows = &frame.aligned.rows;
        let entry = |row: usize| Some(self.streams.dest?.entry(rows[row].dest?));
        let mut above = Vec::new();
        let mut lines = String::new();
        for token in merged {
            match token.row {
                None => lines.push_str(&token.text),
                Some(None) => return,
                Some(Some(row)) => above.push((row, std::mem::take(&mut lines))),
            }
        }
        above.push((last, lines));
        if !is_in_place(frame, &above, fates, (first, last)) {
            return;
        }
        let span = |row: usize| entry(row).and_then(|entry| gaps.span(Side::Dest, entry));
        let Some(spans) = (first + 1..=last).map(span).collect::<Option<Vec<Span>>>() else { return };
        let dest = spans.iter().copied().reduce(Span::cover);
        let texts: HashMap<usize, &String> = above.iter().map(|(row, lines)| (*row, lines)).collect();
        for (row, span) in (first + 1..=last).zip(spans) {
            let text = texts.get(&row).filter(|_| !fates.gone.contains(&row)).map_or("", |text| text.as_str());
            out.settled.extend(rows[row].dest);
            if self.streams.dest.is_some_and(|stream| span.of(stream.source()) != text) {
                out.edits.push(Edit::Text { span, text: text.to_owned() });
            }
        }
        out.above_new.extend(above.into_iter().filter(|(row, _)| fates.brings(*row)));
        let (path, role) = (self.path.clone(), Role::Gap);
        let (outcome, rule, spans) = (Outcome::Take, Rule::Merged, Slots { dest, ..Slots::default() });
        self.plan.decisions.push(Decision { path, role, outcome, rule, spans, list: None });
    }
}

/// Whether a stretch has the entries that it is to have, in their order.
fn is_in_place(frame: &Frame<'_>, above: &[(usize, String)], fates: &Fates<'_>, (first, last): (usize, usize)) -> bool {
    let stays = |row: &usize| !fates.gone.contains(row);
    let dest = |row: usize| frame.aligned.rows[row].dest;
    let behind = |row: usize| dest(row).and_then(|entry| fates.behind.get(&entry)).into_iter().flatten().copied();
    let wanted = (first..last).flat_map(|row| Some(row).filter(stays).into_iter().chain(behind(row))).skip(1);
    wanted.chain([last]).eq(above.iter().map(|(row, _)| *row))
        && !(first..=last).any(|row| fates.added.contains_key(&row))
}

/// The lines and entries of a part of a side; the last entry is left out.
fn tokens(
    frame: &Frame<'_>,
    gaps: &Gaps<'_>,
    (side, model): (Side, Entry<'_>),
    part: Part<'_, '_>,
) -> Option<Vec<Token>> {
    let mut tokens = Vec::new();
    for (entry, row) in part {
        let lines = gaps.span(side, *entry)?.of(entry.stream().source());
        let lines = if side == Side::Dest { lines.to_owned() } else { shifted(lines, entry.column(), model) };
        let line = |line: &str| Token { name: line.trim().to_owned(), text: line.to_owned(), row: None };
        tokens.extend(lines.split_inclusive('\n').map(line));
        let base = row.map_or(Some(entry.id()), |row| frame.aligned.rows[row].base);
        let name = base.map_or_else(|| format!("row {row:?}"), |base| format!("base {}", base.value.index()));
        tokens.push(Token { name, text: String::new(), row: Some(*row) });
    }
    tokens.pop();
    Some(tokens)
}

/// The text that tokens are compared by.
fn names(tokens: &[Token]) -> String {
    tokens.iter().flat_map(|token| [token.name.as_str(), "\n"]).collect()
}

/// Where the lines of a text start.
fn starts(text: &str) -> Vec<usize> {
    let lines = text.split_inclusive('\n').scan(0, |at, line| Some(std::mem::replace(at, *at + line.len())));
    lines.collect()
}
