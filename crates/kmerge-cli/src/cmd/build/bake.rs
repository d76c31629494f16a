//! Merges the patches into the files themselves, and takes them out of the kustomizations.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::build::PatchText;
use kmerge_core::field_entry;
use kyaml_ast::{Document, Edit, Stream, StreamId, splice};

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
        if let Some(text) = without_patches(source)? {
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
            .help("other kustomizations may use them; --root DIR allows it, --diff shows it")
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

/// A kustomization without its patches; `None` where it has none.
fn without_patches(source: &Source) -> anyhow::Result<Option<String>> {
    let stream = source.parse()?;
    let Some(root) = stream.documents().find_map(Document::root) else { return Ok(None) };
    let entries = PATCHES.iter().filter_map(|name| field_entry(root, name));
    let edits: Vec<Edit> = entries.map(|entry| Edit::Remove { entry: entry.id() }).collect();
    if edits.is_empty() {
        return Ok(None);
    }
    let text = splice(&[&stream], StreamId(0), &edits);
    text.map(Some).map_err(|error| {
        Diagnostic::error(Code::BrokenResult, error.to_string()).at(source, root.full_span(), "").into()
    })
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
