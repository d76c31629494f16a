//! Reports for programs; `docs/report.md` and `docs/schemas/report.schema.json` are their contract.

use kmerge_core::package::{Fate, Match};
use kmerge_core::schema::{NoIdentity, OneValue, RuleSource};
use kmerge_core::{Outcome, Role, Rule, Slots};
use kyaml_ast::{Place, Span};
use serde_json::{Map, Value, json};

use super::{FileReport, PackageReport, PathRecord, Record, ResourceRecord, Version};
use crate::input::Source;

/// Grows when a field changes its meaning; new fields may come without that.
pub(crate) const VERSION: u32 = 1;

/// Who wrote a report.
pub(crate) const TOOL: &str = concat!("kmerge ", env!("CARGO_PKG_VERSION"));

/// The report of a merge of some files.
pub(crate) fn to_json(files: &[FileReport]) -> Value {
    json!({ "version": VERSION, "tool": TOOL, "files": files.iter().map(file).collect::<Vec<_>>() })
}

/// The report of a merge of directories: what is decided above the fields, and the paths that change.
pub(crate) fn package_to_json(files: &[FileReport], package: &PackageReport, changes: &[(&str, &str)]) -> Value {
    let mut report = to_json(files);
    let change = |(path, change): &(&str, &str)| json!({ "path": path, "change": change });
    report["changes"] = changes.iter().map(change).collect();
    report["resources"] = package.resources.iter().map(resource).collect();
    report["whole_files"] = package.files.iter().map(whole_file).collect();
    report
}

fn resource(record: &ResourceRecord) -> Value {
    json!({
        "resource": record.resource,
        "fate": fate(record.fate),
        "rule": rule(record.rule),
        "likeness": match record.matched {
            Match::Identity => None,
            Match::Likeness(percent) => Some(percent),
        },
        "path": record.path,
        "sides": sides(&record.places, |spot| json!({ "path": spot.path, "line": spot.line })),
    })
}

fn whole_file(record: &PathRecord) -> Value {
    json!({
        "path": record.path,
        "moved_from": record.moved_from,
        "fate": file_fate(record.fate),
        "rule": rule(record.rule),
        "both_changed": record.both_changed,
        "conflict": record.is_conflict,
    })
}

const fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Keep => "keep",
        Fate::Merge => "merge",
        Fate::Take => "add",
        Fate::Remove => "remove",
        Fate::Conflict => "conflict",
    }
}

const fn file_fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Keep => "keep",
        Fate::Take => "take",
        Fate::Remove => "remove",
        Fate::Merge => "merge-lines",
        Fate::Conflict => "conflict",
    }
}

fn file(report: &FileReport) -> Value {
    json!({
        "inputs": sides(&report.names, |name| json!(name)),
        "decisions": report.decisions().map(record).collect::<Vec<_>>(),
        "conflicts": report.conflicts().map(record).collect::<Vec<_>>(),
    })
}

fn record(record: &Record) -> Value {
    json!({
        "resource": record.resource,
        "path": record.path.short().to_string(),
        "role": role(record.role),
        "outcome": outcome(record.outcome),
        "rule": rule(record.rule),
        "overwritten": record.is_overwritten(),
        "sides": sides(&record.sides, version),
        "list": record.list.as_ref().map(list),
    })
}

/// Why a list is one value.
fn list(list: &OneValue) -> Value {
    let source = match list.source {
        RuleSource::User => "user",
        RuleSource::Crd => "definition",
        RuleSource::Builtin => "builtin",
        RuleSource::Inferred => "inferred",
    };
    let why = list.why.map(|(_, why)| match why {
        NoIdentity::NotAMapping(_) => "not-a-mapping",
        NoIdentity::NotAScalar(_) => "not-a-scalar",
        NoIdentity::MissingKey(_) => "missing-key",
        NoIdentity::Duplicate { .. } => "duplicate-key",
        NoIdentity::NoCommonKey => "no-common-key",
        _ => "empty",
    });
    json!({ "source": source, "declared": list.declared, "why": why })
}

pub(crate) fn version(version: &Version) -> Value {
    let mut out = stretch(version.span, [version.from, version.to]);
    out["text"] = json!(version.text);
    out
}

/// A stretch of a file, as all reports write it.
pub(crate) fn span(source: &Source, span: Span) -> Value {
    stretch(span, [span.start, span.end].map(|at| source.place(at)))
}

fn stretch(span: Span, [from, to]: [Place; 2]) -> Value {
    json!({ "bytes": [span.start, span.end], "from": place(from), "to": place(to) })
}

fn place(place: Place) -> Value {
    json!({ "line": place.line, "column": place.column })
}

fn sides<T>(slots: &Slots<T>, show: impl Fn(&T) -> Value) -> Value {
    let named = [("dest", &slots.dest), ("original", &slots.base), ("updated", &slots.incoming)];
    let present = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), show(value.as_ref()?))));
    Value::Object(present.collect::<Map<_, _>>())
}

pub(crate) const fn role(role: Role) -> &'static str {
    match role {
        Role::Value => "value",
        Role::Lead => "comment-above",
        Role::Trail => "comment-beside",
        Role::Name => "name",
        Role::Layout => "layout",
        Role::Order => "order",
        Role::Gap => "gap",
    }
}

const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Keep => "keep",
        Outcome::Take => "take",
        Outcome::Conflict => "conflict",
    }
}

const fn rule(rule: Rule) -> &'static str {
    match rule {
        Rule::Agreed => "agreed",
        Rule::OnlyDest => "only-dest-changed",
        Rule::OnlyIncoming => "only-updated-changed",
        Rule::BothChanged => "both-changed",
        Rule::Merged => "lines-merged",
        Rule::Cleared => "null-clears",
        Rule::Directive => "patch-directive",
    }
}
