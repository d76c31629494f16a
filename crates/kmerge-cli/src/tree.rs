//! Directories as handles, and what stands in them: the only way to files that are written, or that nobody named.
//!
//! Invariant: a link is never followed. A directory is opened from the one that it stands in, name by name, so that
//! whatever becomes of the names meanwhile, nothing outside of the tree is reached. Only regular files are opened, and
//! nothing is waited for: a pipe or a device is an error. Only [`Dir::open`], [`Dir::of`] and
//! [`Dir::of_link`] take a path as the user wrote it.

mod name;
mod rename;
mod walker;

use std::ffi::OsStr;
use std::fs::{File, Metadata, Permissions};
use std::io::{Error, ErrorKind, Read as _, Result};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cap_fs_ext::{DirExt as _, FollowSymlinks, MetadataExt as _, OpenOptionsFollowExt as _, OpenOptionsSyncExt as _};
use cap_std::ambient_authority;
use cap_std::fs::OpenOptions;

use crate::bytes::{Bytes, max_bytes};
pub use name::{Unfit, check_path, is_dot_git};
use rename::{Flag, rename_with};
pub use walker::Walker;

/// An open directory. Copies share the handle.
#[derive(Clone, Debug)]
pub struct Dir(Arc<Opened>);

#[derive(Debug)]
struct Opened {
    handle: cap_std::fs::Dir,
    shown: PathBuf,
}

/// A name in an open directory.
#[derive(Clone, Copy, Debug)]
pub struct At<'d> {
    /// The directory.
    pub dir: &'d Dir,
    /// The name.
    pub name: &'d str,
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
        Ok(Self::new(handle, path.to_path_buf()))
    }

    #[cfg(unix)]
    fn open_from(&self, path: &Path) -> Result<Self> {
        use rustix::fs::{Mode, OFlags, openat};
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = File::from(openat(&self.0.handle, path, flags, Mode::empty())?);
        Ok(Self::new(cap_std::fs::Dir::from_std_file(handle), self.0.shown.join(path)))
    }

    /// Here the system opens nothing by handles of directories.
    #[cfg(not(unix))]
    fn open_from(&self, path: &Path) -> Result<Self> {
        Self::open(&self.0.shown.join(path))
    }

    /// Opens the directory that a path ends in, and returns the name in it; links on the way are followed.
    ///
    /// # Errors
    /// As for [`Dir::open`], and where the path ends in no name.
    pub fn of(path: &Path) -> Result<(Self, &OsStr)> {
        Ok((Self::open(parent(path))?, name_in(path)?))
    }

    /// The same for what a link in this directory says.
    ///
    /// # Errors
    /// As for [`Dir::of`].
    pub fn of_link<'p>(&self, path: &'p Path) -> Result<(Self, &'p OsStr)> {
        Ok((self.open_from(parent(path))?, name_in(path)?))
    }

    fn new(handle: cap_std::fs::Dir, shown: PathBuf) -> Self {
        Self(Arc::new(Opened { handle, shown }))
    }

    /// What messages call it.
    #[must_use]
    pub fn shown(&self) -> &Path {
        &self.0.shown
    }

    /// The path of something in it, for messages.
    #[must_use]
    pub fn shown_at(&self, path: &str) -> PathBuf {
        if path.is_empty() { self.0.shown.clone() } else { self.0.shown.join(path) }
    }

    /// Opens a directory in this one.
    ///
    /// # Errors
    /// Where it is none, or a link to one.
    pub fn child(&self, name: &str) -> Result<Self> {
        Ok(Self::new(self.0.handle.open_dir_nofollow(name)?, self.0.shown.join(name)))
    }

    /// Opens the directory at the end of a path, and each one on the way; the empty path is this one.
    ///
    /// # Errors
    /// Where one of them is none, or a link to one.
    pub fn descend(&self, path: &str) -> Result<Self> {
        let mut last = self.clone();
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

    /// What the handle itself is.
    ///
    /// # Errors
    /// Where the system does not say.
    pub fn found(&self) -> Result<Found> {
        Ok(Found::of(&self.0.handle.dir_metadata()?))
    }

    /// What stands at a path; `None` where nothing does, and where a link or a file is on the way.
    ///
    /// # Errors
    /// Where it cannot be looked at.
    pub fn look(&self, path: &str) -> Result<Option<Found>> {
        let found = self.parent(path).and_then(|(parent, name)| parent.look_at(name));
        match found {
            Err(error) if is_absent(&error) => Ok(None),
            found => found,
        }
    }

    /// What stands under a name in it; `None` where nothing does.
    ///
    /// # Errors
    /// Where it cannot be looked at.
    pub fn look_at(&self, name: impl AsRef<Path>) -> Result<Option<Found>> {
        match self.0.handle.symlink_metadata(name) {
            Ok(metadata) => Ok(Some(Found::of(&metadata))),
            Err(error) if is_absent(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether a name in it is still that of an open file.
    ///
    /// # Errors
    /// Where either cannot be looked at.
    pub fn is_name_of(&self, name: impl AsRef<Path>, file: &File) -> Result<bool> {
        let own = Found::of(&cap_std::fs::Metadata::from_file(file)?);
        Ok(self.look_at(name)?.is_some_and(|found| found.identity == own.identity))
    }

    /// The names in it, and what they stood for when they were listed; in no order.
    ///
    /// # Errors
    /// Where it cannot be read, or a name is not UTF-8.
    pub fn names(&self) -> Result<Vec<(String, Kind)>> {
        let entry = |entry: Result<cap_std::fs::DirEntry>| {
            let entry = entry?;
            let name = entry.file_name().into_string().map_err(|name| {
                let name = self.0.shown.join(name);
                Error::new(ErrorKind::InvalidData, format!("{}: the name is not UTF-8", name.display()))
            })?;
            Ok((name, kind(entry.file_type()?)))
        };
        self.0.handle.entries()?.map(entry).collect()
    }

    /// What a link in it says.
    ///
    /// # Errors
    /// Where there is none.
    pub fn link(&self, name: impl AsRef<Path>) -> Result<PathBuf> {
        self.0.handle.read_link_contents(name)
    }

    /// Opens a regular file in it for reading.
    ///
    /// # Errors
    /// Where it is anything else.
    pub fn file(&self, name: impl AsRef<Path>) -> Result<File> {
        Ok(self.regular(name.as_ref())?.0)
    }

    fn regular(&self, name: &Path) -> Result<(File, Metadata)> {
        let mut options = OpenOptions::new();
        options.read(true).follow(FollowSymlinks::No).nonblock(true);
        let file = match self.0.handle.open_with(name, &options) {
            Err(_) if self.look_at(name)?.is_some_and(|found| matches!(found.kind, Kind::Link | Kind::Other)) => {
                return Err(not_regular());
            }
            opened => opened?.into_std(),
        };
        let metadata = file.metadata()?;
        match metadata.file_type() {
            found if found.is_file() => Ok((file, metadata)),
            found if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
            _ => Err(not_regular()),
        }
    }

    /// The bytes of a regular file in it, as many as `--max-bytes` allows, and its mode bits.
    ///
    /// # Errors
    /// Where it is anything else, or has more bytes.
    pub fn read(&self, name: impl AsRef<Path>) -> Result<(Vec<u8>, Permissions)> {
        let most = Bytes(max_bytes());
        self.read_at_most(name, most).map_err(|error| match error.kind() {
            ErrorKind::FileTooLarge => {
                Error::new(ErrorKind::FileTooLarge, format!("it is larger than --max-bytes {most} allows"))
            }
            _ => error,
        })
    }

    /// The same with a bound of its own, for what is no input.
    ///
    /// # Errors
    /// Where it is anything else, or has more bytes.
    pub fn read_at_most(&self, name: impl AsRef<Path>, most: Bytes) -> Result<(Vec<u8>, Permissions)> {
        let (file, metadata) = self.regular(name.as_ref())?;
        let mut bytes = Vec::new();
        if metadata.len() <= most.0 {
            bytes.reserve_exact(metadata.len() as usize);
            file.take(most.0.saturating_add(1)).read_to_end(&mut bytes)?;
        }
        if metadata.len() > most.0 || bytes.len() as u64 > most.0 {
            return Err(Error::new(ErrorKind::FileTooLarge, format!("it is larger than {most}")));
        }
        Ok((bytes, metadata.permissions()))
    }

    /// Creates a file in it; one that is there already, or a link, is an error.
    ///
    /// # Errors
    /// Where it cannot be created.
    pub fn create(&self, name: &str, access: Access) -> Result<File> {
        let mut options = OpenOptions::new();
        options.read(true).write(true).follow(FollowSymlinks::No).nonblock(true);
        match access {
            Access::New | Access::Private => options.create_new(true),
            Access::Own => options.create(true),
        };
        #[cfg(unix)]
        if access != Access::New {
            use cap_std::fs::OpenOptionsExt as _;
            options.mode(0o600);
        }
        Ok(self.0.handle.open_with(name, &options)?.into_std())
    }

    pub(crate) fn create_dir(&self, name: &str) -> Result<()> {
        self.0.handle.create_dir(name)
    }

    /// Creates a directory in it that nobody else can look into.
    ///
    /// # Errors
    /// Where it cannot be created.
    pub fn create_private_dir(&self, name: &str) -> Result<()> {
        #[cfg_attr(not(unix), allow(unused_mut))]
        let mut builder = cap_std::fs::DirBuilder::new();
        #[cfg(unix)]
        cap_std::fs::DirBuilderExt::mode(&mut builder, 0o700);
        self.0.handle.create_dir_with(name, &builder)
    }

    #[cfg(unix)]
    pub(crate) fn create_link(&self, name: &str, target: &Path) -> Result<()> {
        self.0.handle.symlink_contents(target, name)
    }

    #[cfg(not(unix))]
    pub(crate) fn create_link(&self, _: &str, _: &Path) -> Result<()> {
        Err(Error::new(ErrorKind::Unsupported, "symbolic links cannot be written here"))
    }

    /// Gives a file or link of `other` a second name here.
    pub(crate) fn hard_link(&self, name: &str, from: At<'_>) -> Result<()> {
        from.dir.0.handle.hard_link(from.name, &self.0.handle, name)
    }

    /// Puts a file or link of `other` here, whatever stands there.
    ///
    /// # Errors
    /// Where the system does not do it.
    pub fn rename_from(&self, name: impl AsRef<Path>, from: At<'_>) -> Result<()> {
        from.dir.0.handle.rename(from.name, &self.0.handle, name)
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
        self.0.handle.remove_file(name)
    }

    pub(crate) fn remove_dir(&self, name: &str) -> Result<()> {
        self.0.handle.remove_dir(name)
    }

    /// Removes whatever stands under a name; what is in it as well.
    ///
    /// # Errors
    /// Where there is nothing, or it cannot be removed.
    pub(crate) fn remove(&self, name: &str) -> Result<()> {
        match self.look_at(name)? {
            Some(found) if found.kind == Kind::Directory => self.0.handle.remove_dir_all(name),
            _ => self.remove_file(name),
        }
    }

    /// Flushes the names in it, not the files; where directories can be flushed.
    ///
    /// # Errors
    /// Where the system does not do it.
    pub fn sync(&self) -> Result<()> {
        // The handle itself may be one that can only be gone through.
        if cfg!(unix) { self.0.handle.open(".")?.into_std().sync_all() } else { Ok(()) }
    }

    /// User and group that own a regular file in it; `None` where something else stands there.
    #[cfg(unix)]
    pub(crate) fn owner_of_file(&self, name: &str) -> Result<Option<(u32, u32)>> {
        use cap_std::fs::MetadataExt as _;
        let found = self.0.handle.symlink_metadata(name)?;
        Ok(found.is_file().then(|| (found.uid(), found.gid())))
    }

    /// Owner and mode bits.
    #[cfg(unix)]
    pub(crate) fn owner_and_mode(&self) -> Result<(u32, u32)> {
        use cap_std::fs::MetadataExt as _;
        let metadata = self.0.handle.dir_metadata()?;
        Ok((metadata.uid(), metadata.mode()))
    }
}

/// Whether a file may be there already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It may not; it gets the mode bits that new files have.
    New,
    /// It may not; nobody else can read it.
    Private,
    /// It may, in a directory of our own; nobody else can read it.
    Own,
}

fn parent(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn name_in(path: &Path) -> Result<&OsStr> {
    path.file_name().ok_or_else(|| ErrorKind::IsADirectory.into())
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
            let error = root.read(name).unwrap_err();
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
        assert_eq!(root.read_at_most("a", Bytes(5)).unwrap().0, b"12345");
        assert_eq!(root.read_at_most("a", Bytes(4)).unwrap_err().to_string(), "it is larger than 4 bytes");
    }
}
