//! Writes a set of files all or nothing.
//!
//! Everything is staged and flushed before the first file of the tree changes; then each change is one rename or one
//! removal. A process killed between any two steps leaves each file with its old or its new content, and a journal
//! ([`journal`]) from which [`resume`] finishes and [`undo`] takes back. Not covered: owners, extended attributes and
//! hard links of replaced files, and file systems mounted inside the tree (an error before anything is written).

mod disk;
mod journal;
mod lock;
mod recover;
#[cfg(test)]
mod tests;
mod way;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

pub(crate) use disk::{Entry, Fingerprint};
pub(crate) use journal::DIRECTORY;
use journal::{Journal, Room, Stage, Step};
use lock::Lock;
pub(crate) use recover::{Settled, has_leftovers, interrupted, resume, undo};
use way::Removed;

/// One path that is to change.
#[derive(Clone, Debug)]
pub(crate) struct Change {
    /// Relative to the root, separated by `/`, without `.` and `..`.
    pub(crate) path: String,
    /// What the plan found there; a tree that has changed since is left alone.
    pub(crate) old: Option<Fingerprint>,
    /// What is to stand there; `None` removes.
    pub(crate) new: Option<Entry>,
}

/// Applies all changes, or none.
///
/// # Errors
/// Nothing was written when the tree is not as the plan found it, holds an interrupted transaction, or cannot take the
/// new files. A failure after that leaves an interrupted transaction behind and says so.
pub(crate) fn commit(root: &Path, changes: &[Change]) -> anyhow::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    let room = Room::new(root);
    let lock = Lock::take(&room)?;
    if let Some(found) = interrupted(root)? {
        bail!("{found}");
    }
    room.clear()?;
    let written = prepare(&room, changes).and_then(|journal| apply_or_undo(&room, &journal));
    if written.is_err() && interrupted(root)?.is_some() {
        return written.context(recover::HINT);
    }
    room.clear()?;
    lock.release()?;
    written
}

/// Finds out whether the tree can take the changes, and touches nothing.
///
/// # Errors
/// Where a way leads out of the tree, or something that is to stay is in the way.
pub(crate) fn check(root: &Path, changes: &[Change]) -> anyhow::Result<()> {
    let (room, removed) = (Room::new(root), Removed::by(changes));
    for change in changes {
        way::check(&room, &change.path, &removed)?;
        if change.old.is_none() {
            way::check_target(&room, &change.path, &removed)?;
        }
    }
    Ok(())
}

/// Applies the journal; what cannot be applied whole is taken back.
fn apply_or_undo(room: &Room, journal: &Journal) -> anyhow::Result<()> {
    match apply(room, journal) {
        Ok(()) => room.end(Stage::Apply),
        Err(error) => {
            recover::go_back(room, journal, Stage::Apply)?;
            Err(error.context("the merge was taken back, nothing is changed"))
        }
    }
}

/// Stages new contents, keeps the old ones, and writes the journal.
fn prepare(room: &Room, changes: &[Change]) -> anyhow::Result<Journal> {
    let (new, old) = (room.file("new"), room.file("old"));
    disk::create_dir(&new)?;
    disk::create_dir(&old)?;
    let removed = Removed::by(changes);
    for (index, change) in changes.iter().enumerate() {
        way::check(room, &change.path, &removed)?;
        if let Some(entry) = &change.new {
            disk::write_new(&room.new_entry(index), entry)?;
        }
    }
    for (index, change) in changes.iter().enumerate() {
        keep_old(room, index, change, &removed)?;
    }
    let staged = changes.iter().enumerate().filter(|(_, change)| change.new.is_some());
    disk::each(&staged.map(|(index, _)| room.new_entry(index)).collect::<Vec<_>>(), disk::sync_file)?;
    disk::sync_dir(&new)?;
    disk::sync_dir(&old)?;
    let journal = Journal::new(changes.iter().map(step).collect(), missing_directories(room, changes)?);
    room.begin(&journal)?;
    disk::sync_dir(&room.root)?;
    Ok(journal)
}

fn step(change: &Change) -> Step {
    Step { path: change.path.clone(), old: change.old, new: change.new.as_ref().map(Fingerprint::of) }
}

fn keep_old(room: &Room, index: usize, change: &Change, removed: &Removed<'_>) -> anyhow::Result<()> {
    if change.old.is_none() {
        return way::check_target(room, &change.path, removed);
    }
    let target = room.root.join(&change.path);
    let kept = room.old_entry(index);
    let is_there = disk::look(&target)?.is_some_and(|found| !found.is_dir());
    ensure!(is_there, "{} went away during the merge; nothing was written", change.path);
    disk::keep(&target, &kept)?;
    let same = Fingerprint::at(&kept)? == change.old;
    ensure!(same, "{} was changed during the merge; nothing was written", change.path);
    Ok(())
}

fn missing_directories(room: &Room, changes: &[Change]) -> anyhow::Result<Vec<String>> {
    let mut missing = BTreeSet::new();
    for change in changes.iter().filter(|change| change.new.is_some()) {
        for (at, _) in change.path.match_indices('/') {
            let directory = &change.path[..at];
            if !disk::look(&room.root.join(directory))?.is_some_and(|found| found.is_dir()) {
                missing.insert(directory.to_owned());
            }
        }
    }
    Ok(missing.into_iter().collect())
}

/// Puts every change that is not yet in place there; running it again changes nothing.
///
/// What goes, goes first: a file may become a directory, and a directory a file.
fn apply(room: &Room, journal: &Journal) -> anyhow::Result<()> {
    for step in journal.steps.iter().filter(|step| step.new.is_none()) {
        disk::remove_file(&room.target(step))?;
    }
    way::clear(room, journal)?;
    for directory in &journal.directories {
        disk::create_dir(&room.root.join(directory))?;
    }
    for (index, step) in journal.steps.iter().enumerate() {
        let staged = room.new_entry(index);
        if step.new.is_some() && disk::look(&staged)?.is_some() {
            disk::rename(&staged, &room.target(step))?;
        }
    }
    sync_parents(room, journal)?;
    for step in journal.steps.iter().filter(|step| step.new.is_none()) {
        remove_emptied(room, &step.path, 0)?;
    }
    Ok(())
}

/// Flushes every directory in which names changed.
fn sync_parents(room: &Room, journal: &Journal) -> anyhow::Result<()> {
    let parent = |path: &'_ str| path.rfind('/').map_or(String::new(), |at| path[..at].to_owned());
    let mut parents: BTreeSet<String> = journal.steps.iter().map(|step| parent(&step.path)).collect();
    parents.extend(journal.directories.iter().map(|directory| parent(directory)));
    let mut directories = Vec::with_capacity(parents.len());
    for directory in parents.into_iter().map(|parent| room.root.join(parent)) {
        if disk::look(&directory)?.is_some_and(|found| found.is_dir()) {
            directories.push(directory);
        }
    }
    disk::each(&directories, disk::sync_dir)
}

/// Removes the directories that lost their last file, from a path upwards; of those in which it stands, none whose path
/// is shorter than `shortest`.
fn remove_emptied(room: &Room, path: &str, shortest: usize) -> anyhow::Result<()> {
    for (at, _) in path.rmatch_indices('/').filter(|(at, _)| *at >= shortest) {
        if !disk::remove_empty_dir(&room.root.join(&path[..at]))? {
            return Ok(());
        }
    }
    Ok(())
}
