//! Inserts, removes and rewrites entries of block collections.

use super::render::{Rendered, Target, properties};
use super::replacement::{Rank, Replacement, Seam, Tail};
use super::slot::{Slot, entries_span};
use super::{Place, SpliceError};
use crate::edit::{Content, Edit, Piece, Position};
use crate::entry::{Entry, EntryId};
use crate::parents::Seat;
use crate::span::Span;
use crate::tree::{Kind, Node};

impl<'a> Place<'_, 'a> {
    /// All edits of one collection's entries.
    pub(super) fn collection(&mut self, node: Node<'a>, edits: &[&Edit]) -> Result<(), SpliceError> {
        if node.is_flow() {
            return self.flow_collection(node, edits);
        }
        if removes_all(node, edits) {
            return self.empty(node);
        }
        let first = node.entries().next().map(Entry::id);
        let has_new_first = edits.iter().any(|edit| matches!(edit, Edit::Insert { position: Position::First, .. }));
        let removes_first = edits.iter().any(|edit| matches!(edit, Edit::Remove { entry } if Some(*entry) == first));
        let mut firsts = Vec::new();
        for edit in edits {
            match edit {
                Edit::Remove { entry } => self.remove(self.stream.entry(*entry), has_new_first),
                Edit::Insert { position: Position::First, pieces, .. } => firsts.extend(pieces),
                Edit::Insert { position: Position::After(entry), pieces, .. } => {
                    let entry = self.stream.entry(*entry);
                    let at = entry.extent().end;
                    let rank = Rank::behind(entry, at, node.id());
                    self.out.push(Replacement::lines(Span::at(at), self.pieces(node, pieces)?, rank));
                }
                Edit::Rewrite { entry, pieces } => self.rewrite(self.stream.entry(*entry), pieces)?,
                _ => {}
            }
        }
        if has_new_first {
            self.insert_first(node, removes_first, &firsts)?;
        }
        Ok(())
    }

    /// Writes `{}` or `[]` where a collection lost all of its entries: nothing at all would be a null.
    fn empty(&mut self, node: Node<'_>) -> Result<(), SpliceError> {
        let brackets = if node.kind() == Kind::Mapping { "{}" } else { "[]" };
        let seat = self.context.seat(self.id, node.id());
        let (Some(after), Some(entries)) = (self.after(seat), entries_span(node)) else {
            return self.empty_root(node, brackets);
        };
        let mut slot = Slot::of(node, after);
        if slot.body.start < entries.start {
            slot.body = entries;
        }
        let properties = properties(node, &[]);
        let space = if properties.is_empty() { "" } else { " " };
        let mut rendered = Rendered::inline(format!("{properties}{space}{brackets}"));
        if let Seat::Value(holder) = seat {
            self.add_trail(holder, &mut rendered);
        }
        self.fill(slot, rendered, node.column(), node.id());
        Ok(())
    }

    fn empty_root(&mut self, node: Node<'_>, brackets: &str) -> Result<(), SpliceError> {
        let entries = entries_span(node).ok_or(SpliceError::NoPlace(node.span()))?;
        let text = format!("{brackets}{}", self.context.newline.as_str());
        self.out.push(Replacement::lines(entries, text, Rank::Value));
        Ok(())
    }

    /// End of the indicator in front of a seat; `None` for a root.
    pub(super) fn after(&self, seat: Seat) -> Option<u32> {
        match seat {
            Seat::Root => None,
            Seat::Value(entry) => Some(self.stream.entry(entry).indicator().end),
            Seat::Key(entry) => {
                let entry = self.stream.entry(entry);
                let is_explicit = entry.key().is_some_and(Node::is_explicit_key);
                Some(entry.start() + u32::from(is_explicit))
            }
        }
    }

    /// Removes an entry; `is_replaced` tells that another takes the place of the first.
    fn remove(&mut self, entry: Entry<'_>, is_replaced: bool) {
        let mut replacement = Replacement::new(entry.extent(), "", Rank::Value);
        if !entry.starts_line() && !is_replaced {
            replacement.seam = Seam::SwallowIndent;
        }
        self.out.push(replacement);
    }

    fn insert_first(&mut self, node: Node<'_>, removes_first: bool, pieces: &[&Piece]) -> Result<(), SpliceError> {
        let text = self.pieces(node, pieces.iter().copied())?;
        let rank = Rank::Before(node.id().0);
        let first = node.entries().next().ok_or(SpliceError::NoPlace(node.span()))?;
        if first.starts_line() {
            let replacement = Replacement::lines(Span::at(first.extent().start), text, rank);
            if replacement.tail != Tail::Closed {
                self.dedent_lead(first);
            }
            self.out.push(replacement);
            return Ok(());
        }
        // `- name: x`: the new entry takes the place behind the dash, and `name` gets a line of its own.
        let text = if removes_first { text } else { format!("{text}{}", " ".repeat(node.column())) };
        self.push_compact((first.start(), first.start()), text, rank);
        Ok(())
    }

    /// Moves a lead comment that is indented deeper than its entry, where it would be text of a block scalar above.
    fn dedent_lead(&mut self, first: Entry<'_>) {
        let at = first.extent().start;
        let next = self.stream.tape.partition_point(|record| record.start < at);
        let is_comment = |index: &usize| self.stream.tape[*index].kind == Kind::Comment;
        if let Some(next) = (next..self.stream.tape.len()).find(is_comment).filter(|_| first.lead().is_some()) {
            self.dedent_comments(at, next, first.column());
        }
    }

    /// Writes whole lines to a place behind an indicator; lines that start with a comment go below it.
    pub(super) fn push_compact(&mut self, (start, end): (u32, u32), text: String, rank: Rank) {
        let tail = Tail::of(text.trim_end_matches(' '));
        let span = Span::new(start, end);
        self.out.push(if text.trim_start().starts_with('#') {
            Replacement { seam: Seam::Below, ..Replacement::new(span, text, rank) }.tail(tail)
        } else {
            Replacement::new(span, text.trim_start_matches(' '), rank).tail(tail)
        });
    }

    fn rewrite(&mut self, entry: Entry<'_>, pieces: &[Piece]) -> Result<(), SpliceError> {
        let text = self.pieces(entry.collection(), pieces)?;
        let rank = Rank::Value;
        if text.is_empty() {
            self.remove(entry, false);
            return Ok(());
        }
        if entry.starts_line() {
            self.out.push(Replacement::lines(entry.extent(), text, rank));
            return Ok(());
        }
        if pieces.iter().any(|piece| matches!(piece, Piece::Lines(_))) {
            return Err(SpliceError::NoPlace(entry.extent()));
        }
        self.push_compact((entry.extent().start, entry.extent().end), text, rank);
        Ok(())
    }

    fn pieces<'p>(&self, node: Node<'_>, pieces: impl IntoIterator<Item = &'p Piece>) -> Result<String, SpliceError> {
        let mut text = String::new();
        for piece in pieces {
            check_kind(node, piece)?;
            text.push_str(&self.context.piece(piece, node.column())?);
            if self.lacks_colon(node, piece)? {
                text.extend([" ".repeat(node.column()).as_str(), ":", self.context.newline.as_str()]);
            }
        }
        Ok(text)
    }

    /// Whether a piece is a `? key` without `:`, among entries of which one starts with `:`.
    fn lacks_colon(&self, node: Node<'_>, piece: &Piece) -> Result<bool, SpliceError> {
        let Piece::Entry(graft) = piece else { return Ok(false) };
        let entry = self.context.stream(graft.stream)?.entry(graft.part);
        let is_bare = |entry: Entry<'_>| entry.key().is_some() && entry.indicator().is_empty();
        let starts_with_colon = |entry: Entry<'_>| entry.start() == entry.indicator().start;
        Ok(is_bare(entry) && !entry.collection().is_flow() && node.entries().any(starts_with_colon))
    }

    pub(super) fn replace_value(&mut self, id: EntryId, content: &Content) -> Result<(), SpliceError> {
        let entry = self.stream.entry(id);
        let value = entry.value();
        let indicator = entry.indicator();
        let slot = Slot::of(value, indicator.end);
        let is_item = id.key.is_none();
        let is_open = is_item && entry.trail().is_none() && !self.trails.contains_key(&id);
        let compact = slot.compact_column(self.stream.source).filter(|_| is_open);
        let target =
            Target { column: Some(entry.column()), is_item, compact, keeps_layout: false, replaces: Some(value) };
        let mut rendered = self.context.value(content, target)?;
        self.add_trail(id, &mut rendered);
        if !is_item && indicator.is_empty() {
            return self.complete_pair(entry, rendered);
        }
        self.fill(slot, rendered, entry.column(), value.id());
        Ok(())
    }

    /// Puts the comment that comes together with a value behind it.
    pub(super) fn add_trail(&self, holder: EntryId, rendered: &mut Rendered) {
        let Some(trail) = self.trails.get(&holder) else { return };
        let space = if rendered.inline.is_empty() { "" } else { " " };
        rendered.inline.extend([space, trail]);
    }

    /// Writes the `:` and the value of a `? key` that has none.
    fn complete_pair(&mut self, entry: Entry<'_>, rendered: Rendered) -> Result<(), SpliceError> {
        let newline = self.context.newline.as_str();
        let space = if rendered.inline.is_empty() { "" } else { " " };
        let indent = " ".repeat(entry.column());
        let body = rendered.body.unwrap_or_default();
        let text = format!("{indent}:{space}{}{newline}{body}", rendered.inline);
        let at = entry.extent().end;
        let rank = Rank::behind(entry, at, entry.id().collection);
        let replacement = Replacement::lines(Span::at(at), text, rank);
        self.out.push(replacement.tail(rendered.tail));
        Ok(())
    }
}

/// Whether `edits` take all entries of `node` away and bring none.
pub(super) fn removes_all(node: Node<'_>, edits: &[&Edit]) -> bool {
    let removes = |edit: &&&Edit| match edit {
        Edit::Remove { .. } => true,
        Edit::Rewrite { pieces, .. } => pieces.is_empty(),
        _ => false,
    };
    let removed = edits.iter().filter(removes).count();
    removed > 0 && removed == edits.len() && removed == node.entries().count()
}

/// Items go into sequences, pairs into mappings.
pub(super) fn check_kind(node: Node<'_>, piece: &Piece) -> Result<(), SpliceError> {
    let is_item = match piece {
        Piece::Lines(_) => return Ok(()),
        Piece::Entry(graft) => graft.part.key.is_none(),
        Piece::New { key, .. } => key.is_none(),
    };
    if is_item == (node.kind() == Kind::Sequence) { Ok(()) } else { Err(SpliceError::KindMismatch) }
}
