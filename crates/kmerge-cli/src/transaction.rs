//! Writes a set of files all or nothing.
//!
//! Everything is staged and flushed before the first file of the tree changes; then each change is one rename or one
//! removal. A process killed between any two steps leaves each file with its old or its new content, and a journal
//! ([`journal`]) from which [`resume`] finishes and [`undo`] takes back. The tree is reached through a handle on its root,
//! no link is ever followed, and nothing of git's is touched (see [`crate::tree`]).
//!
//! What somebody else writes meanwhile is not lost: the old file keeps a second name, so that what is appended to it
//! before it is replaced is seen afterwards, and a file that came in its place is seen when the two change places, where
//! the system can do that in one step (Linux, macOS). Either takes the merge back. Not seen: what a process writes into a
//! file that it opened before, after the last look at it; and, on other systems, a file that comes between the last look
//! and the rename.
//!
//! Not covered: extended attributes and hard links of replaced files, owners where this user may not give files away, and
//! file systems mounted inside the tree (an error before anything is written).

mod disk;
mod journal;
mod lock;
mod recover;
mod store;
#[cfg(unix)]
#[cfg(test)]
mod tests;
mod way;

use std::collections::BTreeSet;

use anyhow::{Context as _, bail, ensure};

use crate::temporary::{Held, is_ending};
use crate::tree::{At, Dir, Kind, Walker, check_path};
pub use disk::{Entry, Fingerprint};
use journal::{Journal, Room, Staging, Step};
pub use journal::{Stage, is_staging};
use lock::Lock;
pub use recover::{Interrupted, Settled, interrupted, leftovers, resume, undo};
pub use store::Store;
use way::Removed;

/// One path that is to change.
#[derive(Clone, Debug)]
pub struct Change {
    /// Relative to the root, separated by `/`, without `.` and `..`.
    pub path: String,
    /// What the plan found there; a tree that has changed since is left alone.
    pub old: Option<Fingerprint>,
    /// What is to stand there; `None` removes.
    pub new: Option<Entry>,
}

/// Applies all changes, or none.
///
/// # Errors
/// Nothing was written when the tree is not as the plan found it, holds an interrupted transaction, or cannot take the
/// new files. A failure after that leaves an interrupted transaction behind and says so.
pub fn commit(store: &Store, root: &Dir, changes: &[Change]) -> anyhow::Result<()> {
    if changes.is_empty() {
        return Ok(());
    }
    check_paths(changes)?;
    // A signal ends this with the tree as it was, or as it is to be; a second one leaves the journal.
    let _held = Held::begin();
    let lock = Lock::take(store, root)?;
    let room = &lock.room;
    if let Some(found) = recover::found(room)? {
        bail!("{found}");
    }
    room.clear()?;
    let written = prepare(room, changes).and_then(|(journal, staging)| apply_or_undo(room, &journal, &staging));
    if written.is_err() && room.read()?.is_some_and(|(stage, _)| stage.is_between()) {
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
pub fn check(root: &Dir, changes: &[Change]) -> anyhow::Result<()> {
    check_paths(changes)?;
    let removed = Removed::by(changes);
    let mut last = "";
    for change in changes {
        // Neighbours share their way.
        if parent_of(&change.path) != last {
            way::check(root, &change.path, &removed)?;
            last = parent_of(&change.path);
        }
        if change.old.is_none() {
            way::check_target(root, &change.path, &removed)?;
        }
    }
    Ok(())
}

fn parent_of(path: &str) -> &str {
    path.rfind('/').map_or("", |at| &path[..at])
}

fn check_paths(changes: &[Change]) -> anyhow::Result<()> {
    let mut paths = changes.iter().map(|change| &change.path);
    paths.try_for_each(|path| check_path(path).with_context(|| format!("cannot write {path}")))
}

/// Applies the journal; what cannot be applied whole is taken back.
fn apply_or_undo(room: &Room<'_>, journal: &Journal, staging: &Staging) -> anyhow::Result<()> {
    match apply(room.root, journal, staging) {
        Ok(()) => room.go(Stage::Apply, Stage::Done),
        Err(error) => {
            let taken_back = recover::go_back(room, Stage::Apply, journal, staging);
            taken_back.with_context(|| format!("{error:#}, and the merge could not be taken back"))?;
            Err(error.context("the merge was taken back, nothing is changed"))
        }
    }
}

/// Writes the journal, stages new contents, and keeps the old ones.
fn prepare(room: &Room<'_>, changes: &[Change]) -> anyhow::Result<(Journal, Staging)> {
    check(room.root, changes)?;
    let journal =
        Journal::new(room.root, changes.iter().map(step).collect(), missing_directories(room.root, changes)?)?;
    room.stage(&journal)?;
    let staging = Staging::create(room.root, &journal.staging)?;
    let numbered: Vec<(String, &Change)> =
        changes.iter().enumerate().map(|(index, change)| (index.to_string(), change)).collect();
    let mut walker = Walker::new(room.root);
    for (index, change) in numbered.iter().filter(|(_, change)| change.old.is_some()) {
        go_on()?;
        keep_old(&mut walker, At { dir: &staging.old, name: index }, change)?;
    }
    for (index, change) in &numbered {
        go_on()?;
        if let Some(entry) = &change.new {
            let old = change.old.map(|_| At { dir: &staging.old, name: index });
            disk::write_new(At { dir: &staging.new, name: index }, entry, old)?;
        }
    }
    disk::each(&numbered, |(index, change)| {
        go_on()?;
        match change.new {
            Some(Entry::File { .. }) => disk::sync_file(&staging.new, index),
            Some(Entry::Link(_)) | None => Ok(()),
        }
    })?;
    disk::sync_dir(&staging.new)?;
    disk::sync_dir(&staging.old)?;
    // As late as can be, and at once: what was read is still there.
    check_old(&staging, &journal, "nothing was written")?;
    go_on()?;
    room.go(Stage::Stage, Stage::Apply)?;
    Ok((journal, staging))
}

/// Not where a signal waits for the end.
fn go_on() -> anyhow::Result<()> {
    ensure!(!is_ending(), "a signal came; nothing was written");
    Ok(())
}

fn step(change: &Change) -> Step {
    Step { path: change.path.clone(), old: change.old, new: change.new.as_ref().map(Fingerprint::of) }
}

fn keep_old(walker: &mut Walker<'_>, kept: At<'_>, change: &Change) -> anyhow::Result<()> {
    let went = || format!("{} went away during the merge; nothing was written", change.path);
    let (parent, name) = walker.parent(&change.path).with_context(went)?;
    let found = disk::look(parent, name)?.filter(|found| found.kind != Kind::Directory);
    let kind = found.map(|found| found.kind).with_context(went)?;
    ensure!(kind != Kind::Other, "cannot write {}: a pipe, socket or device stands there", change.path);
    disk::keep(At { dir: parent, name }, kept)
}

/// Every old file is what the plan found.
fn check_old(staging: &Staging, journal: &Journal, outcome: &str) -> anyhow::Result<()> {
    let steps: Vec<(usize, &Step)> = journal.steps.iter().enumerate().filter(|(_, step)| step.old.is_some()).collect();
    disk::each(&steps, |(index, step)| {
        let same = Fingerprint::at(&staging.old, &index.to_string())? == step.old;
        ensure!(same, "{} was changed during the merge; {outcome}", step.path);
        Ok(())
    })
}

fn missing_directories(root: &Dir, changes: &[Change]) -> anyhow::Result<Vec<String>> {
    let (mut missing, mut last) = (BTreeSet::new(), "");
    for change in changes.iter().filter(|change| change.new.is_some()) {
        // Neighbours share their way.
        if parent_of(&change.path) == last {
            continue;
        }
        last = parent_of(&change.path);
        for (at, _) in change.path.match_indices('/') {
            let directory = &change.path[..at];
            if missing.contains(directory) {
                continue;
            }
            if disk::look(root, directory)?.is_none_or(|found| found.kind != Kind::Directory) {
                missing.insert(directory.to_owned());
            }
        }
    }
    Ok(missing.into_iter().collect())
}

/// Puts every change that is not yet in place there; running it again changes nothing.
///
/// What goes, goes first: a file may become a directory, and a directory a file.
fn apply(root: &Dir, journal: &Journal, staging: &Staging) -> anyhow::Result<()> {
    let mut walker = Walker::new(root);
    for (index, step) in journal.steps.iter().enumerate().filter(|(_, step)| step.new.is_none()) {
        take_out(&mut walker, step, &index.to_string(), staging)?;
    }
    way::clear(root, journal, staging)?;
    for directory in &journal.directories {
        disk::create_dir(root, directory)?;
    }
    // Others may stand under the same names by now.
    let mut walker = Walker::new(root);
    for (index, step) in journal.steps.iter().enumerate().filter(|(_, step)| step.new.is_some()) {
        put(&mut walker, step, &index.to_string(), staging)?;
    }
    sync_parents(root, journal)?;
    check_old(staging, journal, "others write here")?;
    for step in journal.steps.iter().filter(|step| step.new.is_none()) {
        remove_emptied(root, &step.path, 0)?;
    }
    Ok(())
}

/// Removes a file, unless it is another one by now.
fn take_out(walker: &mut Walker<'_>, step: &Step, index: &str, staging: &Staging) -> anyhow::Result<()> {
    let (parent, name) = match walker.parent(&step.path) {
        Err(error) if crate::tree::is_absent(&error) => return Ok(()),
        found => found.with_context(|| format!("cannot remove {}", step.path))?,
    };
    if disk::look(parent, name)?.is_none_or(|found| found.kind == Kind::Directory) {
        return Ok(());
    }
    let (target, out) = (At { dir: parent, name }, At { dir: &staging.new, name: index });
    disk::rename_new(target, out)?;
    let kept = disk::look(&staging.old, index)?.map(|kept| kept.identity);
    let is_kept = disk::look(&staging.new, index)?.is_some_and(|out| Some(out.identity) == kept);
    if !is_kept && Fingerprint::at(&staging.new, index)? != step.old {
        disk::rename_new(out, target)?;
        bail!("{} was changed during the merge", step.path);
    }
    disk::remove_file(&staging.new, index)
}

/// Puts a new content in its place: where a file was, the two change places, and what comes out has to be that file.
fn put(walker: &mut Walker<'_>, step: &Step, index: &str, staging: &Staging) -> anyhow::Result<()> {
    let identity = |dir: &Dir, name| anyhow::Ok(disk::look(dir, name)?.map(|found| found.identity));
    let (new, kept) = (identity(&staging.new, index)?, identity(&staging.old, index)?);
    if new.is_none() || new == kept {
        return disk::remove_file(&staging.new, index);
    }
    let (parent, name) = disk::go(walker, &step.path)?;
    let (staged, target) = (At { dir: &staging.new, name: index }, At { dir: parent, name });
    if step.old.is_none() {
        return disk::rename_new(staged, target);
    }
    if identity(parent, name)? == kept && disk::exchange(staged, target)? {
        if identity(&staging.new, index)? == kept {
            return disk::remove_file(&staging.new, index);
        }
        disk::exchange(staged, target)?;
        bail!("{} was changed during the merge", step.path);
    }
    ensure!(Fingerprint::at(parent, name)? == step.old, "{} was changed during the merge", step.path);
    disk::rename(staged, target)
}

/// Flushes every directory in which names changed.
fn sync_parents(root: &Dir, journal: &Journal) -> anyhow::Result<()> {
    let mut parents: BTreeSet<&str> = journal.steps.iter().map(|step| parent_of(&step.path)).collect();
    parents.extend(journal.directories.iter().map(|directory| parent_of(directory)));
    let parents: Vec<&str> = parents.into_iter().collect();
    disk::each(&parents, |parent| match root.descend(parent) {
        Ok(directory) => disk::sync_dir(&directory),
        Err(error) if crate::tree::is_absent(&error) => Ok(()),
        Err(error) => Err(error).with_context(|| format!("cannot flush {}", root.shown_at(parent).display())),
    })
}

/// Removes the directories that lost their last file, from a path upwards; of those in which it stands, none whose path
/// is shorter than `shortest`.
fn remove_emptied(root: &Dir, path: &str, shortest: usize) -> anyhow::Result<()> {
    for (at, _) in path.rmatch_indices('/').filter(|(at, _)| *at >= shortest) {
        if !disk::remove_empty_dir(root, &path[..at])? {
            return Ok(());
        }
    }
    Ok(())
}
