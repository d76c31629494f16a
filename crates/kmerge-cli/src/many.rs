//! Many files that change together: which, and how they are shown or written.
//!
//! Invariant: all files are written, or none; what another program writes into one of them meanwhile ends it before.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cli::merge::TargetFlags;
use crate::deliver::{Target, print_diff};
use crate::exit::Exit;
use crate::files::{FileChange, write_all};
use crate::input::Source;
use crate::walk::manifests;

/// A file and what becomes of it.
#[derive(Debug)]
pub(crate) struct Changed {
    pub(crate) path: PathBuf,
    pub(crate) before: Source,
    pub(crate) after: Source,
}

/// All manifests that files and directories name, each once.
pub(crate) fn manifests_of(inputs: &[PathBuf]) -> anyhow::Result<Vec<PathBuf>> {
    let (mut files, mut known) = (Vec::new(), BTreeSet::new());
    for input in inputs {
        for file in manifests(input)? {
            let real = file.canonicalize().with_context(|| format!("cannot read {}", file.display()))?;
            if known.insert(real) {
                files.push(file);
            }
        }
    }
    Ok(files)
}

/// Shows the changes, counts them, or writes them.
pub(crate) fn deliver(changes: &[Changed], flags: &TargetFlags) -> anyhow::Result<Exit> {
    if flags.diff {
        for Changed { before, after, .. } in changes {
            print_diff(&before.name, Some(&before.text), Some(&after.text))?;
        }
    }
    if flags.in_place {
        write(changes)?;
    }
    Ok(if flags.check && !changes.is_empty() { Exit::Findings } else { Exit::Clean })
}

fn write(changes: &[Changed]) -> anyhow::Result<()> {
    if let [Changed { path, before, after }] = changes {
        return Target::InPlace(path.clone()).deliver(&after.text, before).map(drop);
    }
    let real = |change: &Changed| {
        let path = change.path.canonicalize();
        path.with_context(|| format!("cannot write {}", change.path.display()))
    };
    let paths = changes.iter().map(real).collect::<anyhow::Result<Vec<PathBuf>>>()?;
    let Some(root) = common_directory(&paths) else { return Ok(()) };
    let change = |(path, change): (&PathBuf, &Changed)| {
        let parts: Option<Vec<&str>> = path.strip_prefix(&root)?.iter().map(|part| part.to_str()).collect();
        Ok(FileChange {
            path: parts.with_context(|| format!("{}: the name is not UTF-8", path.display()))?.join("/"),
            before: Some(change.before.text.clone()),
            after: change.after.text.clone(),
        })
    };
    let mut writes = paths.iter().zip(changes).map(change).collect::<anyhow::Result<Vec<FileChange>>>()?;
    writes.sort_by(|a, b| a.path.cmp(&b.path));
    write_all(&root, &writes)
}

/// The directory that all files are below.
fn common_directory(paths: &[PathBuf]) -> Option<PathBuf> {
    let mut common = paths.first()?.parent()?.to_owned();
    while !paths.iter().all(|path| path.starts_with(&common)) {
        common = common.parent().map(Path::to_owned)?;
    }
    Some(common)
}
