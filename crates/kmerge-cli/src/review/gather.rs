//! Finds the merges that a page is about.

use std::collections::HashMap;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::ensure;
use kmerge_core::git::{self as driver};
use kmerge_core::lines::{Labels, Style, Texts};
use kmerge_core::markers::{Hunk, chosen, hunks};
use kmerge_core::{ConflictStyle, Policy, Schema, Side, Slots};

use super::file::Merge;
use crate::cmd::explain::driver::decisions;
use crate::dispute;
use crate::git;
use crate::git::history::{Blob, Versions};
use crate::git::index::stages;
use crate::git::sides::{CommitMerge, Sides};
use crate::input::read_bytes;
use crate::merge_dirs::preview;
use crate::options::{Conflicts, Options};
use crate::report::FileReport;
use crate::resolve::{BaseShown, Resolved, resolve};
use crate::transaction::Entry;

/// The files that a merge in progress has left in conflict, as they stand in the working tree.
pub(crate) fn unmerged(schema: &Schema) -> anyhow::Result<Vec<Merge>> {
    git::require_repository(": name three versions: BASE OURS THEIRS")?;
    let mut merges = Vec::new();
    for path in git::index::unmerged()? {
        let (Some(stages), true) = (stages(&path)?, path.exists()) else { continue };
        let (_, text) = read_bytes(&path)?;
        let removed = match (&stages.ours, &stages.theirs) {
            (None, Some(_)) => Some("ours removed the file, theirs changed it"),
            (Some(_), None) => Some("ours changed the file, theirs removed it"),
            _ => None,
        };
        let mut merge = in_conflict(&path, &text, Some(stages), schema).1;
        if let Some(note) = removed {
            (merge.note, merge.is_removed_by_one) = (Some(note.to_owned()), true);
        }
        merges.push(merge);
    }
    Ok(merges)
}

/// A file with conflicts: what structure can do about them, and the merge of which that is the result.
pub(crate) fn in_conflict(path: &Path, text: &[u8], stages: Option<Sides>, schema: &Schema) -> (Resolved, Merge) {
    let resolved = resolve(text, stages.as_ref(), schema, BaseShown::Always);
    let result = if let Resolved::Merged(outcome) = &resolved { &outcome.text } else { text };
    let texts = match stages {
        Some(stages) => texts_of(stages),
        None => told(text),
    };
    let merge = of_texts(&path.display().to_string(), &texts, String::from_utf8_lossy(result).into_owned(), schema);
    let hides_base = hunks(text).first().is_some_and(|hunk| hunk.base.is_none());
    (resolved, Merge { hides_base, ..merge })
}

/// The sides of a file as its conflicts show them.
fn told(text: &[u8]) -> Slots<String> {
    let found = hunks(text);
    let side = |of: fn(&Hunk) -> Range<usize>| Some(chosen(text, &found, |hunk| Some(of(hunk))));
    let base = found.iter().all(|hunk| hunk.base.is_some()).then(|| chosen(text, &found, |hunk| hunk.base.clone()));
    texts_of(Sides { base, ours: side(|hunk| hunk.ours.clone()), theirs: side(|hunk| hunk.theirs.clone()) })
}

/// A merge of three files as git's driver does it.
pub(crate) fn files([base, ours, theirs]: [&Path; 3], schema: &Schema) -> anyhow::Result<Vec<Merge>> {
    let [base, own, theirs] = [read_bytes(base)?.1, read_bytes(ours)?.1, read_bytes(theirs)?.1];
    Ok(vec![merged(
        &ours.display().to_string(),
        &texts_of(Sides { base: Some(base), ours: Some(own), theirs: Some(theirs) }),
        schema,
    )])
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
        let path = root.join(path).display().to_string();
        Merge { path, sides, result, names, reports, note, ..Merge::default() }
    };
    Ok(carried.changes.iter().map(|it| merge(&it.change.path, it.change.new.as_ref())).collect())
}

/// A finished merge: the files that both parents changed, as they were committed.
pub(crate) fn commit(name: &str, schema: &Schema) -> anyhow::Result<Vec<Merge>> {
    let mut git = CommitMerge::finished(name)?;
    let mut merges = Vec::new();
    for versions in git.files().iter().filter(|versions| is_changed_by_both(versions)) {
        let sides = texts_of(git.sides(versions)?);
        let result = git.read(&versions.merge)?.unwrap_or_default();
        let mut merge = of_texts(versions.path(), &sides, String::from_utf8_lossy(&result).into_owned(), schema);
        merge.note = versions.merge.is_none().then(|| "the merge removed the file".to_owned());
        merges.push(merge);
    }
    Ok(merges)
}

/// A merge that was not done yet: the files that both commits changed.
pub(crate) fn commits(into: &str, from: &str, schema: &Schema) -> anyhow::Result<Vec<Merge>> {
    let mut git = CommitMerge::planned(into, from)?;
    let mut merges = Vec::new();
    for versions in git.files().iter().filter(|versions| is_changed_by_both(versions)) {
        let sides = texts_of(git.sides(versions)?);
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

/// Whether both sides changed a file, and not to the same.
fn is_changed_by_both(versions: &Versions) -> bool {
    let id = |blob: &Option<Blob>| blob.as_ref().map(|blob| blob.id.clone());
    let [base, first, second] = [&versions.base, &versions.parents[0], &versions.parents[1]].map(id);
    first != base && second != base && first != second
}

fn texts_of(sides: Sides) -> Slots<String> {
    let Sides { base, ours, theirs } = sides;
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
    let written = merged.write(&ConflictStyle::Markers { style: Style::Diff3, labels });
    let note = dispute::note(&merged);
    let result = String::from_utf8_lossy(&written.text).into_owned();
    Merge {
        note,
        ..of_merged(path, sides, result, decisions(Some((&merged, &written)), texts(sides), names(), &schema))
    }
}

fn names() -> Slots<String> {
    Slots { dest: Some("ours"), base: Some("base"), incoming: Some("theirs") }.map(str::to_owned)
}

/// A merge whose result is known.
fn of_texts(path: &str, sides: &Slots<String>, result: String, schema: &Schema) -> Merge {
    of_merged(path, sides, result, decisions(None, texts(sides), names(), schema))
}

fn of_merged(path: &str, sides: &Slots<String>, result: String, report: Option<FileReport>) -> Merge {
    let reports = report.into_iter().collect();
    Merge { path: path.to_owned(), sides: sides.clone(), result, names: names(), reports, ..Merge::default() }
}

/// The rules of a merge of directories: what nobody decided is left to the reader of the page.
pub(crate) fn options(schema: Schema) -> Options {
    let conflicts = Conflicts::Markers { style: Style::Diff3, size: 7 };
    let policy = Policy {
        both_changed: kmerge_core::BothChanged::Conflict,
        removal: kmerge_core::Removal::Whole,
        ..Policy::MERGE3
    };
    Options { policy, schema, conflicts }
}

/// Whether three paths are all directories; a mixture is an error.
pub(crate) fn are_directories(paths: [&Path; 3]) -> anyhow::Result<bool> {
    let count = paths.iter().filter(|path| path.is_dir()).count();
    ensure!(count == 0 || count == 3, "the base, our side and their side have to be three files or three directories");
    Ok(count == 3)
}
