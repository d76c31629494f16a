//! Inserts, removes and rewrites entries of block collections.
//!
//! Invariant: a collection that loses all of its entries becomes `{}` or `[]`, because nothing would be a null. Ignores
//! flow collections.

use std::collections::BTreeSet;

use super::render::{Rendered, Target};
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
        let has_colons = self.starts_with_colon(node, edits)?;
        if has_colons {
            self.complete_keys(node, edits);
        }
        for edit in edits {
            match edit {
                Edit::Remove { entry } => self.remove(self.stream.entry(*entry), has_new_first),
                Edit::Insert { position: Position::First, pieces, .. } => firsts.extend(pieces),
                Edit::Insert { position: Position::After(entry), pieces, .. } => {
                    let entry = self.stream.entry(*entry);
                    let at = entry.extent().end;
                    let rank = Rank::behind(entry, at, node.id());
                    self.out.push(Replacement::lines(Span::at(at), self.pieces((node, has_colons), pieces)?, rank));
                }
                Edit::Rewrite { entry, pieces } => self.rewrite(self.stream.entry(*entry), pieces, has_colons)?,
                _ => {}
            }
        }
        if has_new_first {
            self.insert_first((node, has_colons), removes_first, &firsts)?;
        }
        Ok(())
    }

    /// Writes `{}` or `[]` for a collection that lost all of its entries. Without brackets it would be a null.
    fn empty(&mut self, node: Node<'_>) -> Result<(), SpliceError> {
        let brackets = if node.kind() == Kind::Mapping { "{}" } else { "[]" };
        self.forget_gaps(node);
        let seat = self.context.seat(self.id, node.id());
        let (Some(after), Some(entries)) = (self.after(seat), entries_span(node)) else {
            return self.empty_root(node, brackets);
        };
        let mut slot = Slot::of(node, after);
        if slot.body.start < entries.start {
            slot.body = entries;
        }
        let (slot, _) = slot.behind_properties(node);
        let mut rendered = Rendered::inline(brackets);
        if let Seat::Value(holder) = seat {
            self.add_trail(holder, &mut rendered);
        }
        self.fill(slot, rendered, node.column(), node.id());
        Ok(())
    }

    /// Drops changes of lines between the entries of a collection. These lines are removed with the entries.
    fn forget_gaps(&mut self, node: Node<'_>) {
        let Some(entries) = entries_span(node) else { return };
        let source = self.stream.source;
        let is_trivia = |line: &str| matches!(line.trim_ascii_start().as_bytes(), [] | [b'#', ..]);
        let is_gap = |span: Span| entries.contains(span) && span.of(source).lines().all(is_trivia);
        self.out.retain(|it| it.seam != Seam::Plain || it.span.is_empty() || !is_gap(it.span));
    }

    fn empty_root(&mut self, node: Node<'_>, brackets: &str) -> Result<(), SpliceError> {
        let entries = entries_span(node).ok_or(SpliceError::NoPlace(node.span()))?;
        let text = format!("{brackets}{}", self.context.newline.as_str());
        self.out.push(Replacement::lines(entries, text, Rank::Value));
        Ok(())
    }

    /// End of the indicator before a seat. `None` for a root.
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

    /// Removes an entry. `is_replaced`: another entry takes the place of the first one.
    fn remove(&mut self, entry: Entry<'_>, is_replaced: bool) {
        let mut replacement = Replacement::new(entry.extent(), "", Rank::Value);
        if !entry.starts_line() && !is_replaced {
            replacement.seam = Seam::SwallowIndent;
        }
        self.out.push(replacement);
    }

    fn insert_first(
        &mut self,
        (node, has_colons): (Node<'_>, bool),
        removes_first: bool,
        pieces: &[&Piece],
    ) -> Result<(), SpliceError> {
        let text = self.pieces((node, has_colons), pieces.iter().copied())?;
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
        // `- name: x`: the new entry takes the place after the dash, and `name` gets a line of its own.
        let text = if removes_first { text } else { format!("{text}{}", " ".repeat(node.column())) };
        self.push_compact((first.start(), first.start()), text, rank);
        Ok(())
    }

    /// Moves a lead comment to the left if it is indented more than its entry and would be text of a block scalar
    /// above.
    fn dedent_lead(&mut self, first: Entry<'_>) {
        let at = first.extent().start;
        let next = self.stream.tape.partition_point(|record| record.start < at);
        let is_comment = |index: &usize| self.stream.tape[*index].kind == Kind::Comment;
        if let Some(next) = (next..self.stream.tape.len()).find(is_comment).filter(|_| first.lead().is_some()) {
            self.dedent_comments(at, next, first.column());
        }
    }

    /// Writes whole lines directly after an indicator. Lines that start with a comment go below it.
    pub(super) fn push_compact(&mut self, (start, end): (u32, u32), text: String, rank: Rank) {
        let tail = Tail::of(text.trim_end_matches(' '));
        let span = Span::new(start, end);
        self.out.push(if text.trim_start().starts_with('#') {
            Replacement { seam: Seam::Below, ..Replacement::new(span, text, rank) }.tail(tail)
        } else {
            Replacement::new(span, text.trim_start_matches(' '), rank).tail(tail)
        });
    }

    fn rewrite(&mut self, entry: Entry<'_>, pieces: &[Piece], has_colons: bool) -> Result<(), SpliceError> {
        let text = self.pieces((entry.collection(), has_colons), pieces)?;
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

    /// Pieces as lines. `has_colons`: a `? key` needs its `:`, because entries that start with `:` follow.
    fn pieces<'p>(
        &self,
        (node, has_colons): (Node<'_>, bool),
        pieces: impl IntoIterator<Item = &'p Piece>,
    ) -> Result<String, SpliceError> {
        let mut text = String::new();
        for piece in pieces {
            check_kind(node, piece)?;
            text.push_str(&self.context.piece(piece, node.column())?);
            if has_colons && self.entry_of(piece)?.is_some_and(is_bare) && !is_completed(piece) {
                text.extend([" ".repeat(node.column()).as_str(), ":", self.context.newline.as_str()]);
            }
        }
        Ok(text)
    }

    /// The entry that a piece copies.
    pub(super) fn entry_of<'p>(&'p self, piece: &Piece) -> Result<Option<Entry<'p>>, SpliceError> {
        let Piece::Entry(graft) = piece else { return Ok(None) };
        Ok(Some(self.context.stream(graft.stream)?.entry(graft.part)))
    }

    /// Whether an entry of the collection, or one that edits bring, starts with `:`.
    fn starts_with_colon(&self, node: Node<'_>, edits: &[&Edit]) -> Result<bool, SpliceError> {
        for edit in edits {
            let (Edit::Insert { pieces, .. } | Edit::Rewrite { pieces, .. }) = edit else { continue };
            for piece in pieces {
                let has_no_key = matches!(piece, Piece::New { key: Some(key), .. } if key.is_empty());
                if has_no_key || self.entry_of(piece)?.is_some_and(has_empty_key) {
                    return Ok(true);
                }
            }
        }
        Ok(node.entries().any(has_empty_key))
    }

    /// Writes `:` below each `? key` that has none and stands directly before a change.
    fn complete_keys(&mut self, node: Node<'_>, edits: &[&Edit]) {
        let (mut gone, mut has_new) = (BTreeSet::new(), BTreeSet::new());
        for edit in edits {
            match edit {
                Edit::Remove { entry } | Edit::Rewrite { entry, .. } => _ = gone.insert(*entry),
                Edit::Insert { position: Position::After(entry), .. } => _ = has_new.insert(*entry),
                _ => {}
            }
        }
        let entries: Vec<Entry<'_>> = node.entries().collect();
        for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| is_bare(**entry)) {
            let is_next_gone = entries.get(index + 1).is_some_and(|next| gone.contains(&next.id()));
            let stays_bare = !gone.contains(&entry.id()) && !self.completed.contains(&entry.id());
            if (is_next_gone || has_new.contains(&entry.id())) && stays_bare {
                let line = self.completing(*entry, ":");
                self.out.push(line);
            }
        }
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

    /// Adds the comment that comes together with a value, after the value.
    pub(super) fn add_trail(&self, holder: EntryId, rendered: &mut Rendered) {
        let Some(trail) = self.trails.get(&holder) else { return };
        rendered.inline.push_str(if rendered.inline.is_empty() { trail.trim_start() } else { trail });
    }

    /// Writes the `:` and the value of a `? key` that has no `:`.
    fn complete_pair(&mut self, entry: Entry<'_>, rendered: Rendered) -> Result<(), SpliceError> {
        let newline = self.context.newline.as_str();
        let space = if rendered.inline.is_empty() { "" } else { " " };
        let body = rendered.body.unwrap_or_default();
        let replacement = self.completing(entry, &format!(":{space}{}{newline}{body}", rendered.inline));
        self.out.push(replacement.tail(rendered.tail));
        Ok(())
    }

    /// Writes lines that start with `:` below a `? key` that has no `:`.
    pub(super) fn completing(&mut self, entry: Entry<'_>, lines: &str) -> Replacement {
        self.completed.insert(entry.id());
        let newline = if lines.ends_with('\n') { "" } else { self.context.newline.as_str() };
        let text = format!("{}{lines}{newline}", " ".repeat(entry.column()));
        let at = entry.extent().end;
        Replacement::lines(Span::at(at), text, Rank::behind(entry, at, entry.id().collection))
    }
}

/// Whether `edits` remove all entries of `node` and add none.
pub(super) fn removes_all(node: Node<'_>, edits: &[&Edit]) -> bool {
    let removes = |edit: &&&Edit| match edit {
        Edit::Remove { .. } => true,
        Edit::Rewrite { pieces, .. } => pieces.is_empty(),
        _ => false,
    };
    let removed = edits.iter().filter(removes).count();
    removed > 0 && removed == edits.len() && removed == node.entries().count()
}

/// Whether an entry is a `? key` without `:`.
fn is_bare(entry: Entry<'_>) -> bool {
    let is_explicit = entry.key().is_some_and(Node::is_explicit_key);
    is_explicit && !entry.collection().is_flow() && entry.indicator().is_empty()
}

/// Whether the edits of a piece add a `:` to it.
pub(super) fn is_completed(piece: &Piece) -> bool {
    let Piece::Entry(graft) = piece else { return false };
    graft.edits.iter().any(|edit| match edit {
        Edit::ReplaceValue { entry, .. } => *entry == graft.part,
        _ => false,
    })
}

/// Whether an entry starts with `:` when it stands in a block.
fn has_empty_key(entry: Entry<'_>) -> bool {
    entry.key().is_some_and(|key| key.kind() == Kind::Null && key.full_span().is_empty() && !key.is_explicit_key())
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
