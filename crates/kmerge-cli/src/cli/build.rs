//! Arguments of `build` and `fn`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::apply::KindFlags;
use super::merge::{SayFlags, TargetFlags};

/// Build a kustomization, with the comments and layout of its files
///
/// Reads the kustomization in DIR, and the files and kustomizations that it names as `resources` and `components`. Applies
/// `patches`, `patchesStrategicMerge`, `patchesJson6902`, `namespace`, `namePrefix`, `nameSuffix`, `labels`, `commonLabels`,
/// `commonAnnotations`, `images`, `replicas`, `openapi` and `sortOptions` as kustomize does; references follow new names.
/// Comments and layout of the files stay; patches bring their own. A patch that matches nothing is an error. A field that
/// kmerge does not apply, such as a generator, is an error, too.
///
/// With --in-place, kmerge writes these changes into the files of the resources, and removes them from the kustomizations.
/// All files are written, or none.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge build overlays/prod
  kmerge build overlays/prod | kubectl apply -f -
  kmerge build overlays/prod --diff
  kmerge build app/ --in-place
  kmerge build overlays/prod --in-place --root .
  kmerge build overlays/prod --patches-only --in-place --root .
  kmerge build overlays/prod --compat kustomize -o all.yaml")]
pub(crate) struct BuildArgs {
    /// The directory of the kustomization
    #[arg(default_value = ".")]
    pub(crate) dir: PathBuf,
    /// Reproduce the results of this tool, its order of resources and lists and its mistakes included
    #[arg(long, value_name = "TOOL")]
    pub(crate) compat: Option<Compat>,
    /// Merge the patches only, and say on stderr what else the kustomization asks for
    #[arg(long)]
    pub(crate) patches_only: bool,
    /// With --patches-only: fail where the kustomization asks for more
    #[arg(long)]
    pub(crate) strict: bool,
    /// Whether a kustomization may name files that are not in or below its own directory
    #[arg(long, value_name = "WHICH", default_value = "root")]
    pub(crate) load_restrictor: LoadRestrictor,
    /// With --in-place: the directory that all changed files are in or below [default: DIR]
    #[arg(long, value_name = "DIR", requires = "in_place")]
    pub(crate) root: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) kinds: KindFlags,
    #[command(flatten)]
    pub(crate) target: TargetFlags,
    #[command(flatten)]
    pub(crate) say: SayFlags,
}

/// A tool whose results can be reproduced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Compat {
    /// kustomize 5, as in kubectl
    Kustomize,
}

/// Which files a kustomization may name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LoadRestrictor {
    /// Those in or below its own directory
    #[value(alias = "LoadRestrictionsRootOnly")]
    Root,
    /// All
    #[value(alias = "LoadRestrictionsNone")]
    None,
}

/// Patch or merge resources as a KRM function
///
/// Reads a ResourceList on stdin and writes it to stdout, with what its functionConfig asks for: `patches` as in a
/// kustomization, one `patch` with its target, or `merge`, objects that are merged into those of the same identity or
/// added. A ConfigMap may hold the same in its data. Comments, layout and annotations stay; `results` says what was
/// done. Exit codes: 0 done; 1 an error, which is among the results; 2 stdin is no ResourceList.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  kmerge fn < list.yaml
  kpt fn eval DIR --exec 'kmerge fn' --fn-config patches.yaml
  kpt fn eval DIR --exec 'kmerge fn' -- kind=Deployment patch='{spec: {replicas: 3}}'
  kpt fn source DIR --fn-config patches.yaml | kmerge fn | kpt fn sink OUT")]
pub(crate) struct FnArgs {
    /// Reproduce the results of this tool, unless the functionConfig says
    #[arg(long, value_name = "TOOL")]
    pub(crate) compat: Option<Compat>,
    #[command(flatten)]
    pub(crate) kinds: KindFlags,
}
