//! Arguments of `apply` and `patch`, and the flags that they share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::merge::{ReportFormat, SchemaChoice, TargetFlags};

/// Apply configurations to live objects, as `kubectl apply` would
///
/// What the configuration has is set, what it dropped since it was last applied is removed, everything else stays: values
/// that controllers and other people set, and every byte of the live file that does not have to change. The last-applied
/// annotation is read and written exactly as kubectl does. Objects are paired by group, kind, namespace and name; those
/// that are not there are created.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge apply --live live.yaml --config web.yaml
  kubectl get deployment web -o yaml | kmerge apply --live - --config web.yaml
  kmerge apply --live live.yaml --config web.yaml --diff --report report.txt
  kmerge apply --live cluster/ --config manifests/ -i
  kmerge apply --live live.yaml --config new.yaml --last-applied old.yaml --no-overwrite")]
pub(crate) struct ApplyArgs {
    /// The live objects: a file, `-` for stdin, or a directory
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) live: PathBuf,
    /// The configurations to apply: a file, `-` for stdin, or a directory
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) config: PathBuf,
    /// The configurations of last time, instead of the live objects' annotations
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) last_applied: Option<PathBuf>,
    /// The namespace of configurations that name none
    #[arg(short, long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,
    /// Change nothing where someone else changed a field since it was last applied, to another value; exit 1
    #[arg(long)]
    pub(crate) no_overwrite: bool,
    #[command(flatten)]
    pub(crate) lists: ListFlags,
    #[command(flatten)]
    pub(crate) kinds: KindFlags,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    /// Write every change, its cause and its values to FILE; `-` for stdout
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) report: Option<PathBuf>,
    /// How the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text", requires = "report", help_heading = "Output")]
    pub(crate) format: ReportFormat,
    /// Say nothing but errors
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// How lists merge.
#[derive(Debug, Args)]
#[command(next_help_heading = "Lists")]
pub(crate) struct ListFlags {
    /// What tells the elements of a list apart
    #[arg(long, value_name = "WHICH", default_value = "ssa")]
    pub(crate) list_keys: ListKeys,
    /// Where the elements of a merged list go
    #[arg(long, value_name = "ORDER", default_value = "stable")]
    pub(crate) list_order: ListOrder,
}

/// What is known about kinds.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kinds")]
pub(crate) struct KindFlags {
    /// How a list is paired: key fields, `set` or `atomic`; may be repeated
    #[arg(long, value_name = "PATH=KEY[,KEY]")]
    pub(crate) list_key: Vec<String>,
    /// Read list rules from FILE [default: kmerge.yaml here or in a directory above]
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Custom resource definitions, which tell how lists are paired; may be repeated
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) crd: Vec<PathBuf>,
    /// Which kinds are known without a definition
    #[arg(long, value_name = "WHICH", default_value = "builtin")]
    pub(crate) schema: SchemaChoice,
}

/// What tells elements apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListKeys {
    /// One field, as kubectl does: ports that differ in nothing but the protocol overwrite each other
    Smp,
    /// All fields that identify an element, as server-side apply does: no port gets lost
    Ssa,
}

/// Where elements go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListOrder {
    /// As kubectl leaves them: in the order of the configuration, others between
    Kubectl,
    /// Where they are; new ones behind the neighbours that they have in the configuration
    Stable,
}
