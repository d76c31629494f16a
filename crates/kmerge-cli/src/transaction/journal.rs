//! What a transaction writes down before it changes anything: enough to finish it, and enough to undo it.
//!
//! The journal is kept in the user's [`Store`], so that nothing that a tree holds is ever obeyed. What it says is checked
//! all the same: every path leads inside of the tree, and to nothing of git's. Contents stay in the tree, on its file
//! system and under its owner: a *staging directory* at its root, with a name that nobody can guess and closed to others,
//! has what change N puts in place as `new/N` and, as a second name of the file itself, what stood there as `old/N`.
//! Which file of the states below exists says how far a transaction came; each is reached by one rename:
//!
//! | file      | the tree                                  | the next run                            |
//! |-----------|-------------------------------------------|-----------------------------------------|
//! | none      | untouched                                 |                                         |
//! | `stage`   | untouched but for the staging directory   | removes that                            |
//! | `apply`   | each file is old or new                   | resumes or undoes, as the user says     |
//! | `undo`    | each file is old or new, going back       | goes on undoing                         |
//! | `done`    | all new, or all old                       | removes the staging directory           |

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use super::disk::{self, Fingerprint};
use super::store::{Store, create_private, open_private};
use crate::bytes::Bytes;
use crate::tree::{At, Dir, Kind, check_path};

const VERSION: u32 = 2;

/// Bytes of a journal: enough for a million files.
const MOST: Bytes = Bytes(256 << 20);

/// How the names of staging directories begin; 32 digits follow.
const STAGING: &str = ".kmerge-";

/// How far an interrupted transaction came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// New contents were being written; nothing is changed.
    Stage,
    /// Changes were being put in place.
    Apply,
    /// Changes were being taken back.
    Undo,
    /// Everything was in place, or taken back.
    Done,
}

impl Stage {
    /// A later one hides an earlier one; there is never more than one.
    const ALL: [Self; 4] = [Self::Stage, Self::Apply, Self::Undo, Self::Done];

    const fn file(self) -> &'static str {
        match self {
            Self::Stage => "stage",
            Self::Apply => "apply",
            Self::Undo => "undo",
            Self::Done => "done",
        }
    }

    /// Whether files of the tree may have changed, and not all.
    pub(super) const fn is_between(self) -> bool {
        matches!(self, Self::Apply | Self::Undo)
    }
}

/// One change of one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Step {
    /// Relative to the root, separated by `/`.
    pub(super) path: String,
    /// What stood there; absent when the path is created.
    pub(super) old: Option<Fingerprint>,
    /// What is to stand there; absent when the path is deleted.
    pub(super) new: Option<Fingerprint>,
}

/// A planned transaction, in the order of its steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Journal {
    version: u32,
    /// Where the tree was, for people.
    pub(super) tree: String,
    pub(super) staging: String,
    pub(super) steps: Vec<Step>,
    /// Directories that do not exist yet, parents first.
    pub(super) directories: Vec<String>,
}

impl Journal {
    pub(super) fn new(root: &Dir, steps: Vec<Step>, directories: Vec<String>) -> anyhow::Result<Self> {
        let staging = format!("{STAGING}{:016x}{:016x}", random(), random());
        let journal = Self { version: VERSION, tree: canonical(root), staging, steps, directories };
        journal.check()?;
        Ok(journal)
    }

    /// Whether it leads nowhere but inside of the tree.
    fn check(&self) -> anyhow::Result<()> {
        ensure!(self.version == VERSION, "it was written by another version of kmerge");
        ensure!(is_staging(&self.staging), "{:?} is not a staging directory", self.staging);
        let mut seen = BTreeSet::new();
        for path in self.steps.iter().map(|step| &step.path) {
            check_path(path).with_context(|| format!("cannot write {path}"))?;
            ensure!(seen.insert(path), "{path} changes twice");
        }
        for path in &self.directories {
            check_path(path).with_context(|| format!("cannot create directory {path}"))?;
        }
        let paths = self.steps.iter().map(|step| &step.path).chain(&self.directories);
        let first = |path: &str| path.split('/').next().is_some_and(is_staging);
        ensure!(!paths.clone().any(|path| first(path)), "it changes a staging directory");
        let is_change = |step: &Step| step.old.is_some() || step.new.is_some();
        ensure!(self.steps.iter().all(is_change), "it has a step that changes nothing");
        Ok(())
    }
}

/// The path of the root as the system sees it.
pub(super) fn canonical(root: &Dir) -> String {
    root.shown().canonicalize().unwrap_or_else(|_| root.shown().to_path_buf()).display().to_string()
}

/// Whether a directory at the root of a tree is one that transactions use for a while.
#[must_use]
pub fn is_staging(name: &str) -> bool {
    let digits = name.strip_prefix(STAGING).unwrap_or_default();
    digits.len() == 32 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The system seeds each of these anew; creating the directory fails where the name is taken.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A tree, and where its journal is kept.
#[derive(Debug)]
pub(super) struct Room<'r> {
    pub(super) root: &'r Dir,
    /// The tree's own directory in the store.
    pub(super) own: Dir,
    pub(super) store: Dir,
    pub(super) key: String,
}

impl<'r> Room<'r> {
    /// Opens the place of a tree's journal, if there is one.
    pub(super) fn open(store: &Store, root: &'r Dir) -> anyhow::Result<Option<Self>> {
        let (Some(store), key) = (store.open()?, key(root)?) else { return Ok(None) };
        if disk::look(&store, &key)?.is_none() {
            return Ok(None);
        }
        let own = open_private(&store, &key)?;
        Ok(Some(Self { root, own, store, key }))
    }

    /// Creates it in the store unless it is there.
    pub(super) fn create(store: &Dir, root: &'r Dir) -> anyhow::Result<Self> {
        let (store, key) = (store.clone(), key(root)?);
        create_private(&store, &key).with_context(|| format!("cannot create {}", store.shown_at(&key).display()))?;
        let own = open_private(&store, &key)?;
        Ok(Self { root, own, store, key })
    }

    /// Reads the journal of an interrupted transaction.
    pub(super) fn read(&self) -> anyhow::Result<Option<(Stage, Journal)>> {
        for stage in Stage::ALL {
            let name = stage.file();
            if disk::look(&self.own, name)?.is_none() {
                continue;
            }
            let shown = self.own.shown_at(name);
            let (text, _) = self
                .own
                .read_at_most(name, MOST)
                .with_context(|| format!("cannot read the journal {}", shown.display()))?;
            let journal: Journal =
                serde_json::from_slice(&text).with_context(|| format!("{} is not a journal", shown.display()))?;
            journal.check().with_context(|| format!("{} is not a valid journal", shown.display()))?;
            return Ok(Some((stage, journal)));
        }
        Ok(None)
    }

    /// Writes the journal down: from here on there may be a staging directory.
    pub(super) fn stage(&self, journal: &Journal) -> anyhow::Result<()> {
        let bytes = serde_json::to_vec(journal)?;
        ensure!(bytes.len() as u64 <= MOST.0, "these are too many changes for one merge");
        disk::write_own(&self.own, "draft", &bytes)?;
        self.turn("draft", Stage::Stage)
    }

    /// Goes from one state to the next.
    pub(super) fn go(&self, from: Stage, to: Stage) -> anyhow::Result<()> {
        self.turn(from.file(), to)
    }

    fn turn(&self, from: &str, to: Stage) -> anyhow::Result<()> {
        disk::rename(At { dir: &self.own, name: from }, At { dir: &self.own, name: to.file() })?;
        disk::sync_dir(&self.own)
    }

    /// Removes everything but the lock: what a transaction left that is over, or had not begun.
    pub(super) fn clear(&self) -> anyhow::Result<()> {
        let found = self.read()?;
        if let Some((_, journal)) = &found {
            Staging::remove(self.root, &journal.staging)?;
            disk::sync_dir(self.root)?;
        }
        disk::remove_file(&self.own, "draft")?;
        found.map_or(Ok(()), |(stage, _)| disk::remove_file(&self.own, stage.file()))
    }
}

fn key(root: &Dir) -> anyhow::Result<String> {
    let found = root.found().with_context(|| format!("cannot look at {}", root.shown().display()))?;
    let (device, inode) = found.identity;
    Ok(format!("{device:x}-{inode:x}"))
}

/// The contents of a transaction, on the file system of the tree.
#[derive(Debug)]
pub(super) struct Staging {
    pub(super) new: Dir,
    pub(super) old: Dir,
}

impl Staging {
    pub(super) fn create(root: &Dir, name: &str) -> anyhow::Result<Self> {
        let dir = disk::create_private_dir(root, name)?;
        let staging = Self { new: disk::create_private_dir(&dir, "new")?, old: disk::create_private_dir(&dir, "old")? };
        disk::sync_dir(&dir)?;
        disk::sync_dir(root)?;
        Ok(staging)
    }

    pub(super) fn open(root: &Dir, name: &str) -> anyhow::Result<Self> {
        let open = |inner| root.child(name).and_then(|dir| dir.child(inner));
        let staging = open("new").and_then(|new| Ok(Self { new, old: open("old")? }));
        staging
            .with_context(|| format!("{} is gone, which has the contents of the merge", root.shown_at(name).display()))
    }

    fn remove(root: &Dir, name: &str) -> anyhow::Result<()> {
        if !disk::look(root, name)?.is_some_and(|found| found.kind == Kind::Directory) {
            return Ok(());
        }
        let dir = root.child(name).with_context(|| format!("cannot open {}", root.shown_at(name).display()))?;
        disk::remove_flat_dir(&dir, "new")?;
        disk::remove_flat_dir(&dir, "old")?;
        ensure!(disk::remove_empty_dir(root, name)?, "{} is not empty", dir.shown().display());
        Ok(())
    }

    /// Whether the new content of a change is in its place: it left, or what it replaced came for it.
    pub(super) fn is_applied(&self, index: &str) -> anyhow::Result<bool> {
        let (new, old) = (disk::look(&self.new, index)?, disk::look(&self.old, index)?);
        Ok(new.is_none_or(|new| old.is_some_and(|old| old.identity == new.identity)))
    }
}
