//! What one side removed and a result has as the other side changed it, found with the plan that merges the side once more.
//!
//! A comparison of values takes the removed thing for gone, and the changed one for an addition; only the place tells that they are one.
//! Ignores what the side may have renamed, and elements that only their place in a list tells apart: one is easily taken for another.

use std::collections::HashSet;

use kyaml_ast::{Document, Entry, Node, Path, Segment, Span, Stream};

use crate::align::field_name;
use crate::digest::Digests;
use crate::likeness::{LITTLE, Sketch};
use crate::plan::{Conflict, Plan, Role, Variant};
use crate::resource::Resource;

/// Whether a plan that merges `side` into a result finds there what the side removed from `base`, changed.
pub(super) fn is_back(plan: &Plan, base: &Stream<'_>, side: &Stream<'_>) -> bool {
    plan.conflicts.iter().any(|conflict| is_of_removed(conflict, base, side))
}

fn is_of_removed(conflict: &Conflict, base: &Stream<'_>, side: &Stream<'_>) -> bool {
    let (true, Some(span)) =
        (conflict.role == Role::Value && conflict.incoming == Variant::Absent, conflict.spans.base)
    else {
        return false;
    };
    let Some((holder, Segment::Field(_) | Segment::Key(_))) = conflict.path.split_last() else { return false };
    // What the result has at this path may have been taken for the base's under a new name.
    let root = base.documents().find(|document| document.span().contains(span)).and_then(Document::root);
    let Some((root, gone)) = root.and_then(|root| Some((root, at(&conflict.path, root, span)?))) else { return false };
    let known = holder.find(root).ok().map(|found| found.node);
    let left = counterpart(root, side).and_then(|root| holder.find(root).ok()).map(|found| found.node);
    known.zip(left).is_some_and(|(known, left)| !may_be_renamed(gone, known, left))
}

/// The entry of a span, if the path leads there.
fn at<'t>(path: &Path, root: Node<'t>, span: Span) -> Option<Entry<'t>> {
    path.find(root).ok().and_then(|found| found.entry).filter(|entry| entry.extent().contains(span))
}

/// The root of a side's document that is the base's.
fn counterpart<'t>(root: Node<'_>, side: &'t Stream<'_>) -> Option<Node<'t>> {
    let id = Resource::of_node(root).map(|resource| resource.id);
    let mut alike = side.documents().filter_map(Document::root);
    let mut alike = alike.by_ref().filter(|root| Resource::of_node(*root).map(|resource| resource.id) == id);
    alike.next().filter(|_| alike.next().is_none())
}

/// Whether a collection has anew what an entry of its older version could have become.
fn may_be_renamed(gone: Entry<'_>, known: Node<'_>, left: Node<'_>) -> bool {
    let name = |entry: Entry<'_>| match entry.key() {
        Some(_) => Err(field_name(entry)),
        None => Ok(entry.value().digest()),
    };
    let names: HashSet<_> = known.entries().map(name).collect();
    let gone = Sketch::of(gone.value(), &Digests);
    let mut fresh = left.entries().filter(|entry| !names.contains(&name(*entry)));
    fresh.any(|entry| gone.likeness(&Sketch::of(entry.value(), &Digests)) >= LITTLE)
}
