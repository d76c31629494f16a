//! Random edits: variants of a stream, and triples of base, dest and incoming for merges.
//!
//! An edit touches one place of the model, so that the text changes there and nowhere else. Variants of a valid stream
//! are valid: no duplicate keys beyond those that were there, no alias without its anchor.

mod entry;
mod layout;
mod value;

use crate::manifest::{manifest, manifest_stream};
use crate::model::{Content, Document, Entry, Form, Layout, Node, Stream};
use crate::random::random_stream;
use crate::rng::Rng;

/// What an edit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// A scalar has another text, or gave way to a node of another kind.
    Value,
    /// A field or item was added.
    Insert,
    /// A field or item was removed.
    Remove,
    /// Two entries changed places.
    Reorder,
    /// A comment above an entry was added, changed or removed.
    LeadComment,
    /// A comment behind an entry was added, changed or removed.
    TrailComment,
    /// A blank line was added or removed above an entry.
    BlankLine,
    /// A scalar has other quotes.
    Requote,
    /// A collection has another indentation.
    Reindent,
    /// A collection went from block to flow style or back.
    Reform,
    /// A document was added, removed or moved.
    Documents,
}

/// Three versions of one stream.
#[derive(Clone, Debug)]
pub struct Triple {
    /// The common ancestor.
    pub base: Stream,
    /// One side's version.
    pub dest: Stream,
    /// The other side's version.
    pub incoming: Stream,
    /// The edits that both sides made alike, those of dest alone, and those of incoming alone.
    pub changes: [Vec<Change>; 3],
}

/// A triple of manifests: a stream of `documents`, edited `edits` times on each side.
#[must_use]
pub fn manifest_triple(seed: u64, documents: usize, edits: usize) -> Triple {
    triple(manifest_stream(seed, documents), seed, edits)
}

/// A triple of arbitrary YAML: a stream of about `nodes` nodes, edited `edits` times on each side.
///
/// ```
/// let triple = kmerge_testgen::random_triple(3, 30, 2);
/// assert_eq!(triple.changes[1].len(), 2);
/// ```
#[must_use]
pub fn random_triple(seed: u64, nodes: usize, edits: usize) -> Triple {
    triple(random_stream(seed, nodes), seed, edits)
}

fn triple(base: Stream, seed: u64, edits: usize) -> Triple {
    let mut rng = Rng::new(!seed);
    let shared = if rng.chance(25) { rng.between(1, 2) } else { 0 };
    let (common, alike) = base.vary(&mut rng, shared);
    let (dest, ours) = common.vary(&mut rng, edits);
    let (incoming, theirs) = common.vary(&mut rng, edits);
    Triple { base, dest, incoming, changes: [alike, ours, theirs] }
}

impl Stream {
    /// A copy with `edits` random edits, and what they did.
    #[must_use]
    pub fn vary(&self, rng: &mut Rng, edits: usize) -> (Self, Vec<Change>) {
        let mut copy = self.clone();
        let mut changes = Vec::with_capacity(edits);
        while changes.len() < edits {
            changes.push(edit(&mut copy, rng));
        }
        copy.settle_markers();
        (copy, changes)
    }
}

/// Attempts at other edits before a document is added, which is always possible.
const ATTEMPTS: usize = 50;

fn edit(stream: &mut Stream, rng: &mut Rng) -> Change {
    for _ in 0..ATTEMPTS {
        let done = if rng.chance(4) { documents(stream, rng) } else { inside(stream, rng) };
        if let Some(change) = done {
            return change;
        }
    }
    add_document(stream, rng)
}

fn documents(stream: &mut Stream, rng: &mut Rng) -> Option<Change> {
    let count = stream.documents.len();
    match rng.below(3) {
        0 => return Some(add_document(stream, rng)),
        1 if count > 1 => {
            stream.documents.remove(rng.below(count));
        }
        2 if count > 1 => stream.documents.swap(0, rng.between(1, count - 1)),
        _ => return None,
    }
    Some(Change::Documents)
}

fn add_document(stream: &mut Stream, rng: &mut Rng) -> Change {
    let document = Document { start: true, root: manifest(rng), ..Document::default() };
    stream.documents.insert(rng.below(stream.documents.len() + 1), document);
    Change::Documents
}

/// A collection to edit, taken apart.
struct Target<'n> {
    entries: &'n mut Vec<Entry>,
    layout: &'n mut Layout,
    is_mapping: bool,
    /// Whether it stands inside a flow collection.
    in_flow: bool,
}

fn inside(stream: &mut Stream, rng: &mut Rng) -> Option<Change> {
    let count = stream.documents.len();
    let document = stream.documents.get_mut(rng.below(count))?;
    let mut wanted = rng.below(collections(&document.root));
    let mut target = nth_collection(&mut document.root, &mut wanted, false)?;
    match rng.below(16) {
        0..=4 => value::change(&mut target, rng).then_some(Change::Value),
        5..=6 => entry::insert(&mut target, rng).then_some(Change::Insert),
        7..=8 => entry::remove(&mut target, rng).then_some(Change::Remove),
        9 => entry::reorder(&mut target, rng).then_some(Change::Reorder),
        10 => layout::lead_comment(&mut target, rng).then_some(Change::LeadComment),
        11 => layout::trail_comment(&mut target, rng).then_some(Change::TrailComment),
        12 => layout::blank_line(&mut target, rng).then_some(Change::BlankLine),
        13 => layout::requote(&mut target, rng).then_some(Change::Requote),
        14 => layout::reindent(&mut target, rng).then_some(Change::Reindent),
        _ => layout::reform(&mut target, rng).then_some(Change::Reform),
    }
}

/// Changes a value, or adds an entry, in some collection of a node; false where that did not come about.
pub(crate) fn change_inside(node: &mut Node, rng: &mut Rng) -> bool {
    (0..ATTEMPTS).any(|_| {
        let mut wanted = rng.below(collections(node));
        let Some(mut target) = nth_collection(node, &mut wanted, false) else { return false };
        if rng.chance(80) { value::change(&mut target, rng) } else { entry::insert(&mut target, rng) }
    })
}

fn collections(node: &Node) -> usize {
    match &node.content {
        Content::Mapping(entries, _) | Content::Sequence(entries, _) => {
            1 + entries.iter().map(|entry| collections(&entry.value)).sum::<usize>()
        }
        _ => 0,
    }
}

/// The collection before which `wanted` others stand, in pre-order.
fn nth_collection<'n>(node: &'n mut Node, wanted: &mut usize, in_flow: bool) -> Option<Target<'n>> {
    let is_mapping = matches!(node.content, Content::Mapping(..));
    let (Content::Mapping(entries, layout) | Content::Sequence(entries, layout)) = &mut node.content else {
        return None;
    };
    if *wanted == 0 {
        return Some(Target { entries, layout, is_mapping, in_flow });
    }
    *wanted -= 1;
    let in_flow = in_flow || layout.form != Form::Block;
    entries.iter_mut().find_map(|entry| nth_collection(&mut entry.value, wanted, in_flow))
}

/// Whether an anchor or alias stands in the entry, so that it has to stay where it is.
fn has_references(entry: &Entry) -> bool {
    node_has_references(&entry.value) || entry.key.as_ref().is_some_and(|key| node_has_references(&key.node))
}

fn node_has_references(node: &Node) -> bool {
    node.anchor.is_some()
        || match &node.content {
            Content::Alias(_) => true,
            Content::Mapping(entries, _) | Content::Sequence(entries, _) => entries.iter().any(has_references),
            Content::Empty | Content::Scalar(_) => false,
        }
}
