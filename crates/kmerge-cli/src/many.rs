//! Many files that change together: which, and how they are shown or written.
//!
//! Invariant: all files are written, or none; what another program writes into one of them meanwhile ends it before.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cli::merge::TargetFlags;
use crate::deliver::{Target, print_diff};
use crate::exit::Exit;
use crate::files::write_several;
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

/// Shows the changes, counts them, or writes them to files that `inputs` name.
pub(crate) fn deliver(changes: &[Changed], inputs: &[PathBuf], flags: &TargetFlags) -> anyhow::Result<Exit> {
    if flags.diff {
        for Changed { before, after, .. } in changes {
            print_diff(&before.name, Some(&before.text), Some(&after.text))?;
        }
    }
    if flags.in_place {
        write(changes, inputs)?;
    }
    Ok(if flags.check && !changes.is_empty() { Exit::Findings } else { Exit::Clean })
}

fn write(changes: &[Changed], inputs: &[PathBuf]) -> anyhow::Result<()> {
    if let [Changed { path, before, after }] = changes {
        return Target::InPlace(path.clone()).deliver(&after.text, before).map(drop);
    }
    let files: Vec<(&Path, [&Source; 2])> =
        changes.iter().map(|Changed { path, before, after }| (path.as_path(), [before, after])).collect();
    write_several(&files, inputs)
}
