//! Exit codes: the contract that scripts, CI and git depend on.

use std::process::ExitCode;

/// How a command ended, when it ended as commands should.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Done, clean, no difference.
    Clean,
    /// Conflicts, differences or findings.
    Findings,
    /// Unusable input, bad usage, an input or output error; nothing was written.
    Trouble,
    /// Only the driver, for what [`Exit::Trouble`] is elsewhere: git takes every code below 129 for a merged file.
    Unreadable,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Clean => 0,
            Exit::Findings => 1,
            Exit::Trouble => 2,
            Exit::Unreadable => 129,
        })
    }
}
