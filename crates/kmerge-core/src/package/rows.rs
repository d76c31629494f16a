//! The rows of a package merge: which unit of one side is which of the others.
//!
//! Invariant: every unit of a file that is not settled (equal on all sides) and not merged as a whole is in exactly one
//! row. Rows are in the order of the destination's units, then of the incoming ones, then of the base's.

use std::collections::HashMap;

use super::exact::{self, Which};
use super::files::{PathMap, Paths, Renames};
use super::plan::PackageError;
use super::scoped;
use super::trees::{Trees, UnitRef};
use super::variants::Variants;
use crate::slots::{Side, Slots};

/// How the units of a row found each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Match {
    /// By identity, or by standing in the same file as the only one of their kind.
    Identity,
    /// By the similarity of their bodies, in percent: one side gave the resource another name.
    Likeness(u32),
}

/// The versions of one unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// The unit on each side.
    pub units: Slots<UnitRef>,
    /// How they found each other.
    pub matched: Match,
}

/// Pairs between two sides; each unit has at most one partner.
#[derive(Debug, Default)]
pub(super) struct Links {
    forward: HashMap<UnitRef, (UnitRef, Match)>,
    backward: HashMap<UnitRef, UnitRef>,
}

impl Links {
    pub(super) fn link(&mut self, left: UnitRef, right: UnitRef, matched: Match) {
        self.forward.insert(left, (right, matched));
        self.backward.insert(right, left);
    }

    pub(super) fn right(&self, left: UnitRef) -> Option<(UnitRef, Match)> {
        self.forward.get(&left).copied()
    }

    pub(super) fn left(&self, right: UnitRef) -> Option<UnitRef> {
        self.backward.get(&right).copied()
    }

    pub(super) fn pairs(&self) -> impl Iterator<Item = (UnitRef, UnitRef)> {
        self.forward.iter().map(|(&left, &(right, _))| (left, right))
    }

    pub(super) fn is_free(&self, unit: UnitRef) -> bool {
        !self.forward.contains_key(&unit) && !self.backward.contains_key(&unit)
    }
}

/// The links between each two sides, and the files that were renamed.
#[derive(Debug, Default)]
pub(super) struct Pairing {
    /// From base to destination.
    pub(super) to_dest: Links,
    /// From base to incoming.
    pub(super) to_incoming: Links,
    /// From destination to incoming, of what the base does not have.
    pub(super) added: Links,
}

/// Pairs all units.
pub(super) fn rows<'s>(trees: &Trees<'s>, paths: &Paths<'s>) -> Result<(Vec<Row>, Renames<'s>), PackageError> {
    let units = Side::ALL.map(|side| paths.units(trees, side));
    let [dest, base, incoming] = units.each_ref().map(Vec::as_slice);
    let mut pairing = Pairing::default();
    let known = (trees, &Variants::of(trees, paths, [dest, base, incoming]));
    for which in [Which::Clear, Which::All] {
        exact::pair(known, (base, dest), which, (&pairing.to_incoming, &mut pairing.to_dest))?;
        exact::pair(known, (base, incoming), which, (&pairing.to_dest, &mut pairing.to_incoming))?;
        exact::follow(trees, (&pairing.to_incoming, dest), &mut pairing.to_dest);
        exact::follow(trees, (&pairing.to_dest, incoming), &mut pairing.to_incoming);
    }
    let renames = paths.renames(trees, &pairing);
    for (links, files, side) in [
        (&mut pairing.to_dest, &renames.base_to_dest, dest),
        (&mut pairing.to_incoming, &renames.base_to_incoming, incoming),
    ] {
        scoped::pair(trees, files, (base, side), links);
        scoped::pair_only(trees, files, (base, side), links);
        let lists = lists(trees, links.pairs());
        scoped::pair_items(trees, (base, side), &lists, links);
    }

    let new_dest = free(dest, &pairing.to_dest);
    let new_incoming = free(incoming, &pairing.to_incoming);
    let no_third = Links::default();
    exact::pair(known, (&new_dest, &new_incoming), Which::All, (&no_third, &mut pairing.added))?;
    // The same path comes first: one side may have put a new file where the other one moved an old one.
    for files in [&PathMap::default(), &renames.dest_to_incoming] {
        scoped::pair(trees, files, (&new_dest, &new_incoming), &mut pairing.added);
    }
    let incoming_of = |(base, dest)| Some((dest, pairing.to_incoming.right(base)?.0));
    let lists = lists(trees, pairing.to_dest.pairs().filter_map(incoming_of).chain(pairing.added.pairs()));
    scoped::pair_items(trees, (&new_dest, &new_incoming), &lists, &mut pairing.added);

    renamed_alike(trees, &renames, (base, &new_incoming), &mut pairing);
    let new_dest = free(&new_dest, &pairing.added);
    let new_incoming = free(&new_incoming, &pairing.added);
    let Pairing { to_dest, to_incoming, .. } = &mut pairing;
    scoped::renamed(trees, &renames.base_to_dest, (base, &new_dest), (to_incoming, to_dest));
    scoped::renamed(trees, &renames.base_to_incoming, (base, &new_incoming), (to_dest, to_incoming));
    Ok((collect(&pairing, dest, base, incoming), renames))
}

/// The lists of resources among pairs.
fn lists(trees: &Trees<'_>, pairs: impl Iterator<Item = (UnitRef, UnitRef)>) -> HashMap<UnitRef, UnitRef> {
    pairs.filter(|(left, _)| trees.has_items(*left)).collect()
}

/// Links what both sides renamed to the same, as after a first merge of a renaming.
fn renamed_alike(trees: &Trees<'_>, renames: &Renames<'_>, units: (&[UnitRef], &[UnitRef]), pairing: &mut Pairing) {
    let gone: Vec<UnitRef> = free(&free(units.0, &pairing.to_dest), &pairing.to_incoming);
    let added: Vec<UnitRef> = units.1.iter().copied().filter(|&unit| pairing.added.left(unit).is_some()).collect();
    let mut found = Links::default();
    scoped::renamed(trees, &renames.base_to_incoming, (&gone, &added), (&pairing.to_dest, &mut found));
    for (base, (incoming, matched)) in found.forward {
        if let Some(dest) = pairing.added.left(incoming) {
            pairing.to_dest.link(base, dest, matched);
            pairing.to_incoming.link(base, incoming, matched);
        }
    }
}

fn free(units: &[UnitRef], links: &Links) -> Vec<UnitRef> {
    units.iter().copied().filter(|&unit| links.is_free(unit)).collect()
}

fn collect(pairing: &Pairing, dest: &[UnitRef], base: &[UnitRef], incoming: &[UnitRef]) -> Vec<Row> {
    let of_base = |base: UnitRef| {
        let (dest, incoming) = (pairing.to_dest.right(base), pairing.to_incoming.right(base));
        let matched = dest.into_iter().chain(incoming).map(|(_, matched)| matched).max().unwrap_or(Match::Identity);
        let units = Slots { dest: dest.map(|link| link.0), base: Some(base), incoming: incoming.map(|link| link.0) };
        Row { units, matched }
    };
    let mut rows = Vec::with_capacity(dest.len());
    for &unit in dest {
        rows.push(pairing.to_dest.left(unit).map(of_base).unwrap_or_else(|| {
            let partner = pairing.added.right(unit);
            let units = Slots { dest: Some(unit), base: None, incoming: partner.map(|link| link.0) };
            Row { units, matched: partner.map_or(Match::Identity, |link| link.1) }
        }));
    }
    for &unit in incoming {
        match pairing.to_incoming.left(unit).map(of_base) {
            Some(row) if row.units.dest.is_none() => rows.push(row),
            None if pairing.added.left(unit).is_none() => {
                let units = Slots { dest: None, base: None, incoming: Some(unit) };
                rows.push(Row { units, matched: Match::Identity });
            }
            _ => {}
        }
    }
    let gone = base.iter().map(|&unit| of_base(unit));
    rows.extend(gone.filter(|row| row.units.dest.is_none() && row.units.incoming.is_none()));
    rows
}
