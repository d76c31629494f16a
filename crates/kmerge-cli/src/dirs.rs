//! Reads the directories of a package merge.
//!
//! Invariants: files come in the order of their paths, whatever the file system says; a symbolic link is an entry of its
//! own and never followed; what `.krmignore` of any of the trees names, and `.git`, belongs to none of them. Of a file
//! that several trees have alike, one copy is kept. The trees are reached through handles, which stay open until the
//! result is written: see [`crate::tree`].

mod ignores;
mod listing;

use std::collections::BTreeMap;
use std::fs::Permissions;
use std::path::PathBuf;

use anyhow::{Context as _, bail};
use kmerge_core::package::{Content, File, Trees};
use kmerge_core::{Side, Slots};
use rayon::prelude::*;

use crate::progress::Count;
use crate::transaction::{Entry, Fingerprint};
use crate::tree::{Dir, Kind, Walker};
use listing::{Listing, list};

/// What one tree has at a path.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    /// Index of the content among those of its path.
    content: usize,
    /// Mode bits; `None` for a link.
    pub(crate) permissions: Option<Permissions>,
}

/// One path and what the trees have there.
#[derive(Debug)]
pub(crate) struct Spot {
    /// Relative to the trees, separated by `/`.
    pub(crate) path: String,
    /// The trees that have something there.
    pub(crate) sides: Slots<Loaded>,
    /// The distinct contents.
    contents: Vec<Entry>,
}

/// The three directories, read.
#[derive(Debug)]
pub(crate) struct Directories {
    /// In the order of their paths.
    pub(crate) spots: Vec<Spot>,
    /// Those that are on the disk.
    roots: Slots<Dir>,
}

/// A tree to be merged.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    /// A directory.
    Disk(PathBuf),
    /// The result of a merge that is not written.
    Memory(BTreeMap<String, Entry>),
}

/// Reads the trees, and counts the paths.
pub(crate) fn read(trees: &Slots<Tree>, count: &Count) -> anyhow::Result<Directories> {
    let (mut listings, mut roots) = (Slots::default(), Slots::default());
    for side in Side::ALL {
        match trees.get(side) {
            Some(Tree::Disk(root)) => {
                let root = Dir::open(root).with_context(|| format!("cannot read directory {}", root.display()))?;
                listings.set(side, list(&root)?);
                roots.set(side, root);
            }
            Some(Tree::Memory(entries)) => listings.set(side, Listing::of(entries)?),
            None => {}
        }
    }
    let paths = paths(&listings);
    check_kinds(&paths, &listings, &roots)?;
    count.expect(paths.len());
    let walkers = || roots.as_ref().map(Walker::new);
    let spot = |walkers: &mut Slots<Walker<'_>>, (path, kinds): (String, Slots<Kind>)| {
        let spot = spot(path, &kinds, trees, walkers);
        count.done();
        spot
    };
    let spots = paths.into_par_iter().map_init(walkers, spot).collect::<anyhow::Result<Vec<Spot>>>()?;
    Ok(Directories { spots, roots })
}

/// All paths that no tree ignores.
fn paths(listings: &Slots<Listing>) -> Vec<(String, Slots<Kind>)> {
    let mut paths: BTreeMap<String, Slots<Kind>> = BTreeMap::new();
    for (side, listing) in listings.present() {
        for (path, kind) in &listing.files {
            paths.entry(path.clone()).or_default().set(side, *kind);
        }
    }
    paths.retain(|path, _| !listings.present().any(|(_, listing)| listing.ignores.ignores(path)));
    paths.into_iter().collect()
}

/// What one tree has as a file must not be a pipe, socket or device in another: it would count as removed.
fn check_kinds(paths: &[(String, Slots<Kind>)], listings: &Slots<Listing>, roots: &Slots<Dir>) -> anyhow::Result<()> {
    for (side, listing) in listings.present().filter(|(_, listing)| !listing.others.is_empty()) {
        if let Some((path, _)) = paths.iter().find(|(path, _)| listing.others.contains(path)) {
            let shown = roots.get(side).map_or_else(|| path.into(), |root| root.shown_at(path));
            bail!("{} is a pipe, socket or device, and a file in another of the directories", shown.display());
        }
    }
    Ok(())
}

fn spot(
    path: String,
    kinds: &Slots<Kind>,
    trees: &Slots<Tree>,
    walkers: &mut Slots<Walker<'_>>,
) -> anyhow::Result<Spot> {
    let mut spot = Spot { path, sides: Slots::default(), contents: Vec::new() };
    for (side, kind) in kinds.present() {
        let (entry, permissions) = match (trees.get(side), walkers.get_mut(side)) {
            (Some(Tree::Memory(entries)), _) => split(&entries[&spot.path]),
            (_, Some(walker)) => load(walker, &spot.path, *kind)?,
            (_, None) => continue,
        };
        let known = spot.contents.iter().position(|content| *content == entry);
        let content = known.unwrap_or_else(|| {
            spot.contents.push(entry);
            spot.contents.len() - 1
        });
        spot.sides.set(side, Loaded { content, permissions });
    }
    Ok(spot)
}

fn load(walker: &mut Walker<'_>, path: &str, kind: Kind) -> anyhow::Result<(Entry, Option<Permissions>)> {
    let (directory, name) = path.rsplit_once('/').unwrap_or(("", path));
    let read = |directory: &Dir| match kind {
        Kind::Link => Ok((Entry::Link(directory.link(name)?), None)),
        _ => {
            let (bytes, permissions) = directory.read(name)?;
            Ok((Entry::File { bytes, permissions: None }, Some(permissions)))
        }
    };
    let shown = walker.root().shown_at(path);
    walker.go(directory).and_then(read).with_context(|| format!("cannot read {}", shown.display()))
}

/// An entry and, apart from it, its mode bits.
fn split(entry: &Entry) -> (Entry, Option<Permissions>) {
    match entry {
        Entry::File { bytes, permissions } => {
            (Entry::File { bytes: bytes.clone(), permissions: None }, permissions.clone())
        }
        Entry::Link(_) => (entry.clone(), None),
    }
}

impl Directories {
    /// The root of a tree that is on the disk.
    pub(crate) fn root(&self, side: Side) -> Option<&Dir> {
        self.roots.get(side)
    }

    /// The destination with its mode bits.
    pub(crate) fn dest(&self) -> BTreeMap<String, Entry> {
        let entry = |spot: &Spot| {
            let (entry, permissions) = self.entry(Side::Dest, &spot.path)?;
            Some((spot.path.clone(), entry.with_permissions(permissions.cloned())))
        };
        self.spots.iter().filter_map(entry).collect()
    }

    /// The trees as the merge wants them.
    pub(crate) fn trees(&self) -> anyhow::Result<Trees<'_>> {
        let contents: Vec<Vec<Content<'_>>> = self.spots.par_iter().map(contents).collect::<anyhow::Result<_>>()?;
        let mut trees = Trees::default();
        for (spot, contents) in self.spots.iter().zip(contents) {
            let first = trees.contents.len();
            trees.contents.extend(contents);
            for (side, loaded) in spot.sides.present() {
                let content = (first + loaded.content) as u32;
                let executable = loaded.permissions.as_ref().is_some_and(is_executable);
                trees.side_mut(side).push(File { path: &spot.path, content, executable });
            }
        }
        Ok(trees)
    }

    /// What a tree has at a path.
    pub(crate) fn entry(&self, side: Side, path: &str) -> Option<(&Entry, Option<&Permissions>)> {
        let at = self.spots.binary_search_by(|spot| spot.path.as_str().cmp(path)).ok()?;
        let loaded = self.spots[at].sides.get(side)?;
        Some((&self.spots[at].contents[loaded.content], loaded.permissions.as_ref()))
    }

    /// The fingerprint of what the destination has at a path.
    pub(crate) fn fingerprint(&self, path: &str) -> Option<Fingerprint> {
        self.entry(Side::Dest, path).map(|(entry, _)| Fingerprint::of(entry))
    }
}

fn contents(spot: &Spot) -> anyhow::Result<Vec<Content<'_>>> {
    spot.contents.iter().map(|entry| content(spot, entry)).collect()
}

/// What a file is to the merge; one that no side changed is not looked into.
fn content<'s>(spot: &'s Spot, entry: &'s Entry) -> anyhow::Result<Content<'s>> {
    match entry {
        Entry::Link(target) => {
            let target = target.to_str().with_context(|| format!("{}: the link's target is not UTF-8", spot.path))?;
            Ok(Content::link(target))
        }
        Entry::File { bytes, .. } if !is_settled(spot) => Ok(Content::read(&spot.path, bytes)),
        Entry::File { bytes, .. } => Ok(Content::settled(bytes)),
    }
}

fn is_settled(spot: &Spot) -> bool {
    let state = |side: Side| {
        let loaded = spot.sides.get(side)?;
        Some((loaded.content, loaded.permissions.as_ref().is_some_and(is_executable)))
    };
    state(Side::Base) == state(Side::Incoming) && state(Side::Dest) == state(Side::Base)
}

#[cfg(unix)]
pub(crate) fn is_executable(permissions: &Permissions) -> bool {
    use std::os::unix::fs::PermissionsExt as _;
    permissions.mode() & 0o100 != 0
}

#[cfg(not(unix))]
pub(crate) fn is_executable(_: &Permissions) -> bool {
    false
}
