//! Arguments of the commands that read or change places of files.

use std::path::PathBuf;

use clap::Args;

use super::merge::{SayFlags, SchemaFlags, TargetFlags};

/// Which file, or which files, and which of their documents.
#[derive(Debug, Args)]
pub(crate) struct PlaceArgs {
    /// The file; `-` for stdin. With --in, it is left out
    #[arg(index = 1, value_name = "FILE", allow_hyphen_values = true)]
    pub(crate) first: String,
    /// The place: `.spec.containers[name=app].image`, `.args[0]`, `..image`; docs/paths.md has them all
    #[arg(index = 2, value_name = "PATH", allow_hyphen_values = true, required_unless_present = "within")]
    pub(crate) second: Option<String>,
    #[command(flatten)]
    pub(crate) select: SelectFlags,
    #[command(flatten)]
    pub(crate) many: ManyFlags,
}

/// Which documents.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Selection")]
pub(crate) struct SelectFlags {
    /// The document: KIND/NAME, KIND/NAMESPACE/NAME, KIND, /NAME, or #N for the Nth; KIND may be a short name of kubectl
    #[arg(long, value_name = "KIND/NAME")]
    pub(crate) select: Vec<String>,
    /// Documents with these labels: app=web,tier!=db
    #[arg(short = 'l', long = "selector", value_name = "LABELS")]
    pub(crate) labels: Option<String>,
    /// Documents in this namespace
    #[arg(short, long, value_name = "NAMESPACE")]
    pub(crate) namespace: Option<String>,
    /// Documents that meet a condition: .spec.replicas=0, .spec.paused, '!.spec.paused', .metadata.name=~^web
    #[arg(long = "where", value_name = "CONDITION")]
    pub(crate) conditions: Vec<String>,
}

/// What holds for many files.
#[derive(Debug, Args)]
#[command(next_help_heading = "Many files")]
pub(crate) struct ManyFlags {
    /// Work on these files, and on all manifests below these directories; must be last
    #[arg(long = "in", value_name = "FILE|DIR", num_args = 1..)]
    pub(crate) within: Vec<PathBuf>,
    /// A missing place is no error
    #[arg(long)]
    pub(crate) ignore_missing: bool,
    /// Fail unless exactly N places match in all files together
    #[arg(long, value_name = "N", requires = "within")]
    pub(crate) expect: Option<usize>,
}

/// Print the value at a place of a file
///
/// A scalar is printed as its value, without quotes; anything else as YAML. With --in, each value comes with its file and line.
#[derive(Debug, Args)]
#[command(
    override_usage = "kmerge get [OPTIONS] <FILE> <PATH>\n       kmerge get [OPTIONS] <PATH> --in <FILE|DIR>...",
    after_help = "Examples:
  kmerge get deployment.yaml .spec.replicas
  kmerge get deployment.yaml '.spec.template.spec.containers[name=app].image'
  kmerge get all.yaml .data --select ConfigMap/settings
  kmerge get values.yaml '.hosts[-1]'
  kmerge get '..image' --in deploy/"
)]
pub(crate) struct GetArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
}

/// Set the value at a place of a file, or of many
///
/// No other byte of the file changes, and the value keeps its comments and quotes. VALUE is read with the type that the schema
/// has: labels and the data of a ConfigMap are strings, replicas a number. Without a schema, a string stays a string, and
/// anything else is read as YAML: 5 is a number, true a boolean, [a, b] a list. Missing fields are created if the kind has them;
/// others only with --create.
#[derive(Debug, Args)]
#[command(
    override_usage = "kmerge set [OPTIONS] <FILE> <PATH> <VALUE>\n       kmerge set [OPTIONS] <PATH> <VALUE> --in <FILE|DIR>...",
    after_help = "Examples:
  kmerge set -i deployment.yaml .spec.replicas 3
  kmerge set -i deployment.yaml '.spec.template.spec.containers[name=app].image' app:1.7
  kmerge set --diff all.yaml '.metadata.labels[\"app.kubernetes.io/part-of\"]' shop --select Service/web
  kmerge set -i --create values.yaml .resources '{limits: {cpu: 1}}'
  kmerge set -i configmap.yaml '.data[\"run.sh\"]' - < run.sh
  kmerge set -i .metadata.labels.team shop --select deploy --in base/ overlays/"
)]
pub(crate) struct SetArgs {
    /// The value; `-` for stdin
    #[arg(index = 3, value_name = "VALUE", allow_hyphen_values = true, required_unless_present = "within")]
    pub(crate) third: Option<String>,
    /// Create missing fields even if the schema does not know them
    #[arg(short, long)]
    pub(crate) create: bool,
    /// VALUE is a string, whatever it looks like
    #[arg(long, conflicts_with = "yaml")]
    pub(crate) string: bool,
    /// VALUE is YAML, even if the old value is a string
    #[arg(long)]
    pub(crate) yaml: bool,
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
    #[command(flatten)]
    pub(crate) schema: SchemaFlags,
}

/// Delete a place of a file, or of many, with its comments
#[derive(Debug, Args)]
#[command(
    override_usage = "kmerge delete [OPTIONS] <FILE> <PATH>\n       kmerge delete [OPTIONS] <PATH> --in <FILE|DIR>...",
    after_help = "Examples:
  kmerge delete -i deployment.yaml .spec.paused
  kmerge delete -i deployment.yaml '.spec.template.spec.containers[name=proxy]'
  kmerge delete --diff all.yaml '.metadata.finalizers[=example.com/hold]' --select Pod/web
  kmerge delete -i '..terminationMessagePath' --in deploy/"
)]
pub(crate) struct DeleteArgs {
    #[command(flatten)]
    pub(crate) place: PlaceArgs,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}

/// Make many edits in many files, all or none
///
/// A script has one statement on each line; -e adds one. Statements: set PATH VALUE, append PATH VALUE, insert PATH VALUE, delete
/// PATH, rename PATH NAME, move PATH PATH, comment PATH TEXT, and select SELECTOR for the statements after it. Each statement
/// sees the edits of those before it. First all statements are checked against all files; then all files are written, or none.
/// Bytes outside the edited places do not change.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge edit -i -e 'set .spec.replicas 3' --select deploy/web deploy/
  kmerge edit -i -e 'append ..containers[name=app].args --verbose' deployment.yaml
  kmerge edit --diff -f upgrade.kme base/ overlays/
  kmerge edit -i -e 'rename .data.old new' -e 'comment .data.new since 2.0' --select cm/settings all.yaml")]
pub(crate) struct EditArgs {
    /// A statement; may be repeated
    #[arg(short = 'e', long = "expression", value_name = "STATEMENT", allow_hyphen_values = true)]
    pub(crate) statements: Vec<String>,
    /// A file of statements; they come before those of -e
    #[arg(short = 'f', long = "file", value_name = "SCRIPT")]
    pub(crate) scripts: Vec<PathBuf>,
    /// Files, and directories of manifests; `-` for stdin
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Create missing fields even if the schema does not know them
    #[arg(short, long)]
    pub(crate) create: bool,
    /// A missing place is no error
    #[arg(long)]
    pub(crate) ignore_missing: bool,
    /// Fail unless exactly N places match in all files together
    #[arg(long, value_name = "N")]
    pub(crate) expect: Option<usize>,
    #[command(flatten)]
    pub(crate) select: SelectFlags,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
    #[command(flatten)]
    pub(crate) schema: SchemaFlags,
}
