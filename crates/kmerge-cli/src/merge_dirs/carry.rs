//! Carries a plan out: every file's new content, and everything that was decided on the way.

mod reports;

use std::collections::{BTreeMap, HashMap, btree_map};
use std::fs::Permissions;
use std::path::{Path, PathBuf};

use kmerge_core::package::{Fate, FilePlan, PackagePlan, Report, Terms, Trees, WholeFile, Written};
use kmerge_core::{ConflictStyle, Decision, Outcome, Rule, Schema, Side, Slots, is_of_template};
use kyaml_ast::Stream;
use rayon::prelude::*;

use anyhow::{Context as _, bail};

use super::{Beside, explain};
use crate::diagnostic::{Code, Diagnostic};
use crate::dirs::Directories;
#[cfg(unix)]
use crate::dirs::is_executable;
use crate::input::Source;
use crate::merge::{merge_streams, refuse_broken_json, refuse_undefined};
use crate::merge_lines::refuse_open_conflicts;
use crate::options::{Conflicts, Options};
use crate::progress::Count;
use crate::report::{FileReport, PackageReport, PathRecord};
use crate::transaction::{Change, Entry};
use crate::walk::is_manifest;
use reports::Found;

/// What the directories are called in messages.
#[derive(Debug)]
pub(crate) struct Names {
    roots: Slots<String>,
}

impl Names {
    pub(crate) fn new(roots: &Slots<PathBuf>) -> Self {
        Self { roots: roots.clone().map(|root| root.display().to_string()) }
    }

    /// The names where there is but a destination.
    pub(crate) fn of_dest(name: &str) -> Self {
        Self { roots: Slots { dest: Some(name.to_owned()), base: None, incoming: None } }
    }

    /// The name of a directory.
    pub(super) fn root(&self, side: Side) -> &str {
        self.roots.get(side).map_or("", String::as_str)
    }

    /// The name of a file in one of the directories; of the only file where the root is none.
    pub(crate) fn file(&self, side: Side, path: &str) -> String {
        let root = self.root(side).trim_end_matches('/');
        if path.is_empty() { root.to_owned() } else { format!("{root}/{path}") }
    }
}

/// Everything that carrying a plan out takes.
pub(super) struct Job<'a> {
    pub(super) directories: &'a Directories,
    pub(super) trees: &'a Trees<'a>,
    pub(super) plan: &'a PackagePlan<'a>,
    /// The files that are merged like single ones: for git, what does not prove sound is a conflict.
    pub(super) in_place: HashMap<&'a str, Slots<u32>>,
    pub(super) options: &'a Options,
    /// That of the options, and what the trees define.
    pub(super) schema: &'a Schema,
    pub(super) names: &'a Names,
}

impl Job<'_> {
    /// A file of one side.
    fn source(&self, side: Side, file: u32) -> Option<Source> {
        let file = self.trees.side(side)[file as usize];
        Some(Source::new(self.names.file(side, file.path), self.trees.content(file.content).text()?))
    }
}

/// The result of a merge of directories, before it is written.
#[derive(Debug, Default)]
pub(crate) struct Carried {
    /// What changes in the destination, in the order of paths.
    pub(crate) changes: Vec<FileChange>,
    /// What was decided about fields, by file.
    pub(crate) reports: Vec<FileReport>,
    /// Conflicts of fields, as the errors that end the merge.
    pub(super) errors: Vec<String>,
    /// What was decided about resources and files.
    pub(crate) package: PackageReport,
    /// Why files are not merged by structure, or have more in conflict than what both sides changed.
    pub(super) notes: Vec<String>,
}

/// One path that changes.
#[derive(Debug)]
pub(crate) struct FileChange {
    pub(crate) change: Change,
    /// What the destination has there, with its mode bits.
    pub(crate) before: Option<Entry>,
}

impl FileChange {
    /// Whether there is anything to do: not where a later step undid an earlier one.
    fn is_one(&self) -> bool {
        self.before != self.change.new
    }
}

impl Carried {
    /// A tree with the changes.
    pub(super) fn applied(&self, mut tree: BTreeMap<String, Entry>) -> BTreeMap<String, Entry> {
        for FileChange { change, .. } in &self.changes {
            match &change.new {
                Some(entry) => drop(tree.insert(change.path.clone(), entry.clone())),
                None => drop(tree.remove(&change.path)),
            }
        }
        tree
    }

    /// Changes a file beside the merge.
    pub(super) fn put<E: FnOnce(&str) -> anyhow::Result<Option<String>>>(
        &mut self,
        directories: &Directories,
        beside: Beside<E>,
    ) -> anyhow::Result<()> {
        let Beside { path, edit } = beside;
        let at = self.changes.binary_search_by(|change| change.change.path.as_str().cmp(path));
        let before = directories.entry(Side::Dest, path).map(|(entry, mode)| entry.with_permissions(mode.cloned()));
        let now = at.map_or(before.as_ref(), |at| self.changes[at].change.new.as_ref());
        let (bytes, permissions) = match now {
            None => (Vec::new(), None),
            Some(Entry::File { bytes, permissions }) => (bytes.clone(), permissions.clone()),
            Some(Entry::Link(_)) => bail!("{path} is a link: the version cannot be recorded"),
        };
        let text = String::from_utf8(bytes).with_context(|| format!("{path} is not UTF-8"))?;
        let Some(text) = edit(&text)? else { return Ok(()) };
        let new = Some(Entry::File { bytes: text.into_bytes(), permissions });
        match at {
            Ok(at) => self.changes[at].change.new = new,
            Err(at) => {
                let change = Change { path: path.to_owned(), old: directories.fingerprint(path), new };
                self.changes.insert(at, FileChange { change, before });
            }
        }
        self.changes.retain(FileChange::is_one);
        Ok(())
    }

    /// Adds what the next step did to the result of this one.
    pub(super) fn absorb(&mut self, next: Self) {
        let mut changes: BTreeMap<String, FileChange> =
            std::mem::take(&mut self.changes).into_iter().map(|it| (it.change.path.clone(), it)).collect();
        for later in next.changes {
            match changes.entry(later.change.path.clone()) {
                btree_map::Entry::Vacant(place) => drop(place.insert(later)),
                btree_map::Entry::Occupied(mut place) => place.get_mut().change.new = later.change.new,
            }
        }
        self.changes = changes.into_values().filter(FileChange::is_one).collect();
        self.reports.extend(next.reports);
        self.errors.extend(next.errors);
        self.package.resources.extend(next.package.resources);
        self.package.files.extend(next.package.files);
        self.notes.extend(next.notes);
    }

    /// Places that nobody decided.
    pub(super) fn conflicts(&self) -> usize {
        let in_files: usize = self.reports.iter().map(|report| report.conflicts().count()).sum();
        in_files + self.package.conflicts()
    }
}

/// What became of one file.
struct Done {
    path: String,
    /// `None`: there is none.
    entry: Option<Entry>,
    found: Vec<Found>,
    record: Option<PathRecord>,
    note: Option<String>,
}

/// Carries a plan out, and counts the files.
pub(super) fn carry_out(job: &Job<'_>, count: &Count) -> anyhow::Result<Carried> {
    count.expect(job.plan.files.len() + job.plan.whole.len());
    let manifests = job.plan.files.par_iter().map(|file| manifest(job, file).inspect(|_| count.done()));
    let manifests = manifests.collect::<anyhow::Result<Vec<Done>>>()?;
    let whole = job.plan.whole.par_iter().map(|file| whole(job, file).inspect(|_| count.done()));
    let whole = whole.collect::<anyhow::Result<Vec<Vec<Done>>>>()?;
    let mut carried = Carried { package: reports::package(job), ..Carried::default() };
    for done in manifests.into_iter().chain(whole.into_iter().flatten()) {
        for Found { report, errors } in done.found {
            carried.reports.push(report);
            carried.errors.extend(errors);
        }
        carried.package.files.extend(done.record);
        carried.notes.extend(done.note);
        carried.changes.extend(change(job, done.path, done.entry));
    }
    carried.changes.sort_by(|a, b| a.change.path.cmp(&b.change.path));
    Ok(carried)
}

/// The change that makes `path` hold `entry`, if it is one.
fn change(job: &Job<'_>, path: String, entry: Option<Entry>) -> Option<FileChange> {
    let before = job.directories.entry(Side::Dest, &path);
    let is_same = match (&entry, before) {
        (None, None) => true,
        (Some(Entry::File { bytes, permissions }), Some((Entry::File { bytes: old, .. }, mode))) => {
            bytes == old && permissions.as_ref().is_none_or(|permissions| Some(permissions) == mode)
        }
        (Some(entry), Some((old, _))) => entry == old,
        _ => false,
    };
    if is_same {
        return None;
    }
    let old = job.directories.fingerprint(&path);
    let before = before.map(|(entry, permissions)| entry.with_permissions(permissions.cloned()));
    Some(FileChange { change: Change { path, old, new: entry }, before })
}

fn manifest(job: &Job<'_>, file: &FilePlan<'_>) -> anyhow::Result<Done> {
    let terms = Terms { schema: job.schema, policy: &job.options.policy, conflicts: &style(job) };
    if let Some(files) = job.in_place.get(file.path) {
        return in_place(job, file, *files, terms);
    }
    let Written { text, reports } =
        job.plan.write(job.trees, file, terms).map_err(|error| explain::package(&error, job.trees, job.names))?;
    if let Some(text) = &text
        && !has_markers(job, file, &reports)
    {
        let stream = Stream::parse(text).map_err(|error| explain::broken(job.names, file.path, text, &error))?;
        refuse_new_undefined(job, file, &stream)?;
        let sides = [Side::Dest, Side::Incoming].map(|side| job.directories.entry(side, file.path));
        let bytes = sides
            .iter()
            .flatten()
            .filter_map(|(entry, _)| if let Entry::File { bytes, .. } = entry { Some(&**bytes) } else { None });
        refuse_broken_json(&job.names.file(Side::Dest, file.path), bytes, text)?;
    }
    Ok(done(job, file, text, reports::files(job, reports)))
}

/// Refuses a new alias without an anchor in a file that the destination has. A new file comes as it is.
fn refuse_new_undefined(job: &Job<'_>, file: &FilePlan<'_>, stream: &Stream<'_>) -> anyhow::Result<()> {
    let before = file.dest.and_then(|dest| job.source(Side::Dest, dest));
    if let (true, Some(before)) = (stream.has_aliases(), before) {
        let explain = |error| explain::broken(job.names, file.path, &before.text, &error);
        let dest = Stream::parse(&before.text).map_err(explain)?;
        let result = Source::new(format!("{} (merged)", job.names.file(Side::Dest, file.path)), stream.source());
        refuse_undefined(stream, &dest, &result)?;
    }
    Ok(())
}

/// Merges a file like a single one.
fn in_place(job: &Job<'_>, file: &FilePlan<'_>, files: Slots<u32>, terms: Terms<'_>) -> anyhow::Result<Done> {
    let mut sources = Slots::default();
    for (side, file) in files.present() {
        sources.set(side, job.source(side, *file).context("a manifest is text")?);
    }
    let mut streams = Slots::default();
    for (side, source) in sources.present() {
        let explain = |error| explain::broken(job.names, file.path, &source.text, &error);
        streams.set(side, Stream::parse(&source.text).map_err(explain)?);
    }
    let merged = merge_streams(sources.as_ref(), streams.as_ref(), terms)?;
    let note = merged.note.map(|why| format!("{}: {why}", job.names.file(Side::Dest, file.path)));
    let found = Found::new(job, merged.report, sources.as_ref());
    Ok(Done { note, ..done(job, file, Some(merged.text), vec![found]) })
}

fn done(job: &Job<'_>, file: &FilePlan<'_>, text: Option<String>, found: Vec<Found>) -> Done {
    let before = job.directories.entry(Side::Dest, file.path).and_then(|(_, permissions)| permissions);
    let entry =
        text.map(|text| Entry::File { bytes: text.into_bytes(), permissions: permissions(before, file.executable) });
    Done { path: file.path.to_owned(), entry, found, record: None, note: None }
}

/// Whether conflict markers stand in the file, so that it does not parse.
fn has_markers(job: &Job<'_>, file: &FilePlan<'_>, reports: &[Report]) -> bool {
    let is_conflict = |decision: &Decision| decision.outcome == Outcome::Conflict;
    let in_fields = reports.iter().any(|report| report.decisions.iter().any(is_conflict));
    let is_marked = matches!(job.options.conflicts, Conflicts::Markers { .. });
    is_marked && (in_fields || job.plan.rows_in(file).any(|row| job.plan.rows[row].fate == Fate::Conflict))
}

fn style<'a>(job: &Job<'a>) -> ConflictStyle<'a> {
    job.options.conflicts.style([Side::Dest, Side::Base, Side::Incoming].map(|side| job.names.root(side)))
}

/// A file that is merged as a whole; where it moves, its old place is a second one.
fn whole(job: &Job<'_>, file: &WholeFile<'_>) -> anyhow::Result<Vec<Done>> {
    let at = |side: Side| file.files.get(side).map(|&at| job.trees.side(side)[at as usize].path);
    let entry = |side: Side| at(side).and_then(|path| job.directories.entry(side, path));
    let (dest, incoming) = (entry(Side::Dest), entry(Side::Incoming));
    let mode = permissions(dest.and_then(|dest| dest.1), file.executable);
    let with_mode = |entry: &Entry| entry.with_permissions(mode.clone());
    if file.rule == Rule::BothChanged {
        let dest = file.files.dest.and_then(|dest| job.source(Side::Dest, dest));
        dest.map_or(Ok(()), |dest| refuse_open_conflicts(&dest, file.texts(job.trees)))?;
    }
    let mut both_changed = 0;
    let style = style(job);
    let marked = if file.fate == Fate::Conflict { file.marked(job.trees, &style) } else { None };
    let is_unmarked = marked.is_none() && matches!(style, ConflictStyle::Markers { .. });
    let entry = match file.fate {
        Fate::Keep | Fate::Conflict => match marked {
            Some(bytes) => Some(Entry::File { bytes, permissions: mode.clone() }),
            None => dest.map(|(entry, _)| with_mode(entry)),
        },
        Fate::Take => incoming.map(|(entry, _)| with_mode(entry)),
        Fate::Remove => None,
        Fate::Merge => {
            let merged = file.merge_lines(job.trees, job.options.policy.both_changed, &style);
            both_changed = merged.both_changed.len();
            Some(Entry::File { bytes: merged.bytes, permissions: mode.clone() })
        }
    };
    let record = PathRecord::new(file, at(Side::Dest), both_changed, job.options.policy.both_changed);
    let record = record.map(|record| record.without_markers(is_unmarked));
    let left = at(Side::Dest).filter(|old| *old != file.path);
    let done = |path: &str, entry| Done { path: path.to_owned(), entry, found: Vec::new(), record: None, note: None };
    let result = Done { record, note: without_structure(job, file), ..done(file.path, entry) };
    Ok([result].into_iter().chain(left.map(|old| done(old, None))).collect())
}

/// Why a file with the name of YAML is not merged by structure: told if both sides changed it, and if it comes in broken.
fn without_structure(job: &Job<'_>, file: &WholeFile<'_>) -> Option<String> {
    if !is_manifest(Path::new(file.path)) {
        return None;
    }
    let source = |side: Side| job.source(side, *file.files.get(side)?);
    let why = |side: Side| source(side)?.parse_mergeable().err();
    match file.fate {
        Fate::Merge => {
            let why = [Side::Base, Side::Dest, Side::Incoming].into_iter().find_map(why)?;
            Some(format!("merged line by line, because {why}"))
        }
        Fate::Take if why(Side::Dest).is_none() => {
            let incoming = source(Side::Incoming)?;
            let error = Stream::parse(&incoming.text).err().filter(|error| !is_of_template(&incoming.text, error))?;
            let why = Diagnostic::error(Code::Syntax, error.to_string()).at(&incoming, error.span, "");
            Some(format!("taken as it is, although it is not YAML: {why}"))
        }
        _ => None,
    }
}

/// The mode bits of a result: the destination's, but for who may execute it.
#[cfg(unix)]
fn permissions(before: Option<&Permissions>, executable: bool) -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    match before {
        Some(before) if is_executable(before) == executable => Some(before.clone()),
        Some(before) => {
            let readers = before.mode() & 0o444;
            let mode = if executable { before.mode() | readers >> 2 } else { before.mode() & !0o111 };
            Some(Permissions::from_mode(mode))
        }
        None => executable.then(|| Permissions::from_mode(0o755)),
    }
}

#[cfg(not(unix))]
fn permissions(before: Option<&Permissions>, _: bool) -> Option<Permissions> {
    before.cloned()
}
