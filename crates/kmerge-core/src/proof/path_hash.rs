//! Ways from the root of a stream to what stands in it, as hashes: for comparing places of several streams.

use kyaml_ast::Node;

use crate::resource::field;

use super::names::hash;

/// Hash of a way.
pub(crate) type PathHash = u64;

/// The way to a field, or to an element, of the node at the end of another.
pub(crate) fn longer(way: PathHash, name: &str) -> PathHash {
    hash(&(way, name))
}

/// What an element of a list is called, if it has a name.
pub(crate) fn element_name(element: Node<'_>) -> Option<String> {
    let name = field(element, "name").filter(|name| name.kind().is_scalar());
    name.map(|name| name.value().into_owned())
}
