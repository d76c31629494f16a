//! Paths: which files are merged unit by unit and which as a whole, and which file of one side is which of another.

use std::collections::BTreeMap;
use std::hash::Hash;

use super::rows::{Links, Match, holders};
use super::similar::{Candidate, affinity};
use super::trees::{Content, ContentKind, Trees, UnitRef};
use crate::correspond::{self, Correspondence, Group, HALF, LEAST_RENAMED, Pair, Sketch, pair_clearly, pair_mutual};
use crate::slots::{Side, Slots};

/// How a path is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Treatment {
    /// All sides have the same: nothing to do.
    Settled,
    /// Unit by unit.
    Units,
    /// As a whole.
    Whole,
}

/// A path, what stands there on each side, and how that is merged.
#[derive(Clone, Copy, Debug)]
pub(super) struct FilesAt<'s> {
    pub(super) path: &'s str,
    pub(super) files: Slots<u32>,
    pub(super) treatment: Treatment,
}

/// Every path of the three trees, in order.
#[derive(Debug)]
pub(super) struct Paths<'s> {
    pub(super) all: Vec<FilesAt<'s>>,
}

/// Which file of one side is which of another: the same path, but for these.
#[derive(Debug, Default)]
pub(super) struct PathMap<'s>(correspond::Links<&'s str>);

/// The files that one side gave another path.
#[derive(Debug, Default)]
pub(super) struct FileRenames<'s> {
    pub(super) base_to_dest: PathMap<'s>,
    pub(super) base_to_incoming: PathMap<'s>,
    pub(super) dest_to_incoming: PathMap<'s>,
}

impl<'s> PathMap<'s> {
    fn new(pairs: impl Iterator<Item = (&'s str, &'s str)>) -> Self {
        let mut map = Self::default();
        pairs.filter(|(left, right)| left != right).for_each(|pair| map.0.link(pair.into(), Match::Identity));
        map
    }

    fn pairs(&self) -> impl Iterator<Item = (&'s str, &'s str)> {
        self.0.pairs().map(|[left, right]| (left, right))
    }

    /// The path on the right of what is at `left` on the left.
    pub(super) fn right(&self, left: &'s str) -> &'s str {
        self.0.right(left).unwrap_or(left)
    }

    /// The path on the left of what is at `right` on the right.
    pub(super) fn left(&self, right: &'s str) -> &'s str {
        self.0.left(right).unwrap_or(right)
    }
}

impl<'s> Paths<'s> {
    pub(super) fn of(trees: &Trees<'s>) -> Self {
        let mut paths = BTreeMap::<&'s str, Slots<u32>>::new();
        for side in Side::ALL {
            for (index, file) in trees.side(side).iter().enumerate() {
                paths.entry(file.path).or_default().set(side, index as u32);
            }
        }
        let at = |(path, files)| FilesAt { path, files, treatment: treatment(trees, files) };
        Self { all: paths.into_iter().map(at).collect() }
    }

    /// What stands at a path.
    pub(super) fn at(&self, path: &str) -> Option<FilesAt<'s>> {
        self.all.binary_search_by_key(&path, |at| at.path).ok().map(|index| self.all[index])
    }

    /// The units of one side that take part.
    pub(super) fn units(&self, trees: &Trees<'_>, side: Side) -> Vec<UnitRef> {
        let files = self.treated(Treatment::Units).filter_map(|at| at.files.get(side).copied());
        files.flat_map(|file| trees.units(side, file)).collect()
    }

    /// The destination's files that are alike on all sides.
    pub(super) fn settled(&self) -> impl Iterator<Item = u32> {
        self.treated(Treatment::Settled).filter_map(|at| at.files.dest)
    }

    /// What is merged in one way.
    pub(super) fn treated(&self, how: Treatment) -> impl Iterator<Item = &FilesAt<'s>> {
        self.all.iter().filter(move |at| at.treatment == how)
    }

    /// Finds the files that one side gave another path.
    pub(super) fn renames(&self, trees: &Trees<'s>, pairing: &Correspondence<UnitRef>) -> FileRenames<'s> {
        let to_dest = |third: &PathMap<'s>| self.moved(trees, [Side::Dest, Side::Incoming], &pairing.to_dest, third);
        let to_incoming =
            |third: &PathMap<'s>| self.moved(trees, [Side::Incoming, Side::Dest], &pairing.to_incoming, third);
        // What both moved is found by where the other one has it.
        let base_to_dest = to_dest(&to_incoming(&PathMap::default()));
        let base_to_incoming = to_incoming(&base_to_dest);
        let all = [base_to_dest, base_to_incoming];
        let base_to_dest = self.to_free_paths(&all[0], &all[1], Side::Incoming);
        let base_to_incoming = self.to_free_paths(&all[1], &all[0], Side::Dest);
        let in_base = self.all.iter().filter(|at| at.files.base.is_some()).map(|at| at.path);
        let through = in_base.map(|path| (base_to_dest.right(path), base_to_incoming.right(path)));
        let dest_to_incoming = PathMap::new(through);
        FileRenames { base_to_dest, base_to_incoming, dest_to_incoming }
    }

    /// The moves of a side, without those to a path at which the other side has another file. There, both sides added a file. Manifests
    /// are merged unit by unit, and may meet in one file. If upstream removed a file, and the destination has one like it elsewhere, that
    /// did not move either: it may be a copy, and stays.
    fn to_free_paths(&self, own: &PathMap<'s>, others: &PathMap<'s>, other: Side) -> PathMap<'s> {
        let is_free = |(from, to): &(&'s str, &'s str)| {
            let there = others.right(from);
            let may_be_copy = other == Side::Incoming && self.lacks(there, other);
            !may_be_copy && (!self.is_whole(from) || self.lacks(to, other) || there == *to)
        };
        PathMap::new(own.pairs().filter(is_free))
    }

    fn lacks(&self, path: &str, side: Side) -> bool {
        self.at(path).is_none_or(|at| at.files.get(side).is_none())
    }

    fn is_whole(&self, path: &str) -> bool {
        self.at(path).is_some_and(|at| at.treatment == Treatment::Whole)
    }

    /// The files that only the base has at their path, paired with those that only `side` has; what is merged unit by unit is
    /// never one with what is merged as a whole. `to_third` tells where the third side has those of the base.
    fn moved(&self, trees: &Trees<'s>, [side, third]: [Side; 2], links: &Links, to_third: &PathMap<'s>) -> PathMap<'s> {
        let base = Side::Base;
        let mut search = FileSearch { trees, sides: Default::default(), found: correspond::Links::default() };
        // After a first merge it is as the third side has it.
        let in_third = |of: FileRef| {
            let there = to_third.right(trees.side(of.side)[of.file as usize].path);
            Some(FileRef { side: third, file: *self.at(there)?.files.get(third)? })
        };
        for how in [Treatment::Units, Treatment::Whole] {
            search.sides = [self.only(base, side, how), self.only(side, base, how)];
            search.by_units(links);
            search.by_bytes(Some);
            search.by_bytes(in_third);
            search.by_path(in_third);
            search.by_name(in_third);
            search.by_lines(in_third);
        }
        PathMap::new(search.found.pairs().map(|[left, right]| (search.path(left), search.path(right))))
    }

    /// The files that one side has at their path, and another has not.
    fn only(&self, this: Side, other: Side, how: Treatment) -> Vec<FileRef> {
        let alone = |FilesAt { files, .. }: &FilesAt<'_>| {
            let file = *files.get(this)?;
            files.get(other).is_none().then_some(FileRef { side: this, file })
        };
        self.treated(how).filter_map(alone).collect()
    }
}

/// How the files at one path are merged.
fn treatment(trees: &Trees<'_>, files: Slots<u32>) -> Treatment {
    let files = trees.files(files);
    if files.base == files.incoming && files.dest == files.base {
        return Treatment::Settled;
    }
    let contents: Vec<&Content<'_>> = files.present().map(|(_, file)| trees.content(file.content)).collect();
    let is_manifest = |content: &&Content<'_>| matches!(content.0, ContentKind::Manifest(_));
    let says_nothing = |content: &&Content<'_>| content.text().is_some_and(|text| text.trim_ascii().is_empty());
    let has_units = contents.iter().all(is_manifest) && !contents.iter().all(says_nothing);
    if has_units { Treatment::Units } else { Treatment::Whole }
}

/// A file of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct FileRef {
    side: Side,
    file: u32,
}

/// Looks for moved files among those that have no partner at their own path.
struct FileSearch<'t, 's> {
    trees: &'t Trees<'s>,
    sides: [Vec<FileRef>; 2],
    found: correspond::Links<FileRef>,
}

impl<'t, 's> FileSearch<'t, 's> {
    fn content(&self, of: FileRef) -> &'t Content<'s> {
        self.trees.content(self.trees.side(of.side)[of.file as usize].content)
    }

    fn path(&self, of: FileRef) -> &'s str {
        self.trees.side(of.side)[of.file as usize].path
    }

    /// What has no partner yet, by something that it has in common.
    fn groups<K: Eq + Hash>(
        &self,
        left: impl Fn(FileRef) -> Option<K>,
        right: impl Fn(FileRef) -> Option<K>,
    ) -> Vec<Group<FileRef>> {
        self.found.groups(self.sides.each_ref().map(Vec::as_slice), left, right)
    }

    /// Manifests all of whose paired units went to one file, which got none from elsewhere.
    fn by_units(&mut self, links: &Links) {
        let targets = holders(links.pairs().map(|pair| pair.map(|unit| unit.file)));
        let target = |left: FileRef| targets.get(&left.file).copied();
        self.found.link_only(&self.groups(target, |right| Some(right.file)));
    }

    /// Files of equal bytes, where only one on each side has them; `version` says where the bytes of the left ones are.
    fn by_bytes(&mut self, version: impl Fn(FileRef) -> Option<FileRef>) {
        let bytes = |of: FileRef| self.content(of).bytes().filter(|bytes| !bytes.trim_ascii().is_empty());
        self.found.link_only(&self.groups(|left| bytes(version(left)?), bytes));
    }

    /// Files that stand where the third side has the left ones, if the lines are alike.
    fn by_path(&mut self, in_third: impl Fn(FileRef) -> Option<FileRef>) {
        let groups = self.groups(|left| Some(self.path(in_third(left)?)), |right| Some(self.path(right)));
        self.link_clear(&groups, in_third);
    }

    /// Files of the same name in other directories whose lines are alike; `in_third` says what the left ones are on the third side.
    fn by_name(&mut self, in_third: impl Fn(FileRef) -> Option<FileRef>) {
        let name = |of: FileRef| self.path(of).rsplit('/').next();
        let groups = self.groups(name, name);
        self.link_clear(&groups, in_third);
    }

    /// Files of any name of which nothing else has lines that are as much alike. Resources are known by more than their lines: of
    /// files with them, only those that the third side renamed alike.
    fn by_lines(&mut self, in_third: impl Fn(FileRef) -> Option<FileRef>) {
        let known = |of: FileRef, is_renamed: bool| {
            let holds = self.trees.units(of.side, of.file).any(|unit| self.trees.identity(unit).is_some());
            (is_renamed || !holds).then_some(holds)
        };
        let gone = |left: FileRef| known(left, in_third(left).is_none());
        let new = |right: FileRef| known(right, in_third(right).is_some());
        for group in self.groups(gone, new) {
            let [left, right] = self.candidates(&group, &in_third);
            for Pair { left, right, .. } in pair_mutual(&left, &right, |left, right| self.likeness(left, right)) {
                self.found.link([left.thing, right.thing], Match::Identity);
            }
        }
    }

    /// How alike the lines of two files are, and then their paths, if that is enough for another name.
    fn likeness(&self, left: &Candidate<FileRef>, right: &Candidate<FileRef>) -> Option<(u32, usize)> {
        if !right.own.says_enough() {
            return None;
        }
        let likeness = left.at_least(LEAST_RENAMED, right)?;
        Some((likeness, affinity(self.path(left.thing), self.path(right.thing))))
    }

    /// Links the files of each group whose lines are alike, those at paths that are alike first; none where nothing tells which is which.
    fn link_clear(&mut self, groups: &[Group<FileRef>], in_third: impl Fn(FileRef) -> Option<FileRef>) {
        for group in groups {
            let [left, right] = self.candidates(group, &in_third);
            let score = |left: &Candidate<FileRef>, right: &Candidate<FileRef>| {
                let likeness = left.at_least(HALF, right)?;
                Some((affinity(self.path(left.thing), self.path(right.thing)), likeness))
            };
            for Pair { left, right, .. } in pair_clearly(&left, &right, score).unwrap_or_default() {
                self.found.link([left.thing, right.thing], Match::Identity);
            }
        }
    }

    /// The files of a group with their lines.
    fn candidates(
        &self,
        Group { left, right }: &Group<FileRef>,
        in_third: impl Fn(FileRef) -> Option<FileRef>,
    ) -> [Vec<Candidate<FileRef>>; 2] {
        let sketch = |of: FileRef| self.content(of).text().map(Sketch::of_lines);
        let incoming = |of: FileRef| in_third(of).filter(|third| third.side == Side::Incoming).and_then(sketch);
        let moved = |&thing: &FileRef| Some(Candidate { thing, own: sketch(thing)?, incoming: incoming(thing) });
        let new = |&thing: &FileRef| Some(Candidate { thing, own: sketch(thing)?, incoming: None });
        [left.iter().filter_map(moved).collect(), right.iter().filter_map(new).collect()]
    }
}
