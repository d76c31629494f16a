//! Files of the result that its kustomizations do not fit: they list a file that is gone, or do not list one that is there, although
//! a kustomization stands in its directory or above it.
//!
//! A kustomization lists whatever it names by a text that is the path of it. Ignored: what the merge does not change, what is in a
//! directory without any kustomization above it, and files that are no manifests.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use kmerge_core::Side;
use kyaml_ast::{EventKind, Stream};

use super::carry::Carried;
use crate::dirs::Directories;
use crate::transaction::Entry;

const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
const MANIFESTS: [&str; 3] = [".yaml", ".yml", ".json"];
/// Files of tools, which nobody lists.
const OWN: [&str; 1] = ["kmerge.yaml"];

/// What does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Misfit {
    /// A new file is not listed.
    New,
    /// A file is not listed any more.
    Dropped,
    /// What is listed is gone.
    Gone,
}

/// The paths that do not fit, in their order.
pub(super) fn misfits(carried: &Carried, directories: &Directories) -> BTreeMap<String, Misfit> {
    if carried.changes.is_empty() {
        return BTreeMap::new();
    }
    let texts = kustomizations(carried, directories);
    let [old, new] = texts.each_ref().map(Listing::of);
    let paths = paths(carried, directories);
    let is_unlisted = |path: &&str| is_listable(path) && new.is_below(path) && !new.listed.contains(*path);
    let dropped = paths.iter().copied().filter(|path| old.listed.contains(*path)).filter(is_unlisted);
    let mut found: BTreeMap<String, Misfit> = dropped.map(|path| (path.to_owned(), Misfit::Dropped)).collect();
    for change in &carried.changes {
        let path = change.change.path.as_str();
        if change.before.is_none() && is_unlisted(&path) {
            found.insert(path.to_owned(), Misfit::New);
        } else if change.change.new.is_none() {
            let gone = std::iter::once(path).chain(holders(path)).filter(|path| !is_left(path, &paths));
            let listed = gone.filter(|path| new.listed.contains(*path));
            found.extend(listed.map(|path| (path.to_owned(), Misfit::Gone)));
        }
    }
    found
}

/// Whether a path is a file of the result, or a directory with one.
fn is_left(path: &str, paths: &BTreeSet<&str>) -> bool {
    let below = format!("{path}/");
    let first_below = paths.range(below.as_str()..).next();
    path.is_empty() || paths.contains(path) || first_below.is_some_and(|first| first.starts_with(&below))
}

/// What some kustomizations list.
struct Listing<'k> {
    listed: HashSet<String>,
    /// The directories of the kustomizations.
    directories: HashSet<&'k str>,
}

impl<'k> Listing<'k> {
    fn of(texts: &'k BTreeMap<String, String>) -> Self {
        let listed = texts.iter().flat_map(|(path, text)| named(directory(path), text)).collect();
        Self { listed, directories: texts.keys().map(|path| directory(path)).collect() }
    }

    /// Whether a kustomization stands in the directory of a path, or above.
    fn is_below(&self, path: &str) -> bool {
        holders(path).any(|holder| self.directories.contains(holder))
    }
}

/// Whether a kustomization may list a file of this path as a resource.
fn is_listable(path: &str) -> bool {
    let name = name(path);
    MANIFESTS.iter().any(|end| name.ends_with(end)) && !KUSTOMIZATIONS.contains(&name) && !OWN.contains(&name)
}

/// The paths of the result.
fn paths<'p>(carried: &'p Carried, directories: &'p Directories) -> BTreeSet<&'p str> {
    let spots = directories.spots.iter().map(|spot| spot.path.as_str());
    let mut paths: BTreeSet<&str> = spots.filter(|path| directories.entry(Side::Dest, path).is_some()).collect();
    for change in carried.changes.iter().map(|change| &change.change) {
        match change.new {
            Some(_) => paths.insert(&change.path),
            None => paths.remove(change.path.as_str()),
        };
    }
    paths
}

/// The kustomizations of the destination, and those of the result.
fn kustomizations(carried: &Carried, directories: &Directories) -> [BTreeMap<String, String>; 2] {
    let text = |entry: &Entry| match entry {
        Entry::File { bytes, .. } => String::from_utf8(bytes.clone()).ok(),
        Entry::Link(_) => None,
    };
    let is_one = |path: &str| KUSTOMIZATIONS.contains(&name(path));
    let paths = directories.spots.iter().map(|spot| spot.path.as_str()).filter(|path| is_one(path));
    let before = paths.filter_map(|path| Some((path.to_owned(), text(directories.entry(Side::Dest, path)?.0)?)));
    let before: BTreeMap<String, String> = before.collect();
    let mut after = before.clone();
    for change in carried.changes.iter().map(|change| &change.change).filter(|change| is_one(&change.path)) {
        after.remove(&change.path);
        after.extend(change.new.as_ref().and_then(text).map(|text| (change.path.clone(), text)));
    }
    [before, after]
}

/// The paths that a kustomization's texts may be.
fn named(directory: &str, text: &str) -> Vec<String> {
    let Ok(stream) = Stream::parse(text) else { return Vec::new() };
    let leaves = stream.events().filter_map(|event| match event.kind {
        EventKind::Leaf(node) if node.kind().is_scalar() => Some(joined(directory, &node.value())),
        _ => None,
    });
    leaves.collect()
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
        let texts = named("app", "resources: [web.yaml, ../base]\npatches:\n- path: p.yaml # own\n");
        assert!(["app/web.yaml", "base", "app/p.yaml"].iter().all(|path| texts.contains(&(*path).to_owned())));
    }
}
