//! A merge of directories from end to end: trees in, one transaction, report and notices out.

mod carry;
mod deliver;
mod explain;
mod notice;

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use kmerge_core::Slots;
use kmerge_core::package::plan;

use crate::cli::merge::OutputFlags;
use crate::dirs::{self, Directories};
use crate::exit::Exit;
use crate::options::{Conflicts, Options};
use crate::progress::Progress;
use crate::transaction::interrupted;
use carry::Carried;
use deliver::Target;

/// Merges directories; the destination is written in place unless the flags say otherwise.
pub(crate) fn merge_dirs(roots: &Slots<PathBuf>, options: &Options, flags: &OutputFlags) -> anyhow::Result<Exit> {
    let Some(dest) = &roots.dest else { bail!("there is no destination") };
    let target = Target::new(flags, dest)?;
    if let Some(found) = interrupted(dest)? {
        bail!("{found}");
    }
    let progress = Progress::new(flags.quiet);
    let directories = progress.run("reading", |seen| dirs::read(roots, seen))?;
    let carried = merge(&directories, roots, options, &progress)?;
    finish(&carried, &target, &directories, (options, flags))
}

/// Merges trees that were read.
fn merge(
    directories: &Directories,
    roots: &Slots<PathBuf>,
    options: &Options,
    progress: &Progress,
) -> anyhow::Result<Carried> {
    let trees = directories.trees()?;
    let names = carry::Names::new(roots);
    let plan = plan(&trees, options.policy.contested).map_err(|error| explain::package(&error, &trees, &names))?;
    let job = carry::Job { directories, trees: &trees, plan: &plan, options, names: &names };
    progress.run("merging", |seen| carry::carry_out(&job, seen))
}

/// Says what was decided, and writes the result unless there are conflicts that forbid it.
fn finish(
    carried: &Carried,
    target: &Target,
    directories: &Directories,
    (options, flags): (&Options, &OutputFlags),
) -> anyhow::Result<Exit> {
    notice::write_report(carried, flags)?;
    let has_conflicts = carried.conflicts() > 0;
    if has_conflicts && options.conflicts == Conflicts::Fail {
        notice::conflicts(carried)?;
        return Ok(Exit::Findings);
    }
    notice::decided(carried, flags)?;
    let exit = target.deliver(&carried.changes, directories)?;
    Ok(if has_conflicts { Exit::Findings } else { exit })
}

/// Whether any input is a directory; then all of them have to be.
pub(crate) fn are_directories<'p>(paths: impl IntoIterator<Item = &'p Path>) -> anyhow::Result<bool> {
    let paths: Vec<&Path> = paths.into_iter().collect();
    let Some(directory) = paths.iter().find(|path| path.is_dir()) else { return Ok(false) };
    if let Some(other) = paths.iter().find(|path| !path.is_dir()) {
        ensure!(other.exists(), "cannot read {}: no such directory", other.display());
        bail!("{} is a directory and {} is not: merge files with files", directory.display(), other.display());
    }
    Ok(true)
}
