//! `kmerge merge2`: a 2-way merge.

use kmerge_core::{Policy, Slots};

use crate::cli::merge::Merge2Args;
use crate::exit::Exit;
use crate::input::Source;
use crate::merge_files::{merge_files, only_one_is_stdin};
use crate::options::Options;

pub(crate) fn run(args: &Merge2Args) -> anyhow::Result<Exit> {
    only_one_is_stdin([&args.source, &args.dest])?;
    let options = Options::new(&args.rules, Policy::MERGE2)?;
    let (source, dest) = (Source::read(&args.source)?, Source::read_as(&args.dest, args.output.name.as_deref())?);
    let sources = Slots { dest: Some(&dest), base: None, incoming: Some(&source) };
    merge_files(sources, &options, &args.output, &args.dest)
}
