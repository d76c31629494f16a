//! Finds the merges that a page is about.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use kmerge_core::git::{self as driver, Disagreement};
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::{Policy, Schema, Side, Slots};

use super::file::Merge;
use crate::cmd::explain::driver::decisions;
use crate::dispute;
use crate::git;
use crate::git::history::{Blob, Differences, Trees, Versions, common_base, differences, finished_merge};
use crate::git::index::{Stages, stages};
use crate::git::merge_tree::Merger;
use crate::git::objects::Blobs;
use crate::input::read_bytes;
use crate::merge_dirs::preview;
use crate::options::{Conflicts, Options};
use crate::report::FileReport;
use crate::resolve::{Resolved, resolve};
use crate::transaction::Entry;

/// The files that a merge in progress has left in conflict, as they stand in the working tree.
pub(crate) fn unmerged(schema: &Schema) -> anyhow::Result<Vec<Merge>> {
    git::require_repository(": name a commit, or --base, --ours and --theirs")?;
    let mut merges = Vec::new();
    for path in git::index::unmerged()? {
        let (Some(stages), true) = (stages(&path)?, path.exists()) else { continue };
        let (_, text) = read_bytes(&path)?;
        merges.push(of_stages(&path, &text, stages, schema));
    }
    Ok(merges)
}

/// An unmerged file: what structure can resolve is resolved.
fn of_stages(path: &Path, text: &[u8], stages: Stages, schema: &Schema) -> Merge {
    let resolved = resolve(text, Some(&stages), schema, false);
    let result = if let Resolved::Merged(outcome) = &resolved { &outcome.text } else { text };
    let texts = sides(stages.ours, stages.base, stages.theirs);
    of_texts(&path.display().to_string(), &texts, String::from_utf8_lossy(result).into_owned(), schema)
}

/// A merge of three files as git's driver does it.
pub(crate) fn files([base, ours, theirs]: [&Path; 3], schema: &Schema) -> anyhow::Result<Vec<Merge>> {
    let [base, own, theirs] = [read_bytes(base)?.1, read_bytes(ours)?.1, read_bytes(theirs)?.1];
    Ok(vec![merged(&ours.display().to_string(), &sides(Some(own), Some(base), Some(theirs)), schema)])
}

/// A merge of three directories; the files that it changes.
pub(crate) fn directories(roots: &Slots<PathBuf>, options: &Options) -> anyhow::Result<Vec<Merge>> {
    let (directories, carried) = preview(roots, options)?;
    let mut reports: HashMap<Option<String>, Vec<FileReport>> = HashMap::new();
    for report in carried.reports {
        reports.entry(report.names.dest.clone().or_else(|| report.names.incoming.clone())).or_default().push(report);
    }
    let root = roots.dest.as_deref().unwrap_or(Path::new("."));
    let text = |entry: &Entry| match entry {
        Entry::File { bytes, .. } => String::from_utf8_lossy(bytes).into_owned(),
        Entry::Link(_) => String::new(),
    };
    let mut merge = |path: &str, new: Option<&Entry>| {
        let side = |side: Side| directories.entry(side, path).map(|(entry, _)| text(entry));
        let sides = Slots { dest: side(Side::Dest), base: side(Side::Base), incoming: side(Side::Incoming) };
        let names = roots.clone().map(|root| root.join(path).display().to_string());
        let note = new.is_none().then(|| "the file goes".to_owned());
        let result = new.map(text).unwrap_or_default();
        let own = if sides.dest.is_some() { names.dest.clone() } else { names.incoming.clone() };
        let reports = reports.remove(&own).unwrap_or_default();
        Merge { path: root.join(path).display().to_string(), sides, result, names, reports, note }
    };
    Ok(carried.changes.iter().map(|it| merge(&it.change.path, it.change.new.as_ref())).collect())
}

/// A finished merge: the files that both parents changed, as they were committed.
pub(crate) fn commit(name: &str, schema: &Schema) -> anyhow::Result<Vec<Merge>> {
    git::require_repository("")?;
    let mut merger = Merger::new(" --on-conflict base")?;
    let finished = finished_merge(&mut merger, name)?;
    let compare = |tree: &str| differences(&merger.git, &finished.base, tree);
    let [first, second] = &finished.parents;
    let trees = Trees { parents: [compare(first)?, compare(second)?], merge: compare(&finished.commit)? };
    let mut blobs = merger.git.blobs()?;
    let mut merges = Vec::new();
    for versions in both_changed(&trees) {
        let sides = contents(&versions, &mut blobs)?;
        let result = versions.merge.as_ref().map_or(Ok(Vec::new()), |blob| blobs.read(&blob.id))?;
        let result = String::from_utf8_lossy(&result).into_owned();
        let mut merge = of_texts(versions.path(), &sides, result, schema);
        merge.note = versions.merge.is_none().then(|| "the merge removed the file".to_owned());
        merges.push(merge);
    }
    Ok(merges)
}

/// A merge that was not done yet: the files that both commits changed.
pub(crate) fn commits(into: &str, from: &str, schema: &Schema) -> anyhow::Result<Vec<Merge>> {
    git::require_repository("")?;
    let mut merger = Merger::new(" --on-conflict base")?;
    let parents = [merger.git.commit(into)?, merger.git.commit(from)?];
    let base =
        common_base(&mut merger, &parents)?.with_context(|| format!("{into} and {from} have no common ancestor"))?;
    let compare = |tree: &str| differences(&merger.git, &base, tree);
    let trees = Trees { parents: [compare(&parents[0])?, compare(&parents[1])?], merge: Differences::default() };
    let mut blobs = merger.git.blobs()?;
    let mut merges = Vec::new();
    for versions in both_changed(&trees) {
        let sides = contents(&versions, &mut blobs)?;
        let mut merge = merged(versions.path(), &sides, schema);
        merge.note = match &versions.parents {
            [None, Some(_)] => Some(format!("{into} removed the file, {from} changed it")),
            [Some(_), None] => Some(format!("{into} changed the file, {from} removed it")),
            _ => merge.note,
        };
        merges.push(merge);
    }
    Ok(merges)
}

/// The files that both sides changed, and not to the same.
fn both_changed(trees: &Trees) -> Vec<Versions> {
    let id = |blob: &Option<Blob>| blob.as_ref().map(|blob| blob.id.clone());
    let is_both = |versions: &Versions| {
        let [base, first, second] = [&versions.base, &versions.parents[0], &versions.parents[1]].map(id);
        first != base && second != base && first != second
    };
    trees.paths().iter().map(|path| trees.versions(path)).filter(is_both).collect()
}

fn contents(versions: &Versions, blobs: &mut Blobs) -> anyhow::Result<Slots<String>> {
    let mut read = |blob: &Option<Blob>| blob.as_ref().map(|blob| blobs.read(&blob.id)).transpose();
    let [ours, base, theirs] = [read(&versions.parents[0])?, read(&versions.base)?, read(&versions.parents[1])?];
    Ok(sides(ours, base, theirs))
}

fn sides(ours: Option<Vec<u8>>, base: Option<Vec<u8>>, theirs: Option<Vec<u8>>) -> Slots<String> {
    Slots { dest: ours, base, incoming: theirs }.map(|text| String::from_utf8_lossy(&text).into_owned())
}

/// The sides as git hands them over: what is not there is empty.
fn texts(sides: &Slots<String>) -> Texts<'_> {
    let text = |side: &'static Side| sides.get(*side).map_or(&b""[..], |text| text.as_bytes());
    Texts { base: text(&Side::Base), ours: text(&Side::Dest), theirs: text(&Side::Incoming) }
}

/// Merges a file as git's driver does it.
fn merged(path: &str, sides: &Slots<String>, schema: &Schema) -> Merge {
    let schema = schema.for_file(path);
    let labels = Labels { size: 7, ours: "ours", base: "base", theirs: "theirs" };
    let merged = driver::merge(texts(sides), &schema);
    let written = merged.write(&Disagreement::Markers { style: Style::Diff3, labels });
    let note = merged.reason().map(dispute::reason);
    Merge { note, ..of_texts(path, sides, String::from_utf8_lossy(&written.text).into_owned(), &schema) }
}

/// A merge whose result is known.
fn of_texts(path: &str, sides: &Slots<String>, result: String, schema: &Schema) -> Merge {
    let names = Slots { dest: Some("ours"), base: Some("base"), incoming: Some("theirs") };
    let names = names.map(str::to_owned);
    let reports = decisions(texts(sides), names.clone(), schema).into_iter().collect();
    Merge { path: path.to_owned(), sides: sides.clone(), result, names, reports, note: None }
}

/// The rules of a merge of directories: what nobody decided is left to the reader of the page.
pub(crate) fn options(schema: Schema) -> Options {
    let conflicts = Conflicts::Markers { style: Style::Diff3, size: 7 };
    let policy =
        Policy { contested: kmerge_core::Contested::Conflict, removal: kmerge_core::Removal::Whole, ..Policy::MERGE3 };
    Options { policy, schema, conflicts }
}

/// Whether three paths are all directories; a mixture is an error.
pub(crate) fn are_directories(paths: [&Path; 3]) -> anyhow::Result<bool> {
    let count = paths.iter().filter(|path| path.is_dir()).count();
    ensure!(count == 0 || count == 3, "--base, --ours and --theirs have to be three files or three directories");
    Ok(count == 3)
}
