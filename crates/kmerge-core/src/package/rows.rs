//! The rows of a package merge: which unit of one side is which of the others.
//!
//! Invariant: every unit of a file that is not settled (equal on all sides) and not merged as a whole is in exactly one
//! row. Rows are in the order of the destination's units, then of the incoming ones, then of the base's.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use super::exact::{self, IdentitySearch, Which};
use super::fate::{Fate, drops_comments, fate};
use super::files::{FileRenames, PathMap, Paths};
use super::plan::PackageError;
use super::scoped;
use super::trees::{Trees, UnitRef};
use super::variants::Variants;
pub use crate::correspond::Match;
use crate::correspond::{self, Correspondence};
use crate::policy::BothChanged;
use crate::resolve::Rule;
use crate::slots::{Side, Slots};

/// The versions of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The unit on each side.
    pub units: Slots<UnitRef>,
    /// How they found each other.
    pub matched: Match,
    /// What becomes of them.
    pub fate: Fate,
    /// Why; [`Rule::Agreed`] where fields are merged one by one.
    pub rule: Rule,
    /// Whether comments that one side changed are lost, because the other side removed the unit.
    pub drops_comments: bool,
}

/// Pairs between the units of two sides.
pub(super) type Links = correspond::Links<UnitRef>;

/// What holds the parts of pairs, as pairs: where all parts of one that are paired are in one, which has none from elsewhere.
pub(super) fn holders<K: Copy + Eq + Hash>(pairs: impl Iterator<Item = [K; 2]>) -> HashMap<K, K> {
    let [mut targets, mut sources] = [HashMap::new(), HashMap::new()];
    for [left, right] in pairs {
        let agree = |seen: &mut Option<K>, holder: K| *seen = seen.filter(|&seen| seen == holder);
        agree(targets.entry(left).or_insert(Some(right)), right);
        agree(sources.entry(right).or_insert(Some(left)), left);
    }
    let only = |(left, right): (K, Option<K>)| Some((left, right?));
    let is_mutual = |(left, right): &(K, K)| sources.get(right) == Some(&Some(*left));
    targets.into_iter().filter_map(only).filter(is_mutual).collect()
}

/// Pairs all units, and decides on each row.
pub(super) fn rows<'s>(
    trees: &Trees<'s>,
    paths: &Paths<'s>,
    both_changed: BothChanged,
) -> Result<(Vec<Row>, FileRenames<'s>), PackageError> {
    let units = Side::ALL.map(|side| paths.units(trees, side));
    let [dest, base, incoming] = units.each_ref().map(Vec::as_slice);
    let variants = Variants::of(trees, paths, [dest, base, incoming]);
    let mut pairer = Pairer { trees, variants, dest, base, incoming, pairing: Correspondence::default() };
    pairer.pair_with_base()?;
    let renames = paths.renames(trees, &pairer.pairing);
    pairer.pair_in_files(&renames);
    pairer.pair_added(&renames)?;
    pairer.pair_renamed(&renames);
    let rows = pairer.pairing.rows([dest, base, incoming]);
    let row = |(units, matched)| {
        let (fate, rule) = fate(trees, units, both_changed);
        Row { units, matched, fate, rule, drops_comments: drops_comments(trees, units, rule) }
    };
    Ok((rows.into_iter().map(row).collect(), renames))
}

/// Finds out which unit is which, the surest first.
struct Pairer<'a, 's> {
    trees: &'a Trees<'s>,
    variants: Variants,
    dest: &'a [UnitRef],
    base: &'a [UnitRef],
    incoming: &'a [UnitRef],
    pairing: Correspondence<UnitRef>,
}

impl<'s> Pairer<'_, 's> {
    /// What has an identity, in whatever file it is.
    fn pair_with_base(&mut self) -> Result<(), PackageError> {
        let Self { trees, ref variants, dest, base, incoming, .. } = *self;
        let [in_dest, in_incoming] =
            [dest, incoming].map(|units| units.iter().filter_map(|unit| trees.identity(*unit)).collect());
        for which in [Which::Clear, Which::All] {
            let Correspondence { to_dest, to_incoming, .. } = &mut self.pairing;
            let (sides, third) = ([base, dest], &*to_incoming);
            IdentitySearch { trees, variants, sides, third, there: &in_incoming, links: to_dest }.pair(which)?;
            let (sides, third) = ([base, incoming], &*to_dest);
            IdentitySearch { trees, variants, sides, third, there: &in_dest, links: to_incoming }.pair(which)?;
            exact::follow(trees, to_incoming, [base, dest], to_dest);
            exact::follow(trees, to_dest, [base, incoming], to_incoming);
        }
        Ok(())
    }

    /// What has none, in its file, or above what has one.
    fn pair_in_files(&mut self, renames: &FileRenames<'s>) {
        let (trees, base) = (self.trees, self.base);
        for (links, files, side) in [
            (&mut self.pairing.to_dest, &renames.base_to_dest, self.dest),
            (&mut self.pairing.to_incoming, &renames.base_to_incoming, self.incoming),
        ] {
            scoped::pair_lists(trees, [base, side], links);
            scoped::pair(trees, files, [base, side], links);
            scoped::pair_above(trees, [base, side], links);
            scoped::pair_only(trees, files, [base, side], links);
            let lists = lists(trees, links.pairs());
            scoped::pair_items(trees, [base, side], &lists, links);
        }
    }

    /// What both sides added.
    fn pair_added(&mut self, renames: &FileRenames<'s>) -> Result<(), PackageError> {
        let Self { trees, ref variants, dest, incoming, ref mut pairing, .. } = *self;
        let (new_dest, new_incoming) = (pairing.to_dest.free(dest), pairing.to_incoming.free(incoming));
        let (sides, third) = ([new_dest.as_slice(), &new_incoming], &Links::default());
        let there = &HashSet::new();
        IdentitySearch { trees, variants, sides, third, there, links: &mut pairing.added }.pair(Which::All)?;
        // The same path comes first: one side may have put a new file where the other one moved an old one.
        for files in [&PathMap::default(), &renames.dest_to_incoming] {
            scoped::pair(trees, files, sides, &mut pairing.added);
        }
        let incoming_of = |[base, dest]: [UnitRef; 2]| Some([dest, pairing.to_incoming.right(base)?]);
        let lists = lists(trees, pairing.to_dest.pairs().filter_map(incoming_of).chain(pairing.added.pairs()));
        scoped::pair_items(trees, sides, &lists, &mut pairing.added);
        Ok(())
    }

    /// What a side renamed.
    fn pair_renamed(&mut self, renames: &FileRenames<'s>) {
        self.pair_renamed_by_both(renames);
        let Self { trees, dest, base, incoming, ref mut pairing, .. } = *self;
        let Correspondence { to_dest, to_incoming, added } = pairing;
        let new_dest = added.free(&to_dest.free(dest));
        let new_incoming = added.free(&to_incoming.free(incoming));
        scoped::renamed(trees, &renames.base_to_dest, [base, &new_dest], Some(to_incoming), to_dest);
        scoped::renamed(trees, &renames.base_to_incoming, [base, &new_incoming], Some(to_dest), to_incoming);
        renamed_further(trees, [base, &new_dest], to_incoming, to_dest);
        renamed_further(trees, [base, &new_incoming], to_dest, to_incoming);
    }

    /// What both sides renamed, to the same or each otherwise: what they have instead is alike, as after a first merge.
    fn pair_renamed_by_both(&mut self, renames: &FileRenames<'s>) {
        let Self { trees, dest, base, incoming, ref mut pairing, .. } = *self;
        let Correspondence { to_dest, to_incoming, added } = pairing;
        let gone = to_incoming.free(&to_dest.free(base));
        if gone.is_empty() {
            return;
        }
        let new_incoming = to_incoming.free(incoming);
        let sides: [&[_]; 2] = [&added.free(&to_dest.free(dest)), &added.free(&new_incoming)];
        let (none, mut alike) = (Links::default(), Links::default());
        scoped::renamed(trees, &renames.dest_to_incoming, sides, Some(&none), &mut alike);
        for same in [&*added, &alike] {
            let gone = to_incoming.free(&gone);
            let new: Vec<UnitRef> = new_incoming.iter().copied().filter(|&unit| same.left(unit).is_some()).collect();
            let mut found = Links::default();
            scoped::renamed(trees, &renames.base_to_incoming, [&gone, &new], None, &mut found);
            for ([base, incoming], matched) in found.matches() {
                if let Some(dest) = same.left(incoming) {
                    to_dest.link([base, dest], matched);
                    to_incoming.link([base, incoming], matched);
                }
            }
        }
    }
}

/// The lists of resources among pairs.
fn lists(trees: &Trees<'_>, pairs: impl Iterator<Item = [UnitRef; 2]>) -> HashMap<UnitRef, UnitRef> {
    pairs.filter(|[left, _]| trees.has_items(*left)).map(|[left, right]| (left, right)).collect()
}

/// Links what both sides renamed, and one of them so far that only the version of the other side, `known`, tells what it was.
fn renamed_further(trees: &Trees<'_>, [base, new]: [&[UnitRef]; 2], known: &Links, links: &mut Links) {
    let renamed = |base: UnitRef| known.right(base).filter(|known| trees.identity(*known) != trees.identity(base));
    let versions: Vec<UnitRef> = links.free(base).into_iter().filter_map(renamed).collect();
    let mut found = Links::default();
    scoped::renamed(trees, &PathMap::default(), [&versions, new], None, &mut found);
    for ([version, new], matched) in found.matches() {
        if let Some(base) = known.left(version) {
            links.link([base, new], matched);
        }
    }
}
