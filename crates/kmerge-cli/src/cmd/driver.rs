//! `kmerge driver`: merges one file for git, within git's contract for merge drivers.
//!
//! The result goes into OURS before any exit code below 129, nothing goes to stdout, and nothing else is written, unless
//! options say so.

mod tell;

use std::fmt::Display;
use std::fs::File;
use std::io::{Read as _, Write as _};
use std::mem::ManuallyDrop;
use std::path::Path;

use anyhow::{Context as _, ensure};
use kmerge_core::git::{self as merge, Merged, Reason};
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::{ConflictStyle, Schema, Side, Slots};

use crate::bytes::{Bytes, max_bytes};
use crate::cli::merge::ReportFormat;
use crate::cli::{DriverArgs, OnConflict};
use crate::cmd::explain::driver::decisions;
use crate::exit::Exit;
use crate::input::STDIO;
use crate::report::{Words, to_json, write_text_in};
use crate::{git, options, output, terminal, told};

/// git's size of markers where none is given, or zero.
const DEFAULT_SIZE: usize = 7;

/// Whatever happens, git gets no exit code that it could take for that of a merge.
pub(crate) fn run(args: &DriverArgs) -> Exit {
    let path = shown_path(args).to_owned();
    let describe = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        describe(panic);
        tell_about(&path, "this is a bug in kmerge; the merge was not done");
        std::process::exit(Exit::Unreadable.code().into());
    }));
    drive(args).unwrap_or_else(|error| {
        notice(args, format_args!("{error:#}"));
        Exit::Unreadable
    })
}

fn drive(args: &DriverArgs) -> anyhow::Result<Exit> {
    let [base, ours, theirs] = [read(&args.base)?, read(&args.ours)?, read(&args.theirs)?];
    let texts = Texts { base: &base, ours: &ours, theirs: &theirs };
    let path = args.path.as_ref().unwrap_or(&args.ours).to_string_lossy();
    // The process ends with it: nobody needs its memory again.
    let merged = ManuallyDrop::new(match too_large(texts) {
        _ if tell::is_off() => Merged::by_lines(texts, Reason::Asked),
        Some(side) => Merged::by_lines(texts, Reason::TooLarge(side)),
        None => merge::merge(texts, &schema(args).for_file(&path)),
    });
    let written = write(args, &merged);
    match &args.output {
        Some(path) if path.as_os_str() == STDIO => std::io::stdout().write_all(&written.text)?,
        path => drop(output::write_passing(path.as_ref().unwrap_or(&args.ours), &written.text)?),
    }
    tell::tell(args, texts, &merged, &written.text);
    if let Some(path) = &args.say.report
        && let Err(error) = report(args, texts, &merged, &written, path)
    {
        notice(args, format_args!("merged without a report: {error:#}"));
    }
    Ok(if written.conflict { Exit::Findings } else { Exit::Clean })
}

fn report(
    args: &DriverArgs,
    texts: Texts<'_>,
    merged: &Merged<'_>,
    written: &merge::Written,
    path: &Path,
) -> anyhow::Result<()> {
    ensure!(too_large(texts).is_none(), "a side is larger than --max-bytes allows");
    let is_stdout = |path: &Path| path.as_os_str() == STDIO;
    let is_result_there = args.output.as_deref().is_some_and(is_stdout);
    ensure!(!is_stdout(path) || !is_result_there, "the report and the result cannot both go to stdout");
    let name = |path: &Path| Some(path.display().to_string());
    let names = Slots { dest: name(&args.ours), base: name(&args.base), incoming: name(&args.theirs) };
    let report = decisions(Some((merged, written)), texts, names, &schema(args));
    let text = match args.say.format {
        ReportFormat::Json => terminal::json(&to_json(report.as_slice())),
        ReportFormat::Text => report.map_or_else(String::new, |report| write_text_in(&report, Words::GIT)),
    };
    told::write_report(path, &text)
}

/// The built-in kinds, the repository's own rules and those of the flags; broken rules must not stop a merge.
fn schema(args: &DriverArgs) -> Schema {
    options::schema(&args.schema).unwrap_or_else(|error| {
        notice(args, format_args!("merged without the rules of the configuration file and of flags: {error:#}"));
        Schema::new()
    })
}

fn write(args: &DriverArgs, merged: &Merged<'_>) -> merge::Written {
    let [ours, base, theirs] =
        [&args.ours_label, &args.base_label, &args.theirs_label].map(|label| label.to_string_lossy());
    let size = if args.marker_size == 0 { DEFAULT_SIZE } else { args.marker_size.into() };
    let labels = Labels { size, ours: &ours, base: &base, theirs: &theirs };
    merged.write(&match args.on_conflict {
        OnConflict::Base => ConflictStyle::Base,
        // A clean result has no markers, so that nobody has to find out about their style.
        OnConflict::Markers if merged.is_clean() => ConflictStyle::Markers { style: Style::Merge, labels },
        OnConflict::Markers => {
            let style = args.marker_style.map_or_else(configured_style, options::marker_style);
            ConflictStyle::Markers { style, labels }
        }
    })
}

/// The style of conflict markers that the user has chosen for git; git itself does not pass it on.
fn configured_style() -> Style {
    match git::effective_config("merge.conflictStyle") {
        Ok(Some(style)) if style == "diff3" => Style::Diff3,
        Ok(Some(style)) if style == "zdiff3" => Style::Zdiff3,
        // Also where git cannot be asked: plain markers are right everywhere.
        _ => Style::Merge,
    }
}

/// The first side that is not to be read as YAML. Lines of it can be merged all the same, so nobody loses a side.
fn too_large(texts: Texts<'_>) -> Option<Side> {
    let sides = [(Side::Dest, texts.ours), (Side::Base, texts.base), (Side::Incoming, texts.theirs)];
    sides.into_iter().find(|(_, text)| text.len() as u64 > max_bytes()).map(|(side, _)| side)
}

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    /// git merges no lines of larger files.
    const MOST: u64 = 1023 << 20;
    let cannot = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(cannot)?;
    let size = file.metadata().with_context(cannot)?.len();
    let mut bytes = Vec::new();
    if size <= MOST {
        // One byte more, so that the end is found without more room.
        bytes.reserve_exact(size as usize + 1);
        file.take(MOST + 1).read_to_end(&mut bytes).with_context(cannot)?;
    }
    ensure!(size.max(bytes.len() as u64) <= MOST, "{} is larger than {}", path.display(), Bytes(MOST));
    Ok(bytes)
}

fn shown_path(args: &DriverArgs) -> &Path {
    args.path.as_ref().unwrap_or(&args.ours)
}

fn notice(args: &DriverArgs, message: impl Display) {
    tell_about(shown_path(args), message);
}

fn tell_about(path: &Path, message: impl Display) {
    // With stderr closed there is nobody left to tell; the exit code still says it.
    let _ = writeln!(terminal::stderr(), "kmerge: {}: {message}", path.display());
}
