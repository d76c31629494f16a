//! Writing a file: whole or not at all, only if its content changes, keeping mode bits and symbolic links.
//!
//! Owns: every write of a single file. What is made of the file's own content goes through [`edit()`].

mod edit;
mod likeness;
mod spot;
#[cfg(unix)]
#[cfg(test)]
mod tests;

use std::fs::File;
use std::io::{ErrorKind, Write as _};
use std::path::Path;

use anyhow::anyhow;
use kmerge_cli::temporary::Moment;

pub(crate) use edit::edit;
use spot::Spot;

/// Whether a file had to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// The file held the content already.
    Same,
    /// The file holds it now.
    Changed,
}

/// Makes `bytes` the content of `path`, which need not exist, whatever it holds.
///
/// A symbolic link stays one, and what it points to is written. Whoever reads the file meanwhile sees the old or the new
/// content. Devices and pipes are written to as they are.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> anyhow::Result<Written> {
    write_to(path, bytes, Durability::Disk).map_err(|error| unwritable(path, error))
}

/// The same for a file that is read at once and then thrown away: it need not survive a crash of the machine.
pub(crate) fn write_passing(path: &Path, bytes: &[u8]) -> anyhow::Result<Written> {
    write_to(path, bytes, Durability::Memory).map_err(|error| unwritable(path, error))
}

/// The same, durably, for a file that a repository brought: a symbolic link is an error, and so is what is no file.
pub(crate) fn write_plain(path: &Path, bytes: &[u8]) -> anyhow::Result<Written> {
    let written = Spot::find_plain(path).and_then(|spot| write_at(&spot, bytes, Durability::Disk));
    written.map_err(|error| unwritable(path, error))
}

/// Why a file cannot be written; which directory is missing, if one is.
fn unwritable(path: &Path, error: std::io::Error) -> anyhow::Error {
    let is_missing = |above: &&Path| !above.as_os_str().is_empty() && above.symlink_metadata().is_err();
    let missing = path.ancestors().skip(1).take_while(is_missing).last();
    match missing.filter(|_| error.kind() == ErrorKind::NotFound) {
        Some(missing) => anyhow!("cannot write {}: there is no directory {}", path.display(), missing.display()),
        None => anyhow::Error::new(error).context(format!("cannot write {}", path.display())),
    }
}

/// Where a content must have arrived before the write is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Durability {
    Disk,
    Memory,
}

fn write_to(path: &Path, bytes: &[u8], durability: Durability) -> std::io::Result<Written> {
    if path.metadata().is_ok_and(|found| !found.is_file()) {
        File::options().write(true).open(path)?.write_all(bytes)?;
        return Ok(Written::Changed);
    }
    write_at(&Spot::find(path)?, bytes, durability)
}

fn write_at(spot: &Spot, bytes: &[u8], durability: Durability) -> std::io::Result<Written> {
    let mut old = match spot.open() {
        Ok(file) => Some(file),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some(old) = &mut old
        && edit::holds(old, bytes)?
    {
        return Ok(Written::Same);
    }
    // Without waiting for the disk, the file is written in a short time.
    let moment = if durability == Durability::Memory { Some(Moment::begin()) } else { None };
    spot.stage(bytes, old.as_ref(), durability)?.put()?;
    drop(moment);
    Ok(Written::Changed)
}
