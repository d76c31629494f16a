//! Arguments of `kmerge check`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::merge::{ListFlags, SchemaChoice};

/// Find mistakes in files that other tools accept without a word
///
/// Leftover conflict markers, duplicate keys, undefined aliases, elements and resources of the same identity, fields that
/// exclude each other, and what is not YAML at all. A template is searched for conflict markers, and for the rest as far as
/// it is YAML.
///
/// Fields that a kind does not have, and values of another type than it wants, are warnings, with --schema errors. Built-in
/// kinds are known, and those that --crd defines.
///
/// With --merge: what a server has merged without the driver, or people by hand. A change of a parent that the merge does
/// not have is a finding; where both parents changed a place, somebody had to choose, and that is a warning.
///
/// Exits with 1 if anything is found; a warning alone does not count without --strict.
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
    /// Check a merge commit instead: which change of a parent is missing from it, and what is wrong since
    #[arg(long, value_name = "COMMIT", conflicts_with = "inputs")]
    pub(crate) merge: Option<String>,
    /// Exit 1 for warnings, too
    #[arg(long)]
    pub(crate) strict: bool,
    /// Unknown fields and values of the wrong type are errors; with `=none`, of kinds that --crd defines only
    #[arg(long, value_name = "WHICH", num_args = 0..=1, require_equals = true, default_missing_value = "builtin")]
    pub(crate) schema: Option<SchemaChoice>,
    /// How findings are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CheckFormat,
    /// Print nothing; only set the exit code
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Name every file that is checked, and the kinds whose fields are not known
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) lists: ListFlags,
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
