//! Reading files that nobody named: a tree brought them, so what they are is checked first.
//!
//! Invariant: what is read is a plain file under its own name, no link, and not larger than agreed. Ignores the directories on the
//! way to it.

use std::ffi::OsStr;
use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

use crate::bytes::Bytes;
use crate::tree::{Dir, Kind};

/// The content of a plain file, at most `most` bytes of it; `None` where there is nothing.
pub(crate) fn read(path: &Path, most: Bytes) -> anyhow::Result<Option<Vec<u8>>> {
    let Some((directory, name)) = find(path)? else { return Ok(None) };
    match directory.read_at_most(name, most) {
        Err(error) if error.kind() == ErrorKind::FileTooLarge => {
            bail!("{} has more than {} bytes", path.display(), most.0)
        }
        read => Ok(Some(read.with_context(|| format!("cannot read {}", path.display()))?.0)),
    }
}

/// Insists that a plain file stands under a name, or nothing.
pub(crate) fn check(path: &Path) -> anyhow::Result<()> {
    find(path).map(drop)
}

fn find(path: &Path) -> anyhow::Result<Option<(Dir, &OsStr)>> {
    let cannot_read = || format!("cannot read {}", path.display());
    let (directory, name) = match Dir::of(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        found => found.with_context(cannot_read)?,
    };
    let Some(found) = directory.look_at(name).with_context(cannot_read)? else { return Ok(None) };
    if found.kind == Kind::Link {
        bail!("{} is a symbolic link, which kmerge does not follow here", path.display());
    }
    ensure!(found.kind == Kind::File, "{} is not a plain file", path.display());
    Ok(Some((directory, name)))
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    fn refused(path: &Path) -> String {
        format!("{:#}", read(path, Bytes(2)).unwrap_err())
    }

    #[test]
    fn only_small_plain_files_are_read() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        std::fs::write(at("plain"), "abc").unwrap();
        assert_eq!(read(&at("plain"), Bytes(3)).unwrap().as_deref(), Some(&b"abc"[..]));
        assert!(refused(&at("plain")).ends_with("plain has more than 2 bytes"));
        assert_eq!(read(&at("missing"), Bytes(3)).unwrap(), None);
        std::os::unix::fs::symlink("plain", at("link")).unwrap();
        std::os::unix::fs::symlink("missing", at("dangling")).unwrap();
        for name in ["link", "dangling"] {
            assert!(refused(&at(name)).contains("is a symbolic link"));
        }
        assert!(std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
        for path in [at("fifo"), room.path().to_owned(), "/dev/zero".into()] {
            assert!(refused(&path).ends_with("is not a plain file"));
        }
    }
}
