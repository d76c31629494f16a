//! One file of the page: its rows, what was decided on which row, and what a choice would break.

use std::collections::HashSet;
use std::ops::Range;

use kmerge_core::markers::{chosen, hunks};
use kmerge_core::{Outcome, Role, Rule, Schema, Side, Slots};
use serde::Serialize;

use super::rows::{Row, Rows, rows};
use crate::check::check;
use crate::masked::lines;
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
}

impl Merge {
    /// What `kmerge check` finds in `text`, a choice of sides for the result, and in none of the sides.
    pub(super) fn new_faults(&self, text: &[u8], schema: &Schema) -> Vec<String> {
        let faults = |text: &[u8]| {
            let checked = check(self.path.clone(), text.to_vec(), schema);
            checked.problems.into_iter().map(|problem| problem.message)
        };
        let known: HashSet<String> = self.sides.present().flat_map(|(_, text)| faults(text.as_bytes())).collect();
        faults(text).filter(|fault| !known.contains(fault)).collect()
    }
}

/// A file as the page has it.
#[derive(Debug, Serialize)]
pub(super) struct File {
    path: String,
    note: Option<String>,
    /// Whether lines are hidden, so that the page cannot put the file together.
    secret: bool,
    /// Whether the last line of the result ends.
    ends: bool,
    rows: Vec<Shown>,
    decisions: Vec<Decision>,
}

/// A row of the page.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Shown {
    /// Which texts have the line (1 ours, 2 base, 4 theirs, 8 result), and the line.
    Line(u8, String),
    Hunk {
        hunk: [Option<Vec<String>>; 3],
        /// The lines between and around them.
        markers: Vec<String>,
        /// What would be wrong with ours, base and theirs there.
        faults: [Vec<String>; 3],
    },
}

/// A place on which the sides do not agree.
#[derive(Debug, Serialize)]
struct Decision {
    /// Index of its row.
    row: usize,
    resource: String,
    path: String,
    role: &'static str,
    kind: Kind,
    /// Which rule decided, with the three values.
    why: String,
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

impl File {
    pub(super) fn new(merge: &Merge, schema: &Schema, words: Words) -> Self {
        let Rows { rows, of_line } = rows(&merge.result, &merge.sides);
        let texts = Texts::of(merge);
        let mut faults = choices(merge, schema).into_iter();
        let show = |row| match row {
            Row::Line { result, sides } => texts.line(result, &sides),
            Row::Hunk(hunk) => texts.hunk(&hunk, faults.next().unwrap_or_default()),
        };
        Self {
            path: merge.path.clone(),
            note: merge.note.clone(),
            secret: texts.hides,
            ends: merge.result.is_empty() || merge.result.ends_with('\n'),
            rows: rows.into_iter().map(show).collect(),
            decisions: decisions(merge, &of_line, words),
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
        let path = if record.is_text() { "lines".to_owned() } else { record.path.short().to_string() };
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
            (_, Rule::Contested, _) => Self::Overwritten,
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
    sides: Slots<Vec<String>>,
    hides: bool,
}

impl Texts {
    fn of(merge: &Merge) -> Self {
        let (result, mut hides) = lines(&merge.result);
        let sides = merge.sides.as_ref().map(|text| {
            let (lines, is_hidden) = lines(text);
            hides |= is_hidden;
            lines
        });
        Self { result, sides, hides }
    }

    /// A line that some texts have; it is hidden where one of them hides it.
    fn line(&self, result: Option<usize>, sides: &Slots<usize>) -> Shown {
        let of_sides = sides.present().filter_map(|(side, at)| self.sides.get(side)?.get(*at));
        let line = of_sides.chain(result.and_then(|at| self.result.get(at))).min_by_key(|line| line.len());
        let bit = |is: bool, bit: u8| if is { bit } else { 0 };
        let texts = [
            bit(sides.dest.is_some(), 1),
            bit(sides.base.is_some(), 2),
            bit(sides.incoming.is_some(), 4),
            bit(result.is_some(), 8),
        ];
        Shown::Line(texts.iter().sum(), line.cloned().unwrap_or_default())
    }

    fn hunk(&self, hunk: &Slots<Range<usize>>, faults: [Vec<String>; 3]) -> Shown {
        let lines = |lines: &Option<Range<usize>>| Some(self.result.get(lines.clone()?)?.to_vec());
        let sides = [&hunk.dest, &hunk.base, &hunk.incoming];
        let above = sides.iter().filter_map(|side| side.as_ref()?.start.checked_sub(1));
        let below = hunk.incoming.as_ref().map(|theirs| theirs.end);
        let markers = above.chain(below).filter_map(|at| self.result.get(at).cloned()).collect();
        Shown::Hunk { hunk: sides.map(lines), markers, faults }
    }
}

/// What would be wrong in each hunk with ours, base or theirs chosen, and ours in the others.
fn choices(merge: &Merge, schema: &Schema) -> Vec<[Vec<String>; 3]> {
    /// Each choice is checked as a whole file: more work than this is done when a choice is written.
    const MOST: usize = 8 << 20;
    let text = merge.result.as_bytes();
    let found = hunks(text);
    if found.len() * text.len() > MOST {
        return Vec::new();
    }
    let faults = |at: usize, side: Side| {
        let text = chosen(text, &found, |hunk| match side {
            Side::Base if *hunk == found[at] => Some(hunk.base.clone().unwrap_or(hunk.ours.end..hunk.ours.end)),
            Side::Incoming if *hunk == found[at] => Some(hunk.theirs.clone()),
            _ => Some(hunk.ours.clone()),
        });
        merge.new_faults(&text, schema)
    };
    (0..found.len()).map(|at| [Side::Dest, Side::Base, Side::Incoming].map(|side| faults(at, side))).collect()
}
