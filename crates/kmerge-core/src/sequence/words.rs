//! Lists of words and records: scalars and mappings that are told apart by what they are, and of which each stands once.
//!
//! Of such a list nobody reads the places, so that what both sides put at one place stands there one after the other. Where one
//! scalar begins with `-`, or more than a few stand twice, the list is something else: options with their values, say. A few do
//! by mistake, in a long list. Nor is it so where the schema says that elements take turns; mappings need to know that they do not.

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
