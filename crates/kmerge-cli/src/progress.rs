//! Progress of long work on a terminal: one line on stderr, gone when the work is done.

use std::fmt;
use std::io::{IsTerminal as _, Write as _};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Work that takes less than this is not talked about.
const PATIENCE: Duration = Duration::from_millis(400);

/// How often the line is written anew.
const STEP: Duration = Duration::from_millis(100);

/// Shows progress where there is a terminal.
#[derive(Debug)]
pub(crate) struct Progress {
    is_shown: bool,
}

impl Progress {
    pub(crate) fn new(quiet: bool) -> Self {
        Self { is_shown: !quiet && std::io::stderr().is_terminal() }
    }

    /// Runs `work`, which counts the files it is done with.
    pub(crate) fn run<T>(&self, what: &str, work: impl FnOnce(&Count) -> T) -> T {
        let (count, done) = (Count::default(), AtomicBool::new(false));
        if !self.is_shown {
            return work(&count);
        }
        std::thread::scope(|scope| {
            let shower = scope.spawn(|| show(what, &count, &done));
            let result = work(&count);
            done.store(true, Ordering::Release);
            shower.thread().unpark();
            result
        })
    }
}

/// How far the work is.
#[derive(Debug, Default)]
pub(crate) struct Count {
    files: AtomicUsize,
    /// How many there are; 0 while nobody knows.
    all: AtomicUsize,
}

impl Count {
    /// Says how many files there are.
    pub(crate) fn expect(&self, all: usize) {
        self.all.store(all, Ordering::Relaxed);
    }

    /// Counts a file that is done.
    pub(crate) fn done(&self) {
        self.files.fetch_add(1, Ordering::Relaxed);
    }
}

/// `120 of 400`
impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [files, all] = [&self.files, &self.all].map(|count| count.load(Ordering::Relaxed));
        write!(formatter, "{files}")?;
        if all > 0 { write!(formatter, " of {all}") } else { Ok(()) }
    }
}

fn show(what: &str, count: &Count, done: &AtomicBool) {
    std::thread::park_timeout(PATIENCE);
    let mut written = false;
    while !done.load(Ordering::Acquire) {
        // A terminal that went away is no reason to stop working.
        let _ = write!(std::io::stderr(), "\r\x1b[K{what} {count} files");
        written = true;
        std::thread::park_timeout(STEP);
    }
    if written {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_tell_how_many_there_are_once_it_is_known() {
        let count = Count::default();
        count.done();
        assert_eq!(count.to_string(), "1");
        count.expect(3);
        assert_eq!(count.to_string(), "1 of 3");
    }
}
