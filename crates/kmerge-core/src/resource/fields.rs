//! Ways through mappings and sequences that only read.
//!
//! Ignored: YAML merge keys and aliases (an alias is a leaf), and duplicate keys (the first one is found).

use kyaml_ast::{Kind, Node};

use super::field;

/// The keys of a mapping with their values; nothing for any other node.
pub(crate) fn fields<'t>(node: Node<'t>) -> impl Iterator<Item = (Node<'t>, Node<'t>)> {
    node.entries().filter_map(|entry| Some((entry.key()?, entry.value())))
}

/// The items of a sequence; nothing for any other node.
pub(crate) fn items<'t>(node: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    (node.kind() == Kind::Sequence).then(|| node.children()).into_iter().flatten()
}

/// The value at the end of a way through mappings.
pub(crate) fn descend<'t>(node: Node<'t>, names: &[&str]) -> Option<Node<'t>> {
    names.iter().try_fold(node, |node, name| field(node, name))
}
