//! Rows: pairs the entries of up to three collections by identity.
//!
//! Invariant: every entry of the destination and of the incoming side is in exactly one row; rows with a destination
//! entry come first, in its order, then the others in the order of the incoming side. An entry that only the base has is
//! in none: both sides dropped it. Equal identities within one side are told apart by their position among each other.

use std::collections::HashMap;

use kyaml_ast::{Entry, EntryId, Node};

use super::identity::Identity;
use crate::overlay::Overlay;
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
        if merged.is_empty() {
            return;
        }
        let mut numbers = Vec::with_capacity(self.rows.len());
        let mut rows = Vec::with_capacity(self.rows.len());
        for (index, row) in std::mem::take(&mut self.rows).into_iter().enumerate() {
            numbers.push(rows.len());
            if !merged.contains_key(&index) {
                rows.push(row);
            }
        }
        self.rows = rows;
        for row in &mut self.incoming_order {
            *row = numbers[merged.get(row).copied().unwrap_or(*row)];
        }
    }

    /// Whether all sides have all entries, in one order.
    pub(crate) fn is_as_ever(&self) -> bool {
        let is_full = |row: &Slots<EntryId>| row.present().count() == Side::ALL.len();
        self.rows.iter().all(is_full)
            && self.incoming_order.is_sorted()
            && self.rows.is_sorted_by_key(|row| row.base.map(|entry| entry.value))
    }
}

/// Aligns the entries of mappings (by key) or of lists (by `identity`).
pub(crate) fn align(nodes: &Slots<Node<'_>>, identity: Identity<'_>) -> Aligned {
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

fn align_rest(aligned: &mut Aligned, entries: &Slots<Vec<Entry<'_>>>, identity: Identity<'_>) {
    let mut rows: HashMap<(String, u32), usize> = HashMap::new();
    for side in [Side::Dest, Side::Incoming, Side::Base] {
        let mut seen: HashMap<String, u32> = HashMap::new();
        for entry in entries.get(side).into_iter().flatten() {
            let name = identity.of(*entry);
            let ordinal = seen.entry(name.clone()).and_modify(|count| *count += 1).or_insert(0);
            let key = (name, *ordinal);
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
