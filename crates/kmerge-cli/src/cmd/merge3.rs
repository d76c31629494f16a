//! `kmerge merge3`: a 3-way merge.

use kmerge_core::{Policy, Slots};

use crate::cli::merge::Merge3Args;
use crate::exit::Exit;
use crate::input::Source;
use crate::merge_dirs::{are_directories, merge_dirs};
use crate::merge_files::{merge_files, only_one_is_stdin};
use crate::options::Options;

pub(crate) fn run(args: &Merge3Args) -> anyhow::Result<Exit> {
    only_one_is_stdin([&args.original, &args.updated, &args.dest])?;
    let options = Options::new(&args.rules, Policy::MERGE3)?;
    if are_directories([args.original.as_path(), &args.updated, &args.dest])? {
        let (dest, base, incoming) = (args.dest.clone(), args.original.clone(), args.updated.clone());
        let roots = Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) };
        return merge_dirs(roots, &options, &args.output);
    }
    let (original, updated) = (Source::read(&args.original)?, Source::read(&args.updated)?);
    let sources = Slots { dest: None, base: Some(&original), incoming: Some(&updated) };
    merge_files(sources, &options, &args.output, &args.dest)
}
