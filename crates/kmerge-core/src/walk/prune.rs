//! Takes out of a new subtree what is an order and no data: explicit nulls and patch directives.

use kyaml_ast::{Document, Edit, Entry, Node, Stream};

use crate::equal::is_null;
use crate::overlay::{Directive, Overlay};
use crate::policy::Nulls;

/// Where the orders of a stream stand.
#[derive(Debug)]
pub(super) struct Orders {
    /// Offsets, ascending.
    starts: Vec<u32>,
}

impl Orders {
    pub(super) fn of(stream: &Stream<'_>, overlay: &Overlay, nulls: Nulls) -> Self {
        let mut starts = Vec::new();
        let mut open: Vec<Node<'_>> = stream.documents().filter_map(Document::root).collect();
        while let Some(node) = open.pop() {
            let orders = node.entries().filter(|entry| is_order(*entry, overlay, nulls));
            starts.extend(orders.map(|entry| entry.span().start));
            open.extend(node.entries().map(Entry::value).filter(|value| value.kind().is_collection()));
        }
        starts.sort_unstable();
        Self { starts }
    }

    /// Whether one stands inside a value.
    pub(super) fn any_in(&self, value: Node<'_>) -> bool {
        let span = value.full_span();
        let first = self.starts.partition_point(|start| *start < span.start);
        self.starts.get(first).is_some_and(|start| *start < span.end)
    }
}

fn is_order(entry: Entry<'_>, overlay: &Overlay, nulls: Nulls) -> bool {
    let value = entry.value();
    overlay.is_hidden(entry.id())
        || overlay.directive(value.id()) == Some(Directive::Delete)
        || (entry.key().is_some() && nulls == Nulls::Clear && is_null(value))
}

/// Edits that free `node`, on its way into a place that has nothing yet, of nulls and directives.
pub(super) fn prune(node: Node<'_>, overlay: &Overlay, nulls: Nulls) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        for entry in node.entries() {
            if is_order(entry, overlay, nulls) {
                edits.push(Edit::Remove { entry: entry.id() });
            } else if entry.value().kind().is_collection() {
                open.push(entry.value());
            }
        }
    }
    edits
}
