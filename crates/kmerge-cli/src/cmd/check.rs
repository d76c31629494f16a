//! `kmerge check`: what is wrong in files, or missing from a merge commit.

use std::io::Write as _;
use std::path::Path;

use kmerge_core::Schema;

use crate::check::{Checked, Level, check, check_merge, write};
use crate::cli::check::CheckArgs;
use crate::exit::Exit;
use crate::input::{STDIO, read_bytes};
use crate::merge_files::only_one_is_stdin;
use crate::options;
use crate::terminal::{self, counted};
use crate::walk::manifests;

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
    if args.verbose {
        for file in &reader.checked {
            writeln!(terminal::stderr(), "checked {}", file.source.name)?;
        }
    }
    if !args.quiet {
        for file in reader.checked.iter().filter(|file| file.is_template) {
            writeln!(terminal::stderr(), "{}: a template, searched for conflict markers only", file.source.name)?;
        }
        terminal::coloured_stdout().write_all(write(&reader.checked, args.format).as_bytes())?;
        writeln!(terminal::stderr(), "{}", summary(&reader.checked))?;
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

/// `2 errors, 1 warning in 2 of 40 files`
fn summary(checked: &[Checked]) -> String {
    let of = |level: Level, what: &str| {
        let count = checked.iter().flat_map(|file| &file.problems).filter(|problem| problem.level == level).count();
        (count > 0).then(|| counted(count, what))
    };
    let found: Vec<String> = [of(Level::Error, "error"), of(Level::Warning, "warning")].into_iter().flatten().collect();
    let files = counted(checked.len(), "file");
    if found.is_empty() {
        return format!("nothing found in {files}");
    }
    let with = checked.iter().filter(|file| !file.problems.is_empty()).count();
    format!("{} in {with} of {files}", found.join(", "))
}
