//! Merges the patches into the files themselves, and takes them out of the kustomizations.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::build::{Kustomization, PatchText, Transform, Work};
use kyaml_ast::{Document, Edit, Entry, Stream, StreamId, splice};

use super::load::{Loaded, Step, shown};
use super::sequence::Built;
use crate::cli::build::BuildArgs;
use crate::deliver::print_diff;
use crate::diagnostic::{Code, Diagnostic};
use crate::exit::Exit;
use crate::files::{FileChange, write_all};
use crate::input::Source;

/// The fields whose patches are merged.
const PATCHES: [&str; 3] = ["patches", "patchesStrategicMerge", "patchesJson6902"];
/// Hands the new texts over: shows them, counts them, or writes them all.
pub(super) fn bake(args: &BuildArgs, loaded: &Loaded, built: &Built) -> anyhow::Result<Exit> {
    let mut changed = changed(loaded, built)?;
    for index in loaded.kustomizations() {
        let source = &loaded.texts[index].source;
        if let Some(text) = without_applied(source, args.patches_only)? {
            changed.insert(index, text);
        }
    }
    if args.target.diff {
        for (index, text) in &changed {
            let source = &loaded.texts[*index].source;
            print_diff(&source.name, Some(&source.text), Some(text))?;
        }
    }
    if args.target.in_place {
        write(args, loaded, &changed)?;
    }
    Ok(if args.target.check && !changed.is_empty() { Exit::Findings } else { Exit::Clean })
}

/// The texts that change; a file that is built several times has to become the same each time.
fn changed(loaded: &Loaded, built: &Built) -> anyhow::Result<BTreeMap<usize, String>> {
    let first = built.texts.get(..loaded.texts.len()).context("every text has a use")?;
    for (text, after) in built.uses.iter().zip(&built.texts) {
        if *after != first[*text] {
            let message = format!("{} is built more than once, and becomes two", loaded.texts[*text].source.name);
            return Err(Diagnostic::error(Code::Kustomization, message)
                .help("one file cannot hold both; without -i, --diff and --check, build prints both")
                .into());
        }
    }
    Ok(first.iter().cloned().enumerate().filter_map(|(index, text)| Some((index, text?))).collect())
}

fn write(args: &BuildArgs, loaded: &Loaded, changed: &BTreeMap<usize, String>) -> anyhow::Result<()> {
    let given = args.root.as_deref().unwrap_or(&args.dir);
    let given = if given.is_file() { given.parent().unwrap_or(given) } else { given };
    let given = if given.as_os_str().is_empty() { Path::new(".") } else { given };
    let root = given.canonicalize().with_context(|| format!("cannot read {}", given.display()))?;
    let (mut changes, mut outside) = (Vec::new(), Vec::new());
    for (index, after) in changed {
        let text = &loaded.texts[*index];
        let path = text.path.as_deref().and_then(|path| path.strip_prefix(&root).ok());
        match path.and_then(slashed) {
            Some(path) => {
                let (before, after) = (Some(text.source.text.clone()), after.clone());
                changes.push(FileChange { path, before, after });
            }
            None => outside.push(text.source.name.as_str()),
        }
    }
    if !outside.is_empty() {
        let message = format!("patches change files outside {}: {}", shown(given).display(), outside.join(", "));
        return Err(Diagnostic::error(Code::Outside, message)
            .help("other kustomizations may use them; --root DIR allows it, --diff shows the changes")
            .into());
    }
    write_all(&root, &changes)?;
    if !args.say.quiet {
        tell_unused(loaded)?;
        for (index, text) in changed.iter().filter(|(_, text)| is_empty(text)) {
            let name = &loaded.texts[*index].source.name;
            writeln!(
                crate::terminal::stderr(),
                "{name}: holds no resource any more{}",
                if text.is_empty() { "" } else { ", only comments" }
            )?;
        }
    }
    Ok(())
}

fn is_empty(text: &str) -> bool {
    Stream::parse(text).is_ok_and(|stream| stream.documents().all(|document| document.root().is_none()))
}

fn slashed(path: &Path) -> Option<String> {
    let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
    parts.map(|parts| parts.join("/"))
}

/// A kustomization without what was applied; `None` where that is nothing.
fn without_applied(source: &Source, patches_only: bool) -> anyhow::Result<Option<String>> {
    let stream = source.parse()?;
    let Some(root) = stream.documents().find_map(Document::root) else { return Ok(None) };
    let is_applied = |name: &str| PATCHES.contains(&name) || !patches_only && Transform::is_field(name);
    let entries = root.entries().filter(|entry| entry.key().is_some_and(|key| is_applied(&key.value())));
    let entries: Vec<Entry<'_>> = entries.collect();
    if entries.is_empty() {
        return Ok(None);
    }
    let edits: Vec<Edit> = entries.iter().map(|entry| Edit::Remove { entry: entry.id() }).collect();
    let broken = |message: String| Diagnostic::error(Code::BrokenResult, message).at(source, entries[0].span(), "");
    let text = splice(&[&stream], StreamId(0), &edits).map_err(|error| broken(error.to_string()))?;
    match Stream::parse(&text).map(|stream| Kustomization::read(&stream)) {
        Ok(Ok(kustomization)) if is_done(&kustomization, patches_only) => Ok(Some(text)),
        _ => Err(broken("what was applied cannot be taken out of this kustomization".to_owned())
            .help("aliases and YAML merge keys tie it to other fields; write them out")
            .into()),
    }
}

/// Whether nothing is left to do, so that the next build does not do it again.
fn is_done(kustomization: &Kustomization, patches_only: bool) -> bool {
    kustomization.work.iter().all(|work| patches_only && matches!(work, Work::Transform(_)))
}

/// Names the files of patches, which nothing here uses any more.
fn tell_unused(loaded: &Loaded) -> anyhow::Result<()> {
    let mut names: Vec<&Path> = Vec::new();
    let files: Vec<PathBuf> = loaded.steps().filter_map(|step| patch_file(loaded, step)).collect();
    for file in &files {
        if !names.contains(&file.as_path()) {
            names.push(file);
        }
    }
    for name in names {
        writeln!(crate::terminal::stderr(), "{}: merged, and not used any more", name.display())?;
    }
    Ok(())
}

fn patch_file(loaded: &Loaded, step: &Step) -> Option<PathBuf> {
    let Step::Patch { text, entry, .. } = step else { return None };
    let text = loaded.texts.get(*text)?;
    let is_file = !matches!(entry.text, PatchText::Inline(_)) && text.path.is_some();
    is_file.then(|| PathBuf::from(&text.source.name))
}
