//! Finishes or takes back a transaction that was interrupted.
//!
//! Either way is checked whole before the first step: a path that holds neither its old nor its new content was edited
//! by somebody else since, and nothing is touched until that is settled.

use std::fmt;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use super::disk::{self, Fingerprint};
use super::journal::{Journal, Room, Stage};
use super::lock::Lock;
use super::{apply, sync_parents};

/// What to tell a user whose transaction broke off.
pub(super) const HINT: &str = "the merge broke off: each file is old or new; finish it with `kmerge recover --resume DIR` \
    or take it back with `kmerge recover --undo DIR`";

/// A transaction that was cut off in a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Interrupted {
    /// The tree.
    pub(crate) root: PathBuf,
    /// Which way it was going.
    pub(crate) stage: Stage,
    /// Paths it changes.
    pub(crate) total: usize,
    /// Paths that hold their new content.
    pub(crate) new: usize,
}

impl fmt::Display for Interrupted {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let root = self.root.display();
        write!(formatter, "an interrupted merge is in {root}: {} of {} files are new", self.new, self.total)?;
        match self.stage {
            Stage::Apply => write!(
                formatter,
                "; finish it with `kmerge recover --resume {root}` or take it back with `kmerge recover --undo {root}`"
            ),
            Stage::Undo => write!(formatter, "; it was being taken back: `kmerge recover --undo {root}` goes on"),
        }
    }
}

/// The transaction that was cut off in this tree, if there is one.
pub(crate) fn interrupted(root: &Path) -> anyhow::Result<Option<Interrupted>> {
    let room = Room::new(root);
    let Some((stage, journal)) = room.read()? else { return Ok(None) };
    let mut new = 0;
    for step in &journal.steps {
        new += usize::from(Fingerprint::at(&room.target(step))? == step.new);
    }
    Ok(Some(Interrupted { root: root.to_path_buf(), stage, total: journal.steps.len(), new }))
}

/// What there was to settle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Settled {
    /// No transaction was cut off.
    Nothing,
    /// One that had not begun to change files, or was over: what it left is gone.
    Leftovers,
    /// One that changes so many files.
    Files(usize),
}

/// Whether a transaction left something behind that had not begun to change files, or was over.
///
/// # Errors
/// Where one is at work.
pub(crate) fn has_leftovers(root: &Path) -> anyhow::Result<bool> {
    let room = Room::new(root);
    if disk::look(&room.directory())?.is_none() {
        return Ok(false);
    }
    let lock = Lock::take(&room)?;
    let entries = room.directory().read_dir().map(Iterator::count);
    if entries.with_context(|| format!("cannot read {}", room.directory().display()))? > 1 {
        return Ok(room.read()?.is_none());
    }
    // Nothing but the lock: its owner ended just now, or never got any further.
    lock.release()?;
    Ok(false)
}

/// Finishes an interrupted transaction.
pub(crate) fn resume(root: &Path) -> anyhow::Result<Settled> {
    let room = Room::new(root);
    if disk::look(&room.directory())?.is_none() {
        return Ok(Settled::Nothing);
    }
    let lock = Lock::take(&room)?;
    let Some((stage, journal)) = room.read()? else { return nothing(&room, lock) };
    ensure!(stage == Stage::Apply, "the merge was being taken back and can only be undone: `kmerge recover --undo`");
    check(&room, &journal)?;
    apply(&room, &journal)?;
    room.end(stage)?;
    room.clear()?;
    lock.release()?;
    Ok(Settled::Files(journal.steps.len()))
}

/// Takes an interrupted transaction back.
pub(crate) fn undo(root: &Path) -> anyhow::Result<Settled> {
    let room = Room::new(root);
    if disk::look(&room.directory())?.is_none() {
        return Ok(Settled::Nothing);
    }
    let lock = Lock::take(&room)?;
    let Some((stage, journal)) = room.read()? else { return nothing(&room, lock) };
    check(&room, &journal)?;
    go_back(&room, &journal, stage)?;
    room.clear()?;
    lock.release()?;
    Ok(Settled::Files(journal.steps.len()))
}

/// Undoes whatever is in place, and ends the transaction.
pub(super) fn go_back(room: &Room, journal: &Journal, stage: Stage) -> anyhow::Result<()> {
    if stage == Stage::Apply {
        room.turn_back()?;
    }
    take_back(room, journal)?;
    room.end(Stage::Undo)
}

/// Only leftovers of a transaction that had not begun, or was over.
fn nothing(room: &Room, lock: Lock) -> anyhow::Result<Settled> {
    room.clear()?;
    lock.release()?;
    Ok(Settled::Leftovers)
}

fn check(room: &Room, journal: &Journal) -> anyhow::Result<()> {
    let mut edited = Vec::new();
    for step in &journal.steps {
        let found = Fingerprint::at(&room.target(step))?;
        if found != step.old && found != step.new {
            edited.push(step.path.as_str());
        }
    }
    ensure!(
        edited.is_empty(),
        "edited since the merge broke off, put back or move away: {} (the old contents are in {})",
        edited.join(", "),
        room.file("old").display()
    );
    Ok(())
}

/// Removes what was created, then puts back what stood there: a file may stand where a directory was.
fn take_back(room: &Room, journal: &Journal) -> anyhow::Result<()> {
    for (index, step) in journal.steps.iter().enumerate().filter(|(_, step)| step.old.is_none()) {
        if disk::look(&room.new_entry(index))?.is_none() {
            disk::remove_file(&room.target(step))?;
        }
    }
    for directory in journal.directories.iter().rev() {
        disk::remove_empty_dir(&room.root.join(directory))?;
    }
    for (index, step) in journal.steps.iter().enumerate().filter(|(_, step)| step.old.is_some()) {
        let kept = room.old_entry(index);
        let was_put_in_place = step.new.is_none() || disk::look(&room.new_entry(index))?.is_none();
        if was_put_in_place && disk::look(&kept)?.is_some() {
            create_parents(room, &step.path)?;
            disk::rename(&kept, &room.target(step))?;
        }
    }
    sync_parents(room, journal)
}

fn create_parents(room: &Room, path: &str) -> anyhow::Result<()> {
    for (at, _) in path.match_indices('/') {
        let directory = room.root.join(&path[..at]);
        if disk::look(&directory)?.is_none() {
            disk::create_dir(&directory)?;
        }
    }
    Ok(())
}
