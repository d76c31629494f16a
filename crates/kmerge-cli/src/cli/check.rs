//! Arguments of `kmerge check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::merge::{ListFlags, SchemaChoice};

/// Find mistakes in files that other tools accept silently
///
/// Finds invalid YAML, conflict markers, duplicate keys, undefined aliases, list items and resources with the same identity, and
/// fields that exclude each other. A template is searched for conflict markers; if it is valid YAML, for the rest, too.
///
/// Unknown fields and values of the wrong type are warnings, with --schema errors. This needs a built-in kind, or one that --crd
/// defines.
///
/// With --merge, it checks a merge commit that somebody made without the driver: on a server, or by hand. A change of a parent that
/// is missing is an error. If both parents changed the place, somebody had to choose, so it is a warning.
///
/// Exits with 1 for errors; with --strict also for warnings.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge check deployment.yaml
  kmerge check deploy/ --format github
  kmerge check --schema --crd crds/ deploy/
  kustomize build . | kmerge check -
  kmerge check --merge HEAD")]
pub(crate) struct CheckArgs {
    /// Files and directories; `-` for stdin
    #[arg(required_unless_present = "merge", value_name = "FILE|DIR")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Check a merge commit instead: which changes of its parents are missing, and which mistakes are new
    #[arg(long, value_name = "COMMIT", conflicts_with = "inputs")]
    pub(crate) merge: Option<String>,
    /// Exit 1 for warnings, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Unknown fields and values of the wrong type are errors; with `=none` only in kinds that --crd defines
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "builtin")]
    pub(crate) schema: Option<SchemaChoice>,
    /// Format of the findings
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CheckFormat,
    /// Print nothing; only set the exit code
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// List each file that is checked, and the kinds whose fields are unknown
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) lists: ListFlags,
}

/// How findings are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CheckFormat {
    /// For people, with excerpts
    Text,
    /// For programs; `docs/report.md` describes it
    Json,
    /// As annotations of a GitHub workflow
    Github,
}
