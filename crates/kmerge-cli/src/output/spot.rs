//! The place where a file stands or is to stand: a directory and a name in it that is no symbolic link.
//!
//! Owns: following the links that a user names, once, and replacing the file there. Invariant: nothing is followed after that.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use super::directory::Directory;
use super::{Durability, likeness};
use crate::temporary::Temporary;

#[derive(Debug)]
pub(super) struct Spot {
    directory: Directory,
    name: OsString,
}

impl Spot {
    /// Finds what a path means; a symbolic link stands for what it points to in the end.
    pub(super) fn find(path: &Path) -> io::Result<Self> {
        /// As many as Linux follows.
        const MOST_LINKS: usize = 40;
        let mut spot = Self { directory: Directory::open(parent(path))?, name: name(path)?.to_owned() };
        for _ in 0..MOST_LINKS {
            let Some(link) = spot.directory.link(&spot.name)? else { return Ok(spot) };
            spot = Self { directory: spot.directory.open_from(parent(&link))?, name: name(&link)?.to_owned() };
        }
        Err(io::Error::other("too many levels of symbolic links"))
    }

    /// Opens the file for reading.
    pub(super) fn open(&self) -> io::Result<File> {
        self.directory.file(&self.name)
    }

    /// Whether an open file still stands here.
    pub(super) fn holds(&self, file: &File) -> io::Result<bool> {
        self.directory.is_name_of(&self.name, file)
    }

    /// Writes a new file beside this place, which may become the one that stands here: like the old one, if there is one.
    pub(super) fn stage(&self, bytes: &[u8], old: Option<&File>, durability: Durability) -> io::Result<Staged<'_>> {
        const PREFIX: &str = ".kmerge-";
        let (temporary, mut file) = match old {
            Some(_) => Temporary::private(&self.directory, PREFIX, "")?,
            None => Temporary::usual(&self.directory, PREFIX, "")?,
        };
        file.write_all(bytes)?;
        if let Some(old) = old {
            likeness::give(&file, old)?;
        }
        if durability == Durability::Disk {
            file.sync_all()?;
        }
        Ok(Staged { spot: self, temporary, durability })
    }
}

/// A new file that waits for its name; without it, it is removed.
#[derive(Debug)]
pub(super) struct Staged<'s> {
    spot: &'s Spot,
    temporary: Temporary,
    durability: Durability,
}

impl Staged<'_> {
    /// Puts the file where it belongs.
    pub(super) fn put(self) -> io::Result<()> {
        self.temporary.rename(&self.spot.name)?;
        if self.durability == Durability::Disk { self.spot.directory.sync() } else { Ok(()) }
    }
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn name(path: &Path) -> io::Result<&OsStr> {
    path.file_name().ok_or_else(|| ErrorKind::IsADirectory.into())
}
