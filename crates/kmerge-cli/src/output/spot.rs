//! The place where a file stands or is to stand: a directory and a name in it that is no symbolic link.
//!
//! Owns: following the links that a user names, once, and replacing the file there. Invariant: nothing is followed after that.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::path::Path;

use super::{Durability, likeness};
use crate::temporary::Temporary;
use crate::tree::{Dir, Kind};

#[derive(Debug)]
pub(super) struct Spot {
    directory: Dir,
    name: OsString,
}

impl Spot {
    /// Finds what a path means; a symbolic link stands for what it points to in the end.
    pub(super) fn find(path: &Path) -> io::Result<Self> {
        /// As many as Linux follows.
        const MOST_LINKS: usize = 40;
        let mut spot = Self::new(Dir::of(path)?);
        for _ in 0..MOST_LINKS {
            if !spot.is_link()? {
                return Ok(spot);
            }
            let link = spot.directory.link(&spot.name)?;
            spot = Self::new(spot.directory.of_link(&link)?);
        }
        Err(io::Error::other("too many levels of symbolic links"))
    }

    /// The same where a symbolic link is an error.
    pub(super) fn find_plain(path: &Path) -> io::Result<Self> {
        let spot = Self::new(Dir::of(path)?);
        if spot.is_link()? { Err(io::Error::other("it is a symbolic link")) } else { Ok(spot) }
    }

    fn new((directory, name): (Dir, &OsStr)) -> Self {
        Self { directory, name: name.to_owned() }
    }

    fn is_link(&self) -> io::Result<bool> {
        Ok(self.directory.look_at(&self.name)?.is_some_and(|found| found.kind == Kind::Link))
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
