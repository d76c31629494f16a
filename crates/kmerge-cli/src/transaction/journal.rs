//! What a transaction writes down before it changes anything: enough to finish it, and enough to undo it.
//!
//! All of it lives in [`DIRECTORY`] at the root of the tree. `new/N` holds what change N puts in place, `old/N` what
//! stood there. Which file of the states below exists says how far a transaction came; each is reached by one rename:
//!
//! | file      | the tree                                  | the next run                            |
//! |-----------|-------------------------------------------|-----------------------------------------|
//! | none      | untouched                                 | clears the directory                    |
//! | `apply`   | each file is old or new                   | resumes or undoes, as the user says     |
//! | `undo`    | each file is old or new, going back       | goes on undoing                         |
//! | `done`    | all new, or all old                       | clears the directory                    |

use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};

use super::disk::{self, Entry, Fingerprint};

/// Name of the directory that holds a transaction while it lasts.
pub(crate) const DIRECTORY: &str = ".kmerge-transaction";

const VERSION: u32 = 1;

/// How far an interrupted transaction came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Changes were being put in place.
    Apply,
    /// Changes were being taken back.
    Undo,
}

impl Stage {
    const fn file(self) -> &'static str {
        match self {
            Self::Apply => "apply",
            Self::Undo => "undo",
        }
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
    pub(super) steps: Vec<Step>,
    /// Directories that do not exist yet, parents first.
    pub(super) directories: Vec<String>,
}

impl Journal {
    pub(super) const fn new(steps: Vec<Step>, directories: Vec<String>) -> Self {
        Self { version: VERSION, steps, directories }
    }
}

/// The paths of a transaction in one tree.
#[derive(Clone, Debug)]
pub(super) struct Room {
    pub(super) root: PathBuf,
}

impl Room {
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf() }
    }

    pub(super) fn directory(&self) -> PathBuf {
        self.root.join(DIRECTORY)
    }

    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.directory().join(name)
    }

    /// Where change `index` keeps what is to be put in place.
    pub(super) fn new_entry(&self, index: usize) -> PathBuf {
        self.directory().join("new").join(index.to_string())
    }

    /// Where change `index` keeps what stood there.
    pub(super) fn old_entry(&self, index: usize) -> PathBuf {
        self.directory().join("old").join(index.to_string())
    }

    /// Where a change happens.
    pub(super) fn target(&self, step: &Step) -> PathBuf {
        self.root.join(&step.path)
    }

    /// Reads the journal of an interrupted transaction.
    pub(super) fn read(&self) -> anyhow::Result<Option<(Stage, Journal)>> {
        for stage in [Stage::Apply, Stage::Undo] {
            let path = self.file(stage.file());
            if disk::look(&path)?.is_none() {
                continue;
            }
            let text = std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let journal: Journal =
                serde_json::from_slice(&text).with_context(|| format!("{} is no journal", path.display()))?;
            ensure!(journal.version == VERSION, "{} was written by another version of kmerge", path.display());
            return Ok(Some((stage, journal)));
        }
        Ok(None)
    }

    /// Writes the journal down: from here on the transaction can be finished.
    pub(super) fn begin(&self, journal: &Journal) -> anyhow::Result<()> {
        let draft = self.file("draft");
        let bytes = serde_json::to_vec_pretty(journal)?;
        disk::write_new(&draft, &Entry::File { bytes, permissions: None })?;
        disk::sync_file(&draft)?;
        disk::rename(&draft, &self.file(Stage::Apply.file()))?;
        disk::sync_dir(&self.directory())
    }

    /// Decides to go back: from here on the transaction can only be undone.
    pub(super) fn turn_back(&self) -> anyhow::Result<()> {
        disk::rename(&self.file(Stage::Apply.file()), &self.file(Stage::Undo.file()))?;
        disk::sync_dir(&self.directory())
    }

    /// Marks the transaction as over, whichever way it went.
    pub(super) fn end(&self, stage: Stage) -> anyhow::Result<()> {
        disk::rename(&self.file(stage.file()), &self.file("done"))?;
        disk::sync_dir(&self.directory())
    }

    /// Removes everything but the directory and its lock.
    pub(super) fn clear(&self) -> anyhow::Result<()> {
        disk::remove_tree(&self.file("new"))?;
        disk::remove_tree(&self.file("old"))?;
        disk::remove_file(&self.file("draft"))?;
        disk::remove_file(&self.file("done"))
    }
}
