//! What is said about files that a command changes: every place with its values, as `kmerge diff` has them.

use std::io::Write as _;
use std::path::Path;

use anyhow::ensure;
use kmerge_core::Schema;

use crate::cli::merge::{ReportFormat, SayFlags};
use crate::deliver::Target;
use crate::diff::{self, Detail, FileDiff, Scope};
use crate::input::{STDIO, Source};
use crate::{output, terminal};

/// Refuses two texts on one stdout.
pub(crate) fn check_stdout(say: &SayFlags, target: &Target) -> anyhow::Result<()> {
    let is_report_on_stdout = say.report.as_deref().is_some_and(|report| report.as_os_str() == STDIO);
    let is_diff = matches!(target, Target::Nowhere { diff: true, .. });
    ensure!(
        !(is_report_on_stdout && is_diff),
        "the report and the diff cannot both go to stdout: give --report a file, or leave --diff out"
    );
    ensure!(
        !(is_report_on_stdout && target.uses_stdout()),
        "the report and the result cannot both go to stdout: add --check, --in-place or --output FILE"
    );
    Ok(())
}

/// Whether [`changes`] says anything.
pub(crate) const fn is_anything(say: &SayFlags) -> bool {
    say.report.is_some() || say.verbose
}

/// Reports what changes from each first text to its second.
pub(crate) fn changes(say: &SayFlags, pairs: &[[&Source; 2]]) -> anyhow::Result<()> {
    if !is_anything(say) {
        return Ok(());
    }
    let schema = Schema::new();
    let of = |[before, after]: &[&Source; 2]| diff::files(before, after, &schema, Scope::Everything);
    let diffs: Vec<FileDiff> = pairs.iter().filter_map(of).collect();
    let text = diff::write_text(&diffs, Detail::Full);
    if say.verbose {
        terminal::coloured_stderr().write_all(text.as_bytes())?;
    }
    let Some(path) = &say.report else { return Ok(()) };
    let report = match say.format {
        ReportFormat::Json => terminal::json(&diff::to_json(&diffs)),
        ReportFormat::Text => text,
    };
    write_report(path, &report)
}

/// Writes a report to a file, or for `-` to stdout.
pub(crate) fn write_report(path: &Path, report: &str) -> anyhow::Result<()> {
    if path.as_os_str() == STDIO {
        return Ok(terminal::coloured_stdout().write_all(report.as_bytes())?);
    }
    output::write(path, terminal::without_colours(report).as_bytes()).map(drop)
}
