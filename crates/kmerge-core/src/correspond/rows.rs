//! Rows: pairs the entries of up to three collections by identity.
//!
//! Invariant: every entry of the destination and of the incoming side is in exactly one row; rows with a destination
//! entry come first, in its order, then the others in the order of the incoming side. An entry that only the base has is
//! in none: both sides dropped it. Equal identities within one side are told apart by their position among each other.

use std::hash::Hash;

use hashbrown::HashMap;
use kyaml_ast::{Entry, EntryId, Node};

use super::identity::Identity;
use crate::overlay::Overlay;
use crate::schema::ElementId;
use crate::slots::{Side, Slots};

/// Rows of aligned entries (or documents).
#[derive(Debug)]
pub(crate) struct Aligned<T = EntryId> {
    pub(crate) rows: Vec<Slots<T>>,
    /// Indices of rows in the order in which the incoming side has them.
    pub(crate) incoming_order: Vec<usize>,
    /// For lists without identity, the place of each row's element: in the base, else where it is.
    pub(crate) places: Vec<usize>,
}

impl<T> Default for Aligned<T> {
    fn default() -> Self {
        Self { rows: Vec::new(), incoming_order: Vec::new(), places: Vec::new() }
    }
}

impl<T> Aligned<T> {
    /// The orders of the sides, in rows.
    pub(crate) fn orders(&self, base: Option<Vec<usize>>) -> Slots<Vec<usize>> {
        let rows = &self.rows;
        let dest = (0..rows.len()).filter(|row| rows[*row].dest.is_some()).collect();
        let incoming = self.incoming_order.iter().copied().filter(|row| rows[*row].incoming.is_some()).collect();
        Slots { dest: Some(dest), base, incoming: Some(incoming) }
    }
}

impl Aligned {
    /// The rows that the base has, in its order.
    pub(crate) fn base_order(&self) -> Vec<usize> {
        let mut rows: Vec<usize> = (0..self.rows.len()).filter(|row| self.rows[*row].base.is_some()).collect();
        rows.sort_by_key(|row| self.rows[*row].base.map(|entry| entry.value));
        rows
    }

    /// Takes what is an order, and no data, out of the rows.
    pub(crate) fn hide(&mut self, overlay: &Overlay) {
        if overlay.is_empty() {
            return;
        }
        for row in &mut self.rows {
            row.incoming = row.incoming.filter(|entry| !overlay.is_hidden(*entry));
        }
    }

    /// Drops rows that are part of others now, given by their indices.
    pub(crate) fn drop_rows(&mut self, merged: &HashMap<usize, usize>) {
        if !merged.is_empty() {
            let numbers = self.retain(|index, _| !merged.contains_key(&index));
            let kept = |row: &usize| numbers[*merged.get(row).unwrap_or(row)];
            self.incoming_order = self.incoming_order.iter().filter_map(kept).collect();
        }
    }

    /// Keeps some rows; returns what their indices are now. Leaves orders to the caller.
    pub(crate) fn retain(&mut self, stays: impl Fn(usize, &Slots<EntryId>) -> bool) -> Vec<Option<usize>> {
        let mut kept = 0..;
        let stays = |(index, row)| if stays(index, row) { kept.next() } else { None };
        let numbers: Vec<Option<usize>> = self.rows.iter().enumerate().map(stays).collect();
        let mut all = numbers.iter();
        self.rows.retain(|_| all.next().is_some_and(Option::is_some));
        numbers
    }

    /// The row of each entry of a side.
    pub(crate) fn rows_of(&self, side: Side) -> HashMap<EntryId, usize> {
        self.rows.iter().enumerate().filter_map(|(row, slots)| Some((*slots.get(side)?, row))).collect()
    }

    /// The gaps of a side.
    pub(crate) fn gaps(&self, side: Side, nodes: &Slots<Node<'_>>) -> Vec<Gap<EntryId>> {
        let entries = nodes.get(side).into_iter().flat_map(|node| node.entries()).map(Entry::id);
        gaps(&self.rows, side, entries, |entry| *entry)
    }

    /// The rows that a side has and the base has not, by the row before their gap.
    pub(crate) fn new_by_place(&self, side: Side, nodes: &Slots<Node<'_>>) -> HashMap<Option<usize>, Vec<usize>> {
        let is_new = |row: &usize| self.rows[*row].base.is_none();
        let new = |gap: &Gap<EntryId>| gap.things.iter().filter_map(|thing| thing.1).filter(is_new).collect();
        self.gaps(side, nodes).iter().map(|gap| (gap.before, new(gap))).collect()
    }

    /// Whether a side kept, or anything took the place of, all that the base has.
    pub(crate) fn has_all_of(&self, base: Node<'_>) -> bool {
        self.rows.iter().filter(|row| row.base.is_some()).count() == base.entries().count()
    }

    /// Whether all sides have all entries, in one order.
    pub(crate) fn is_as_ever(&self) -> bool {
        let is_full = |row: &Slots<EntryId>| row.is_full();
        self.rows.iter().all(is_full)
            && self.incoming_order.is_sorted()
            && self.rows.is_sorted_by_key(|row| row.base.map(|entry| entry.value))
    }
}

/// What a side has between two neighbours among the rows that all sides have.
#[derive(Debug)]
pub(crate) struct Gap<T> {
    /// The row before it.
    pub(crate) before: Option<usize>,
    /// The row behind it.
    pub(crate) behind: Option<usize>,
    /// Each with its row; what has none went from both sides.
    pub(crate) things: Vec<(T, Option<usize>)>,
}

impl<T: Copy> Gap<T> {
    /// What went from both sides, if it is a gap of the base.
    pub(crate) fn gone(&self) -> impl Iterator<Item = T> {
        self.things.iter().filter(|thing| thing.1.is_none()).map(|thing| thing.0)
    }
}

/// The gaps of a side, of which `things` are all.
pub(crate) fn gaps<T, K: Eq + Hash>(
    rows: &[Slots<T>],
    side: Side,
    things: impl Iterator<Item = T>,
    key: impl Fn(&T) -> K,
) -> Vec<Gap<T>> {
    let row_of = rows.iter().enumerate().filter_map(|(row, slots)| Some((key(slots.get(side)?), row)));
    let row_of: HashMap<K, usize> = row_of.collect();
    let (mut gaps, mut open) = (Vec::new(), Gap { before: None, behind: None, things: Vec::new() });
    for thing in things {
        match row_of.get(&key(&thing)).copied() {
            Some(row) if rows[row].is_full() => {
                open.behind = Some(row);
                gaps.push(std::mem::replace(&mut open, Gap { before: Some(row), behind: None, things: Vec::new() }));
            }
            row => open.things.push((thing, row)),
        }
    }
    gaps.push(open);
    gaps
}

/// Aligns the entries of mappings (by key) or of lists (by `identity`).
pub(crate) fn align<'a>(nodes: &Slots<Node<'a>>, identity: Identity<'a>) -> Aligned {
    let mut entries = nodes.map(|node| node.entries().peekable());
    let mut aligned: Aligned = Aligned::default();
    // Most collections have the same entries in the same order on all sides: no table is needed for these.
    if let Slots { dest: Some(dest), base, incoming: Some(incoming) } = &mut entries {
        while let (Some(left), Some(right)) = (dest.peek(), incoming.peek()) {
            let middle = base.as_mut().map(|base| base.peek().copied());
            let same_base = middle.is_none_or(|middle| middle.is_some_and(|middle| identity.same(*left, middle)));
            if !same_base || !identity.same(*left, *right) {
                break;
            }
            let middle = middle.flatten().map(Entry::id);
            aligned.incoming_order.push(aligned.rows.len());
            aligned.rows.push(Slots { dest: Some(left.id()), base: middle, incoming: Some(right.id()) });
            dest.next();
            incoming.next();
            if let Some(base) = base.as_mut() {
                base.next();
            }
        }
    }
    align_rest(&mut aligned, &entries.map(Iterator::collect), identity);
    aligned
}

fn align_rest<'a>(aligned: &mut Aligned, entries: &Slots<Vec<Entry<'a>>>, identity: Identity<'a>) {
    let mut rows: HashMap<(ElementId<'_>, u32), usize> = HashMap::new();
    for side in [Side::Dest, Side::Incoming, Side::Base] {
        let mut seen: HashMap<ElementId<'_>, u32> = HashMap::new();
        for entry in entries.get(side).into_iter().flatten() {
            let id = identity.id(*entry);
            let ordinal = seen.entry(id.clone()).and_modify(|count| *count += 1).or_insert(0);
            let key = (id, *ordinal);
            let row = match (rows.get(&key), side) {
                (Some(&row), _) => row,
                (None, Side::Base) => continue,
                (None, _) => {
                    rows.insert(key, aligned.rows.len());
                    aligned.rows.push(Slots::default());
                    aligned.rows.len() - 1
                }
            };
            aligned.rows[row].set(side, entry.id());
            if side == Side::Incoming {
                aligned.incoming_order.push(row);
            }
        }
    }
}
