//! `kmerge resolve --interactive`: what structure cannot decide is asked on the terminal.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use kmerge_core::Schema;
use kmerge_core::markers::hunks;

use super::{NO_MANIFEST, each, is_no_manifest, tell, told, untouched};
use crate::cli::ResolveArgs;
use crate::exit::Exit;
use crate::git::index::stages;
use crate::gone::Gone;
use crate::input::{STDIO, read_bytes};
use crate::resolve::{Outcome, Resolved, lines_of};
use crate::review::screen::{Ended, decide, require_terminal};
use crate::review::{Merge, Written, gather};

/// What is to be decided.
#[derive(Default)]
struct Open {
    merges: Vec<Merge>,
    files: Vec<Written>,
    about: Vec<About>,
}

/// What is known of a file before anybody was asked.
struct About {
    /// How many conflicts it had, or has when its structure is merged.
    before: usize,
    /// Whether git's index holds its versions.
    is_unmerged: bool,
    /// The comments that go with what the other side removed, whatever is chosen.
    gone: Vec<Gone>,
}

pub(super) fn run(args: &ResolveArgs, paths: &[PathBuf], schema: &Schema) -> anyhow::Result<Exit> {
    require_terminal()?;
    let mut open = Open::default();
    let worst = each(paths, |path| match is_no_manifest(args, path) {
        true => told(args, path, NO_MANIFEST, Exit::Findings),
        false => open.add(args, path, schema),
    })?;
    let is_asked = open.merges.iter().any(|merge| !hunks(merge.result.as_bytes()).is_empty());
    if open.merges.is_empty() {
        return Ok(worst);
    }
    if !is_asked {
        // Nobody has to be asked: this is what `kmerge resolve` does alone.
        let done = each(paths, |path| super::one(args, path, schema))?;
        return Ok(done);
    }
    let ended = decide(&open.merges, &mut open.files, schema)?;
    let left = open.tell(args, ended)?;
    Ok(if worst == Exit::Clean && left { Exit::Findings } else { worst })
}

impl Open {
    /// Reads a file; what is no conflict for anybody to decide is said.
    fn add(&mut self, args: &ResolveArgs, path: &Path, schema: &Schema) -> anyhow::Result<Exit> {
        ensure!(path.as_os_str() != STDIO, "--interactive reads keys from stdin: name files");
        ensure!(!path.is_dir(), "{} is a directory", path.display());
        let stages = stages(path)?;
        if stages.is_some() && !path.exists() {
            return untouched(args, path, &Resolved::Removed, true);
        }
        let (_, text) = read_bytes(path)?;
        let is_unmerged = stages.is_some();
        let before = hunks(&text).len();
        let (resolved, merge) = gather::in_conflict(path, &text, stages, schema);
        let after = hunks(merge.result.as_bytes()).len();
        match resolved {
            Resolved::Merged(_) | Resolved::NoBase => {
                let gone = if let Resolved::Merged(outcome) = resolved { outcome.gone } else { Vec::new() };
                self.merges.push(merge);
                self.files.push(Written { path: path.to_owned(), before: text });
                self.about.push(About { before: before.max(after), is_unmerged, gone });
                Ok(Exit::Clean)
            }
            why => untouched(args, path, &why, is_unmerged),
        }
    }

    /// Says what became of the files, and whether conflicts are left.
    fn tell(self, args: &ResolveArgs, ended: Ended) -> anyhow::Result<bool> {
        let mut is_any_left = false;
        for (file, about) in self.files.iter().zip(self.about) {
            let found = hunks(&file.before);
            is_any_left |= !found.is_empty();
            let left = lines_of(&file.before, &found);
            let About { before, is_unmerged, gone } = about;
            let outcome = Outcome { text: Vec::new(), before, left, disputes: Vec::new(), gone };
            match ended {
                Ended::Quit if !found.is_empty() => drop(told(args, &file.path, "not written", Exit::Findings)?),
                _ => tell(args, &file.path, &outcome, is_unmerged)?,
            }
        }
        Ok(is_any_left)
    }
}
