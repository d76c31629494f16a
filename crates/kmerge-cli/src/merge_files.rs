//! A merge of single files from end to end: read sides in, result, report and notices out.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use kmerge_core::Slots;

use crate::cli::merge::{OutputFlags, ReportFormat};
use crate::deliver::Target;
use crate::exit::Exit;
use crate::input::{STDIO, Source};
use crate::merge::merge;
use crate::options::{Conflicts, Options};
use crate::report::{FileReport, to_json, write_text};
use crate::{notice, output};

/// Merges single files, says what was decided and hands the result over; `path` is that of the destination.
pub(crate) fn merge_files(
    sources: Slots<&Source>,
    options: &Options,
    flags: &OutputFlags,
    path: &Path,
) -> anyhow::Result<Exit> {
    let target = Target::new(&flags.target, path)?;
    let report_on_stdout = flags.report.as_deref().is_some_and(|report| report.as_os_str() == STDIO);
    ensure!(
        !(report_on_stdout && target.uses_stdout()),
        "the report and the result cannot both go to stdout: add --check, --in-place or --output FILE"
    );
    let merged = merge(sources, options)?;
    write_report(flags, std::slice::from_ref(&merged.report))?;
    let has_conflicts = merged.report.conflicts().next().is_some();
    if has_conflicts && options.conflicts == Conflicts::Fail {
        for conflict in merged.report.conflicts() {
            writeln!(anstream::stderr(), "{}\n", conflict.diagnostic(sources).render())?;
        }
        return Ok(Exit::Findings);
    }
    notice::decided(&merged.report, flags)?;
    let Some(dest) = sources.dest else { return Ok(Exit::Clean) };
    let exit = target.deliver(&merged.text, dest)?;
    Ok(if has_conflicts { Exit::Findings } else { exit })
}

/// stdin can be read once.
pub(crate) fn only_one_is_stdin<const N: usize>(paths: [&PathBuf; N]) -> anyhow::Result<()> {
    let count = paths.iter().filter(|path| path.as_os_str() == STDIO).count();
    ensure!(count <= 1, "only one input can be stdin");
    Ok(())
}

/// Writes what `--report` asks for.
pub(crate) fn write_report(flags: &OutputFlags, reports: &[FileReport]) -> anyhow::Result<()> {
    let Some(path) = &flags.report else { return Ok(()) };
    let text = match flags.format {
        ReportFormat::Json => format!("{:#}\n", to_json(reports)),
        ReportFormat::Text => reports.iter().map(write_text).collect(),
    };
    if path.as_os_str() == STDIO {
        return Ok(anstream::stdout().write_all(text.as_bytes())?);
    }
    output::write(path, anstream::adapter::strip_str(&text).to_string().as_bytes())?;
    Ok(())
}
