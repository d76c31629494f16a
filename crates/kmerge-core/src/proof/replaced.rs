//! Removals and replacements: a side removed something, and may have put something else in its place. This is one change.
//!
//! What one side removed whole is there as the other side has it, or not at all. In lists, if a person chooses the other side in a
//! conflict, the result has all of a replacement or nothing of it. Two elements are a replacement if they stand between the same
//! elements that base and side both have, or if they are one element with hardly any value left. Ignores elements that are mostly
//! as they were, and those that keep their name: their fields are changes of their own.

use std::cell::LazyCell;

use hashbrown::HashMap;
use kyaml_ast::{Entry, Node};

use super::names::{Names, named};
use super::rows::{BASE, RESULT, Row, SIDES, Thing, other};
use crate::correspond::{NEARLY_ALL, Sketch, each_leaf, share_of_ends};
use crate::equal::{same_text, same_value};

/// An element with more scalars is no single thing.
const MOST_SCALARS: usize = 30;

/// A place where the result has only a part of a replacement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Half {
    /// The side that replaced something.
    pub(super) by: usize,
    /// What is missing or too much, in each tree.
    pub(super) at: Row<u32>,
}

/// Reads the rows of lists, whose elements are known by `names`.
pub(super) fn read<'t>(rows: &[Row<Thing<'t>>], lists: &Row<Vec<Thing<'t>>>, names: Names<'t>, found: &mut Vec<Half>) {
    let known = LazyCell::new(|| known(lists, names));
    for side in SIDES {
        removed_only(rows, side, found);
        let name = |tree: usize, row: &Row<Thing<'_>>| known.get(&(tree, row[tree]?.start)).copied();
        let keeps_name = |row: &Row<Thing<'_>>| name(BASE, row).is_some_and(|base| name(side, row) == Some(base));
        for row in rows.iter().filter(|row| is_replaced(row, side) && !keeps_name(row)) {
            partly_there(row, side, found);
        }
    }
}

/// Where the result has something that one side removed, and not as the other side has it.
pub(super) fn mixed(row: &Row<Thing<'_>>) -> Option<Half> {
    let (base, result) = (row[BASE]?, row[RESULT]?);
    let by = SIDES.into_iter().find(|side| row[*side].is_none())?;
    let kept = row[other(by)]?;
    if same_text(kept.value, result.value) || same_value(kept.value, result.value) {
        return None;
    }
    let mut at = Row::default();
    at[BASE] = Some(base.start);
    (at[other(by)], at[RESULT]) = first_difference(kept, result);
    Some(Half { by, at })
}

/// Where two things start to differ; `None` where one ends first.
fn first_difference(a: Thing<'_>, b: Thing<'_>) -> (Option<u32>, Option<u32>) {
    let (mut at, mut nodes) = ((Some(a.start), Some(b.start)), Some([a.value, b.value]));
    while let Some([a, b]) = nodes {
        let (mut a, mut b) = (a.entries(), b.entries());
        let mut pairs = std::iter::from_fn(|| Some((a.next(), b.next())).filter(|(a, b)| a.is_some() || b.is_some()));
        let Some((first, second)) = pairs.find(|(a, b)| a.map(text_of) != b.map(text_of)) else { break };
        at = (first.map(Entry::start), second.map(Entry::start));
        nodes = first.zip(second).map(|(a, b)| [a.value(), b.value()]);
    }
    at
}

fn text_of(entry: Entry<'_>) -> &str {
    entry.extent().of(entry.value().stream().source())
}

/// The names of the elements that have one, by tree and start.
fn known(lists: &Row<Vec<Thing<'_>>>, names: Names<'_>) -> HashMap<(usize, u32), u64> {
    let named = named(&lists.each_ref().map(Option::as_deref), names);
    let mut known = HashMap::new();
    for (tree, (list, named)) in lists.iter().zip(named).enumerate() {
        let things = list.iter().flatten().zip(named).filter(|(_, name)| name.is_known);
        known.extend(things.map(|(thing, name)| ((tree, thing.start), name.hash)));
    }
    known
}

/// Adds each element that a side replaced, if the result has neither the old element nor a new one.
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

/// The rows of a tree in its order. With each, where the base has the nearest row above it that base and side both have.
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

/// Whether a side changed most of an element, and the result has neither this side's version nor the other side's.
fn is_replaced(row: &Row<Thing<'_>>, side: usize) -> bool {
    let [Some(base), Some(own), Some(others), Some(result)] = [BASE, side, other(side), RESULT].map(|tree| row[tree])
    else {
        return false;
    };
    let is_own = |thing: Thing<'_>| same_text(thing.value, own.value);
    let is_mostly_base = || share_of_ends(base.value.text(), own.value.text()) >= NEARLY_ALL;
    !is_own(base)
        && !is_own(result)
        && !same_text(others.value, result.value)
        && !is_mostly_base()
        && has_little_of(own.value, base.value)
}

/// Whether a version has less than half of the base's leaves. An element with one leaf was changed, not replaced. So was one with many
/// values: nobody would choose all of these together.
fn has_little_of(own: Node<'_>, base: Node<'_>) -> bool {
    if holds_many(base) {
        return false;
    }
    let [own, leaves] = [own, base].map(Sketch::of);
    let kept = leaves.parts().iter().filter(|part| own.parts().binary_search(part).is_ok()).count();
    leaves.parts().len() > 1 && 2 * kept < leaves.parts().len()
}

/// Whether there are more scalars in a value than in a single thing.
fn holds_many(value: Node<'_>) -> bool {
    let (mut open, mut scalars) = (vec![value], 0);
    while scalars <= MOST_SCALARS
        && let Some(node) = open.pop()
    {
        scalars += usize::from(node.kind().is_scalar());
        open.extend(node.entries().map(Entry::value));
    }
    scalars > MOST_SCALARS
}

/// Adds the leaves that only this side has, if the result has some of them but not all.
fn partly_there(row: &Row<Thing<'_>>, side: usize, found: &mut Vec<Half>) {
    let [base, own, others, result] = [BASE, side, other(side), RESULT].map(|tree| leaves(row[tree]));
    let only_own = own.iter().filter(|(leaf, _)| !base.contains_key(*leaf) && !others.contains_key(*leaf));
    let (mut there, missing): (Vec<_>, Vec<_>) =
        only_own.map(|(leaf, start)| (*start, result.get(leaf))).partition(|(_, result)| result.is_some());
    if missing.is_empty() {
        return;
    }
    there.sort_unstable();
    found.extend(there.into_iter().map(|(own, result)| {
        let mut at = Row::default();
        (at[side], at[RESULT]) = (Some(own), result.copied());
        Half { by: side, at }
    }));
}

/// The leaves of a thing, and where each starts.
fn leaves(thing: Option<Thing<'_>>) -> HashMap<u64, u32> {
    let mut leaves = HashMap::new();
    if let Some(thing) = thing {
        each_leaf(thing.value, |leaf, start| _ = leaves.insert(leaf, start));
    }
    leaves
}
