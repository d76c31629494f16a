//! What is said about a merge of directories: on stderr, and in the report.

use std::io::Write;

use super::carry::Carried;
use super::deliver::Target;
use crate::cli::merge::{OutputFlags, ReportFormat};
use crate::input::STDIO;
use crate::output;
use crate::report::{package_to_json, write_package, write_text};
use crate::terminal::{self, counted};

/// How many places are listed without `--verbose`.
const MOST: usize = 10;

/// Writes what `--report` asks for; where the merge `fails`, no file changes.
pub(super) fn write_report(carried: &Carried, flags: &OutputFlags, fails: bool) -> anyhow::Result<()> {
    let Some(path) = &flags.say.report else { return Ok(()) };
    let changes = if fails { Vec::new() } else { changes(carried) };
    let text = match flags.say.format {
        ReportFormat::Json => terminal::json(&package_to_json(&carried.reports, &carried.package, &changes)),
        ReportFormat::Text => text(carried),
    };
    if path.as_os_str() == STDIO {
        return Ok(terminal::coloured_stdout().write_all(text.as_bytes())?);
    }
    output::write(path, terminal::without_colours(&text).as_bytes())?;
    Ok(())
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
    for line in package_lines(carried, true) {
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
    if flags.say.verbose {
        write!(terminal::coloured_stderr(), "{}", text(carried))?;
    } else {
        contested(carried, &mut terminal::stderr())?;
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

/// Lists what both sides changed.
fn contested(carried: &Carried, out: &mut impl Write) -> std::io::Result<()> {
    let is_conflict = carried.conflicts() > 0;
    let mut lines = package_lines(carried, is_conflict);
    for report in &carried.reports {
        let name = report.names.dest.as_deref().unwrap_or_default();
        let records: Vec<_> = if is_conflict {
            report.conflicts().collect()
        } else if report.names.base.is_some() {
            report.contested().collect()
        } else {
            Vec::new()
        };
        lines.extend(records.iter().map(|record| {
            let line = record.sides.dest.as_ref().map_or_else(String::new, |dest| format!(":{}", dest.from.line));
            format!("{name}{line}: {}", record.summary())
        }));
    }
    if lines.is_empty() {
        return Ok(());
    }
    match is_conflict {
        true => writeln!(out, "{} in conflict:", counted(lines.len(), "place"))?,
        false => writeln!(out, "both sides changed {}, differently:", counted(lines.len(), "place"))?,
    }
    for line in lines.iter().take(MOST) {
        writeln!(out, "  {line}")?;
    }
    if let Some(more) = lines.len().checked_sub(MOST).filter(|more| *more > 0) {
        writeln!(out, "  and {more} more; --verbose or --report FILE lists all")?;
    }
    Ok(())
}

/// Resources and files that are in conflict, or that the policy decided.
fn package_lines(carried: &Carried, conflicts: bool) -> Vec<String> {
    let package = &carried.package;
    let resources = package.resources.iter().filter(|record| record.is_conflict() == conflicts);
    let resources = resources
        .filter(|record| record.is_contested())
        .map(|record| format!("{}: {}: {}", record.place(), record.resource, record.what()));
    let files = package.files.iter().filter(|record| record.is_contested() && record.is_conflict == conflicts);
    resources.chain(files.map(|record| format!("{}: {}", record.path, record.what()))).collect()
}
