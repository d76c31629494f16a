//! `kmerge merge2`: a 2-way merge.

use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use kmerge_core::{Policy, Slots};
use kyaml_ast::{Document, Node, Resolved, ScalarSchema};

use crate::cli::merge::Merge2Args;
use crate::exit::Exit;
use crate::fold::{fold_directory, fold_stream};
use crate::input::Source;
use crate::merge_dirs::{are_directories, merge_sources};
use crate::merge_files::{merge_all, only_one_is_stdin};
use crate::options::Options;

pub(crate) fn run(args: &Merge2Args) -> anyhow::Result<Exit> {
    only_one_is_stdin(&args.inputs)?;
    let options = Options::new(&args.rules, Policy::MERGE2)?;
    let is_directory = are_directories(args.inputs.iter().map(PathBuf::as_path))?;
    let mut inputs = args.inputs.clone();
    if let (true, [sources @ .., _]) = (args.invert_order, inputs.as_mut_slice()) {
        ensure!(!sources.is_empty(), "--invert-order needs several sources; in a single input, later documents win");
        sources.reverse();
    }
    match inputs.as_slice() {
        [] => bail!("there is nothing to merge"),
        [root] if is_directory => fold_directory(root, &options, &args.output),
        [path] => fold_stream(path, &options, &args.output),
        [sources @ .., dest] if is_directory => merge_sources(sources, dest, &options, &args.output),
        [sources @ .., dest] => files(sources, dest, &options, args),
    }
}

fn files(sources: &[PathBuf], path: &Path, options: &Options, args: &Merge2Args) -> anyhow::Result<Exit> {
    let sources = sources.iter().map(|path| Source::read(path)).collect::<anyhow::Result<Vec<Source>>>()?;
    if let Some(source) = sources.iter().find(|source| is_null(source)) {
        bail!(
            "{} is `null`, which would remove all of {}: delete the file if you mean that",
            source.name,
            path.display()
        );
    }
    // The first source has the last word.
    let steps: Vec<_> =
        sources.iter().rev().map(|source| Slots { dest: None, base: None, incoming: Some(source) }).collect();
    merge_all(&steps, options, &args.output, path)
}

/// Whether a source is an explicit null and nothing else: what a query prints that found nothing.
fn is_null(source: &Source) -> bool {
    let is_null = |root: Node<'_>| root.resolve(ScalarSchema::Kube11) == Some(Resolved::Null);
    let Ok(stream) = source.parse() else { return false };
    let roots: Vec<Node<'_>> = stream.documents().filter_map(Document::root).collect();
    roots.iter().any(|root| !root.text().is_empty()) && roots.into_iter().all(is_null)
}
