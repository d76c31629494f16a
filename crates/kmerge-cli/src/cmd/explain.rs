//! `kmerge explain`: which rule decides what.

pub(crate) mod driver;

use std::io::Write as _;
use std::path::PathBuf;

use kmerge_core::{Policy, Slots};

use crate::cli::explain::{Explain, ExplainArgs, KeysArgs};
use crate::cli::merge::{OutputFlags, ReportFormat, SayFlags, TargetFlags};
use crate::crds::known;
use crate::exit::Exit;
use crate::input::{STDIO, Source};
use crate::keys;
use crate::merge_dirs::{are_directories, merge_dirs};
use crate::merge_files::{merge_files, only_one_is_stdin};
use crate::options::{self, Options};

pub(crate) fn run(args: &ExplainArgs) -> anyhow::Result<Exit> {
    match &args.what {
        Explain::Merge2(args) => {
            let paths = Slots { dest: Some(&args.dest), base: None, incoming: Some(&args.source) };
            merge(paths, &Options::explained(&args.rules, Policy::MERGE2)?, args.format)
        }
        Explain::Merge3(args) => {
            let paths = Slots { dest: Some(&args.dest), base: Some(&args.original), incoming: Some(&args.updated) };
            merge(paths, &Options::explained(&args.rules, Policy::MERGE3)?, args.format)
        }
        Explain::Driver(args) => driver::run(args),
        Explain::Keys(args) => of_keys(args),
    }
}

fn merge(paths: Slots<&PathBuf>, options: &Options, format: ReportFormat) -> anyhow::Result<Exit> {
    let given: Vec<&PathBuf> = paths.present().map(|(_, path)| *path).collect();
    only_one_is_stdin(given.iter().copied())?;
    let flags = OutputFlags {
        target: TargetFlags { output: None, in_place: false, diff: false, check: true },
        say: SayFlags { report: Some(STDIO.into()), format, quiet: true, verbose: false },
        name: None,
    };
    if are_directories(given.iter().map(|path| path.as_path()))? {
        return merge_dirs(paths.map(Clone::clone), options, &flags).map(|_| Exit::Clean);
    }
    let read = |path: Option<&PathBuf>| path.map(|path| Source::read(path)).transpose();
    let [base, incoming] = [read(paths.base)?, read(paths.incoming)?];
    let sources = Slots { dest: None, base: base.as_ref(), incoming: incoming.as_ref() };
    let path = paths.dest.map_or_else(PathBuf::new, Clone::clone);
    merge_files(sources, options, &flags, &path).map(|_| Exit::Clean)
}

fn of_keys(args: &KeysArgs) -> anyhow::Result<Exit> {
    let schema = options::schema(&args.schema)?;
    let source = Source::read(&args.file)?;
    let stream = source.parse_mergeable()?;
    let schema = known(&schema, &[(&source, &stream)])?;
    write!(crate::terminal::coloured_stdout(), "{}", keys::explain(&source, &stream, &schema))?;
    Ok(Exit::Clean)
}
