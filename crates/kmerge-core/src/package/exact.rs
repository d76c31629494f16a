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

/// Pairs units of equal identity; the claimed identity counts first, then the written one.
///
/// `third` tells what the left units are on the third side: after a first merge the right ones are as much like those.
///
/// # Errors
///
/// Where several units of one identity stand in several files of a side and neither path nor content tells which is
/// which.
pub(super) fn pair(
    known: (&Trees<'_>, &Variants),
    sides: (&[UnitRef], &[UnitRef]),
    which: Which,
    (third, links): (&Links, &mut Links),
) -> Result<(), PackageError> {
    same_files(known.0, sides.0, sides.1, links);
    pass(known, sides, (Key::Counts, which), (third, links))?;
    if sides.0.iter().chain(sides.1).any(|&unit| known.0.unit(unit).claim.is_some()) {
        pass(known, sides, (Key::Written, which), (third, links))?;
    }
    Ok(())
}

/// Pairs what one side moved with what stands there under the same name on the other one: both moved it, or a merge did.
pub(super) fn follow(trees: &Trees<'_>, (moved, right): (&Links, &[UnitRef]), links: &mut Links) {
    let mut free = HashMap::new();
    for &unit in right.iter().filter(|&&unit| links.is_free(unit)) {
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

/// Units of files with equal bytes at the same path.
fn same_files(trees: &Trees<'_>, left: &[UnitRef], right: &[UnitRef], links: &mut Links) {
    let at: HashMap<(&str, u32), UnitRef> = right.iter().map(|&unit| ((trees.path(unit), unit.unit), unit)).collect();
    for &unit in left {
        if links.is_free(unit)
            && let Some(&partner) = at.get(&(trees.path(unit), unit.unit))
            && trees.same_file(unit, partner)
        {
            links.link([unit, partner], Match::Identity);
        }
    }
}

fn pass(
    (trees, variants): (&Trees<'_>, &Variants),
    sides: (&[UnitRef], &[UnitRef]),
    (key, which): (Key, Which),
    (third, links): (&Links, &mut Links),
) -> Result<(), PackageError> {
    let (left, right) = sides;
    let mut by_path = HashMap::new();
    for &unit in right.iter().filter(|&&unit| links.is_free(unit)) {
        if let Some(identity) = key.of(trees.unit(unit)) {
            by_path.entry((trees.path(unit), identity)).or_insert(unit);
        }
    }
    for &unit in left {
        let Some(identity) = key.of(trees.unit(unit)).filter(|_| links.is_free(unit)) else { continue };
        if let Some(partner) = by_path.remove(&(trees.path(unit), identity)) {
            links.link([unit, partner], Match::Identity);
        }
    }
    let identity = |unit: UnitRef| key.of(trees.unit(unit));
    for group in links.groups([left, right], identity, identity) {
        let vary = |unit: &UnitRef| key.of(trees.unit(*unit)).is_some_and(|identity| variants.has(unit.side, identity));
        let do_vary = group.left.iter().any(vary) && group.right.iter().any(vary);
        match (do_vary, group.left.as_slice(), group.right.as_slice()) {
            (false, [left], [right]) => links.link([*left, *right], Match::Identity),
            (true, [left, ..], _) if left.side != Side::Base => {}
            _ if which == Which::All => settle(trees, &group, do_vary.then_some(LEAST_MOVED), (third, links))?,
            _ => {}
        }
    }
    Ok(())
}

/// Pairs units of one identity that stand in different files: the most alike first, then those at paths that are alike.
///
/// Of variants, `least` says how alike the bodies are at least: one may have gone, and another one come.
fn settle(
    trees: &Trees<'_>,
    group: &Group<UnitRef>,
    least: Option<u32>,
    (third, links): (&Links, &mut Links),
) -> Result<(), PackageError> {
    let fields = if least.is_some() { Fields::Body } else { Fields::All };
    let sketch = |unit: UnitRef| similar::sketch(trees, unit, fields);
    let versions = |&unit: &UnitRef| Versions::of_unit(unit, third, sketch);
    let left: Vec<Versions> = group.left.iter().map(versions).collect();
    let right: Vec<Sketch> = group.right.iter().map(|&unit| sketch(unit)).collect();
    let score = |l: usize, r: usize| {
        let affinity = similar::affinity(trees.path(group.left[l]), trees.path(group.right[r]));
        Some((left[l].likeness(&right[r]), affinity)).filter(|score| score.0 >= least.unwrap_or(0))
    };
    let ambiguous = |units: &[UnitRef], a: usize, b: usize| PackageError::duplicate(trees, units[a], units[b]);
    match pair_clearly((left.len(), right.len()), score) {
        Ok(pairs) => {
            for (l, r) in pairs {
                links.link([group.left[l], group.right[r]], Match::Identity);
            }
            Ok(())
        }
        Err(Tie::Left(a, b)) => Err(ambiguous(&group.left, a, b)),
        Err(Tie::Right(a, b)) => Err(ambiguous(&group.right, a, b)),
    }
}
