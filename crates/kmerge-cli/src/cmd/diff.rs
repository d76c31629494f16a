//! `kmerge diff`: what differs between two files or directories.

use std::io::Write as _;

use crate::cli::diff::DiffArgs;
use crate::cli::merge::ReportFormat;
use crate::diff::{Detail, Scope, between, to_json, write_text};
use crate::exit::Exit;
use crate::merge_files::only_one_is_stdin;
use crate::options;
use crate::terminal;

mod patch_diff;

pub(crate) fn run(args: &DiffArgs) -> anyhow::Result<Exit> {
    only_one_is_stdin([&args.a, &args.b])?;
    let schema = options::schema(&args.schema)?;
    if let Some(kind) = args.r#as {
        return patch_diff::run(args, kind, &schema);
    }
    let scope = if args.comments { Scope::Everything } else { Scope::Values };
    let diffs = between(&args.a, &args.b, &schema, scope)?;
    let text = match args.format {
        ReportFormat::Json => terminal::json(&to_json(&diffs)),
        ReportFormat::Text => write_text(&diffs, if args.brief { Detail::Brief } else { Detail::Full }),
    };
    if !args.quiet {
        terminal::coloured_stdout().write_all(text.as_bytes())?;
    }
    Ok(if diffs.is_empty() { Exit::Clean } else { Exit::Findings })
}
