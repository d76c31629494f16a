//! Lists of words and records: scalars or mappings that say what they are by themselves, each of which stands once.
//!
//! In such a list places mean nothing, so what both sides put at one place stands there one after the other. A list with a scalar
//! that begins with `-` is something else (options with their values, say), and so is one in which more than a few elements stand
//! twice. The schema decides first: where elements take turns, they are no words. Mappings are words only where it says that places
//! mean nothing, or if each has an `id` of its own. If the sides give one new `id` to different things, they are not.

use super::{List, Lists};
use crate::correspond::id;
use crate::schema::Places;
use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Kind, Node};

/// Whether the lists are such ones on all sides.
pub(super) fn are_words(lists: &Lists<'_>, places: Places) -> bool {
    let all = [&lists.dest, &lists.base, &lists.incoming];
    let are_free = (places == Places::Free || all.into_iter().all(has_ids)) && !share_new_ids(lists);
    let is_word = |node: &Node<'_>| match node.kind() {
        Kind::Mapping => are_free,
        Kind::Sequence => false,
        _ => !node.value().starts_with('-'),
    };
    let are_words = |list: &List<'_>| list.nodes.iter().all(is_word) && is_each_once(list);
    places != Places::Count && all.into_iter().all(are_words)
}

/// Whether each element is a mapping with an `id` of its own.
fn has_ids(list: &List<'_>) -> bool {
    let mut known = HashSet::new();
    list.nodes.iter().all(|node| id(*node).is_some_and(|id| known.insert(id)))
}

/// Whether both sides have different elements with one `id` that the base has not.
fn share_new_ids(Lists { dest, base, incoming }: &Lists<'_>) -> bool {
    let known: HashSet<_> = base.nodes.iter().filter_map(|node| id(*node)).collect();
    let new = |list: &List<'_>| -> HashMap<_, u32> {
        let all =
            list.nodes.iter().zip(&list.tokens).filter_map(|(node, token)| Some((id(*node)?.into_owned(), *token)));
        all.filter(|(id, _)| !known.contains(id.as_str())).collect()
    };
    let theirs = new(incoming);
    new(dest).into_iter().any(|(id, token)| theirs.get(&id).is_some_and(|own| *own != token))
}

/// Of so many elements one may stand twice.
const MANY: usize = 10;

fn is_each_once(list: &List<'_>) -> bool {
    let different: HashSet<_> = list.tokens.iter().collect();
    (list.tokens.len() - different.len()) * MANY <= list.tokens.len()
}
