//! Lists of words: scalars that are told apart by what they are, and of which each stands once.
//!
//! Of such a list nobody reads the places, so that what both sides put at one place stands there one after the other. Where one
//! element begins with `-`, or more than a few stand twice, the list is something else: options with their values, say. A few do
//! by mistake, in a long list.

use super::{List, Lists};
use hashbrown::HashSet;

/// Whether the lists are of words on all sides.
pub(super) fn are_words(lists: &Lists<'_>) -> bool {
    [&lists.dest, &lists.base, &lists.incoming].into_iter().all(are_words_of)
}

/// Of so many elements one may stand twice.
const MANY: usize = 10;

fn are_words_of(list: &List<'_>) -> bool {
    let is_word = |node: &kyaml_ast::Node<'_>| node.kind().is_scalar() && !node.value().starts_with('-');
    let different: HashSet<_> = list.tokens.iter().collect();
    list.nodes.iter().all(is_word) && (list.tokens.len() - different.len()) * MANY <= list.tokens.len()
}
