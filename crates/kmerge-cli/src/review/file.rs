//! One file of the page: its rows, what was decided on which row, and what a choice would break.

use std::ops::Range;

use kmerge_core::markers::hunks;
use kmerge_core::{Outcome, Role, Rule, Schema, Side, Slots};
use serde::Serialize;

use super::choices::{Checker, Choice, Choices};
use super::rows::{Row, Rows, rows};
use crate::masked::{lines, lines_with_conflicts};
use crate::report::{FileReport, Record, Words, reason, role};

/// A merge of one file.
#[derive(Debug, Default)]
pub(crate) struct Merge {
    /// What people call it: its path.
    pub(crate) path: String,
    pub(crate) sides: Slots<String>,
    /// The result; where nobody decided, it holds conflict markers that show the base.
    pub(crate) result: String,
    /// What the reports call the sides.
    pub(crate) names: Slots<String>,
    /// What was decided, where the file has a structure; of resources that came from other files, one report each.
    pub(crate) reports: Vec<FileReport>,
    /// What else people have to know.
    pub(crate) note: Option<String>,
    /// Whether the sides disagree on the file as a whole: one changed it, and the other removed it. There may be no hunk that
    /// shows it.
    pub(crate) is_removed_by_one: bool,
    /// Whether conflicts that are left are written without the base, as the file has them.
    pub(crate) hides_base: bool,
}

/// A file as the page has it.
#[derive(Debug, Serialize)]
pub(super) struct File {
    pub(super) path: String,
    pub(super) note: Option<String>,
    /// Whether lines are hidden, so that the page cannot put the file together.
    pub(super) secret: bool,
    /// Whether nobody has looked at what choices would break: there are too many.
    unchecked: bool,
    /// Whether conflicts that are left stand in the file without their base.
    hides_base: bool,
    /// Whether the last line of the result ends.
    ends: bool,
    pub(super) rows: Vec<Shown>,
    pub(super) decisions: Vec<Decision>,
}

/// A row of the page.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(super) enum Shown {
    /// Which texts have the line (1 ours, 2 base, 4 theirs, 8 result), and the line.
    Line(u8, String),
    Hunk(Sides),
}

/// What stands in a hunk.
#[derive(Debug, Serialize)]
pub(super) struct Sides {
    /// The lines of ours, base and theirs.
    pub(super) hunk: [Option<Vec<String>>; 3],
    /// The lines between and around them.
    pub(super) markers: Vec<String>,
    /// What would be wrong with ours, base and theirs there.
    faults: [Vec<String>; 3],
}

/// A place on which the sides do not agree.
#[derive(Debug, Serialize)]
pub(super) struct Decision {
    /// Index of its row.
    pub(super) row: usize,
    pub(super) resource: String,
    pub(super) path: String,
    role: &'static str,
    kind: Kind,
    /// Which rule decided, with the three values.
    pub(super) why: String,
}

/// What people look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Conflict,
    /// Both sides changed it, and one of them lost its value.
    Overwritten,
    Comment,
    Theirs,
    Ours,
    Merged,
}

impl Shown {
    pub(super) const fn hunk(&self) -> Option<&Sides> {
        match self {
            Self::Hunk(sides) => Some(sides),
            Self::Line(..) => None,
        }
    }
}

impl Sides {
    /// What the markers call ours, base and theirs; empty where they do not.
    pub(super) fn names(&self) -> [&str; 3] {
        let base = if self.hunk[1].is_some() { self.markers.get(1) } else { None };
        [self.markers.first(), base, self.markers.last()].map(label)
    }
}

/// What stands behind a marker.
fn label(marker: Option<&String>) -> &str {
    marker.and_then(|marker| marker.split_once(' ')).map_or("", |(_, label)| label.trim_end())
}

impl File {
    pub(super) fn new(merge: &Merge, words: Words) -> Self {
        let Rows { rows, of_line } = rows(&merge.result, &merge.sides);
        let texts = Texts::of(merge);
        let show = |row| match row {
            Row::Line { result, sides } => texts.line(result, &sides),
            Row::Hunk(hunk) => Shown::Hunk(texts.hunk(&hunk)),
        };
        Self {
            path: merge.path.clone(),
            note: merge.note.clone(),
            secret: texts.hides,
            unchecked: false,
            hides_base: merge.hides_base,
            ends: merge.result.is_empty() || merge.result.ends_with('\n'),
            rows: rows.into_iter().map(show).collect(),
            decisions: decisions(merge, &of_line, words),
        }
    }

    /// Looks at what each choice would break, unless there are too many.
    pub(super) fn check(&mut self, merge: &Merge, schema: &Schema) {
        let Some(found) = faults(merge, schema) else {
            self.unchecked = true;
            return;
        };
        let mut hunks = found.into_iter();
        for row in &mut self.rows {
            if let Shown::Hunk(sides) = row {
                sides.faults = hunks.next().expect("the rows have the hunks of the result");
            }
        }
    }
}

fn decisions(merge: &Merge, of_line: &Slots<Vec<usize>>, words: Words) -> Vec<Decision> {
    let mut decisions = Vec::new();
    for report in &merge.reports {
        let is_here = |side: Side| report.names.get(side) == merge.names.get(side);
        decisions.extend(report.records.iter().map(|record| Decision::new(record, of_line, is_here, words)));
    }
    decisions.sort_by_key(|decision| decision.row);
    decisions
}

impl Decision {
    /// `is_here` says which sides of the record are those of the page.
    fn new(record: &Record, of_line: &Slots<Vec<usize>>, is_here: impl Fn(Side) -> bool, words: Words) -> Self {
        let row = |side: Side| {
            let line = record.sides.get(side)?.from.line - 1;
            of_line.get(side)?.get(line).copied()
        };
        let path = if record.is_text { "lines".to_owned() } else { record.path.short().to_string() };
        Self {
            row: [Side::Incoming, Side::Dest, Side::Base]
                .into_iter()
                .filter(|side| is_here(*side))
                .find_map(row)
                .unwrap_or_default(),
            resource: record.resource.clone(),
            path,
            role: role(record.role),
            kind: Kind::of(record),
            why: reason(record, words),
        }
    }
}

impl Kind {
    const fn of(record: &Record) -> Self {
        match (record.outcome, record.rule, record.role) {
            (Outcome::Conflict, ..) => Self::Conflict,
            (_, Rule::BothChanged, _) => Self::Overwritten,
            (_, _, Role::Lead | Role::Trail | Role::Gap) => Self::Comment,
            (_, Rule::Merged, _) => Self::Merged,
            (Outcome::Take, ..) => Self::Theirs,
            (Outcome::Keep, ..) => Self::Ours,
        }
    }
}

/// The lines of all texts as people may see them.
struct Texts {
    result: Vec<String>,
    /// Whether the result holds conflict markers.
    is_marked: bool,
    sides: Slots<Vec<String>>,
    hides: bool,
}

impl Texts {
    fn of(merge: &Merge) -> Self {
        let (result, mut hides) = lines_with_conflicts(&merge.result);
        let sides = merge.sides.as_ref().map(|text| {
            let (lines, is_hidden) = lines(text);
            hides |= is_hidden;
            lines
        });
        Self { result, is_marked: !hunks(merge.result.as_bytes()).is_empty(), sides, hides }
    }

    /// A line that some texts have; it is hidden where one of them hides it. A result with conflict markers is asked only about
    /// its own lines: nobody can tell what it means.
    fn line(&self, result: Option<usize>, sides: &Slots<usize>) -> Shown {
        let of_sides = sides.present().filter_map(|(side, at)| self.sides.get(side)?.get(*at));
        let of_sides = of_sides.min_by_key(|line| line.len());
        let of_result = result.and_then(|at| self.result.get(at));
        let line = match (of_sides, of_result) {
            (Some(line), Some(_)) if self.is_marked => Some(line),
            (one, other) => one.into_iter().chain(other).min_by_key(|line| line.len()),
        };
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        let texts = [
            bit(sides.dest.is_some(), 1),
            bit(sides.base.is_some(), 2),
            bit(sides.incoming.is_some(), 4),
            bit(result.is_some(), 8),
        ];
        Shown::Line(texts.iter().sum(), line.cloned().unwrap_or_default())
    }

    fn hunk(&self, hunk: &Slots<Range<usize>>) -> Sides {
        let lines = |lines: &Option<Range<usize>>| Some(self.result.get(lines.clone()?)?.to_vec());
        let sides = [&hunk.dest, &hunk.base, &hunk.incoming];
        let above = sides.iter().filter_map(|side| side.as_ref()?.start.checked_sub(1));
        let below = hunk.incoming.as_ref().map(|theirs| theirs.end);
        let markers = above.chain(below).filter_map(|at| self.result.get(at).cloned()).collect();
        Sides { hunk: sides.map(lines), markers, faults: Default::default() }
    }
}

/// What would be wrong in each hunk with ours, base or theirs chosen, and ours in the others; `None` where that is too much
/// work.
fn faults(merge: &Merge, schema: &Schema) -> Option<Vec<[Vec<String>; 3]>> {
    /// Bytes that are checked: each choice is checked as a whole file.
    const MOST: usize = 8 << 20;
    let count = hunks(merge.result.as_bytes()).len();
    if count * merge.result.len() > MOST {
        return None;
    }
    let checker = Checker::new(merge, schema);
    let of = |at: usize| {
        [Choice::Ours, Choice::Base, Choice::Theirs].map(|choice| checker.faults(&Choices::from([(at, choice)])))
    };
    Some((0..count).map(of).collect())
}
