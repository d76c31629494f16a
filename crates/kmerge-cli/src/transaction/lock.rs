//! One writer for each tree: a lock on a file in the transaction's directory, which the system drops with the process.

use std::fs::{File, OpenOptions};

use anyhow::{Context as _, ensure};
use fs4::fs_std::FileExt;

use super::disk;
use super::journal::{DIRECTORY, Room};

/// The right to write into a tree, which ends with the value.
#[derive(Debug)]
pub(super) struct Lock {
    room: Room,
    file: File,
}

impl Lock {
    /// Takes the lock, creating the transaction's directory.
    pub(super) fn take(room: &Room) -> anyhow::Result<Self> {
        loop {
            disk::create_dir(&room.directory())?;
            let path = room.file("lock");
            // The previous owner may remove the directory between any two of these calls.
            let file = match OpenOptions::new().write(true).create(true).truncate(false).open(&path) {
                Ok(file) => file,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error).with_context(|| format!("cannot write {}", path.display())),
            };
            let free = file.try_lock_exclusive().with_context(|| format!("cannot lock {}", path.display()))?;
            ensure!(free, "another kmerge is writing into {}", room.root.display());
            if is_still_there(&file, &path)? {
                return Ok(Self { room: room.clone(), file });
            }
        }
    }

    /// Gives the lock back and removes the transaction's directory, which is empty by now but for the lock.
    pub(super) fn release(self) -> anyhow::Result<()> {
        disk::remove_file(&self.room.file("lock"))?;
        let gone = disk::remove_empty_dir(&self.room.directory())?;
        ensure!(gone, "{DIRECTORY} in {} is not empty", self.room.root.display());
        disk::sync_dir(&self.room.root)
    }
}

/// Unlocks, and does not leave that to closing: a process that another thread starts at this moment holds a copy of the
/// descriptor until it runs its program, and the lock would last as long.
impl Drop for Lock {
    fn drop(&mut self) {
        // Closing, which follows, unlocks as well; so a failure here has nobody to be told to.
        drop(FileExt::unlock(&self.file));
    }
}

#[cfg(unix)]
fn is_still_there(file: &File, path: &std::path::Path) -> anyhow::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let own = file.metadata()?.ino();
    Ok(disk::look(path)?.is_some_and(|found| found.ino() == own))
}

#[cfg(not(unix))]
fn is_still_there(_: &File, path: &std::path::Path) -> anyhow::Result<bool> {
    Ok(disk::look(path)?.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As the descriptor is in a process that is just being started.
    #[test]
    fn a_lock_ends_although_its_descriptor_was_copied() {
        let root = tempfile::tempdir().unwrap();
        let room = Room::new(root.path());
        let lock = Lock::take(&room).unwrap();
        let _copy = lock.file.try_clone().unwrap();
        drop(lock);
        Lock::take(&room).unwrap().release().unwrap();
    }
}
