//! Sets and removes the comments of an entry.

use super::replacement::Replacement;
use super::slot::header_len;
use super::{Place, SpliceError};
use crate::edit::{CommentSlot, StreamId};
use crate::entry::{Entry, EntryId};
use crate::span::{Span, line_end};
use crate::trivia::first_of_line;

impl Place<'_, '_> {
    pub(super) fn set_comment(
        &mut self,
        id: EntryId,
        slot: CommentSlot,
        from: Option<(StreamId, EntryId)>,
    ) -> Result<(), SpliceError> {
        let entry = self.stream.entry(id);
        let source = match from {
            Some((stream, id)) => Some(self.context.stream(stream)?.entry(id)),
            None => None,
        };
        match slot {
            CommentSlot::Lead => self.set_lead(entry, source),
            CommentSlot::Trail => {
                self.set_trail(entry, source);
                Ok(())
            }
        }
    }

    fn set_lead(&mut self, entry: Entry<'_>, from: Option<Entry<'_>>) -> Result<(), SpliceError> {
        if !entry.starts_line() {
            return Err(SpliceError::NoPlace(entry.span()));
        }
        let source = entry.stream().source();
        let at = first_of_line(source, entry.start());
        let old = entry.lead().map_or(Span::at(at), |lead| Span::new(first_of_line(source, lead.start), at));
        let mut text = String::new();
        if let Some((from, lead)) = from.and_then(|from| Some((from, from.lead()?))) {
            let theirs = from.stream().source();
            let lines = Span::new(first_of_line(theirs, lead.start), line_end(theirs, lead.end)).of(theirs);
            text = self.context.shift(from.column(), entry.column()).lines(lines);
        }
        self.out.push(Replacement::lines(old, text, 0));
        Ok(())
    }

    fn set_trail(&mut self, entry: Entry<'_>, from: Option<Entry<'_>>) {
        let source = entry.stream().source();
        let new = from.and_then(|from| Some((from, from.trail()?)));
        let old = entry.trail();
        let text = match (old, new) {
            (Some(old), None) => {
                let span = Span::new(blanks_before(source, old.start), old.end);
                self.out.push(Replacement::new(span, "", 0));
                return;
            }
            (Some(_), Some((from, trail))) => trail.of(from.stream().source()).to_owned(),
            (None, Some((from, trail))) => {
                let theirs = from.stream().source();
                Span::new(blanks_before(theirs, trail.start), trail.end).of(theirs).to_owned()
            }
            (None, None) => return,
        };
        let value = entry.value();
        if old.is_none() && value.is_block_collection() && !value.entries().next().is_none_or(Entry::starts_line) {
            // `- name: x`: the comment takes the place behind the dash, and `name` gets a line of its own.
            let span = Span::new(entry.indicator().end, value.full_span().start);
            let indent = " ".repeat(value.column());
            let text = format!("{text}{}{indent}", self.context.newline.as_str());
            self.out.push(Replacement::new(span, text, u32::MAX));
            return;
        }
        let span = old.unwrap_or_else(|| Span::at(trail_place(entry)));
        let line_break = if ends_line(source, span.end) {
            String::new()
        } else {
            // Inside a flow collection: what follows on the line must not become part of the comment.
            format!("{}{}", self.context.newline.as_str(), " ".repeat(entry.column()))
        };
        self.out.push(Replacement::new(span, text + &line_break, 0));
    }
}

/// Where a trail comment goes that is not there yet: at the end of the entry's own line.
fn trail_place(entry: Entry<'_>) -> u32 {
    let source = entry.stream().source();
    let value = entry.value();
    if value.kind().is_block_scalar() {
        return value.span().start + header_len(value.text());
    }
    if value.is_block_collection() {
        let end = line_end(source, entry.indicator().end);
        let line = Span::new(entry.indicator().end, end.min(entries_start(entry))).of(source);
        return entry.indicator().end + line.trim_ascii_end().len() as u32;
    }
    let end = entry.span().end;
    let comma = Span::new(end, line_end(source, end)).of(source).trim_end();
    if entry.collection().is_flow() && comma.trim_start() == "," { end + comma.len() as u32 } else { end }
}

fn entries_start(entry: Entry<'_>) -> u32 {
    entry.value().entries().next().map_or(u32::MAX, |first| first.extent().start)
}

fn ends_line(source: &str, at: u32) -> bool {
    Span::new(at, line_end(source, at)).of(source).trim_ascii().is_empty()
}

fn blanks_before(source: &str, at: u32) -> u32 {
    source[..at as usize].trim_end_matches([' ', '\t']).len() as u32
}
