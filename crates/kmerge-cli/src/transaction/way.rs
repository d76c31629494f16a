//! The way to a path that is to be written: only through real directories of the same file system, and over nothing that
//! is to stay.
//!
//! A file may become a directory, and a directory a file, where everything that stood there goes in the same transaction.

use std::collections::BTreeSet;

use anyhow::{Context as _, bail, ensure};

use super::disk;
use super::journal::{Journal, Staging};
use super::{Change, remove_emptied};
use crate::tree::{Dir, Kind};

/// The paths that a transaction removes.
pub(super) struct Removed<'c>(BTreeSet<&'c str>);

impl<'c> Removed<'c> {
    pub(super) fn by(changes: &'c [Change]) -> Self {
        Self(changes.iter().filter(|change| change.new.is_none()).map(|change| change.path.as_str()).collect())
    }
}

/// Every directory on the way to a path is a real one, or a file that goes, so that nothing is written outside the tree.
pub(super) fn check(root: &Dir, path: &str, removed: &Removed<'_>) -> anyhow::Result<()> {
    for (at, _) in path.match_indices('/') {
        let name = &path[..at];
        let Some(found) = disk::look(root, name)? else { return Ok(()) };
        match found.kind {
            Kind::Directory => {
                let is_same = found.identity.0 == root.found()?.identity.0;
                ensure!(is_same, "{} is another file system: merge it on its own", root.shown_at(name).display());
            }
            _ if removed.0.contains(name) => return Ok(()),
            Kind::Link => bail!("cannot write {path}: {name} is a symbolic link, and not followed"),
            Kind::File | Kind::Other => bail!("cannot write {path}: {name} is not a directory"),
        }
    }
    Ok(())
}

/// What stands where a new file is to go makes way for it.
pub(super) fn check_target(root: &Dir, path: &str, removed: &Removed<'_>) -> anyhow::Result<()> {
    match disk::look(root, path)?.map(|found| found.kind) {
        None => Ok(()),
        Some(Kind::Directory) => check_emptied(root, path, removed),
        Some(Kind::File | Kind::Link) => bail!("{path} appeared during the merge"),
        Some(Kind::Other) => bail!("cannot write {path}: a pipe, socket or device stands there"),
    }
}

/// Every file of a directory goes.
fn check_emptied(root: &Dir, path: &str, removed: &Removed<'_>) -> anyhow::Result<()> {
    let mut open = vec![path.to_owned()];
    while let Some(directory) = open.pop() {
        let entries = root.descend(&directory).and_then(|directory| directory.names());
        let cannot = || format!("cannot read directory {}", root.shown_at(&directory).display());
        for (name, kind) in entries.with_context(cannot)? {
            let name = format!("{directory}/{name}");
            if kind == Kind::Directory {
                open.push(name);
            } else if !removed.0.contains(name.as_str()) {
                bail!("cannot write {path}: a directory stands there, and {name} is to stay");
            }
        }
    }
    Ok(())
}

/// Removes the directories that stand where files are to go, which have lost their last file by now.
pub(super) fn clear(root: &Dir, journal: &Journal, staging: &Staging) -> anyhow::Result<()> {
    for (index, step) in journal.steps.iter().enumerate() {
        let is_waiting = step.new.is_some() && step.old.is_none() && !staging.is_applied(&index.to_string())?;
        if !is_waiting || disk::look(root, &step.path)?.is_none_or(|found| found.kind != Kind::Directory) {
            continue;
        }
        let is_below = |path: &str| path.strip_prefix(step.path.as_str()).is_some_and(|rest| rest.starts_with('/'));
        for removed in journal.steps.iter().filter(|step| step.new.is_none() && is_below(&step.path)) {
            remove_emptied(root, &removed.path, step.path.len())?;
        }
    }
    Ok(())
}
