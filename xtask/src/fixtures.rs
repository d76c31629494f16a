//! `cargo xtask fixtures SUITE [--check]`: answers recorded from the real tools, kept under `fixtures/`.
//!
//! Without `--check` a suite writes its answers; with it, it records them anew and fails where a checked-in file
//! differs. What goes into a case lives in the suite's own module.

mod kpt;
mod lines;

use std::path::{Path, PathBuf};

use anyhow::bail;

/// What to do with freshly recorded answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Replace the checked-in files.
    Write,
    /// Compare with the checked-in files and write nothing.
    Check,
}

/// Runs the suite that the arguments name.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let (suite, mode) = match arguments {
        [suite] => (*suite, Mode::Write),
        [suite, "--check"] => (*suite, Mode::Check),
        _ => bail!("usage: cargo xtask fixtures SUITE [--check]"),
    };
    match suite {
        "kpt" => kpt::run(mode),
        "lines" => lines::run(mode),
        _ => bail!("unknown suite {suite:?}, expected: kpt, lines"),
    }
}

/// `fixtures/` at the root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}
