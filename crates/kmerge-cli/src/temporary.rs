//! Files that go when nobody needs them any more, also where a signal ends the process.
//!
//! Owns: the names of such files, and what SIGHUP, SIGINT, SIGQUIT and SIGTERM do. Invariant: a file is listed from the moment
//! it exists, and after such a signal none is made or renamed. The process ends as if it had not caught the signal. Ignores:
//! SIGKILL and a crash of the machine, which may leave a file `.kmerge-*`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind};
#[cfg(not(unix))]
use std::process::ExitStatus;
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::output::directory::Directory;

#[cfg(unix)]
mod signals;

#[cfg(unix)]
pub(crate) use signals::lend_terminal;

/// Runs a program that owns the terminal.
#[cfg(not(unix))]
pub(crate) fn lend_terminal(run: impl FnOnce() -> io::Result<ExitStatus>) -> io::Result<ExitStatus> {
    run()
}

/// The files that are to go. Whoever holds the lock keeps signals from ending the process.
static LISTED: Mutex<BTreeMap<OsString, Directory>> = Mutex::new(BTreeMap::new());

fn listed() -> MutexGuard<'static, BTreeMap<OsString, Directory>> {
    LISTED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A file that is removed with this value, unless it gets another name or is kept.
#[derive(Debug)]
pub(crate) struct Temporary {
    directory: Directory,
    name: OsString,
}

impl Temporary {
    /// Makes a file that nobody but its owner can read or write.
    pub(crate) fn private(directory: &Directory, prefix: &str, suffix: &str) -> io::Result<(Self, File)> {
        Self::new(directory, prefix, suffix, 0o600)
    }

    /// Makes a file with the mode bits that new files get here.
    pub(crate) fn usual(directory: &Directory, prefix: &str, suffix: &str) -> io::Result<(Self, File)> {
        Self::new(directory, prefix, suffix, 0o666)
    }

    fn new(directory: &Directory, prefix: &str, suffix: &str, mode: u32) -> io::Result<(Self, File)> {
        const MOST_NAMES: usize = 100;
        #[cfg(unix)]
        signals::watch();
        let mut listed = listed();
        for number in 0..MOST_NAMES {
            let name = OsString::from(format!("{prefix}{:016x}{suffix}", RandomState::new().hash_one(number)));
            match directory.create(&name, mode) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(file) => {
                    listed.insert(name.clone(), directory.clone());
                    return Ok((Self { directory: directory.clone(), name }, file));
                }
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    pub(crate) fn name(&self) -> &OsStr {
        &self.name
    }

    /// Gives the file a name that it keeps, in place of any file that has it.
    pub(crate) fn rename(&self, name: &OsStr) -> io::Result<()> {
        let mut listed = listed();
        self.directory.rename(&self.name, name)?;
        listed.remove(&self.name);
        Ok(())
    }

    /// Lets the file stay.
    pub(crate) fn keep(&self) {
        listed().remove(&self.name);
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut listed = listed();
        if listed.remove(&self.name).is_some() {
            // A file that somebody else has removed is gone all the same, and any other failure is not what the command is about.
            drop(self.directory.remove(&self.name));
        }
    }
}
