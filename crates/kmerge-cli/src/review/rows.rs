//! Which lines of a merge and of its sides stand beside each other.
//!
//! Texts are lines by number here, from 0. Invariant: the rows that a text is in hold its lines in their order, each once;
//! what a side has in a hunk, and the markers, are part of the hunk's row. Linear in the lines.

use std::ops::Range;

use kmerge_core::lines::unchanged;
use kmerge_core::markers::{Hunk, chosen, hunks};
use kmerge_core::{Side, Slots};

/// What stands beside each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Row {
    /// The same line of some texts.
    Line { result: Option<usize>, sides: Slots<usize> },
    /// A conflict: its lines in the result, without markers; of the base, where the markers show it.
    Hunk(Slots<Range<usize>>),
}

/// The rows of a merge.
#[derive(Debug)]
pub(super) struct Rows {
    pub(super) rows: Vec<Row>,
    /// For each line of a side, its row.
    pub(super) of_line: Slots<Vec<usize>>,
}

/// Puts the lines of `result`, which may hold conflict markers, beside those of `sides`.
pub(super) fn rows(result: &str, sides: &Slots<String>) -> Rows {
    let hunks = hunks(result.as_bytes());
    let pieces = pieces(result, &hunks);
    let beside = |side: Side| {
        let text = sides.get(side)?;
        let seen = chosen(result.as_bytes(), &hunks, |hunk| Some(bytes_of(hunk, side)));
        Some(Beside::new(&pieces, side, &seen, text))
    };
    let beside = Slots { dest: beside(Side::Dest), base: beside(Side::Base), incoming: beside(Side::Incoming) };
    let mut writer = Writer::new(beside, sides);
    for (at, piece) in pieces.iter().enumerate() {
        writer.skip_to(at);
        match piece {
            Piece::Line(line) => writer.line(at, *line),
            Piece::Hunk(lines) => writer.hunk(lines.clone()),
        }
    }
    writer.skip_to(pieces.len());
    Rows { rows: writer.rows, of_line: writer.beside.map(|beside| beside.rows) }
}

/// What a side has in a hunk; where the markers show no base, that is nothing.
fn bytes_of(hunk: &Hunk, side: Side) -> Range<usize> {
    match side {
        Side::Dest => hunk.ours.clone(),
        Side::Incoming => hunk.theirs.clone(),
        Side::Base => hunk.base.clone().unwrap_or(hunk.ours.end..hunk.ours.end),
    }
}

/// What the result is made of.
enum Piece {
    Line(usize),
    Hunk(Slots<Range<usize>>),
}

fn pieces(result: &str, hunks: &[Hunk]) -> Vec<Piece> {
    let mut starts: Vec<usize> = result.split_inclusive('\n').map(str::len).collect();
    let mut at = 0;
    for start in &mut starts {
        at += std::mem::replace(start, at);
    }
    let line = |byte: usize| starts.partition_point(|start| *start < byte);
    let lines = |bytes: &Range<usize>| line(bytes.start)..line(bytes.end);
    let mut pieces = Vec::new();
    let mut done = 0;
    for hunk in hunks {
        pieces.extend((done..line(hunk.whole.start)).map(Piece::Line));
        let base = hunk.base.as_ref().map(lines);
        pieces.push(Piece::Hunk(Slots { dest: Some(lines(&hunk.ours)), base, incoming: Some(lines(&hunk.theirs)) }));
        done = line(hunk.whole.end);
    }
    pieces.extend((done..starts.len()).map(Piece::Line));
    pieces
}

/// Where a side has the lines of the result.
#[derive(Debug)]
struct Beside {
    /// For each piece, and for the end, the first line of the side that stands there or below.
    first: Vec<usize>,
    /// For each piece, whether the side has that line.
    has: Vec<bool>,
    /// For each line, whether a hunk shows it.
    is_in_hunk: Vec<bool>,
    /// For each line of the base, the line of this side that is the same.
    of_base: Vec<Option<usize>>,
    /// The next line to be written.
    next: usize,
    /// The row of each line.
    rows: Vec<usize>,
}

impl Beside {
    /// `seen` is the result with the side chosen in each hunk, `text` is the side.
    fn new(pieces: &[Piece], side: Side, seen: &[u8], text: &str) -> Self {
        let count = count(text);
        let mut piece_of = Vec::new();
        for (at, piece) in pieces.iter().enumerate() {
            let lines = match piece {
                Piece::Line(_) => 1,
                Piece::Hunk(hunk) => hunk.get(side).map_or(0, Range::len),
            };
            piece_of.extend(std::iter::repeat_n(at, lines));
        }
        let mut first = vec![count; pieces.len() + 1];
        let mut has = vec![false; pieces.len()];
        let mut is_in_hunk = vec![false; count];
        for (seen, line) in unchanged(seen, text.as_bytes()) {
            let piece = piece_of[seen];
            first[piece] = first[piece].min(line);
            match pieces[piece] {
                Piece::Line(_) => has[piece] = true,
                Piece::Hunk(_) => is_in_hunk[line] = true,
            }
        }
        for at in (0..pieces.len()).rev() {
            first[at] = first[at].min(first[at + 1]);
        }
        Self { first, has, is_in_hunk, of_base: Vec::new(), next: 0, rows: vec![0; count] }
    }
}

/// How many lines a text has.
fn count(text: &str) -> usize {
    text.split_inclusive('\n').count()
}

/// Writes rows from top to bottom.
struct Writer {
    beside: Slots<Beside>,
    rows: Vec<Row>,
    /// The row of the last hunk.
    hunk: usize,
}

impl Writer {
    fn new(mut beside: Slots<Beside>, sides: &Slots<String>) -> Self {
        let base = sides.base.as_deref().unwrap_or_default();
        for side in [Side::Dest, Side::Incoming] {
            let Some((beside, text)) = beside.get_mut(side).zip(sides.get(side)) else { continue };
            beside.of_base = vec![None; count(base)];
            for (line, same) in unchanged(base.as_bytes(), text.as_bytes()) {
                beside.of_base[line] = Some(same);
            }
        }
        Self { beside, rows: Vec::new(), hunk: 0 }
    }

    /// A line of the result.
    fn line(&mut self, piece: usize, line: usize) {
        let sides = self.beside.as_ref().filter_map(|beside| beside.has[piece].then_some(beside.next));
        self.put(Some(line), sides);
    }

    fn hunk(&mut self, lines: Slots<Range<usize>>) {
        self.hunk = self.rows.len();
        self.rows.push(Row::Hunk(lines));
    }

    /// The lines that stand before a piece and are not in the result. What went comes before what came in its place.
    fn skip_to(&mut self, piece: usize) {
        let end = |beside: &Beside| beside.first[piece];
        let base_end = self.beside.base.as_ref().map_or(0, end);
        while let Some(line) = self.beside.base.as_ref().map(|base| base.next).filter(|next| *next < base_end) {
            let mut sides = Slots { dest: None, base: Some(line), incoming: None };
            for side in [Side::Dest, Side::Incoming] {
                let Some(beside) = self.beside.get(side) else { continue };
                let same = beside.of_base.get(line).copied().flatten();
                let is_near = |same: &usize| (beside.next..end(beside)).contains(same);
                let is_alike = |same: &usize| beside.is_in_hunk[*same] == self.is_in_hunk(Side::Base, line);
                if let Some(same) = same.filter(is_near).filter(is_alike) {
                    self.skip_alone(side, same);
                    sides.set(side, same);
                }
            }
            self.skip(Side::Base, sides);
        }
        for side in [Side::Dest, Side::Incoming] {
            let Some(end) = self.beside.get(side).map(end) else { continue };
            self.skip_alone(side, end);
        }
    }

    /// The lines of one side up to `end`.
    fn skip_alone(&mut self, side: Side, end: usize) {
        while let Some(line) = self.beside.get(side).map(|beside| beside.next).filter(|next| *next < end) {
            let mut sides = Slots::default();
            sides.set(side, line);
            self.skip(side, sides);
        }
    }

    /// The next line of `side`, and those beside it, which the result has not, unless in a hunk.
    fn skip(&mut self, side: Side, sides: Slots<usize>) {
        let is_in_hunk = sides.get(side).is_some_and(|line| self.is_in_hunk(side, *line));
        if is_in_hunk { self.pass(&sides, self.hunk) } else { self.put(None, sides) }
    }

    fn put(&mut self, result: Option<usize>, sides: Slots<usize>) {
        self.pass(&sides, self.rows.len());
        self.rows.push(Row::Line { result, sides });
    }

    fn pass(&mut self, sides: &Slots<usize>, row: usize) {
        for (side, line) in sides.present() {
            if let Some(beside) = self.beside.get_mut(side) {
                beside.rows[*line] = row;
                beside.next = line + 1;
            }
        }
    }

    fn is_in_hunk(&self, side: Side, line: usize) -> bool {
        self.beside.get(side).is_some_and(|beside| beside.is_in_hunk[line])
    }
}

#[cfg(test)]
mod tests {
    use pretty_assertions::assert_eq;

    use super::*;

    fn sides([dest, base, incoming]: [&str; 3]) -> Slots<String> {
        Slots { dest: Some(dest.to_owned()), base: Some(base.to_owned()), incoming: Some(incoming.to_owned()) }
    }

    fn line(text: &str, at: usize) -> &str {
        text.split_inclusive('\n').nth(at).unwrap()
    }

    /// Rows as `obt= line`: which texts have a line, and whether the result has it; in hunks, the lines of each side.
    fn shown(result: &str, texts: [&str; 3]) -> String {
        let all = sides(texts);
        let show = |row: &Row| match row {
            Row::Line { result: found, sides } => {
                let mark = |is: bool, mark: char| if is { mark } else { ' ' };
                let marks = [
                    mark(sides.dest.is_some(), 'o'),
                    mark(sides.base.is_some(), 'b'),
                    mark(sides.incoming.is_some(), 't'),
                    mark(found.is_some(), '='),
                ];
                let text = found.map(|at| line(result, at));
                let of_side = || sides.present().next().map(|(side, at)| line(all.get(side).unwrap(), *at));
                format!("{} {}", String::from_iter(marks), text.or_else(of_side).unwrap())
            }
            Row::Hunk(hunk) => {
                let lines = |lines: &Range<usize>| lines.clone().map(|at| line(result, at)).collect::<String>();
                let sides = hunk.as_ref().map(lines);
                format!("{:?} {:?} {:?}\n", sides.dest, sides.base, sides.incoming).replace("Some", "")
            }
        };
        rows(result, &all).rows.iter().map(show).collect()
    }

    #[test]
    fn lines_stand_beside_those_of_the_sides() {
        let rows = shown("a: 2\nb: 1\nc: 3\n", ["a: 2\nb: 1\nc: 1\n", "a: 1\nb: 1\nc: 1\n", "a: 1\nb: 1\nc: 3\n"]);
        assert_eq!(rows, " bt  a: 1\no  = a: 2\nobt= b: 1\nob   c: 1\n  t= c: 3\n");
    }

    #[test]
    fn what_the_result_lost_stays_in_sight() {
        let rows = shown("a: 3\n", ["a: 2\n", "a: 1\n", "a: 3\n"]);
        assert_eq!(rows, " b   a: 1\no    a: 2\n  t= a: 3\n");
        assert_eq!(shown("", ["a\n", "a\n", ""]), "ob   a\n");
    }

    #[test]
    fn a_hunk_is_one_row() {
        let merged = "x\n<<<<<<< o\na: 2\n||||||| b\na: 1\n=======\na: 3\n>>>>>>> t\ny\n";
        let rows = shown(merged, ["x\na: 2\ny\n", "x\na: 1\ny\n", "x\na: 3\ny\n"]);
        assert_eq!(rows, "obt= x\n(\"a: 2\\n\") (\"a: 1\\n\") (\"a: 3\\n\")\nobt= y\n");
    }

    #[test]
    fn every_text_is_its_rows() {
        let texts = ["a\nb\nx\nc\n", "b\na\nc\nc\n", "c\nb\n\na\nlast"];
        for result in ["a\nx\nlast", "", "c\nc\nb\na\n", "b\nx\n\nc\n"] {
            let sides = sides(texts);
            let found = rows(result, &sides);
            let lines = |side: Option<Side>| {
                let line = |row: &Row| match (row, side) {
                    (Row::Line { result, .. }, None) => *result,
                    (Row::Line { sides, .. }, Some(side)) => sides.get(side).copied(),
                    (Row::Hunk(_), _) => None,
                };
                found.rows.iter().filter_map(line).collect::<Vec<usize>>()
            };
            assert_eq!(lines(None), (0..count(result)).collect::<Vec<_>>());
            for (side, text) in sides.present() {
                assert_eq!(lines(Some(side)), (0..count(text)).collect::<Vec<_>>());
                for (at, row) in found.of_line.get(side).unwrap().iter().enumerate() {
                    assert!(matches!(&found.rows[*row], Row::Line { sides, .. } if sides.get(side) == Some(&at)));
                }
            }
        }
    }
}
