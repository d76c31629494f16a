//! Which change of a parent the content of a merged file lacks.
//!
//! Place by place where all versions are YAML, else line by line. Where both parents changed a place, differently, somebody
//! had to choose: that is a warning.

use std::collections::HashMap;

use kmerge_core::git::{self, Merged, lost};
use kmerge_core::lines::{Style, Texts};
use kmerge_core::{ConflictStyle, Policy, Resource, Schema, Slots, is_template, merge};
use kyaml_ast::{Document, Found, LookupError, Path, Span, Stream};

use super::{Level, Problem, leftover_markers, moved, renamed};
use crate::diagnostic::Code;
use crate::dispute::aspect;
use crate::input::Source;
use crate::report::{FileReport, Record, shortened};

/// The versions of a file.
#[derive(Debug)]
pub(super) struct Contents {
    pub(super) base: Vec<u8>,
    pub(super) parents: [Vec<u8>; 2],
    pub(super) merge: Vec<u8>,
}

impl Contents {
    /// What was merged.
    fn texts(&self) -> Texts<'_> {
        let [ours, theirs] = &self.parents;
        Texts { base: &self.base, ours, theirs }
    }
}

/// What the merge lacks of the parents that `changed` the file.
pub(super) fn problems(contents: &Contents, changed: [bool; 2], ids: &[String; 2], schema: &Schema) -> Vec<Problem> {
    let markers = std::str::from_utf8(&contents.merge).map(leftover_markers).unwrap_or_default();
    if !markers.is_empty() {
        return markers;
    }
    let followed = renamed::followed(contents);
    let contents = followed.as_ref().unwrap_or(contents);
    let sides = [0, 1].into_iter().filter(|side| changed[*side]);
    match Places::read(contents) {
        Some(places) => {
            let faults = schema.new_faults(&places.merge, places.parents_and_base());
            let faults = faults.into_iter().map(|it| Problem::of(it, places.merge.source()));
            let merged = git::merge(contents.texts(), schema);
            if merged.is_clean() && merged.write(&ConflictStyle::Dest).text == contents.merge {
                // Proven with all three versions: a change can be elsewhere, where its parent's lines were moved.
                return faults.collect();
            }
            let both_changed = places.both_changed(&merged, schema);
            places.lost(changed, &both_changed, ids, schema).into_iter().chain(faults).collect()
        }
        None => sides.filter_map(|side| lost_lines(contents, side, ids)).collect(),
    }
}

/// `parent 2 (1a2b3c4)`
pub(super) fn parent(side: usize, ids: &[String; 2]) -> String {
    format!("parent {} ({:.7})", side + 1, ids[side])
}

/// The versions as trees.
struct Places<'t> {
    base: Stream<'t>,
    parents: [Stream<'t>; 2],
    merge: Stream<'t>,
}

impl<'t> Places<'t> {
    /// `None` where a version is no YAML, or a template.
    fn read(contents: &'t Contents) -> Option<Self> {
        let read = |text: &'t [u8]| Stream::parse_bytes(text).ok().filter(|stream| !is_template(stream));
        let [first, second] = &contents.parents;
        Some(Self {
            base: read(&contents.base)?,
            parents: [read(first)?, read(second)?],
            merge: read(&contents.merge)?,
        })
    }

    fn parents_and_base(&self) -> Slots<&Stream<'t>> {
        Slots { dest: Some(&self.parents[0]), base: Some(&self.base), incoming: Some(&self.parents[1]) }
    }

    fn both_changed(&self, merged: &Merged<'_>, schema: &Schema) -> BothChanged {
        let seats = self.parents_and_base();
        let is_told = merged.reason().is_none();
        match merge(seats, schema, &Policy::GIT) {
            Ok(plan) if is_told => {
                let report = report(&plan, seats);
                let places = report.conflicts().map(|record| (record.resource.clone(), record.path.clone()));
                BothChanged::Places(places.collect())
            }
            _ => BothChanged::Everything,
        }
    }

    /// What the merge lacks of the parents that `changed` the file.
    fn lost(&self, changed: [bool; 2], both_changed: &BothChanged, ids: &[String; 2], schema: &Schema) -> Vec<Problem> {
        let records = [0, 1].map(|side| if changed[side] { self.records(side, schema) } else { Vec::new() });
        let records =
            moved::settled(records, |side, record| find(&self.parents[side], record).is_some_and(|it| it.is_ok()));
        let sides = records.iter().enumerate();
        let problems = sides.flat_map(|(side, records)| {
            records.iter().map(move |record| self.problem(record, both_changed.has(record), &parent(side, ids)))
        });
        problems.collect()
    }

    fn records(&self, side: usize, schema: &Schema) -> Vec<Record> {
        let seats = Slots { dest: Some(&self.merge), base: Some(&self.base), incoming: Some(&self.parents[side]) };
        lost(seats, schema).map_or_else(|_| Vec::new(), |plan| report(&plan, seats).records)
    }

    fn problem(&self, record: &Record, is_in_conflict: bool, who: &str) -> Problem {
        let Slots { dest, base, incoming } = record.sides.as_ref();
        let values = shortened([base, incoming, dest]);
        let [old, new, now] = &values;
        let (level, what) = if is_in_conflict {
            (Level::Warning, "both parents changed it, and the merge does not have what")
        } else {
            (Level::Error, "the merge does not have what")
        };
        let message = format!(
            "{}{}: {what} {who} changed: base {old}, {} {new}, merge {now}",
            record.place(),
            aspect(record.role),
            who.split(" (").next().unwrap_or_default()
        );
        let is_secret = [dest, base, incoming].into_iter().flatten().any(|version| version.text.is_none());
        let span = dest.map_or_else(|| self.nearest(record), |dest| dest.span);
        let span = super::first_line(span, self.merge.source());
        Problem {
            level,
            path: Some(record.path.clone()),
            is_secret,
            values: Some(values),
            ..Problem::new(Code::LostChange, message, span)
        }
    }

    /// How far the way to a place goes in the merge.
    fn nearest(&self, record: &Record) -> Span {
        let found = find(&self.merge, record);
        found.map_or(Span::at(0), |found| found.map_or_else(|error| error.span, |found| found.node.span()))
    }
}

/// The place of a record in a version; `None` where there is nothing at all.
fn find<'t>(stream: &'t Stream<'t>, record: &Record) -> Option<Result<Found<'t>, LookupError>> {
    let is_of = |document: &Document<'_>| {
        Resource::of(*document).map(|it| it.id.to_string()).unwrap_or_default() == record.resource
    };
    let document = stream.documents().find(is_of).or_else(|| stream.documents().next());
    document.and_then(Document::root).map(|root| record.path.find(root))
}

fn report(plan: &kmerge_core::Plan, seats: Slots<&Stream<'_>>) -> FileReport {
    let sources = seats.map(|stream| Source::new("", stream.source()));
    let sources =
        Slots { dest: sources.dest.as_ref(), base: sources.base.as_ref(), incoming: sources.incoming.as_ref() };
    FileReport::new(plan, seats, sources)
}

/// What both parents changed, differently.
enum BothChanged {
    /// These places of resources.
    Places(Vec<(String, Path)>),
    /// The file: the structure does not tell.
    Everything,
}

impl BothChanged {
    /// Whether a place is in conflict, lies in such a place, or holds one.
    fn has(&self, record: &Record) -> bool {
        let Self::Places(places) = self else { return true };
        let own = &record.path;
        places.iter().any(|(resource, path)| *resource == record.resource && (own.contains(path) || path.contains(own)))
    }
}

/// The lines that a parent wrote or removed, and the merge did not.
fn lost_lines(contents: &Contents, side: usize, ids: &[String; 2]) -> Option<Problem> {
    let [own, other] = [&contents.parents[side], &contents.parents[1 - side]].map(|text| count(text));
    let (base, merge) = (count(&contents.base), count(&contents.merge));
    let times = |of: &HashMap<&[u8], usize>, line: &[u8]| of.get(line).copied().unwrap_or_default();
    let is_lost = |line: &&[u8]| {
        let [base, own, other, merge] = [&base, &own, &other, &merge].map(|of| times(of, line));
        own > base && merge < own && other >= base || own < base && merge > own && other <= base
    };
    let lines =
        own.keys().chain(base.keys().filter(|line| !own.contains_key(*line))).filter(|line| is_lost(line)).count();
    if lines == 0 {
        return None;
    }
    let level = if contents.texts().merge(Style::Merge).has_conflict() { Level::Warning } else { Level::Error };
    let (who, s) = (parent(side, ids), if lines == 1 { "" } else { "s" });
    let message = format!("the merge does not have {lines} line{s} as {who} changed them");
    Some(Problem { level, ..Problem::new(Code::LostChange, message, Span::at(0)) })
}

/// How often a text has each line that is not blank.
fn count(text: &[u8]) -> HashMap<&[u8], usize> {
    let mut counts = HashMap::new();
    for line in text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty()) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}
