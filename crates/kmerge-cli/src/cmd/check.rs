//! `kmerge check`: what is wrong in files, or missing from a merge commit.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kmerge_core::Schema;

use crate::check::{Checked, Level, Problem, check, check_merge, write};
use crate::cli::check::CheckArgs;
use crate::cli::merge::SchemaChoice;
use crate::exit::Exit;
use crate::input::{STDIO, read_bytes, read_file, unreadable};
use crate::merge_files::only_one_is_stdin;
use crate::options;
use crate::terminal::{self, counted};
use crate::tree::{Dir, Walker};
use crate::walk::manifests;

pub(crate) fn run(args: &CheckArgs) -> anyhow::Result<Exit> {
    only_one_is_stdin(&args.inputs)?;
    let schema = options::schema_of(&args.lists, args.schema.unwrap_or(SchemaChoice::Builtin))?;
    let mut reader = Reader { schema: &schema, checked: Vec::new(), failed: false };
    if let Some(commit) = &args.merge {
        reader.checked = check_merge(commit, &schema)?;
    }
    for input in &args.inputs {
        reader.input(input);
    }
    if args.schema.is_some() {
        reader.checked.iter_mut().flat_map(|file| &mut file.problems).for_each(Problem::count_field);
    }
    if args.verbose {
        for file in &reader.checked {
            writeln!(terminal::stderr(), "checked {}", file.source.name)?;
        }
        for kind in reader.checked.iter().flat_map(|file| &file.unknown_kinds).collect::<BTreeSet<_>>() {
            writeln!(terminal::stderr(), "the fields of {} are not known: skipped", terminal::line(kind))?;
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
        if path.as_os_str() == STDIO || !path.is_dir() {
            return self.keep(read_bytes(path));
        }
        let cannot = || format!("cannot read {}", path.display());
        let listed = Dir::open(path).with_context(cannot).and_then(|root| Ok((root, below(path)?)));
        match listed {
            Ok((root, files)) => self.files(&root, &files),
            Err(error) => self.fail(&error),
        }
    }

    /// Files below a directory, which others may have changed since they were listed.
    fn files(&mut self, root: &Dir, files: &[String]) {
        let mut walker = Walker::new(root);
        for path in files {
            let name = root.shown_at(path).display().to_string();
            let file = walker.parent(path).and_then(|(directory, name)| directory.file(name));
            let bytes =
                file.map_err(|error| unreadable(&name, &error)).and_then(|mut file| read_file(&mut file, &name));
            self.keep(bytes.map(|bytes| (name, bytes)).map_err(Into::into));
        }
    }

    /// Checks what was read, if it could be.
    fn keep(&mut self, read: anyhow::Result<(String, Vec<u8>)>) {
        match read {
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

/// Every manifest below a directory, as paths from there.
fn below(path: &Path) -> anyhow::Result<Vec<String>> {
    let relative = |file: &PathBuf| {
        let name = file.strip_prefix(path).unwrap_or(file);
        name.to_str().map(str::to_owned).with_context(|| format!("{}: the name is not UTF-8", file.display()))
    };
    manifests(path)?.iter().map(relative).collect()
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

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_became_of_a_file_since_it_was_listed_is_not_waited_for() {
        let room = tempfile::tempdir().unwrap();
        std::fs::create_dir(room.path().join("d")).unwrap();
        ["a.yaml", "d/b.yaml", "d/c.yaml"]
            .iter()
            .for_each(|name| std::fs::write(room.path().join(name), "a: 1\n").unwrap());
        let schema = Schema::new();
        let mut reader = Reader { schema: &schema, checked: Vec::new(), failed: false };
        let root = Dir::open(room.path()).unwrap();
        let files = below(room.path()).unwrap();
        assert_eq!(files, ["a.yaml", "d/b.yaml", "d/c.yaml"]);
        let pipe = room.path().join("a.yaml");
        std::fs::remove_file(&pipe).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        std::fs::remove_file(room.path().join("d/b.yaml")).unwrap();
        std::os::unix::fs::symlink("/etc/passwd", room.path().join("d/b.yaml")).unwrap();
        reader.files(&root, &files);
        assert_eq!(reader.exit(false), Exit::Trouble);
        let names: Vec<&str> = reader.checked.iter().map(|file| file.source.name.as_str()).collect();
        assert_eq!(names, [room.path().join("d/c.yaml").to_str().unwrap()]);
    }
}
