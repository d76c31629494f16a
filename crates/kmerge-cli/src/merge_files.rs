//! A merge of single files from end to end: read sides in, result, report and notices out.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use kmerge_core::Slots;

use crate::cli::merge::{OutputFlags, ReportFormat};
use crate::deliver::Target;
use crate::exit::Exit;
use crate::input::{STDIO, Source};
use crate::merge::{merge, refuse_broken_json};
use crate::options::{Conflicts, Options};
use crate::report::{FileReport, to_json, write_text};
use crate::{notice, terminal, told};

/// Merges single files, says what was decided and hands the result over; the destination stands at `path`.
pub(crate) fn merge_files(
    sources: Slots<&Source>,
    options: &Options,
    flags: &OutputFlags,
    path: &Path,
) -> anyhow::Result<Exit> {
    merge_all(&[sources], options, flags, path)
}

/// Merges the sides of each step into what the step before made of the destination, which stands at `path`.
pub(crate) fn merge_all(
    steps: &[Slots<&Source>],
    options: &Options,
    flags: &OutputFlags,
    path: &Path,
) -> anyhow::Result<Exit> {
    let target = target(flags, path)?;
    let (mut has_conflicts, mut changes) = (false, None);
    let exit = target.edit(path, flags.name.as_deref(), |dest| {
        let (text, reports) = merge_steps(dest, steps, options, flags)?;
        has_conflicts = reports.iter().any(|report| report.conflicts().next().is_some());
        let written = match &target {
            Target::InPlace(path) | Target::File(path) => path.to_str(),
            _ => None,
        };
        if let (Some(text), Some(name), false) = (&text, written, has_conflicts) {
            refuse_broken_json(name, std::iter::once(dest.text.as_bytes()), text)?;
        }
        changes = text.as_ref().map(|text| *text != dest.text);
        Ok(text)
    })?;
    if !flags.say.quiet {
        notice::written(&target, changes)?;
    }
    Ok(if has_conflicts { Exit::Findings } else { exit })
}

/// The destination after all steps, unless conflicts end the merge, and what was decided, which is told.
fn merge_steps(
    dest: &Source,
    steps: &[Slots<&Source>],
    options: &Options,
    flags: &OutputFlags,
) -> anyhow::Result<(Option<String>, Vec<FileReport>)> {
    let mut result: Option<Source> = None;
    let mut reports = Vec::with_capacity(steps.len());
    for step in steps {
        let sources = Slots { dest: Some(result.as_ref().unwrap_or(dest)), ..*step };
        let merged = merge(sources, options)?;
        if !flags.say.quiet
            && let Some(why) = &merged.note
        {
            notice::note(why)?;
        }
        let ends = options.conflicts == Conflicts::Fail && merged.report.conflicts().next().is_some();
        reports.push(merged.report);
        if ends {
            write_report(flags, &reports)?;
            refuse(reports.last(), sources)?;
            return Ok((None, reports));
        }
        result = Some(Source::new(&*dest.name, merged.text));
    }
    write_report(flags, &reports)?;
    for report in &reports {
        notice::decided(report, flags)?;
    }
    let text = result.map_or_else(|| dest.text.clone(), |result| result.text);
    Ok((Some(text), reports))
}

/// Where the result goes, and nothing else with it.
pub(crate) fn target(flags: &OutputFlags, path: &Path) -> anyhow::Result<Target> {
    let target = Target::new(&flags.target, path)?;
    told::check_stdout(&flags.say, &target)?;
    Ok(target)
}

/// Shows the conflicts that end a merge.
fn refuse(report: Option<&FileReport>, sources: Slots<&Source>) -> std::io::Result<()> {
    for conflict in report.iter().flat_map(|report| report.conflicts()) {
        writeln!(terminal::coloured_stderr(), "{}\n", conflict.diagnostic(sources).render())?;
    }
    Ok(())
}

/// stdin can be read once.
pub(crate) fn only_one_is_stdin<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> anyhow::Result<()> {
    let count = paths.into_iter().filter(|path| path.as_os_str() == STDIO).count();
    ensure!(count <= 1, "only one input can be stdin");
    Ok(())
}

/// Writes what `--report` asks for.
pub(crate) fn write_report(flags: &OutputFlags, reports: &[FileReport]) -> anyhow::Result<()> {
    let Some(path) = &flags.say.report else { return Ok(()) };
    let text = match flags.say.format {
        ReportFormat::Json => terminal::json(&to_json(reports)),
        ReportFormat::Text => reports.iter().map(write_text).collect(),
    };
    told::write_report(path, &text)
}
