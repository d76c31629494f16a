//! Arguments of the commands that read or change one place of a file.

use std::path::PathBuf;

use clap::Args;

use super::merge::{SayFlags, TargetFlags};

/// Which file, and which of its documents.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// The file; `-` for stdin
    pub(crate) file: PathBuf,
    /// The place: `.spec.containers[name=app].image`, `.args[0]`, `.metadata.annotations["a.b/c"]`
    #[arg(allow_hyphen_values = true)]
    pub(crate) path: String,
    /// The document: KIND/NAME, KIND/NAMESPACE/NAME, KIND, /NAME, or #N for the Nth; needed where a file holds several
    #[arg(long, value_name = "KIND/NAME")]
    pub(crate) select: Option<String>,
}

/// Print the value at one place of a file
///
/// A scalar is printed as its value, without quotes; anything else as YAML.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge get deployment.yaml .spec.replicas
  kmerge get deployment.yaml '.spec.template.spec.containers[name=app].image'
  kmerge get all.yaml .data --select ConfigMap/settings
  kmerge get values.yaml '.hosts[-1]'")]
pub(crate) struct GetArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// Set the value at one place of a file
///
/// Everything else in the file keeps its bytes, and the value its comments and quotes. A string stays a string, and labels,
/// annotations and the data of a ConfigMap are strings; anything else is read as YAML: 5 is a number, true a boolean,
/// [a, b] a list. Fields that are missing on the way are added.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge set -i deployment.yaml .spec.replicas 3
  kmerge set -i deployment.yaml '.spec.template.spec.containers[name=app].image' app:1.7
  kmerge set --diff all.yaml '.metadata.labels[\"app.kubernetes.io/part-of\"]' shop --select Service/web
  kmerge set -i values.yaml .resources '{limits: {cpu: 1}}'
  kmerge set -i configmap.yaml '.data[\"run.sh\"]' - < run.sh")]
pub(crate) struct SetArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    /// The value; `-` for stdin
    #[arg(allow_hyphen_values = true)]
    pub(crate) value: String,
    /// VALUE is a string, whatever it looks like
    #[arg(long, conflicts_with = "yaml")]
    pub(crate) string: bool,
    /// VALUE is YAML, also where a string stands now
    #[arg(long)]
    pub(crate) yaml: bool,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}

/// Delete one place of a file, with its comments
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge delete -i deployment.yaml .spec.paused
  kmerge delete -i deployment.yaml '.spec.template.spec.containers[name=proxy]'
  kmerge delete --diff all.yaml '.metadata.finalizers[=example.com/hold]' --select Pod/web")]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}
