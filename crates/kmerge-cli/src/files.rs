//! Several files as one input: a file, stdin, or every YAML file of a directory.

use std::fs::Permissions;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use kyaml_ast::Stream;

use crate::diagnostic::Diagnostic;
use crate::input::{Source, yaml_files};
use crate::transaction::{Change, Entry, Fingerprint, Store, commit};
use crate::tree::Dir;

/// The files that an argument names.
#[derive(Debug)]
pub(crate) struct Files {
    /// The directory, if the argument is one.
    pub(crate) root: Option<PathBuf>,
    pub(crate) sources: Vec<Source>,
    paths: Vec<PathBuf>,
}

impl Files {
    /// Reads a file, stdin or a directory.
    pub(crate) fn read(path: &Path) -> anyhow::Result<Self> {
        let paths = yaml_files(path)?;
        let sources = paths.iter().map(|path| Source::read(path)).collect::<anyhow::Result<_>>()?;
        Ok(Self { root: path.is_dir().then(|| path.to_owned()), sources, paths })
    }

    /// A text that is no file.
    pub(crate) fn of(source: Source) -> Self {
        let paths = vec![PathBuf::from(&source.name)];
        Self { root: None, sources: vec![source], paths }
    }

    pub(crate) fn parse(&self) -> Result<Vec<Stream<'_>>, Diagnostic> {
        self.sources.iter().map(Source::parse_mergeable).collect()
    }

    pub(crate) fn texts(&self) -> Vec<&str> {
        self.sources.iter().map(|source| source.text.as_str()).collect()
    }

    /// The path of a file, relative to the directory, with slashes.
    pub(crate) fn relative(&self, index: usize) -> anyhow::Result<String> {
        let path = &self.paths[index];
        let path = self.root.as_ref().map_or(Ok(path.as_path()), |root| path.strip_prefix(root))?;
        let parts: Option<Vec<&str>> = path.iter().map(|part| part.to_str()).collect();
        Ok(parts.with_context(|| format!("{}: the name is not UTF-8", path.display()))?.join("/"))
    }
}

/// A file that changes; by its path in the directory.
#[derive(Debug)]
pub(crate) struct FileChange {
    pub(crate) path: String,
    /// Its text so far; `None` for a new file.
    pub(crate) before: Option<String>,
    pub(crate) after: String,
}

/// Writes all files of a directory, or none.
pub(crate) fn write_all(root: &Path, changes: &[FileChange]) -> anyhow::Result<()> {
    write_in(root, changes, &Store::needed()?)
}

/// Writes all files, or none; they are what `inputs` name. Each comes as it was, and as it is to be.
pub(crate) fn write_several(files: &[(&Path, [&Source; 2])], inputs: &[PathBuf]) -> anyhow::Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let real = |path: &Path| path.canonicalize().with_context(|| format!("cannot write {}", path.display()));
    let paths = files.iter().map(|(path, _)| real(path)).collect::<anyhow::Result<Vec<_>>>()?;
    let root = common_directory(&paths).context("the files have no directory in common")?;
    let change = |((path, [before, after]), real): (&(&Path, [&Source; 2]), &PathBuf)| {
        let parts: Option<Vec<&str>> = real.strip_prefix(&root)?.iter().map(|part| part.to_str()).collect();
        let path = parts.with_context(|| format!("{}: the name is not UTF-8", path.display()))?.join("/");
        Ok(FileChange { path, before: Some(before.text.clone()), after: after.text.clone() })
    };
    let mut changes = files.iter().zip(&paths).map(change).collect::<anyhow::Result<Vec<FileChange>>>()?;
    changes.sort_by(|a, b| a.path.cmp(&b.path));
    write_in(&root, &changes, &Store::needed()?.of_trees(inputs))
}

/// The innermost directory that holds all files.
fn common_directory(paths: &[PathBuf]) -> Option<PathBuf> {
    let mut common = paths.first()?.parent()?;
    while !paths.iter().all(|path| path.starts_with(common)) {
        common = common.parent()?;
    }
    Some(common.to_owned())
}

fn write_in(root: &Path, changes: &[FileChange], store: &Store) -> anyhow::Result<()> {
    let root = Dir::open(root).with_context(|| format!("cannot open {}", root.display()))?;
    let change = |change: &FileChange| -> anyhow::Result<Change> {
        let permissions = match change.before {
            Some(_) => Some(permissions(&root, &change.path)?),
            None => None,
        };
        Ok(Change {
            path: change.path.clone(),
            old: change.before.as_ref().map(|before| Fingerprint::of_bytes(before.as_bytes())),
            new: Some(Entry::File { bytes: change.after.clone().into_bytes(), permissions }),
        })
    };
    commit(store, &root, &changes.iter().map(change).collect::<anyhow::Result<Vec<_>>>()?)
}

fn permissions(root: &Dir, path: &str) -> anyhow::Result<Permissions> {
    let found = root.parent(path).and_then(|(parent, name)| parent.file(name)?.metadata());
    Ok(found.with_context(|| format!("cannot write {}", root.shown_at(path).display()))?.permissions())
}
