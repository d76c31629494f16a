//! The arguments of every subcommand: clap types and nothing else.
//!
//! To add a subcommand: a variant here with its `Args`, a file in `cmd/` with `run(&Args) -> anyhow::Result<Exit>`, and a
//! line in `main.rs`. Its help ends with examples, and the code they show is covered by a test.

pub(crate) mod apply;
pub(crate) mod build;
pub(crate) mod check;
pub(crate) mod ci;
pub(crate) mod diff;
pub(crate) mod edit;
pub(crate) mod explain;
pub(crate) mod image;
pub(crate) mod merge;
pub(crate) mod review;
pub(crate) mod upgrade;

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::bytes::{self, Bytes};

/// Merges Kubernetes-style YAML without touching a byte that no one changed.
#[derive(Debug, Parser)]
#[command(name = "kmerge", version, max_term_width = 100, propagate_version = true, after_help = AFTER_HELP)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) color: colorchoice_clap::Color,
    /// Refuse an input that is larger than N bytes; with a unit: 500k, 64M, 1G
    #[arg(long, value_name = "N", global = true, default_value_t = bytes::DEFAULT)]
    pub(crate) max_bytes: Bytes,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const AFTER_HELP: &str = "Examples:
  kmerge setup
  kmerge merge3 --original v1.yaml --updated v2.yaml --dest mine.yaml -i
  kmerge set -i deployment.yaml '.spec.template.spec.containers[name=app].image' app:1.7
  kmerge check deploy/

Exit codes: 0 clean, no difference; 1 conflicts, differences or findings; \
    2 unusable input, bad usage or an input/output error.";

/// What `kmerge` can do.
///
/// The arguments of a subcommand are made when it is the one that runs: making those of all takes longer than most merges.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    Merge2(merge::Merge2Args),
    Merge3(merge::Merge3Args),
    Upgrade(upgrade::UpgradeArgs),
    Apply(apply::ApplyArgs),
    Patch(apply::PatchArgs),
    LastApplied(apply::LastAppliedArgs),
    Build(build::BuildArgs),
    Fn(build::FnArgs),
    Get(edit::GetArgs),
    Set(edit::SetArgs),
    Delete(edit::DeleteArgs),
    Edit(edit::EditArgs),
    SetImage(image::SetImageArgs),
    Diff(diff::DiffArgs),
    Check(check::CheckArgs),
    Ci(ci::CiArgs),
    Explain(explain::ExplainArgs),
    Completions(CompletionsArgs),
    Man(ManArgs),
    Recover(RecoverArgs),
    Setup(SetupArgs),
    Resolve(ResolveArgs),
    Review(review::ReviewArgs),
    Driver(DriverArgs),
}

/// Print a completion script for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge completions bash > ~/.local/share/bash-completion/completions/kmerge
  kmerge completions zsh > \"${fpath[1]}/_kmerge\"
  kmerge completions fish > ~/.config/fish/completions/kmerge.fish")]
pub(crate) struct CompletionsArgs {
    /// The shell to write for
    pub(crate) shell: Shell,
}

/// Print a manual page
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge man | man -l -
  kmerge man completions | man -l -
  kmerge man --all ~/.local/share/man/man1")]
pub(crate) struct ManArgs {
    /// The subcommand to describe, such as `merge3` or `last-applied set`; without it, kmerge itself
    pub(crate) subcommand: Vec<String>,
    /// Write the pages of kmerge and of every subcommand into DIR
    #[arg(long, value_name = "DIR", conflicts_with = "subcommand")]
    pub(crate) all: Option<PathBuf>,
}

/// Finish or take back a merge of directories that was killed
///
/// A merge of directories changes all its files or none. If it is killed, each file has its old or its new content. A journal
/// in your own $XDG_STATE_HOME/kmerge (~/.local/state/kmerge) lists what is left to do or to undo. Files of the directory
/// itself are never taken for a journal.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge recover deploy/            show the merge that was killed; exit 1 if there is one
  kmerge recover --resume deploy/   give each file its new content
  kmerge recover --undo deploy/     give each file its old content")]
pub(crate) struct RecoverArgs {
    /// The destination of the merge
    pub(crate) dir: PathBuf,
    /// Finish the merge
    #[arg(long, conflicts_with = "undo")]
    pub(crate) resume: bool,
    /// Undo the merge
    #[arg(long)]
    pub(crate) undo: bool,
    /// Print only errors
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Make git merge and diff YAML with kmerge
///
/// Without options, setup is for the current repository, for all its branches, and there is nothing to commit: it writes to the
/// repository's configuration and to .git/info/attributes. If the kmerge binary is missing later, git falls back to its own
/// line merge. Running setup again changes nothing.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge setup
  kmerge setup --global
  kmerge setup --gitattributes && git add .gitattributes
  kmerge setup --pre-commit && git add .pre-commit-config.yaml
  kmerge setup --check
  kmerge setup --undo")]
pub(crate) struct SetupArgs {
    /// Set up the current repository (the default)
    #[arg(long, conflicts_with = "global")]
    pub(crate) local: bool,
    /// Set up all your repositories: your configuration, and the file core.attributesFile names
    #[arg(long)]
    pub(crate) global: bool,
    /// Write the attributes into .gitattributes, to be committed
    #[arg(long, conflicts_with_all = ["global", "undo"])]
    pub(crate) gitattributes: bool,
    /// Add `kmerge check` to .pre-commit-config.yaml as well, to be committed
    #[arg(long, conflicts_with_all = ["global", "undo"])]
    pub(crate) pre_commit: bool,
    /// Undo what setup has done
    #[arg(long)]
    pub(crate) undo: bool,
    /// Change nothing; report what is not set up, and exit 1 if there is anything
    #[arg(long)]
    pub(crate) check: bool,
    /// Print only problems
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

/// Resolve conflicts in files, where a structured merge can
///
/// Merges the versions that git's index holds of an unmerged file, or those that conflict markers show, and writes the
/// conflicts that are left back into the file. What somebody has edited since, outside the conflicts or in them, stays. Exits
/// with 1 while conflicts are left. A file that is done is not added to git's index; `git add` does that.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge resolve deployment.yaml
  kmerge resolve --diff deployment.yaml
  kmerge resolve --interactive
  kmerge resolve && git add -u
  git mergetool --tool=kmerge")]
pub(crate) struct ResolveArgs {
    /// Files with conflict markers; `-` for stdin, which goes to stdout [default: all YAML that git could not merge]
    #[arg(value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// Show the conflicts that are left on the terminal, one by one, and choose a side of each
    #[arg(short, long, conflicts_with = "diff")]
    pub(crate) interactive: bool,
    /// Print what would change as a unified diff; write nothing
    #[arg(long)]
    pub(crate) diff: bool,
    /// Say nothing but errors
    #[arg(short, long, conflicts_with = "verbose")]
    pub(crate) quiet: bool,
    /// Say which conflicts are left, however many
    #[arg(short, long)]
    pub(crate) verbose: bool,
    #[command(flatten)]
    pub(crate) schema: merge::SchemaFlags,
}

/// Merge one file for git (`kmerge setup` registers it)
///
/// Writes the result to OURS, or to the file that --output names. Exit codes are those that git expects: 0 merged, 1 conflicts
/// (OURS has markers), 129 the files could not be read (OURS is unchanged).
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge driver %O %A %B -l %L -p %P -s %S -x %X -y %Y
  kmerge driver base.yaml ours.yaml theirs.yaml
  kmerge driver base.yaml ours.yaml theirs.yaml -o merged.yaml --marker-style diff3")]
pub(crate) struct DriverArgs {
    /// The common ancestor; an empty file if there is none
    pub(crate) base: PathBuf,
    /// Our version, and where the result goes
    pub(crate) ours: PathBuf,
    /// Their version
    pub(crate) theirs: PathBuf,
    /// Length of conflict markers, at most 65535; 0 means 7, as in git
    #[arg(short = 'l', long, value_name = "N", default_value_t = 7)]
    pub(crate) marker_size: u16,
    /// The file's path in the repository, for messages
    #[arg(short, long, value_name = "PATH", allow_hyphen_values = true)]
    pub(crate) path: Option<PathBuf>,
    /// Label of the common ancestor
    #[arg(short = 's', long, value_name = "LABEL", default_value = "base", allow_hyphen_values = true)]
    pub(crate) base_label: OsString,
    /// Label of our version
    #[arg(short = 'x', long, value_name = "LABEL", default_value = "ours", allow_hyphen_values = true)]
    pub(crate) ours_label: OsString,
    /// Label of their version
    #[arg(short = 'y', long, value_name = "LABEL", default_value = "theirs", allow_hyphen_values = true)]
    pub(crate) theirs_label: OsString,
    /// What to write where both sides changed the same place
    #[arg(long, value_name = "WHAT", default_value = "markers")]
    pub(crate) on_conflict: OnConflict,
    /// What conflict markers show [default: git's merge.conflictStyle]
    #[arg(long, value_name = "STYLE")]
    pub(crate) marker_style: Option<merge::MarkerStyle>,
    /// Write the result to FILE instead of OURS; `-` for stdout
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) say: merge::SayFlags,
    #[command(flatten)]
    pub(crate) schema: merge::SchemaFlags,
}

/// What a driver writes where both sides changed the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum OnConflict {
    /// Conflict markers around both versions
    Markers,
    /// The version of the common ancestor
    Base,
}
