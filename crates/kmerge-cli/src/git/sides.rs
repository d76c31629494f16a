//! What both sides of a merge have, file by file: of a finished merge, or of one that nobody has done yet.
//!
//! Owns: [`Sides`], which is also what the [`index`](super::index) says of a merge in progress. Contents are as they are stored.

use anyhow::Context as _;

use super::history::{Blob, Differences, Trees, Versions, common_base, differences, finished_merge};
use super::merge_tree::Merger;
use super::objects::Blobs;

/// Both sides of a file, and what they come from; nothing where it is not there.
#[derive(Debug, Default)]
pub(crate) struct Sides {
    pub(crate) base: Option<Vec<u8>>,
    pub(crate) ours: Option<Vec<u8>>,
    pub(crate) theirs: Option<Vec<u8>>,
}

/// A merge of two commits.
#[derive(Debug)]
pub(crate) struct CommitMerge {
    trees: Trees,
    pub(crate) parents: [String; 2],
    blobs: Blobs,
    /// It holds the objects of a common ancestor that was merged.
    _merger: Merger,
}

impl CommitMerge {
    /// A merge that is a commit of two parents.
    pub(crate) fn finished(name: &str) -> anyhow::Result<Self> {
        super::require_repository("")?;
        let mut merger = Merger::new(" --on-conflict base")?;
        let finished = finished_merge(&mut merger, name)?;
        let merge = differences(&merger.git, &finished.base, &finished.commit)?;
        Self::new(merger, finished.parents, &finished.base, merge)
    }

    /// A merge of a commit into another that was not done yet.
    pub(crate) fn planned(into: &str, from: &str) -> anyhow::Result<Self> {
        super::require_repository("")?;
        let mut merger = Merger::new(" --on-conflict base")?;
        let parents = [merger.git.commit(into)?, merger.git.commit(from)?];
        let base = common_base(&mut merger, &parents)?;
        let base = base.with_context(|| format!("{into} and {from} have no common ancestor"))?;
        Self::new(merger, parents, &base, Differences::default())
    }

    fn new(merger: Merger, parents: [String; 2], base: &str, merge: Differences) -> anyhow::Result<Self> {
        let compare = |parent: &str| differences(&merger.git, base, parent);
        let trees = Trees { parents: [compare(&parents[0])?, compare(&parents[1])?], merge };
        let blobs = merger.git.blobs()?;
        Ok(Self { trees, parents, blobs, _merger: merger })
    }

    /// The files that a side changed.
    pub(crate) fn files(&self) -> Vec<Versions> {
        self.trees.paths().iter().map(|path| self.trees.versions(path)).collect()
    }

    pub(crate) fn sides(&mut self, versions: &Versions) -> anyhow::Result<Sides> {
        let [ours, theirs] = &versions.parents;
        Ok(Sides { base: self.read(&versions.base)?, ours: self.read(ours)?, theirs: self.read(theirs)? })
    }

    /// The content of a version, if there is one.
    pub(crate) fn read(&mut self, blob: &Option<Blob>) -> anyhow::Result<Option<Vec<u8>>> {
        blob.as_ref().map(|blob| self.blobs.read(&blob.id)).transpose()
    }
}
