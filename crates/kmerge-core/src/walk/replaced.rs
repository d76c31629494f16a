//! Members of a set that both sides replaced: `base?ref=1` by `base?ref=2` here and `base?ref=3` there.
//!
//! To a union these are two additions. Where a member went from both sides, and each has new ones in its place, the first of them
//! are its successors, in order: one row, of which the value is decided as any other. What stands in which place is told by the
//! members that all sides have.

use std::collections::HashMap;

use kyaml_ast::{Entry, EntryId, Node};

use crate::correspond::Aligned;
use crate::slots::{Side, Slots};

/// Joins the rows of members that took the place of the same one.
pub(super) fn join(aligned: &mut Aligned, nodes: &Slots<Node<'_>>) {
    let Some(base) = nodes.base else { return };
    if aligned.rows.iter().filter(|row| row.base.is_some()).count() == base.entries().count() {
        return;
    }
    let rows = |side: Side| -> HashMap<EntryId, usize> {
        let rows = aligned.rows.iter().enumerate();
        rows.filter_map(|(index, row)| Some((*row.get(side)?, index))).collect()
    };
    let is_common = |row: usize| aligned.rows[row].present().count() == Side::ALL.len();
    let by_place = |side: Side| -> HashMap<Option<usize>, Vec<(EntryId, Option<usize>)>> {
        let rows = rows(side);
        let mut places: HashMap<Option<usize>, Vec<(EntryId, Option<usize>)>> = HashMap::new();
        let mut place = None;
        for entry in nodes.get(side).into_iter().flat_map(|list| list.entries()).map(Entry::id) {
            match rows.get(&entry).copied() {
                Some(row) if is_common(row) => place = Some(row),
                row => places.entry(place).or_default().push((entry, row)),
            }
        }
        places
    };
    let [ours, was, theirs] = [Side::Dest, Side::Base, Side::Incoming].map(by_place);
    let is_alone = |row: &usize| aligned.rows[*row].present().count() == 1;
    let new = |of: &HashMap<Option<usize>, Vec<(EntryId, Option<usize>)>>, place: &Option<usize>| -> Vec<usize> {
        of.get(place).into_iter().flatten().filter_map(|(_, row)| *row).filter(is_alone).collect()
    };
    let mut joined = Vec::new();
    for (place, gone) in &was {
        let gone = gone.iter().filter(|(_, row)| row.is_none()).map(|(entry, _)| *entry);
        let both = new(&ours, place).into_iter().zip(new(&theirs, place));
        joined.extend(gone.zip(both));
    }
    let mut merged = HashMap::new();
    for (entry, (ours, theirs)) in joined {
        let incoming = aligned.rows[theirs].incoming;
        aligned.rows[ours] = Slots { base: Some(entry), incoming, ..aligned.rows[ours] };
        merged.insert(theirs, ours);
    }
    aligned.drop_rows(&merged);
}
