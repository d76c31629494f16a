//! What is said on stderr about a merge that went through.

use std::io::Write;

use crate::cli::merge::OutputFlags;
use crate::deliver::Target;
use crate::diagnostic::Diagnostic;
use crate::report::{FileReport, Record, write_text};
use crate::terminal;

/// Tells what a user may not expect; with `--verbose`, every decision.
pub(crate) fn decided(report: &FileReport, flags: &OutputFlags) -> std::io::Result<()> {
    if flags.say.verbose {
        return write!(terminal::coloured_stderr(), "{}", write_text(report));
    }
    let mut out = terminal::stderr();
    if flags.say.quiet {
        return Ok(());
    }
    let conflicts: Vec<&Record> = report.conflicts().collect();
    if !conflicts.is_empty() {
        writeln!(out, "{} in conflict, marked in the result:", count(conflicts.len()))?;
        return list(&mut out, report, &conflicts);
    }
    let contested: Vec<&Record> = report.contested().collect();
    if report.names.base.is_none() || contested.is_empty() {
        return Ok(());
    }
    writeln!(out, "both sides changed {}, differently:", count(contested.len()))?;
    list(&mut out, report, &contested)?;
    if contested.iter().any(|record| record.path.depth() == 2 && record.path.to_string() == ".sops.mac") {
        let name = report.names.dest.as_deref().unwrap_or_default();
        writeln!(
            out,
            "{name}: neither side's .sops.mac fits what was merged: sops will refuse the file until it is encrypted anew"
        )?;
    }
    Ok(())
}

/// Tells which file was written; `changes` is whether its content is another one than the destination's.
pub(crate) fn written(target: &Target, changes: Option<bool>) -> std::io::Result<()> {
    match (target, changes) {
        (Target::InPlace(path), Some(false)) => writeln!(terminal::stderr(), "{} does not change", path.display()),
        (Target::InPlace(path) | Target::File(path), Some(_)) if path.is_file() => {
            writeln!(terminal::stderr(), "wrote {}", path.display())
        }
        _ => Ok(()),
    }
}

/// Tells why a file was merged without regard to its structure.
pub(crate) fn by_lines(why: &Diagnostic) -> std::io::Result<()> {
    writeln!(terminal::stderr(), "merged line by line, because {why}")
}

fn count(places: usize) -> String {
    format!("{places} {}", if places == 1 { "place" } else { "places" })
}

fn list(out: &mut impl Write, report: &FileReport, records: &[&Record]) -> std::io::Result<()> {
    const MOST: usize = 10;
    for record in records.iter().take(MOST) {
        let name = report.names.dest.as_deref().unwrap_or_default();
        let line = record.sides.dest.as_ref().map_or_else(String::new, |dest| format!(":{}", dest.from.line));
        writeln!(out, "  {name}{line}: {}", record.summary())?;
    }
    if let Some(more) = records.len().checked_sub(MOST).filter(|more| *more > 0) {
        writeln!(out, "  and {more} more; --verbose or --report FILE lists all")?;
    }
    Ok(())
}
