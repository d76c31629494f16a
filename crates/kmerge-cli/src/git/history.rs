//! A finished merge: its parents, what they came from, and how trees differ.

use std::collections::{BTreeSet, HashMap};

use anyhow::{Context as _, ensure};

use super::merge_tree::Merger;
use super::objects::Git;

/// A merge of two parents.
#[derive(Debug)]
pub(crate) struct FinishedMerge {
    pub(crate) commit: String,
    pub(crate) parents: [String; 2],
    /// The tree of what both parents came from; several common ancestors are merged first, as git does.
    pub(crate) base: String,
}

/// Looks at a commit; it must be a merge of two parents with a common ancestor.
pub(crate) fn finished_merge(merger: &mut Merger, name: &str) -> anyhow::Result<FinishedMerge> {
    let commit = merger.git.commit(name)?;
    let parents = merger.git.line(&["rev-parse", &format!("{commit}^@")])?;
    let parents: Vec<String> = parents.lines().map(str::to_owned).collect();
    let count = parents.len();
    let parents: [String; 2] = parents.try_into().ok().with_context(|| match count {
        0 | 1 => format!("{name} is not a merge: it has {count} {}", if count == 1 { "parent" } else { "parents" }),
        _ => format!("{name} is an octopus merge of {count} parents; only merges of two can be checked"),
    })?;
    let base =
        common_base(merger, &parents)?.with_context(|| format!("the parents of {name} have no common ancestor"))?;
    Ok(FinishedMerge { commit, parents, base })
}

/// The tree of what two commits came from; `None` where they have no common ancestor.
pub(crate) fn common_base(merger: &mut Merger, [one, other]: &[String; 2]) -> anyhow::Result<Option<String>> {
    let bases = merger.git.merge_bases(one, other)?;
    if bases.is_empty() {
        return Ok(None);
    }
    let base = virtual_base(merger, &bases)?;
    merger.git.line(&["rev-parse", &format!("{base}^{{tree}}")]).map(Some)
}

/// One commit in place of several: git merges them two by two, the oldest first.
fn virtual_base(merger: &mut Merger, bases: &[String]) -> anyhow::Result<String> {
    let (first, more) = bases.split_last().context("there is no common ancestor")?;
    if !more.is_empty() {
        merger.keep_objects_apart()?;
    }
    let mut base = first.clone();
    for next in more.iter().rev() {
        let tree = merger.merge(&base, next)?.tree;
        base = merger.git.line(&[
            "commit-tree",
            "--no-gpg-sign",
            &tree,
            "-p",
            &base,
            "-p",
            next,
            "-m",
            "merged common ancestors",
        ])?;
    }
    Ok(base)
}

/// A file in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Blob {
    pub(crate) path: String,
    pub(crate) id: String,
}

/// How a tree differs from the base, in regular files.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    /// Files of the base by their paths there, and what has become of them.
    pub(crate) changed: HashMap<String, (Blob, Option<Blob>)>,
    /// Files that the base does not have.
    pub(crate) added: HashMap<String, Blob>,
}

/// Compares two trees; renamed files are followed.
pub(crate) fn differences(git: &Git, base: &str, tree: &str) -> anyhow::Result<Differences> {
    const OPTIONS: [&str; 6] = ["diff-tree", "-r", "-z", "-M", "--raw", "--no-abbrev"];
    let done = git.run(&[&OPTIONS[..], &["--no-ext-diff", "--no-textconv", base, tree]].concat())?;
    ensure!(done.code == Some(0), "git: {}", done.stderr);
    let text = String::from_utf8_lossy(&done.stdout);
    let mut fields = text.split('\0');
    let mut found = Differences::default();
    while let Some(about) = fields.next().and_then(|field| field.strip_prefix(':')) {
        let [old_mode, new_mode, old, new, status] = about.split(' ').collect::<Vec<_>>()[..] else { continue };
        let path = fields.next().unwrap_or_default();
        let new_path = if status.starts_with(['R', 'C']) { fields.next().unwrap_or_default() } else { path };
        let blob = |mode: &str, path: &str, id: &str| {
            mode.starts_with("100").then(|| Blob { path: path.to_owned(), id: id.to_owned() })
        };
        match (blob(old_mode, path, old), blob(new_mode, new_path, new)) {
            (Some(old), new) => drop(found.changed.insert(path.to_owned(), (old, new))),
            (None, Some(new)) => drop(found.added.insert(new_path.to_owned(), new)),
            (None, None) => {}
        }
    }
    Ok(found)
}

/// How each tree differs from the base.
#[derive(Debug)]
pub(crate) struct Trees {
    pub(crate) parents: [Differences; 2],
    pub(crate) merge: Differences,
}

/// One file: in the base, in the parents and in the merge.
#[derive(Debug)]
pub(crate) struct Versions {
    pub(crate) base: Option<Blob>,
    pub(crate) parents: [Option<Blob>; 2],
    pub(crate) merge: Option<Blob>,
}

impl Trees {
    /// The files that a parent changed, by their paths in the base, or by their own where the base has none.
    pub(crate) fn paths(&self) -> BTreeSet<String> {
        let of = |side: &Differences| side.changed.keys().chain(side.added.keys()).cloned().collect::<Vec<_>>();
        self.parents.iter().flat_map(of).collect()
    }

    /// The versions of one of the [`paths`](Self::paths).
    pub(crate) fn versions(&self, path: &str) -> Versions {
        let all = [&self.parents[0], &self.parents[1], &self.merge];
        let base = all.iter().find_map(|side| side.changed.get(path)).map(|(base, _)| base.clone());
        let Some(base) = base else {
            let [first, second, merge] = all.map(|side| side.added.get(path).cloned());
            // Where a directory was renamed on the other side, git puts new files into the renamed one.
            let moved = |blob: &Blob| self.merge.added.values().find(|added| added.id == blob.id).cloned();
            let merge = merge.or_else(|| first.as_ref().or(second.as_ref()).and_then(moved));
            return Versions { base: None, parents: [first, second], merge };
        };
        let found = all.map(|side| side.changed.get(path).map_or_else(|| Some(base.clone()), |(_, now)| now.clone()));
        // What is too different to count as renamed in one tree may still do so in another.
        let names: Vec<&str> = found.iter().flatten().map(|blob| blob.path.as_str()).collect();
        let also = |side: &Differences| names.iter().find_map(|name| side.added.get(*name)).cloned();
        let [first, second, merge] = [0, 1, 2].map(|at| found[at].clone().or_else(|| also(all[at])));
        Versions { base: Some(base), parents: [first, second], merge }
    }
}

impl Versions {
    /// All versions that there are, that of the merge first.
    pub(crate) fn blobs(&self) -> impl Iterator<Item = &Blob> {
        [&self.merge, &self.parents[0], &self.parents[1], &self.base].into_iter().flatten()
    }

    /// Where the file stands in the merge, or stood.
    pub(crate) fn path(&self) -> &str {
        self.blobs().next().map_or("", |blob| blob.path.as_str())
    }
}
