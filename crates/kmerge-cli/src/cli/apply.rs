//! Arguments of `apply`, `patch` and `last-applied`, and the flags that they share.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::merge::{ListOrder, SayFlags, SchemaChoice, TargetFlags};

/// Apply configurations to live objects, as `kubectl apply` would
///
/// Sets the fields of the configuration, and removes the fields that it dropped since it was last applied. Everything else stays:
/// values that controllers and other people set, and all other bytes of the live file. The last-applied annotation is read
/// and written exactly as kubectl does. Objects are matched by group, kind, namespace and name; missing ones are created.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge apply --live live.yaml --config web.yaml
  kubectl get deployment web -o yaml | kmerge apply --live - --config web.yaml
  kubectl kmerge apply --config web.yaml --diff
  kmerge apply --live live.yaml --config web.yaml --diff --report report.txt
  kmerge apply --live cluster/ --config manifests/ -i
  kmerge apply --live live.yaml --config new.yaml --last-applied old.yaml --no-overwrite")]
pub(crate) struct ApplyArgs {
    /// The live objects: a file, `-` for stdin, or a directory; without it, `kubectl kmerge apply` reads them with `kubectl get`
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) live: Option<PathBuf>,
    /// The configurations to apply: a file, `-` for stdin, or a directory
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) config: PathBuf,
    /// The configurations that were applied last, instead of the annotations in the live objects
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) last_applied: Option<PathBuf>,
    /// The namespace of configurations without one
    #[arg(short, long, value_name = "NAME")]
    pub(crate) namespace: Option<String>,
    /// If someone else changed a field since it was last applied, to another value: change nothing and exit 1
    #[arg(long)]
    pub(crate) no_overwrite: bool,
    #[command(flatten)]
    pub(crate) lists: ListFlags,
    #[command(flatten)]
    pub(crate) kinds: KindFlags,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}

/// Patch the objects of a file
///
/// Does what `kubectl patch --local` does, but the file keeps its comments and its layout. Comments of the patch are added, too. If
/// FILE has several objects, a patch with a kind and a name is for that object; any other patch is for all objects, or those
/// that --select chooses.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge patch -p patch.yaml deployment.yaml
  kmerge patch -i -p '{spec: {replicas: 3}}' deployment.yaml
  kmerge patch --type merge -p '{\"spec\": {\"paused\": null}}' widget.yaml
  kmerge patch --type json -p '[{op: remove, path: /spec/paused}]' all.yaml --select Deployment/web
  kmerge diff --as strategic old.yaml new.yaml | kmerge patch -p - other.yaml")]
pub(crate) struct PatchArgs {
    /// The file to patch; `-` for stdin
    pub(crate) file: PathBuf,
    /// The patch: a file, `-` for stdin, or the patch itself as YAML or JSON; may be repeated
    #[arg(short, long, value_name = "FILE|TEXT", required = true, allow_hyphen_values = true)]
    pub(crate) patch: Vec<String>,
    /// The type of the patch
    #[arg(long, value_name = "TYPE", default_value = "strategic")]
    pub(crate) r#type: PatchType,
    /// Patch only KIND/NAME, KIND/NAMESPACE/NAME, KIND, /NAME, or #N for the Nth object
    #[arg(long, value_name = "KIND/NAME")]
    pub(crate) select: Option<String>,
    /// Add fields that the kind does not have, too
    #[arg(short, long)]
    pub(crate) create: bool,
    #[command(flatten)]
    pub(crate) lists: ListFlags,
    #[command(flatten)]
    pub(crate) kinds: KindFlags,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}

/// A kind of patch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PatchType {
    /// Merges lists by the schema of the kind; has directives such as `$patch` and `$retainKeys`
    Strategic,
    /// Merges mappings and replaces everything else (RFC 7386)
    Merge,
    /// A list of operations (RFC 6902)
    Json,
}

/// Read, write or remove the last-applied annotation
///
/// kubectl keeps the last applied configuration in `kubectl.kubernetes.io/last-applied-configuration`. It removes fields that the
/// next configuration does not have. To hand a field over (replicas, to an autoscaler), first remove it from the annotation,
/// then from your configuration.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge last-applied view live.yaml
  kmerge last-applied set -i live.yaml --config web.yaml --create
  kmerge last-applied edit -i live.yaml --select Deployment/web
  kmerge last-applied strip -i live.yaml")]
pub(crate) struct LastAppliedArgs {
    #[command(subcommand)]
    pub(crate) action: LastAppliedAction,
}

/// What is done with the annotation.
#[derive(Debug, Subcommand)]
pub(crate) enum LastAppliedAction {
    /// Print the annotation; exit 1 if there is none
    View(ViewArgs),
    /// Write a configuration into the annotation
    Set(SetLastAppliedArgs),
    /// Edit the annotation in $KUBE_EDITOR or $EDITOR
    Edit(EditArgs),
    /// Remove the annotation
    Strip(StripArgs),
}

/// Which objects of a file.
#[derive(Debug, Args)]
pub(crate) struct ObjectArgs {
    /// The file; `-` for stdin
    pub(crate) file: PathBuf,
    /// Only KIND/NAME, KIND/NAMESPACE/NAME, KIND, /NAME, or #N for the Nth object
    #[arg(long, value_name = "KIND/NAME")]
    pub(crate) select: Option<String>,
}

/// Arguments of `last-applied view`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge last-applied view live.yaml
  kmerge last-applied view all.yaml --select Deployment/web
  kubectl get deployment web -o yaml | kmerge last-applied view - --format json")]
pub(crate) struct ViewArgs {
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    /// How it is printed
    #[arg(long, value_name = "FORMAT", default_value = "yaml")]
    pub(crate) format: ViewFormat,
}

/// How an annotation is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ViewFormat {
    /// As YAML with sorted keys
    Yaml,
    /// As JSON, indented
    Json,
}

/// Arguments of `last-applied set`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge last-applied set -i live.yaml --config web.yaml
  kmerge last-applied set -i live.yaml --config web.yaml --create
  kmerge last-applied set --diff cluster.yaml --config manifests/ --select Deployment")]
pub(crate) struct SetLastAppliedArgs {
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    /// The configurations: a file, `-` for stdin, or a directory
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) config: PathBuf,
    /// Also add a missing annotation
    #[arg(long, visible_alias = "create-annotation")]
    pub(crate) create: bool,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}

/// Arguments of `last-applied edit`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge last-applied edit -i live.yaml
  kmerge last-applied edit --diff live.yaml
  EDITOR=nano kmerge last-applied edit -i live.yaml --select Deployment/web")]
pub(crate) struct EditArgs {
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}

/// Arguments of `last-applied strip`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge last-applied strip -i live.yaml
  kmerge last-applied strip --check manifests.yaml
  kubectl get deployment web -o yaml | kmerge last-applied strip - -o web.yaml")]
pub(crate) struct StripArgs {
    #[command(flatten)]
    pub(crate) objects: ObjectArgs,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}

/// How lists merge.
#[derive(Debug, Args)]
#[command(next_help_heading = "Lists")]
pub(crate) struct ListFlags {
    /// Which fields identify the items of a list
    #[arg(long, value_name = "WHICH", default_value = "ssa")]
    pub(crate) list_keys: ListKeys,
    /// Where new list items go
    #[arg(long, value_name = "WHERE", default_value = "neighbour")]
    pub(crate) list_order: ListOrder,
}

/// What is known about kinds.
#[derive(Debug, Args)]
#[command(next_help_heading = "Kinds")]
pub(crate) struct KindFlags {
    /// How the items of a list are matched: key fields, `set` or `atomic`; may be repeated
    #[arg(long, value_name = "PATH=KEY[,KEY]")]
    pub(crate) list_key: Vec<String>,
    /// Read list rules from FILE [default: kmerge.yaml here or in a directory above]
    #[arg(long, value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Custom resource definitions, to read list rules from; may be repeated
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) crd: Vec<PathBuf>,
    /// Which built-in kinds to use
    #[arg(long, value_name = "WHICH", default_value = "builtin")]
    pub(crate) schema: SchemaChoice,
}

/// Which fields identify elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListKeys {
    /// One field, as kubectl does: ports with the same number and another protocol overwrite each other
    Smp,
    /// All identifying fields, as server-side apply does: no port gets lost
    Ssa,
}
