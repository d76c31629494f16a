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
    let unexpected: Vec<&Record> = report.unexpected().collect();
    let decided: Vec<Decided> = unexpected.iter().map(|record| Decided::field(report, record)).collect();
    write_decided(&mut out, &decided)?;
    if unexpected.iter().any(|record| record.path.depth() == 2 && record.path.to_string() == ".sops.mac") {
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

/// What a decision loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lost {
    /// The destination's change.
    Overwritten,
    /// The incoming change.
    Kept,
    /// The elements of a keyed list, in a 2-way merge.
    Elements,
}

impl Lost {
    /// What loses something where both sides changed it.
    pub(crate) const fn of(is_overwritten: bool) -> Self {
        if is_overwritten { Self::Overwritten } else { Self::Kept }
    }

    fn heading(self, places: usize) -> String {
        let places = count(places);
        match self {
            Self::Overwritten => format!("overwritten: {places} that both sides changed, differently"),
            Self::Kept => format!("kept: {places} that both sides changed, differently"),
            Self::Elements => format!("overwritten as a whole: {places}"),
        }
    }
}

/// Something that was decided, and that a user may not expect.
pub(crate) struct Decided {
    pub(crate) lost: Lost,
    /// Where, and what is lost.
    pub(crate) line: String,
    /// Why, or how to lose less.
    pub(crate) advice: Option<String>,
}

impl Decided {
    pub(crate) fn field(report: &FileReport, record: &Record) -> Self {
        let lost = if report.is_two_way { Lost::Elements } else { Lost::of(record.is_overwritten()) };
        let advice = record.why_unmatched().map(str::to_owned).or_else(|| record.advice());
        Self { lost, line: place(report, record), advice }
    }
}

/// Lists what is overwritten, and what is kept.
pub(crate) fn write_decided(out: &mut impl Write, decided: &[Decided]) -> std::io::Result<()> {
    for lost in [Lost::Overwritten, Lost::Kept, Lost::Elements] {
        let group: Vec<&Decided> = decided.iter().filter(|decided| decided.lost == lost).collect();
        if group.is_empty() {
            continue;
        }
        writeln!(out, "{}", lost.heading(group.len()))?;
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
