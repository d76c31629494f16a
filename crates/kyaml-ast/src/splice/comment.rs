//! Sets and removes the comments of an entry.

use std::cmp::Reverse;

use super::replacement::{Rank, Replacement, Seam};
use super::{Place, SpliceError};
use crate::edit::{CommentSlot, StreamId};
use crate::entry::{Entry, EntryId};
use crate::span::{Span, line_end, line_start};
use crate::trivia::{first_of_line, owns_line};

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
            CommentSlot::Trail => self.set_trail(entry, source),
        }
    }

    fn set_lead(&mut self, entry: Entry<'_>, from: Option<Entry<'_>>) -> Result<(), SpliceError> {
        let source = entry.stream().source();
        let text = from.and_then(|from| self.lead_lines(from, entry.column()));
        if !entry.starts_line() || entry.collection().is_flow() && !owns_line(entry) {
            return match text {
                None => Ok(()),
                Some(_) if entry.collection().is_flow() => Err(SpliceError::NoPlace(entry.span())),
                Some(text) => {
                    let text = format!("{text}{}", " ".repeat(entry.column()));
                    self.push_compact((entry.start(), entry.start()), text, Rank::Lead);
                    Ok(())
                }
            };
        }
        let at = first_of_line(source, entry.start());
        let old = entry.lead().map_or(Span::at(at), |lead| Span::new(entry.extent().start.min(lead.start), at));
        self.out.push(Replacement::lines(old, text.unwrap_or_default(), Rank::Lead));
        Ok(())
    }

    /// The lead comment of an entry as whole lines, for an entry at `column`.
    fn lead_lines(&self, from: Entry<'_>, column: usize) -> Option<String> {
        let lead = from.lead()?;
        let source = from.stream().source();
        let newline = self.context.newline.as_str();
        let lines = Span::new(line_start(source, lead.start), line_end(source, lead.end)).of(source);
        let mut out = String::new();
        for line in lines.lines() {
            out.extend(std::iter::repeat_n(' ', column));
            out.extend([line.trim_start_matches('\u{feff}').trim_start(), newline]);
        }
        Some(out)
    }

    fn set_trail(&mut self, entry: Entry<'_>, from: Option<Entry<'_>>) -> Result<(), SpliceError> {
        let source = entry.stream().source();
        let new = from.and_then(|from| Some((from, from.trail()?)));
        let (old, replacement) = (entry.trail(), |span, text: String| Replacement::new(span, text, Rank::Value));
        let replacement = match (old, new) {
            (None, None) => return Ok(()),
            (Some(old), None) => replacement(Span::new(blanks_before(source, old.start), old.end), String::new()),
            (Some(old), Some((from, trail))) => replacement(old, trail.of(from.stream().source()).to_owned()),
            (None, Some((from, trail))) => {
                let text = with_gap(from, trail);
                match beside_indicator(entry).filter(|_| trail.start < from.value().full_span().start) {
                    Some(blanks) => replacement(blanks, text),
                    None => self.new_trail(entry, text)?,
                }
            }
        };
        self.out.push(replacement);
        Ok(())
    }

    /// Adds a trail comment where there is none: at the end of the entry's own line.
    fn new_trail(&mut self, entry: Entry<'_>, text: String) -> Result<Replacement, SpliceError> {
        let source = entry.stream().source();
        let value = entry.value();
        let at = |place: u32, text: String| {
            let is_nothing = value.full_span() == Span::at(place);
            let rank = match is_nothing {
                _ if entry.collection().is_flow() => Rank::Trail,
                true => Rank::Value,
                false => Rank::Behind(Reverse(value.id().0)),
            };
            Ok(Replacement::new(Span::at(place), text, rank))
        };
        if entry.collection().is_flow() {
            let end = entry.span().end;
            let rest = Span::new(end, line_end(source, end)).of(source).trim_ascii();
            let comma =
                if rest == "," { source[end as usize..].find(',').map_or(0, |found| found as u32 + 1) } else { 0 };
            let fits = owns_line(entry);
            return if fits { at(end + comma, text) } else { Err(SpliceError::NoPlace(entry.span())) };
        }
        if let Some(scalar) = value.block_scalar() {
            return at(scalar.header.end, text);
        }
        if !value.is_block_collection() {
            let end = entry.span().end;
            let is_last = Span::new(end, line_end(source, end)).of(source).trim_ascii().is_empty();
            return match entry.key().filter(|_| entry.indicator().is_empty()) {
                Some(key) if key.is_block_collection() || key.kind().is_block_scalar() => {
                    Ok(self.completing(entry, &format!(":{text}")))
                }
                _ if is_last => at(end, text),
                _ => Err(SpliceError::NoPlace(entry.span())),
            };
        }
        let after = entry.indicator().end;
        let Some(first) = value.entries().next().filter(|first| !first.starts_line()) else {
            return at(
                after + Span::new(after, line_end(source, after)).of(source).trim_ascii_end().len() as u32,
                text,
            );
        };
        // `- name: x`: the comment takes the place after the dash, and `name` gets a line of its own.
        let text = format!("{text}{}{}", self.context.newline.as_str(), " ".repeat(value.column()));
        Ok(Replacement { seam: Seam::Behind, ..Replacement::new(Span::at(first.start()), text, Rank::Between) })
    }
}

/// The blanks after `key:` or `-` whose place a comment can take. The value must be a scalar or flow collection on a
/// line below.
fn beside_indicator(entry: Entry<'_>) -> Option<Span> {
    let (source, value, after) = (entry.stream().source(), entry.value(), entry.indicator().end);
    let is_block = value.is_block_collection() || value.kind().is_block_scalar();
    let end = line_end(source, after);
    let is_below = !entry.indicator().is_empty() && !is_block && end <= value.full_span().start;
    let rest = Span::new(after, end).of(source);
    let blanks = Span::new(after, after + rest.trim_end_matches(['\r', '\n']).len() as u32);
    (is_below && rest.trim_ascii().is_empty() && !entry.collection().is_flow()).then_some(blanks)
}

/// A comment beside an entry, with the blanks before it.
pub(super) fn with_gap(entry: Entry<'_>, trail: Span) -> String {
    let source = entry.stream().source();
    let gap = Span::new(blanks_before(source, trail.start), trail.start).of(source);
    format!("{}{}", if gap.is_empty() { " " } else { gap }, trail.of(source))
}

fn blanks_before(source: &str, at: u32) -> u32 {
    source[..at as usize].trim_end_matches([' ', '\t']).len() as u32
}
