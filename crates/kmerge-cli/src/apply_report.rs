//! What is said about an apply: notices, reports, and errors with their places.

use std::collections::HashMap;
use std::fmt::Write as _;

use kmerge_core::apply::{BatchError, BatchErrorKind, FilePlace, FileRole, Outcome, Report, Verb};
use kmerge_core::apply::{Cause, Finding};
use kyaml_ast::{Node, Path, Stream};
use serde_json::{Value as Json, json};

use crate::diagnostic::{Code, Diagnostic};
use crate::files::Files;
use crate::input::Source;
use crate::report::{self, TOOL, VERSION};
use crate::terminal::line;

/// One line for each object, and the changes of others that were overruled.
pub(crate) fn notices(outcome: &Outcome) -> String {
    let mut out = String::new();
    for report in &outcome.reports {
        let _ = writeln!(out, "{} {}", line(&report.id.to_string()), verb(report.verb));
        for conflict in conflicts(report) {
            let _ = writeln!(out, "  {conflict}");
        }
        if report.verb == Verb::Configured && !report.was_applied {
            let _ = writeln!(out, "  what was applied last is unknown: nothing is removed");
        }
        let is_told = |finding: &&Finding| report.verb != Verb::Conflicting && finding.cause.overrules();
        for finding in report.findings.iter().filter(is_told) {
            let _ = writeln!(out, "  {}", summary(report, finding));
        }
    }
    out
}

/// Every object and every change.
pub(crate) fn to_text(outcome: &Outcome) -> String {
    let mut out = String::new();
    for report in &outcome.reports {
        let _ = writeln!(out, "{} {}", line(&report.id.to_string()), verb(report.verb));
        for conflict in conflicts(report) {
            let _ = writeln!(out, "  {conflict}");
        }
        for finding in report.findings.iter().filter(|_| report.verb != Verb::Conflicting) {
            let _ = writeln!(out, "  {}", summary(report, finding));
        }
    }
    out
}

/// `.spec.replicas: changed by someone else to 5 (2 was applied last, the configuration says 3)`
fn conflicts(report: &Report) -> impl Iterator<Item = String> {
    let findings: HashMap<_, _> = report.findings.iter().map(|finding| (&finding.path, finding)).collect();
    report.conflicts.iter().map(move |path| {
        let finding = findings.get(path).filter(|finding| !is_secret(report, &finding.path));
        let path = path.short();
        match finding {
            Some(Finding { live, last_applied, config, .. }) => format!(
                "{path}: changed by someone else to {} ({} was applied last, the configuration says {})",
                show(live.as_deref()),
                show(last_applied.as_deref()),
                show(config.as_deref())
            ),
            None => format!("{path}: changed by someone else since it was last applied"),
        }
    })
}

fn show(json: Option<&str>) -> String {
    json.map_or_else(|| "nothing".to_owned(), short)
}

const fn verb(verb: Verb) -> &'static str {
    match verb {
        Verb::Created => "created",
        Verb::Configured => "configured",
        Verb::Unchanged => "unchanged",
        Verb::Conflicting => "in conflict, not changed",
    }
}

/// `.spec.replicas: 5 -> 3, reverted (3 was applied last)`
fn summary(report: &Report, finding: &Finding) -> String {
    let path = finding.path.short();
    if is_secret(report, &finding.path) {
        return format!("{path}: {}", what(finding.cause));
    }
    let change = format!("{path}: {} -> {}", show(finding.live.as_deref()), show(result(finding)));
    match finding.cause {
        Cause::BothChanged | Cause::RemovedChanged => {
            let last = show(finding.last_applied.as_deref());
            format!("{change}, {} ({last} was applied last)", what(finding.cause))
        }
        cause => format!("{change}, {}", what(cause)),
    }
}

fn result(finding: &Finding) -> Option<&str> {
    match finding.cause {
        Cause::Removed | Cause::RemovedChanged | Cause::Cleared => None,
        _ => finding.config.as_deref(),
    }
}

const fn what(cause: Cause) -> &'static str {
    match cause {
        Cause::Added => "added",
        Cause::Changed => "changed",
        Cause::Reverted => "someone's change reverted",
        Cause::BothChanged => "changed on both sides, the configuration wins",
        Cause::Removed => "removed, the configuration dropped it",
        Cause::RemovedChanged => "removed although someone changed it, the configuration dropped it",
        Cause::Cleared => "cleared, the field keeps only what the configuration names",
    }
}

const fn name(cause: Cause) -> &'static str {
    match cause {
        Cause::Added => "added",
        Cause::Changed => "changed",
        Cause::Reverted => "reverted",
        Cause::BothChanged => "both-changed",
        Cause::Removed => "removed",
        Cause::RemovedChanged => "removed-changed",
        Cause::Cleared => "cleared",
    }
}

/// A value on one line, cut where it is long.
fn short(json: &str) -> String {
    const LONGEST: usize = 60;
    match json.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &json[..end]),
        None => json.to_owned(),
    }
}

/// Whether a place holds what must not be shown.
fn is_secret(report: &Report, path: &Path) -> bool {
    kmerge_core::Secrets::hides(&report.id.kind, path)
}

/// Everything, for programs.
pub(crate) fn to_json(outcome: &Outcome, live: &Files, config: &Files) -> Json {
    let objects: Vec<Json> = outcome.reports.iter().map(|report| object_json(report, live, config)).collect();
    json!({"version": VERSION, "tool": TOOL, "objects": objects})
}

fn object_json(report: &Report, live: &Files, config: &Files) -> Json {
    let place = |files: &Files, (file, span): (usize, kyaml_ast::Span)| {
        let source = &files.sources[file];
        let mut place = report::span(source, span);
        place["path"] = json!(source.name);
        place
    };
    let id = &report.id;
    json!({
        "object": {"group": id.group, "kind": id.kind, "namespace": id.namespace, "name": id.name},
        "result": match report.verb { Verb::Conflicting => "conflict", other => verb(other) },
        "config": place(config, report.config),
        "live": report.live.map(|at| place(live, at)),
        "conflicts": report.conflicts.iter().map(|path| path.short().to_string()).collect::<Vec<_>>(),
        "changes": report.findings.iter().map(|finding| finding_json(report, finding)).collect::<Vec<_>>(),
    })
}

fn finding_json(report: &Report, finding: &Finding) -> Json {
    let mut out = json!({"path": finding.path.short().to_string(), "cause": name(finding.cause)});
    if is_secret(report, &finding.path) {
        return out;
    }
    let sides = [("last_applied", &finding.last_applied), ("config", &finding.config), ("live", &finding.live)];
    for (side, json) in sides {
        if let Some(json) = json {
            out[side] = serde_json::from_str(json).unwrap_or(Json::Null);
        }
    }
    out
}

/// An error with the places that it is about.
pub(crate) fn explain(
    error: &BatchError,
    (live, config, last_applied): (&Files, &Files, Option<&Files>),
) -> Diagnostic {
    let files = |role| match role {
        FileRole::Live => Some(live),
        FileRole::Config => Some(config),
        FileRole::LastApplied => last_applied,
    };
    let source = |place: &FilePlace| files(place.role).and_then(|files| files.sources.get(place.file));
    if let BatchErrorKind::Syntax(_) | BatchErrorKind::Template = error.kind
        && let Some(Err(diagnostic)) = error.places.first().and_then(source).map(Source::parse_mergeable)
    {
        return diagnostic;
    }
    let message = match error.id.kind.is_empty() {
        true => error.to_string(),
        false => format!("{}: {error}", error.id),
    };
    let mut diagnostic = Diagnostic::error(code(&error.kind), message);
    for place in &error.places {
        let Some(source) = source(place) else { continue };
        let (span, label) = precise(error, place, source);
        diagnostic = diagnostic.at(source, span, label);
    }
    match help(&error.kind) {
        Some(help) => diagnostic.help(help),
        None => diagnostic,
    }
}

const fn code(kind: &BatchErrorKind) -> Code {
    match kind {
        BatchErrorKind::Duplicate => Code::Duplicate,
        BatchErrorKind::Write(_) => Code::BrokenResult,
        _ => Code::Apply,
    }
}

fn help(kind: &BatchErrorKind) -> Option<&'static str> {
    match kind {
        BatchErrorKind::Ambiguous => Some("name the namespace in the configuration, or give --namespace"),
        BatchErrorKind::NoKind => Some("kmerge patch takes patches without a kind"),
        BatchErrorKind::Duplicate => Some("one of them has to go"),
        _ => None,
    }
}

/// The place inside an object that an error is about, and its label.
fn precise(error: &BatchError, place: &FilePlace, source: &Source) -> (kyaml_ast::Span, &'static str) {
    let label = match place.role {
        FileRole::Live => "live",
        FileRole::Config => "configuration",
        FileRole::LastApplied => "last applied",
    };
    let found = match &error.kind {
        BatchErrorKind::Read(error) => Some(error.span),
        BatchErrorKind::Apply(error) => locate(source, place, |root| error.place_in(root)),
        BatchErrorKind::UnquotedName => ".metadata.name"
            .parse::<Path>()
            .ok()
            .and_then(|path| locate(source, place, |root| Some(path.find(root).ok()?.node.full_span()))),
        _ => None,
    };
    (found.unwrap_or(place.span), label)
}

/// What is found in the object at a place.
fn locate(
    source: &Source,
    place: &FilePlace,
    find: impl FnOnce(Node<'_>) -> Option<kyaml_ast::Span>,
) -> Option<kyaml_ast::Span> {
    let stream = Stream::parse(&source.text).ok()?;
    let document = stream.documents().find(|document| document.span().contains(place.span))?;
    let root = document.root().filter(|root| root.full_span() == place.span)?;
    find(root)
}
