//! What is said about files that a command changes: every place with its values, as `kmerge diff` has them.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;

use anyhow::{bail, ensure};
use clap::ArgMatches;
use kmerge_core::Schema;

use crate::cli::merge::{ReportFormat, SayFlags};
use crate::deliver::Target;
use crate::diff::{self, Detail, FileDiff, Scope};
use crate::input::{STDIO, Source};
use crate::walk::is_manifest;
use crate::{output, terminal};

/// Refuses a report, or a page of `review`, in the place of what the command reads or writes.
pub(crate) fn check_apart(command: &ArgMatches) -> anyhow::Result<()> {
    let Some((name, args)) = command.subcommand() else { return Ok(()) };
    check_apart(args)?;
    let flag = if name == "review" { "output" } else { "report" };
    let Some(page) = values(args, flag).next().filter(|page| *page != STDIO).map(Path::new) else { return Ok(()) };
    let others = args.ids().filter(|id| id.as_str() != flag).flat_map(|id| values(args, id.as_str()));
    if let Some(other) = others.map(Path::new).find(|other| is_over(page, other)) {
        let is_own = if other.is_dir() { "a manifest in" } else { "the same file as" };
        let (page, other) = (page.display(), other.display());
        bail!("--{flag} {page} is {is_own} {other}, and would overwrite it: give --{flag} another file");
    }
    Ok(())
}

/// The values of an argument, if the command has it.
fn values<'m>(args: &'m ArgMatches, id: &str) -> impl Iterator<Item = &'m OsStr> {
    args.try_get_raw(id).ok().flatten().into_iter().flatten()
}

/// Whether a file is another one, or a manifest in a directory.
fn is_over(page: &Path, other: &Path) -> bool {
    if other.is_dir() {
        let (page, other) = (page.canonicalize(), other.canonicalize());
        return page.is_ok_and(|page| is_manifest(&page) && other.is_ok_and(|other| page.starts_with(other)));
    }
    // A result need not be there yet.
    let is_one = || Some(std::path::absolute(page).ok()? == std::path::absolute(other).ok()?);
    same_file::is_same_file(page, other).unwrap_or_else(|_| is_one().unwrap_or_default())
}

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
