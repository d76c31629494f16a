//! The way to a path that is to be written: only through real directories of the same file system, and over nothing that
//! is to stay.
//!
//! A file may become a directory, and a directory a file, where everything that stood there goes in the same transaction.

use std::collections::BTreeSet;
use std::fs::Metadata;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use super::disk;
use super::journal::{Journal, Room};
use super::{Change, remove_emptied};

/// The paths that a transaction removes.
pub(super) struct Removed<'c>(BTreeSet<&'c str>);

impl<'c> Removed<'c> {
    pub(super) fn by(changes: &'c [Change]) -> Self {
        Self(changes.iter().filter(|change| change.new.is_none()).map(|change| change.path.as_str()).collect())
    }
}

/// Every directory on the way to a path is a real one, or a file that goes, so that nothing is written outside the tree.
pub(super) fn check(room: &Room, path: &str, removed: &Removed<'_>) -> anyhow::Result<()> {
    for (at, _) in path.match_indices('/') {
        let name = &path[..at];
        let directory = room.root.join(name);
        match disk::look(&directory)? {
            None => return Ok(()),
            Some(metadata) if metadata.is_dir() => check_device(room, &metadata, &directory)?,
            Some(_) if removed.0.contains(name) => return Ok(()),
            Some(metadata) if metadata.is_symlink() => {
                bail!("cannot write {path}: {name} is a symbolic link, and not followed")
            }
            Some(_) => bail!("cannot write {path}: {name} is not a directory"),
        }
    }
    Ok(())
}

#[cfg(unix)]
fn check_device(room: &Room, metadata: &Metadata, directory: &Path) -> anyhow::Result<()> {
    use std::os::unix::fs::MetadataExt as _;
    let own = room.root.metadata()?.dev();
    ensure!(metadata.dev() == own, "{} is another file system: merge it on its own", directory.display());
    Ok(())
}

#[cfg(not(unix))]
fn check_device(_: &Room, _: &Metadata, _: &Path) -> anyhow::Result<()> {
    Ok(())
}

/// What stands where a new file is to go makes way for it.
pub(super) fn check_target(room: &Room, path: &str, removed: &Removed<'_>) -> anyhow::Result<()> {
    match disk::look(&room.root.join(path))? {
        None => Ok(()),
        Some(metadata) if metadata.is_dir() => check_emptied(room, path, removed),
        Some(metadata) if metadata.is_file() || metadata.is_symlink() => bail!("{path} appeared during the merge"),
        Some(_) => bail!("cannot write {path}: a pipe, socket or device stands there"),
    }
}

/// Every file of a directory goes.
fn check_emptied(room: &Room, path: &str, removed: &Removed<'_>) -> anyhow::Result<()> {
    let mut open = vec![path.to_owned()];
    while let Some(directory) = open.pop() {
        let shown = room.root.join(&directory);
        let entries = shown.read_dir().and_then(Iterator::collect::<Result<Vec<_>, _>>);
        for entry in entries.with_context(|| format!("cannot read directory {}", shown.display()))? {
            let name = format!("{directory}/{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                open.push(name);
            } else if !removed.0.contains(name.as_str()) {
                bail!("cannot write {path}: a directory stands there, and {name} is to stay");
            }
        }
    }
    Ok(())
}

/// Removes the directories that stand where files are to go, which have lost their last file by now.
pub(super) fn clear(room: &Room, journal: &Journal) -> anyhow::Result<()> {
    for (index, step) in journal.steps.iter().enumerate() {
        let is_waiting = step.new.is_some() && disk::look(&room.new_entry(index))?.is_some();
        if !is_waiting || !disk::look(&room.target(step))?.is_some_and(|found| found.is_dir()) {
            continue;
        }
        let is_below = |path: &str| path.strip_prefix(step.path.as_str()).is_some_and(|rest| rest.starts_with('/'));
        for removed in journal.steps.iter().filter(|step| step.new.is_none() && is_below(&step.path)) {
            remove_emptied(room, &removed.path, step.path.len())?;
        }
    }
    Ok(())
}
