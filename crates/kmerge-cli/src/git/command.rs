//! The one place that builds a git command.
//!
//! Invariant: such a git runs no program that a repository names: no remote helper, hook, monitor, pager, filter, text
//! conversion or external diff. A directory that only looks like a bare repository is none unless `GIT_DIR` names it.
//! Ignores what the environment of the user says: it is as trusted as the command line.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, ensure};

/// A promised object that is missing is an error, never a fetch; a list of allowed protocols, which the repository cannot add
/// to as it could to `protocol.allow`; nobody is asked for a password; and reading takes no locks.
const ENVIRONMENT: [(&str, &str); 4] =
    [("GIT_NO_LAZY_FETCH", "1"), ("GIT_ALLOW_PROTOCOL", ""), ("GIT_TERMINAL_PROMPT", "0"), ("GIT_OPTIONAL_LOCKS", "0")];

/// What a repository could name a program for, by any command that is run here. Whoever runs a diff says `--no-ext-diff`
/// and `--no-textconv`.
const CONFIG: [&str; 8] = [
    "protocol.allow=never",
    "safe.bareRepository=explicit",
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "commit.gpgSign=false",
    "merge.renormalize=false",
    "submodule.recurse=false",
];

/// A git in `directory`, or in the working directory.
pub(crate) fn git(directory: Option<&Path>) -> Command {
    let mut git = Command::new("git");
    git.envs(ENVIRONMENT);
    if let Some(directory) = directory {
        git.arg("-C").arg(directory);
    }
    git.arg("--no-pager").args(CONFIG.iter().flat_map(|setting| ["-c", setting]));
    git
}

/// Settings that take the command from each filter, whoever configured it: attributes, which come with a tree, choose them.
pub(crate) fn without_filters(directory: Option<&Path>) -> anyhow::Result<Vec<String>> {
    let mut settings = Vec::new();
    for Setting { key, .. } in settings_like(directory, r"^filter\..*\.(clean|smudge|process|required)$")? {
        let value = if key.ends_with(".required") { "false" } else { "" };
        settings.push(format!("{key}={value}"));
    }
    Ok(settings)
}

/// Settings that put `instead` in the place of each merge driver that the repository's own configuration gives a command.
pub(crate) fn without_drivers(instead: &str) -> anyhow::Result<Vec<String>> {
    let drivers = settings_like(None, r"^merge\..*\.driver$")?.into_iter().filter(|setting| setting.is_local);
    Ok(drivers.map(|Setting { key, .. }| format!("{key}={instead}")).collect())
}

/// A key that some configuration file sets.
struct Setting {
    key: String,
    /// Whether it is the repository that sets it.
    is_local: bool,
}

fn settings_like(directory: Option<&Path>, pattern: &str) -> anyhow::Result<Vec<Setting>> {
    /// What git exits with where there are none.
    const NONE: i32 = 1;
    let mut list = git(directory);
    let listed = list.args(["config", "--null", "--show-scope", "--name-only", "--get-regexp", pattern]).output();
    let listed = listed.context("cannot run git")?;
    if listed.status.code() == Some(NONE) {
        return Ok(Vec::new());
    }
    ensure!(listed.status.success(), "git: {}", String::from_utf8_lossy(&listed.stderr).trim());
    let text = String::from_utf8(listed.stdout).context("git's configuration is not UTF-8")?;
    let mut fields = text.split_terminator('\0');
    let mut settings = Vec::new();
    while let (Some(scope), Some(key)) = (fields.next(), fields.next()) {
        // git could not be told about it: what is in front of the first `=` is the key.
        ensure!(!key.contains('='), "git's configuration has {key}, whose name cannot be overridden");
        settings.push(Setting { key: key.to_owned(), is_local: matches!(scope, "local" | "worktree") });
    }
    Ok(settings)
}
