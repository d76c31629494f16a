//! Progress of long work on a terminal: one line on stderr, gone when the work is done.

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

    /// Runs `work`, which calls its argument for each file it is done with.
    pub(crate) fn run<T>(&self, what: &str, work: impl FnOnce(&(dyn Fn() + Sync)) -> T) -> T {
        if !self.is_shown {
            return work(&|| {});
        }
        let (count, done) = (AtomicUsize::new(0), AtomicBool::new(false));
        std::thread::scope(|scope| {
            let shower = scope.spawn(|| show(what, &count, &done));
            let result = work(&|| {
                count.fetch_add(1, Ordering::Relaxed);
            });
            done.store(true, Ordering::Release);
            shower.thread().unpark();
            result
        })
    }
}

fn show(what: &str, count: &AtomicUsize, done: &AtomicBool) {
    std::thread::park_timeout(PATIENCE);
    let mut written = false;
    while !done.load(Ordering::Acquire) {
        // A terminal that went away is no reason to stop working.
        let _ = write!(std::io::stderr(), "\r\x1b[K{what} {} files", count.load(Ordering::Relaxed));
        written = true;
        std::thread::park_timeout(STEP);
    }
    if written {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
}
