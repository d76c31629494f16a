//! Identities that a side has in several files: variants of one resource, as bases and overlays are.
//!
//! Files that are alike on all sides are not read for a merge; here they are, but only where somebody moved or added a
//! resource of a name that stands in them.

use std::collections::{HashMap, HashSet};

use kyaml_ast::Stream;
use memchr::memmem::Finder;

use super::files::{Paths, Treatment};
use super::read::units;
use super::trees::{Trees, UnitRef};
use super::unit::Unit;
use crate::resource::ResourceId;
use crate::slots::Side;

/// The identities that a side has, and those that it has in several files.
#[derive(Debug)]
pub(super) struct Variants<'t> {
    there: HashSet<(Side, &'t ResourceId)>,
    several: HashSet<(Side, &'t ResourceId)>,
}

impl<'t> Variants<'t> {
    /// Finds them among the units of all sides, and in the files that are alike on all sides.
    pub(super) fn of(trees: &'t Trees<'_>, paths: &Paths<'_>, sides: [&[UnitRef]; 3]) -> Self {
        let mut files: HashMap<&ResourceId, [Vec<&str>; 3]> = HashMap::new();
        for &unit in sides.into_iter().flatten() {
            for identity in identities(trees.unit(unit)) {
                let found = &mut files.entry(identity).or_default()[unit.side as usize];
                if found.last() != Some(&trees.path(unit)) {
                    found.push(trees.path(unit));
                }
            }
        }
        let moved = files.iter().filter(|(_, files)| are_moved(files)).map(|(identity, _)| *identity).collect();
        let settled = settled(trees, paths, &moved);
        let mut several = HashSet::new();
        for (identity, files) in files {
            let settled = settled.get(identity).copied().unwrap_or_default();
            for (side, files) in Side::ALL.into_iter().zip(files) {
                if files.len() + settled > 1 {
                    several.insert((side, identity));
                }
            }
        }
        let there = sides.into_iter().flatten().filter_map(|unit| Some((unit.side, trees.identity(*unit)?)));
        Self { there: there.collect(), several }
    }

    /// Whether a side has a unit of this identity.
    pub(super) fn is_there(&self, side: Side, identity: &ResourceId) -> bool {
        self.there.contains(&(side, identity))
    }

    /// Whether a side has this identity in several files.
    pub(super) fn has(&self, side: Side, identity: &ResourceId) -> bool {
        self.several.contains(&(side, identity))
    }
}

/// The written identity, and the one that a comment claims.
fn identities(unit: &Unit) -> impl Iterator<Item = &ResourceId> {
    unit.subject.identity().into_iter().chain(unit.claim.as_deref())
}

/// Whether two sides have different files: only then anything but the path may pair what stands in them.
fn are_moved(files: &[Vec<&str>; 3]) -> bool {
    let mut there = files.iter().filter(|files| !files.is_empty());
    let first = there.next();
    there.any(|files| Some(files) != first)
}

/// How many files that are alike on all sides hold each of these identities.
fn settled(trees: &Trees<'_>, paths: &Paths<'_>, wanted: &HashSet<&ResourceId>) -> HashMap<ResourceId, usize> {
    let mut found: HashMap<ResourceId, usize> = HashMap::new();
    let names: HashSet<&str> = wanted.iter().map(|identity| identity.name.as_str()).collect();
    if names.is_empty() {
        return found;
    }
    let finder = Finder::new("name");
    for at in paths.treated(Treatment::Settled) {
        let Some(text) = at.files.dest.and_then(|file| trees.content_of(Side::Dest, file).text()) else { continue };
        if !finder.find_iter(text.as_bytes()).any(|at| names.contains(value(&text[at..]))) {
            continue;
        }
        let Ok(stream) = Stream::parse(text) else { continue };
        let units = units(&stream);
        let here: HashSet<&ResourceId> = units.iter().flat_map(identities).filter(|it| wanted.contains(it)).collect();
        for identity in here {
            *found.entry(identity.clone()).or_default() += 1;
        }
    }
    found
}

/// What stands behind a key that ends in `name`.
fn value(text: &str) -> &str {
    let text = text["name".len()..].trim_start_matches([' ', '"', '\'', ':']);
    let end = text.find(|character: char| !character.is_ascii_alphanumeric() && !"-._:".contains(character));
    &text[..end.unwrap_or(text.len())]
}

#[cfg(test)]
mod tests {
    use super::super::trees::{Content, File};
    use super::*;
    use crate::policy::BothChanged;

    /// The trees of files that are given with their sides (`d`, `b`, `i`), their paths and what tells them apart.
    fn trees<'s>(files: &'s [(&str, &'s str, String)]) -> Trees<'s> {
        let mut trees = Trees::default();
        for (sides, path, text) in files {
            let content = trees.contents.len() as u32;
            trees.contents.push(Content::read(path, text.as_bytes()));
            for side in Side::ALL.into_iter().filter(|side| sides.contains(["d", "b", "i"][*side as usize])) {
                trees.side_mut(side).push(File { path, content, executable: false });
            }
        }
        Side::ALL.into_iter().for_each(|side| trees.side_mut(side).sort_by_key(|file| file.path));
        trees
    }

    fn resource(replicas: u32) -> String {
        format!("kind: Deployment\nmetadata: {{name: \"web\"}}\nspec: {{replicas: {replicas}}}\n")
    }

    /// The paths that belong together.
    fn rows(files: &[(&str, &str, String)]) -> Vec<String> {
        let trees = trees(files);
        let plan = trees.plan(BothChanged::Take).unwrap();
        let path = |unit: Option<UnitRef>| unit.map_or("-", |unit| trees.path(unit));
        let row = |units: crate::slots::Slots<UnitRef>| [units.base, units.dest, units.incoming].map(path).join(" ");
        plan.rows.iter().map(|row_of| row(row_of.units)).collect()
    }

    #[test]
    fn new_variants_of_both_sides_are_two() {
        let files =
            [("dbi", "base/web.yaml", resource(1)), ("d", "a/web.yaml", resource(2)), ("i", "b/web.yaml", resource(2))];
        assert_eq!(rows(&files), ["- a/web.yaml -", "- - b/web.yaml"]);
        assert_eq!(rows(&files[1..]), ["- a/web.yaml b/web.yaml"]);
    }

    #[test]
    fn a_variant_that_goes_is_no_other_that_comes() {
        let base = ("dbi", "base/web.yaml", resource(1));
        let files = [base.clone(), ("db", "a/web.yaml", resource(2)), ("i", "b/web.yaml", resource(3))];
        assert_eq!(rows(&files), ["a/web.yaml a/web.yaml -", "- - b/web.yaml"]);
        let files = [base, ("db", "a/web.yaml", resource(2)), ("i", "b/web.yaml", resource(2))];
        assert_eq!(rows(&files), ["a/web.yaml a/web.yaml b/web.yaml"]);
    }

    #[test]
    fn equal_variants_are_told_apart_by_their_paths() {
        let files = [
            ("db", "old/dev/web.yaml", resource(1)),
            ("db", "old/prod/web.yaml", resource(1)),
            ("i", "new/dev/web.yaml", resource(1)),
            ("i", "new/prod/web.yaml", resource(1)),
        ];
        let expected = [
            "old/dev/web.yaml old/dev/web.yaml new/dev/web.yaml",
            "old/prod/web.yaml old/prod/web.yaml new/prod/web.yaml",
        ];
        assert_eq!(rows(&files), expected);
        let files = [
            ("db", "a.yaml", resource(1)),
            ("db", "b.yaml", resource(1)),
            ("i", "c.yaml", resource(1)),
            ("i", "d.yaml", resource(1)),
        ];
        assert!(trees(&files).plan(BothChanged::Take).is_err());
    }

    #[test]
    fn what_is_moved_and_merged_is_found_by_the_incoming_version() {
        let top = resource(1);
        let [sub, result, incoming] = [
            format!("{top}info: old\n"),
            format!("{top}info: new\nmine: 1\n").replace("replicas: 1", "replicas: 2"),
            format!("{top}info: new\n").replace("replicas: 1", "replicas: 2"),
        ];
        let files = [
            ("dbi", "web.yaml", top.clone()),
            ("d", "moved/web.yaml", result.clone()),
            ("b", "sub/web.yaml", sub.clone()),
            ("i", "sub/web.yaml", incoming.clone()),
        ];
        assert_eq!(rows(&files), ["sub/web.yaml moved/web.yaml sub/web.yaml"]);
        let files = [
            ("b", "web.yaml", top),
            ("d", "moved/web.yaml", result),
            ("b", "sub/web.yaml", sub),
            ("i", "sub/web.yaml", incoming),
        ];
        assert_eq!(rows(&files), ["sub/web.yaml moved/web.yaml sub/web.yaml", "web.yaml - -"]);
    }

    #[test]
    fn files_of_one_name_are_told_apart_by_paths_that_are_alike() {
        let text = |own: &str, more: &str| format!("{own}\n1\n2\n3\n{more}\n");
        let files = [
            ("d", "m/a/notes.txt", text("a", "mine")),
            ("d", "m/b/notes.txt", text("b", "mine")),
            ("b", "a/notes.txt", text("a", "1")),
            ("b", "b/notes.txt", text("b", "1")),
            ("i", "a/notes.txt", text("a", "2")),
            ("i", "b/notes.txt", text("b", "2")),
        ];
        let trees = trees(&files);
        let plan = trees.plan(BothChanged::Take).unwrap();
        let paths: Vec<&str> = plan.whole.iter().map(|file| file.path).collect();
        assert_eq!(paths, ["m/a/notes.txt", "m/b/notes.txt"]);
    }
}
