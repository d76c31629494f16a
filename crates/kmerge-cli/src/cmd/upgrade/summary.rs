//! What an upgrade did, resource by resource.

use std::collections::BTreeMap;

use kmerge_core::package::Fate;
use kmerge_core::{Outcome, Rule};

use crate::report::{FileReport, PackageReport, Record};
use crate::terminal::line;

/// What became of a resource or file; of several things that happened to one, the last here counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Share {
    Kept,
    Taken,
    New,
    Gone,
    Overwritten,
    Conflict,
}

const SHARES: [(Share, &str); 6] = [
    (Share::Kept, "kept"),
    (Share::Taken, "taken"),
    (Share::New, "new"),
    (Share::Gone, "gone"),
    (Share::Overwritten, "overwritten"),
    (Share::Conflict, "conflict"),
];

/// A line for each resource that is not the same on all sides, and one with the counts.
pub(crate) fn summary(reports: &[FileReport], package: &PackageReport) -> Vec<String> {
    let mut found: BTreeMap<&str, Share> = BTreeMap::new();
    let mut note = |name, share: Share| {
        let known = found.entry(name).or_insert(share);
        *known = share.max(*known);
    };
    for report in reports {
        let file = report.names.dest.as_deref().unwrap_or_default();
        for record in &report.records {
            note(if record.resource.is_empty() { file } else { &record.resource }, of_field(record));
        }
    }
    for record in &package.resources {
        let share = match (record.fate, record.rule) {
            (Fate::Conflict, _) => Share::Conflict,
            (Fate::Remove, Rule::BothChanged) => Share::Overwritten,
            (Fate::Take, _) => Share::New,
            (Fate::Remove, _) => Share::Gone,
            (Fate::Keep, Rule::BothChanged) => Share::Kept,
            (Fate::Keep | Fate::Merge, _) => continue,
        };
        note(&record.resource, share);
    }
    for record in &package.files {
        let share = match (record.fate, record.rule) {
            _ if record.is_conflict => Share::Conflict,
            (Fate::Remove | Fate::Take, Rule::BothChanged) => Share::Overwritten,
            (Fate::Remove, _) => Share::Gone,
            (Fate::Keep, _) => Share::Kept,
            _ => Share::Taken,
        };
        note(&record.path, share);
    }
    let mut lines = Vec::new();
    for (share, word) in SHARES {
        let names = found.iter().filter(|(_, own)| **own == share).map(|(name, _)| name);
        lines.extend(names.map(|name| format!("{word:11}  {}", line(name))));
    }
    let count = |share: Share| found.values().filter(|own| **own == share).count();
    let counts: Vec<String> = SHARES.iter().map(|(share, word)| format!("{} {word}", count(*share))).collect();
    lines.push(counts.join(", "));
    lines
}

fn of_field(record: &Record) -> Share {
    match (record.outcome, record.rule) {
        (Outcome::Conflict, _) => Share::Conflict,
        (Outcome::Take, Rule::BothChanged) => Share::Overwritten,
        (Outcome::Take, _) => Share::Taken,
        (Outcome::Keep, _) => Share::Kept,
    }
}
