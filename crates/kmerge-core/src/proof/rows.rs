//! What is the same thing in four trees: base, ours, theirs and a result.
//!
//! Owns: rows of counterparts among the entries of collections and the documents of streams, found without the code that merges.
//! Invariant: everything is in exactly one row, and no row has two things of one tree. Known is first what stands alike at the
//! start and at the end, or at one place where nobody added or removed anything; of the rest, [`leftovers`](super::leftovers)
//! finds what is one.

use kyaml_ast::{Document, Entry, Kind, Node, Span};

use super::leftovers::Leftovers;
use super::names::Names;
use crate::correspond::{share_of_bare, share_of_shorter};
use crate::slots::Side;

/// Base, ours, theirs, result.
pub(super) const TREES: usize = 4;
pub(super) const BASE: usize = 0;
pub(super) const OURS: usize = 1;
pub(super) const THEIRS: usize = 2;
pub(super) const RESULT: usize = 3;
/// The trees of the two sides.
pub(super) const SIDES: [usize; 2] = [OURS, THEIRS];

/// The side of a tree that is not the result.
pub(super) const fn side_of(tree: usize) -> Side {
    match tree {
        OURS => Side::Dest,
        THEIRS => Side::Incoming,
        _ => Side::Base,
    }
}

/// Theirs for ours, ours for theirs.
pub(super) const fn other(side: usize) -> usize {
    OURS + THEIRS - side
}

/// A value for each tree that has one.
pub(crate) type Row<T> = [Option<T>; TREES];

/// A place in a result.
pub(super) const fn in_result(at: u32) -> Row<u32> {
    [None, None, None, Some(at)]
}

/// A place on a side.
pub(super) const fn in_side(side: Side, at: u32) -> Row<u32> {
    match side {
        Side::Dest => [None, Some(at), None, None],
        Side::Incoming => [None, None, Some(at), None],
        Side::Base => [Some(at), None, None, None],
    }
}

/// An entry, or a document.
#[derive(Clone, Copy, Debug)]
pub(super) struct Thing<'t> {
    /// Where it starts, comments left out.
    pub(super) start: u32,
    /// Every byte that it owns.
    pub(super) extent: Span,
    /// The key of a field.
    pub(super) key: Option<Node<'t>>,
    /// What it holds.
    pub(super) value: Node<'t>,
    /// Whether only its place says that it is in its row.
    pub(super) by_place: bool,
    /// Where the flow collection ends that it is an entry of.
    pub(super) flow_end: Option<u32>,
}

impl<'t> Thing<'t> {
    pub(super) fn of_entry(entry: Entry<'t>) -> Self {
        let (key, value, flow) = (entry.key(), entry.value(), Some(entry.collection()).filter(|it| it.is_flow()));
        let flow_end = flow.map(|flow| flow.span().end);
        Self { start: entry.start(), extent: entry.extent(), key, value, by_place: false, flow_end }
    }

    /// A document that holds something.
    pub(super) fn of_document(document: Document<'t>) -> Option<Self> {
        let value = document.root().filter(|root| root.kind() != Kind::Null)?;
        let start = value.full_span().start;
        Some(Self { start, extent: document.span(), key: None, value, by_place: false, flow_end: None })
    }

    /// Its bytes.
    pub(super) fn text(&self) -> &'t str {
        self.extent.of(self.value.stream().source())
    }

    /// Whether it has `least` percent of its value's text in common with another, at both ends.
    pub(super) fn shares(&self, other: &Self, least: u32) -> bool {
        let (own, other) = (self.value.text(), other.value.text());
        least == 0 || share_of_shorter(own, other) >= least || share_of_bare(own, other) >= least
    }
}

/// Whether all that there is in a row has the same bytes.
pub(super) fn is_alike(row: &Row<Thing<'_>>) -> bool {
    let mut texts = row.iter().flatten().map(Thing::text);
    texts.next().is_none_or(|first| texts.all(|text| text == first))
}

/// Whether one side has the bytes of the base and the result those of the other: then every fact inside is as it should be.
pub(super) fn is_of_one_side(row: &Row<Thing<'_>>) -> bool {
    let [Some(base), Some(ours), Some(theirs), Some(result)] = row.each_ref().map(|it| it.as_ref().map(Thing::text))
    else {
        return false;
    };
    base == theirs && ours == result || base == ours && theirs == result
}

/// The rows of some things, those of each tree in order.
pub(super) fn rows<'t>(things: &Row<Vec<Thing<'t>>>, names: Names<'t>) -> Vec<Row<Thing<'t>>> {
    let mut left = things.each_ref().map(Option::as_deref);
    let mut rows: Vec<_> = std::iter::from_fn(|| take_alike(&mut left, <[_]>::split_first)).collect();
    rows.extend(std::iter::from_fn(|| take_alike(&mut left, <[_]>::split_last)));
    let changed = changed_places(&left, &mut rows);
    left = changed.as_ref().map_or(left, |changed| changed.each_ref().map(Option::as_deref));
    rows.extend(Leftovers::new(&left, names).rows());
    rows
}

/// Where all lists are as long: their things that do not stand alike at one place. Adds the rows of the others.
fn changed_places<'t>(lists: &Row<&[Thing<'t>]>, rows: &mut Vec<Row<Thing<'t>>>) -> Option<Row<Vec<Thing<'t>>>> {
    let count = lists.iter().flatten().next()?.len();
    if lists.iter().flatten().any(|list| list.len() != count) {
        return None;
    }
    let nth = |at: usize| lists.map(|list| list.map(|list| list[at]));
    let (alike, changed): (Vec<_>, Vec<_>) = (0..count).map(nth).partition(is_alike);
    rows.extend(alike);
    let list = |tree: usize| changed.iter().filter_map(|row| row[tree]).collect();
    Some(std::array::from_fn(|tree| lists[tree].is_some().then(|| list(tree))))
}

/// Splits the first thing off a list, or the last one.
type Split<'l, 't> = fn(&'l [Thing<'t>]) -> Option<(&'l Thing<'t>, &'l [Thing<'t>])>;

/// Takes what stands at one end of all lists, if it is alike.
fn take_alike<'l, 't>(lists: &mut Row<&'l [Thing<'t>]>, split: Split<'l, 't>) -> Option<Row<Thing<'t>>> {
    let (mut row, mut rest) = (Row::default(), Row::default());
    for (tree, list) in lists.iter().enumerate() {
        let Some(list) = list else { continue };
        let (thing, others) = split(list)?;
        (row[tree], rest[tree]) = (Some(*thing), Some(others));
    }
    if mask(&row) == 0 || !is_alike(&row) {
        return None;
    }
    *lists = rest;
    Some(row)
}

/// Which trees have something.
pub(super) fn mask<T>(row: &Row<T>) -> u8 {
    row.iter().zip(0..).fold(0, |mask, (thing, tree)| mask | u8::from(thing.is_some()) << tree)
}
