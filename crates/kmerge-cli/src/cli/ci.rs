//! Arguments of `kmerge ci`.

use clap::{Args, ValueEnum};

/// Merge two commits as `git merge` would with kmerge as its driver, and print the merge
///
/// For bots, and for servers that merge without drivers. Prints the id of the merged tree, and each conflict: file, place and the
/// three values. Index, working tree and branches do not change. The repository needs no setup, and may be bare (set GIT_DIR
/// then). Exits with 1 if there are conflicts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge ci --base origin/main --head topic
  kmerge ci --base main --head topic --format json
  kmerge ci --base main --head topic --diff
  kmerge ci --base origin/main --head HEAD --format markdown > comment.md
  tree=$(kmerge ci --base main --head topic) && \\
    git update-ref refs/heads/main $(git commit-tree $tree -p main -p topic -m 'merge topic')")]
pub(crate) struct CiArgs {
    /// The commit that is merged into, such as a branch
    #[arg(long, value_name = "REF")]
    pub(crate) base: String,
    /// The commit that is merged
    #[arg(long, value_name = "REF")]
    pub(crate) head: String,
    /// Print a diff from BASE to the merge, instead of the tree's id
    #[arg(long, conflicts_with = "format")]
    pub(crate) diff: bool,
    /// Format of the output
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) format: CiFormat,
    /// Print the tree's id, and nothing about conflicts
    #[arg(short, long, conflicts_with_all = ["format", "diff"])]
    pub(crate) quiet: bool,
}

/// How a merge of commits is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum CiFormat {
    /// The tree's id, and the conflicts on stderr
    Text,
    /// For programs; `docs/report.md` describes it
    Json,
    /// The conflicts as annotations of a GitHub workflow
    Github,
    /// The body of a comment on a pull request
    Markdown,
}
