//! `kmerge resolve`: does what can be done about conflicts without the people who know what was meant.

mod interactive;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use kmerge_core::lines::Style;
use kmerge_core::{Schema, Side};

use crate::cli::ResolveArgs;
use crate::deliver::print_diff;
use crate::exit::Exit;
use crate::git::index::stages;
use crate::gone::Gone;
use crate::input::{STDIO, read_bytes};
use crate::merge_files::only_one_is_stdin;
use crate::resolve::{BaseShown, Outcome, Resolved, resolve};
use crate::setup::attributes;
use crate::{git, options, output};

pub(crate) fn run(args: &ResolveArgs) -> anyhow::Result<Exit> {
    only_one_is_stdin(&args.files)?;
    let schema = options::schema(&args.schema)?;
    let files = if args.files.is_empty() { unmerged(args)? } else { args.files.clone() };
    if args.interactive {
        return interactive::run(args, &files, &schema);
    }
    each(&files, |file| match is_no_manifest(args, file) {
        true => told(args, file, NO_MANIFEST, Exit::Findings),
        false => one(args, file, &schema),
    })
}

/// Why a file is not touched.
const NO_MANIFEST: &str = "not merged, and no YAML: it is left to you";

/// Does something with each file; trouble with one does not keep the others from it.
fn each(files: &[PathBuf], mut act: impl FnMut(&Path) -> anyhow::Result<Exit>) -> anyhow::Result<Exit> {
    let mut worst = Exit::Clean;
    for file in files {
        let exit = act(file).unwrap_or_else(|error| crate::trouble(&error));
        worst = match (worst, exit) {
            (Exit::Trouble, _) | (_, Exit::Clean) => worst,
            (_, exit) => exit,
        };
    }
    Ok(worst)
}

/// The files that git could not merge.
fn unmerged(args: &ResolveArgs) -> anyhow::Result<Vec<PathBuf>> {
    git::require_repository("; name the files")?;
    let files = git::index::unmerged()?;
    if files.is_empty() && !args.quiet {
        writeln!(crate::terminal::stderr(), "git has no unmerged files")?;
    }
    Ok(files)
}

/// Whether a file that git named, not the user, is none that kmerge is for.
fn is_no_manifest(args: &ResolveArgs, path: &Path) -> bool {
    args.files.is_empty() && !path.to_str().is_some_and(attributes::is_manifest)
}

fn one(args: &ResolveArgs, path: &Path, schema: &Schema) -> anyhow::Result<Exit> {
    let is_stdin = path.as_os_str() == STDIO;
    ensure!(is_stdin || !path.is_dir(), "{} is a directory", path.display());
    let stages = if is_stdin { None } else { stages(path)? };
    if !is_stdin && stages.is_some() && !path.exists() {
        return untouched(args, path, &Resolved::Removed, true);
    }
    let base = BaseShown::AsFound(style_with_base());
    let resolve = |text: &[u8]| resolve(text, stages.as_ref(), schema, base);
    let resolved = if is_stdin || args.diff { shown(args, path, resolve)? } else { written(path, resolve)? };
    let name = if is_stdin { Path::new("<stdin>") } else { path };
    match resolved {
        Resolved::Merged(outcome) => {
            tell(args, name, &outcome, stages.is_some())?;
            Ok(if outcome.left.is_empty() { Exit::Clean } else { Exit::Findings })
        }
        unmerged => untouched(args, name, &unmerged, stages.is_some()),
    }
}

/// Resolves what a file or stdin holds, and shows what comes of it.
fn shown(args: &ResolveArgs, path: &Path, resolve: impl Fn(&[u8]) -> Resolved) -> anyhow::Result<Resolved> {
    let (_, old) = read_bytes(path)?;
    let resolved = resolve(&old);
    let new = if let Resolved::Merged(outcome) = &resolved { &outcome.text } else { &old };
    if args.diff {
        let [old, new] = [&old, new].map(|text| String::from_utf8_lossy(text));
        print_diff(&path.display().to_string(), Some(&old), Some(&new))?;
    } else {
        std::io::stdout().write_all(new)?;
    }
    Ok(resolved)
}

/// Resolves what a file holds, and writes what comes of it.
fn written(path: &Path, resolve: impl Fn(&[u8]) -> Resolved) -> anyhow::Result<Resolved> {
    let mut last = None;
    output::edit(path, |old| {
        let resolved = resolve(old);
        let new = if let Resolved::Merged(outcome) = &resolved { outcome.text.clone() } else { old.to_vec() };
        last = Some(resolved);
        Ok(new)
    })?;
    Ok(last.expect("an edit asks at least once"))
}

/// Says why nothing was done.
fn untouched(args: &ResolveArgs, path: &Path, why: &Resolved, is_unmerged: bool) -> anyhow::Result<Exit> {
    match why {
        Resolved::Stray(line) => {
            let message = format!("a conflict marker without its conflict on line {line}; nothing was changed");
            told(args, path, &message, Exit::Findings)
        }
        Resolved::Ours => {
            let message = "this is ours, without what theirs changed; `git add` it if that is meant, \
                 `git checkout --merge` brings the conflict back";
            told(args, path, message, Exit::Findings)
        }
        Resolved::Removed => {
            told(args, path, "one side removed it, the other changed it; `git add` or `git rm` it", Exit::Findings)
        }
        Resolved::NoBase => {
            let message = "the conflicts do not show what both sides started from (merge.conflictStyle = diff3 does), \
                 and git has no versions of the file; nothing was changed";
            told(args, path, message, Exit::Findings)
        }
        _ if is_unmerged => told(args, path, "no conflict is left; `git add` says so to git", Exit::Clean),
        _ => told(args, path, "no conflict", Exit::Clean),
    }
}

/// So many conflicts are told one by one.
const MOST: usize = 10;

fn tell(args: &ResolveArgs, path: &Path, outcome: &Outcome, is_unmerged: bool) -> anyhow::Result<()> {
    if args.quiet {
        return Ok(());
    }
    let mut out = crate::terminal::stderr();
    let name = path.display();
    if outcome.left.is_empty() {
        let hint = if is_unmerged && !args.diff { "; `git add` says so to git" } else { "" };
        writeln!(out, "{name}: {} resolved{hint}", conflicts(outcome.before))?;
        return tell_of_comments(path, &outcome.gone);
    }
    writeln!(out, "{name}: {} left of {}", conflicts(outcome.left.len()), outcome.before.max(outcome.left.len()))?;
    let most = if args.verbose { usize::MAX } else { MOST };
    for dispute in outcome.disputes.iter().take(most) {
        writeln!(out, "  {dispute}")?;
    }
    if outcome.disputes.len() > most {
        writeln!(out, "  and {} more", outcome.disputes.len() - most)?;
    }
    if outcome.disputes.is_empty() {
        let lines: Vec<String> = outcome.left.iter().take(most).map(ToString::to_string).collect();
        let more = if outcome.left.len() > most { ", …" } else { "" };
        writeln!(out, "  on {} {}{more}", if lines.len() == 1 { "line" } else { "lines" }, lines.join(", "))?;
    }
    tell_of_comments(path, &outcome.gone)
}

/// Says which comments went with what the other side removed. What they say is not shown, as it may be a password.
fn tell_of_comments(path: &Path, gone: &[Gone]) -> anyhow::Result<()> {
    let mut out = crate::terminal::stderr();
    for Gone { side, others, .. } in gone {
        let side = if *side == Side::Incoming { "theirs" } else { "ours" };
        let comments = if *others > 0 {
            format!("{} comments of {side} are", others + 1)
        } else {
            format!("a comment of {side} is")
        };
        writeln!(out, "{}: {comments} gone with what the other side removed", path.display())?;
    }
    Ok(())
}

fn conflicts(count: usize) -> String {
    format!("{count} {}", if count == 1 { "conflict" } else { "conflicts" })
}

fn told(args: &ResolveArgs, path: &Path, message: &str, exit: Exit) -> anyhow::Result<Exit> {
    if !args.quiet {
        writeln!(crate::terminal::stderr(), "{}: {message}", path.display()).context("cannot write to stderr")?;
    }
    Ok(exit)
}

/// Which style with a base the user has chosen for git.
fn style_with_base() -> Style {
    match git::effective_config("merge.conflictStyle") {
        Ok(Some(style)) if style == "zdiff3" => Style::Zdiff3,
        _ => Style::Diff3,
    }
}
