//! Files that go when nobody needs them any more, also where a signal ends the process; and what must not be cut off.
//!
//! Owns: the names of such files, the programs that end with this process, and what SIGHUP, SIGINT, SIGQUIT and SIGTERM do. Invariant: a file is listed from the moment
//! it exists, and after such a signal none is made or renamed. The process ends as if it had not caught the signal. Ignores:
//! SIGKILL and a crash of the machine, which may leave a file `.kmerge-*`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind};
#[cfg(not(unix))]
use std::process::ExitStatus;
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::tree::{Access, At, Dir};

#[cfg(unix)]
mod signals;

#[cfg(unix)]
pub use signals::lend_terminal;

/// Runs a program that owns the terminal.
#[cfg(not(unix))]
pub fn lend_terminal(run: impl FnOnce() -> io::Result<ExitStatus>) -> io::Result<ExitStatus> {
    run()
}

/// What a signal finds.
struct State {
    /// The files and directories that are to go.
    listed: BTreeMap<String, Dir>,
    /// The programs that this one waits for.
    running: BTreeSet<u32>,
    /// So many [`Held`] there are.
    holds: usize,
    /// So many of them show something on the terminal.
    screens: usize,
    /// The signal that waits for the last of them.
    waiting: Option<i32>,
}

/// Whoever has the lock keeps signals from ending the process.
static STATE: Mutex<State> =
    Mutex::new(State { listed: BTreeMap::new(), running: BTreeSet::new(), holds: 0, screens: 0, waiting: None });

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it lasts, a signal waits: what must not be cut off asks [`is_ending`], and ends by itself. A second signal does not
/// wait.
#[derive(Debug)]
pub struct Held {
    is_screen: bool,
}

impl Held {
    /// From now on.
    #[must_use]
    pub fn begin() -> Self {
        Self::new(false)
    }

    /// While something is shown on the terminal, which is to be as it was before. If the terminal goes away (SIGHUP), nothing
    /// is left to do, and the process ends.
    #[must_use]
    pub fn screen() -> Self {
        Self::new(true)
    }

    fn new(is_screen: bool) -> Self {
        #[cfg(unix)]
        signals::watch();
        let mut state = state();
        state.holds += 1;
        state.screens += usize::from(is_screen);
        Self { is_screen }
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut state = state();
        state.holds -= 1;
        state.screens -= usize::from(self.is_screen);
        #[cfg(unix)]
        if let Some(signal) = state.waiting.filter(|signal| signals::may_end(&state, *signal)) {
            signals::end(state, signal);
        }
    }
}

/// A short time in which signals wait. At its end, a signal that came ends the process. It costs less than the thread that all
/// other commands start.
#[derive(Debug)]
pub struct Moment(());

impl Moment {
    /// From now on.
    #[must_use]
    pub fn begin() -> Self {
        #[cfg(unix)]
        signals::defer();
        Self(())
    }
}

impl Drop for Moment {
    fn drop(&mut self) {
        #[cfg(unix)]
        signals::resume();
    }
}

/// Runs a program that asks nothing to its end; a signal that ends this process ends it, too.
///
/// # Errors
/// Where it does not start, or what it prints cannot be read.
pub fn output(command: &mut Command) -> io::Result<Output> {
    #[cfg(unix)]
    signals::watch();
    let child = {
        // Locked, so that no signal finds a program that is not listed.
        let mut state = state();
        let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        state.running.insert(child.id());
        child
    };
    let id = child.id();
    let output = child.wait_with_output();
    state().running.remove(&id);
    output
}

/// Whether a signal waits.
#[must_use]
pub fn is_ending() -> bool {
    state().waiting.is_some()
}

/// A file that is removed with this value, unless it gets another name or is kept.
#[derive(Debug)]
pub struct Temporary {
    directory: Dir,
    name: String,
}

impl Temporary {
    /// Makes a file that nobody but its owner can read or write.
    pub fn private(directory: &Dir, prefix: &str, suffix: &str) -> io::Result<(Self, File)> {
        Self::new(directory, prefix, suffix, Access::Private)
    }

    /// Makes a file with the mode bits that new files get here.
    pub fn usual(directory: &Dir, prefix: &str, suffix: &str) -> io::Result<(Self, File)> {
        Self::new(directory, prefix, suffix, Access::New)
    }

    fn new(directory: &Dir, prefix: &str, suffix: &str, access: Access) -> io::Result<(Self, File)> {
        Self::made(directory, [prefix, suffix], |name| directory.create(name, access))
    }

    fn made<T>(
        directory: &Dir,
        [prefix, suffix]: [&str; 2],
        make: impl Fn(&str) -> io::Result<T>,
    ) -> io::Result<(Self, T)> {
        const MOST_NAMES: usize = 100;
        #[cfg(unix)]
        signals::watch();
        let mut state = state();
        for number in 0..MOST_NAMES {
            let name = format!("{prefix}{:016x}{suffix}", RandomState::new().hash_one(number));
            match make(&name) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                Ok(made) => {
                    state.listed.insert(name.clone(), directory.clone());
                    return Ok((Self { directory: directory.clone(), name }, made));
                }
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Makes a directory that nobody but its owner can look into; all that is in it goes with it.
    ///
    /// # Errors
    /// Where it cannot be made.
    pub fn directory(directory: &Dir, prefix: &str) -> io::Result<Self> {
        Self::made(directory, [prefix, ""], |name| directory.create_private_dir(name)).map(|(made, ())| made)
    }

    /// What it is called in its directory.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Gives the file a name that it keeps, in place of any file that has it.
    pub fn rename(&self, name: &OsStr) -> io::Result<()> {
        let mut state = state();
        self.directory.rename_from(name, At { dir: &self.directory, name: &self.name })?;
        state.listed.remove(&self.name);
        Ok(())
    }

    /// Lets the file stay.
    pub fn keep(&self) {
        state().listed.remove(&self.name);
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let mut state = state();
        if state.listed.remove(&self.name).is_some() {
            // A file that somebody else has removed is gone all the same, and any other failure is not what the command is about.
            drop(self.directory.remove(&self.name));
        }
    }
}
