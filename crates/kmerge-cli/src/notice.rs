//! What is said on stderr about a merge that went through.

use std::io::Write;

use crate::cli::merge::OutputFlags;
use crate::deliver::Target;
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
        list(&mut out, report, &conflicts)?;
    }
    let both_changed: Vec<&Record> = report.both_changed().collect();
    if report.is_two_way || both_changed.is_empty() {
        return Ok(());
    }
    write_decided(&mut out, both_changed.iter().map(|record| Decided::field(report, record)).collect())?;
    if both_changed.iter().any(|record| record.path.depth() == 2 && record.path.to_string() == ".sops.mac") {
        let name = report.names.dest.as_deref().unwrap_or_default();
        writeln!(
            out,
            "{name}: neither side's .sops.mac is right for the merged file: sops refuses the file until you encrypt it again"
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

/// Tells why a file was not merged by structure, or has more in conflict than what both sides changed.
pub(crate) fn note(why: &str) -> std::io::Result<()> {
    writeln!(terminal::stderr(), "{}", terminal::line(why))
}

fn count(places: usize) -> String {
    format!("{places} {}", if places == 1 { "place" } else { "places" })
}

/// Something that both sides changed, and that was decided.
pub(crate) struct Decided {
    /// Whether it is the destination's change that is lost.
    pub(crate) is_overwritten: bool,
    /// Where, and what is lost.
    pub(crate) line: String,
    /// How to lose less.
    pub(crate) advice: Option<String>,
}

impl Decided {
    pub(crate) fn field(report: &FileReport, record: &Record) -> Self {
        let (is_overwritten, advice) = (record.is_overwritten(), record.advice());
        Self { is_overwritten, line: place(report, record), advice }
    }
}

/// Lists what is overwritten, and what is kept.
pub(crate) fn write_decided(out: &mut impl Write, decided: Vec<Decided>) -> std::io::Result<()> {
    let (lost, kept): (Vec<Decided>, Vec<Decided>) = decided.into_iter().partition(|decided| decided.is_overwritten);
    for (word, group) in [("overwritten", lost), ("kept", kept)] {
        if group.is_empty() {
            continue;
        }
        writeln!(out, "{word}: {} that both sides changed, differently", count(group.len()))?;
        for Decided { line, advice, .. } in group.iter().take(MOST) {
            writeln!(out, "  {line}")?;
            advice.iter().try_for_each(|advice| writeln!(out, "    {advice}"))?;
        }
        write_more(out, group.len())?;
    }
    Ok(())
}

/// `mine.yaml:7: Deployment web .spec.replicas: your 6 → 3`
fn place(report: &FileReport, record: &Record) -> String {
    let name = report.names.dest.as_deref().unwrap_or_default();
    let line = record.sides.dest.as_ref().map_or_else(String::new, |dest| format!(":{}", dest.from.line));
    format!("{name}{line}: {}", record.summary())
}

fn list(out: &mut impl Write, report: &FileReport, records: &[&Record]) -> std::io::Result<()> {
    write_lines(out, &records.iter().map(|record| place(report, record)).collect::<Vec<_>>())
}

/// How many places are listed without `--verbose`.
const MOST: usize = 10;

/// The first lines of several.
pub(crate) fn write_lines(out: &mut impl Write, lines: &[String]) -> std::io::Result<()> {
    lines.iter().take(MOST).try_for_each(|line| writeln!(out, "  {line}"))?;
    write_more(out, lines.len())
}

fn write_more(out: &mut impl Write, places: usize) -> std::io::Result<()> {
    match places.checked_sub(MOST) {
        None | Some(0) => Ok(()),
        Some(more) => writeln!(out, "  and {more} more; --verbose or --report FILE lists all"),
    }
}
