//! Arguments of `kmerge diff`.

use std::path::PathBuf;

use clap::Args;

use super::apply::{ListKeys, PatchType};
use super::merge::{ReportFormat, SchemaFlags};

/// Show how the values of two files or directories differ
///
/// Resources are paired by identity, fields by name and the elements of keyed lists by key, so that order, quotes, layout
/// and comments make no difference. Exits with 1 if there is one. What is no YAML is compared line by line.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge diff before.yaml after.yaml
  kmerge diff deploy/staging deploy/production
  kmerge diff --as strategic before.yaml after.yaml > patch.yaml
  kustomize build . | kmerge diff live.yaml -
  KUBECTL_EXTERNAL_DIFF='kmerge diff' kubectl diff -f manifests/")]
pub(crate) struct DiffArgs {
    /// The one file or directory; `-` for stdin
    pub(crate) a: PathBuf,
    /// The other; `-` for stdin
    pub(crate) b: PathBuf,
    /// Show differences in comments, order, quotes and layout as well
    #[arg(long)]
    pub(crate) comments: bool,
    /// Name the files and resources that differ, and nothing more
    #[arg(short, long)]
    pub(crate) brief: bool,
    /// Print the patch that leads from the one to the other, for `kmerge patch` and `kubectl patch`
    #[arg(long, alias = "output", value_name = "TYPE", conflicts_with_all = ["comments", "brief"])]
    pub(crate) r#as: Option<PatchType>,
    /// Which fields identify the elements of lists in a strategic patch
    #[arg(long, value_name = "WHICH", default_value = "ssa", requires = "as")]
    pub(crate) list_keys: ListKeys,
    /// How differences are written
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
    /// Say nothing; the exit code tells
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) schema: SchemaFlags,
}
