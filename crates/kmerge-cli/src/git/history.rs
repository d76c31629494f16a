//! A finished merge: its parents, what they came from, and how trees differ.

use std::collections::HashMap;

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
        0 | 1 => format!("{name} is no merge: it has {count} {}", if count == 1 { "parent" } else { "parents" }),
        _ => format!("{name} is an octopus merge of {count} parents; only merges of two can be checked"),
    })?;
    let bases = merger.git.merge_bases(&parents[0], &parents[1])?;
    ensure!(!bases.is_empty(), "the parents of {name} have no common ancestor");
    let base = virtual_base(merger, &bases)?;
    Ok(FinishedMerge { commit, parents, base: merger.git.line(&["rev-parse", &format!("{base}^{{tree}}")])? })
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
