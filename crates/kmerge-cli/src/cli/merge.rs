//! Arguments of the commands that merge, and the flags that they share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// How `merge2` is called.
pub(crate) const MERGE2_USAGE: &str =
    "kmerge merge2 [OPTIONS] <SOURCE>... <DEST>\n       kmerge merge2 [OPTIONS] <STREAM>";

/// Merge SOURCE into DEST (2-way)
///
/// Fields and items that only one of them has are kept or added. Mappings and keyed lists are merged entry by entry. For scalars
/// and lists without keys, SOURCE wins. In SOURCE, `null` and `$patch: delete` remove a field. DEST keeps its comments, its
/// order and its layout. With several SOURCEs, the first one wins.
///
/// If DEST has an alias (`*a`) where SOURCE changes something, a copy with the change takes its place.
/// The anchor keeps its value.
///
/// In directories, resources are matched by identity, in whatever file they are.
///
/// The result of files goes to stdout; with -i to DEST, with -o to another file. A directory DEST is changed in place, all of
/// it or nothing, or -o names another directory. Stderr lists what was written.
///
/// With a single input, each document is merged into the earlier document of the same resource, so later ones win. The result
/// goes to stdout.
#[derive(Debug, Args)]
#[command(override_usage = MERGE2_USAGE)]
#[command(after_help = "Examples:
  kmerge merge2 overlay.yaml deployment.yaml
  kmerge merge2 -i overlay.yaml deployment.yaml
  kmerge merge2 --diff overlay.yaml deployment.yaml
  helm template . | kmerge merge2 - deployment.yaml -o merged.yaml
  kmerge merge2 site/ team/ base/
  cat base.yaml patches.yaml | kmerge merge2 -")]
pub(crate) struct Merge2Args {
    /// The sources, and last the destination; `-` for stdin
    #[arg(required = true, value_name = "SOURCE|DEST")]
    pub(crate) inputs: Vec<PathBuf>,
    /// The last of several SOURCEs wins, as in `kustomize cfg merge`
    #[arg(long)]
    pub(crate) invert_order: bool,
    #[command(flatten)]
    pub(crate) rules: RuleFlags,
    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// Merge what changed from ORIGINAL to UPDATED into DEST (3-way)
///
/// A change of one side is taken. If both sides changed the same place differently, UPDATED wins, and stderr reports it;
/// `--on-conflict` decides otherwise. DEST keeps its comments, its order and its layout.
///
/// In directories, resources are matched by identity, in whatever file they are.
///
/// The result of files goes to stdout; with -i to DEST, with -o to another file. A directory DEST is changed in place, all of
/// it or nothing, or -o names another directory. Stderr lists what was written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge merge3 --original v1.yaml --updated v2.yaml --dest mine.yaml
  kmerge merge3 --original v1.yaml --updated v2.yaml --dest mine.yaml -i --on-conflict markers
  kmerge merge3 --original v1.yaml --updated v2.yaml --dest mine.yaml --check --report - --format json
  kmerge merge3 --original v1/ --updated v2/ --dest mine/ --diff
  kmerge merge3 --base base.yaml --ours ours.yaml --theirs theirs.yaml --policy git")]
pub(crate) struct Merge3Args {
    /// The version that both sides started from; `-` for stdin
    #[arg(long, visible_aliases = ["ancestor", "base"], value_name = "FILE|DIR")]
    pub(crate) original: PathBuf,
    /// The new upstream version; `-` for stdin
    #[arg(long, visible_aliases = ["from", "theirs"], value_name = "FILE|DIR")]
    pub(crate) updated: PathBuf,
    /// Your version, which the changes are merged into; `-` for stdin
    #[arg(long, visible_aliases = ["to", "ours"], value_name = "FILE|DIR")]
    pub(crate) dest: PathBuf,
    /// Ignored; accepted because `kustomize cfg merge3` has it. kmerge always uses paths to match a resource that is in several
    /// files
    #[arg(long)]
    pub(crate) path_merge_key: bool,
    #[command(flatten)]
    pub(crate) rules: RuleFlags,
    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// What a merge does where its inputs leave a choice.
#[derive(Debug, Args)]
#[command(next_help_heading = "Merging")]
pub(crate) struct RuleFlags {
    /// Which side wins a conflict [default: updated; with --policy git: markers]
    #[arg(long, value_name = "WHO")]
    pub(crate) on_conflict: Option<OnConflict>,
    /// What an explicit null means [default: clear; with --policy git: data]
    #[arg(long, value_name = "MEANING")]
    pub(crate) nulls: Option<Nulls>,
    /// Where new list items and fields go
    #[arg(long, value_name = "WHERE", default_value = "neighbour")]
    pub(crate) list_order: ListOrder,
    /// Which set of rules to use
    #[arg(long, value_name = "NAME", default_value = "merge")]
    pub(crate) policy: PolicyName,
    /// What conflict markers show
    #[arg(long, value_name = "STYLE", default_value = "merge")]
    pub(crate) marker_style: MarkerStyle,
    /// Length of conflict markers, at most 65535
    #[arg(short = 'l', long, value_name = "N", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) marker_size: u16,
    #[command(flatten)]
    pub(crate) schema: SchemaFlags,
}

/// How the elements of lists are paired.
#[derive(Debug, Args)]
#[command(next_help_heading = "Lists")]
pub(crate) struct SchemaFlags {
    #[command(flatten)]
    pub(crate) lists: ListFlags,
    /// Which built-in kinds to use
    #[arg(long, value_name = "WHICH", default_value = "builtin")]
    pub(crate) schema: SchemaChoice,
}

/// What is said about lists beside what is built in.
#[derive(Debug, Args)]
#[command(next_help_heading = "Lists")]
pub(crate) struct ListFlags {
    /// How the items of a list are matched: key fields, `set` or `atomic`; may be repeated
    #[arg(long, value_name = "PATH=KEY[,KEY]")]
    pub(crate) list_key: Vec<String>,
    /// Read list rules from FILE [default: kmerge.yaml here or in a directory above]
    #[arg(long, alias = "config", value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Custom resource definitions, to read list rules from; may be repeated
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) crd: Vec<PathBuf>,
}

/// Where a result goes.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct TargetFlags {
    /// Write the result to FILE instead of stdout
    #[arg(short, long, value_name = "FILE", conflicts_with = "in_place")]
    pub(crate) output: Option<PathBuf>,
    /// Write the result to the file itself
    #[arg(short, long)]
    pub(crate) in_place: bool,
    /// Print what would change as a unified diff; write nothing
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    pub(crate) diff: bool,
    /// Exit 1 if anything would change; write nothing
    #[arg(long, conflicts_with_all = ["output", "in_place"])]
    pub(crate) check: bool,
}

/// Where a merge's result goes, and what is said about it.
#[derive(Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputFlags {
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
    /// The name of DEST in messages
    #[arg(short = 'p', long = "path", value_name = "PATH")]
    pub(crate) name: Option<String>,
}

/// What is said about a result: the same flags for every command that has something to say.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct SayFlags {
    /// Write each decision or change to FILE; `-` for stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// Format of the report
    #[arg(long, value_name = "FORMAT", default_value = "text", requires = "report")]
    pub(crate) format: ReportFormat,
    /// Print only errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Print each decision or change
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Which side wins a conflict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnConflict {
    /// The version that is merged in
    #[value(alias = "theirs")]
    Updated,
    /// The version that it is merged into
    #[value(alias = "ours")]
    Dest,
    /// Neither: list the conflicts, write nothing, exit 1
    Fail,
    /// Neither: write both, with conflict markers, exit 1
    Markers,
}

/// What an explicit null means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Nulls {
    /// It removes a field that the original has; without an original, any field
    Clear,
    /// It is a value
    Data,
}

/// Where new entries go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListOrder {
    /// Next to the same neighbour as in their source
    #[value(alias = "stable")]
    Neighbour,
    /// Last
    Append,
    /// First
    Prepend,
    /// As kubectl orders them: items of the source are in its order (`apply` and `patch` only)
    Kubectl,
}

/// Which kinds are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaChoice {
    /// Those of Kubernetes, kustomize and kpt
    Builtin,
    /// None: keys are inferred from the list items
    None,
}

/// A set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyName {
    /// kustomize's: nulls remove fields, lists without keys are one value
    Merge,
    /// The git driver's: two equal sides, nulls are data, lists without keys are merged item by item. Each
    /// result is proven (in directories: of files whose resources stay in them); what is not sound is a conflict
    Git,
}

/// What stands between conflict markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum MarkerStyle {
    /// Both sides
    Merge,
    /// Both sides and the original
    Diff3,
    /// Both sides without the lines they share, and the original
    Zdiff3,
}

/// How a report is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReportFormat {
    /// For programs; `docs/report.md` describes it
    Json,
    /// For people
    Text,
}
