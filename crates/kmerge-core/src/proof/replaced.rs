//! What a side put in the place of something else: its removal and its addition are one change.
//!
//! If a person chooses the other side in a conflict, both have to go. Elements of a list stand for one another by their place between
//! elements that base and side have. Ignores what is still alike: that was changed, not replaced.

use hashbrown::HashMap;
use kyaml_ast::Node;

use super::path_hash::{PathHash, longer};
use super::rows::{BASE, RESULT, Row, SIDES, Thing, other};
use crate::correspond::{Sketch, field_name};
use crate::equal::same_text;

/// A part of a replacement that is there without the rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    /// The side that replaced something.
    pub(super) by: usize,
    /// What is missing or too much, in each tree.
    pub(super) at: Row<u32>,
}

/// Reads a list.
pub(super) fn read(rows: &[Row<Thing<'_>>], found: &mut Vec<Half>) {
    for side in SIDES {
        removed_only(rows, side, found);
        for row in rows.iter().filter(|row| is_replaced(row, side)) {
            partly_there(row, side, found);
        }
    }
}

/// Adds what a side replaced if it is gone, and nothing came that this side has in its place.
fn removed_only(rows: &[Row<Thing<'_>>], side: usize, found: &mut Vec<Half>) {
    let is_gone = |row: &Row<Thing<'_>>| {
        row[BASE].is_some() && row[side].is_none() && row[other(side)].is_some() && row[RESULT].is_none()
    };
    let is_new = |row: &Row<Thing<'_>>| row[BASE].is_none() && row[side].is_some();
    if !rows.iter().any(is_gone) || !rows.iter().any(is_new) {
        return;
    }
    let mut has_come: HashMap<Option<u32>, bool> = HashMap::new();
    for (row, behind) in in_order(rows, side, side) {
        if is_new(row) {
            *has_come.entry(behind).or_default() |= row[RESULT].is_some();
        }
    }
    for (row, behind) in in_order(rows, side, BASE) {
        if is_gone(row) && has_come.get(&behind) == Some(&false) {
            found.push(Half { by: side, at: row.map(|thing| Some(thing?.start)) });
        }
    }
}

/// The rows that a tree has in its order, each with what stands before it in base and side, as its place in the base.
fn in_order<'r, 't>(rows: &'r [Row<Thing<'t>>], side: usize, tree: usize) -> Vec<(&'r Row<Thing<'t>>, Option<u32>)> {
    let starts = rows.iter().filter_map(|row| Some((row[tree]?.start, row)));
    let mut order: Vec<(u32, &Row<Thing<'t>>)> = starts.collect();
    order.sort_unstable_by_key(|(start, _)| *start);
    let mut behind = None;
    let with_behind = |(_, row): (u32, &'r Row<Thing<'t>>)| {
        let before = behind;
        if let (Some(base), Some(_)) = (row[BASE], row[side]) {
            behind = Some(base.start);
        }
        (row, before)
    };
    order.into_iter().map(with_behind).collect()
}

/// Whether a side has something else in the place of what the base has, with little in common, and the result has neither that, nor
/// what the other side has.
fn is_replaced(row: &Row<Thing<'_>>, side: usize) -> bool {
    let [Some(base), Some(own), Some(others), Some(result)] = [BASE, side, other(side), RESULT].map(|tree| row[tree])
    else {
        return false;
    };
    let is_result = |thing: Thing<'_>| same_text(thing.value, result.value);
    !is_result(own) && !is_result(others) && has_little_of(own.value, base.value)
}

/// Whether less than half of a thing is in another one. Something with one part cannot be divided: it was changed.
fn has_little_of(own: Node<'_>, base: Node<'_>) -> bool {
    let [own, base] = [own, base].map(Sketch::of);
    let kept = base.parts().iter().filter(|part| own.parts().binary_search(part).is_ok()).count();
    base.parts().len() > 1 && 2 * kept < base.parts().len()
}

/// Adds the scalars that only this side has if the result has some of them, and not all.
fn partly_there(row: &Row<Thing<'_>>, side: usize, found: &mut Vec<Half>) {
    let [base, own, others, result] = [BASE, side, other(side), RESULT].map(|tree| scalars(row[tree]));
    let is_own = |scalar: &&u64| !base.contains_key(*scalar) && !others.contains_key(*scalar);
    let there: Vec<u64> = own.keys().filter(is_own).filter(|scalar| result.contains_key(*scalar)).copied().collect();
    if there.len() == own.keys().filter(is_own).count() {
        return;
    }
    found.extend(there.into_iter().map(|scalar| {
        let mut at = Row::default();
        (at[side], at[RESULT]) = (own.get(&scalar).copied(), result.get(&scalar).copied());
        Half { by: side, at }
    }));
}

/// The scalars of a thing with the ways to them, as hashes, and where each starts.
fn scalars(thing: Option<Thing<'_>>) -> HashMap<u64, u32> {
    let mut found = HashMap::new();
    let mut open: Vec<(Node<'_>, PathHash)> = thing.map(|thing| (thing.value, 0)).into_iter().collect();
    while let Some((node, way)) = open.pop() {
        if !node.kind().is_collection() {
            found.insert(longer(way, &node.value()), node.full_span().start);
        }
        open.extend(node.entries().map(|entry| (entry.value(), longer(way, &field_name(entry)))));
    }
    found
}
