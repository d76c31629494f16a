//! Lists of words and records: scalars or mappings that say what they are by themselves, each of which stands once.
//!
//! In such a list places mean nothing, so what both sides put at one place stands there one after the other. A list with a scalar
//! that begins with `-` is something else (options with their values, say), and so is one in which more than a few elements stand
//! twice. The schema decides first: where elements take turns, they are no words. Mappings are words only where it says that places
//! mean nothing.

use super::{List, Lists};
use crate::schema::Places;
use hashbrown::HashSet;
use kyaml_ast::{Kind, Node};

/// Whether the lists are such ones on all sides.
pub(super) fn are_words(lists: &Lists<'_>, places: Places) -> bool {
    let is_word = |node: &Node<'_>| match node.kind() {
        Kind::Mapping => places == Places::Free,
        Kind::Sequence => false,
        _ => !node.value().starts_with('-'),
    };
    let are_words = |list: &List<'_>| list.nodes.iter().all(is_word) && is_each_once(list);
    places != Places::Count && [&lists.dest, &lists.base, &lists.incoming].into_iter().all(are_words)
}

/// Of so many elements one may stand twice.
const MANY: usize = 10;

fn is_each_once(list: &List<'_>) -> bool {
    let different: HashSet<_> = list.tokens.iter().collect();
    (list.tokens.len() - different.len()) * MANY <= list.tokens.len()
}
