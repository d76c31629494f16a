//! New files that no kustomization of the result lists, although one stands in their directory or above it.
//!
//! A kustomization lists whatever it names by a text that is the path of it. Ignored: what is in a directory without any
//! kustomization above it, and files that are no manifests.

use std::collections::{BTreeMap, HashSet};

use kmerge_core::Side;
use kyaml_ast::{EventKind, Stream};

use super::carry::Carried;
use crate::dirs::Directories;
use crate::transaction::Entry;

const KUSTOMIZATIONS: [&str; 3] = ["kustomization.yaml", "kustomization.yml", "Kustomization"];
const MANIFESTS: [&str; 3] = [".yaml", ".yml", ".json"];
/// Files of tools, which nobody lists.
const OWN: [&str; 1] = ["kmerge.yaml"];

/// The paths of such files.
pub(super) fn unlisted(carried: &Carried, directories: &Directories) -> Vec<String> {
    let is_new = |path: &str| {
        let name = name(path);
        MANIFESTS.iter().any(|end| name.ends_with(end)) && !KUSTOMIZATIONS.contains(&name) && !OWN.contains(&name)
    };
    let added = carried.changes.iter().filter(|change| change.before.is_none() && change.change.new.is_some());
    let new: Vec<&str> = added.map(|change| change.change.path.as_str()).filter(|path| is_new(path)).collect();
    if new.is_empty() {
        return Vec::new();
    }
    let kustomizations = kustomizations(carried, directories);
    let listed: HashSet<String> = kustomizations.iter().flat_map(|(path, text)| named(directory(path), text)).collect();
    let above: HashSet<&str> = kustomizations.keys().map(|path| directory(path)).collect();
    let is_lost = |path: &&str| !listed.contains(*path) && holders(path).any(|holder| above.contains(holder));
    new.into_iter().filter(is_lost).map(str::to_owned).collect()
}

/// The kustomizations of the result.
fn kustomizations(carried: &Carried, directories: &Directories) -> BTreeMap<String, String> {
    let text = |entry: &Entry| match entry {
        Entry::File { bytes, .. } => String::from_utf8(bytes.clone()).ok(),
        Entry::Link(_) => None,
    };
    let is_one = |path: &str| KUSTOMIZATIONS.contains(&name(path));
    let paths = directories.spots.iter().map(|spot| spot.path.as_str()).filter(|path| is_one(path));
    let before = paths.filter_map(|path| Some((path.to_owned(), text(directories.entry(Side::Dest, path)?.0)?)));
    let mut found: BTreeMap<String, String> = before.collect();
    for change in carried.changes.iter().map(|change| &change.change).filter(|change| is_one(&change.path)) {
        found.remove(&change.path);
        found.extend(change.new.as_ref().and_then(text).map(|text| (change.path.clone(), text)));
    }
    found
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
