//! A merge of directories from end to end: trees in, one transaction, report and notices out.

mod carry;
mod deliver;
mod explain;
mod misfit;
mod notice;

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use kmerge_core::{Policy, Side, Slots};

use crate::cli::merge::OutputFlags;
use crate::crds::of_trees;
use crate::dirs::{self, Directories, Tree};
use crate::exit::Exit;
use crate::options::{Conflicts, Options};
use crate::progress::Progress;
use crate::transaction::{Store, interrupted};
use crate::tree::Dir;
pub(crate) use carry::{Carried, FileChange, Names};
pub(crate) use deliver::Target;
pub(crate) use explain::package as explain_package;

/// Merges directories; the destination is written in place unless the flags say otherwise.
pub(crate) fn merge_dirs(roots: Slots<PathBuf>, options: &Options, flags: &OutputFlags) -> anyhow::Result<Exit> {
    let Some(dest) = roots.dest.clone() else { bail!("there is no destination") };
    merge_steps(&dest, &[roots], options, flags)
}

/// Merges directories into one, 2-way; the first has the last word.
pub(crate) fn merge_sources(
    sources: &[PathBuf],
    dest: &Path,
    options: &Options,
    flags: &OutputFlags,
) -> anyhow::Result<Exit> {
    let step = |source: &PathBuf| Slots { dest: Some(dest.to_owned()), base: None, incoming: Some(source.clone()) };
    let steps: Vec<Slots<PathBuf>> = sources.iter().rev().map(step).collect();
    merge_steps(dest, &steps, options, flags)
}

/// Merges the directories of each step into what the step before made of the destination.
fn merge_steps(dest: &Path, steps: &[Slots<PathBuf>], options: &Options, flags: &OutputFlags) -> anyhow::Result<Exit> {
    let target = Target::new(flags, dest)?;
    refuse_interrupted(dest)?;
    let progress = Progress::new(flags.say.quiet);
    let mut carried = Carried::default();
    let mut before: Option<Directories> = None;
    for step in steps {
        let mut trees = step.clone().map(Tree::Disk);
        if let Some(before) = &before {
            trees.dest = Some(Tree::Memory(carried.applied(before.dest())));
        }
        let directories = progress.run("reading", |count| dirs::read(&trees, count))?;
        carried.absorb(merge(&directories, step, options, &progress)?);
        if options.conflicts == Conflicts::Fail && carried.conflicts() > 0 {
            break;
        }
        before.get_or_insert(directories);
    }
    finish(&carried, &target, before.as_ref(), (options, flags))
}

/// What a merge of directories would change, and what it decides, of which nothing is said or written.
pub(crate) fn preview(roots: &Slots<PathBuf>, options: &Options) -> anyhow::Result<(Directories, Carried)> {
    let progress = Progress::new(false);
    let directories = progress.run("reading", |count| dirs::read(&roots.clone().map(Tree::Disk), count))?;
    let carried = merge(&directories, roots, options, &progress)?;
    Ok((directories, carried))
}

/// A file of the destination that is changed along with a merge, whatever the merge makes of it.
pub(crate) struct Beside<E> {
    /// Relative to the destination.
    pub(crate) path: &'static str,
    /// Its new text, of the one that it has; `None` where it stays.
    pub(crate) edit: E,
}

/// Merges trees, writes a file beside them, and tells what became of each resource.
pub(crate) fn merge_trees<E: FnOnce(&str) -> anyhow::Result<Option<String>>>(
    names: &Slots<PathBuf>,
    trees: &Slots<Tree>,
    options: &Options,
    (flags, beside): (&OutputFlags, Beside<E>),
) -> anyhow::Result<Exit> {
    let dest = names.dest.as_deref().context("there is no destination")?;
    let target = Target::new(flags, dest)?;
    refuse_interrupted(dest)?;
    let progress = Progress::new(flags.say.quiet);
    let directories = progress.run("reading", |count| dirs::read(trees, count))?;
    let mut carried = merge(&directories, names, options, &progress)?;
    if options.conflicts != Conflicts::Fail || carried.conflicts() == 0 {
        carried.put(&directories, beside)?;
    }
    if !flags.say.quiet {
        notice::shares(&carried)?;
    }
    finish(&carried, &target, Some(&directories), (options, flags))
}

/// An interrupted merge has to be settled first; a user without a place for journals has none.
pub(crate) fn refuse_interrupted(root: &Path) -> anyhow::Result<()> {
    let Some(store) = Store::of_user() else { return Ok(()) };
    let root = Dir::open(root).with_context(|| format!("cannot read directory {}", root.display()))?;
    interrupted(&store, &root)?.map_or(Ok(()), |found| bail!("{found}"))
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
    let plan = trees.plan(options.policy.both_changed).map_err(|error| explain::package(&error, &trees, &names))?;
    let schema = of_trees(&options.schema, &trees, &names)?;
    let in_place = if options.policy == Policy::GIT { plan.in_place(&trees) } else { HashMap::new() };
    let job = carry::Job { directories, trees: &trees, plan: &plan, in_place, options, schema: &schema, names: &names };
    progress.run("merging", |count| carry::carry_out(&job, count))
}

/// Says what was decided, and writes the result unless there are conflicts that forbid it.
fn finish(
    carried: &Carried,
    target: &Target,
    before: Option<&Directories>,
    (options, flags): (&Options, &OutputFlags),
) -> anyhow::Result<Exit> {
    let has_conflicts = carried.conflicts() > 0;
    let fails = has_conflicts && options.conflicts == Conflicts::Fail;
    notice::write_report(carried, flags, fails)?;
    if fails {
        notice::conflicts(carried)?;
        return Ok(Exit::Findings);
    }
    notice::decided(carried, flags)?;
    let exit = before.map_or(Ok(Exit::Clean), |before| target.deliver(&carried.changes, before))?;
    if let (Some(before), false) = (before, flags.say.quiet)
        && let Some(root) = before.root(Side::Dest)
    {
        notice::misfits(root, &misfit::misfits(carried, before))?;
    }
    notice::done(carried, flags, target)?;
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
