//! Reading files that nobody named: a tree brought them, so what they are is checked first.
//!
//! Invariant: what is read is a plain file under its own name, no link, and not larger than agreed. Ignores the directories on the
//! way to it.

use std::fs::{File, Metadata};
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use anyhow::{Context as _, bail, ensure};

/// The content of a plain file, at most `most` bytes of it; `None` where there is nothing.
pub(crate) fn read(path: &Path, most: u64) -> anyhow::Result<Option<Vec<u8>>> {
    let Some(found) = look(path)? else { return Ok(None) };
    let cannot_read = || format!("cannot read {}", path.display());
    let file = File::open(path).with_context(cannot_read)?;
    ensure!(is_same(&file.metadata()?, &found), "{} was replaced while it was opened", path.display());
    let mut bytes = Vec::new();
    file.take(most + 1).read_to_end(&mut bytes).with_context(cannot_read)?;
    ensure!(bytes.len() as u64 <= most, "{} has more than {most} bytes", path.display());
    Ok(Some(bytes))
}

/// What stands under a name, if anything; it has to be a plain file.
pub(crate) fn look(path: &Path) -> anyhow::Result<Option<Metadata>> {
    let found = match path.symlink_metadata() {
        Ok(found) => found,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
    };
    if found.is_symlink() {
        bail!("{} is a symbolic link, which kmerge does not follow here", path.display());
    }
    ensure!(found.is_file(), "{} is no plain file", path.display());
    Ok(Some(found))
}

#[cfg(unix)]
fn is_same(opened: &Metadata, found: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt as _;
    opened.is_file() && (opened.dev(), opened.ino()) == (found.dev(), found.ino())
}

#[cfg(not(unix))]
fn is_same(opened: &Metadata, _: &Metadata) -> bool {
    opened.is_file()
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_small_plain_files_are_read() {
        let room = tempfile::tempdir().unwrap();
        let at = |name: &str| room.path().join(name);
        std::fs::write(at("plain"), "abc").unwrap();
        assert_eq!(read(&at("plain"), 3).unwrap().as_deref(), Some(&b"abc"[..]));
        assert!(read(&at("plain"), 2).unwrap_err().to_string().ends_with("plain has more than 2 bytes"));
        assert_eq!(read(&at("missing"), 3).unwrap(), None);
        std::os::unix::fs::symlink("plain", at("link")).unwrap();
        std::os::unix::fs::symlink("missing", at("dangling")).unwrap();
        for name in ["link", "dangling"] {
            assert!(read(&at(name), 3).unwrap_err().to_string().contains("is a symbolic link"));
        }
        assert!(std::process::Command::new("mkfifo").arg(at("fifo")).status().unwrap().success());
        for path in [at("fifo"), room.path().to_owned(), "/dev/zero".into()] {
            assert!(read(&path, 3).unwrap_err().to_string().ends_with("is no plain file"));
        }
    }
}
