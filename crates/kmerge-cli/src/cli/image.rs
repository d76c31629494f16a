//! Arguments of `kmerge set-image`.

use std::path::PathBuf;

use clap::Args;
use kmerge_core::image::{Policy, Request};

use super::merge::{SayFlags, TargetFlags};

/// Give an image another tag, digest or name, in any number of files
///
/// Changes containers of workloads of any kind, `images` of kustomizations, and `image` in the values of a chart if it has a
/// `repository`. Nothing else in the files changes: quotes, comments and layout stay. All files are written, or none. It is an
/// error if no file uses the image.
///
/// In directories, kmerge reads the same manifests as `kmerge check`. Templates are skipped, with a message. `nginx` is also
/// `docker.io/library/nginx`. A new tag replaces a digest, and a new digest a tag.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge set-image -i nginx:1.27 deploy/
  kmerge set-image --diff ghcr.io/acme/shop:2.3.1 base/ overlays/
  kmerge set-image -i nginx=registry.example.com:5000/nginx deploy/
  kmerge set-image -i ghcr.io/acme/shop@sha256:0d17b565c37bcbd895e9d92315a05c1c3c9a29f762b011a10c54a66cd53c9b31 prod.yaml
  kmerge set-image -i --container app acme/shop:2.3.1 deployment.yaml
  kmerge set-image -i --policy flux-system:shop acme/shop:2.3.1 clusters/")]
pub(crate) struct SetImageArgs {
    /// NAME:TAG, NAME@DIGEST, NAME=NEWNAME, NAME=NEWNAME:TAG or NAME=NEWNAME@DIGEST
    #[arg(value_name = "NAME[=NEWNAME][:TAG|@DIGEST]")]
    pub(crate) image: Request,
    /// Files and directories; `-` for stdin
    #[arg(required = true, value_name = "FILE|DIR")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Only containers of this name
    #[arg(long, value_name = "NAME")]
    pub(crate) container: Option<String>,
    /// Only values beside a comment `# {"$imagepolicy": "NS:NAME"}`
    #[arg(long, value_name = "NS:NAME[:tag|:name]", conflicts_with = "container")]
    pub(crate) policy: Option<Policy>,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}
