//! Pairs units by identity: first within the same path, then wherever they stand.

use std::collections::HashSet;
use std::hash::Hash;

use super::plan::PackageError;
use super::rows::{Match, Search};
use super::similar::{Candidate, affinity, candidates};
use super::trees::UnitRef;
use super::unit::Unit;
use crate::correspond::{Fields, Group, HALF, MOST_PAIRS, Pair, pair_clearly};
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

/// The identity of a unit that is compared: the one that counts, or the written one.
type Key = fn(&Unit) -> Option<&ResourceId>;

impl Search<'_, '_> {
    /// Pairs units of equal identity; the claimed identity counts first, then the written one.
    ///
    /// # Errors
    ///
    /// Where several units of one identity stand in several files of a side and neither path nor content tells which is
    /// which.
    pub(super) fn by_identity(&mut self, which: Which) -> Result<(), PackageError> {
        let trees = self.trees;
        self.link_first(|unit| Some((trees.path(unit), trees.file(unit).content, unit.unit)));
        self.pass(Unit::identity, which)?;
        if self.sides.iter().flatten().any(|&unit| trees.unit(unit).claim.is_some()) {
            self.pass(|unit| unit.subject.identity(), which)?;
        }
        Ok(())
    }

    /// Pairs what the third side moved with what stands there under the same name: both moved it, or a merge did.
    pub(super) fn by_third(&mut self) {
        let trees = self.trees;
        let place = |unit: UnitRef| Some((trees.path(unit), trees.identity(unit)?));
        let moved = |left: UnitRef| self.third?.right(left).filter(|third| trees.path(*third) != trees.path(left));
        let groups = self.groups(|left| place(moved(left)?), place);
        self.links.link_first(&groups);
    }

    /// Pairs units with the same key on both sides.
    fn link_first<K: Eq + Hash>(&mut self, key: impl Fn(UnitRef) -> Option<K>) {
        let groups = self.groups(&key, &key);
        self.links.link_first(&groups);
    }

    fn pass(&mut self, key: Key, which: Which) -> Result<(), PackageError> {
        let trees = self.trees;
        let identity = |unit: UnitRef| key(trees.unit(unit));
        let displaced: HashSet<UnitRef> =
            self.groups(identity, identity).iter().flat_map(|group| self.displaced(group)).collect();
        let here = |unit| if displaced.contains(&unit) { None } else { Some((trees.path(unit), identity(unit)?)) };
        self.link_first(here);
        for group in self.groups(identity, identity) {
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

    /// Units of one identity that stand at one path and are not alike, while what one of them is like stands at a path of its own: it was
    /// moved, and a patch of it, for example, has its old path. None if there are too many to compare.
    fn displaced(&self, group: &Group<UnitRef>) -> Vec<UnitRef> {
        let path = |unit: &UnitRef| self.trees.path(*unit);
        let paths = |units: &[UnitRef]| units.iter().map(path).collect::<HashSet<&str>>();
        let [at_left, at_right] = [paths(&group.left), paths(&group.right)];
        if at_left == at_right || group.left.len().saturating_mul(group.right.len()) > MOST_PAIRS {
            return Vec::new();
        }
        let [left, right] = candidates(self.trees, group, None, Fields::Body);
        let (from, to) = (self.alone(&left, &at_right), self.alone(&right, &at_left));
        let mut displaced = Vec::new();
        for (left, right) in left.iter().flat_map(|left| right.iter().map(move |right| (left, right))) {
            let is_other = path(&left.thing) == path(&right.thing) && !left.is_like(right);
            if is_other && (to.iter().any(|to| left.is_like(to)) || from.iter().any(|from| from.is_like(right))) {
                displaced.extend([left.thing, right.thing]);
            }
        }
        displaced
    }

    /// Those of some units at whose paths the other side has none.
    fn alone<'c>(&self, units: &'c [Candidate<UnitRef>], others: &HashSet<&str>) -> Vec<&'c Candidate<UnitRef>> {
        units.iter().filter(|unit| !others.contains(self.trees.path(unit.thing))).collect()
    }

    /// Whether two units of one identity are one. In different files, they are two if the third side has none and their bodies are not
    /// alike: the one that was removed had a patch, which stays.
    fn is_one(&self, units: [UnitRef; 2]) -> bool {
        let ([left, right], trees) = (units, self.trees);
        let is_there = |own: &ResourceId| self.variants.is_there(right.side.other(), own);
        left.side != Side::Base
            || trees.identity(left).is_some_and(is_there)
            || trees.path(left) == trees.path(right)
            || self.likeness(units, HALF).is_some()
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
