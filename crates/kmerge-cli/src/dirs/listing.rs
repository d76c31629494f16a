//! Lists the files of a tree.

use std::collections::BTreeMap;
use std::fs::DirEntry;
use std::path::Path;

use anyhow::{Context as _, ensure};

use super::ignores::{FILE, Ignores};
use crate::transaction::{DIRECTORY, Entry};

/// What stands at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A regular file.
    File,
    /// A symbolic link, to whatever.
    Link,
}

/// The files of a tree.
#[derive(Debug)]
pub(super) struct Listing {
    /// Paths separated by `/`, in no order.
    pub(super) files: Vec<(String, Kind)>,
    /// What its `.krmignore` files say.
    pub(super) ignores: Ignores,
}

impl Listing {
    /// Lists a tree in memory.
    pub(super) fn of(entries: &BTreeMap<String, Entry>) -> anyhow::Result<Self> {
        let mut listing = Self { files: Vec::new(), ignores: Ignores::default() };
        for (path, entry) in entries {
            let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
            match entry {
                Entry::Link(_) => listing.files.push((path.clone(), Kind::Link)),
                Entry::File { bytes, .. } => {
                    if name == FILE {
                        listing.ignores.add(directory, &String::from_utf8_lossy(bytes), path)?;
                    }
                    listing.files.push((path.clone(), Kind::File));
                }
            }
        }
        Ok(listing)
    }
}

/// Lists every file and link of a tree; pipes, sockets and devices are left out.
pub(super) fn list(root: &Path) -> anyhow::Result<Listing> {
    ensure!(root.is_dir(), "{} is not a directory", root.display());
    let mut listing = Listing { files: Vec::new(), ignores: Ignores::default() };
    let mut open = vec![String::new()];
    while let Some(directory) = open.pop() {
        let path = root.join(&directory);
        let cannot = || format!("cannot read directory {}", path.display());
        let entries =
            path.read_dir().with_context(cannot)?.collect::<Result<Vec<DirEntry>, _>>().with_context(cannot)?;
        let is_rules =
            |entry: &DirEntry| entry.file_name() == FILE && entry.file_type().is_ok_and(|kind| kind.is_file());
        if entries.iter().any(is_rules) {
            let path = path.join(FILE);
            let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            listing.ignores.add(&directory, &text, &path.display().to_string())?;
        }
        for entry in entries {
            visit(&entry, &directory, &mut listing, &mut open)?;
        }
    }
    Ok(listing)
}

fn visit(entry: &DirEntry, directory: &str, listing: &mut Listing, open: &mut Vec<String>) -> anyhow::Result<()> {
    let name = entry.file_name();
    if name == ".git" || name == DIRECTORY {
        return Ok(());
    }
    let shown = entry.path();
    let name = name.to_str().with_context(|| format!("{}: the name is not UTF-8", shown.display()))?;
    let path = if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") };
    let kind = entry.file_type().with_context(|| format!("cannot look at {}", shown.display()))?;
    if kind.is_dir() {
        if !listing.ignores.ignores_directory(&path) {
            open.push(path);
        }
    } else if kind.is_symlink() {
        listing.files.push((path, Kind::Link));
    } else if kind.is_file() {
        listing.files.push((path, Kind::File));
    }
    Ok(())
}
