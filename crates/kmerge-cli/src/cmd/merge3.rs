//! `kmerge merge3`: a 3-way merge.

use kmerge_core::{Policy, Slots};

use crate::cli::merge::Merge3Args;
use crate::exit::Exit;
use crate::input::Source;
use crate::merge_files::{merge_files, only_one_is_stdin};
use crate::options::Options;

pub(crate) fn run(args: &Merge3Args) -> anyhow::Result<Exit> {
    only_one_is_stdin([&args.original, &args.updated, &args.dest])?;
    let options = Options::new(&args.rules, Policy::MERGE3)?;
    let (original, updated) = (Source::read(&args.original)?, Source::read(&args.updated)?);
    let dest = Source::read_as(&args.dest, args.output.name.as_deref())?;
    let sources = Slots { dest: Some(&dest), base: Some(&original), incoming: Some(&updated) };
    merge_files(sources, &options, &args.output, &args.dest)
}
