//! What one side moved to another collection, and the result has at neither place.
//!
//! To the facts these are a removal, which may be in no conflict, and an addition, which may be in one. If a person chooses the other
//! side there, what all sides have would be nowhere. Ignores what holds one value only: it may as well be some other's.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Entry, Node};

use super::margin::Inside;
use super::rows::{BASE, RESULT, Row, SIDES, Thing, other};
use crate::correspond::Sketch;

/// Something that the result has nowhere.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moved {
    /// The side that moved it.
    pub(super) by: usize,
    /// Where it was in the base and on the other side, and where it is on this side.
    pub(super) at: Row<u32>,
}

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
        let only = SIDES.into_iter().find(|side| has(*side) && !has(other(*side)));
        match (only.filter(|_| !has(RESULT)), row[BASE]) {
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
        let mut new: HashMap<(usize, Sketch<'t>), u32> = HashMap::new();
        for (side, row) in &self.new {
            let found = row[*side].into_iter().flat_map(|thing| collections(thing.value));
            new.extend(found.map(|value| ((*side, Sketch::of(value)), value.full_span().start)));
        }
        let moved = |(kept_by, row): &(usize, Row<Thing<'t>>)| {
            let by = other(*kept_by);
            let now = |value: Node<'t>| new.get(&(by, Sketch::of(value))).copied();
            let left: HashSet<Sketch<'t>> =
                row[RESULT].into_iter().flat_map(|thing| collections(thing.value)).map(Sketch::of).collect();
            let is_gone = |value: &Node<'t>| !left.contains(&Sketch::of(*value));
            let first = collections(row[BASE]?.value).into_iter().filter(is_gone).find_map(now)?;
            let mut at = row.map(|thing| Some(thing?.start));
            at[by] = Some(first);
            Some(Moved { by, at })
        };
        self.gone.iter().filter_map(moved).collect()
    }
}

/// The collections in a value that hold several values.
fn collections(value: Node<'_>) -> Vec<Node<'_>> {
    let (mut open, mut found) = (vec![value], Vec::new());
    while let Some(node) = open.pop() {
        if Sketch::of(node).parts().len() > 1 {
            found.push(node);
            open.extend(node.entries().map(Entry::value));
        }
    }
    found
}
