//! The invariants of the tape, as a check: for tests, fuzzers and debugging.
//!
//! Owns no rule of its own: [`crate::tree`] states each of them. Takes time linear in the tape and the source.

use crate::span::Span;
use crate::tree::{Kind, Record, Stream, flag};

/// A tape that breaks its promises. This is always a defect of this crate, never of an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("record {record}: {rule}")]
pub struct BrokenTape {
    /// Which rule is broken.
    pub rule: TapeRule,
    /// Index of the record that breaks it.
    pub record: usize,
}

/// The promises of every tape.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TapeRule {
    /// Spans lie inside the source and between characters.
    #[error("its span is not inside the source, or cuts a character")]
    Bounds,
    /// Records are in source order.
    #[error("it starts before the record before it")]
    Order,
    /// Documents tile the source.
    #[error("it does not start where the document before it ends")]
    Tiling,
    /// Subtrees nest. Only collections, documents and block scalars have one. Spans nest in the same way.
    #[error("its subtree or its span leaves the one around it")]
    Nesting,
    /// Mappings have as many values as keys, documents at most one root.
    #[error("it has the wrong number of nodes")]
    Arity,
    /// A block collection ends with its last node.
    #[error("it is a comment at the end of a block collection")]
    TrailingComment,
    /// Collections start and end as [`Kind`] documents.
    #[error("it does not start or end with its first or last node")]
    Extent,
    /// Columns match the source.
    #[error("its column is not its distance from the start of the line")]
    Column,
    /// Text that no record covers is punctuation.
    #[error("the text before it is not blank, and no record covers it")]
    Gap,
}

/// A record whose subtree is being read.
struct Open {
    index: usize,
    after: usize,
    nodes: usize,
    last_child: Kind,
    last_end: u32,
}

/// The state of the check.
struct Check<'t> {
    stream: &'t Stream<'t>,
    open: Vec<Open>,
    /// End of the text that records have covered so far.
    covered: u32,
    line: Line,
}

/// The latest line start at or before the latest record. The source is read once, forwards.
#[derive(Default)]
struct Line {
    start: usize,
    scanned: usize,
}

impl Stream<'_> {
    /// Checks every invariant of the tape.
    ///
    /// # Errors
    /// The first record that breaks a rule, which no input should be able to cause.
    pub fn check_tape(&self) -> Result<(), BrokenTape> {
        let mut check = Check { stream: self, open: Vec::new(), covered: 0, line: Line::default() };
        let mut previous = 0;
        let mut tiled = 0;
        for (index, record) in self.tape.iter().enumerate() {
            let broken = |rule| Err(BrokenTape { rule, record: index });
            check.close(index)?;
            let skip = record.skip();
            if skip == 0 || index + skip > self.tape.len() || self.source.get(self.span_at(index).range()).is_none() {
                return broken(TapeRule::Bounds);
            }
            if record.start < previous {
                return broken(TapeRule::Order);
            }
            previous = record.start;
            if record.kind == Kind::Document {
                if record.start != tiled || !check.open.is_empty() {
                    return broken(TapeRule::Tiling);
                }
                tiled = self.span_at(index).end;
            }
            check.record(index, *record)?;
        }
        let end = self.tape.len();
        check.close(end)?;
        let length = self.source.len() as u32;
        check.gap(end, length)?;
        if tiled == length { Ok(()) } else { Err(BrokenTape { rule: TapeRule::Tiling, record: end }) }
    }
}

impl Check<'_> {
    fn record(&mut self, index: usize, record: Record) -> Result<(), BrokenTape> {
        let broken = |rule| Err(BrokenTape { rule, record: index });
        let (after, span) = (index + record.skip(), self.stream.span_at(index));
        let has_children = matches!(record.kind, Kind::Document) || record.kind.is_collection();
        if !(has_children || record.kind.is_block_scalar() || record.skip() == 1) {
            return broken(TapeRule::Nesting);
        }
        if let Some(parent) = self.open.last_mut() {
            let around = self.stream.span_at(parent.index);
            if after > parent.after || !around.contains(span) {
                return broken(TapeRule::Nesting);
            }
            parent.last_child = record.kind;
            if record.kind.is_node() {
                parent.nodes += 1;
                parent.last_end = span.end;
            }
        } else if record.kind != Kind::Document {
            return broken(TapeRule::Nesting);
        }
        if !matches!(record.kind, Kind::Indent | Kind::Close) && !self.is_column(record) {
            return broken(TapeRule::Column);
        }
        if !has_children && !matches!(record.kind, Kind::Indent | Kind::Close) {
            self.text(index, record)?;
        }
        self.open.push(Open { index, after, nodes: 0, last_child: record.kind, last_end: record.start });
        Ok(())
    }

    /// Whether a record's column is its distance from the start of the line, or from the byte order marks there.
    fn is_column(&mut self, record: Record) -> bool {
        let start = record.start as usize;
        let line = self.line.at(self.stream.source.as_bytes(), start);
        let text = self.stream.source[line..].trim_start_matches('\u{FEFF}');
        let after_marks = self.stream.source.len() - text.len();
        let distances = [line, after_marks].map(|from| start.saturating_sub(from).min(usize::from(u16::MAX)) as u16);
        distances.contains(&record.column)
    }

    /// Checks a record that covers text: only punctuation stands before it.
    fn text(&mut self, index: usize, record: Record) -> Result<(), BrokenTape> {
        let inside = self.open.last().is_some_and(|parent| self.stream.tape[parent.index].kind.is_block_scalar());
        if inside {
            return Ok(());
        }
        if record.start < self.covered {
            return Err(BrokenTape { rule: TapeRule::Nesting, record: index });
        }
        self.gap(index, record.start)?;
        self.covered = self.stream.span_at(index).end;
        Ok(())
    }

    fn gap(&self, index: usize, end: u32) -> Result<(), BrokenTape> {
        let gap = Span::new(self.covered, end).of(self.stream.source);
        let punctuation = |found: char| "-?:,[]{} \t\r\n\u{FEFF}".contains(found);
        if gap.chars().all(punctuation) {
            return Ok(());
        }
        Err(BrokenTape { rule: TapeRule::Gap, record: index })
    }

    /// Closes the subtrees that end before record `next`.
    fn close(&mut self, next: usize) -> Result<(), BrokenTape> {
        while let Some(open) = self.open.pop_if(|open| open.after <= next) {
            let record = self.stream.tape[open.index];
            let broken = |rule| Err(BrokenTape { rule, record: open.index });
            let arity = match record.kind {
                Kind::Mapping => open.nodes % 2 == 0,
                Kind::Document => open.nodes < 2,
                _ => true,
            };
            if !arity {
                return broken(TapeRule::Arity);
            }
            let is_block = record.kind.is_collection() && (!record.has(flag::FLOW) || record.has(flag::PAIR));
            if !is_block {
                continue;
            }
            if open.last_child == Kind::Comment {
                return broken(TapeRule::TrailingComment);
            }
            if open.nodes == 0 || open.last_end != self.stream.span_at(open.index).end {
                return broken(TapeRule::Extent);
            }
        }
        Ok(())
    }
}

impl Line {
    /// The start of the line that contains `at`. `at` must not decrease from call to call.
    fn at(&mut self, bytes: &[u8], at: usize) -> usize {
        for index in self.scanned..at {
            if bytes[index] == b'\n' || (bytes[index] == b'\r' && bytes.get(index + 1) != Some(&b'\n')) {
                self.start = index + 1;
            }
        }
        self.scanned = self.scanned.max(at);
        self.start
    }
}
