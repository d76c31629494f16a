//! Paths: which files are merged unit by unit and which as a whole, and which file of one side is which of another.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::read::is_list_on_one_side;
use super::rows::{Links, Pairing};
use super::similar::{Versions, affinity};
use super::trees::{Content, Trees, UnitRef};
use crate::correspond::{Sketch, pair_clearly};
use crate::slots::{Side, Slots};

/// How alike two files of the same name are at least, in percent, when one is the other moved.
const LEAST_MOVED: u32 = 50;

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

/// Every path of the three trees, in order.
#[derive(Debug)]
pub(super) struct Paths<'s> {
    pub(super) all: Vec<(&'s str, Slots<u32>, Treatment)>,
}

/// Which file of one side is which of another: the same path, but for these.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct PathMap<'s> {
    forward: HashMap<&'s str, &'s str>,
    backward: HashMap<&'s str, &'s str>,
}

/// The files that one side gave another path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Renames<'s> {
    pub(super) base_to_dest: PathMap<'s>,
    pub(super) base_to_incoming: PathMap<'s>,
    pub(super) dest_to_incoming: PathMap<'s>,
}

impl<'s> PathMap<'s> {
    fn new(pairs: impl Iterator<Item = (&'s str, &'s str)>) -> Self {
        let mut map = Self::default();
        for (left, right) in pairs.filter(|(left, right)| left != right) {
            map.forward.insert(left, right);
            map.backward.insert(right, left);
        }
        map
    }

    /// The path on the right of what is at `left` on the left.
    pub(super) fn right(&self, left: &'s str) -> &'s str {
        self.forward.get(left).copied().unwrap_or(left)
    }

    /// The path on the left of what is at `right` on the right.
    pub(super) fn left(&self, right: &'s str) -> &'s str {
        self.backward.get(right).copied().unwrap_or(right)
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
        let all = paths.into_iter().map(|(path, files)| (path, files, treatment(trees, files))).collect();
        Self { all }
    }

    /// The units of one side that take part.
    pub(super) fn units(&self, trees: &Trees<'_>, side: Side) -> Vec<UnitRef> {
        let mut units = Vec::new();
        for (_, files, _) in self.all.iter().filter(|path| path.2 == Treatment::Units) {
            if let Some(file) = files.get(side).copied()
                && let Some(manifest) = trees.manifest(side, file)
            {
                units.extend((0..manifest.units.len() as u32).map(|unit| UnitRef { side, file, unit }));
            }
        }
        units
    }

    /// The destination's files that are alike on all sides.
    pub(super) fn settled(&self) -> impl Iterator<Item = u32> {
        let settled = self.all.iter().filter(|path| path.2 == Treatment::Settled);
        settled.filter_map(|(_, files, _)| files.dest)
    }

    /// Finds the files that one side gave another path.
    pub(super) fn renames(&self, trees: &Trees<'s>, pairing: &Pairing) -> Renames<'s> {
        let to_dest = |third: &PathMap<'s>| self.moved(trees, [Side::Dest, Side::Incoming], &pairing.to_dest, third);
        let to_incoming =
            |third: &PathMap<'s>| self.moved(trees, [Side::Incoming, Side::Dest], &pairing.to_incoming, third);
        // What both moved is found by where the other one has it.
        let base_to_dest = to_dest(&to_incoming(&PathMap::default()));
        let base_to_incoming = to_incoming(&base_to_dest);
        let in_base = self.all.iter().filter(|(_, files, _)| files.base.is_some()).map(|path| path.0);
        let through = in_base.map(|path| (base_to_dest.right(path), base_to_incoming.right(path)));
        let dest_to_incoming = PathMap::new(through);
        Renames { base_to_dest, base_to_incoming, dest_to_incoming }
    }

    /// The files that only the base has at their path, paired with those that only `side` has; what is merged unit by unit is
    /// never one with what is merged as a whole. `to_third` tells where the third side has those of the base.
    fn moved(&self, trees: &Trees<'s>, [side, third]: [Side; 2], links: &Links, to_third: &PathMap<'s>) -> PathMap<'s> {
        let base = Side::Base;
        let only = |this: Side, other: Side, how: Treatment| {
            let is_lone = move |files: &Slots<u32>| files.get(this).is_some() && files.get(other).is_none();
            let lone = self.all.iter().filter(move |path| path.2 == how && is_lone(&path.1));
            lone.filter_map(move |(_, files, _)| files.get(this).copied()).collect::<Vec<u32>>()
        };
        let path = |side: Side, file: u32| trees.side(side)[file as usize].path;
        let mut moved = Vec::new();
        for how in [Treatment::Units, Treatment::Whole] {
            let right = only(side, base, how).into_iter().collect();
            let mut search =
                Search { trees, sides: (base, side), left: only(base, side, how), right, pairs: Vec::new() };
            search.by_units(links);
            search.by_bytes(|file| Some((base, file)));
            // After a first merge it is as the third side has it.
            let in_third = |file: u32| {
                let there = to_third.right(path(base, file));
                let at = self.all.binary_search_by_key(&there, |entry| entry.0).ok()?;
                Some((third, *self.all[at].1.get(third)?))
            };
            search.by_bytes(in_third);
            search.by_name(in_third);
            moved.extend(search.pairs.into_iter().map(|(left, right)| (path(base, left), path(side, right))));
        }
        PathMap::new(moved.into_iter())
    }
}

/// How the files at one path are merged.
fn treatment(trees: &Trees<'_>, files: Slots<u32>) -> Treatment {
    let at = |side: Side| files.get(side).map(|&file| trees.side(side)[file as usize]);
    let state = |side: Side| at(side).map(|file| (file.content, file.executable));
    if state(Side::Base) == state(Side::Incoming) && state(Side::Dest) == state(Side::Base) {
        return Treatment::Settled;
    }
    let contents: Vec<&Content<'_>> =
        Side::ALL.into_iter().filter_map(at).map(|file| trees.content(file.content)).collect();
    let is_manifest = |content: &&Content<'_>| matches!(content, Content::Manifest(_));
    let says_nothing = |content: &&Content<'_>| content.text().is_some_and(|text| text.trim_ascii().is_empty());
    let has_units = contents.iter().all(is_manifest) && !contents.iter().all(says_nothing);
    match has_units && !is_list_on_one_side(&contents) {
        true => Treatment::Units,
        false => Treatment::Whole,
    }
}

/// Looks for moved files among those that have no partner at their own path.
struct Search<'t, 's> {
    trees: &'t Trees<'s>,
    sides: (Side, Side),
    left: Vec<u32>,
    right: HashSet<u32>,
    pairs: Vec<(u32, u32)>,
}

impl<'t, 's> Search<'t, 's> {
    fn content(&self, side: Side, file: u32) -> &'t Content<'s> {
        self.trees.content(self.trees.side(side)[file as usize].content)
    }

    fn found(&mut self, pairs: Vec<(u32, u32)>) {
        let taken: HashSet<u32> = pairs.iter().map(|pair| pair.0).collect();
        self.left.retain(|file| !taken.contains(file));
        for (_, right) in &pairs {
            self.right.remove(right);
        }
        self.pairs.extend(pairs);
    }

    /// Manifests all of whose paired units went to one file, which got none from elsewhere.
    fn by_units(&mut self, links: &Links) {
        let mut targets: HashMap<u32, Option<u32>> = HashMap::new();
        let mut sources: HashMap<u32, Option<u32>> = HashMap::new();
        for [left, right] in links.pairs() {
            let agree = |seen: &mut Option<u32>, file: u32| *seen = seen.filter(|&seen| seen == file);
            agree(targets.entry(left.file).or_insert(Some(right.file)), right.file);
            agree(sources.entry(right.file).or_insert(Some(left.file)), left.file);
        }
        let target = |&left: &u32| {
            let right = targets.get(&left).copied().flatten()?;
            (sources.get(&right) == Some(&Some(left)) && self.right.contains(&right)).then_some((left, right))
        };
        let pairs = self.left.iter().filter_map(target).collect();
        self.found(pairs);
    }

    /// Files of equal bytes, where only one on each side has them; `version` says where the bytes of the left ones are.
    fn by_bytes(&mut self, version: impl Fn(u32) -> Option<(Side, u32)>) {
        let bytes = |side: Side, file: u32| {
            let bytes = self.content(side, file).bytes();
            bytes.filter(|bytes| !bytes.trim_ascii().is_empty())
        };
        let left = index(self.left.iter().filter_map(|&file| {
            let (side, version) = version(file)?;
            Some((bytes(side, version)?, file))
        }));
        let right = index(self.right.iter().filter_map(|&file| Some((bytes(self.sides.1, file)?, file))));
        let both = left.into_iter().filter_map(|(key, file)| Some((file?, (*right.get(&key)?)?)));
        let mut pairs: Vec<(u32, u32)> = both.collect();
        pairs.sort_unstable();
        self.found(pairs);
    }

    /// Files of the same name in other directories whose lines are alike, those at paths that are alike first; `in_third` says
    /// what the left ones are on the third side.
    fn by_name(&mut self, in_third: impl Fn(u32) -> Option<(Side, u32)>) {
        let path = |side: Side, file: u32| self.trees.side(side)[file as usize].path;
        let name = |side: Side, file: u32| path(side, file).rsplit('/').next();
        let (left_side, right_side) = self.sides;
        let mut named: HashMap<Option<&str>, (Vec<u32>, Vec<u32>)> = HashMap::new();
        for &file in &self.left {
            named.entry(name(left_side, file)).or_default().0.push(file);
        }
        for &file in &self.right {
            named.entry(name(right_side, file)).or_default().1.push(file);
        }
        let sketch = |side: Side, file: u32| self.content(side, file).text().map(Sketch::of_lines);
        let mut pairs = Vec::new();
        for (mut lefts, mut rights) in named.into_values().filter(|files| !files.0.is_empty() && !files.1.is_empty()) {
            lefts.sort_unstable();
            rights.sort_unstable();
            let incoming = |file: u32| in_third(file).filter(|third| third.0 == Side::Incoming);
            let third = |file: u32| incoming(file).and_then(|(side, file)| sketch(side, file));
            let versions = |&file: &u32| Some(Versions(sketch(left_side, file)?, third(file)));
            let left: Vec<Option<Versions>> = lefts.iter().map(versions).collect();
            let right: Vec<Option<Sketch>> = rights.iter().map(|&file| sketch(right_side, file)).collect();
            let score = |l: usize, r: usize| {
                let likeness = left[l].as_ref()?.likeness(right[r].as_ref()?);
                let affinity = affinity(path(left_side, lefts[l]), path(right_side, rights[r]));
                (likeness >= LEAST_MOVED).then_some((affinity, likeness))
            };
            // Where nothing tells which is which, none was moved.
            let found = pair_clearly((left.len(), right.len()), score).unwrap_or_default();
            pairs.extend(found.into_iter().map(|(l, r)| (lefts[l], rights[r])));
        }
        pairs.sort_unstable();
        self.found(pairs);
    }
}

/// Files by their bytes; `None` for bytes that several have.
fn index<'s>(files: impl Iterator<Item = (&'s [u8], u32)>) -> HashMap<&'s [u8], Option<u32>> {
    let mut index: HashMap<&[u8], Option<u32>> = HashMap::new();
    for (bytes, file) in files {
        index.entry(bytes).and_modify(|seen| *seen = None).or_insert(Some(file));
    }
    index
}
