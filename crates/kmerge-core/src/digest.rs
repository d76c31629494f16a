//! The digests that streams keep of their values, as an argument.

use kyaml_ast::{Node, Stream};

/// Gives digests of nodes; see [`Node::digest`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Digests;

impl Digests {
    /// Those of one stream.
    pub(crate) const fn of(_: &Stream<'_>) -> Self {
        Self
    }

    /// The digest of a node.
    pub(crate) fn of_node(&self, node: Node<'_>) -> u64 {
        node.digest()
    }
}
