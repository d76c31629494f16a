//! One writer for each tree: a lock on a file beside its journal, which the system drops with the process.

use std::fs::File;

use anyhow::{Context as _, bail, ensure};
use fs4::fs_std::FileExt;

use super::disk;
use super::journal::Room;
use super::store::Store;
use crate::tree::{Access, Dir, is_absent};

const FILE: &str = "lock";

/// A tree that nobody else of this user writes into, until the value ends.
#[derive(Debug)]
pub(super) struct Lock<'r> {
    pub(super) room: Room<'r>,
    file: File,
}

impl<'r> Lock<'r> {
    /// Takes the lock, creating the place of the tree's journal.
    pub(super) fn take(store: &Store, root: &'r Dir) -> anyhow::Result<Self> {
        let place = store.create()?;
        store.check_outside(root.shown())?;
        // The previous owner may remove the directory between any two of these calls, but not so many times over.
        for _ in 0..100 {
            let room = match Room::create(&place, root) {
                Err(error) if error.downcast_ref().is_some_and(is_absent) => continue,
                room => room?,
            };
            let shown = room.own.shown_at(FILE);
            let file = match room.own.create(FILE, Access::Own) {
                Ok(file) => file,
                Err(error) if is_absent(&error) => continue,
                Err(error) => return Err(error).with_context(|| format!("cannot write {}", shown.display())),
            };
            let free = file.try_lock_exclusive().with_context(|| format!("cannot lock {}", shown.display()))?;
            ensure!(free, "another kmerge is writing into {}", root.shown().display());
            let is_there = room.own.is_name_of(FILE, &file);
            if is_there.with_context(|| format!("cannot look at {}", shown.display()))? {
                return Ok(Self { room, file });
            }
        }
        bail!("others keep writing into {}", root.shown().display())
    }

    /// Gives the lock back and removes the place of the journal, which is empty by now but for the lock.
    pub(super) fn release(self) -> anyhow::Result<()> {
        disk::remove_file(&self.room.own, FILE)?;
        let gone = disk::remove_empty_dir(&self.room.store, &self.room.key)?;
        ensure!(gone, "{} is not empty", self.room.own.shown().display());
        Ok(())
    }
}

/// Unlocks, and does not leave that to closing: a process that another thread starts at this moment holds a copy of the
/// descriptor until it runs its program, and the lock would last as long.
impl Drop for Lock<'_> {
    fn drop(&mut self) {
        // Closing, which follows, unlocks as well; so a failure here has nobody to be told to.
        drop(FileExt::unlock(&self.file));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the descriptor is in a process that is just being started.
    #[test]
    fn a_lock_ends_although_its_descriptor_was_copied() {
        let (tree, state) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let (root, store) = (Dir::open(tree.path()).unwrap(), Store::at(state.path().join("kmerge")));
        let lock = Lock::take(&store, &root).unwrap();
        let _copy = lock.file.try_clone().unwrap();
        drop(lock);
        Lock::take(&store, &root).unwrap().release().unwrap();
    }
}
