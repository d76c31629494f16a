//! Paths: which files are merged unit by unit and which as a whole, and which file of one side is which of another.

use std::collections::BTreeMap;
use std::hash::Hash;

use super::similar::{Candidate, affinity};
use super::trees::{Content, Trees, UnitRef};
use crate::correspond::{
    Correspondence, Group, HALF, LEAST_RENAMED, Links, Match, Pair, Sketch, holders, pair_clearly, pair_mutual,
};
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

/// Which path of one side is which of another: the same, but for these.
pub(super) type PathMap<'s> = Links<&'s str>;

/// The files that one side gave another path. From the destination to the incoming side, those that the base has, too.
pub(super) type FileRenames<'s> = Correspondence<&'s str>;

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

    /// The file that one side has at a path.
    pub(super) fn file(&self, path: &str, side: Side) -> Option<u32> {
        self.at(path)?.files.get(side).copied()
    }

    /// The file that the destination has at a path, if it is not merged as a whole.
    pub(super) fn dest(&self, path: &str) -> Option<u32> {
        self.at(path).filter(|at| at.treatment != Treatment::Whole)?.files.dest
    }

    /// The units of one side that take part.
    pub(super) fn units(&self, trees: &Trees<'_>, side: Side) -> Vec<UnitRef> {
        let files = self.treated(Treatment::Units).filter_map(|at| at.files.get(side).copied());
        files.flat_map(|file| trees.units(side, file)).collect()
    }

    /// What is merged in one way.
    pub(super) fn treated(&self, how: Treatment) -> impl Iterator<Item = &FilesAt<'s>> {
        self.all.iter().filter(move |at| at.treatment == how)
    }

    /// Finds the files that one side gave another path.
    pub(super) fn renames(&self, trees: &Trees<'s>, pairing: &Correspondence<UnitRef>) -> FileRenames<'s> {
        let moved = |side: Side, to_third: &PathMap<'s>| self.moved(trees, side, pairing.to(side), to_third);
        // What both moved is found by where the other one has it.
        let to_dest = moved(Side::Dest, &moved(Side::Incoming, &PathMap::default()));
        let to_incoming = moved(Side::Incoming, &to_dest);
        let all = [to_dest, to_incoming];
        let to_dest = self.to_free_paths(&all[0], &all[1], Side::Incoming);
        let to_incoming = self.to_free_paths(&all[1], &all[0], Side::Dest);
        let in_base = self.all.iter().filter(|at| at.files.base.is_some()).map(|at| at.path);
        let through = in_base.map(|path| [to_dest.right_or_same(path), to_incoming.right_or_same(path)]);
        let added = through.filter(|[dest, incoming]| dest != incoming).collect();
        FileRenames { to_dest, to_incoming, added }
    }

    /// The moves of a side, without those to a path at which the other side has another file. There, both sides added a file. Manifests
    /// are merged unit by unit, and may meet in one file. If upstream removed a file, and the destination has one like it elsewhere, that
    /// did not move either: it may be a copy, and stays.
    fn to_free_paths(&self, own: &PathMap<'s>, others: &PathMap<'s>, other: Side) -> PathMap<'s> {
        let is_whole = |path: &str| self.at(path).is_some_and(|at| at.treatment == Treatment::Whole);
        let is_free = |[from, to]: &[&'s str; 2]| {
            let there = others.right_or_same(from);
            let may_be_copy = other == Side::Incoming && self.file(there, other).is_none();
            !may_be_copy && (!is_whole(from) || self.file(to, other).is_none() || there == *to)
        };
        own.pairs().filter(is_free).collect()
    }

    /// The files that only the base has at their path, paired with those that only `side` has; what is merged unit by unit is
    /// never one with what is merged as a whole. `to_third` tells where the third side has those of the base.
    fn moved(&self, trees: &Trees<'s>, side: Side, units: &Links<UnitRef>, to_third: &PathMap<'s>) -> PathMap<'s> {
        let mut search = FileSearch {
            trees,
            paths: self,
            side,
            to_third,
            left: Vec::new(),
            right: Vec::new(),
            found: PathMap::default(),
        };
        for how in [Treatment::Units, Treatment::Whole] {
            search.left = self.only(Side::Base, side, how);
            search.right = self.only(side, Side::Base, how);
            if search.left.is_empty() || search.right.is_empty() {
                continue;
            }
            search.by_units(units);
            search.by_bytes(FileSearch::in_base);
            search.by_bytes(FileSearch::in_third);
            search.by_path();
            search.by_name();
            search.by_lines();
        }
        search.found
    }

    /// The files that one side has at their path, and another has not.
    fn only(&self, this: Side, other: Side, how: Treatment) -> Vec<&'s str> {
        let is_alone = |at: &&FilesAt<'_>| at.files.get(this).is_some() && at.files.get(other).is_none();
        self.treated(how).filter(is_alone).map(|at| at.path).collect()
    }
}

/// How the files at one path are merged.
fn treatment(trees: &Trees<'_>, files: Slots<u32>) -> Treatment {
    let files = trees.files(files);
    if files.base == files.incoming && files.dest == files.base {
        return Treatment::Settled;
    }
    let contents: Vec<&Content<'_>> = files.present().map(|(_, file)| trees.content(file.content)).collect();
    let says_nothing = |content: &&Content<'_>| content.text().is_some_and(|text| text.trim_ascii().is_empty());
    let has_units = contents.iter().all(|content| content.is_manifest()) && !contents.iter().all(says_nothing);
    if has_units { Treatment::Units } else { Treatment::Whole }
}

/// Looks for files of the base that a side moved, among those that have no partner at their own path.
struct FileSearch<'t, 's> {
    trees: &'t Trees<'s>,
    paths: &'t Paths<'s>,
    side: Side,
    /// Where the third side has the files of the base: after a first merge, the destination's are as there.
    to_third: &'t PathMap<'s>,
    left: Vec<&'s str>,
    right: Vec<&'s str>,
    found: PathMap<'s>,
}

impl<'t, 's> FileSearch<'t, 's> {
    fn content(&self, path: &str, side: Side) -> Option<&'t Content<'s>> {
        Some(self.trees.content_of(side, self.paths.file(path, side)?))
    }

    fn in_base(&self, path: &'s str) -> Option<&'t Content<'s>> {
        self.content(path, Side::Base)
    }

    fn in_third(&self, path: &'s str) -> Option<&'t Content<'s>> {
        self.content(self.to_third.right_or_same(path), self.side.other())
    }

    /// What has no partner yet, by something that it has in common.
    fn groups<K: Eq + Hash>(
        &self,
        left: impl Fn(&'s str) -> Option<K>,
        right: impl Fn(&'s str) -> Option<K>,
    ) -> Vec<Group<&'s str>> {
        self.found.groups([&self.left, &self.right], left, right)
    }

    /// Manifests all of whose paired units went to one file, which got none from elsewhere.
    fn by_units(&mut self, units: &Links<UnitRef>) {
        let targets = holders(units.pairs().map(|pair| pair.map(|unit| unit.file)));
        let target = |left: &'s str| targets.right(self.paths.file(left, Side::Base)?);
        self.found.link_only(&self.groups(target, |right| self.paths.file(right, self.side)));
    }

    /// Files of equal bytes, where only one on each side has them; `version` says what the left ones are.
    fn by_bytes(&mut self, version: impl Fn(&Self, &'s str) -> Option<&'t Content<'s>>) {
        let bytes = |content: Option<&Content<'s>>| content?.bytes().filter(|bytes| !bytes.trim_ascii().is_empty());
        let groups = self.groups(|left| bytes(version(self, left)), |right| bytes(self.content(right, self.side)));
        self.found.link_only(&groups);
    }

    /// Files that stand where the third side has the left ones, if the lines are alike.
    fn by_path(&mut self) {
        let there = |left: &'s str| self.in_third(left).map(|_| self.to_third.right_or_same(left));
        self.link_clear(&self.groups(there, Some));
    }

    /// Files of the same name in other directories whose lines are alike.
    fn by_name(&mut self) {
        let name = |path: &'s str| path.rsplit('/').next();
        self.link_clear(&self.groups(name, name));
    }

    /// Files of any name of which nothing else has lines that are as much alike. Resources are known by more than their lines: of
    /// files with them, only those that the third side renamed alike.
    fn by_lines(&mut self) {
        let known = |content: Option<&Content<'s>>, is_renamed: bool| {
            let has_resource = content?.units().iter().any(|unit| unit.identity().is_some());
            (is_renamed || !has_resource).then_some(has_resource)
        };
        let gone = |left: &'s str| known(self.in_base(left), self.in_third(left).is_none());
        let new = |right: &'s str| known(self.content(right, self.side), self.in_third(right).is_some());
        for group in self.groups(gone, new) {
            let [left, right] = self.candidates(&group);
            let score = |left: &Candidate<&str>, right: &Candidate<&str>| {
                let likeness = left.at_least(LEAST_RENAMED, right)?;
                right.own.says_enough().then(|| (likeness, affinity(left.thing, right.thing)))
            };
            self.link(&pair_mutual(&left, &right, score));
        }
    }

    /// Links the files of each group whose lines are alike, those at paths that are alike first; none where nothing tells which is which.
    fn link_clear(&mut self, groups: &[Group<&'s str>]) {
        for group in groups {
            let [left, right] = self.candidates(group);
            let score = |left: &Candidate<&str>, right: &Candidate<&str>| {
                let likeness = left.at_least(HALF, right)?;
                Some((affinity(left.thing, right.thing), likeness))
            };
            self.link(&pair_clearly(&left, &right, score).unwrap_or_default());
        }
    }

    fn link<S>(&mut self, pairs: &[Pair<'_, Candidate<&'s str>, S>]) {
        pairs.iter().for_each(|pair| self.found.link([pair.left.thing, pair.right.thing], Match::Identity));
    }

    /// The files of a group with their lines.
    fn candidates(&self, Group { left, right }: &Group<&'s str>) -> [Vec<Candidate<&'s str>>; 2] {
        let sketch = |content: Option<&Content<'s>>| content?.text().map(Sketch::of_lines);
        let incoming = |path| if self.side == Side::Dest { sketch(self.in_third(path)) } else { None };
        let moved = |&thing| Some(Candidate { thing, own: sketch(self.in_base(thing))?, incoming: incoming(thing) });
        let new = |&thing| Some(Candidate { thing, own: sketch(self.content(thing, self.side))?, incoming: None });
        [left.iter().filter_map(moved).collect(), right.iter().filter_map(new).collect()]
    }
}
