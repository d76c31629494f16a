//! Hands the result of a merge of directories over: in one transaction, into a new directory, as diffs, or not at all.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use kmerge_core::Side;

use super::carry::FileChange;
use crate::cli::merge::OutputFlags;
use crate::deliver::print_diff;
use crate::dirs::Directories;
use crate::exit::Exit;
use crate::input::STDIO;
use crate::transaction::{self, Change, Entry, Store, commit};
use crate::tree::Dir;

/// Where the result goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Into the destination, which is called so.
    InPlace(PathBuf),
    /// Into another directory, as a whole.
    Directory(PathBuf),
    /// Nowhere: the changes are shown, or only told by the exit code.
    Nowhere { diff: bool, check: bool },
}

impl Target {
    /// Reads the flags; the destination is called `dest`.
    pub(crate) fn new(flags: &OutputFlags, dest: &Path) -> anyhow::Result<Self> {
        let target = match &flags.target.output {
            _ if flags.target.diff || flags.target.check => {
                Self::Nowhere { diff: flags.target.diff, check: flags.target.check }
            }
            Some(path) => {
                ensure!(
                    path.as_os_str() != STDIO,
                    "a directory cannot be written to stdout: give --output a directory"
                );
                ensure!(is_free(path)?, "{} exists and is not an empty directory", path.display());
                Self::Directory(path.clone())
            }
            None => Self::InPlace(dest.to_owned()),
        };
        let report_on_stdout = flags.say.report.as_deref().is_some_and(|report| report.as_os_str() == STDIO);
        ensure!(
            !(report_on_stdout && matches!(target, Self::Nowhere { diff: true, .. })),
            "the report and the diff cannot both go to stdout: give --report a file, or leave --diff out"
        );
        Ok(target)
    }

    /// Hands the changes over.
    pub(crate) fn deliver(&self, changes: &[FileChange], directories: &Directories) -> anyhow::Result<Exit> {
        let dest = || directories.root(Side::Dest).context("a destination is a directory");
        match self {
            Self::InPlace(_) => commit(&Store::needed()?, dest()?, &plain(changes))?,
            Self::Directory(root) => copy(root, changes, directories)?,
            Self::Nowhere { diff, check } => {
                transaction::check(dest()?, &plain(changes))?;
                if *diff {
                    changes.iter().try_for_each(show)?;
                }
                if *check && !changes.is_empty() {
                    return Ok(Exit::Findings);
                }
            }
        }
        Ok(Exit::Clean)
    }
}

fn plain(changes: &[FileChange]) -> Vec<Change> {
    changes.iter().map(|change| change.change.clone()).collect()
}

fn is_free(path: &Path) -> anyhow::Result<bool> {
    if !path.is_dir() {
        return Ok(path.symlink_metadata().is_err());
    }
    let mut entries = path.read_dir().with_context(|| format!("cannot read {}", path.display()))?;
    Ok(entries.next().is_none())
}

/// Writes the destination with its changes into a new directory.
fn copy(root: &Path, changes: &[FileChange], directories: &Directories) -> anyhow::Result<()> {
    let store = Store::needed()?;
    std::fs::create_dir_all(root).with_context(|| format!("cannot create {}", root.display()))?;
    let changed = |path: &str| changes.binary_search_by(|change| change.change.path.as_str().cmp(path)).is_ok();
    let kept = directories.dest().into_iter().filter(|(path, _)| !changed(path));
    let kept = kept.map(|(path, entry)| Change { path, old: None, new: Some(entry) });
    let new = changes.iter().filter(|change| change.change.new.is_some());
    let all: Vec<Change> = kept.chain(new.map(|change| Change { old: None, ..change.change.clone() })).collect();
    let root = Dir::open(root).with_context(|| format!("cannot open {}", root.display()))?;
    commit(&store, &root, &all)
}

/// Prints one change as a diff.
fn show(change: &FileChange) -> anyhow::Result<()> {
    let path = &change.change.path;
    let (before, after) = (change.before.as_ref(), change.change.new.as_ref());
    match (text(before), text(after)) {
        (Some(old), Some(new)) if old == new && before.is_some() == after.is_some() => {
            writeln!(crate::terminal::stdout(), "mode of {path} changes")?;
        }
        (Some(old), Some(new)) => {
            print_diff(path, before.map(|_| old.as_str()), after.map(|_| new.as_str()))?;
        }
        _ => writeln!(crate::terminal::stdout(), "binary file {path} changes")?,
    }
    Ok(())
}

/// What a diff shows of an entry; nothing for what is not there, `None` for what is no text.
fn text(entry: Option<&Entry>) -> Option<String> {
    match entry {
        None => Some(String::new()),
        Some(Entry::Link(target)) => Some(format!("{}\n", target.display())),
        Some(Entry::File { bytes, .. }) => {
            let is_text = !bytes.contains(&0);
            String::from_utf8(bytes.clone()).ok().filter(|_| is_text)
        }
    }
}
