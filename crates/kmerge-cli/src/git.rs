//! Running git: configuration, paths and version. Nothing here changes a repository's content.

mod command;
pub(crate) mod history;
pub(crate) mod index;
pub(crate) mod merge_tree;
pub(crate) mod objects;
pub(crate) mod sides;
mod unset;
pub(crate) mod upstream;

use std::path::{Path, PathBuf};
use std::process::Output;

use anyhow::{Context as _, bail, ensure};

/// Which of git's configuration files is meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// The repository's own.
    Local,
    /// The user's.
    Global,
}

impl Scope {
    const fn option(self) -> &'static str {
        match self {
            Self::Local => "--local",
            Self::Global => "--global",
        }
    }
}

/// What a configuration file holds for `key`; `None` where it holds nothing.
pub(crate) fn config(scope: Scope, key: &str) -> anyhow::Result<Option<String>> {
    config_with(&[scope.option(), "--get"], key)
}

/// What all configuration files together hold for `key`.
pub(crate) fn effective_config(key: &str) -> anyhow::Result<Option<String>> {
    if unset::is_unset(key) {
        return Ok(None);
    }
    config_with(&["--get"], key)
}

/// A path in the configuration, with `~` expanded.
pub(crate) fn config_path(scope: Scope, key: &str) -> anyhow::Result<Option<PathBuf>> {
    Ok(config_with(&[scope.option(), "--type=path", "--get"], key)?.map(PathBuf::from))
}

fn config_with(options: &[&str], key: &str) -> anyhow::Result<Option<String>> {
    /// What git exits with where the key is not set.
    const UNSET: i32 = 1;
    let output = run(&[&["config"], options, &[key]].concat())?;
    if output.status.code() == Some(UNSET) {
        return Ok(None);
    }
    Ok(Some(text(output)?))
}

/// Sets `key`, in place of all its values.
pub(crate) fn set_config(scope: Scope, key: &str, value: &str) -> anyhow::Result<()> {
    text(run(&["config", scope.option(), "--replace-all", key, value])?).map(drop)
}

/// Removes `key`, and with it a section that would be left empty.
pub(crate) fn unset_config(scope: Scope, key: &str) -> anyhow::Result<()> {
    text(run(&["config", scope.option(), "--unset-all", key])?).map(drop)
}

/// Where git keeps `name` of the repository in which we are, such as `info/attributes`.
pub(crate) fn path(name: &str) -> anyhow::Result<PathBuf> {
    Ok(PathBuf::from(text(run(&["rev-parse", "--git-path", name])?)?))
}

/// The top of the working tree in which we are; `None` in a bare repository.
pub(crate) fn top() -> anyhow::Result<Option<PathBuf>> {
    if text(run(&["rev-parse", "--is-inside-work-tree"])?)? == "false" {
        return Ok(None);
    }
    Ok(Some(PathBuf::from(text(run(&["rev-parse", "--show-toplevel"])?)?)))
}

/// Insists on a repository around the working directory, or on a bare one that is named.
pub(crate) fn require_repository(hint: &str) -> anyhow::Result<()> {
    if run(&["rev-parse", "--git-dir"])?.status.success() {
        return Ok(());
    }
    ensure!(
        !is_bare(Path::new(".")),
        "a bare repository has to be named, as in GIT_DIR=. kmerge …: any tree may hold what looks like one"
    );
    bail!("this is not a git repository{hint}")
}

/// Whether a directory is a repository without a working tree. Looks at files only: this is asked for every merge.
pub(crate) fn is_bare(directory: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| directory.join(name).exists())
}

/// Whether the working directory is a repository without a working tree, and git or the user has said so.
fn is_named_bare() -> bool {
    let real = |path: &Path| path.canonicalize().ok();
    let named = std::env::var_os("GIT_DIR").and_then(|named| real(Path::new(&named)));
    named.is_some() && named == real(Path::new(".")) && is_bare(Path::new("."))
}

/// What the commit at `HEAD` has as `name`, if we are in a repository without a working tree that is named.
pub(crate) fn file_of_bare_repository(name: &str) -> anyhow::Result<Option<String>> {
    if !is_named_bare() {
        return Ok(None);
    }
    let listed = run(&["ls-tree", "HEAD", "--", name])?;
    if !listed.status.success() && !has_commit()? {
        return Ok(None);
    }
    if text(listed)?.is_empty() {
        return Ok(None);
    }
    let output = run(&["cat-file", "blob", &format!("HEAD:{name}")])?;
    let message = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git: {}", message.trim().trim_start_matches("fatal: "));
    String::from_utf8(output.stdout).map(Some).with_context(|| format!("HEAD:{name} is not UTF-8"))
}

/// Whether there is anything yet at `HEAD`.
fn has_commit() -> anyhow::Result<bool> {
    /// What git exits with where there is nothing.
    const NOTHING: i32 = 1;
    Ok(run(&["rev-parse", "--quiet", "--verify", "HEAD"])?.status.code() != Some(NOTHING))
}

/// What git's attributes say of a path in the working directory; `unspecified` where nothing does.
pub(crate) fn attribute(name: &str, path: &str) -> anyhow::Result<String> {
    let line = text(run(&["check-attr", name, "--", path])?)?;
    Ok(line.rsplit(": ").next().unwrap_or_default().to_owned())
}

/// The way from the working directory to the top of the working tree: empty, or `../` once or more.
pub(crate) fn way_up() -> anyhow::Result<PathBuf> {
    Ok(PathBuf::from(text(run(&["rev-parse", "--show-cdup"])?)?))
}

/// Major and minor version of git.
pub(crate) fn version() -> anyhow::Result<(u32, u32)> {
    let version = text(run(&["--version"])?)?;
    let parse = || {
        let mut numbers = version.split_whitespace().nth(2)?.split('.').map(str::parse::<u32>);
        Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
    };
    parse().with_context(|| format!("cannot make sense of git's version: {version}"))
}

/// Whether the shell that git starts drivers with would find `program`.
pub(crate) fn is_on_path(program: &str) -> bool {
    let directories = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&directories).any(|directory| is_file(&directory.join(program)))
}

fn is_file(path: &Path) -> bool {
    path.is_file() || path.with_extension(std::env::consts::EXE_EXTENSION).is_file()
}

fn run(arguments: &[&str]) -> anyhow::Result<Output> {
    command::git(None).args(arguments).output().context("cannot run git")
}

/// What a successful git printed, without the newline.
fn text(output: Output) -> anyhow::Result<String> {
    let message = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "git: {}", message.trim().trim_start_matches("fatal: "));
    let mut text = String::from_utf8(output.stdout).context("git printed what is not UTF-8")?;
    text.truncate(text.trim_end_matches('\n').len());
    Ok(text)
}
