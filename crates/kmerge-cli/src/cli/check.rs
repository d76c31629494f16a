//! Arguments of `kmerge check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::merge::SchemaFlags;

/// Find what is wrong in files although it may go unnoticed
///
/// Leftover conflict markers, duplicate keys, undefined aliases, elements and resources of the same identity, fields that
/// exclude each other, and what is not YAML at all. A template is searched for conflict markers, and for the rest as far as
/// it is YAML. Exits with 1 if anything is found; a warning alone does not count without --strict.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge check deployment.yaml
  kmerge check deploy/ --format github
  kustomize build . | kmerge check -")]
pub(crate) struct CheckArgs {
    /// Files and directories; `-` for stdin
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Exit 1 for warnings, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CheckFormat,
    /// Say nothing; the exit code tells
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) schema: SchemaFlags,
}

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people, with the lines they are about
    Text,
    /// For programs; `docs/report.md` describes it
    Json,
    /// As annotations of a GitHub workflow
    Github,
}
