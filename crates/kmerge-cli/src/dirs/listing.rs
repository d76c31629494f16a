//! Lists the files of a tree.

use std::collections::{BTreeMap, HashSet};
use std::io::{Error, ErrorKind};

use anyhow::Context as _;

use super::ignores::{FILE, Ignores};
use crate::transaction::{Entry, is_staging};
use crate::tree::{Dir, Kind, Walker, is_dot_git};

/// The files of a tree.
#[derive(Debug)]
pub(super) struct Listing {
    /// Paths separated by `/`, in no order.
    pub(super) files: Vec<(String, Kind)>,
    /// The paths of pipes, sockets and devices.
    pub(super) others: HashSet<String>,
    /// What its `.krmignore` files say.
    pub(super) ignores: Ignores,
}

impl Listing {
    /// Lists a tree in memory.
    pub(super) fn of(entries: &BTreeMap<String, Entry>) -> anyhow::Result<Self> {
        let mut listing = Self { files: Vec::new(), others: HashSet::new(), ignores: Ignores::default() };
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

/// Lists every file and link of a tree; pipes, sockets and devices are listed apart.
pub(super) fn list(root: &Dir) -> anyhow::Result<Listing> {
    let mut listing = Listing { files: Vec::new(), others: HashSet::new(), ignores: Ignores::default() };
    let mut walker = Walker::new(root);
    let mut open = vec![String::new()];
    while let Some(path) = open.pop() {
        let cannot = || format!("cannot read directory {}", root.shown_at(&path).display());
        let directory = walker.go(&path).with_context(cannot)?;
        let mut entries = directory.names().with_context(cannot)?;
        entries.retain(|(name, _)| !(is_dot_git(name) || path.is_empty() && is_staging(name)));
        if entries.iter().any(|(name, kind)| name == FILE && *kind == Kind::File) {
            let shown = directory.shown_at(FILE);
            let text = directory.read(FILE).and_then(|(bytes, _)| text(bytes));
            let text = text.with_context(|| format!("cannot read {}", shown.display()))?;
            listing.ignores.add(&path, &text, &shown.display().to_string())?;
        }
        for (name, kind) in entries {
            let path = if path.is_empty() { name } else { format!("{path}/{name}") };
            visit(path, kind, &mut listing, &mut open);
        }
    }
    Ok(listing)
}

fn text(bytes: Vec<u8>) -> std::io::Result<String> {
    String::from_utf8(bytes).map_err(|_| Error::new(ErrorKind::InvalidData, "it is not UTF-8"))
}

fn visit(path: String, kind: Kind, listing: &mut Listing, open: &mut Vec<String>) {
    match kind {
        Kind::Directory if !listing.ignores.ignores_directory(&path) => open.push(path),
        Kind::File | Kind::Link => listing.files.push((path, kind)),
        Kind::Other => _ = listing.others.insert(path),
        Kind::Directory => {}
    }
}
