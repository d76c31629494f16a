//! Finishes or takes back a transaction that was interrupted.
//!
//! Either way is checked whole before the first step: a path that holds neither its old nor its new content was edited
//! by somebody else since, and nothing is touched until that is settled.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context as _, ensure};

use super::disk::{self, Fingerprint};
use super::journal::{Journal, Room, Stage, Staging, Step, canonical};
use super::lock::Lock;
use super::store::Store;
use super::{apply, sync_parents};
use crate::tree::{At, Dir, Kind};

/// What to tell a user whose transaction broke off.
pub(super) const HINT: &str = "the merge broke off: each file is old or new; finish it with `kmerge recover --resume DIR` \
    or take it back with `kmerge recover --undo DIR`";

/// A transaction that was cut off in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interrupted {
    /// The tree.
    pub root: PathBuf,
    /// What the tree was called when it began, where that is something else.
    pub moved: Option<String>,
    /// Which way it was going.
    pub stage: Stage,
    /// Paths it changes.
    pub total: usize,
    /// Paths that hold their new content.
    pub new: usize,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.root.display();
        write!(formatter, "an interrupted merge is in {root}")?;
        if let Some(moved) = &self.moved {
            write!(formatter, " (which was {moved})")?;
        }
        write!(formatter, ": {} of {} files are new", self.new, self.total)?;
        match self.stage {
            Stage::Stage | Stage::Done => Ok(()),
            Stage::Apply => write!(
                formatter,
                "; finish it with `kmerge recover --resume {root}` or take it back with `kmerge recover --undo {root}`"
            ),
            Stage::Undo => write!(formatter, "; it was being taken back: `kmerge recover --undo {root}` goes on"),
        }
    }
}

/// The transaction that was cut off in this tree, if there is one.
///
/// # Errors
/// Where its journal or its files cannot be read.
pub fn interrupted(store: &Store, root: &Dir) -> anyhow::Result<Option<Interrupted>> {
    Room::open(store, root)?.map_or(Ok(None), |room| found(&room))
}

pub(super) fn found(room: &Room<'_>) -> anyhow::Result<Option<Interrupted>> {
    let Some((stage, journal)) = room.read()? else { return Ok(None) };
    if !stage.is_between() {
        return Ok(None);
    }
    let mut new = 0;
    for step in &journal.steps {
        new += usize::from(Fingerprint::at(room.root, &step.path)? == step.new);
    }
    let moved = Some(journal.tree).filter(|tree| *tree != canonical(room.root));
    Ok(Some(Interrupted { root: room.root.shown().to_owned(), moved, stage, total: journal.steps.len(), new }))
}

/// What there was to settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// No transaction was cut off.
    Nothing,
    /// One that had not begun to change files, or was over: what it left is gone.
    Leftovers,
    /// One that changes so many files.
    Files(usize),
}

/// The stage of a transaction that left something behind although it had not begun to change files, or was over.
///
/// # Errors
/// Where one is at work.
pub fn leftovers(store: &Store, root: &Dir) -> anyhow::Result<Option<Stage>> {
    if Room::open(store, root)?.is_none() {
        return Ok(None);
    }
    let lock = Lock::take(store, root)?;
    let found = lock.room.read()?;
    if found.is_none() {
        // Nothing but the lock, and perhaps a draft: its owner ended just now, or never got any further.
        lock.room.clear()?;
        lock.release()?;
        return Ok(None);
    }
    Ok(found.map(|(stage, _)| stage).filter(|stage| !stage.is_between()))
}

/// Finishes an interrupted transaction.
///
/// # Errors
/// Where a file was edited since, and nothing was done; where it fails again, and each file is old or new.
pub fn resume(store: &Store, root: &Dir) -> anyhow::Result<Settled> {
    settle(store, root, |room, stage, journal, staging| {
        ensure!(
            stage == Stage::Apply,
            "the merge was being taken back and can only be undone: `kmerge recover --undo`"
        );
        check(room, journal)?;
        check_staged(room, journal, staging)?;
        apply(room.root, journal, staging)?;
        room.go(Stage::Apply, Stage::Done)
    })
}

/// Takes an interrupted transaction back.
///
/// # Errors
/// As for [`resume`].
pub fn undo(store: &Store, root: &Dir) -> anyhow::Result<Settled> {
    settle(store, root, |room, stage, journal, staging| {
        check(room, journal)?;
        check_kept(room, journal, staging)?;
        go_back(room, stage, journal, staging)
    })
}

/// Ends what was cut off, and removes what it left.
fn settle(
    store: &Store,
    root: &Dir,
    end: impl FnOnce(&Room<'_>, Stage, &Journal, &Staging) -> anyhow::Result<()>,
) -> anyhow::Result<Settled> {
    if Room::open(store, root)?.is_none() {
        return Ok(Settled::Nothing);
    }
    let lock = Lock::take(store, root)?;
    let settled = match lock.room.read()? {
        None => Settled::Nothing,
        Some((stage, _)) if !stage.is_between() => Settled::Leftovers,
        Some((stage, journal)) => {
            let staging = Staging::open(root, &journal.staging).with_context(|| forget(&lock.room))?;
            end(&lock.room, stage, &journal, &staging)?;
            Settled::Files(journal.steps.len())
        }
    };
    lock.room.clear()?;
    lock.release()?;
    Ok(settled)
}

fn forget(room: &Room<'_>) -> String {
    format!("the merge can neither be finished nor taken back; to forget it, remove {}", room.own.shown().display())
}

/// Undoes whatever is in place, and ends the transaction.
pub(super) fn go_back(room: &Room<'_>, stage: Stage, journal: &Journal, staging: &Staging) -> anyhow::Result<()> {
    if stage == Stage::Apply {
        room.go(Stage::Apply, Stage::Undo)?;
    }
    take_back(room.root, journal, staging)?;
    room.go(Stage::Undo, Stage::Done)
}

fn check(room: &Room<'_>, journal: &Journal) -> anyhow::Result<()> {
    let mut edited = Vec::new();
    for step in &journal.steps {
        let found = Fingerprint::at(room.root, &step.path)?;
        if found != step.old && found != step.new {
            edited.push(step.path.as_str());
        }
    }
    ensure!(
        edited.is_empty(),
        "edited since the merge broke off, put back or move away: {} (the old contents are in {}; to forget the merge, \
         remove {})",
        edited.join(", "),
        room.root.shown_at(&journal.staging).join("old").display(),
        room.own.shown().display()
    );
    Ok(())
}

/// What is not yet in place is still there to be put.
fn check_staged(room: &Room<'_>, journal: &Journal, staging: &Staging) -> anyhow::Result<()> {
    for (index, step) in journal.steps.iter().enumerate().filter(|(_, step)| step.new.is_some()) {
        let is_there = !staging.is_applied(&index.to_string())? || Fingerprint::at(room.root, &step.path)? == step.new;
        ensure!(is_there, "the new content of {} is gone; `kmerge recover --undo` takes the merge back", step.path);
    }
    Ok(())
}

/// What is not the old content is still there to be put back.
fn check_kept(room: &Room<'_>, journal: &Journal, staging: &Staging) -> anyhow::Result<()> {
    for (index, step) in journal.steps.iter().enumerate().filter(|(_, step)| step.old.is_some()) {
        let is_there = disk::look(&staging.old, &index.to_string())?.is_some()
            || Fingerprint::at(room.root, &step.path)? == step.old;
        ensure!(is_there, "the old content of {} is gone", step.path);
    }
    Ok(())
}

/// Removes what was created, then puts back what stood there: a file may stand where a directory was.
///
/// What somebody wrote in the meantime stays, and ends this with an error.
fn take_back(root: &Dir, journal: &Journal, staging: &Staging) -> anyhow::Result<()> {
    for (index, step) in journal.steps.iter().enumerate().filter(|(_, step)| step.old.is_none()) {
        if staging.is_applied(&index.to_string())? {
            check_own(root, step)?;
            let (parent, name) = match root.parent(&step.path) {
                Err(error) if crate::tree::is_absent(&error) => continue,
                parent => parent?,
            };
            disk::remove_file(&parent, name)?;
        }
    }
    for directory in journal.directories.iter().rev() {
        disk::remove_empty_dir(root, directory)?;
    }
    for (index, step) in journal.steps.iter().enumerate().filter(|(_, step)| step.old.is_some()) {
        let index = index.to_string();
        if is_done(root, step, staging.is_applied(&index)?)? && disk::look(&staging.old, &index)?.is_some() {
            check_own(root, step)?;
            create_parents(root, &step.path)?;
            let (parent, name) = disk::parent(root, &step.path)?;
            disk::rename(At { dir: &staging.old, name: &index }, At { dir: &parent, name })?;
        }
    }
    sync_parents(root, journal)
}

/// Whether the old content left its place: where it was only to be removed, whatever stands there now is not ours.
fn is_done(root: &Dir, step: &Step, is_applied: bool) -> anyhow::Result<bool> {
    let is_free = || Ok(disk::look(root, &step.path)?.is_none_or(|found| found.kind == Kind::Directory));
    if step.new.is_some() { Ok(is_applied) } else { is_free() }
}

/// A path holds what stood there, what was put there, or nothing.
fn check_own(root: &Dir, step: &Step) -> anyhow::Result<()> {
    let found = Fingerprint::at(root, &step.path)?;
    let is_own = found.is_none() || found == step.old || found == step.new;
    ensure!(is_own, "{} was edited meanwhile: put it back or move it away", step.path);
    Ok(())
}

fn create_parents(root: &Dir, path: &str) -> anyhow::Result<()> {
    for (at, _) in path.match_indices('/') {
        let directory = &path[..at];
        if disk::look(root, directory)?.is_none() {
            disk::create_dir(root, directory)?;
        }
    }
    Ok(())
}
