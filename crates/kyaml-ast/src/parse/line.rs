//! A shortcut for lines of the common shape: any number of `- `, then `key:`, then text. Each of these may be missing.
//!
//! Key and text stand on that line, plain or in quotes without escapes. A comment may follow. Comments and blank lines
//! between such lines are included. For anything else, the general rules take over at the place where it starts. So the
//! shortcut decides no question of syntax: without it, every source gives the same tape or the same error, only more
//! slowly.

use super::block::{Frame, LONGEST_KEY, State};
use super::scalar::After;
use super::{Hole, Lead, Parsed, Parser};
use crate::scan::{self, PlainStops};
use crate::tree::{Kind, Record, flag};

/// Classes of bytes that cannot start a plain scalar, or only sometimes.
const UNUSUAL: u8 = scan::TRIVIA | scan::BREAK | scan::INDICATOR | scan::MAYBE;

/// A line: its start, and the position of its first byte that is not a space.
#[derive(Clone, Copy)]
struct Line {
    start: usize,
    at: usize,
    first: u8,
}

/// Text on one line. `stop` is the position after it, and after blanks that follow.
#[derive(Clone, Copy)]
struct Text {
    kind: Kind,
    end: usize,
    stop: usize,
}

/// The state of the shortcut in a line. `at` is the position. `after` is the end of the indicator before it, or the
/// line's first token.
#[derive(Clone, Copy)]
struct Place {
    at: usize,
    after: usize,
    lead: Lead,
}

impl Parser<'_> {
    /// Moves over lines of the common shape, and over the part of the next line that has it. Returns whether it moved.
    /// The cursor must be at the first token of a line that belongs to the top frame.
    pub(super) fn lines(&mut self) -> Parsed<bool> {
        if self.lead.tab.is_some() || self.outer.any() {
            return Ok(false);
        }
        let before = self.at;
        let mut line = Line { start: self.line, at: self.at, first: self.peek() };
        while let Some(next) = self.common_line(line) {
            line = self.content_after(next);
            self.line = line.start;
            self.at = line.at;
            if self.is_special(line) {
                break;
            }
            // Each line may be the first of lines that another stream has.
            if self.known.is_some() {
                break;
            }
            if !self.is_level(line) {
                self.dedent()?;
                if !self.nulls.is_empty() {
                    break;
                }
            }
        }
        Ok(self.at > before)
    }

    /// Moves over blank lines and comments.
    #[inline]
    fn content_after(&mut self, mut line: Line) -> Line {
        loop {
            line = match line.first {
                b'\n' => line_at(self.bytes, line.at + 1),
                b'#' => {
                    let end = scan::find_break(self.bytes, line.at);
                    let flags = flag::OWN_LINE | self.item_flag(line.start, line.at);
                    self.push(Record::leaf(Kind::Comment, flags, line.at - line.start, line.at..end));
                    line_at(self.bytes, scan::skip_break(self.bytes, end))
                }
                _ => return line,
            };
        }
    }

    /// Whether a line starts with something other than a token of the content.
    #[inline]
    fn is_special(&self, line: Line) -> bool {
        scan::is(line.first, scan::TRIVIA | scan::BREAK)
            || (line.at == line.start && scan::is_marker(self.bytes, line.at))
    }

    /// Whether a line seems to belong to the top frame.
    #[inline]
    fn is_level(&self, line: Line) -> bool {
        let top = self.top();
        if top.state.is_pending() {
            return line.indent() > top.indent;
        }
        let dash = line.first == b'-' && self.is_at(line.at + 1, scan::BLANK | scan::BREAK);
        line.indent() == top.indent && dash == (top.state == State::Items)
    }

    /// Moves over a line and returns the next. `None` if the line contains anything else; the cursor is then at that.
    #[inline(always)]
    fn common_line(&mut self, line: Line) -> Option<Line> {
        let bytes = self.bytes;
        let mut place = Place { at: line.at, after: line.at, lead: Lead::FRESH };
        while scan::byte(bytes, place.at) == b'-' && scan::byte(bytes, place.at + 1) == b' ' {
            if !self.open_common(Kind::Sequence, State::Items, State::Item, place.at) {
                return self.stop(place);
            }
            place = Place::after(bytes, place.at + 1, Lead::COMPACT);
        }
        let Some(text) = common_text(bytes, place.at) else { return self.stop(place) };
        if scan::byte(bytes, text.stop) != b':' {
            return self.common_node(text, place);
        }
        let after = text.stop + 1;
        let is_key = text.kind == Kind::Plain || self.is_at(after, scan::BLANK | scan::BREAK);
        let is_key = is_key && after - place.at <= LONGEST_KEY;
        if !is_key || !self.open_common(Kind::Mapping, State::Keys, State::Value, place.at) {
            return self.stop(place);
        }
        self.push(Record::leaf(text.kind, 0, place.at - self.line, place.at..text.end));
        place = Place::after(bytes, after, Lead::INLINE);
        if scan::byte(bytes, place.at) == b'\n' {
            self.hole = self.hole_after(place);
            return Some(line_at(bytes, place.at + 1));
        }
        let Some(text) = common_text(bytes, place.at) else { return self.stop(place) };
        self.common_node(text, place)
    }

    /// Leaves the rest of the line to the general rules.
    fn stop(&mut self, place: Place) -> Option<Line> {
        if place.at > self.at {
            self.hole = self.hole_after(place);
            self.lead = place.lead;
            self.at = place.at;
        }
        None
    }

    #[inline]
    fn hole_after(&self, place: Place) -> Hole {
        Hole { index: self.tape.len(), at: place.after, column: place.after - self.line }
    }

    /// Moves the collection whose entry starts at `at` from the state between entries to the state of an entry. Opens
    /// the collection if a node is expected. Returns `false` if neither is possible.
    #[inline(always)]
    fn open_common(&mut self, kind: Kind, between: State, entry: State, at: usize) -> bool {
        let Some(top) = self.frames.last_mut() else { return false };
        if top.state == between {
            top.state = entry;
            return true;
        }
        let Some(settled) = top.state.settled_simply() else { return false };
        top.state = settled;
        let column = at - self.line;
        self.frames.push(Frame { indent: column as i64, record: self.tape.len() as u32, state: entry });
        self.push(Record::leaf(kind, 0, column, at..at));
        true
    }

    /// Completes the expected node with the text at `place`, and records the comment after it.
    #[inline(always)]
    fn common_node(&mut self, text: Text, place: Place) -> Option<Line> {
        let top = self.top();
        let Some(settled) = top.state.settled_simply() else { return self.stop(place) };
        let next = match scan::byte(self.bytes, text.stop) {
            b'\n' => line_at(self.bytes, text.stop + 1),
            b'#' if text.stop > text.end => return Some(self.common_comment(text, settled, place.at)),
            _ => return self.stop(place),
        };
        if text.kind == Kind::Plain && next.may_continue(top.indent) {
            self.at = place.at;
            return self.long_node(text, settled);
        }
        self.end_common(text, settled, place.at);
        Some(next)
    }

    /// Completes a node with the text at `at`, and records the comment after it.
    fn common_comment(&mut self, text: Text, settled: State, at: usize) -> Line {
        self.end_common(text, settled, at);
        let end = scan::find_break(self.bytes, text.stop);
        self.push(Record::leaf(Kind::Comment, 0, text.stop - self.line, text.stop..end));
        line_at(self.bytes, scan::skip_break(self.bytes, end))
    }

    #[inline(always)]
    fn end_common(&mut self, text: Text, settled: State, at: usize) {
        self.set_state(settled);
        self.push(Record::leaf(text.kind, 0, at - self.line, at..text.end));
        self.last = Hole { index: self.tape.len(), at: text.end, column: text.end - self.line };
    }

    /// Plain text at the cursor that continues, or may continue, on the next line.
    fn long_node(&mut self, text: Text, settled: State) -> Option<Line> {
        let (last, after) = self.plain_lines(self.top(), text.stop);
        self.set_state(settled);
        self.last = last;
        match after {
            After::Other { line, at } => Some(Line { start: line, at, first: scan::byte(self.bytes, at) }),
            After::Line | After::Text { .. } => None,
        }
    }
}

impl Place {
    /// The first byte after an indicator that is not a space.
    #[inline(always)]
    fn after(bytes: &[u8], after: usize, lead: Lead) -> Self {
        let mut at = after;
        if scan::byte(bytes, at) == b' ' {
            at += 1;
            // Mostly there is one.
            if scan::byte(bytes, at) == b' ' {
                at = scan::skip_spaces(bytes, at);
            }
        }
        Self { at, after, lead }
    }
}

impl Line {
    #[inline]
    fn indent(self) -> i64 {
        (self.at - self.start) as i64
    }

    /// Whether plain text in a collection at column `indent` continues here, or on a later line.
    #[inline]
    fn may_continue(self, indent: i64) -> bool {
        self.first != b'#' && (self.indent() > indent || scan::is(self.first, scan::TRIVIA | scan::BREAK))
    }
}

/// The line that starts at `start`.
#[inline]
fn line_at(bytes: &[u8], start: usize) -> Line {
    let at = scan::skip_spaces(bytes, start);
    Line { start, at, first: scan::byte(bytes, at) }
}

/// The text at `at` on its line, if it has the common shape.
#[inline(always)]
fn common_text(bytes: &[u8], at: usize) -> Option<Text> {
    let first = scan::byte(bytes, at);
    if scan::is(first, UNUSUAL) {
        if matches!(first, b'"' | b'\'') {
            return quoted_text(bytes, at, first);
        }
        if !scan::is(first, scan::MAYBE) || scan::is(scan::byte(bytes, at + 1), scan::BLANK | scan::BREAK) {
            return None;
        }
    }
    let stop = scan::plain_stop(bytes, at, PlainStops::default());
    Some(Text { kind: Kind::Plain, end: scan::trim(bytes, at, stop), stop })
}

fn quoted_text(bytes: &[u8], at: usize, quote: u8) -> Option<Text> {
    let (kind, escape) = if quote == b'"' { (Kind::DoubleQuoted, b'\\') } else { (Kind::SingleQuoted, quote) };
    let close = scan::find_in_quotes(bytes, at + 1, quote, escape);
    let end = close + 1;
    let is_end = scan::byte(bytes, close) == quote && (quote == b'"' || scan::byte(bytes, end) != quote);
    is_end.then(|| Text { kind, end, stop: scan::skip_blanks(bytes, end) })
}

#[cfg(test)]
mod tests {
    //! The shortcut changes nothing but the time.

    use proptest::prelude::*;

    use crate::parse::Parser;
    use crate::tree::Record;
    use crate::{Acceptance, ParseError};

    fn tape(source: &str, acceptance: Acceptance, is_quick: bool) -> Result<Vec<Record>, ParseError> {
        let mut parser = Parser::new(source, acceptance);
        parser.is_quick = is_quick;
        match parser.stream() {
            Ok(()) => Ok(parser.into_tape()),
            Err(error) => Err(parser.explain(error)),
        }
    }

    fn assert_same(source: &str) {
        for acceptance in [Acceptance::KubeCompat, Acceptance::Strict12] {
            assert_eq!(tape(source, acceptance, true), tape(source, acceptance, false), "{acceptance:?} {source:?}");
        }
    }

    /// Parts of lines, and text that the shortcut must leave alone.
    const PARTS: &str = "\n|\n|\n  |\n  |\n    |\n |- |- |-|a: b|a: b|key:|key: |k:\n  |text|\"q\"|'s'|\"q\": 'v'|'s': w|'it''s'\
        |\"\\n\"|\"two\n  lines\"| # c|# own\n|#|\t| |  |&a |!t |*a |? |: |:|[|]|{|,|[a, b]|{a: b}|>+\n|>-\n  text\n|---\n|--- |---\
        |...\n|\r\n|\r|\u{feff}|\u{ff08}|\u{e9}|\\|'|\"|--flag|-x|?x|:x|%YAML 1.2\n|@|`|more than sixteen bytes: of text, no end\n\
        |a: goes on\n  here\n\n  and here\n";

    fn part() -> impl Strategy<Value = &'static str> {
        prop::sample::select(PARTS.split('|').collect::<Vec<_>>())
    }

    #[test]
    fn long_keys_are_left_alone() {
        for length in 1020..1030 {
            assert_same(&format!("{}: b\n", "k".repeat(length)));
            assert_same(&format!("- {} : b\n", "k".repeat(length)));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]

        #[test]
        fn in_any_text(parts in prop::collection::vec(part(), 0..14)) {
            assert_same(&parts.concat());
        }

        #[test]
        fn in_manifests_being_edited(seed in 0..999u64, at: prop::sample::Index, part in part(), cut in 0..3usize) {
            let text = kmerge_testgen::manifests(seed, 600);
            let mut ends = text.char_indices().map(|(end, _)| end);
            let start = ends.nth(at.index(text.chars().count())).unwrap_or(text.len());
            let end = text[start..].char_indices().nth(cut).map_or(text.len(), |(end, _)| start + end);
            assert_same(&[&text[..start], part, &text[end..]].concat());
        }

        #[test]
        fn in_generated_streams(seed in 0..100_000u64) {
            assert_same(&kmerge_testgen::random_stream(seed, 40).text());
        }
    }
}
