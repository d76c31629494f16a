//! Changes of whole entries: removes, renames and moves them, and sets their comments.

use super::{Changes, field, lost};
use crate::change::draft::{Leaf, draft};
use crate::change::habit::separator;
use crate::change::{ChangeError, TARGET, deepest_entry, first_entry, is_null};
use crate::edit::{CommentSlot, Edit, Graft, Piece};
use crate::entry::{Entry, EntryId};
use crate::path::{End, Found, LookupErrorKind, Segment, Step};
use crate::quote::{ScalarPlace, fits_implicit_key, render_string_like};
use crate::span::Span;
use crate::tree::{Document, Kind, Node, Stream};

impl<'t> Changes<'t> {
    /// Removes an entry with its comments. If blank lines stand between all elements of its list, removes one of these
    /// gaps, too.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn delete(&mut self, document: Document<'t>, found: Found<'t>) -> Result<(), ChangeError> {
        let entry = found.entry.ok_or(ChangeError::Root)?;
        self.unanchored(document, entry)?;
        self.take_out(entry);
        Ok(())
    }

    fn take_out(&mut self, entry: Entry<'t>) {
        let collection = entry.collection();
        self.edits.push(Edit::Remove { entry: entry.id() });
        if separator(collection).is_some() {
            let items: Vec<Entry<'_>> = collection.entries().collect();
            let at = items.iter().position(|item| item.id() == entry.id()).unwrap_or_default();
            let pair = if at == 0 { [&items[0], &items[1]] } else { [&items[at - 1], &items[at]] };
            let span = Span::new(pair[0].extent().end, pair[1].extent().start);
            self.edits.push(Edit::Text { span, text: String::new() });
        }
        self.whole.insert(entry.id().value);
        self.whole.insert(collection.id());
        self.note(collection.id());
    }

    /// Gives a field another name.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn rename(&mut self, document: Document<'t>, found: Found<'t>, name: &str) -> Result<(), ChangeError> {
        let entry = found.entry.ok_or(ChangeError::Root)?;
        let key = entry.key().ok_or(ChangeError::NoName)?;
        if key.kind().is_scalar() && key.value() == name {
            return Ok(());
        }
        if let Some((name, alias)) = self.used_anchor(document, key.id(), key) {
            return Err(ChangeError::Anchored { name: name.to_owned(), alias });
        }
        let text = self.free_key(entry.collection(), key, name)?;
        self.edits.push(Edit::ReplaceKey { entry: entry.id(), text });
        self.whole.insert(entry.id().value);
        self.names.entry(entry.id().collection).or_default().insert(name.to_owned());
        self.note(entry.id().value);
        Ok(())
    }

    /// A key for a new name, in place of an old one. An error if another field of the mapping has this name, or will have it.
    fn free_key(&self, mapping: Node<'_>, old: Node<'_>, name: &str) -> Result<String, ChangeError> {
        let will_be = self.names.get(&mapping.id()).is_some_and(|names| names.contains(name));
        let taken = if will_be { Some(old) } else { field(mapping, name).and_then(Entry::key) };
        if let Some(taken) = taken {
            return Err(ChangeError::Taken { name: name.to_owned(), span: taken.span() });
        }
        let text = match old.kind() {
            kind @ (Kind::SingleQuoted | Kind::DoubleQuoted) => render_string_like(kind, name, ScalarPlace::Flow),
            _ => self.habits(Some(mapping)).key(name),
        };
        if fits_implicit_key(&text) { Ok(text) } else { Err(ChangeError::LongName) }
    }

    /// Moves an entry with its comments to an end that does not exist yet.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn relocate(&mut self, document: Document<'t>, found: Found<'t>, end: &End<'_, 't>) -> Result<(), ChangeError> {
        let entry = found.entry.ok_or(ChangeError::Root)?;
        self.unanchored(document, entry)?;
        let Some((rest, LookupErrorKind::Missing { .. } | LookupErrorKind::WrongKind(_))) = &end.rest else {
            return Err(match end.error() {
                Some(error) => error.into(),
                None => ChangeError::Taken { name: end.path.to_string(), span: end.found.node.span() },
            });
        };
        if self.way(end.found.node.id()).any(|id| id == entry.id().value) {
            return Err(ChangeError::Inside);
        }
        let mut edits = Vec::new();
        match (rest.last(), entry.key()) {
            (Some(Step::One(Segment::Field(name)) | Step::Token(name)), Some(key)) => {
                if key.value() != *name {
                    let quotes = matches!(key.kind(), Kind::SingleQuoted | Kind::DoubleQuoted);
                    let habits = self.habits(None);
                    let text =
                        if quotes { render_string_like(key.kind(), name, ScalarPlace::Flow) } else { habits.key(name) };
                    edits.push(Edit::ReplaceKey { entry: entry.id(), text });
                }
            }
            (Some(Step::New(_)), None) => {}
            _ => return Err(ChangeError::OtherKind),
        }
        let moved = Piece::Entry(Graft { stream: TARGET, part: entry.id(), edits });
        let piece = match rest {
            [_] if !is_null(end.found.node) => moved,
            _ => {
                let habits = self.habits(Some(end.found.node).filter(|node| node.kind().is_collection()));
                let text = draft(rest, Leaf::Nothing, habits).ok_or_else(|| lost(end))?;
                let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
                let (first, deepest) = first_entry(&stream).zip(deepest_entry(&stream)).ok_or(ChangeError::Root)?;
                let edits = vec![Edit::Rewrite { entry: deepest, pieces: vec![moved] }];
                Piece::Entry(Graft { stream: self.fragment(text), part: first, edits })
            }
        };
        self.insert(document, end, rest, piece)?;
        self.take_out(entry);
        Ok(())
    }

    /// Writes a comment beside or above an entry. It never removes a comment.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn comment(&mut self, found: Found<'t>, slot: CommentSlot, text: &str) -> Result<(), ChangeError> {
        let entry = found.entry.ok_or(ChangeError::Root)?;
        if slot == CommentSlot::Trail && text.contains(['\n', '\r']) {
            return Err(ChangeError::Lines);
        }
        if !text.is_empty() && !entry.has_room_for_comments() {
            return Err(ChangeError::NoRoom);
        }
        let marked = |line: &str| match line.trim_end() {
            "" => "#".to_owned(),
            line if line.starts_with('#') => line.to_owned(),
            line => format!("# {line}"),
        };
        let fragment = match (slot, text) {
            (_, "") => None,
            (CommentSlot::Trail, text) => Some(format!("x: 1 {}\n", marked(text))),
            (CommentSlot::Lead, text) => {
                Some(text.lines().map(|line| marked(line) + "\n").collect::<String>() + "x: 1\n")
            }
        };
        let old = if slot == CommentSlot::Lead { entry.lead() } else { entry.trail() };
        if fragment.is_none() && old.is_none() {
            return Ok(());
        }
        let from = match fragment {
            Some(text) => {
                let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
                let from = first_entry(&stream).ok_or(ChangeError::Root)?;
                Some((self.fragment(text), from))
            }
            None => None,
        };
        self.edits.push(Edit::SetComment { entry: entry.id(), slot, from });
        self.whole.insert(entry.id().value);
        self.note(entry.id().value);
        self.note_rewritten(entry.id().value);
        Ok(())
    }

    /// An error if the entry contains an anchor that an alias elsewhere refers to: such an entry cannot be removed.
    fn unanchored(&mut self, document: Document<'t>, entry: Entry<'t>) -> Result<(), ChangeError> {
        let EntryId { key, value, .. } = entry.id();
        match self.used_anchor(document, key.unwrap_or(value), entry.value()) {
            Some((name, alias)) => Err(ChangeError::Anchored { name: name.to_owned(), alias }),
            None => Ok(()),
        }
    }
}
