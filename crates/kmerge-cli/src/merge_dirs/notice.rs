//! What is said about a merge of directories: on stderr, and in the report.

use std::collections::BTreeMap;
use std::io::Write;

use kmerge_core::package::Fate;

use super::carry::Carried;
use super::deliver::Target;
use super::misfit::Misfit;
use crate::cli::merge::{OutputFlags, ReportFormat};
use crate::cmd::upgrade::summary;
use crate::notice::{Decided, Lost, note, write_decided, write_lines};
use crate::report::{package_to_json, write_package, write_text};
use crate::terminal::{self, counted};
use crate::told;
use crate::tree::Dir;

/// Writes what `--report` asks for; where the merge `fails`, no file changes.
pub(super) fn write_report(carried: &Carried, flags: &OutputFlags, fails: bool) -> anyhow::Result<()> {
    let Some(path) = &flags.say.report else { return Ok(()) };
    let changes = if fails { Vec::new() } else { changes(carried) };
    let text = match flags.say.format {
        ReportFormat::Json => terminal::json(&package_to_json(&carried.reports, &carried.package, &changes)),
        ReportFormat::Text => text(carried),
    };
    told::write_report(path, &text)
}

fn text(carried: &Carried) -> String {
    let mut text = write_package(&carried.package);
    for report in &carried.reports {
        let name = report.names.dest.as_deref().unwrap_or_default();
        text.push_str(&format!("{}\n{}", terminal::line(name), write_text(report)));
    }
    text
}

/// Paths that change, and how.
fn changes(carried: &Carried) -> Vec<(&str, &'static str)> {
    let how = |old: bool, new: bool| match (old, new) {
        (false, _) => "created",
        (true, true) => "modified",
        (true, false) => "deleted",
    };
    carried
        .changes
        .iter()
        .map(|it| (it.change.path.as_str(), how(it.before.is_some(), it.change.new.is_some())))
        .collect()
}

/// Shows the conflicts that ended the merge.
pub(super) fn conflicts(carried: &Carried) -> anyhow::Result<()> {
    for error in &carried.errors {
        writeln!(terminal::coloured_stderr(), "{error}\n")?;
    }
    let mut out = terminal::stderr();
    for Decided { line, .. } in package_lines(carried, true) {
        writeln!(out, "{line}")?;
    }
    writeln!(out, "{}; nothing was written", counted(carried.conflicts(), "conflict"))?;
    Ok(())
}

/// Tells what a user may not expect; with `--verbose`, every decision.
pub(super) fn decided(carried: &Carried, flags: &OutputFlags) -> anyhow::Result<()> {
    if flags.say.quiet {
        return Ok(());
    }
    carried.notes.iter().try_for_each(|why| note(why))?;
    if flags.say.verbose {
        write!(terminal::coloured_stderr(), "{}", text(carried))?;
    } else {
        both_changed(carried, &mut terminal::stderr())?;
    }
    Ok(())
}

/// Tells what became of each resource.
pub(super) fn shares(carried: &Carried) -> anyhow::Result<()> {
    let mut out = terminal::stderr();
    for line in summary(&carried.reports, &carried.package) {
        writeln!(out, "{line}")?;
    }
    Ok(())
}

/// Names files that the kustomizations of the result do not fit.
pub(super) fn misfits(root: &Dir, misfits: &BTreeMap<String, Misfit>) -> anyhow::Result<()> {
    for (path, misfit) in misfits {
        let what = match misfit {
            Misfit::New => "new, and no kustomization lists it",
            Misfit::Dropped => "no kustomization lists it any more",
            Misfit::Missing => "missing, and a kustomization lists it",
        };
        writeln!(terminal::stderr(), "{}: {what}", root.shown_at(path).display())?;
    }
    Ok(())
}

/// Tells what was written, or would be.
pub(super) fn done(carried: &Carried, flags: &OutputFlags, target: &Target) -> anyhow::Result<()> {
    let mut out = terminal::stderr();
    if flags.say.quiet {
        return Ok(());
    }
    let all = changes(carried);
    let of = |kind: &str| all.iter().filter(|(_, how)| *how == kind).count();
    let kinds = ["created", "modified", "deleted"].map(|kind| (of(kind), kind));
    let parts: Vec<String> = kinds
        .iter()
        .filter(|(files, _)| *files > 0)
        .map(|(files, kind)| format!("{} {kind}", counted(*files, "file")))
        .collect();
    if parts.is_empty() {
        writeln!(out, "no file changes")?;
    } else {
        let what = match target {
            Target::InPlace(root) | Target::Directory(root) => format!("wrote {}", root.display()),
            Target::Nowhere { .. } => "would be".to_owned(),
        };
        writeln!(out, "{what}: {}", parts.join(", "))?;
    }
    Ok(())
}

/// Lists what both sides changed: what is in conflict, and what was decided beside it.
fn both_changed(carried: &Carried, out: &mut impl Write) -> std::io::Result<()> {
    if carried.conflicts() > 0 {
        let mut lines: Vec<String> = package_lines(carried, true).into_iter().map(|decided| decided.line).collect();
        for report in &carried.reports {
            lines.extend(report.conflicts().map(|record| Decided::field(report, record).line));
        }
        writeln!(out, "{} in conflict:", counted(lines.len(), "place"))?;
        write_lines(out, &lines)?;
    }
    let mut decided = package_lines(carried, false);
    for report in &carried.reports {
        decided.extend(report.unexpected().map(|record| Decided::field(report, record)));
    }
    write_decided(out, &decided)
}

/// Resources and files that are in conflict, or that the policy decided.
fn package_lines(carried: &Carried, conflicts: bool) -> Vec<Decided> {
    let package = &carried.package;
    let resources = package.resources.iter().filter(|record| record.is_conflict() == conflicts);
    let resources = resources.filter(|record| record.is_in_conflict()).map(|record| Decided {
        lost: Lost::of(record.fate != Fate::Keep),
        line: format!("{}: {}: {}", record.place(), record.resource, record.what()),
        advice: None,
    });
    let files = package.files.iter().filter(|record| record.is_in_conflict() && record.is_conflict == conflicts);
    let files = files.map(|record| Decided {
        lost: Lost::of(record.is_overwritten),
        line: format!("{}: {}", record.path, record.what()),
        advice: None,
    });
    resources.chain(files).collect()
}
