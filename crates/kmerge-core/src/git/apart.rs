//! Finds the entries that base, ours and theirs do not all have under one name in one place. A search for what went, came or moved reads
//! only these.
//!
//! Invariant: an entry that is left out is in all three trees. So if something stands more often in one tree than in another, it still
//! does. Ignores what is alike at other places.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Document, Entry, Node, NodeId, Stream};

use crate::correspond::{field_name, title};
use crate::documents::pair_documents;
use crate::equal::same_but_columns;
use crate::proof::{PathHash, alike_ends, element_name, longer};
use crate::slots::Slots;

/// So deep, values are compared: with each level they are read once more.
const DEEPEST: usize = 64;

/// A collection, and the entries that one side at least does not have in the same place under the same name.
pub(super) struct Apart<'t> {
    /// Where the collection is.
    pub(super) way: PathHash,
    pub(super) holders: [Node<'t>; 3],
    pub(super) entries: [Vec<Entry<'t>>; 3],
    /// The entries that all have at one place under one name, but that may not be one thing: values of which one at least is a scalar,
    /// and elements without a name.
    pub(super) unsure: [Vec<Entry<'t>>; 3],
    /// Whether the collection is inside such an element.
    pub(super) is_unsure: bool,
}

/// What stands apart in each document that both sides changed.
pub(super) fn changed_by_both<'t>(sides: &'t Slots<Stream<'t>>) -> Vec<Vec<Apart<'t>>> {
    let rows = pair_documents(&sides.as_ref()).aligned.rows.into_iter();
    let documents = rows.filter_map(|row| Some([row.base?, row.dest?, row.incoming?]));
    let differ = |documents: &[Document<'_>; 3]| {
        let [base, ours, theirs] = documents.map(Document::text);
        base != ours && base != theirs && ours != theirs
    };
    let roots = |[base, ours, theirs]: [Document<'t>; 3]| Some([base.root()?, ours.root()?, theirs.root()?]);
    (0..).zip(documents.filter(differ).filter_map(roots)).map(|(number, roots)| apart(roots, number)).collect()
}

/// All that does not stand in one place in three trees; the way to their roots is given.
fn apart<'t>(roots: [Node<'t>; 3], way: PathHash) -> Vec<Apart<'t>> {
    let mut found = Vec::new();
    let mut open = vec![(Apart::of(roots, way, false), 0)];
    while let Some((mut part, depth)) = open.pop() {
        let rows = if depth < DEEPEST { leave_out_ends(&mut part.entries) } else { Vec::new() };
        for row in rows {
            open.extend(part.add_row(row).map(|inner| (inner, depth + 1)));
        }
        if part.entries.iter().all(|left| !left.is_empty()) {
            leave_out_same(&mut part.entries);
        }
        if part.entries.iter().chain(&part.unsure).any(|entries| !entries.is_empty()) {
            found.push(part);
        }
    }
    found
}

impl<'t> Apart<'t> {
    /// All entries of a collection.
    fn of(holders: [Node<'t>; 3], way: PathHash, is_unsure: bool) -> Self {
        let entries = holders.map(|holder| holder.entries().collect());
        Self { way, holders, entries, unsure: Default::default(), is_unsure }
    }

    /// Adds entries that have one place and one name. Returns what is inside, if that is not the same.
    fn add_row(&mut self, row: [Entry<'t>; 3]) -> Option<Self> {
        let values = row.map(Entry::value);
        let is_same = is_same(values);
        if !values.iter().all(|value| value.kind().is_collection()) {
            if !is_same {
                self.add_unsure(row);
            }
            return None;
        }
        let name = name(row[0]);
        if name.is_empty() {
            self.add_unsure(row);
        }
        let is_unsure = self.is_unsure || name.is_empty();
        (!is_same).then(|| Self::of(values, longer(self.way, &name), is_unsure))
    }

    fn add_unsure(&mut self, row: [Entry<'t>; 3]) {
        self.unsure.iter_mut().zip(row).for_each(|(side, entry)| side.push(entry));
    }

    /// Whether there is more than scalars that changed where they are.
    pub(super) fn may_have_moved(&self) -> bool {
        let is_collection = |entry: &Entry<'_>| entry.value().kind().is_collection();
        self.entries.iter().any(|entries| !entries.is_empty()) || self.unsure.iter().flatten().any(is_collection)
    }
}

/// Drops the entries at the start and at the end that have one name in all trees. Returns their rows.
fn leave_out_ends<'t>(left: &mut [Vec<Entry<'t>>; 3]) -> Vec<[Entry<'t>; 3]> {
    let counts = left.each_ref().map(Vec::len);
    let row = |at: [usize; 3]| [0, 1, 2].map(|side| left[side][at[side]]);
    let [head, tail] = alike_ends(counts, |at| have_one_name(&row(at)));
    let ends = (0..head).map(|at| [at; 3]).chain((0..tail).map(|at| counts.map(|count| count - 1 - at)));
    let rows = ends.map(row).collect();
    for left in left {
        left.truncate(left.len() - tail);
        left.drain(..head);
    }
    rows
}

/// Drops the entries that are the same under one name, in whatever order.
fn leave_out_same(left: &mut [Vec<Entry<'_>>; 3]) {
    let [in_ours, in_theirs] = [1, 2].map(|side| by_name(&left[side]));
    let mut same: [HashSet<NodeId>; 3] = Default::default();
    for entry in &left[0] {
        let name = name(*entry);
        let (Some(ours), Some(theirs)) = (in_ours.get(&name), in_theirs.get(&name)) else { continue };
        let row = [*entry, *ours, *theirs];
        let values = row.map(Entry::value);
        if have_one_name(&row) && is_same(values) && !same[1].contains(&values[1].id()) {
            same.iter_mut().zip(values).for_each(|(same, value)| _ = same.insert(value.id()));
        }
    }
    for (left, same) in left.iter_mut().zip(same) {
        left.retain(|entry| !same.contains(&entry.value().id()));
    }
}

/// The entries that have a name; of several with one name, the last.
fn by_name<'t>(entries: &[Entry<'t>]) -> HashMap<String, Entry<'t>> {
    let named = entries.iter().map(|entry| (name(*entry), *entry));
    named.filter(|(name, _)| !name.is_empty()).collect()
}

/// What an entry is called; nothing for an element without a name.
pub(super) fn name(entry: Entry<'_>) -> String {
    if entry.key().is_some() { field_name(entry) } else { element_name(entry.value()).unwrap_or_default() }
}

/// The name of an entry. An element without one is called by its title, if it has one.
pub(super) fn called(entry: Entry<'_>) -> String {
    let name = name(entry);
    if !name.is_empty() || entry.key().is_some() {
        return name;
    }
    title(entry.value()).map(|title| title.to_string()).unwrap_or_default()
}

fn have_one_name(row: &[Entry<'_>; 3]) -> bool {
    let is_one_key = |pair: &[Entry<'_>]| pair[0].key().map(Node::text) == pair[1].key().map(Node::text);
    let is_one_name = |pair: &[Entry<'_>]| pair[0].key().is_some() || name(pair[0]) == name(pair[1]);
    row.windows(2).all(is_one_key) && row.windows(2).all(is_one_name)
}

fn is_same([base, ours, theirs]: [Node<'_>; 3]) -> bool {
    same_but_columns(base, theirs) && same_but_columns(base, ours)
}
