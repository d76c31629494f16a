//! Inserts, removes and replaces entries of flow collections, commas included.

use std::collections::BTreeSet;

use super::block::{check_kind, removes_all};
use super::render::{Rendered, properties};
use super::replacement::Replacement;
use super::slot::Slot;
use super::{Place, SpliceError};
use crate::edit::{Content, Edit, Piece, Position};
use crate::entry::{Entry, EntryId};
use crate::span::{Span, line_end, line_start};
use crate::tree::{Kind, Node};
use crate::trivia::owns_line;

impl Place<'_, '_> {
    pub(super) fn replace_flow_value(&mut self, entry: Entry<'_>, content: &Content) -> Result<(), SpliceError> {
        let text = self.context.flow_value(content, entry.column())?;
        let value = entry.value();
        let rank = value.id().0;
        if value.kind() != Kind::Null || !value.full_span().is_empty() {
            self.out.push(Replacement::new(value.full_span(), text, rank));
            return Ok(());
        }
        let indicator = entry.indicator();
        let separator = if entry.key().is_some() && indicator.is_empty() { ": " } else { " " };
        self.out.push(Replacement::new(Span::at(indicator.end), format!("{separator}{text}"), rank));
        Ok(())
    }

    pub(super) fn flow_collection(&mut self, node: Node<'_>, edits: &[&Edit]) -> Result<(), SpliceError> {
        let entries: Vec<Entry<'_>> = node.entries().collect();
        if entries.is_empty() {
            return self.fill_empty(node, edits);
        }
        let change = Change::of(edits);
        for piece in change.inserts.iter().flat_map(|(_, pieces)| pieces.iter()) {
            check_kind(node, piece)?;
        }
        let keeps_any = entries.iter().any(|entry| !change.removed.contains(&entry.id()));
        if removes_all(node, edits) || !keeps_any {
            return self.replace_interior(node, &change);
        }
        if node.is_flow_pair() && !change.inserts.is_empty() {
            self.out.push(Replacement::new(Span::at(node.span().start), "{", u32::MAX));
            self.out.push(Replacement::new(Span::at(node.span().end), "}", 0));
        }
        self.remove_flow_entries(node, &entries, &change);
        self.insert_flow_entries(node, &entries, &change)
    }

    fn replace_interior(&mut self, node: Node<'_>, change: &Change<'_>) -> Result<(), SpliceError> {
        let column = column_of(node);
        let mut texts = Vec::new();
        for piece in change.inserts.iter().flat_map(|(_, pieces)| pieces.iter()) {
            texts.push(self.context.flow_piece(piece, column)?);
        }
        let text = join(&texts);
        let (span, text) = if node.is_flow_pair() {
            (node.span(), format!("{{{text}}}"))
        } else {
            (Span::new(node.span().start + 1, node.span().end - 1), text)
        };
        self.out.push(Replacement::new(span, text, node.id().0));
        Ok(())
    }

    fn remove_flow_entries(&mut self, node: Node<'_>, entries: &[Entry<'_>], change: &Change<'_>) {
        let is_removed = |entry: &Entry<'_>| change.removed.contains(&entry.id());
        let last_kept = entries.iter().rposition(|entry| !is_removed(entry)).unwrap_or(0);
        for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| is_removed(entry)) {
            let span = if owns_line(*entry) {
                entry.extent()
            } else if index < last_kept {
                Span::new(entry.start(), after_comma(*entry, entries[index + 1].start()))
            } else {
                let before = entries[index - 1];
                let start = if owns_line(before) { before.extent().end.min(entry.start()) } else { before.span().end };
                Span::new(start, entry.span().end)
            };
            self.out.push(Replacement::new(span, "", 0));
        }
        let tail_owns_lines = entries.get(last_kept + 1).is_some_and(|entry| owns_line(*entry));
        let has_final_comma = comma_after(entries[entries.len() - 1], node.span().end).is_some();
        let inserts_last = change.inserts_after(entries, last_kept);
        if let (true, false, false) = (tail_owns_lines, has_final_comma, inserts_last) {
            let limit = entries[last_kept + 1].start();
            if let Some(comma) = comma_after(entries[last_kept], limit) {
                self.out.push(Replacement::new(Span::new(comma, comma + 1), "", 0));
            }
        }
    }

    fn insert_flow_entries(
        &mut self,
        node: Node<'_>,
        entries: &[Entry<'_>],
        change: &Change<'_>,
    ) -> Result<(), SpliceError> {
        let rank = node.id().0;
        let last_kept = change.last_kept(entries, entries.len() - 1);
        for (position, pieces) in &change.inserts {
            let anchor = match position {
                Position::First => None,
                Position::After(id) => {
                    let index = entries.iter().position(|entry| entry.id() == *id).unwrap_or(entries.len() - 1);
                    change.last_kept(entries, index)
                }
            };
            for piece in *pieces {
                let neighbour = entries[anchor.unwrap_or(0)];
                let text = self.context.flow_piece(piece, neighbour.column())?;
                let is_last = anchor.is_some() && anchor == last_kept;
                let had_comma = comma_after(neighbour, next_start(node, entries, anchor)).is_some();
                let newline = self.context.newline.as_str();
                let indent = " ".repeat(neighbour.column());
                match (anchor, owns_line(neighbour)) {
                    (None, true) => {
                        let at = Span::at(neighbour.extent().start);
                        self.out.push(Replacement::lines(at, format!("{indent}{text},{newline}"), rank));
                    }
                    (None, false) => {
                        self.out.push(Replacement::new(Span::at(neighbour.start()), format!("{text}, "), rank));
                    }
                    (Some(_), true) if !is_last || had_comma => {
                        let at = Span::at(neighbour.extent().end);
                        self.out.push(Replacement::lines(at, format!("{indent}{text},{newline}"), rank));
                    }
                    (Some(_), true) => {
                        let text = format!(",{newline}{indent}{text}");
                        self.push_after_last(neighbour, text, rank);
                    }
                    (Some(_), false) => {
                        self.out.push(Replacement::new(Span::at(neighbour.span().end), format!(", {text}"), rank));
                    }
                }
            }
        }
        Ok(())
    }

    /// A new last line: the comma goes behind the old last entry, the line below its trail comment.
    fn push_after_last(&mut self, last: Entry<'_>, text: String, rank: u32) {
        let Some(trail) = last.trail() else {
            self.out.push(Replacement::new(Span::at(last.span().end), text, rank));
            return;
        };
        self.out.push(Replacement::new(Span::at(last.span().end), ",", rank));
        self.out.push(Replacement::new(Span::at(trail.end), &text[1..], rank));
    }

    /// Inserts into `{}` or `[]`: as a block where the collection hangs in a block.
    fn fill_empty(&mut self, node: Node<'_>, edits: &[&Edit]) -> Result<(), SpliceError> {
        let change = Change::of(edits);
        for piece in change.inserts.iter().flat_map(|(_, pieces)| pieces.iter()) {
            check_kind(node, piece)?;
        }
        let holder = self.context.holder(self.id, node.id()).map(|holder| self.stream.entry(holder));
        if holder.is_some_and(|holder| holder.collection().is_flow()) {
            return self.replace_interior(node, &change);
        }
        let offset = match (node.kind(), holder) {
            (_, None) => 0,
            (_, Some(holder)) if holder.key().is_none() => 2,
            (Kind::Sequence, _) => self.context.style().sequence,
            _ => self.context.style().step,
        };
        let column = holder.map_or(0, Entry::column) + offset;
        let mut lines = String::new();
        for piece in change.inserts.iter().flat_map(|(_, pieces)| pieces.iter()) {
            lines.push_str(&self.context.piece(piece, column)?);
        }
        let Some(holder) = holder else {
            self.fill_root(node, lines);
            return Ok(());
        };
        let properties = properties(node);
        let fits_behind_dash = holder.key().is_none()
            && holder.trail().is_none()
            && properties.is_empty()
            && !lines.trim_start().starts_with('#');
        let rendered = if fits_behind_dash {
            Rendered { inline: lines.trim_matches([' ', '\n', '\r']).to_owned(), body: None }
        } else {
            Rendered { inline: properties, body: Some(lines) }
        };
        let after = holder.indicator().end;
        self.fill(Slot::of(node, after), " ", rendered, node.id().0);
        Ok(())
    }
}

impl Place<'_, '_> {
    /// Writes lines in the place of an empty root; a comment on its line stays above them.
    fn fill_root(&mut self, node: Node<'_>, lines: String) {
        let (line, rank) = (root_line(node), node.id().0);
        let source = node.stream().source();
        let next_line = line_end(source, line.end);
        if Span::new(line.end, next_line).of(source).trim_start().starts_with('#') {
            self.out.push(Replacement::new(node.full_span(), "", rank));
            self.out.push(Replacement::lines(Span::at(next_line), lines, rank));
        } else {
            self.out.push(Replacement::lines(line, lines, rank));
        }
    }
}

/// The edits of one flow collection, sorted by what they do.
struct Change<'e> {
    removed: BTreeSet<EntryId>,
    inserts: Vec<(Position, &'e [Piece])>,
}

impl<'e> Change<'e> {
    fn of(edits: &[&'e Edit]) -> Self {
        let mut change = Self { removed: BTreeSet::new(), inserts: Vec::new() };
        for edit in edits {
            match edit {
                Edit::Remove { entry } => {
                    change.removed.insert(*entry);
                }
                Edit::Insert { position, pieces, .. } => change.inserts.push((*position, pieces.as_slice())),
                Edit::Rewrite { entry, pieces } => {
                    change.removed.insert(*entry);
                    change.inserts.push((Position::After(*entry), pieces.as_slice()));
                }
                _ => {}
            }
        }
        change
    }

    /// The last entry at or before `index` that stays.
    fn last_kept(&self, entries: &[Entry<'_>], index: usize) -> Option<usize> {
        (0..=index).rev().find(|&index| !self.removed.contains(&entries[index].id()))
    }

    fn inserts_after(&self, entries: &[Entry<'_>], index: usize) -> bool {
        let from: BTreeSet<EntryId> = entries[index..].iter().map(|entry| entry.id()).collect();
        self.inserts.iter().any(|(position, _)| matches!(position, Position::After(id) if from.contains(id)))
    }
}

/// The comma behind an entry, before byte `limit`.
fn comma_after(entry: Entry<'_>, limit: u32) -> Option<u32> {
    let bytes = entry.stream().source().as_bytes();
    let mut at = entry.span().end;
    while at < limit {
        match bytes[at as usize] {
            b',' => return Some(at),
            b'#' => at += memchr::memchr(b'\n', &bytes[at as usize..limit as usize])? as u32,
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            _ => return None,
        }
    }
    None
}

/// First byte after the comma behind `entry` and the blanks after it.
fn after_comma(entry: Entry<'_>, limit: u32) -> u32 {
    let Some(comma) = comma_after(entry, limit) else { return entry.span().end };
    let rest = Span::new(comma + 1, limit).of(entry.stream().source());
    comma + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len()) as u32
}

fn next_start(node: Node<'_>, entries: &[Entry<'_>], anchor: Option<usize>) -> u32 {
    let next = anchor.map_or(0, |index| index + 1);
    entries.get(next).map_or(node.span().end - 1, |entry| entry.start())
}

fn column_of(node: Node<'_>) -> usize {
    let start = node.span().start;
    let line = Span::new(line_start(node.stream().source(), start), start).of(node.stream().source());
    line.len() - line.trim_start_matches(' ').len()
}

/// An empty root with its line's newline, where it has the line to itself.
fn root_line(node: Node<'_>) -> Span {
    let source = node.stream().source();
    let span = node.full_span();
    let rest = &source[span.end as usize..];
    let newline = if rest.starts_with("\r\n") { 2 } else { u32::from(rest.starts_with('\n')) };
    Span::new(span.start, span.end + newline)
}

fn join(texts: &[String]) -> String {
    texts.join(", ")
}
