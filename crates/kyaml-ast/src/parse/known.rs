//! Entries that another stream holds already, for a parser of a text that is mostly that stream's source.
//!
//! Between two entries of a block collection, the open collections are all that a parser keeps in mind. So the entries that
//! follow there become the records that the other stream has of them, if they are the same bytes, stand in a collection of
//! the same kind and column, and the next entry begins alike. Entries with anchors, aliases and tags are left alone: these
//! depend on the rest of the document.
//!
//! Ignores entries that stand far from where they stood. Looking for lines ends where it costs more than it brings.

use std::ops::Range;

use super::block::State;
use super::{Hole, Parser};
use crate::scan;
use crate::tree::{Kind, NodeId, Record, Stream, end_at, flag};

/// So many lines are looked at behind the place where both texts differ, and one more for each line without a find.
const NEAR: usize = 16;
/// Of two places, the one is better that agrees for longer; those that agree for so many bytes are equally good.
const ENOUGH: usize = 512;
/// Looking at a line costs as much as parsing so many bytes.
const BYTES_PER_LINE: usize = 12;
/// What an entry begins with is told by so many bytes: `-` and a blank, a key, or a marker.
const BEGINNING: usize = 4;

/// The source and records of the other stream, and how far both texts are known to agree.
pub(super) struct Known<'s> {
    source: &'s [u8],
    tape: &'s [Record],
    agreed: Agreed,
    /// The record that was looked for last; lines are looked for onwards only.
    at: usize,
    /// The records around it, outermost first.
    around: Vec<usize>,
    /// The record that was refused last.
    refused: usize,
    effort: Effort,
}

/// Both texts are the same up to `until` in the new one, from some line on.
#[derive(Clone, Copy)]
struct Agreed {
    until: usize,
    /// Offsets are larger by so much in the new text; wraps.
    ahead: usize,
}

/// What looking for lines has cost and brought.
#[derive(Clone, Copy, Default)]
struct Effort {
    lines: usize,
    taken_bytes: usize,
    /// Lines of the new text since the last that was found.
    misses: usize,
}

/// What is open where an entry begins: the collection that it is one of, and the column of the one around it (-1 for none).
#[derive(Clone, Copy, PartialEq, Eq)]
struct Seat {
    kind: Kind,
    column: usize,
    outer: i64,
}

/// Entries to take over, and the entry behind them, in indices and offsets of the other stream.
#[derive(Clone, Copy)]
struct Found {
    first: usize,
    /// The last node that stands in the collection itself.
    last: usize,
    /// Behind the records of the last, and of the comments that follow.
    next: usize,
    /// Where the next entry begins.
    next_at: usize,
}

impl<'s> Known<'s> {
    /// For a `text` that may begin as a document of `old` does.
    pub(super) fn new(old: &'s Stream<'_>, document: NodeId, text: &str) -> Self {
        let (source, tape, at) = (old.source.as_bytes(), old.tape.as_slice(), document.0 as usize);
        let from = tape[at].start as usize;
        let until = scan::agreement(&source[from..], text.as_bytes());
        let agreed = Agreed { until, ahead: 0usize.wrapping_sub(from) };
        Self { source, tape, agreed, at, around: Vec::new(), refused: 0, effort: Effort::default() }
    }

    /// Where the line at `line` stands in the other source.
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

    /// Looks for a line, and for as many behind it as possible, from the line on in which both texts differ.
    fn search(&mut self, text: &[u8], line: usize) -> Option<Agreed> {
        let end = line_end(text, line);
        let differs = self.agreed.old(self.agreed.until).min(self.source.len());
        let start = memchr::memrchr(b'\n', &self.source[..differs]).map_or(0, |newline| newline + 1);
        let lines = std::iter::successors(Some(start), |&at| Some(line_end(self.source, at)));
        let near = lines.take(NEAR + self.effort.misses).take_while(|&at| at < self.source.len());
        // All that follows may be the same.
        let rest = (self.source.len() + line).checked_sub(text.len());
        let rest = rest.filter(|&at| at > differs && self.source[at - 1] == b'\n');
        let mut looked = 0;
        let agreement = |at: usize, most: usize| {
            let text = &text[line..];
            scan::agreement(&self.source[at..], &text[..text.len().min(most)])
        };
        let places = near.chain(rest).inspect(|_| looked += 1);
        let agreements = places.map(|at| (at, agreement(at, ENOUGH)));
        let (at, _) = agreements.reduce(|longest, next| if next.1 > longest.1 { next } else { longest })?;
        let until = line + agreement(at, usize::MAX);
        self.effort.lines += looked;
        (until >= end).then_some(Agreed { until, ahead: line.wrapping_sub(at) })
    }

    /// The entries that begin at `at`, all of which both texts have.
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

    /// The record that an entry at `at` has first.
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

    /// Where the `-` of an item stands, if it is on the same line.
    fn dash(&self, item: Record) -> Option<usize> {
        let before = &self.source[..item.start as usize];
        let blanks = before.iter().rev().take_while(|byte| **byte == b' ').count();
        let dash = before.len().checked_sub(blanks + 1)?;
        (item.kind.is_node() && before[dash] == b'-').then_some(dash)
    }

    /// Brings `around` to what holds the record `index`.
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

    /// As many entries from the record `first` on as both texts have, in a collection whose records end before `stop`.
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

    /// Whether some of the records may not be taken. What is refused once is refused in all that it stands in, so that each
    /// record is looked at once.
    fn refuses(&mut self, records: Range<usize>, seat: Seat) -> bool {
        if records.contains(&self.refused) {
            return true;
        }
        let refused = self.tape[records.clone()].iter().position(|record| !may_be_taken(record, seat.column));
        self.refused = refused.map_or(self.refused, |refused| records.start + refused);
        refused.is_some()
    }

    /// Behind the records of a node.
    fn after(&self, index: usize) -> usize {
        index + self.tape[index].skip()
    }

    /// The first record from `index` on that is no comment.
    fn node_from(&self, index: usize) -> usize {
        index + self.tape[index..].iter().take_while(|record| record.kind == Kind::Comment).count()
    }

    /// Where an entry begins, given its first record, if nothing but spaces stands before it on its line.
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
    /// Whether looking on is not worth it in a text of so many bytes.
    const fn is_lost(self, text: usize) -> bool {
        self.lines * BYTES_PER_LINE > self.taken_bytes + text / 16 + 4096
    }
}

impl Parser<'_> {
    /// Takes over the entries from the cursor on that the other stream has, but the last of them; the cursor is at the next.
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

    /// What is open at the cursor, if an entry begins there, first on its line and behind another one.
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

/// Whether a key begins the entry that it is the key of.
fn is_simple_key(key: &Record) -> bool {
    matches!(key.kind, Kind::Plain | Kind::SingleQuoted | Kind::DoubleQuoted) && !key.has(flag::EXPLICIT)
}

/// Whether the record depends on nothing outside of the entries in `column`. What a comment left of them is, depends on
/// all that is open.
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
    //! What is taken over is what would be parsed; and it is taken over.
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use crate::parse::Parser;
    use crate::parse::again::tests::assert_same;
    use crate::{Acceptance, NodeId, Stream};

    use super::Known;

    /// How many bytes of `text` are not parsed.
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
            // In a block scalar, in brackets, in quotes, in a text of many lines.
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
            // What depends on the rest of the document.
            ("x: 1\na: &b 1\nc: *b\nd: 1\ne: 2\n".into(), "x: &b:c 1\na: &b 1\nc: *b\nd: 1\ne: 2\n".into()),
            ("%TAG !e! e:\n---\nx: 1\na: !e!f 1\nb: 2\nc: 3\n".into(), "---\nx: 2\na: !e!f 1\nb: 2\nc: 3\n".into()),
            ("x: 1\na: *b:c \nd: 1\n".into(), "x: &b:c 1\na: *b:c \nd: 1\n".into()),
        ] {
            assert_same(&old, &text);
            assert_same(&text, &old);
        }
    }

    /// Lines that stand well in a manifest, and lines that change what follows.
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
