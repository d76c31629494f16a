//! Pairs units by identity: first within the same path, then wherever they stand.

use std::collections::HashSet;
use std::hash::Hash;

use super::plan::PackageError;
use super::rows::{Links, Match};
use super::similar::{Candidate, affinity, candidates, sketch};
use super::trees::{Trees, UnitRef};
use super::unit::Unit;
use super::variants::Variants;
use crate::correspond::{Fields, Group, HALF, MOST_PAIRS, Pair, Sketch, pair_clearly};
use crate::resource::ResourceId;
use crate::slots::Side;

/// How much is paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// What stands at the same path, and what each side has once.
    Clear,
    /// All of it.
    All,
}

/// The search for units of equal identity on two sides.
pub(super) struct IdentitySearch<'p, 's> {
    pub(super) trees: &'p Trees<'s>,
    pub(super) variants: &'p Variants,
    pub(super) sides: [&'p [UnitRef]; 2],
    /// What the left units are on the third side: after a first merge the right ones are as much like those.
    pub(super) third: &'p Links,
    /// What the third side has.
    pub(super) there: &'p HashSet<&'p ResourceId>,
    pub(super) links: &'p mut Links,
}

/// Pairs what one side moved with what stands there under the same name on the other one: both moved it, or a merge did.
pub(super) fn follow(trees: &Trees<'_>, moved: &Links, sides: [&[UnitRef]; 2], links: &mut Links) {
    let place = |unit: UnitRef| Some((trees.path(unit), trees.identity(unit)?));
    let is_moved = |base: UnitRef| move |there: &UnitRef| trees.path(*there) != trees.path(base);
    let groups = links.groups(sides, |base| place(moved.right(base).filter(is_moved(base))?), place);
    links.link_first(&groups);
}

/// Which identity of a unit is compared.
#[derive(Clone, Copy)]
enum Key {
    /// The claimed one, else the written one.
    Counts,
    /// The written one.
    Written,
}

impl Key {
    fn of(self, unit: &Unit) -> Option<&ResourceId> {
        match self {
            Self::Counts => unit.identity(),
            Self::Written => unit.subject.identity(),
        }
    }
}

/// A unit with what it holds.
struct Body<'s> {
    unit: UnitRef,
    path: &'s str,
    sketch: Sketch<'static>,
    /// Whether the other side has no unit of this identity at the path.
    is_alone: bool,
}

impl Body<'_> {
    fn is_like(&self, other: &Self) -> bool {
        self.sketch.at_least(HALF, &other.sketch).is_some()
    }

    /// Whether one that is alone at its path is like this one.
    fn is_among(&self, others: &[Self]) -> bool {
        others.iter().any(|other| other.is_alone && self.is_like(other))
    }
}

impl IdentitySearch<'_, '_> {
    /// Pairs units of equal identity; the claimed identity counts first, then the written one.
    ///
    /// # Errors
    ///
    /// Where several units of one identity stand in several files of a side and neither path nor content tells which is
    /// which.
    pub(super) fn pair(mut self, which: Which) -> Result<(), PackageError> {
        let trees = self.trees;
        self.link_first(|unit| Some((trees.path(unit), trees.file(unit).content, unit.unit)));
        self.pass(Key::Counts, which)?;
        if self.sides.into_iter().flatten().any(|&unit| trees.unit(unit).claim.is_some()) {
            self.pass(Key::Written, which)?;
        }
        Ok(())
    }

    /// Pairs units with the same key on both sides.
    fn link_first<K: Eq + Hash>(&mut self, key: impl Fn(UnitRef) -> Option<K>) {
        let groups = self.links.groups(self.sides, &key, &key);
        self.links.link_first(&groups);
    }

    fn pass(&mut self, key: Key, which: Which) -> Result<(), PackageError> {
        let trees = self.trees;
        let identity = |unit: UnitRef| key.of(trees.unit(unit));
        let displaced = self.displaced(identity);
        let here = |unit| if displaced.contains(&unit) { None } else { Some((trees.path(unit), identity(unit)?)) };
        self.link_first(here);
        for group in self.links.groups(self.sides, identity, identity) {
            let vary = |unit: &UnitRef| identity(*unit).is_some_and(|own| self.variants.has(unit.side, own));
            let do_vary = group.left.iter().any(vary) && group.right.iter().any(vary);
            match (do_vary, group.only()) {
                (false, Some(only)) if self.is_one(only) => self.links.link(only, Match::Identity),
                (false, Some(_)) => {}
                (true, _) if group.left.iter().any(|left| left.side != Side::Base) => {}
                _ if which == Which::All => self.settle(&group, do_vary)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Units that stand at one path and are not alike, while what one of them is like stands at a path of its own: it was moved, and a
    /// patch of it, for example, has its old path.
    fn displaced<'u>(&self, identity: impl Fn(UnitRef) -> Option<&'u ResourceId>) -> HashSet<UnitRef> {
        let groups = self.links.groups(self.sides, &identity, &identity);
        groups.iter().flat_map(|group| self.displaced_in(group)).collect()
    }

    /// Those of one identity, unless there are too many to compare.
    fn displaced_in(&self, Group { left, right }: &Group<UnitRef>) -> Vec<UnitRef> {
        let paths = |units: &[UnitRef]| units.iter().map(|unit| self.trees.path(*unit)).collect::<HashSet<&str>>();
        let [at_left, at_right] = [paths(left), paths(right)];
        if at_left == at_right || left.len().saturating_mul(right.len()) > MOST_PAIRS {
            return Vec::new();
        }
        let bodies = |units: &[UnitRef], others: &HashSet<&str>| -> Vec<Body<'_>> {
            units.iter().map(|unit| self.body(*unit, others)).collect()
        };
        let (left, right) = (bodies(left, &at_right), bodies(right, &at_left));
        let pairs = left.iter().flat_map(|left| right.iter().map(move |right| [left, right]));
        let at_one_path = pairs.filter(|[left, right]| left.path == right.path);
        let displaced = at_one_path.filter(|[a, b]| !a.is_like(b) && (a.is_among(&right) || b.is_among(&left)));
        displaced.flatten().map(|body| body.unit).collect()
    }

    fn body(&self, unit: UnitRef, others: &HashSet<&str>) -> Body<'_> {
        let path = self.trees.path(unit);
        Body { unit, path, sketch: sketch(self.trees, unit, Fields::Body), is_alone: !others.contains(path) }
    }

    /// Whether the bodies of two units are half alike.
    fn are_alike(&self, units: [UnitRef; 2]) -> bool {
        let [left, right] = units.map(|unit| sketch(self.trees, unit, Fields::Body));
        left.at_least(HALF, &right).is_some()
    }

    /// Whether two units of one identity are one. In different files, they are two if the third side has none and their bodies are not
    /// alike: the one that was removed had a patch, which stays.
    fn is_one(&self, units: [UnitRef; 2]) -> bool {
        let [left, right] = units;
        let trees = self.trees;
        let is_there = left.side != Side::Base || trees.identity(left).is_some_and(|own| self.there.contains(own));
        is_there || trees.path(left) == trees.path(right) || self.are_alike(units)
    }

    /// Pairs units of one identity that stand in different files: the most alike first, then those at paths that are alike.
    ///
    /// Of variants, the bodies have to be alike: one may have gone, and another one come.
    fn settle(&mut self, group: &Group<UnitRef>, are_variants: bool) -> Result<(), PackageError> {
        let trees = self.trees;
        let (fields, least) = if are_variants { (Fields::Body, HALF) } else { (Fields::All, 0) };
        let [left, right] = candidates(trees, group, self.third, fields);
        let score = |left: &Candidate<UnitRef>, right: &Candidate<UnitRef>| {
            Some((left.at_least(least, right)?, affinity(trees.path(left.thing), trees.path(right.thing))))
        };
        let pairs = pair_clearly(&left, &right, score)
            .map_err(|equals| PackageError::duplicate(trees, equals.map(|candidate| candidate.thing)))?;
        for Pair { left, right, .. } in pairs {
            self.links.link([left.thing, right.thing], Match::Identity);
        }
        Ok(())
    }
}
