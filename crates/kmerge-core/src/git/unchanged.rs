//! What base, ours and theirs have alike at the same place: whoever looks for what went, came or moved need not read it.
//!
//! Invariant: a value is left out of all three trees or of none, so that how much more often something stands in one of them stays the
//! same. Ignores what is alike at other places.

use hashbrown::HashSet;
use kyaml_ast::{Entry, Node, NodeId, Stream};

use crate::documents::pair_documents;
use crate::equal::same_but_columns;
use crate::slots::Slots;

/// So deep, values are compared: with each level they are read once more.
const DEEPEST: usize = 64;

/// The same entry, as base, ours and theirs have it.
type Row<'t> = [Entry<'t>; 3];

/// A document that both sides changed, in base, ours and theirs.
pub(super) struct Changed<'t> {
    pub(super) roots: [Node<'t>; 3],
    /// Values that need not be read.
    pub(super) unchanged: [HashSet<NodeId>; 3],
}

/// The documents that both sides changed.
pub(super) fn changed_by_both<'t>(sides: &'t Slots<Stream<'t>>) -> Vec<Changed<'t>> {
    let rows = pair_documents(&sides.as_ref()).aligned.rows.into_iter();
    let roots = rows.filter_map(|row| Some([row.base?.root()?, row.dest?.root()?, row.incoming?.root()?]));
    let differ = |roots: &[Node<'_>; 3]| {
        let [base, ours, theirs] = roots.map(Node::text);
        base != ours && base != theirs && ours != theirs
    };
    roots.filter(differ).map(|roots| Changed { roots, unchanged: unchanged(roots) }).collect()
}

/// The values that are the same in three trees.
fn unchanged(roots: [Node<'_>; 3]) -> [HashSet<NodeId>; 3] {
    let mut unchanged: [HashSet<NodeId>; 3] = Default::default();
    let mut open = vec![(roots, 0)];
    while let Some((nodes, depth)) = open.pop() {
        for row in rows(nodes) {
            if is_same(&row) {
                row.iter().zip(&mut unchanged).for_each(|(entry, found)| _ = found.insert(entry.value().id()));
            } else if depth < DEEPEST {
                open.push((row.map(Entry::value), depth + 1));
            }
        }
    }
    unchanged
}

/// The entries of three nodes that stand at one place from the start, or from the end, and have one key.
fn rows(nodes: [Node<'_>; 3]) -> Vec<Row<'_>> {
    let entries = nodes.map(|node| node.entries().collect::<Vec<_>>());
    let shortest = entries.iter().map(Vec::len).min().unwrap_or_default();
    let from_start = |at: usize| entries.each_ref().map(|list| list[at]);
    let from_end = |at: usize| entries.each_ref().map(|list| list[list.len() - 1 - at]);
    let head = (0..shortest).map(from_start).take_while(have_one_key).count();
    let tail = (0..shortest - head).map(from_end).take_while(have_one_key).count();
    (0..head).map(from_start).chain((0..tail).map(from_end)).collect()
}

fn have_one_key(row: &Row<'_>) -> bool {
    let [base, ours, theirs] = row.map(|entry| entry.key().map(Node::text));
    base == ours && base == theirs
}

fn is_same(row: &Row<'_>) -> bool {
    let [base, ours, theirs] = row.map(Entry::value);
    same_but_columns(base, theirs) && same_but_columns(base, ours)
}
