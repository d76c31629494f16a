//! What differs between two files or two directories, by structure where they have one.
//!
//! A difference is a decision of a merge of the second into the first whose base is the first as well.

mod json;
mod text;

use std::path::Path;

use anyhow::bail;
use kmerge_core::{BothChanged, Policy, Role, Schema, Side, Slots};

use crate::dirs::{self, Directories, Tree};
use crate::input::Source;
use crate::masked::mask;
use crate::progress::Count;
use crate::report::{FileReport, Record};
use crate::transaction::Entry;

pub(crate) use json::to_json;
pub(crate) use text::{Detail, write_text};

/// Two sides, neither of which gives way: what one has and the other has not is what we look for.
const POLICY: Policy = Policy { both_changed: BothChanged::Take, comments: BothChanged::Take, ..Policy::GIT };

/// One file that differs.
#[derive(Debug)]
pub(crate) struct FileDiff {
    /// What the file is called, on both sides if it has two names.
    pub(crate) name: String,
    pub(crate) what: Difference,
}

/// How a file differs.
#[derive(Debug)]
pub(crate) enum Difference {
    /// In these places.
    Places(Vec<Record>),
    /// In these lines, as a unified diff: at least one side has no structure.
    Lines(String),
    /// One is not text, or a link.
    Bytes,
    /// Only the first directory has it.
    OnlyFirst,
    /// Only the second directory has it.
    OnlySecond,
}

/// Which differences count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// Those of values.
    Values,
    /// Those of comments, order and layout as well.
    Everything,
}

/// The differences between two files; none where nothing differs.
pub(crate) fn files(a: &Source, b: &Source, schema: &Schema, scope: Scope) -> Option<FileDiff> {
    if a.text == b.text {
        return None;
    }
    let what = structural(a, b, schema, scope).unwrap_or_else(|| Difference::Lines(lines(a, b)));
    let is_empty = matches!(&what, Difference::Places(places) if places.is_empty());
    (!is_empty).then(|| FileDiff { name: b.name.clone(), what })
}

/// A unified diff.
fn lines(a: &Source, b: &Source) -> String {
    let diff = kmerge_core::lines::unified(a.text.as_bytes(), b.text.as_bytes());
    mask(&String::from_utf8_lossy(&diff), &a.text, &b.text)
}

/// The places in which two texts differ; `None` where one of them has no structure.
fn structural(a: &Source, b: &Source, schema: &Schema, scope: Scope) -> Option<Difference> {
    let (before, after) = (a.parse_mergeable().ok()?, b.parse_mergeable().ok()?);
    let streams = Slots { dest: Some(&before), base: Some(&before), incoming: Some(&after) };
    let plan = kmerge_core::merge(streams, &schema.for_file(&b.name), &POLICY).ok()?;
    let sources = Slots { dest: Some(a), base: Some(a), incoming: Some(b) };
    let mut places = FileReport::new(&plan, streams, sources).records;
    places.retain(|record| scope == Scope::Everything || is_of_values(record));
    Some(Difference::Places(places))
}

/// Whether a difference is one of values.
fn is_of_values(record: &Record) -> bool {
    record.role == Role::Value || record.counts
}

/// The differences between two directories, file by file.
pub(crate) fn directories(a: &Path, b: &Path, schema: &Schema, scope: Scope) -> anyhow::Result<Vec<FileDiff>> {
    let roots = Slots { dest: Some(a.to_owned()), base: None, incoming: Some(b.to_owned()) };
    let found = dirs::read(&roots.map(Tree::Disk), &Count::default())?;
    let mut diffs = Vec::new();
    for spot in &found.spots {
        let what = match (entry(&found, Side::Dest, &spot.path), entry(&found, Side::Incoming, &spot.path)) {
            (Some(_), None) => Some(Difference::OnlyFirst),
            (None, Some(_)) => Some(Difference::OnlySecond),
            (Some(first), Some(second)) if first != second => match (text(first), text(second)) {
                (Some(first), Some(second)) => {
                    let (a, b) = (Source::new(spot.path.as_str(), first), Source::new(spot.path.as_str(), second));
                    files(&a, &b, schema, scope).map(|diff| diff.what)
                }
                _ => Some(Difference::Bytes),
            },
            _ => None,
        };
        diffs.extend(what.map(|what| FileDiff { name: spot.path.clone(), what }));
    }
    Ok(diffs)
}

fn entry<'d>(found: &'d Directories, side: Side, path: &str) -> Option<&'d Entry> {
    found.entry(side, path).map(|(entry, _)| entry)
}

fn text(entry: &Entry) -> Option<&str> {
    match entry {
        Entry::File { bytes, .. } => std::str::from_utf8(bytes).ok(),
        Entry::Link(_) => None,
    }
}

/// The differences between whatever two paths name.
pub(crate) fn between(a: &Path, b: &Path, schema: &Schema, scope: Scope) -> anyhow::Result<Vec<FileDiff>> {
    match (a.is_dir(), b.is_dir()) {
        (true, true) => directories(a, b, schema, scope),
        (false, false) => {
            let (a, b) = (Source::read(a)?, Source::read(b)?);
            let name = format!("{} → {}", a.name, b.name);
            Ok(files(&a, &b, schema, scope).map(|diff| FileDiff { name, ..diff }).into_iter().collect())
        }
        (true, false) => bail!("{} is a directory and {} is not", a.display(), b.display()),
        (false, true) => bail!("{} is a directory and {} is not", b.display(), a.display()),
    }
}
