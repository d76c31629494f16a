//! The arguments of every subcommand: clap types and nothing else.
//!
//! To add a subcommand: a variant here with its `Args`, a file in `cmd/` with `run(&Args) -> anyhow::Result<Exit>`, and a
//! line in `main.rs`. Its help ends with examples, and the code they show is covered by a test.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;

/// Merges Kubernetes-style YAML without touching a byte that no one changed.
#[derive(Debug, Parser)]
#[command(name = "kmerge", version, max_term_width = 100, propagate_version = true, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) color: colorchoice_clap::Color,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit codes: 0 clean, no difference; 1 conflicts, differences or findings; \
    2 unusable input, bad usage or an input/output error.";

/// What `kmerge` can do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Completions(CompletionsArgs),
    Man(ManArgs),
    Recover(RecoverArgs),
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
    /// The subcommand to describe; without it, kmerge itself
    pub(crate) subcommand: Option<String>,
    /// Write the pages of kmerge and of every subcommand into DIR
    #[arg(long, value_name = "DIR", conflicts_with = "subcommand")]
    pub(crate) all: Option<PathBuf>,
}

/// Finish or take back a merge of directories that was cut off
///
/// A merge of directories changes all its files or none. When it is killed on the way, each file has its old or its new
/// content, and the destination holds a directory `.kmerge-transaction` from which the rest can be done or undone.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge recover deploy/            tell what was cut off, exit 1 if anything was
  kmerge recover --resume deploy/   give each file its new content
  kmerge recover --undo deploy/     give each file its old content")]
pub(crate) struct RecoverArgs {
    /// The destination of the merge
    pub(crate) dir: PathBuf,
    /// Finish the merge
    #[arg(long, conflicts_with = "undo")]
    pub(crate) resume: bool,
    /// Take the merge back
    #[arg(long)]
    pub(crate) undo: bool,
}
