//! Arguments of `kmerge diff`.

use std::path::PathBuf;

use clap::Args;

use super::apply::{ListKeys, PatchType};
use super::merge::{ReportFormat, SchemaFlags};

/// Show how the values of two files or directories differ
///
/// Resources are matched by identity, fields by name, and items of keyed lists by key. Quotes, layout and comments make no difference.
/// The order of items counts only in lists without keys, and where items run one after the other, such as init containers. Aliases are
/// compared as they are written. Files that are not YAML are compared line by line. Exits with 1 if there is a difference.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge diff before.yaml after.yaml
  kmerge diff deploy/staging deploy/production
  kmerge diff --as strategic before.yaml after.yaml > patch.yaml
  kustomize build . | kmerge diff live.yaml -
  KUBECTL_EXTERNAL_DIFF='kmerge diff' kubectl diff -f manifests/")]
pub(crate) struct DiffArgs {
    /// The first file or directory; `-` for stdin
    pub(crate) a: PathBuf,
    /// The second file or directory; `-` for stdin
    pub(crate) b: PathBuf,
    /// Show differences in comments, quotes, layout and any order as well
    #[arg(long)]
    pub(crate) comments: bool,
    /// List only the files and resources that differ
    #[arg(short, long)]
    pub(crate) brief: bool,
    /// Print a patch that turns A into B, for `kmerge patch` and `kubectl patch`
    #[arg(long, alias = "output", value_name = "TYPE", conflicts_with_all = ["comments", "brief"])]
    pub(crate) r#as: Option<PatchType>,
    /// Which fields identify list items in a strategic patch
    #[arg(long, value_name = "WHICH", default_value = "ssa", requires = "as")]
    pub(crate) list_keys: ListKeys,
    /// Format of the differences
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
    /// Print nothing; only set the exit code
    #[arg(short, long)]
    pub(crate) quiet: bool,
    #[command(flatten)]
    pub(crate) schema: SchemaFlags,
}
