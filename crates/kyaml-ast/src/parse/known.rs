//! Takes over entries from another stream, for a text that is mostly that stream's source.
//!
//! Between two entries of a block collection, the open collections are the parser's only state. So the following
//! entries can get the records of the other stream, if their bytes are the same, if they stand in a collection of the
//! same kind and column, and if the next entry begins in the same way. Entries with anchors, aliases and tags are
//! always parsed: they depend on the rest of the document.
//!
//! Ignores entries that stand far from their old place. The search for equal lines stops when it costs more than it
//! saves.

use std::ops::Range;

use super::block::State;
use super::{Hole, Parser};
use crate::scan;
use crate::tree::{Kind, NodeId, Record, Stream, end_at, flag};

/// The search looks at this many lines after the place where both texts differ, and at one more for each line that was
/// not found.
const NEAR: usize = 16;
/// Of two places, the better one agrees for more bytes. Places that agree for this many bytes are equally good.
const ENOUGH: usize = 512;
/// Looking at a line costs about as much as parsing this many bytes.
const BYTES_PER_LINE: usize = 12;
/// This many bytes are enough to see how an entry begins: with `-` and a blank, a key, or a marker.
const BEGINNING: usize = 4;

/// The source and records of the other stream, and how far both texts are known to agree.
pub(super) struct Known<'s> {
    source: &'s [u8],
    tape: &'s [Record],
    agreed: Agreed,
    /// The record that was looked up last. The search only goes forward.
    at: usize,
    /// The records around that record, outermost first.
    around: Vec<usize>,
    /// The last record that was refused.
    refused: usize,
    effort: Effort,
}

/// From some line on, both texts are the same up to `until` in the new one.
#[derive(Clone, Copy)]
struct Agreed {
    until: usize,
    /// The offset in the new text minus the offset in the old one; wraps.
    ahead: usize,
}

/// The cost and the gain of looking for lines.
#[derive(Clone, Copy, Default)]
struct Effort {
    lines: usize,
    taken_bytes: usize,
    /// The number of lines of the new text since the last one that was found.
    misses: usize,
}

/// The open collection that an entry belongs to, and the column of the collection around that (-1 if there is none).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Seat {
    kind: Kind,
    column: usize,
    outer: i64,
}

/// Entries to take over, and the entry after them, in indices and offsets of the other stream.
#[derive(Clone, Copy)]
struct Found {
    first: usize,
    /// The last node that is directly in the collection.
    last: usize,
    /// The index after the records of the last entry, and of the comments that follow it.
    next: usize,
    /// The offset of the next entry.
    next_at: usize,
}

impl<'s> Known<'s> {
    /// Prepares to take entries from a document of `old`. `text` may begin as this document does.
    pub(super) fn new(old: &'s Stream<'_>, document: NodeId, text: &str) -> Self {
        let (source, tape, at) = (old.source.as_bytes(), old.tape.as_slice(), document.0 as usize);
        let from = tape[at].start as usize;
        let until = scan::agreement(&source[from..], text.as_bytes());
        let agreed = Agreed { until, ahead: 0usize.wrapping_sub(from) };
        Self { source, tape, agreed, at, around: Vec::new(), refused: 0, effort: Effort::default() }
    }

    /// The position of the line at `line` in the other source.
    fn line(&mut self, text: &[u8], line: usize) -> Option<usize> {
        if line >= self.agreed.until {
            let Some(agreed) = self.search(text, line) else {
                self.effort.misses += 1;
                return None;
            };
            self.agreed = agreed;
        }
        self.effort.misses = 0;
        Some(self.agreed.old(line))
    }

    /// Looks for a line, and for as many lines after it as possible. Starts at the line in which both texts differ.
    fn search(&mut self, text: &[u8], line: usize) -> Option<Agreed> {
        let end = line_end(text, line);
        let differs = self.agreed.old(self.agreed.until).min(self.source.len());
        let start = memchr::memrchr(b'\n', &self.source[..differs]).map_or(0, |newline| newline + 1);
        let lines = std::iter::successors(Some(start), |&at| Some(line_end(self.source, at)));
        let near = lines.take(NEAR + self.effort.misses).take_while(|&at| at < self.source.len());
        // All following text may be the same.
        let rest = (self.source.len() + line).checked_sub(text.len());
        let rest = rest.filter(|&at| at > differs && self.source[at - 1] == b'\n');
        let mut looked = 0;
        let agreement = |at: usize, most: usize| {
            let text = &text[line..];
            scan::agreement(&self.source[at..], &text[..text.len().min(most)])
        };
        let places = near.chain(rest).inspect(|_| looked += 1);
        let places = places.filter(|at| self.source[*at..].starts_with(&text[line..end]));
        let agreements = places.map(|at| (at, agreement(at, ENOUGH)));
        let longest = agreements.reduce(|longest, next| if next.1 > longest.1 { next } else { longest });
        self.effort.lines += looked;
        let (at, _) = longest?;
        let until = line + agreement(at, usize::MAX);
        Some(Agreed { until, ahead: line.wrapping_sub(at) })
    }

    /// The entries from `at` on that both texts have.
    fn entries(&mut self, at: usize, seat: Seat) -> Option<Found> {
        let first = self.first_record(at, seat.kind)?;
        self.find(first)?;
        let (&collection, outer) = self.around.split_last()?;
        let record = self.tape[collection];
        let outer = outer.last().map(|&outer| self.tape[outer]).filter(|outer| outer.kind.is_collection());
        let outer = outer.map_or(-1, |outer| i64::from(outer.column));
        if record.has(flag::FLOW) || (Seat { kind: record.kind, column: record.column.into(), outer }) != seat {
            return None;
        }
        self.alike_from(first, collection + record.skip(), seat)
    }

    /// The first record of an entry at `at`.
    fn first_record(&self, at: usize, kind: Kind) -> Option<usize> {
        if kind == Kind::Sequence {
            let index = self.tape.partition_point(|record| record.start as usize <= at);
            return (self.dash(*self.tape.get(index)?) == Some(at)).then_some(index);
        }
        let index = self.tape.partition_point(|record| (record.start as usize) < at);
        let holders =
            self.tape[index..].iter().take_while(|record| matches!(record.kind, Kind::Document | Kind::Mapping));
        let index = index + holders.count();
        self.tape.get(index).filter(|key| key.start as usize == at && is_simple_key(key)).map(|_| index)
    }

    /// The position of the `-` of an item, if it is on the same line.
    fn dash(&self, item: Record) -> Option<usize> {
        let before = &self.source[..item.start as usize];
        let blanks = before.iter().rev().take_while(|byte| **byte == b' ').count();
        let dash = before.len().checked_sub(blanks + 1)?;
        (item.kind.is_node() && before[dash] == b'-').then_some(dash)
    }

    /// Brings `around` to the records that contain the record `index`.
    fn find(&mut self, index: usize) -> Option<()> {
        if index < self.at {
            return None;
        }
        while let Some(&last) = self.around.last().filter(|&&last| self.after(last) <= index) {
            self.around.pop();
            self.at = self.after(last);
        }
        while self.at < index {
            if self.after(self.at) <= index {
                self.at = self.after(self.at);
            } else {
                self.around.push(self.at);
                self.at += 1;
            }
        }
        Some(())
    }

    /// As many entries from the record `first` on as both texts have. Their collection's records end before `stop`.
    fn alike_from(&mut self, first: usize, stop: usize, seat: Seat) -> Option<Found> {
        let until = self.agreed.old(self.agreed.until);
        let mut found = None;
        let mut next = first;
        loop {
            let start = next;
            let last = if seat.kind == Kind::Sequence { start } else { self.node_from(self.after(start)) };
            if last >= stop {
                return found;
            }
            next = self.node_from(self.after(last));
            if next >= stop || self.tape[next].start as usize + BEGINNING > until || self.refuses(start..next, seat) {
                return found;
            }
            if let Some(next_at) = self.beginning(self.tape[next], seat) {
                found = Some(Found { first, last, next, next_at });
            }
        }
    }

    /// Whether some of the records must not be taken over. A refused record also refuses everything that contains it,
    /// so each record is looked at once.
    fn refuses(&mut self, records: Range<usize>, seat: Seat) -> bool {
        if records.contains(&self.refused) {
            return true;
        }
        let refused = self.tape[records.clone()].iter().position(|record| !may_be_taken(record, seat.column));
        self.refused = refused.map_or(self.refused, |refused| records.start + refused);
        refused.is_some()
    }

    /// The index after the records of a node.
    fn after(&self, index: usize) -> usize {
        index + self.tape[index].skip()
    }

    /// The first record from `index` on that is not a comment.
    fn node_from(&self, index: usize) -> usize {
        index + self.tape[index..].iter().take_while(|record| record.kind == Kind::Comment).count()
    }

    /// The position of an entry with this first record, if only spaces stand before it on its line.
    fn beginning(&self, record: Record, seat: Seat) -> Option<usize> {
        let at = match seat.kind {
            Kind::Sequence => self.dash(record)?,
            _ => is_simple_key(&record).then_some(record.start as usize)?,
        };
        let line = at.checked_sub(seat.column)?;
        let is_fresh = line == 0 || matches!(self.source[line - 1], b'\n' | b'\r');
        (is_fresh && self.source[line..at].iter().all(|&byte| byte == b' ')).then_some(at)
    }
}

impl Agreed {
    /// The offset in the old text of an offset in the new one.
    const fn old(self, new: usize) -> usize {
        new.wrapping_sub(self.ahead)
    }
}

impl Effort {
    /// Whether it is not worth continuing the search, in a text of `text` bytes.
    const fn is_lost(self, text: usize) -> bool {
        self.lines * BYTES_PER_LINE > self.taken_bytes + text / 16 + 4096
    }
}

impl Parser<'_> {
    /// Takes over the entries from the cursor on that the other stream has, except the last of them. The cursor is then
    /// at the next entry.
    pub(super) fn take_over(&mut self) {
        let Some(seat) = self.seat() else { return };
        let Some(known) = &mut self.known else { return };
        let found = known.line(self.bytes, self.line).and_then(|line| known.entries(line + seat.column, seat));
        let Some(found) = found else {
            if known.effort.is_lost(self.bytes.len()) {
                self.known = None;
            }
            return;
        };
        let ahead = known.agreed.ahead;
        let new = |old: usize| old.wrapping_add(ahead);
        let moved = |offset: u32| offset.wrapping_add(ahead as u32);
        let records = &known.tape[found.first..found.next];
        known.effort.taken_bytes += found.next_at - known.agreed.old(self.at);
        let first = self.tape.len();
        self.tape.extend(records.iter().map(|record| record.moved(moved)));
        let at = new(end_at(known.tape, found.last) as usize);
        let line = memchr::memrchr2(b'\n', b'\r', &self.bytes[..at]).map_or(0, |newline| newline + 1);
        self.last = Hole { index: first + known.after(found.last) - found.first, at, column: at - line };
        self.at = new(found.next_at);
        self.line = self.at - seat.column;
    }

    /// The open collection, if an entry begins at the cursor, is the first on its line, and follows another entry.
    fn seat(&self) -> Option<Seat> {
        let [.., outer, top] = self.frames.as_slice() else { return None };
        let kind = match top.state {
            State::Keys => Kind::Mapping,
            State::Items => Kind::Sequence,
            _ => return None,
        };
        let is_plain = self.lead.tab.is_none() && !self.outer.any() && !self.inner.any();
        let column = self.at - self.line;
        (is_plain && top.indent == column as i64).then_some(Seat { kind, column, outer: outer.indent })
    }
}

/// Whether a key is the first record of its entry.
fn is_simple_key(key: &Record) -> bool {
    matches!(key.kind, Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted) && !key.has(flag::EXPLICIT)
}

/// Whether a record depends on nothing outside of the entries in `column`. A comment left of them depends on all open
/// collections.
fn may_be_taken(record: &Record, column: usize) -> bool {
    match record.kind {
        Kind::Comment => !record.has(flag::OWN_LINE) || usize::from(record.column) >= column,
        Kind::Anchor | Kind::Tag | Kind::Alias => false,
        _ => true,
    }
}

fn line_end(text: &[u8], at: usize) -> usize {
    scan::skip_break(text, scan::find_break(text, at))
}

#[cfg(test)]
mod tests {
    //! Records that are taken over are equal to those that parsing gives; and they are taken over.
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use crate::parse::Parser;
    use crate::parse::again::tests::assert_same;
    use crate::{Acceptance, NodeId, Stream};

    use super::Known;

    /// The number of bytes of `text` that are not parsed.
    fn taken_over(old: &str, text: &str) -> usize {
        assert_same(old, text);
        let old = Stream::parse(old).unwrap();
        let mut parser = Parser::new(text, Acceptance::default());
        parser.known = Some(Known::new(&old, NodeId(0), text));
        parser.stream().unwrap();
        parser.known.unwrap().effort.taken_bytes
    }

    fn list(count: usize) -> Vec<String> {
        (0..count).map(|number| format!("  - name: n{number}\n    # about it\n    image: i\n")).collect()
    }

    #[test]
    fn all_but_what_changed_is_taken_over() {
        let old = format!("kind: List\nitems:\n{}last: 1\n", list(100).concat());
        let change = |change: &dyn Fn(&mut Vec<String>)| {
            let mut items = list(100);
            change(&mut items);
            format!("kind: List\nitems:\n{}last: 1\n", items.concat())
        };
        let few = 300;
        for text in [
            change(&|_| {}),
            change(&|items| items[50] = "  - name: other\n    image: i\n".to_owned()),
            change(&|items| items[3].push_str("    more: 1\n")),
            change(&|items| items.insert(7, "  - a: b\n    c: d\n".to_owned())),
            change(&|items| drop(items.drain(20..24))),
        ] {
            assert!(taken_over(&old, &text) + few > text.len(), "{text}");
        }
        assert_same(&old, &change(&|items| items.reverse()));
    }

    #[test]
    fn the_same_lines_elsewhere_are_something_else() {
        let entries = "a: 1\nb: 2\nc: 3\nd: 4\n";
        let indented = |columns: usize| {
            entries.replace("a:", &format!("{:columns$}a:", "")).replace('\n', &format!("\n{:columns$}", ""))
        };
        for (old, text) in [
            // Inside a block scalar, brackets, quotes, and text of many lines.
            (format!("x:\n  {}\n", indented(2).trim()), format!("x: |\n  {}\n", indented(2).trim())),
            (
                format!("x: |\n  {}\ny: 1\nz: 1\n", indented(2).trim()),
                format!("x:\n  {}\ny: 1\nz: 1\n", indented(2).trim()),
            ),
            ("x: {\na: 1,\nb: 2,\nc: 3\n}\ny: 1\n".into(), "x:\na: 1\nb: 2,\nc: 3\ny: 1\n".into()),
            ("x: \"\n a: 1\n b: 2\n c: 3\"\n".into(), "x:\n a: 1\n b: 2\n c: 3\"\n".into()),
            // A list in the column of its key, and a comment that may be one of its items.
            ("l:\n- a\n- b\n# - c\n- d\n# - e\nz: 1\n".into(), "- a\n- b\n# - c\n- d\n# - e\n- f\n".into()),
            ("l:\n  - a\n  - b\n# - c\n  - d\n  - e\n".into(), "l:\n- a\n- b\n# - c\n- d\n- e\n".into()),
            (
                "k:\n  l:\n    - a\n    - b\n  # - c\n    - d\n    - e\n".into(),
                "k:\n  l:\n  m:\n    - a\n    - b\n  # - c\n    - d\n    - e\n".into(),
            ),
            // Keys and values that look alike.
            ("? a\n: b\n? c\n: d\n? e\n".into(), "? a\n? c\n: d\n? e\nf: g\n".into()),
            ("k:\n|\n t\nl: 1\nm: 2\n".into(), "k: 1\n|\n t\nl: 1\nm: 2\n".into()),
            ("k: 1\n: 2\nl: 1\nm: 2\n".into(), "j: 1\n: 2\nl: 1\nm: 2\n".into()),
            // Text whose meaning depends on the rest of the document.
            ("x: 1\na: &b 1\nc: *b\nd: 1\ne: 2\n".into(), "x: &b:c 1\na: &b 1\nc: *b\nd: 1\ne: 2\n".into()),
            ("%TAG !e! e:\n---\nx: 1\na: !e!f 1\nb: 2\nc: 3\n".into(), "---\nx: 2\na: !e!f 1\nb: 2\nc: 3\n".into()),
            ("x: 1\na: *b:c \nd: 1\n".into(), "x: &b:c 1\na: *b:c \nd: 1\n".into()),
        ] {
            assert_same(&old, &text);
            assert_same(&text, &old);
        }
    }

    /// Lines as they stand in a manifest, and lines that change the meaning of what follows.
    const LINES: &str = "a: 1|b:|- c|- d: e|  f: g|  - h|  i:|    j: k|    - l|    - m: n|# o|  # - p|# - q|- # r|- - s|    t|  'u\
        |  v'|w: [x,|  y]|z: {a: b,|  c: d}|e: \\|| f|? g|: h|- i: &j k|  l: *j|m: !n o|---|...|%YAML 1.2|\t|\u{feff}|\r|p: \"q|r: >-|-|key:    # s";

    fn line() -> impl Strategy<Value = String> {
        let lines: Vec<&str> = LINES.split('|').collect();
        prop::sample::select(lines).prop_map(|line| line.replace('\\', "|") + "\n")
    }

    fn edited(mut lines: Vec<String>, edits: Vec<(prop::sample::Index, usize, Vec<String>)>) -> String {
        for (at, removed, added) in edits {
            let start = at.index(lines.len() + 1);
            let end = (start + removed).min(lines.len());
            lines.splice(start..end, added);
        }
        lines.concat()
    }

    fn edits() -> impl Strategy<Value = Vec<(prop::sample::Index, usize, Vec<String>)>> {
        prop::collection::vec((any::<prop::sample::Index>(), 0..4usize, prop::collection::vec(line(), 0..3)), 1..5)
    }

    fn lines_of(text: &str) -> Vec<String> {
        text.split_inclusive('\n').map(str::to_owned).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn in_any_text(old in prop::collection::vec(line(), 0..24), edits in edits()) {
            assert_same(&old.concat(), &edited(old, edits));
        }

        #[test]
        fn in_manifests(seed in 0..1000u64, edits in edits()) {
            let old = kmerge_testgen::manifests(seed, 1500);
            assert_same(&old, &edited(lines_of(&old), edits));
        }

        #[test]
        fn in_generated_streams(seed in 0..100_000u64, edits in edits()) {
            let old = kmerge_testgen::random_stream(seed, 60).text();
            assert_same(&old, &edited(lines_of(&old), edits));
        }
    }
}
