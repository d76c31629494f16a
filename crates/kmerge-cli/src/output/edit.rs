//! Editing a file in place: what is written was made of what the file holds at that moment.
//!
//! Owns: the lock of an edit, and the check before it is written. The lock is advisory: it keeps two kmerge apart. The check
//! finds what other programs wrote meanwhile; the edit is then made again. Where a file cannot be locked (NFS), the check
//! has to do.

use std::fs::File;
use std::io::{Read as _, Seek as _};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail, ensure};
use fs4::fs_std::FileExt as _;

use super::spot::Spot;
use super::{Durability, Written};
use crate::input;

/// So many times an edit is made again.
const MOST_EDITS: usize = 20;

/// So long another program may keep the file.
const PATIENCE: Duration = Duration::from_secs(30);

/// Makes what `change` returns for the content of `path` its new content. `change` may be asked several times, each time
/// with what the file holds then; nothing else that it does may count.
///
/// # Errors
/// Those of `change`; and where the file cannot be read or written, or keeps changing. Nothing was written then.
pub(crate) fn edit(path: &Path, mut change: impl FnMut(&[u8]) -> anyhow::Result<Vec<u8>>) -> anyhow::Result<Written> {
    let name = path.display();
    let spot = Spot::find(path).map_err(|error| input::unreadable(&name.to_string(), &error))?;
    for _ in 0..MOST_EDITS {
        let mut file = lock(&spot, path)?;
        let old = input::read_file(&mut file, &name.to_string())?;
        let new = change(&old)?;
        if new == old {
            return Ok(Written::Same);
        }
        if replace(&spot, &mut file, &old, &new).with_context(|| format!("cannot write {name}"))? {
            tell_of_other_names(path, &file)?;
            return Ok(Written::Changed);
        }
    }
    bail!("{name} is written by another program all the time: nothing was changed")
}

/// Opens the file that stands at `spot` and locks it. Whoever had the lock before may have put another file there.
fn lock(spot: &Spot, path: &Path) -> anyhow::Result<File> {
    const PAUSE: Duration = Duration::from_millis(3);
    let name = path.display();
    let unreadable = |error| input::unreadable(&name.to_string(), &error);
    let start = Instant::now();
    loop {
        let file = spot.open().map_err(unreadable)?;
        // An error says that files cannot be locked here.
        let is_free = file.try_lock_exclusive().unwrap_or(true);
        if is_free && spot.holds(&file).map_err(unreadable)? {
            return Ok(file);
        }
        ensure!(start.elapsed() < PATIENCE, "{name} is locked by another program: nothing was changed");
        if !is_free {
            std::thread::sleep(PAUSE);
        }
    }
}

/// Puts `new` in the place of `old`; not where the file is another one by now, or holds something else.
fn replace(spot: &Spot, file: &mut File, old: &[u8], new: &[u8]) -> std::io::Result<bool> {
    let staged = spot.stage(new, Some(file), Durability::Disk)?;
    if !holds(file, old)? || !spot.holds(file)? {
        return Ok(false);
    }
    staged.put()?;
    Ok(true)
}

/// Whether a file holds these bytes and no others.
pub(super) fn holds(file: &mut File, bytes: &[u8]) -> std::io::Result<bool> {
    const PIECE: usize = 1 << 16;
    if file.metadata()?.len() != bytes.len() as u64 {
        return Ok(false);
    }
    file.rewind()?;
    let (mut piece, mut rest) = (vec![0; PIECE.min(bytes.len() + 1)], bytes);
    loop {
        let count = file.read(&mut piece)?;
        if count == 0 {
            return Ok(rest.is_empty());
        }
        let Some(behind) = rest.strip_prefix(&piece[..count]) else { return Ok(false) };
        rest = behind;
    }
}

/// Says where else the old content still stands.
#[cfg(unix)]
fn tell_of_other_names(path: &Path, old: &File) -> std::io::Result<()> {
    use std::io::Write as _;
    use std::os::unix::fs::MetadataExt as _;
    // The name that the new file has got is not among them any more.
    let count = old.metadata()?.nlink();
    if count > 0 {
        let names =
            if count == 1 { "another name (a hard link), which keeps" } else { "other names (hard links), which keep" };
        writeln!(crate::terminal::stderr(), "{}: the file had {names} the old content", path.display())?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn tell_of_other_names(_: &Path, _: &File) -> std::io::Result<()> {
    Ok(())
}
