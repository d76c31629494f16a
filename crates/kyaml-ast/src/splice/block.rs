//! Inserts, removes and rewrites entries of block collections.

use super::replacement::{Replacement, Seam};
use super::{Place, SpliceError};
use crate::edit::{Content, Edit, Piece, Position};
use crate::entry::Entry;
use crate::span::Span;
use crate::tree::{Kind, Node};

impl Place<'_, '_> {
    /// All edits of one collection's entries.
    pub(super) fn collection(&mut self, node: Node<'_>, edits: &[&Edit]) -> Result<(), SpliceError> {
        if node.is_flow() {
            return self.flow_collection(node, edits);
        }
        if removes_all(node, edits) {
            return self.empty(node);
        }
        for edit in edits {
            match edit {
                Edit::Remove { entry } => self.remove(self.stream.entry(*entry)),
                Edit::Insert { position, pieces, .. } => self.insert(node, *position, pieces)?,
                Edit::Rewrite { entry, pieces } => self.rewrite(self.stream.entry(*entry), pieces)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes `{}` or `[]` where a collection lost all of its entries: nothing at all would be a null.
    fn empty(&mut self, node: Node<'_>) -> Result<(), SpliceError> {
        let content = Content::Inline(if node.kind() == Kind::Mapping { "{}" } else { "[]" }.to_owned());
        match self.context.holder(self.id, node.id()) {
            Some(holder) => self.replace_value(holder, &content),
            None => self.replace_root(node.id(), &content),
        }
    }

    fn remove(&mut self, entry: Entry<'_>) {
        let mut replacement = Replacement::new(entry.extent(), "", 0);
        if !entry.starts_line() {
            replacement.seam = Seam::SwallowIndent;
        }
        self.out.push(replacement);
    }

    fn insert(&mut self, node: Node<'_>, position: Position, pieces: &[Piece]) -> Result<(), SpliceError> {
        let text = self.pieces(node, pieces)?;
        let rank = node.id().0;
        let first = match position {
            Position::After(entry) => {
                let at = self.stream.entry(entry).extent().end;
                self.out.push(Replacement::lines(Span::at(at), text, rank));
                return Ok(());
            }
            Position::First => node.entries().next().ok_or(SpliceError::NoPlace(node.span()))?,
        };
        if first.starts_line() {
            self.out.push(Replacement::lines(Span::at(first.extent().start), text, rank));
            return Ok(());
        }
        // `- name: x`: the new entry takes the place behind the dash, and `name` gets a line of its own.
        let text = format!("{}{}", text.trim_start_matches(' '), " ".repeat(node.column()));
        self.out.push(Replacement::new(Span::at(first.start()), text, rank));
        Ok(())
    }

    fn rewrite(&mut self, entry: Entry<'_>, pieces: &[Piece]) -> Result<(), SpliceError> {
        let text = self.pieces(entry.collection(), pieces)?;
        let rank = entry.id().collection.0;
        if entry.starts_line() {
            self.out.push(Replacement::lines(entry.extent(), text, rank));
            return Ok(());
        }
        if pieces.iter().any(|piece| matches!(piece, Piece::Lines(_))) {
            return Err(SpliceError::NoPlace(entry.extent()));
        }
        self.out.push(Replacement::new(entry.extent(), text.trim_start_matches(' '), rank));
        Ok(())
    }

    fn pieces(&self, node: Node<'_>, pieces: &[Piece]) -> Result<String, SpliceError> {
        let mut text = String::new();
        for piece in pieces {
            check_kind(node, piece)?;
            text.push_str(&self.context.piece(piece, node.column())?);
        }
        Ok(text)
    }
}

/// Whether `edits` take all entries of `node` away and bring none.
pub(super) fn removes_all(node: Node<'_>, edits: &[&Edit]) -> bool {
    let removed = edits.iter().filter(|edit| matches!(edit, Edit::Remove { .. })).count();
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
