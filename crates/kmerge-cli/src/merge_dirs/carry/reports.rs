//! Turns what the library found out about units into reports about files.

use std::collections::{BTreeMap, HashMap};

use kmerge_core::package::{Fate, Match, Report, UnitRef};
use kmerge_core::{Plan, Side, Slots};
use kyaml_ast::Stream;

use super::Job;
use crate::input::Source;
use crate::options::Conflicts;
use crate::places::Places;
use crate::report::{FileReport, PackageReport, ResourceRecord, Spot};

/// The report on the units of a result file that come from the same input files.
#[derive(Debug)]
pub(super) struct Found {
    pub(super) report: FileReport,
    /// Its conflicts as errors, where they end the merge.
    pub(super) errors: Vec<String>,
}

impl Found {
    pub(super) fn new(job: &Job<'_>, report: FileReport, sources: Slots<&Source>) -> Self {
        let mut errors = Vec::new();
        if job.options.conflicts == Conflicts::Fail {
            errors.extend(report.conflicts().map(|conflict| conflict.diagnostic(sources).render()));
        }
        Self { report, errors }
    }
}

/// The reports of one result file: one for each combination of input files that its units come from.
pub(super) fn files(job: &Job<'_>, reports: Vec<Report>) -> Vec<Found> {
    let mut groups: BTreeMap<[Option<u32>; 3], Plan> = BTreeMap::new();
    for report in reports {
        let units = job.plan.rows[report.row].units;
        let key = Side::ALL.map(|side| units.get(side).map(|unit| unit.file));
        let plan = groups.entry(key).or_default();
        plan.decisions.extend(report.decisions);
    }
    groups
        .into_iter()
        .filter(|(_, plan)| !plan.decisions.is_empty())
        .map(|(files, plan)| file(job, files, &plan))
        .collect()
}

fn file(job: &Job<'_>, files: [Option<u32>; 3], plan: &Plan) -> Found {
    let sources = Side::ALL.map(|side| job.source(side, files[side as usize]?));
    let streams = sources.each_ref().map(|source| source.as_ref().and_then(|source| Stream::parse(&source.text).ok()));
    let [dest, base, incoming] = sources.each_ref().map(Option::as_ref);
    let sources = Slots { dest, base, incoming };
    let [dest, base, incoming] = streams.each_ref().map(Option::as_ref);
    let is_two_way = job.names.root(Side::Base).is_empty();
    let report = FileReport { is_two_way, ..FileReport::new(plan, Slots { dest, base, incoming }, sources) };
    Found::new(job, report, sources)
}

/// What was decided about whole units.
pub(super) fn package(job: &Job<'_>) -> PackageReport {
    let mut resources = Vec::new();
    let paths = result_paths(job);
    let mut places = HashMap::new();
    for (index, row) in job.plan.rows.iter().enumerate() {
        let mut spot = |side: Side| row.units.get(side).map(|&unit| spot(job, unit, &mut places));
        let record = ResourceRecord {
            resource: row.units.present().next().map(|(_, unit)| job.trees.name(*unit)).unwrap_or_default(),
            fate: row.fate,
            rule: row.rule,
            drops_comments: row.drops_comments,
            matched: row.matched,
            places: Slots { dest: spot(Side::Dest), base: spot(Side::Base), incoming: spot(Side::Incoming) },
            path: paths.get(&index).map(|path| (*path).to_owned()),
        };
        let is_quiet = matches!(row.fate, Fate::Keep | Fate::Merge)
            && !record.is_in_conflict()
            && record.moved().is_none()
            && record.matched == Match::Identity;
        if !is_quiet {
            resources.push(record);
        }
    }
    PackageReport { resources, files: Vec::new() }
}

/// The file in which the result has each row.
fn result_paths<'a>(job: &Job<'a>) -> BTreeMap<usize, &'a str> {
    let mut paths = BTreeMap::new();
    for file in &job.plan.files {
        paths.extend(job.plan.rows_in(file).map(|row| (row, file.path)));
    }
    paths
}

/// Where a unit stands; `places` knows the lines of each content, however many units that has.
fn spot(job: &Job<'_>, unit: UnitRef, places: &mut HashMap<u32, Places>) -> Spot {
    let file = job.trees.file(unit);
    let text = job.trees.content(file.content).text().unwrap_or_default();
    let lines = places.entry(file.content).or_insert_with(|| Places::of(text));
    let name = job.names.file(unit.side, file.path);
    Spot { path: file.path.to_owned(), name, line: lines.place(text, job.trees.span(unit).start).line }
}
