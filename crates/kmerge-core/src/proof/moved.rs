//! What one side moved to another collection, and the result has at neither place.
//!
//! To the facts these are a removal, which may be in no conflict, and an addition, which may be in one. If a person chooses the other
//! side there, what all sides have would be nowhere. Ignores what holds one value only: it may as well be some other's.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, Node};

use super::margin::Inside;
use super::rows::{BASE, RESULT, Row, SIDES, Thing, other};

/// Something that the result has nowhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    /// The side that moved it.
    pub(super) by: usize,
    /// Where it was in the base and on the other side, and where it is on this side.
    pub(super) at: Row<u32>,
}

/// Where a side has what, by digest.
type Places = HashMap<(usize, u64), u32>;

/// What the result has not, in rows that one side alone has, or this side and the base.
#[derive(Debug, Default)]
pub(super) struct Missing<'t> {
    /// Gone from one side: by the side that still has it.
    gone: Vec<(usize, Row<Thing<'t>>)>,
    /// New on one side.
    new: Vec<(usize, Row<Thing<'t>>)>,
}

impl<'t> Missing<'t> {
    /// Looks at a row, unless what is inside has rows of its own.
    pub(super) fn read(&mut self, row: &Row<Thing<'t>>, inside: Inside) {
        let has = |tree: usize| row[tree].is_some();
        let is_missing = |side: &usize| !has(RESULT) && has(*side) && !has(other(*side));
        match (SIDES.into_iter().find(is_missing), row[BASE]) {
            (Some(side), None) => self.new.push((side, *row)),
            (Some(side), Some(_)) => self.gone.push((side, *row)),
            (None, Some(base)) if inside == Inside::Around => {
                let is_base = |side: &usize| row[*side].is_some_and(|own| own.text() == base.text());
                self.gone.extend(SIDES.into_iter().find(is_base).map(|side| (side, *row)));
            }
            _ => {}
        }
    }

    /// What went from one place and came to another on the same side.
    pub(super) fn moved(self) -> Vec<Moved> {
        if self.gone.is_empty() || self.new.is_empty() {
            return Vec::new();
        }
        let new = self.new_places();
        self.gone.iter().filter_map(|(kept_by, row)| moved(other(*kept_by), row, &new)).collect()
    }

    /// Where each side has collections that are new.
    fn new_places(&self) -> Places {
        let mut places = Places::new();
        for (side, row) in &self.new {
            let found = row[*side].into_iter().flat_map(|thing| collections(thing.value));
            places.extend(found.map(|value| ((*side, value.digest()), value.full_span().start)));
        }
        places
    }
}

/// The first collection in a row that a side has elsewhere, and the result not in the row.
fn moved(by: usize, row: &Row<Thing<'_>>, new: &Places) -> Option<Moved> {
    let found = collections(row[BASE]?.value).into_iter().map(Node::digest);
    let found: Vec<(u64, u32)> = found.filter_map(|digest| Some((digest, *new.get(&(by, digest))?))).collect();
    if found.is_empty() {
        return None;
    }
    let left = row[RESULT].into_iter().flat_map(|thing| collections(thing.value));
    let left: HashSet<u64> = left.map(Node::digest).collect();
    let (_, now) = found.into_iter().find(|(digest, _)| !left.contains(digest))?;
    let mut at = row.map(|thing| Some(thing?.start));
    at[by] = Some(now);
    Some(Moved { by, at })
}

/// The collections in a value that hold several values.
fn collections(value: Node<'_>) -> Vec<Node<'_>> {
    let (mut open, mut found) = (vec![value], Vec::new());
    while let Some(node) = open.pop() {
        if holds_several(node) {
            found.push(node);
            open.extend(node.entries().map(Entry::value));
        }
    }
    found
}

/// Whether there are two scalars at least in a collection.
pub(crate) fn holds_several(collection: Node<'_>) -> bool {
    let mut open = vec![collection];
    let mut scalars = 0;
    while scalars < 2
        && let Some(node) = open.pop()
    {
        for child in node.entries().map(Entry::value).take(2) {
            if child.kind().is_collection() { open.push(child) } else { scalars += 1 }
        }
    }
    scalars > 1
}
