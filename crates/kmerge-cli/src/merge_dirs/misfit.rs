//! Files of the result that its kustomizations do not fit: they list a file that is missing, or do not list one that is there, although
//! a kustomization stands in its directory or above it.
//!
//! What fits no better in the destination or upstream is the choice of whoever wrote that, and nothing to tell. A kustomization lists
//! whatever it names by a text that is the path of it, or `name=` and the path.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::Path as FilePath;

use kmerge_core::{Resource, Side};
use kyaml_ast::{EventKind, Stream};

use super::carry::Carried;
use crate::dirs::Directories;
use crate::transaction::Entry;
use crate::walk::is_manifest;

const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];

/// What does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// A new file is not listed.
    New,
    /// A file is not listed any more.
    Dropped,
    /// What is listed is not there.
    Missing,
}

/// The paths that do not fit, in their order.
pub(super) fn misfits(carried: &Carried, directories: &Directories) -> BTreeMap<String, Misfit> {
    if carried.changes.is_empty() {
        return BTreeMap::new();
    }
    let [dest, incoming] = [Side::Dest, Side::Incoming].map(|side| entries(directories, side));
    let result = changed(dest.clone(), carried);
    let known: BTreeSet<&str> = directories.spots.iter().map(|spot| spot.path.as_str()).collect();
    // Where a side renamed the directory, a new file of it stands in the old one.
    let names: HashSet<&str> =
        known.iter().filter(|path| is_manifest(FilePath::new(path))).map(|path| name(path)).collect();
    let [dest, incoming, merged] = [&dest, &incoming, &result].map(Package::of);
    let is_unlisted = |path: &&str| merged.is_unlisted(path) && !dest.is_unlisted(path) && !incoming.is_unlisted(path);
    let unlisted = merged.paths.iter().copied().filter(is_unlisted).filter_map(|path| {
        let is_new = !dest.paths.contains(path) && is_resource(path, result[path]);
        let misfit = if is_new { Misfit::New } else { Misfit::Dropped };
        (is_new || dest.listed.contains(path)).then(|| (path.to_owned(), misfit))
    });
    let is_missing = |path: &&String| merged.misses(path) && !dest.misses(path) && !incoming.misses(path);
    let missing = merged.listed.iter().filter(is_missing);
    let missing = missing.filter(|path| is_in(path, &known) || names.contains(name(path)));
    unlisted.chain(missing.map(|path| (path.clone(), Misfit::Missing))).collect()
}

/// A tree as its kustomizations see it.
struct Package<'p> {
    paths: BTreeSet<&'p str>,
    /// What some kustomization lists.
    listed: HashSet<String>,
    /// The directories of the kustomizations.
    directories: HashSet<&'p str>,
}

impl<'p> Package<'p> {
    fn of(entries: &BTreeMap<&'p str, &Entry>) -> Self {
        let kustomizations = || entries.iter().filter(|(path, _)| KUSTOMIZATIONS.contains(&name(path)));
        let listed = kustomizations().filter_map(|(path, entry)| Some(named(directory(path), text(entry)?)));
        Self {
            paths: entries.keys().copied().collect(),
            listed: listed.flatten().collect(),
            directories: kustomizations().map(|(path, _)| directory(path)).collect(),
        }
    }

    /// Whether a file is there that no kustomization lists, although one stands in its directory or above.
    fn is_unlisted(&self, path: &str) -> bool {
        self.paths.contains(path)
            && !self.listed.contains(path)
            && holders(path).any(|holder| self.directories.contains(holder))
    }

    /// Whether a path is listed of which there is nothing.
    fn misses(&self, path: &str) -> bool {
        self.listed.contains(path) && !is_in(path, &self.paths)
    }
}

/// The files of one side.
fn entries(directories: &Directories, side: Side) -> BTreeMap<&str, &Entry> {
    let paths = directories.spots.iter().map(|spot| spot.path.as_str());
    paths.filter_map(|path| Some((path, directories.entry(side, path)?.0))).collect()
}

/// The files of the destination with what changes.
fn changed<'p>(mut entries: BTreeMap<&'p str, &'p Entry>, carried: &'p Carried) -> BTreeMap<&'p str, &'p Entry> {
    for change in carried.changes.iter().map(|change| &change.change) {
        match &change.new {
            Some(entry) => entries.insert(&change.path, entry),
            None => entries.remove(change.path.as_str()),
        };
    }
    entries
}

/// Whether a path is a file, or a directory with one.
fn is_in(path: &str, paths: &BTreeSet<&str>) -> bool {
    let below = format!("{path}/");
    let first_below = paths.range(below.as_str()..).next();
    path.is_empty() || paths.contains(path) || first_below.is_some_and(|first| first.starts_with(&below))
}

/// Whether a kustomization may list a file as a resource.
fn is_resource(path: &str, entry: &Entry) -> bool {
    if ![".yaml", ".yml", ".json"].iter().any(|end| path.ends_with(end)) || KUSTOMIZATIONS.contains(&name(path)) {
        return false;
    }
    let stream = text(entry).and_then(|text| Stream::parse(text).ok());
    stream.is_some_and(|stream| stream.documents().any(|document| Resource::of(document).is_some()))
}

fn text(entry: &Entry) -> Option<&str> {
    match entry {
        Entry::File { bytes, .. } => std::str::from_utf8(bytes).ok(),
        Entry::Link(_) => None,
    }
}

/// The paths that a kustomization's texts may be.
fn named(directory: &str, text: &str) -> Vec<String> {
    let Ok(stream) = Stream::parse(text) else { return Vec::new() };
    let leaves = stream.events().filter_map(|event| match event.kind {
        EventKind::Leaf(node) if node.kind().is_scalar() => Some(node.value()),
        _ => None,
    });
    let paths = |text: String| {
        let named = text.split_once('=').map(|(_, path)| joined(directory, path));
        [Some(joined(directory, &text)), named].into_iter().flatten()
    };
    leaves.flat_map(|text| paths(text.into_owned())).collect()
}

/// `a/b` and `../c` are `a/c`
fn joined(directory: &str, path: &str) -> String {
    let mut parts: Vec<&str> = directory.split('/').filter(|part| !part.is_empty()).collect();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()),
            part => parts.push(part),
        }
    }
    parts.join("/")
}

fn name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn directory(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(directory, _)| directory)
}

/// The directories that hold a file, the nearest one first.
fn holders(path: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(Some(directory(path)), |holder| (!holder.is_empty()).then(|| directory(holder)))
}

#[cfg(test)]
mod tests {
    use super::{holders, joined, named};

    #[test]
    fn a_path_is_resolved_from_the_directory_of_the_kustomization() {
        assert_eq!(joined("a/b", "../c/./d.yaml"), "a/c/d.yaml");
        assert_eq!(joined("", "./d.yaml"), "d.yaml");
        assert_eq!(holders("a/b/c.yaml").collect::<Vec<_>>(), ["a/b", "a", ""]);
        let texts = named("app", "resources: [web.yaml, ../base]\npatches:\n- path: p.yaml # own\n- files: [k=e.txt]");
        assert!(
            ["app/web.yaml", "base", "app/p.yaml", "app/e.txt"].iter().all(|path| texts.contains(&(*path).to_owned()))
        );
    }
}
