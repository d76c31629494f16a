//! Whether the aliases of a result refer to what they referred to on a side.
//!
//! What stands behind an anchor may change: that is what anchors are for. But where another node takes the name, an alias
//! below it would silently mean that one. Nodes are known by the fields on their way; elements of a list count as one.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use kyaml_ast::{NodeId, Stream};

use crate::align::field_name;
use crate::slots::Slots;
use crate::value::Source;

/// Hash of a way from the root of a stream.
pub(super) type Way = u64;

/// Whether every alias of the result that a side has, too, refers to the same place as on one of these sides.
pub(super) fn are_kept(sides: &Slots<Stream<'_>>, result: &Stream<'_>) -> bool {
    let own = Referents::of(result);
    if own.0.is_empty() {
        return true;
    }
    let known: Vec<Referents> = [&sides.dest, &sides.incoming].into_iter().flatten().map(Referents::of).collect();
    own.0.iter().all(|(alias, targets)| {
        let mut known = known.iter().filter_map(|side| side.0.get(alias)).peekable();
        let is_new = known.peek().is_none();
        let expected: HashSet<Way> = known.flatten().copied().collect();
        is_new || targets.is_subset(&expected)
    })
}

/// The ways to all aliases, and those to what they refer to.
struct Referents(HashMap<Way, HashSet<Way>>);

impl Referents {
    fn of(stream: &Stream<'_>) -> Self {
        let mut referents = HashMap::new();
        if stream.has_aliases() {
            let source = Source::new(stream);
            let ways = ways(stream);
            for (alias, target) in source.references() {
                if let (Some(alias), Some(target)) = (ways.get(&alias), ways.get(&target)) {
                    referents.entry(*alias).or_insert_with(HashSet::new).insert(*target);
                }
            }
        }
        Self(referents)
    }
}

/// The way to every value of a stream. (Nobody refers to keys.)
fn ways(stream: &Stream<'_>) -> HashMap<NodeId, Way> {
    let mut ways = HashMap::new();
    let mut open: Vec<_> = stream.documents().filter_map(kyaml_ast::Document::root).map(|root| (root, 0)).collect();
    while let Some((node, way)) = open.pop() {
        ways.insert(node.id(), way);
        open.extend(node.entries().map(|entry| (entry.value(), longer(way, &field_name(entry)))));
    }
    ways
}

/// The way to a field of the node at the end of another.
pub(super) fn longer(way: Way, field: &str) -> Way {
    let mut hasher = DefaultHasher::new();
    (way, field).hash(&mut hasher);
    hasher.finish()
}
