//! Arguments of `upgrade`.

use std::path::PathBuf;

use clap::Args;

use super::merge::{RuleFlags, SayFlags, TargetFlags};

/// Upgrade a package: merge what changed upstream into your copy
///
/// What changed from --from to --to is merged into DIR, as `merge3` merges directories: resource by resource, in whatever
/// file they are. All files are written, or none.
///
/// A version is a tag, a branch or a commit of --repo: v2, main~1, or v2:deploy/app if the package is in a directory there.
/// It can also be a directory or file on this machine. The new version is written into DIR's Kptfile, or into its
/// kmerge.yaml. The next upgrade starts from it.
///
/// kmerge fetches only from a repository that you name. With --recorded-repo, it also fetches from the one that DIR names.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge upgrade app/ --repo https://github.com/example/charts --path app --from v1.2.0 --to v1.3.0
  kmerge upgrade app/ --recorded-repo --to v1.4.0
  kmerge upgrade app/ --from old/install.yaml --to new/install.yaml
  kmerge upgrade app/ --recorded-repo --to v1.4.0 --diff
  kmerge upgrade app/ --recorded-repo --to v1.4.0 --on-conflict markers")]
pub(crate) struct UpgradeArgs {
    /// The directory with your copy
    pub(crate) dir: PathBuf,
    /// The version that it came from [default: the one that DIR records]
    #[arg(long, value_name = "REF|DIR|FILE")]
    pub(crate) from: Option<String>,
    /// The version to upgrade to
    #[arg(long, value_name = "REF|DIR|FILE")]
    pub(crate) to: String,
    /// The repository of both versions: an https or ssh address, or a directory
    #[arg(long, value_name = "URL|DIR", conflicts_with = "recorded_repo")]
    pub(crate) repo: Option<String>,
    /// Fetch from the repository that DIR records
    #[arg(long)]
    pub(crate) recorded_repo: bool,
    /// The directory or file of the repository that is the package [default: the recorded one, or all]
    #[arg(long, value_name = "PATH")]
    pub(crate) path: Option<String>,
    #[command(flatten)]
    pub(crate) rules: RuleFlags,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}
