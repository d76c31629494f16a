//! Arguments of the commands that merge, and the flags that they share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// How `merge2` is called.
pub(crate) const MERGE2_USAGE: &str =
    "kmerge merge2 [OPTIONS] <SOURCE>... <DEST>\n       kmerge merge2 [OPTIONS] <STREAM>";

/// Merge SOURCE into DEST (2-way)
///
/// What only one of them has is kept or added; scalars and lists without keys are SOURCE's; mappings and keyed lists are
/// merged entry by entry. In SOURCE, `null` removes a field, and so does `$patch: delete`. DEST keeps its comments, its
/// order and its layout: no byte changes that SOURCE does not change. Of several SOURCEs the first one wins.
///
/// Directories are merged resource by resource, wherever these stand.
///
/// The result of files goes to stdout, with -i into DEST, with -o into another file. Directories do not fit on stdout: DEST is
/// changed in place, all of it or nothing, unless -o names another directory. Stderr says what was written.
///
/// A single input is a stream of resources and patches: each document is merged into the earlier one of the same resource,
/// so that later ones win. A single file or `-` goes to stdout.
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
    /// What is merged in, and last what it is merged into; `-` for stdin
    #[arg(required = true, value_name = "SOURCE|DEST")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Of several SOURCEs the last has the last word (as `kustomize cfg merge` has it)
    #[arg(long)]
    pub(crate) invert_order: bool,
    #[command(flatten)]
    pub(crate) rules: RuleFlags,
    #[command(flatten)]
    pub(crate) output: OutputFlags,
}

/// Merge what changed from ORIGINAL to UPDATED into DEST (3-way)
///
/// What only one side changed is taken from it. Where both changed the same place differently, UPDATED wins, which is
/// reported on stderr; `--on-conflict` changes that. DEST keeps its comments, its order and its layout.
///
/// Directories are merged resource by resource, wherever these stand.
///
/// The result of files goes to stdout, with -i into DEST, with -o into another file. Directories do not fit on stdout: DEST is
/// changed in place, all of it or nothing, unless -o names another directory. Stderr says what was written.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge merge3 --original v1.yaml --updated v2.yaml --dest mine.yaml
  kmerge merge3 --original v1.yaml --updated v2.yaml --dest mine.yaml -i --on-conflict markers
  kmerge merge3 --original v1.yaml --updated v2.yaml --dest mine.yaml --check --report - --format json
  kmerge merge3 --original v1/ --updated v2/ --dest mine/ --diff
  kmerge merge3 --base base.yaml --ours ours.yaml --theirs theirs.yaml --policy git")]
pub(crate) struct Merge3Args {
    /// What both sides came from; `-` for stdin
    #[arg(long, visible_aliases = ["ancestor", "base"], value_name = "FILE|DIR")]
    pub(crate) original: PathBuf,
    /// What is merged in; `-` for stdin
    #[arg(long, visible_aliases = ["from", "theirs"], value_name = "FILE|DIR")]
    pub(crate) updated: PathBuf,
    /// What it is merged into; `-` for stdin
    #[arg(long, visible_aliases = ["to", "ours"], value_name = "FILE|DIR")]
    pub(crate) dest: PathBuf,
    /// Taken for the sake of `kustomize cfg merge3`; resources that stand in several files are told apart by their paths
    /// anyway
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
    /// Who wins where both sides changed a place, differently [default: updated; with --policy git: markers]
    #[arg(long, value_name = "WHO")]
    pub(crate) on_conflict: Option<OnConflict>,
    /// What an explicit null means [default: clear; with --policy git: data]
    #[arg(long, value_name = "MEANING")]
    pub(crate) nulls: Option<Nulls>,
    /// Where new elements and fields go
    #[arg(long, value_name = "WHERE", default_value = "neighbour")]
    pub(crate) list_order: ListOrder,
    /// The rules as a whole
    #[arg(long, value_name = "NAME", default_value = "merge")]
    pub(crate) policy: PolicyName,
    /// What conflict markers show
    #[arg(long, value_name = "STYLE", default_value = "merge")]
    pub(crate) marker_style: MarkerStyle,
    /// How many characters a conflict marker has, at most 65535
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
    /// Which kinds are known without a definition
    #[arg(long, value_name = "WHICH", default_value = "builtin")]
    pub(crate) schema: SchemaChoice,
}

/// What is said about lists beside what is built in.
#[derive(Debug, Args)]
#[command(next_help_heading = "Lists")]
pub(crate) struct ListFlags {
    /// How a list is paired: key fields, `set` or `atomic`; may be repeated
    #[arg(long, value_name = "PATH=KEY[,KEY]")]
    pub(crate) list_key: Vec<String>,
    /// Read list rules from FILE [default: kmerge.yaml here or in a directory above]
    #[arg(long, alias = "config", value_name = "FILE")]
    pub(crate) rules: Option<PathBuf>,
    /// Custom resource definitions, which say how lists are matched; may be repeated
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
    /// Write the result into the file it is for
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
    /// The name under which messages speak of DEST
    #[arg(short = 'p', long = "path", value_name = "PATH")]
    pub(crate) name: Option<String>,
}

/// What is said about a result: the same flags for every command that has something to say.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct SayFlags {
    /// Write everything that was decided or changed to FILE, place by place; `-` for stdout
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,
    /// How the report is written
    #[arg(long, value_name = "FORMAT", default_value = "text", requires = "report")]
    pub(crate) format: ReportFormat,
    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say everything that was decided or changed
    #[arg(short, long)]
    pub(crate) verbose: bool,
}

/// Who wins a place that both sides changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnConflict {
    /// What is merged in
    #[value(alias = "theirs")]
    Updated,
    /// What it is merged into
    #[value(alias = "ours")]
    Dest,
    /// Nobody: the conflicts are shown, nothing is written, exit 1
    Fail,
    /// Nobody: the result holds both between conflict markers, exit 1
    Markers,
}

/// What an explicit null means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Nulls {
    /// It removes the field
    Clear,
    /// It is a value
    Data,
}

/// Where new entries go.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ListOrder {
    /// Next to the neighbours they have in their source
    #[value(alias = "stable")]
    Neighbour,
    /// Last
    Append,
    /// First
    Prepend,
    /// As kubectl leaves them: all elements that the source names stand in its order (`apply` and `patch` only)
    Kubectl,
}

/// Which kinds are known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum SchemaChoice {
    /// Those of Kubernetes, kustomize and kpt
    Builtin,
    /// None: keys are inferred from the elements
    None,
}

/// A set of rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum PolicyName {
    /// kustomize's: nulls remove fields, lists without keys are one value
    Merge,
    /// git's: two equal sides, nulls are data, lists without keys are merged item by item
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
