//! Inserts, removes and replaces entries of flow collections, with their commas.
//!
//! Invariant: no text here has comments. If an edit brings comments, the collection was turned into a block before.

use std::collections::{BTreeMap, BTreeSet};

use super::block::check_kind;
use super::comma::{after_comma, comma_after, comma_between};
use super::open::brings_lines;
use super::render::{Rendered, Target, properties};
use super::replacement::{Rank, Replacement, Seam};
use super::slot::{Slot, start_below_comments};
use super::{Place, SpliceError};
use crate::edit::{Content, Edit, Piece, Position};
use crate::emit;
use crate::entry::{Entry, EntryId};
use crate::parents::Seat;
use crate::quote::{double_quoted, plain};
use crate::span::{Span, column_of, line_start};
use crate::tree::{Kind, Node, Record, Stream};
use crate::trivia::owns_line;

impl<'a> Place<'_, 'a> {
    pub(super) fn replace_flow_value(&mut self, entry: Entry<'_>, content: &Content) -> Result<(), SpliceError> {
        let source = self.stream.source;
        let collection = entry.collection();
        let column = self.flow_column(collection);
        let text = self.context.flow_value(content, collection, column)?;
        let mut text = self.one_line(text, collection, Kind::Sequence)?;
        let value = entry.value();
        let rank = Rank::Value;
        let full = Span::new(start_below_comments(value), value.full_span().end);
        let indicator = entry.indicator();
        self.settle_properties(value, Span::new(indicator.end.min(full.start), full.start), &mut text);
        let replacement = if !full.is_empty() {
            let after = if source[full.end as usize..].starts_with('#') { " " } else { "" };
            // Directly behind a quoted key, `:` needs no blank: compact JSON stays compact.
            let is_quoted = |key: Node<'_>| matches!(key.kind(), Kind::DoubleQuoted | Kind::SingleQuoted);
            let needs_blank = entry.key().is_some_and(|key| !is_quoted(key)) && full.start == indicator.end;
            let before = if needs_blank { " " } else { "" };
            Replacement::new(full, format!("{before}{text}{after}"), rank)
        } else {
            // A colon right after an alias, an anchor, a tag or `?` would be a part of it.
            let is_name = |key: Node<'_>| key.kind() == Kind::Alias || key.span().is_empty();
            let separator = match (entry.key().is_some() && indicator.is_empty(), entry.key().is_some_and(is_name)) {
                (true, true) => " : ",
                (true, false) => ": ",
                (false, _) => " ",
            };
            let after = if source[indicator.end as usize..].starts_with('#') { " " } else { "" };
            Replacement::new(Span::at(indicator.end), format!("{separator}{text}{after}"), rank)
        };
        self.out.push(replacement);
        Ok(())
    }

    pub(super) fn flow_collection(&mut self, node: Node<'a>, edits: &[&Edit]) -> Result<(), SpliceError> {
        let entries: Vec<Entry<'_>> = node.entries().collect();
        if entries.is_empty() {
            return self.fill_empty(node, edits);
        }
        let changes = self.changes(node, &entries, edits)?;
        let last_present = (0..entries.len()).rev().find(|&index| !changes.is_gone(&entries, index));
        let Some(last_present) = last_present else {
            self.clear(node, &entries);
            return Ok(());
        };
        if node.is_flow_pair() && needs_braces(edits) {
            self.out.push(Replacement::new(Span::at(node.span().start), "{", Rank::Before(node.id().0)));
        }
        for (index, entry) in entries.iter().enumerate() {
            match changes.replaced.get(&index) {
                Some(texts) => self.replace_flow_entry(*entry, &texts.join(comma_between(&entries, index))),
                None if changes.removed.contains(&entry.id()) => {
                    self.remove_flow_entry(node, &entries, index, Some(last_present));
                }
                None => {}
            }
        }
        // If the last entry had no comma after it, the comma after the last entry that stays is removed.
        let last = entries[entries.len() - 1];
        let is_surplus =
            || comma_after(last, node.span().end).is_none() && !ends_in_text_indicator(entries[last_present]);
        if let Some(next) = entries.get(last_present + 1).filter(|_| is_surplus()) {
            self.remove_comma(entries[last_present], next.start());
        }
        for (gap, texts) in &changes.inserts {
            self.insert_flow_entries(node, &entries, *gap, texts);
        }
        if node.is_flow_pair() && needs_braces(edits) {
            let end = node.span().end;
            let brace = if ends_in_indicator(last) { " }" } else { "}" };
            self.out.push(Replacement::new(Span::at(end), brace, Rank::behind(last, end, node.id())));
        }
        Ok(())
    }

    /// Renders the texts that edits bring, and finds their places: in the place of a removed entry, or between others.
    fn changes(&mut self, node: Node<'_>, entries: &[Entry<'_>], edits: &[&Edit]) -> Result<Changes, SpliceError> {
        let index: BTreeMap<EntryId, usize> =
            entries.iter().enumerate().map(|(index, entry)| (entry.id(), index)).collect();
        let column = self.flow_column(node);
        let mut changes = Changes::default();
        for edit in edits {
            let (gap, pieces) = match edit {
                Edit::Remove { entry } => {
                    changes.removed.insert(*entry);
                    continue;
                }
                Edit::Insert { position: Position::First, pieces, .. } => (0, pieces),
                Edit::Insert { position: Position::After(entry), pieces, .. } => {
                    (index.get(entry).map_or(entries.len(), |index| index + 1), pieces)
                }
                Edit::Rewrite { entry, pieces } => {
                    changes.removed.insert(*entry);
                    let texts = self.flow_pieces(pieces, node, column)?;
                    if let (Some(index), false) = (index.get(entry), texts.is_empty()) {
                        changes.replaced.insert(*index, texts);
                    }
                    continue;
                }
                _ => continue,
            };
            changes.inserts.entry(gap).or_default().extend(self.flow_pieces(pieces, node, column)?);
        }
        changes.settle(entries);
        Ok(changes)
    }

    fn flow_pieces(&self, pieces: &[Piece], node: Node<'_>, column: usize) -> Result<Vec<String>, SpliceError> {
        // If the entries have lines of their own, the lines of a new entry are indented like them.
        let beside = node.entries().next().filter(|first| first.starts_line());
        let column = beside.map_or(column, |first| first.column().max(column));
        let text = |piece: &Piece| check_kind(node, piece).and_then(|()| self.context.flow_piece(piece, node, column));
        let texts = pieces.iter().map(text).collect::<Result<Vec<_>, _>>()?;
        let separate = |text: String| separate(text, node.kind());
        texts.into_iter().map(|text| self.one_line(text, node, node.kind()).map(separate)).collect()
    }

    /// The text of one entry of a collection of `kind`. On one line if `node` is a key, is inside a key, or has no
    /// brackets.
    fn one_line(&self, text: String, node: Node<'_>, kind: Kind) -> Result<String, SpliceError> {
        let mut id = node.id();
        let is_in_key = text.contains('\n')
            && (node.is_flow_pair()
                || loop {
                    match self.context.seat(self.id, id) {
                        Seat::Root => break false,
                        Seat::Key(_) => break true,
                        Seat::Value(entry) => id = entry.collection,
                    }
                });
        if !is_in_key {
            return Ok(text);
        }
        emit::one_line(&text, kind)?.ok_or(SpliceError::NoPlace(node.span()))
    }

    /// The smallest column for lines inside a flow collection: right of the block collection around it. The result is
    /// stored for all collections on the way, so that each level of deep brackets takes one step.
    fn flow_column(&mut self, node: Node<'_>) -> usize {
        let mut way = vec![node.id()];
        let mut id = node.id();
        let column = loop {
            if let Some(column) = self.flow_columns.get(&id) {
                break *column;
            }
            match self.context.seat(self.id, id) {
                Seat::Root => break 0,
                Seat::Key(entry) | Seat::Value(entry) if self.stream.node(entry.collection).is_flow() => {
                    id = entry.collection;
                    way.push(id);
                }
                Seat::Key(entry) | Seat::Value(entry) => break self.stream.entry(entry).column() + 2,
            }
        };
        self.flow_columns.extend(way.into_iter().map(|id| (id, column)));
        column
    }

    /// Removes all entries of a collection, but keeps its brackets and the comments between them.
    fn clear(&mut self, node: Node<'_>, entries: &[Entry<'_>]) {
        if node.is_flow_pair() {
            self.out.push(Replacement::new(node.span(), "{}", Rank::Value));
            return;
        }
        let inside = Span::new(node.span().start + 1, node.span().end - 1);
        let tape = &node.stream().tape[node.id().index()..node.after()];
        if tape.iter().all(|record| record.kind != Kind::Comment) {
            self.out.push(Replacement::new(inside, "", Rank::Value));
            return;
        }
        for index in 0..entries.len() {
            self.remove_flow_entry(node, entries, index, None);
        }
    }

    fn replace_flow_entry(&mut self, entry: Entry<'_>, text: &str) {
        let source = self.stream.source;
        let span = entry.span();
        let after = if source[span.end as usize..].starts_with('#') { " " } else { "" };
        if owns_line(entry) {
            let own = line_start(source, span.start);
            self.out.push(Replacement::new(Span::new(entry.extent().start.min(own), own), "", Rank::Value));
            if let Some(trail) = entry.trail() {
                let blanks = source[..trail.start as usize].trim_end_matches([' ', '\t']).len() as u32;
                self.out.push(Replacement::new(Span::new(blanks, trail.end), "", Rank::Value));
            }
        }
        self.out.push(Replacement::new(span, format!("{text}{after}"), Rank::Value));
    }

    /// Removes an entry with its comma. `last` is the last entry that stays.
    fn remove_flow_entry(&mut self, node: Node<'_>, entries: &[Entry<'_>], index: usize, last: Option<usize>) {
        let entry = entries[index];
        let limit = entries.get(index + 1).map_or(node.span().end - 1, |next| next.start());
        if !owns_line(entry) && last > Some(index) {
            let removed = self.without_next(entries, index, limit);
            self.out.push(removed);
            return;
        }
        let mut span = entry.extent();
        if !owns_line(entry) {
            let before = last.filter(|last| last + 1 == index).map(|last| entries[last]);
            span.start = self.start_of_blanks(entry, before);
        }
        let is_before_comment = self.stream.source[span.end as usize..].starts_with('#');
        self.out.push(Replacement::new(span, if is_before_comment { " " } else { "" }, Rank::Value));
        if comma_after(entry, limit).is_some_and(|comma| comma >= span.end) {
            self.remove_comma(entry, limit);
        }
    }

    /// Removes an entry before other entries that stay, up to the next of them. No blanks are left at the end of a
    /// line.
    fn without_next(&self, entries: &[Entry<'_>], index: usize, limit: u32) -> Replacement {
        let (entry, source) = (entries[index], self.stream.source);
        let end = after_comma(entry, limit);
        let rest = &source[end as usize..];
        if !entry.starts_line() && rest.starts_with(['\r', '\n']) {
            // Directly after the bracket, the next entry moves to this place.
            let next = entries.get(index + 1).filter(|next| index == 0 && !owns_line(**next));
            let is_near = |next: &Entry<'_>| Span::new(end, next.start()).of(source).trim_ascii().is_empty();
            return match next.filter(|next| is_near(next)) {
                Some(next) => Replacement::new(Span::new(entry.start(), next.start()), "", Rank::Value),
                None => {
                    let removed = Replacement::new(Span::new(entry.start(), end), "", Rank::Value);
                    Replacement { seam: Seam::Behind, ..removed }
                }
            };
        }
        let is_behind_blank = source[..entry.start() as usize].ends_with([' ', '\t', '\n']);
        let before_comment = rest.starts_with('#') && !is_behind_blank;
        let is_marker = column_of(source, entry.start()) == 0 && plain::is_like_marker(rest);
        let text = if before_comment || is_marker { " " } else { "" };
        Replacement::new(Span::new(entry.start(), end), text, Rank::Value)
    }

    /// Start of the blanks to remove with an entry after which no entry stays. If the entry starts its line, line
    /// breaks are removed, too; or nothing is, if the bracket would then stand too far left.
    fn start_of_blanks(&self, entry: Entry<'_>, before: Option<Entry<'_>>) -> u32 {
        let start = entry.start();
        let text = &self.stream.source[..start as usize];
        if !entry.starts_line() {
            return text.trim_end_matches([' ', '\t']).len() as u32;
        }
        let end = before.map(|before| comma_after(before, start).map_or(before.span().end, |comma| comma + 1));
        end.filter(|end| text[*end as usize..].trim_ascii().is_empty()).unwrap_or(start)
    }

    fn remove_comma(&mut self, entry: Entry<'_>, limit: u32) {
        let Some(comma) = comma_after(entry, limit) else { return };
        let next_is_comment = self.stream.source[comma as usize + 1..].starts_with('#');
        let text = if next_is_comment { " " } else { "" };
        self.out.push(Replacement::new(Span::new(comma, comma + 1), text, Rank::Value));
    }

    /// Inserts texts between two entries that stay, or at an end.
    fn insert_flow_entries(&mut self, node: Node<'_>, entries: &[Entry<'_>], gap: usize, texts: &[String]) {
        let between = comma_between(entries, gap);
        let newline = self.context.newline.as_str();
        let indent = |entry: Entry<'_>| {
            let start = entry.start();
            Span::new(line_start(self.stream.source, start), start).of(self.stream.source)
        };
        let lines = |entry: Entry<'_>| -> String {
            texts.iter().map(|text| format!("{}{text},{newline}", indent(entry))).collect()
        };
        if let Some(next) = entries.get(gap) {
            let replacement = if owns_line(*next) {
                Replacement::lines(Span::at(next.extent().start), lines(*next), Rank::Before(node.id().0))
            } else {
                Replacement::new(Span::at(next.start()), texts.join(between) + between, Rank::Before(node.id().0))
            };
            self.out.push(replacement);
            return;
        }
        let last = entries[entries.len() - 1];
        let source = self.stream.source;
        // A blank after a colon keeps the comma from being text.
        let has_blank = ends_in_indicator(last)
            && last.span().end + 1 < node.span().end
            && source[last.span().end as usize..].starts_with([' ', '\t']);
        let end = last.span().end + u32::from(has_blank);
        let rank = Rank::behind(last, end, node.id());
        let before = if ends_in_indicator(last) && !has_blank { " " } else { "" };
        let space = if source[end as usize..].starts_with('#') { " " } else { "" };
        match (comma_after(last, node.span().end), owns_line(last)) {
            (Some(comma), true) if comma < last.extent().end => {
                self.out.push(Replacement::lines(Span::at(last.extent().end), lines(last), rank));
            }
            (Some(comma), _) => {
                let text = format!("{}{},", &between[1..], texts.join(between));
                self.out.push(Replacement::new(Span::at(comma + 1), text, rank));
            }
            (None, true) => {
                let separator = format!(",{newline}{}", indent(last));
                let text = format!("{newline}{}{}", indent(last), texts.join(&separator));
                // The comma goes after the old last entry, the new lines below its trail comment.
                self.out.push(Replacement::new(Span::at(end), format!("{before},{space}"), Rank::Comma));
                let below = last.trail().map_or(end, |trail| trail.end);
                self.out.push(Replacement::new(Span::at(below), text, Rank::Below));
            }
            (None, false) => {
                let text = format!("{before}{between}{}{space}", texts.join(between));
                self.out.push(Replacement::new(Span::at(end), text, rank));
            }
        }
    }

    /// Inserts into `{}` or `[]`. The result is a block, unless the collection stands in brackets, or all that comes in
    /// stood in brackets.
    fn fill_empty(&mut self, node: Node<'a>, edits: &[&Edit]) -> Result<(), SpliceError> {
        let holder = match self.context.seat(self.id, node.id()) {
            _ if self.come_from_flow(edits)? => return self.fill_brackets(node, edits),
            Seat::Root => None,
            Seat::Value(holder) if !self.stream.node(holder.collection).is_flow() => Some(self.stream.entry(holder)),
            Seat::Value(_) | Seat::Key(_) => return self.fill_brackets(node, edits),
        };
        let column = self.opened_column(node, holder);
        let lines = self.context.filled(node, edits, column)?;
        self.fill_collection(node, holder, lines);
        Ok(())
    }

    fn fill_brackets(&mut self, node: Node<'a>, edits: &[&Edit]) -> Result<(), SpliceError> {
        let column = self.flow_column(node);
        let mut texts = Vec::new();
        for edit in edits {
            if let Edit::Insert { pieces, .. } = edit {
                texts.extend(self.flow_pieces(pieces, node, column)?);
            }
        }
        let inside = Span::new(node.span().start + 1, node.span().end - 1);
        self.out.push(Replacement::new(inside, texts.join(", "), Rank::Value));
        Ok(())
    }

    /// Whether all new entries are copied from flow collections, and need no lines of their own.
    fn come_from_flow(&self, edits: &[&Edit]) -> Result<bool, SpliceError> {
        for edit in edits {
            let Edit::Insert { pieces, .. } = edit else { return Ok(false) };
            for piece in pieces {
                if self.entry_of(piece)?.is_none_or(|entry| !entry.collection().is_flow()) {
                    return Ok(false);
                }
            }
            if brings_lines(self.context, self.stream, edit)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The column of the block collection that a flow collection becomes.
    pub(super) fn opened_column(&self, node: Node<'_>, holder: Option<Entry<'_>>) -> usize {
        let Some(holder) = holder else { return 0 };
        let is_item = holder.key().is_none();
        let compact = self.compact_slot(node, holder).1;
        compact.unwrap_or_else(|| self.context.new_column(node.kind(), holder.column(), is_item, None))
    }

    fn compact_slot(&self, node: Node<'_>, holder: Entry<'_>) -> (Slot, Option<usize>) {
        let slot = Slot::of(node, holder.indicator().end);
        let is_open = holder.key().is_none() && holder.trail().is_none() && !self.trails.contains_key(&holder.id());
        (slot, slot.compact_column(self.stream.source).filter(|_| is_open))
    }

    /// Writes the lines of a block collection, at [`Self::opened_column`], in the place of a flow collection.
    pub(super) fn fill_collection(&mut self, node: Node<'a>, holder: Option<Entry<'_>>, lines: String) {
        let properties = properties(node, &[]);
        let target = Target {
            column: holder.map(Entry::column),
            is_item: false,
            compact: None,
            keeps_layout: false,
            replaces: None,
        };
        let Some(holder) = holder else {
            self.fill_root(node, Rendered::collection(lines, properties, target));
            return;
        };
        let (slot, compact) = self.compact_slot(node, holder);
        let mut rendered = Rendered::collection(lines, properties, Target { compact, ..target });
        self.add_trail(holder.id(), &mut rendered);
        self.fill(slot, rendered, holder.column(), node.id());
    }
}

/// The changes that edits make to one flow collection.
#[derive(Default)]
struct Changes {
    removed: BTreeSet<EntryId>,
    /// New texts in the place of an entry, by its index.
    replaced: BTreeMap<usize, Vec<String>>,
    /// New texts before the entry with this index, or after the last.
    inserts: BTreeMap<usize, Vec<String>>,
}

impl Changes {
    /// Puts new texts next to a removed entry into the place of that entry, so that commas stay.
    fn settle(&mut self, entries: &[Entry<'_>]) {
        for (gap, texts) in std::mem::take(&mut self.inserts) {
            let is_gone = |index: &usize| entries.get(*index).is_some_and(|entry| self.removed.contains(&entry.id()));
            match gap.checked_sub(1).filter(is_gone) {
                Some(index) => self.replaced.entry(index).or_default().extend(texts),
                None if is_gone(&gap) => {
                    self.replaced.entry(gap).or_default().splice(0..0, texts);
                }
                None => _ = self.inserts.insert(gap, texts),
            }
        }
    }

    fn is_gone(&self, entries: &[Entry<'_>], index: usize) -> bool {
        self.removed.contains(&entries[index].id()) && !self.replaced.contains_key(&index)
    }
}

/// Whether a pair without braces is more than one pair after `edits`.
pub(super) fn needs_braces(edits: &[&Edit]) -> bool {
    edits.iter().any(|edit| !matches!(edit, Edit::Rewrite { pieces, .. } if pieces.len() == 1))
}

/// The text of one entry of a flow collection of `kind`, changed so that following text cannot change its meaning.
fn separate(text: String, kind: Kind) -> String {
    // A `?` alone is an indicator only before a blank. A `-` alone, and a `:` at the end, are text only if no blank
    // follows.
    if text.ends_with('?') {
        return text + " ";
    }
    // Text that starts like a marker may come to stand at the start of a line.
    if plain::is_like_marker(&text) {
        return format!(" {text}");
    }
    if !text.ends_with(['-', ':']) {
        return text;
    }
    let in_brackets = if kind == Kind::Mapping { format!("{{{text}}}") } else { format!("[{text}]") };
    let Ok(stream) = Stream::parse_fragment(&in_brackets) else { return text };
    let is_text = |record: &&Record| record.kind == Kind::Plain && record.leaf_span().end as usize == text.len() + 1;
    let last = stream.tape.iter().rposition(|record| is_text(&record)).map(|last| stream.node_at(last));
    match last {
        Some(last) if last.text() == "-" || text.ends_with(':') => {
            format!("{}{}", &text[..last.span().start as usize - 1], double_quoted(&last.value()))
        }
        _ => text,
    }
}

/// The text of a pair without braces, unchanged or edited, in braces.
pub(super) fn in_braces(pair: Node<'_>, text: &str) -> String {
    // A `?` or `:` right before the brace would become text, or would stop being text.
    let is_open = || text != pair.text() || pair.entries().last().is_some_and(ends_in_indicator);
    let space = if text.ends_with(['?', ':']) && is_open() { " " } else { "" };
    format!("{{{text}{space}}}")
}

/// Whether a comma right after an entry would be text: `a:,` and `?,`.
pub(super) fn ends_in_indicator(entry: Entry<'_>) -> bool {
    let ends = |node: Node<'_>| node.full_span().is_empty();
    match entry.key() {
        Some(_) if !entry.indicator().is_empty() => ends(entry.value()),
        Some(key) => ends(key),
        None if entry.value().is_flow_pair() => entry.value().entries().last().is_some_and(ends_in_indicator),
        None => false,
    }
}

/// Whether an entry ends with a `-` or `:` that is text as long as no blank follows.
fn ends_in_text_indicator(entry: Entry<'_>) -> bool {
    let text = entry.span().of(entry.stream().source());
    text.ends_with(['-', ':']) && !ends_in_indicator(entry)
}
