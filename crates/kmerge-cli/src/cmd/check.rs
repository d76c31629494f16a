//! `kmerge check`: what is wrong in files, or missing from a merge commit.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::Schema;

use crate::check::{Checked, Level, check, check_merge, write};
use crate::cli::check::CheckArgs;
use crate::exit::Exit;
use crate::input::{STDIO, read_bytes};
use crate::merge_files::only_one_is_stdin;
use crate::options;
use crate::terminal;
use crate::tree::is_dot_git;

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    only_one_is_stdin(&args.inputs)?;
    let schema = options::schema(&args.schema)?;
    let mut reader = Reader { schema: &schema, checked: Vec::new(), failed: false };
    if let Some(commit) = &args.merge {
        reader.checked = check_merge(commit, &schema)?;
    }
    for input in &args.inputs {
        reader.input(input);
    }
    if !args.quiet {
        for file in reader.checked.iter().filter(|file| file.is_template) {
            writeln!(terminal::stderr(), "{}: a template, searched for conflict markers only", file.source.name)?;
        }
        terminal::coloured_stdout().write_all(write(&reader.checked, args.format).as_bytes())?;
    }
    Ok(reader.exit(args.strict))
}

/// Goes on after a file that cannot be read, so that the others are checked in any case.
struct Reader<'s> {
    schema: &'s Schema,
    checked: Vec<Checked>,
    failed: bool,
}

impl Reader<'_> {
    fn input(&mut self, path: &Path) {
        let files = if path.as_os_str() == STDIO { Ok(vec![path.to_owned()]) } else { manifests(path) };
        match files {
            Ok(files) => files.iter().for_each(|file| self.file(file)),
            Err(error) => self.fail(&error),
        }
    }

    fn file(&mut self, path: &Path) {
        match read_bytes(path) {
            Ok((name, bytes)) => self.checked.push(check(name, bytes, self.schema)),
            Err(error) => self.fail(&error),
        }
    }

    fn fail(&mut self, error: &anyhow::Error) {
        self.failed = true;
        crate::trouble(error);
    }

    fn exit(&self, strict: bool) -> Exit {
        let counts = |level: Level| level == Level::Error || strict;
        let has_findings = self.checked.iter().flat_map(|file| &file.problems).any(|problem| counts(problem.level));
        match (self.failed, has_findings) {
            (true, _) => Exit::Trouble,
            (_, true) => Exit::Findings,
            _ => Exit::Clean,
        }
    }
}

/// The file itself, or every manifest below a directory, in the order of their paths. Links are not followed.
fn manifests(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let (mut files, mut open) = (Vec::new(), vec![path.to_owned()]);
    while let Some(directory) = open.pop() {
        let cannot = || format!("cannot read {}", directory.display());
        for entry in directory.read_dir().with_context(cannot)? {
            let entry = entry.with_context(cannot)?;
            let kind = entry.file_type().with_context(cannot)?;
            if kind.is_dir() {
                if !entry.file_name().to_str().is_some_and(is_dot_git) {
                    open.push(entry.path());
                }
            } else if kind.is_file() && is_manifest(&entry.path()) {
                files.push(entry.path());
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Whether the name is that of a manifest.
fn is_manifest(path: &Path) -> bool {
    matches!(path.extension().and_then(OsStr::to_str), Some("yaml" | "yml" | "json"))
        || path.file_name().is_some_and(|name| name == "Kptfile")
}
