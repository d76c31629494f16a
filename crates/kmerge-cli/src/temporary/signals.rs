//! What the signals do that end a process: they take the temporary files with them, and the programs that it waits for.

use std::io::Read as _;
use std::process::ExitStatus;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, MutexGuard, Once, OnceLock};

use rustix::process::{Pid, Signal, kill_process};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};
use signal_hook::flag;
use signal_hook::iterator::Signals;
use signal_hook::low_level::emulate_default_handler;

use super::{State, state};

/// Whether what is typed on the terminal is meant for another program.
static IS_LENT: AtomicBool = AtomicBool::new(false);

/// Set when the thread of [`watch`] starts.
static STARTED: Once = Once::new();

/// Starts the thread that waits for signals, unless [`defer`] lets them wait.
pub(super) fn watch() {
    if DEFERRED.get().is_some_and(|deferred| !deferred.is_idle.load(Ordering::SeqCst)) {
        return;
    }
    STARTED.call_once(|| {
        // From now on, the thread ends the process.
        DEFERRED.get().into_iter().for_each(|deferred| deferred.is_idle.store(false, Ordering::SeqCst));
        // Where signals cannot be caught they end the process as ever, and a temporary file may stay.
        let Ok(mut signals) = Signals::new(watched()) else { return };
        std::thread::spawn(move || {
            for signal in signals.forever() {
                if !is_typed(signal) || !IS_LENT.load(Ordering::SeqCst) {
                    arrive(signal);
                }
            }
        });
    });
}

/// What the signal handlers share with a process that has no such thread.
struct Deferred {
    /// Whether a signal ends the process at once, as ever.
    is_idle: Arc<AtomicBool>,
    /// The signal that came while it does not, or 0.
    arrived: Arc<AtomicUsize>,
}

static DEFERRED: OnceLock<Deferred> = OnceLock::new();

/// Lets signals wait for [`resume`], unless a thread waits for them.
pub(super) fn defer() {
    if STARTED.is_completed() {
        return;
    }
    let deferred = DEFERRED.get_or_init(|| {
        let deferred = Deferred { is_idle: Arc::default(), arrived: Arc::default() };
        for signal in watched() {
            // What cannot be caught ends the process as ever, and a temporary file may stay.
            let arrived = flag::register_usize(signal, Arc::clone(&deferred.arrived), signal as usize);
            drop(arrived.and_then(|_| flag::register_conditional_default(signal, Arc::clone(&deferred.is_idle))));
        }
        deferred
    });
    deferred.is_idle.store(false, Ordering::SeqCst);
}

/// Ends the process if a signal has come since [`defer`].
pub(super) fn resume() {
    let Some(deferred) = DEFERRED.get() else { return };
    if STARTED.is_completed() {
        return;
    }
    deferred.is_idle.store(true, Ordering::SeqCst);
    match deferred.arrived.load(Ordering::SeqCst) {
        0 => {}
        signal => end(state(), signal as i32),
    }
}

/// The signals that end a process; those that whoever started it wants it to ignore (`nohup`) stay ignored.
fn watched() -> impl Iterator<Item = i32> {
    let ignored = ignored();
    [SIGHUP, SIGINT, SIGQUIT, SIGTERM].into_iter().filter(move |signal| ignored & (1 << (signal - 1)) == 0)
}

/// The first signal waits for what must not be cut off.
fn arrive(signal: i32) {
    let mut state = state();
    if state.waiting.is_some() || may_end(&state, signal) {
        end(state, signal);
    } else {
        state.waiting = Some(signal);
    }
}

/// Whether nothing has to be done before this signal ends the process.
pub(super) const fn may_end(state: &State, signal: i32) -> bool {
    state.holds == 0 || (signal == SIGHUP && state.holds == state.screens)
}

/// Ends all programs, removes all temporary files, and ends the process as this signal does.
pub(super) fn end(state: MutexGuard<'_, State>, signal: i32) {
    for id in state.running.iter().filter_map(|id| Pid::from_raw(*id as i32)) {
        // It may have ended by itself.
        let _ = kill_process(id, Signal::TERM);
    }
    for (name, directory) in &state.listed {
        // Nobody is left to hear of a failure.
        drop(directory.remove(name));
    }
    drop(emulate_default_handler(signal));
    // Locked to the end: nothing was made or renamed meanwhile.
    drop(state);
}

/// Runs a program that owns the terminal, as an editor does: what is typed there is not for this process. Where it ends the
/// program, it ends this process as well.
pub fn lend_terminal(run: impl FnOnce() -> std::io::Result<ExitStatus>) -> std::io::Result<ExitStatus> {
    use std::os::unix::process::ExitStatusExt as _;
    /// What shells add to the number of the signal that ended a program.
    const OF_SHELL: i32 = 128;
    IS_LENT.store(true, Ordering::SeqCst);
    let status = run();
    IS_LENT.store(false, Ordering::SeqCst);
    let status = status?;
    let signal = status.signal().or(status.code().map(|code| code - OF_SHELL));
    if let Some(signal) = signal.filter(|signal| is_typed(*signal)) {
        end(state(), signal);
    }
    Ok(status)
}

/// Whether a key sends this signal, to all programs on the terminal.
const fn is_typed(signal: i32) -> bool {
    matches!(signal, SIGINT | SIGQUIT)
}

/// The ignored signals, signal N as bit N - 1. Only Linux tells it; elsewhere none counts as ignored.
fn ignored() -> u64 {
    const ENOUGH: usize = 8192;
    let mut status = String::with_capacity(ENOUGH);
    // What cannot be read tells nothing.
    let _ =
        std::fs::File::open("/proc/self/status").and_then(|file| file.take(ENOUGH as u64).read_to_string(&mut status));
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}
