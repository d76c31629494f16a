//! A directory that stays the same one, whatever happens to its path, and the files in it.
//!
//! Invariant: a name in it is never followed as a symbolic link. Where the system has no handles of directories that files
//! can be opened by, the path has to do.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

#[cfg(unix)]
use handle::Handle;
#[cfg(not(unix))]
use path::Handle;

/// A handle of a directory.
#[derive(Clone, Debug)]
pub(crate) struct Directory(Handle);

impl Directory {
    /// Opens a directory; links on the way are followed.
    pub(crate) fn open(path: &Path) -> io::Result<Self> {
        Handle::open(path).map(Self)
    }

    /// Opens what a link in this directory says; an absolute path is one here as well.
    pub(crate) fn open_from(&self, path: &Path) -> io::Result<Self> {
        self.0.open_from(path).map(Self)
    }

    /// Where a name leads if it is a symbolic link.
    pub(crate) fn link(&self, name: &OsStr) -> io::Result<Option<PathBuf>> {
        self.0.link(name)
    }

    /// Opens a plain file for reading.
    pub(crate) fn file(&self, name: &OsStr) -> io::Result<File> {
        let file = self.0.file(name)?;
        match file.metadata()?.file_type() {
            found if found.is_file() => Ok(file),
            found if found.is_dir() => Err(ErrorKind::IsADirectory.into()),
            _ => Err(io::Error::other("not a plain file")),
        }
    }

    /// Whether a name is still that of an open file.
    pub(crate) fn is_name_of(&self, name: &OsStr, file: &File) -> io::Result<bool> {
        self.0.is_name_of(name, file)
    }

    /// Makes a new file for writing, with these mode bits less those that the user's mask takes away.
    pub(crate) fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
        self.0.create(name, mode)
    }

    /// Renames a file; one that has the new name is replaced.
    pub(crate) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
        self.0.rename(from, to)
    }

    pub(crate) fn remove(&self, name: &OsStr) -> io::Result<()> {
        self.0.remove(name)
    }

    /// Makes names survive a crash, where directories can be flushed.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.0.sync()
    }
}

#[cfg(unix)]
mod handle {
    use std::ffi::{OsStr, OsString};
    use std::fs::File;
    use std::io;
    use std::os::fd::OwnedFd;
    use std::os::unix::ffi::OsStringExt as _;
    use std::path::{Path, PathBuf};
    use std::sync::Arc;

    use rustix::fs::{AtFlags, CWD, Mode, OFlags, fstat, fsync, openat, readlinkat, renameat, statat, unlinkat};
    use rustix::io::Errno;

    const DIRECTORY: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

    #[derive(Clone, Debug)]
    pub(super) struct Handle(Arc<OwnedFd>);

    impl Handle {
        pub(super) fn open(path: &Path) -> io::Result<Self> {
            Ok(Self(openat(CWD, path, DIRECTORY, Mode::empty())?.into()))
        }

        pub(super) fn open_from(&self, path: &Path) -> io::Result<Self> {
            Ok(Self(openat(&self.0, path, DIRECTORY, Mode::empty())?.into()))
        }

        pub(super) fn link(&self, name: &OsStr) -> io::Result<Option<PathBuf>> {
            match readlinkat(&self.0, name, Vec::new()) {
                Ok(link) => Ok(Some(OsString::from_vec(link.into_bytes()).into())),
                Err(Errno::INVAL | Errno::NOENT) => Ok(None),
                Err(error) => Err(error.into()),
            }
        }

        pub(super) fn file(&self, name: &OsStr) -> io::Result<File> {
            // A pipe would otherwise be waited for.
            let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
            Ok(openat(&self.0, name, flags, Mode::empty())?.into())
        }

        pub(super) fn is_name_of(&self, name: &OsStr, file: &File) -> io::Result<bool> {
            let own = fstat(file)?;
            match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                Ok(found) => Ok((found.st_dev, found.st_ino) == (own.st_dev, own.st_ino)),
                Err(Errno::NOENT) => Ok(false),
                Err(error) => Err(error.into()),
            }
        }

        pub(super) fn create(&self, name: &OsStr, mode: u32) -> io::Result<File> {
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(openat(&self.0, name, flags, Mode::from_raw_mode(mode))?.into())
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            Ok(renameat(&self.0, from, &self.0, to)?)
        }

        pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
            Ok(unlinkat(&self.0, name, AtFlags::empty())?)
        }

        pub(super) fn sync(&self) -> io::Result<()> {
            Ok(fsync(&self.0)?)
        }
    }
}

#[cfg(not(unix))]
mod path {
    use std::ffi::OsStr;
    use std::fs::{self, File};
    use std::io;
    use std::path::{Path, PathBuf};

    #[derive(Clone, Debug)]
    pub(super) struct Handle(PathBuf);

    impl Handle {
        pub(super) fn open(path: &Path) -> io::Result<Self> {
            fs::canonicalize(path).map(Self)
        }

        pub(super) fn open_from(&self, path: &Path) -> io::Result<Self> {
            Self::open(&self.0.join(path))
        }

        pub(super) fn link(&self, name: &OsStr) -> io::Result<Option<PathBuf>> {
            let path = self.0.join(name);
            if path.is_symlink() { fs::read_link(path).map(Some) } else { Ok(None) }
        }

        pub(super) fn file(&self, name: &OsStr) -> io::Result<File> {
            File::open(self.0.join(name))
        }

        /// Files have no numbers to compare here: their content has to tell them apart.
        pub(super) fn is_name_of(&self, name: &OsStr, _: &File) -> io::Result<bool> {
            self.0.join(name).try_exists()
        }

        pub(super) fn create(&self, name: &OsStr, _: u32) -> io::Result<File> {
            File::options().read(true).write(true).create_new(true).open(self.0.join(name))
        }

        pub(super) fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            fs::rename(self.0.join(from), self.0.join(to))
        }

        pub(super) fn remove(&self, name: &OsStr) -> io::Result<()> {
            fs::remove_file(self.0.join(name))
        }

        pub(super) fn sync(&self) -> io::Result<()> {
            Ok(())
        }
    }
}
