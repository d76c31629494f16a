//! `kmerge setup`: makes git merge and diff YAML with kmerge, or takes that back.

use std::fmt;
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, ensure};

use crate::bytes::Bytes;
use crate::cli::SetupArgs;
use crate::exit::Exit;
use crate::git::{self, Scope};
use crate::output;
use crate::plain;
use crate::setup::pre_commit::Undone;
use crate::setup::{attributes, config, is_users, pre_commit};

pub(crate) fn run(args: &SetupArgs) -> anyhow::Result<Exit> {
    let scope = if args.global { Scope::Global } else { Scope::Local };
    if scope == Scope::Local {
        git::require_repository("; --global sets git up for all of yours")?;
    }
    let changes = if args.undo { undo(scope)? } else { set_up(scope, args)? };
    for change in &changes {
        if !args.check {
            change.apply(scope)?;
        }
        say(args, &change.to_string())?;
    }
    let faults = if args.undo { left(scope)? } else { faults(args, scope, &changes)? };
    let is_well = changes.is_empty() && (args.undo || faults.is_empty());
    say(args, &outcome(args, is_well, !changes.is_empty()))?;
    for fault in &faults {
        writeln!(crate::terminal::stderr(), "{fault}")?;
    }
    Ok(if args.check && !is_well { Exit::Findings } else { Exit::Clean })
}

fn say(args: &SetupArgs, text: &str) -> std::io::Result<()> {
    if args.quiet { Ok(()) } else { crate::terminal::stdout().write_all(format!("{text}\n").as_bytes()) }
}

/// What was done and how to undo it, or whether all is well.
fn outcome(args: &SetupArgs, is_well: bool, has_changes: bool) -> String {
    let (place, option) = if args.global { ("all your repositories", " --global") } else { ("this repository", "") };
    let merges = format!("git merges and diffs {} with kmerge", attributes::PATTERNS.join(", "));
    match (args.check, args.undo) {
        (true, false) if is_well => format!("all is well: {merges} in {place}"),
        (true, false) if has_changes => {
            format!("not all is well: the above is missing; `kmerge setup{option}` adds it")
        }
        (true, false) => "not all is well".to_owned(),
        (true, true) if has_changes => format!("the above is there; `kmerge setup{option} --undo` removes it"),
        (false, false) if has_changes => {
            format!("{merges} in {place} now; `kmerge setup{option} --undo` takes that back")
        }
        (_, true) if has_changes => format!("git merges and diffs YAML in {place} as it did before"),
        _ => "nothing to do".to_owned(),
    }
}

/// What keeps git from merging with kmerge although it is told to.
fn faults(args: &SetupArgs, scope: Scope, changes: &[Change]) -> anyhow::Result<Vec<String>> {
    let mut faults = Vec::new();
    if !git::is_on_path("kmerge") {
        faults.push("kmerge is not on the PATH; until it is, git merges with its own line merge".to_owned());
    }
    if args.check && scope == Scope::Local && changes.is_empty() {
        for name in attributes::PATTERNS.map(|pattern| pattern.replace('*', "x")) {
            let driver = git::attribute("merge", &name)?;
            if driver != "kmerge" {
                faults.push(format!(
                    "{name} has the attribute merge={driver}: other lines of attributes have the last word"
                ));
            }
        }
    }
    Ok(faults)
}

fn set_up(scope: Scope, args: &SetupArgs) -> anyhow::Result<Vec<Change>> {
    refuse_links(scope)?;
    let mut changes = Vec::new();
    for (key, new) in config(git::version()?) {
        let old = git::config(scope, key)?;
        let stays = old.as_ref().is_some_and(|old| *old == new || is_users(key, old, &new));
        if !stays {
            changes.push(Change::Config { key, old, new: Some(new) });
        }
    }
    let file = if args.gitattributes { top()?.join(".gitattributes") } else { untracked_file(scope)? };
    changes.extend(Change::attributes(scope, file, attributes::with_block)?);
    if args.pre_commit {
        changes.extend(Change::hook(top()?.join(pre_commit::FILE))?);
    }
    Ok(changes)
}

fn undo(scope: Scope) -> anyhow::Result<Vec<Change>> {
    refuse_links(scope)?;
    let mut changes = Vec::new();
    for (key, _) in config(git::version()?) {
        if let Some(old) = git::config(scope, key)? {
            changes.push(Change::Config { key, old: Some(old), new: None });
        }
    }
    let mut files = vec![untracked_file(scope)?];
    if scope == Scope::Local && git::top()?.is_some() {
        files.push(top()?.join(".gitattributes"));
    }
    for file in files {
        changes.extend(Change::attributes(scope, file, attributes::without_block)?);
    }
    if let Some((file, Undone::Removed { new, lines })) = hook(scope)? {
        changes.push(Change::Hook { file, new, sign: '-', lines });
    }
    Ok(changes)
}

/// The configuration of pre-commit, and what undoing makes of its hook. Through a link, none was written.
fn hook(scope: Scope) -> anyhow::Result<Option<(PathBuf, Undone)>> {
    if scope == Scope::Global || git::top()?.is_none() {
        return Ok(None);
    }
    let file = top()?.join(pre_commit::FILE);
    if file.is_symlink() {
        return Ok(None);
    }
    let undone = pre_commit::without_hook(&read(scope, &file)?)?;
    Ok(Some((file, undone)))
}

/// What undoing leaves.
fn left(scope: Scope) -> anyhow::Result<Vec<String>> {
    let Some((file, Undone::Left)) = hook(scope)? else { return Ok(Vec::new()) };
    Ok(vec![format!("{} has a hook kmerge-check that is not as setup adds it: it stays", file.display())])
}

/// A repository that somebody else made must not have files elsewhere written.
fn refuse_links(scope: Scope) -> anyhow::Result<()> {
    if scope == Scope::Local {
        plain::check(&git::path("config")?).map_err(elsewhere)?;
        let info = git::path("info")?;
        if info.is_symlink() {
            return Err(elsewhere(anyhow!("{} is a symbolic link", info.display())));
        }
    }
    Ok(())
}

/// Adds what can be done about it.
#[expect(clippy::needless_pass_by_value, reason = "it takes the place of an error")]
fn elsewhere(error: anyhow::Error) -> anyhow::Error {
    anyhow!("{error:#}; nothing was changed; --global sets git up without this file, or put a plain file in its place")
}

/// The top of the working tree, for files that are to be committed.
fn top() -> anyhow::Result<PathBuf> {
    let top = git::top()?.context("a bare repository has no files to commit")?;
    // The repository's own configuration may call any directory its working tree.
    let is_named = ["GIT_DIR", "GIT_WORK_TREE"].iter().any(|name| std::env::var_os(name).is_some());
    ensure!(is_named || top.join(".git").exists(), "{} is not where the repository is", top.display());
    Ok(top)
}

/// The attributes file that holds whatever branch is checked out.
fn untracked_file(scope: Scope) -> anyhow::Result<PathBuf> {
    if scope == Scope::Local {
        return git::path("info/attributes");
    }
    if let Some(file) = git::config_path(scope, "core.attributesFile")? {
        return Ok(file);
    }
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let directory = set("XDG_CONFIG_HOME").or_else(|| Some(set("HOME")?.join(".config")));
    Ok(directory.context("neither XDG_CONFIG_HOME nor HOME is set")?.join("git/attributes"))
}

/// One thing that is to be different.
enum Change {
    Config { key: &'static str, old: Option<String>, new: Option<String> },
    Attributes { file: PathBuf, new: String, gone: bool },
    Hook { file: PathBuf, new: String, sign: char, lines: String },
}

/// The text of a file that is to be changed; nothing where there is none.
fn read(scope: Scope, file: &Path) -> anyhow::Result<String> {
    /// git reads no larger attributes.
    const MOST: Bytes = Bytes(100 << 20);
    let old = match scope {
        Scope::Local => plain::read(file, MOST).map_err(elsewhere)?,
        // Many people keep their own in another place, and link to it.
        Scope::Global => match std::fs::read(file) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == ErrorKind::NotFound => None,
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
        },
    };
    let old = String::from_utf8(old.unwrap_or_default());
    old.with_context(|| format!("{} is not UTF-8", file.display()))
}

impl Change {
    /// What `edit` makes of an attributes file, if it changes it.
    fn attributes(scope: Scope, file: PathBuf, edit: fn(&str) -> String) -> anyhow::Result<Option<Self>> {
        let old = read(scope, &file)?;
        let new = edit(&old);
        let gone = new.len() < old.len();
        Ok((new != old).then_some(Self::Attributes { file, new, gone }))
    }

    /// The hook, where a configuration of pre-commit lacks it.
    fn hook(file: PathBuf) -> anyhow::Result<Option<Self>> {
        let old = read(Scope::Local, &file)?;
        let new = pre_commit::with_hook(&old)?;
        let lines = pre_commit::CONFIG.lines().skip(1).map(|line| format!("{line}\n")).collect();
        Ok((new != old).then_some(Self::Hook { file, new, sign: '+', lines }))
    }

    fn apply(&self, scope: Scope) -> anyhow::Result<()> {
        match self {
            Self::Config { key, new: Some(new), .. } => git::set_config(scope, key, new),
            Self::Config { key, new: None, .. } => git::unset_config(scope, key),
            Self::Attributes { file, new, .. } | Self::Hook { file, new, .. } if new.is_empty() => {
                std::fs::remove_file(file).with_context(|| format!("cannot remove {}", file.display()))
            }
            Self::Hook { file, new, .. } => output::write_plain(file, new.as_bytes()).map(drop),
            Self::Attributes { file, new, .. } => {
                std::fs::create_dir_all(file.parent().unwrap_or(Path::new(".")))
                    .with_context(|| format!("cannot create the directory of {}", file.display()))?;
                match scope {
                    Scope::Local => output::write_plain(file, new.as_bytes()).map(drop),
                    Scope::Global => output::write(file, new.as_bytes()).map(drop),
                }
            }
        }
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Config { key, old: Some(old), new: Some(new) } => {
                write!(f, "git config: {key} = {new}\n            instead of {old}")
            }
            Self::Config { key, new: Some(new), .. } => write!(f, "git config: {key} = {new}"),
            Self::Config { key, .. } => write!(f, "git config: {key} removed"),
            Self::Hook { file, sign, lines, .. } => {
                write!(f, "{}:", file.display())?;
                lines.lines().try_for_each(|line| write!(f, "\n  {sign} {line}"))
            }
            Self::Attributes { file, gone, .. } => {
                let (sign, block) = (if *gone { '-' } else { '+' }, attributes::block());
                write!(f, "{}:", file.display())?;
                block.lines().try_for_each(|line| write!(f, "\n  {sign} {line}"))
            }
        }
    }
}
