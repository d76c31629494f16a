//! Takes out of a new subtree what is an order and no data: explicit nulls and patch directives.

use kyaml_ast::{Edit, Kind, Node};

use crate::equal::is_null;
use crate::overlay::{Directive, Overlay};
use crate::policy::Nulls;

/// Edits that free `node`, on its way into a place that has nothing yet, of nulls and directives.
pub(super) fn prune(node: Node<'_>, overlay: &Overlay, nulls: Nulls) -> Vec<Edit> {
    let mut edits = Vec::new();
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        for entry in node.entries() {
            let value = entry.value();
            let is_order = overlay.is_hidden(entry.id())
                || overlay.directive(value.id()) == Some(Directive::Delete)
                || (node.kind() == Kind::Mapping && nulls == Nulls::Clear && is_null(value));
            if is_order {
                edits.push(Edit::Remove { entry: entry.id() });
            } else if value.kind().is_collection() {
                open.push(value);
            }
        }
    }
    edits
}
