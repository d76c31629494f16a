//! Arguments of `kmerge explain`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::merge::{ReportFormat, RuleFlags, SchemaFlags};

/// Show which rule decides each place of a merge, or how lists are matched
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge explain merge3 --original v1.yaml --updated v2.yaml --dest mine.yaml
  kmerge explain driver base.yaml ours.yaml theirs.yaml
  kmerge explain keys deployment.yaml")]
pub(crate) struct ExplainArgs {
    #[command(subcommand)]
    pub(crate) what: Explain,
}

/// What is explained.
#[derive(Debug, Subcommand)]
pub(crate) enum Explain {
    Merge2(ExplainMerge2Args),
    Merge3(ExplainMerge3Args),
    Driver(ExplainDriverArgs),
    Keys(KeysArgs),
}

/// Show, place by place, what a 2-way merge would do and why
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge explain merge2 overlay.yaml deployment.yaml
  kmerge explain merge2 team/ base/
  helm template . | kmerge explain merge2 - deployment.yaml --format json")]
pub(crate) struct ExplainMerge2Args {
    /// The version that is merged in; `-` for stdin
    pub(crate) source: PathBuf,
    /// The version that it is merged into; `-` for stdin
    pub(crate) dest: PathBuf,
    /// Format of the explanation
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
    #[command(flatten)]
    pub(crate) rules: RuleFlags,
}

/// Show, place by place, what a 3-way merge would do and why
///
/// For each place that differs between the three inputs: its three values, shortened, the rule, and the winner.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge explain merge3 --original v1.yaml --updated v2.yaml --dest mine.yaml
  kmerge explain merge3 --original upstream/v1 --updated upstream/v2 --dest deploy
  kmerge explain merge3 --original v1.yaml --updated v2.yaml --dest mine.yaml --on-conflict dest --format json")]
pub(crate) struct ExplainMerge3Args {
    /// The version that both sides started from
    #[arg(long, visible_aliases = ["ancestor", "base"], value_name = "PATH")]
    pub(crate) original: PathBuf,
    /// The new upstream version
    #[arg(long, visible_aliases = ["from", "theirs"], value_name = "PATH")]
    pub(crate) updated: PathBuf,
    /// Your version
    #[arg(long, visible_aliases = ["to", "ours"], value_name = "PATH")]
    pub(crate) dest: PathBuf,
    /// Format of the explanation
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
    #[command(flatten)]
    pub(crate) rules: RuleFlags,
}

/// Show, place by place, what the git driver would do and why
///
/// Prints the result of git's line merge, and which merge the driver uses. Then, for each place that differs between the files: its
/// three values, shortened, the rule, and the winner. Nothing is written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge explain driver base.yaml ours.yaml theirs.yaml
  kmerge explain driver base.yaml ours.yaml theirs.yaml --format json
  for n in 1 2 3; do git show :$n:web.yaml > /tmp/$n.yaml; done; kmerge explain driver /tmp/[123].yaml")]
pub(crate) struct ExplainDriverArgs {
    /// The common ancestor; `-` for stdin
    pub(crate) base: PathBuf,
    /// Our version; `-` for stdin
    pub(crate) ours: PathBuf,
    /// Their version; `-` for stdin
    pub(crate) theirs: PathBuf,
    /// Format of the explanation
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: ReportFormat,
    #[command(flatten)]
    pub(crate) schema: SchemaFlags,
}

/// Show how the items of each list of a file are matched, and by which rule
///
/// `by KEYS`: items with the same keys match, in any order. `a set`: items with the same value match. `one value`: the list is
/// replaced as a whole if it changed (with `--policy git`, it is merged item by item).
///
/// Without a rule, a definition or a built-in kind, the key is the first of `mountPath`, `devicePath`, `ip`, `type`,
/// `topologyKey`, `name` and `containerPort` that every item has, with a different value in each item. `ip` and `type` are no
/// key for items that have another `id`, `name` or `title` in another file.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge explain keys deployment.yaml
  kmerge explain keys widgets.yaml --list-key .spec.gears=id
  kustomize build . | kmerge explain keys - --crd crds/")]
pub(crate) struct KeysArgs {
    /// The file; `-` for stdin
    pub(crate) file: PathBuf,
    #[command(flatten)]
    pub(crate) schema: SchemaFlags,
}
