//! A stream of resources and patches, folded: later documents are merged into earlier ones of the same resource.

use std::io::Write as _;
use std::path::Path;

use anyhow::ensure;
use kmerge_core::package::{Content, File, Folded, Terms, Trees};
use kmerge_core::{Side, Slots};

use crate::cli::merge::OutputFlags;
use crate::crds::of_trees;
use crate::dirs::{self, Tree};
use crate::exit::Exit;
use crate::merge_dirs::{FileChange, Names, Target as DirectoryTarget, explain_package, refuse_interrupted};
use crate::merge_files::target;
use crate::options::{Conflicts, Options};
use crate::progress::Count;
use crate::transaction::{Change, Entry, Fingerprint};

/// Folds one file or stdin.
pub(crate) fn fold_stream(path: &Path, options: &Options, flags: &OutputFlags) -> anyhow::Result<Exit> {
    no_report(flags)?;
    let target = target(flags, path)?;
    let mut has_conflicts = false;
    let exit = target.edit(path, flags.name.as_deref(), |source| {
        source.parse_mergeable()?;
        let contents = vec![Content::read("stream.yaml", source.text.as_bytes())];
        let file = File { path: "", content: 0, executable: false };
        let trees = Trees { contents, dest: vec![file], ..Trees::default() };
        let folded = folded(&trees, &source.name, options)?;
        has_conflicts = folded.as_ref().is_none_or(|folded| folded.conflicts > 0);
        let file = folded.map(|folded| folded.files.into_iter().next());
        Ok(file.map(|file| file.map_or_else(|| source.text.clone(), |(_, text)| text.unwrap_or_default())))
    })?;
    Ok(if has_conflicts { Exit::Findings } else { exit })
}

/// Folds the documents of a directory.
pub(crate) fn fold_directory(root: &Path, options: &Options, flags: &OutputFlags) -> anyhow::Result<Exit> {
    no_report(flags)?;
    let target = DirectoryTarget::new(flags, root)?;
    refuse_interrupted(root)?;
    let sides = Slots { dest: Some(Tree::Disk(root.to_owned())), base: None, incoming: None };
    let directories = dirs::read(&sides, &Count::default())?;
    let trees = directories.trees()?;
    let Some(folded) = folded(&trees, &root.display().to_string(), options)? else { return Ok(Exit::Findings) };
    let change = |(file, text): (u32, Option<String>)| {
        let path = trees.dest[file as usize].path;
        let (entry, permissions) = directories.entry(Side::Dest, path)?;
        let new = text.map(|text| Entry::File { bytes: text.into_bytes(), permissions: permissions.cloned() });
        let change = Change { path: path.to_owned(), old: Some(Fingerprint::of(entry)), new };
        Some(FileChange { change, before: Some(entry.clone()) })
    };
    let changes: Vec<FileChange> = folded.files.into_iter().filter_map(change).collect();
    let exit = target.deliver(&changes, &directories)?;
    Ok(if folded.conflicts > 0 { Exit::Findings } else { exit })
}

/// Folds; `None` where conflicts end it.
fn folded(trees: &Trees<'_>, name: &str, options: &Options) -> anyhow::Result<Option<Folded>> {
    let conflicts = options.conflicts.style([name; 3]);
    let names = Names::of_dest(name);
    let schema = of_trees(&options.schema, trees, &names)?;
    let terms = Terms { schema: &schema, policy: &options.policy, conflicts: &conflicts };
    let folded = trees.fold(terms).map_err(|error| explain_package(&error, trees, &names))?;
    if folded.conflicts > 0 && options.conflicts == Conflicts::Fail {
        let places = if folded.conflicts == 1 { "place" } else { "places" };
        writeln!(crate::terminal::stderr(), "{name}: {} {places} in conflict; nothing was written", folded.conflicts)?;
        return Ok(None);
    }
    Ok(Some(folded))
}

fn no_report(flags: &OutputFlags) -> anyhow::Result<()> {
    ensure!(flags.say.report.is_none(), "a single input has no report, because a document may be merged many times");
    Ok(())
}
