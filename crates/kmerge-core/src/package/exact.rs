//! Pairs units by identity: first within the same path, then wherever they stand.

use std::collections::HashMap;

use super::plan::PackageError;
use super::rows::{Links, Match};
use super::similar::{self, Versions};
use super::trees::{Trees, UnitRef};
use super::unit::Unit;
use super::variants::Variants;
use crate::correspond::{Fields, Group, Sketch, Tie, pair_clearly};
use crate::resource::ResourceId;
use crate::slots::Side;

/// How alike the bodies of a moved variant are at least, in percent, where others are about.
const LEAST_MOVED: u32 = 50;

/// How much is paired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Which {
    /// What stands at the same path, and what each side has once.
    Clear,
    /// All of it.
    All,
}

/// The search for units of equal identity on two sides.
pub(super) struct Search<'p, 's> {
    pub(super) trees: &'p Trees<'s>,
    pub(super) variants: &'p Variants,
    pub(super) sides: [&'p [UnitRef]; 2],
    /// What the left units are on the third side: after a first merge the right ones are as much like those.
    pub(super) third: &'p Links,
    pub(super) links: &'p mut Links,
}

/// Pairs what one side moved with what stands there under the same name on the other one: both moved it, or a merge did.
pub(super) fn follow(trees: &Trees<'_>, moved: &Links, right: &[UnitRef], links: &mut Links) {
    let mut free = HashMap::new();
    for unit in links.free(right) {
        if let Some(identity) = trees.unit(unit).identity() {
            free.insert((trees.path(unit), identity), unit);
        }
    }
    let mut found: Vec<[UnitRef; 2]> = moved.pairs().filter(|[base, _]| links.is_free(*base)).collect();
    found.sort_unstable();
    for [base, there] in found {
        let Some(identity) = trees.unit(there).identity() else { continue };
        if let Some(partner) = free.remove(&(trees.path(there), identity)) {
            links.link([base, partner], Match::Identity);
        }
    }
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

impl Search<'_, '_> {
    /// Pairs units of equal identity; the claimed identity counts first, then the written one.
    ///
    /// # Errors
    ///
    /// Where several units of one identity stand in several files of a side and neither path nor content tells which is
    /// which.
    pub(super) fn pair(mut self, which: Which) -> Result<(), PackageError> {
        self.same_files();
        self.pass(Key::Counts, which)?;
        if self.sides.into_iter().flatten().any(|&unit| self.trees.unit(unit).claim.is_some()) {
            self.pass(Key::Written, which)?;
        }
        Ok(())
    }

    /// Units of files with equal bytes at the same path.
    fn same_files(&mut self) {
        let (trees, [left, right]) = (self.trees, self.sides);
        let at: HashMap<(&str, u32), UnitRef> =
            right.iter().map(|&unit| ((trees.path(unit), unit.unit), unit)).collect();
        for &unit in left {
            if self.links.is_free(unit)
                && let Some(&partner) = at.get(&(trees.path(unit), unit.unit))
                && trees.same_file(unit, partner)
            {
                self.links.link([unit, partner], Match::Identity);
            }
        }
    }

    fn pass(&mut self, key: Key, which: Which) -> Result<(), PackageError> {
        let trees = self.trees;
        let identity = |unit: UnitRef| key.of(trees.unit(unit));
        self.same_paths(key);
        for group in self.links.groups(self.sides, identity, identity) {
            let vary = |unit: &UnitRef| identity(*unit).is_some_and(|own| self.variants.has(unit.side, own));
            let do_vary = group.left.iter().any(vary) && group.right.iter().any(vary);
            match (do_vary, group.only()) {
                (false, Some(only)) => self.links.link(only, Match::Identity),
                (true, _) if group.left.iter().any(|left| left.side != Side::Base) => {}
                _ if which == Which::All => self.settle(&group, do_vary.then_some(LEAST_MOVED))?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Units of one identity at the same path.
    fn same_paths(&mut self, key: Key) {
        let (trees, [left, right]) = (self.trees, self.sides);
        let place = |unit: UnitRef| Some((trees.path(unit), key.of(trees.unit(unit))?));
        let mut by_path = HashMap::new();
        for unit in self.links.free(right) {
            if let Some(place) = place(unit) {
                by_path.entry(place).or_insert(unit);
            }
        }
        for unit in self.links.free(left) {
            if let Some(partner) = place(unit).and_then(|place| by_path.remove(&place)) {
                self.links.link([unit, partner], Match::Identity);
            }
        }
    }

    /// Pairs units of one identity that stand in different files: the most alike first, then those at paths that are alike.
    ///
    /// Of variants, `least` says how alike the bodies are at least: one may have gone, and another one come.
    fn settle(&mut self, group: &Group<UnitRef>, least: Option<u32>) -> Result<(), PackageError> {
        let (trees, third) = (self.trees, self.third);
        let fields = if least.is_some() { Fields::Body } else { Fields::All };
        let sketch = |unit: UnitRef| similar::sketch(trees, unit, fields);
        let left: Vec<Versions> = group.left.iter().map(|&unit| Versions::of_unit(unit, third, sketch)).collect();
        let right: Vec<Sketch<'_>> = group.right.iter().map(|&unit| sketch(unit)).collect();
        let score = |l: usize, r: usize| {
            let affinity = similar::affinity(trees.path(group.left[l]), trees.path(group.right[r]));
            Some((left[l].likeness(&right[r]), affinity)).filter(|score| score.0 >= least.unwrap_or(0))
        };
        let pairs = pair_clearly((left.len(), right.len()), score).map_err(|tie| {
            let (units, a, b) = match tie {
                Tie::Left(a, b) => (&group.left, a, b),
                Tie::Right(a, b) => (&group.right, a, b),
            };
            PackageError::duplicate(trees, units[a], units[b])
        })?;
        for (l, r) in pairs {
            self.links.link([group.left[l], group.right[r]], Match::Identity);
        }
        Ok(())
    }
}
