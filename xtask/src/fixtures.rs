//! `cargo xtask fixtures check | SUITE [--check]`: answers recorded from the real tools, kept under `fixtures/`.
//!
//! Without `--check` a suite writes its answers; with it, it records them anew and fails where a checked-in file
//! differs. `check` does the latter for every suite whose tool is there in the recorded version, and names the others.
//! What goes into a case lives in the suite's own module.

mod driver;
pub(crate) mod kpt;
mod kubectl_apply;
mod kubectl_patch;
mod kustomize;
mod lines;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, bail};

/// What to do with freshly recorded answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Replace the checked-in files.
    Write,
    /// Compare with the checked-in files and write nothing.
    Check,
}

/// One set of recorded answers.
struct Suite {
    name: &'static str,
    /// Prints the version of the tool that answers.
    version: &'static [&'static str],
    /// A file below `fixtures/` that names the version that answered.
    record: &'static str,
    run: fn(Mode) -> anyhow::Result<()>,
}

const SUITES: [Suite; 7] = [
    Suite { name: "driver", version: &["git", "--version"], record: "driver/image-tag-both/git.out", run: driver::run },
    Suite { name: "kpt", version: &["kpt", "version"], record: "packages/add-file/kpt.toml", run: kpt::run },
    Suite {
        name: "kubectl-apply",
        version: &["kubectl", "version", "--client"],
        record: "kubectl/apply.json",
        run: kubectl_apply::run,
    },
    Suite {
        name: "kubectl-cases",
        version: &["kubectl", "version", "--client"],
        record: "kubectl/apply.json",
        run: kubectl_apply::written::run,
    },
    Suite {
        name: "kubectl-patch",
        version: &["kubectl", "version", "--client"],
        record: "kubectl/patch.json",
        run: kubectl_patch::run,
    },
    Suite {
        name: "kustomize",
        version: &["kubectl", "version", "--client"],
        record: "kustomize/answers.json",
        run: kustomize::run,
    },
    Suite { name: "lines", version: &["git", "--version"], record: "lines/cases.json", run: lines::run },
];

/// Runs the suite that the arguments name, or checks all of them.
pub(crate) fn run(arguments: &[&str]) -> anyhow::Result<()> {
    let (name, mode) = match arguments {
        ["check"] => return SUITES.iter().try_for_each(check),
        [name] => (*name, Mode::Write),
        [name, "--check"] => (*name, Mode::Check),
        _ => bail!("usage: cargo xtask fixtures check | SUITE [--check]"),
    };
    let names = || SUITES.map(|suite| suite.name).join(", ");
    let suite = SUITES.iter().find(|suite| suite.name == name);
    (suite.with_context(|| format!("unknown suite {name:?}, expected: {}", names()))?.run)(mode)
}

/// Checks a suite against the tool that answered it; another version, or none, answers nothing about the record.
fn check(suite: &Suite) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    let record = root().join(suite.record);
    let text = std::fs::read_to_string(&record).with_context(|| format!("cannot read {}", record.display()))?;
    match version(suite.version) {
        None => writeln!(out, "{}: skipped, cannot run {}", suite.name, suite.version[0])?,
        Some(version) if !text.contains(&version) => {
            writeln!(out, "{}: skipped, recorded with another version than {version}", suite.name)?;
        }
        Some(version) => {
            (suite.run)(Mode::Check).with_context(|| format!("suite {}", suite.name))?;
            writeln!(out, "{}: {} {version} still answers as recorded", suite.name, suite.version[0])?;
        }
    }
    Ok(())
}

/// The last word of the first line that a version command prints.
fn version(command: &[&str]) -> Option<String> {
    let (program, arguments) = command.split_first()?;
    let output = Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    text.lines().next()?.split_whitespace().last().map(str::to_owned)
}

/// `fixtures/` at the root of the workspace.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures")
}
