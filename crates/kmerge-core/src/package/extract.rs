//! Items on their way out of their list: what they refer to there by an alias comes along as a copy, unless the list that
//! they come to has an anchor of that name.

use std::collections::HashSet;

use kyaml_ast::{Content, Document, Edit, Entry, EntryId, Graft, Node, Span, Stream, StreamId, splice};

use super::excerpt::{Excerpt, column, excerpt, node_excerpt, parse};
use super::lists::item_entry;
use super::trees::{Trees, UnitRef};
use crate::MergeError;

/// The node of a unit as it means the same in the place of another one, or on its own.
pub(super) fn extract_item(trees: &Trees<'_>, unit: UnitRef, place: Option<UnitRef>) -> Result<Excerpt, MergeError> {
    let to = place.and_then(|place| trees.list_of(place));
    let indent = place.map_or(0, |place| column(trees, place));
    let own = node_excerpt(trees, unit, indent);
    let leaves = |list: &UnitRef| own.text.contains('*') && Some(*list) != to;
    let Some(list) = trees.list_of(unit).filter(leaves).map(|list| excerpt(trees, list)) else { return Ok(own) };
    let (stream, to) = (Stream::parse(&list.text)?, to.map(|to| excerpt(trees, to)));
    match item_entry(&stream, trees.unit(unit)) {
        Some(item) if !is_understood(item.value(), parse(&to)?.as_ref()) => {
            Ok(own.with_text_at(&without_aliases(&stream, item.id())?, indent))
        }
        _ => Ok(own),
    }
}

/// The text of an item that stands alone, at the left, with the comments that it has in its list; one beside its dash goes above.
pub(super) fn with_comments(text: &str, item: Entry<'_>) -> String {
    let comment = |span: Option<Span>| span.map_or("", |span| span.of(item.stream().source()).trim_end());
    let (lead, trail) = (comment(item.lead()), comment(item.trail()));
    let [above, beside] = if item.value().is_block_collection() { [trail, ""] } else { ["", trail] };
    let lines = lead.lines().chain(above.lines());
    let mut out: String = lines.flat_map(|line| [line.trim(), "\n"]).collect();
    if beside.is_empty() {
        out.push_str(text);
    } else {
        out.extend([text.trim_end(), " ", beside, "\n"]);
    }
    out
}

/// The value of an entry as a document of its own.
fn without_aliases(stream: &Stream<'_>, entry: EntryId) -> Result<String, MergeError> {
    let place = Stream::parse("0\n")?;
    let content = Content::Value(Graft::new(StreamId(1), entry));
    let edit = place.root().map(|root| Edit::ReplaceRoot { root: root.id(), content });
    Ok(splice(&[&place, stream], StreamId(0), edit.as_slice())?)
}

/// Whether an item itself or the list that it comes to has all anchors that it needs.
fn is_understood(item: Node<'_>, target: Option<&Stream<'_>>) -> bool {
    let mut there = anchors(item);
    there.extend(target.into_iter().flat_map(Stream::documents).filter_map(Document::root).flat_map(anchors));
    nodes(item).filter_map(Node::alias).all(|alias| there.contains(alias))
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
