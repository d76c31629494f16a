//! Arguments of `kmerge review`.

use std::path::PathBuf;

use clap::Args;

use super::merge::SchemaFlags;

/// Write a page that shows a merge, line by line, and lets you decide what is in conflict
///
/// Without arguments, the page shows the unmerged files of the repository. With one directory, it shows those below it.
/// Three files or directories are merged: the base, our side, their side. The page is one HTML file that needs no network.
/// Exits with 1 if there are conflicts.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge review                            the conflicts of the merge in progress, into review.html
  kmerge review --serve --open             the same in a browser, which writes what you choose
  kmerge review HEAD~3                     a finished merge commit
  kmerge review --merge topic -o -         what merging topic into HEAD would do, to stdout
  kmerge review deploy/                    the conflicts in deploy/, also of another repository
  kmerge review v1/ deploy/ v2/            three versions of a package: base, ours, theirs
  kmerge review --base b.yaml --ours o.yaml --theirs t.yaml -o upgrade.html")]
pub(crate) struct ReviewArgs {
    /// A finished merge commit; or a directory with unmerged files; or the base, our side and their side
    #[arg(value_name = "COMMIT|DIR|BASE OURS THEIRS", num_args = 0..=3, conflicts_with_all = ["merge", "base"])]
    pub(crate) what: Vec<PathBuf>,
    /// Show what merging REF would do
    #[arg(long, value_name = "REF", conflicts_with = "base")]
    pub(crate) merge: Option<String>,
    /// What REF is merged into
    #[arg(long, value_name = "REF", default_value = "HEAD", requires = "merge")]
    pub(crate) into: String,
    /// What both sides came from
    #[arg(long, alias = "original", value_name = "FILE|DIR", requires_all = ["ours", "theirs"])]
    pub(crate) base: Option<PathBuf>,
    /// What is merged into
    #[arg(long, alias = "dest", value_name = "FILE|DIR", requires = "base")]
    pub(crate) ours: Option<PathBuf>,
    /// What is merged
    #[arg(long, alias = "updated", value_name = "FILE|DIR", requires = "base")]
    pub(crate) theirs: Option<PathBuf>,
    /// Write the page to FILE; `-` for stdout
    #[arg(short, long, value_name = "FILE", default_value = "review.html", conflicts_with = "serve")]
    pub(crate) output: PathBuf,
    /// Serve the page on this machine, and write what you choose on it into the files
    #[arg(long, conflicts_with = "merge")]
    pub(crate) serve: bool,
    /// Open the page in a browser
    #[arg(long)]
    pub(crate) open: bool,
    #[command(flatten)]
    pub(crate) schema: SchemaFlags,
}
