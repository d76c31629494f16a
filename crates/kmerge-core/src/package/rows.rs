//! The rows of a package merge: which unit of one side is which of the others.
//!
//! Invariant: every unit of a file that is not settled (equal on all sides) and not merged as a whole is in exactly one
//! row. Rows are in the order of the destination's units, then of the incoming ones, then of the base's. A [`Search`] pairs two sides;
//! the surest ways come first.

use std::hash::Hash;

use hashbrown::HashSet;

use super::exact::Which;
use super::excerpt::head_goes_along;
use super::fate::{Fate, drops_comments, fate};
use super::files::{FileRenames, PathMap, Paths};
use super::plan::PackageError;
use super::trees::{Trees, UnitRef};
use super::variants::Variants;
pub use crate::correspond::Match;
use crate::correspond::{self, Correspondence, Group};
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

/// A search for the units of one side, the left one, on another.
pub(super) struct Search<'p, 's> {
    pub(super) trees: &'p Trees<'s>,
    pub(super) variants: &'p Variants<'p>,
    /// Which file of the right side is which of the left.
    pub(super) files: &'p PathMap<'s>,
    pub(super) sides: [Vec<UnitRef>; 2],
    /// What the left units are on the third side: after a first merge the right ones are as much like those.
    pub(super) third: Option<&'p Links>,
    pub(super) links: &'p mut Links,
}

impl Search<'_, '_> {
    /// What has no partner yet, by something that it has in common.
    pub(super) fn groups<K: Eq + Hash>(
        &self,
        left: impl Fn(UnitRef) -> Option<K>,
        right: impl Fn(UnitRef) -> Option<K>,
    ) -> Vec<Group<UnitRef>> {
        self.links.groups(self.sides.each_ref().map(Vec::as_slice), left, right)
    }
}

/// Pairs all units, and decides on each row.
pub(super) fn rows<'s>(
    trees: &Trees<'s>,
    paths: &Paths<'s>,
    both_changed: BothChanged,
) -> Result<(Vec<Row>, FileRenames<'s>), PackageError> {
    let units = Side::ALL.map(|side| paths.units(trees, side));
    let [dest, base, incoming] = units.each_ref().map(Vec::as_slice);
    let variants = &Variants::of(trees, paths, [dest, base, incoming]);
    let (renames, pairing) = Default::default();
    let mut pairer = Pairer { trees, variants, dest, base, incoming, renames, pairing };
    pairer.pair_with_base()?;
    pairer.renames = paths.renames(trees, &pairer.pairing);
    pairer.pair_in_files();
    pairer.pair_added()?;
    pairer.pair_renamed_by_both();
    pairer.pair_renamed();
    let rows = pairer.pairing.rows([dest, base, incoming]);
    let gone_along: HashSet<UnitRef> = rows.iter().flat_map(|(units, _)| heads_gone_along(trees, *units)).collect();
    let row = |(units, matched): (Slots<UnitRef>, Match)| {
        let (fate, rule) = match units.present().all(|(_, unit)| gone_along.contains(unit)) {
            true => (Fate::Keep, Rule::Agreed),
            false => fate(trees, units, both_changed),
        };
        Row { units, matched, fate, rule, drops_comments: drops_comments(trees, units, rule) }
    };
    Ok((rows.into_iter().map(row).collect(), pairer.renames))
}

/// The heads of files that are decided on with the document below.
fn heads_gone_along<'t>(trees: &'t Trees<'_>, units: Slots<UnitRef>) -> impl Iterator<Item = UnitRef> + 't {
    let units = if head_goes_along(trees, units) { units } else { Slots::default() };
    [units.base, units.incoming].into_iter().flatten().filter_map(|unit| trees.head(unit))
}

/// Finds out which unit is which, the surest first.
struct Pairer<'a, 's> {
    trees: &'a Trees<'s>,
    variants: &'a Variants<'a>,
    dest: &'a [UnitRef],
    base: &'a [UnitRef],
    incoming: &'a [UnitRef],
    renames: FileRenames<'s>,
    pairing: Correspondence<UnitRef>,
}

impl<'s> Pairer<'_, 's> {
    /// The search for the units of the base on a side.
    fn search(&mut self, side: Side) -> Search<'_, 's> {
        let Self { trees, variants, base, .. } = *self;
        let Correspondence { to_dest, to_incoming, added } = &mut self.pairing;
        let (units, links, third) = match side {
            Side::Dest => (self.dest, to_dest, &*to_incoming),
            Side::Base | Side::Incoming => (self.incoming, to_incoming, &*to_dest),
        };
        let sides = [base.to_vec(), added.free(units)];
        Search { trees, variants, files: self.renames.to(side), sides, third: Some(third), links }
    }

    /// What has an identity, in whatever file it is.
    fn pair_with_base(&mut self) -> Result<(), PackageError> {
        for which in [Which::Clear, Which::All] {
            Side::MERGED.into_iter().try_for_each(|side| self.search(side).by_identity(which))?;
            Side::MERGED.into_iter().for_each(|side| self.search(side).by_third());
        }
        Ok(())
    }

    /// What has none, in its file, or above what has one.
    fn pair_in_files(&mut self) {
        for side in Side::MERGED {
            let mut search = self.search(side);
            search.lists();
            search.in_files();
            search.comments_above();
            search.only_documents();
            search.in_lists(Links::right);
        }
    }

    /// What both sides added.
    fn pair_added(&mut self) -> Result<(), PackageError> {
        let Self { trees, variants, .. } = *self;
        let Correspondence { to_dest, to_incoming, added: links } = &mut self.pairing;
        let sides = [to_dest.free(self.dest), to_incoming.free(self.incoming)];
        let (no_renames, files) = (PathMap::default(), &self.renames.added);
        // The same path comes first: one side may have put a new file where the other one moved an old one.
        let mut search = Search { trees, variants, files: &no_renames, sides, third: None, links };
        search.by_identity(Which::All)?;
        search.in_files();
        search.files = files;
        search.in_files();
        search.in_lists(|added, list| added.right(list).or_else(|| to_incoming.right(to_dest.left(list)?)));
        Ok(())
    }

    /// What both sides renamed, to the same or each otherwise: what they have instead is alike, as after a first merge.
    fn pair_renamed_by_both(&mut self) {
        let Self { trees, variants, .. } = *self;
        let Correspondence { to_dest, to_incoming, added } = &mut self.pairing;
        let gone = to_incoming.free(&to_dest.free(self.base));
        if gone.is_empty() {
            return;
        }
        let new_incoming = to_incoming.free(self.incoming);
        let sides = [added.free(&to_dest.free(self.dest)), added.free(&new_incoming)];
        let (none, mut alike) = (Links::default(), Links::default());
        Search { trees, variants, files: &self.renames.added, sides, third: Some(&none), links: &mut alike }.renamed();
        for same in [&*added, &alike] {
            let new = new_incoming.iter().copied().filter(|&unit| same.left(unit).is_some()).collect();
            let (sides, mut links) = ([to_incoming.free(&gone), new], Links::default());
            let files = &self.renames.to_incoming;
            Search { trees, variants, files, sides, third: None, links: &mut links }.renamed();
            for ([base, incoming], matched) in links.matches() {
                if let Some(dest) = same.left(incoming) {
                    to_dest.link([base, dest], matched);
                    to_incoming.link([base, incoming], matched);
                }
            }
        }
    }

    /// What a side renamed.
    fn pair_renamed(&mut self) {
        Side::MERGED.into_iter().for_each(|side| self.search(side).renamed());
        Side::MERGED.into_iter().for_each(|side| self.search(side).renamed_further());
    }
}
