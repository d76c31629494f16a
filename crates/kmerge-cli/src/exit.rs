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

impl Exit {
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Trouble => 2,
            Self::Unreadable => 129,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
