//! Items on their way out of their list: what they refer to there by an alias comes along as a copy, unless the list that
//! they come to has an anchor of that name.

use std::collections::HashSet;

use kyaml_ast::{Content, Document, Edit, Graft, Node, SpliceError, Stream, StreamId, splice};

use super::alone::{Alone, alone, node_alone, parse};
use super::lists::item_entries;
use super::trees::{Trees, UnitRef};
use crate::MergeError;

/// The node of a unit, at a column, as it means the same in another list, or in none.
pub(super) fn leaving(
    trees: &Trees<'_>,
    unit: UnitRef,
    to: Option<UnitRef>,
    indent: usize,
) -> Result<Alone, MergeError> {
    let own = node_alone(trees, unit, indent);
    let list = trees.list_of(unit).filter(|list| own.text.contains('*') && Some(*list) != to);
    let (from, to) = (list.map(|list| alone(trees, list)), list.and(to).map(|to| alone(trees, to)));
    let (Some(stream), Some(index)) = (parse(&from)?, trees.unit(unit).item) else { return Ok(own) };
    let entries = item_entries(&stream);
    let Some(entry) = entries.get(index as usize) else { return Ok(own) };
    if is_understood(entry.value(), parse(&to)?.as_ref()) {
        return Ok(own);
    }
    let place = Stream::parse("0\n").map_err(SpliceError::from)?;
    let Some(root) = place.documents().next().and_then(Document::root) else { return Ok(own) };
    let content = Content::Value(Graft::new(StreamId(1), entry.id()));
    let text = splice(&[&place, &stream], StreamId(0), &[Edit::ReplaceRoot { root: root.id(), content }])?;
    Ok(own.with_text_at(&text, indent))
}

/// Whether an item itself or the list that it comes to has all anchors that it needs.
fn is_understood(item: Node<'_>, target: Option<&Stream<'_>>) -> bool {
    let mut known = anchors(item);
    known.extend(target.into_iter().flat_map(Stream::documents).filter_map(Document::root).flat_map(anchors));
    nodes(item).filter_map(Node::alias).all(|alias| known.contains(alias))
}

fn anchors(node: Node<'_>) -> HashSet<&str> {
    nodes(node).filter_map(Node::anchor).collect()
}

/// A node and all below it.
fn nodes(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    let mut open = vec![node];
    std::iter::from_fn(move || {
        let node = open.pop()?;
        open.extend(node.children());
        Some(node)
    })
}
