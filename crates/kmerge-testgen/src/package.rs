//! Packages: trees of files with resources, in three versions.
//!
//! Every resource has a name of its own, so that no tool can take one for another.

use std::collections::{BTreeMap, BTreeSet};

use crate::flavor::Flavor;
use crate::manifest::manifest;
use crate::model::{Content, Document, Node, Stream};
use crate::rng::Rng;
use crate::vary::change_inside;
use crate::words::WORDS;

/// Three versions of a package: paths and texts.
#[derive(Clone, Debug, Default)]
pub struct Package {
    /// The common ancestor.
    pub base: BTreeMap<String, String>,
    /// The local version.
    pub dest: BTreeMap<String, String>,
    /// The new version.
    pub incoming: BTreeMap<String, String>,
}

/// How large a package is, and how much of it changes.
#[derive(Clone, Copy, Debug)]
pub struct PackageSize {
    /// Number of files.
    pub files: usize,
    /// Resources in each file.
    pub resources: usize,
    /// How many resources in a thousand each side changes, chosen independently, by one value or entry each.
    pub changed: usize,
}

/// A package in three versions.
///
/// ```
/// use kmerge_testgen::{PackageSize, package};
///
/// let package = package(1, PackageSize { files: 10, resources: 5, changed: 100 });
/// assert_eq!(package.base.len(), 10);
/// assert_ne!(package.base, package.incoming);
/// ```
#[must_use]
pub fn package(seed: u64, size: PackageSize) -> Package {
    let mut rng = Rng::new(seed);
    let all = size.files * size.resources;
    let [ours, theirs] = [0, 1].map(|_| chosen(&mut rng, all, (all * size.changed).div_ceil(1000)));
    let mut package = Package::default();
    for file in 0..size.files {
        let path = format!("{}/{}-{file}.yaml", rng.pick(WORDS), rng.pick(WORDS));
        let numbers = file * size.resources..(file + 1) * size.resources;
        let base = stream(&mut rng, numbers.clone());
        let mut side = |wanted: &BTreeSet<usize>| {
            let mut copy = base.clone();
            for (document, _) in numbers.clone().enumerate().filter(|(_, number)| wanted.contains(number)) {
                change(&mut copy.documents[document].root, &mut rng);
            }
            copy.text()
        };
        package.dest.insert(path.clone(), side(&ours));
        package.incoming.insert(path.clone(), side(&theirs));
        package.base.insert(path, base.text());
    }
    package
}

/// `count` different numbers below `all`.
fn chosen(rng: &mut Rng, all: usize, count: usize) -> BTreeSet<usize> {
    let mut chosen = BTreeSet::new();
    while chosen.len() < count.min(all) {
        chosen.insert(rng.below(all));
    }
    chosen
}

/// One resource for each number, all in one person's layout.
fn stream(rng: &mut Rng, numbers: std::ops::Range<usize>) -> Stream {
    let flavor = Flavor::new(rng);
    let document = |number| {
        let mut root = std::iter::repeat_with(|| manifest(rng)).find(has_name).unwrap_or_default();
        rename(&mut root, number);
        flavor.apply(&mut root, rng);
        Document { start: true, root, ..Document::default() }
    };
    Stream { documents: numbers.map(document).collect(), ..Stream::default() }
}

/// The value of a field.
fn field<'n>(node: &'n mut Node, name: &str) -> Option<&'n mut Node> {
    let Content::Mapping(entries, _) = &mut node.content else { return None };
    let is_named = |key: &Node| matches!(&key.content, Content::Scalar(scalar) if scalar.text == name);
    let found = entries.iter_mut().find(|entry| entry.key.as_ref().is_some_and(|key| is_named(&key.node)));
    found.map(|entry| &mut entry.value)
}

fn has_name(root: &Node) -> bool {
    field(&mut root.clone(), "metadata").is_some_and(|metadata| field(metadata, "name").is_some())
}

fn rename(root: &mut Node, number: usize) {
    if let Some(Node { content: Content::Scalar(name), .. }) =
        field(root, "metadata").and_then(|metadata| field(metadata, "name"))
    {
        name.text = format!("{}-{number}", name.text);
    }
}

/// Changes one place of a resource but for its type and metadata.
fn change(root: &mut Node, rng: &mut Rng) {
    const PARTS: [&str; 6] = ["spec", "data", "stringData", "rules", "subjects", "metadata"];
    for part in PARTS {
        let inside = match part {
            "metadata" => field(root, "metadata").and_then(|metadata| field(metadata, "labels")),
            part => field(root, part),
        };
        if inside.is_some_and(|node| change_inside(node, rng)) {
            return;
        }
    }
}
