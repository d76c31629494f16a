//! Writing a file: whole or not at all, only if its content changes, keeping mode bits and symbolic links.

use std::fs::{File, Permissions};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

/// Whether a file had to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// The file held the content already.
    Same,
    /// The file holds it now.
    Changed,
}

/// Makes `bytes` the content of `path`, which need not exist.
///
/// A symbolic link stays one, and what it points to is written. Whoever reads the file meanwhile sees the old or the new
/// content. Devices and pipes are written to as they are.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<Written> {
    write_to(path, bytes, Durability::Disk).with_context(|| format!("cannot write {}", path.display()))
}

/// The same for a file that is read at once and then thrown away: it need not survive a crash of the machine.
pub(crate) fn write_passing(path: &Path, bytes: &[u8]) -> anyhow::Result<Written> {
    write_to(path, bytes, Durability::Memory).with_context(|| format!("cannot write {}", path.display()))
}

/// Where a content must have arrived before the write is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durability {
    Disk,
    Memory,
}

fn write_to(path: &Path, bytes: &[u8], durability: Durability) -> std::io::Result<Written> {
    let target = follow(path)?;
    let metadata = match target.metadata() {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match metadata {
        Some(metadata) if !metadata.is_file() => File::options().write(true).open(&target)?.write_all(bytes)?,
        Some(metadata) => {
            if metadata.len() == bytes.len() as u64 && std::fs::read(&target)? == bytes {
                return Ok(Written::Same);
            }
            replace(&target, bytes, Some(metadata.permissions()), durability)?;
        }
        None => replace(&target, bytes, None, durability)?,
    }
    Ok(Written::Changed)
}

/// What a symbolic link points to in the end, or `path` itself.
fn follow(path: &Path) -> std::io::Result<PathBuf> {
    /// As many as Linux follows.
    const MOST_LINKS: usize = 40;
    let mut target = path.to_owned();
    for _ in 0..MOST_LINKS {
        if !target.is_symlink() {
            return Ok(target);
        }
        let link = std::fs::read_link(&target)?;
        target = directory(&target).join(link);
    }
    Err(std::io::Error::other("too many levels of symbolic links"))
}

fn directory(path: &Path) -> &Path {
    path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn replace(
    target: &Path,
    bytes: &[u8],
    permissions: Option<Permissions>,
    durability: Durability,
) -> std::io::Result<()> {
    let directory = directory(target);
    let mut file = new_file(directory)?;
    file.write_all(bytes)?;
    if let Some(permissions) = permissions {
        file.as_file().set_permissions(permissions)?;
    }
    if durability == Durability::Memory {
        file.persist(target)?;
        return Ok(());
    }
    file.as_file().sync_all()?;
    file.persist(target)?;
    flush(directory)
}

/// A new file with the mode bits that new files get here; it is removed unless it is persisted.
fn new_file(directory: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".kmerge-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        builder.permissions(Permissions::from_mode(0o666));
    }
    // What goes wrong here is told about the file that was to be written, not about the temporary one.
    builder.tempfile_in(directory).map_err(|error| error.kind().into())
}

/// Makes the new name of a file survive a crash, where directories can be flushed.
fn flush(directory: &Path) -> std::io::Result<()> {
    if cfg!(unix) { File::open(directory)?.sync_all() } else { Ok(()) }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};

    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(directory).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_new_file_gets_the_usual_mode_bits() {
        let room = tempfile::tempdir().unwrap();
        let (ours, usual) = (room.path().join("ours"), room.path().join("usual"));
        assert_eq!(write(&ours, b"a").unwrap(), Written::Changed);
        std::fs::write(&usual, b"a").unwrap();
        assert_eq!(ours.metadata().unwrap().mode(), usual.metadata().unwrap().mode());
        assert_eq!(names(room.path()), ["ours", "usual"]);
    }

    #[test]
    fn mode_bits_and_symbolic_links_stay() {
        let room = tempfile::tempdir().unwrap();
        let (file, link, second) = (room.path().join("file"), room.path().join("link"), room.path().join("second"));
        std::fs::write(&file, b"old").unwrap();
        std::fs::set_permissions(&file, Permissions::from_mode(0o750)).unwrap();
        symlink("file", &link).unwrap();
        symlink(&link, &second).unwrap();
        assert_eq!(write(&second, b"new").unwrap(), Written::Changed);
        assert!(link.is_symlink() && second.is_symlink());
        assert_eq!(std::fs::read(&file).unwrap(), b"new");
        assert_eq!(file.metadata().unwrap().mode() & 0o777, 0o750);
    }

    #[test]
    fn an_equal_content_is_not_written() {
        let room = tempfile::tempdir().unwrap();
        let file = room.path().join("file");
        std::fs::write(&file, b"same").unwrap();
        let before = file.metadata().unwrap().ino();
        assert_eq!(write(&file, b"same").unwrap(), Written::Same);
        assert_eq!(file.metadata().unwrap().ino(), before);
    }

    #[test]
    fn a_link_to_nothing_yet_gets_its_file_and_a_loop_is_an_error() {
        let room = tempfile::tempdir().unwrap();
        let (link, ring) = (room.path().join("link"), room.path().join("ring"));
        symlink("missing", &link).unwrap();
        symlink("ring", &ring).unwrap();
        write(&link, b"x").unwrap();
        assert_eq!(std::fs::read(room.path().join("missing")).unwrap(), b"x");
        assert!(write(&ring, b"x").is_err());
        assert!(write(&room.path().join("no/such/directory"), b"x").is_err());
    }

    #[test]
    fn devices_are_written_to() {
        assert_eq!(write(Path::new("/dev/null"), b"x").unwrap(), Written::Changed);
    }
}
