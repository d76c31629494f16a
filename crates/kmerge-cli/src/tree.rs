//! Directories as handles, and what stands in them.
//!
//! Invariant: a link is never followed. A directory is opened from the one that it stands in, name by name, so that
//! whatever becomes of the names meanwhile, nothing outside of the tree is reached. Only regular files are opened, and
//! nothing is waited for: a pipe or a device is an error. Only [`Dir::open`] takes a path as the user wrote it.

mod name;
mod walker;

use std::fs::{File, Permissions};
use std::io::{Error, ErrorKind, Read as _, Result};
use std::path::{Path, PathBuf};

use cap_fs_ext::{DirExt as _, FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::OpenOptions;

pub use name::{Unfit, check_path, is_dot_git};
pub use walker::Walker;

/// Bytes that a file of a tree may have.
pub const MOST_BYTES: u64 = 1 << 30;

/// An open directory.
#[derive(Debug)]
pub struct Dir {
    handle: cap_std::fs::Dir,
    shown: PathBuf,
}

/// A name in an open directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct At<'d> {
    pub(crate) dir: &'d Dir,
    pub(crate) name: &'d str,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A symbolic link, to whatever.
    Link,
    /// A directory.
    Directory,
    /// A pipe, a socket or a device.
    Other,
}

/// What stands under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// What it is.
    pub kind: Kind,
    /// Device and inode: two names with the same are two names of one thing.
    pub identity: (u64, u64),
}

impl Found {
    pub(crate) fn of(metadata: &cap_std::fs::Metadata) -> Self {
        Self { kind: kind(metadata.file_type()), identity: (metadata.dev(), metadata.ino()) }
    }
}

fn kind(found: cap_std::fs::FileType) -> Kind {
    match found {
        found if found.is_dir() => Kind::Directory,
        found if found.is_symlink() => Kind::Link,
        found if found.is_file() => Kind::File,
        _ => Kind::Other,
    }
}

impl Dir {
    /// Opens the root of a tree; links in its path are the user's own, and followed.
    ///
    /// # Errors
    /// Where it is no directory, or cannot be read.
    pub fn open(path: &Path) -> Result<Self> {
        let handle = cap_std::fs::Dir::open_ambient_dir(path, ambient_authority())?;
        Ok(Self { handle, shown: path.to_path_buf() })
    }

    /// What messages call it.
    #[must_use]
    pub fn shown(&self) -> &Path {
        &self.shown
    }

    /// The path of something in it, for messages.
    #[must_use]
    pub fn shown_at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.shown.clone() } else { self.shown.join(path) }
    }

    /// Opens a directory in this one.
    ///
    /// # Errors
    /// Where it is none, or a link to one.
    pub fn child(&self, name: &str) -> Result<Self> {
        Ok(Self { handle: self.handle.open_dir_nofollow(name)?, shown: self.shown.join(name) })
    }

    /// Opens the directory at the end of a path, and each one on the way; the empty path is this one.
    ///
    /// # Errors
    /// Where one of them is none, or a link to one.
    pub fn descend(&self, path: &str) -> Result<Self> {
        let mut last = self.again()?;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            last = last.child(name)?;
        }
        Ok(last)
    }

    /// The directory that a path ends in, and the name in it.
    ///
    /// # Errors
    /// As for [`Dir::descend`].
    pub fn parent<'p>(&self, path: &'p str) -> Result<(Self, &'p str)> {
        let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
        Ok((self.descend(directory)?, name))
    }

    /// A second handle.
    ///
    /// # Errors
    /// Where the process has too many open.
    pub fn again(&self) -> Result<Self> {
        Ok(Self { handle: self.handle.try_clone()?, shown: self.shown.clone() })
    }

    /// What the handle itself is.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn found(&self) -> Result<Found> {
        Ok(Found::of(&self.handle.dir_metadata()?))
    }

    /// What stands at a path; `None` where nothing does, and where a link or a file is on the way.
    ///
    /// # Errors
    /// Where it cannot be looked at.
    pub fn look(&self, path: &str) -> Result<Option<Found>> {
        let found = self.parent(path).and_then(|(parent, name)| parent.handle.symlink_metadata(name));
        match found {
            Ok(metadata) => Ok(Some(Found::of(&metadata))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The names in it, and what they stood for when they were listed; in no order.
    ///
    /// # Errors
    /// Where it cannot be read, or a name is not UTF-8.
    pub fn names(&self) -> Result<Vec<(String, Kind)>> {
        let entry = |entry: Result<cap_std::fs::DirEntry>| {
            let entry = entry?;
            let name = entry.file_name().into_string().map_err(|name| {
                let name = self.shown.join(name);
                Error::new(ErrorKind::InvalidData, format!("{}: the name is not UTF-8", name.display()))
            })?;
            Ok((name, kind(entry.file_type()?)))
        };
        self.handle.entries()?.map(entry).collect()
    }

    /// What a link in it says.
    ///
    /// # Errors
    /// Where there is none.
    pub fn link(&self, name: &str) -> Result<PathBuf> {
        self.handle.read_link_contents(name)
    }

    /// Opens a regular file in it for reading.
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn file(&self, name: &str) -> Result<File> {
        let found = self.look(name)?.ok_or(ErrorKind::NotFound)?;
        if found.kind != Kind::File {
            return Err(not_regular());
        }
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = self.handle.open_with(name, &options)?.into_std();
        // The name may stand for something else by now.
        if file.metadata()?.is_file() { Ok(file) } else { Err(not_regular()) }
    }

    /// The bytes of a regular file in it, at most so many, and its mode bits.
    ///
    /// # Errors
    /// Where it is anything else, or has more bytes.
    pub fn read(&self, name: &str, most: u64) -> Result<(Vec<u8>, Permissions)> {
        let file = self.file(name)?;
        let metadata = file.metadata()?;
        let mut bytes = Vec::new();
        if metadata.len() <= most {
            bytes.reserve_exact(metadata.len() as usize);
            file.take(most + 1).read_to_end(&mut bytes)?;
        }
        if metadata.len() > most || bytes.len() as u64 > most {
            return Err(Error::new(ErrorKind::FileTooLarge, format!("the file is larger than {most} bytes")));
        }
        Ok((bytes, metadata.permissions()))
    }

    /// Creates a file in it; one that is there already, or a link, is an error.
    ///
    /// # Errors
    /// Where it cannot be created.
    pub(crate) fn create(&self, name: &str, access: Access) -> Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).follow(FollowSymlinks::No).nonblock(true);
        match access {
            Access::New => options.create_new(true),
            Access::Own => options.create(true),
        };
        #[cfg(unix)]
        if access == Access::Own {
            use cap_std::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        Ok(self.handle.open_with(name, &options)?.into_std())
    }

    pub(crate) fn create_dir(&self, name: &str) -> Result<()> {
        self.handle.create_dir(name)
    }

    /// Creates a directory in it that nobody else can look into.
    pub(crate) fn create_private_dir(&self, name: &str) -> Result<()> {
        #[cfg_attr(not(unix), allow(unused_mut))]
        let mut builder = cap_std::fs::DirBuilder::new();
        #[cfg(unix)]
        cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
        self.handle.create_dir_with(name, &builder)
    }

    #[cfg(unix)]
    pub(crate) fn create_link(&self, name: &str, target: &Path) -> Result<()> {
        self.handle.symlink_contents(target, name)
    }

    #[cfg(not(unix))]
    pub(crate) fn create_link(&self, _: &str, _: &Path) -> Result<()> {
        Err(Error::new(ErrorKind::Unsupported, "symbolic links cannot be written here"))
    }

    /// Gives a file or link of `other` a second name here.
    pub(crate) fn hard_link(&self, name: &str, from: At<'_>) -> Result<()> {
        from.dir.handle.hard_link(from.name, &self.handle, name)
    }

    /// Puts a file or link of `other` here, whatever stands there.
    pub(crate) fn rename_from(&self, name: &str, from: At<'_>) -> Result<()> {
        from.dir.handle.rename(from.name, &self.handle, name)
    }

    /// The same where nothing stands there, as far as the system can tell at once.
    pub(crate) fn rename_new_from(&self, name: &str, from: At<'_>) -> Result<()> {
        match rename_with(Flag::NoReplace, from, At { dir: self, name }) {
            Err(error) if error.kind() == ErrorKind::Unsupported => {
                if self.look(name)?.is_some() {
                    return Err(ErrorKind::AlreadyExists.into());
                }
                self.rename_from(name, from)
            }
            done => done,
        }
    }

    /// Two names change places, in one step; `false` where the system cannot do that.
    pub(crate) fn exchange(&self, name: &str, from: At<'_>) -> Result<bool> {
        match rename_with(Flag::Exchange, from, At { dir: self, name }) {
            Err(error) if error.kind() == ErrorKind::Unsupported => Ok(false),
            done => done.map(|()| true),
        }
    }

    pub(crate) fn remove_file(&self, name: &str) -> Result<()> {
        self.handle.remove_file(name)
    }

    pub(crate) fn remove_dir(&self, name: &str) -> Result<()> {
        self.handle.remove_dir(name)
    }

    /// Flushes the names in it, not the files; where directories can be flushed.
    pub(crate) fn sync(&self) -> Result<()> {
        // The handle itself may be one that can only be gone through.
        if cfg!(unix) { self.handle.open(".")?.into_std().sync_all() } else { Ok(()) }
    }

    /// Owner and mode bits.
    #[cfg(unix)]
    pub(crate) fn owner_and_mode(&self) -> Result<(u32, u32)> {
        use cap_std::fs::MetadataExt as _;
        let metadata = self.handle.dir_metadata()?;
        Ok((metadata.uid(), metadata.mode()))
    }
}

/// Whether a file may be there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    New,
    /// In a directory of our own; nobody else can read it.
    Own,
}

fn not_regular() -> Error {
    Error::new(ErrorKind::InvalidInput, "it is not a regular file")
}

/// Whether there is nothing: also where the way there leads over a link or a file.
pub(crate) fn is_absent(error: &Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return true;
    }
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[derive(Clone, Copy)]
enum Flag {
    Exchange,
    NoReplace,
}

#[cfg(any(target_os = "linux", target_os = "android", target_vendor = "apple"))]
fn rename_with(flag: Flag, from: At<'_>, to: At<'_>) -> Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    use rustix::io::Errno;
    let flags = match flag {
        Flag::Exchange => RenameFlags::EXCHANGE,
        Flag::NoReplace => RenameFlags::NOREPLACE,
    };
    match renameat_with(&from.dir.handle, from.name, &to.dir.handle, to.name, flags) {
        // What file systems and kernels say that do not know the flag.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => Err(ErrorKind::Unsupported.into()),
        done => Ok(done?),
    }
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_vendor = "apple")))]
fn rename_with(_: Flag, _: At<'_>, _: At<'_>) -> Result<()> {
    Err(ErrorKind::Unsupported.into())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn links_pipes_and_devices_are_neither_followed_nor_waited_for() {
        let (room, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        std::fs::write(outside.path().join("a"), "secret").unwrap();
        symlink(outside.path(), room.path().join("d")).unwrap();
        symlink(outside.path().join("a"), room.path().join("a")).unwrap();
        symlink("/dev/zero", room.path().join("zero")).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, room.path().join("pipe"), rustix::fs::FileType::Fifo, 0o600.into(), 0)
            .unwrap();
        let root = Dir::open(room.path()).unwrap();
        for name in ["a", "zero", "pipe"] {
            let error = root.read(name, 10).unwrap_err();
            assert_eq!(error.to_string(), "it is not a regular file", "{name}");
        }
        assert!(is_absent(&root.child("d").unwrap_err()), "{:?}", root.child("d"));
        assert_eq!(root.look("d/a").unwrap(), None);
        assert_eq!(root.look("d").unwrap().unwrap().kind, Kind::Link);
        assert_eq!(root.look("pipe").unwrap().unwrap().kind, Kind::Other);
    }

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let room = tempfile::tempdir().unwrap();
        std::fs::write(room.path().join("a"), "12345").unwrap();
        let root = Dir::open(room.path()).unwrap();
        assert_eq!(root.read("a", 5).unwrap().0, b"12345");
        assert_eq!(root.read("a", 4).unwrap_err().to_string(), "the file is larger than 4 bytes");
    }
}
