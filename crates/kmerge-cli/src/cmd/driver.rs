//! `kmerge driver`: merges one file for git, within git's contract for merge drivers.
//!
//! The result goes into OURS before any exit code below 129, nothing goes to stdout, and nothing else is written.

use std::io::Write as _;
use std::path::Path;

use anyhow::Context as _;
use kmerge_core::lines::{Labels, Style, Texts};

use crate::cli::{DriverArgs, OnConflict};
use crate::exit::Exit;
use crate::line_merge::{self, Conflicts};
use crate::{git, output};

/// Never ends in a panic: git would take its exit code for that of a merge.
pub(crate) fn run(args: &DriverArgs) -> Exit {
    match std::panic::catch_unwind(|| drive(args)) {
        Ok(Ok(exit)) => return exit,
        Ok(Err(error)) => notice(args, format_args!("{error:#}")),
        Err(_) => notice(args, format_args!("this is a bug in kmerge; the merge was not done")),
    }
    Exit::Unreadable
}

fn drive(args: &DriverArgs) -> anyhow::Result<Exit> {
    let [base, ours, theirs] = [read(&args.base)?, read(&args.ours)?, read(&args.theirs)?];
    let texts = Texts { base: &base, ours: &ours, theirs: &theirs };
    let [ours_label, base_label, theirs_label] =
        [&args.ours_label, &args.base_label, &args.theirs_label].map(|label| label.to_string_lossy());
    let conflicts = match args.on_conflict {
        OnConflict::Base => Conflicts::Base,
        OnConflict::Markers => Conflicts::Markers(Labels {
            size: args.marker_size,
            ours: &ours_label,
            base: &base_label,
            theirs: &theirs_label,
        }),
    };
    if line_merge::is_binary(texts) {
        notice(args, format_args!("binary content is not merged"));
    }
    let merged = line_merge::merge(texts, conflicts, configured_style);
    output::write(&args.ours, &merged.text)?;
    Ok(if merged.conflict { Exit::Findings } else { Exit::Clean })
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

fn read(path: &Path) -> anyhow::Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

fn notice(args: &DriverArgs, message: std::fmt::Arguments<'_>) {
    let path = args.path.as_ref().unwrap_or(&args.ours);
    // With stderr closed there is nobody left to tell; the exit code still says it.
    let _ = writeln!(anstream::stderr(), "kmerge: {}: {message}", path.display());
}
