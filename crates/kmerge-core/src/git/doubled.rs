//! Whether a line merge holds twice what both sides added once, or moved, to different places of a list.
//!
//! To lines these are two additions; in a list, nobody wanted the second. Scalars that go with different neighbours on the two
//! sides (`-v a`, `-v b`) are two: what one side added to the list has to be all among what the other did.

use std::collections::{HashMap, HashSet};

use kyaml_ast::{Document, Kind, Node, Stream};

use super::referents::{Way, longer};
use crate::align::field_name;
use crate::digest::Digests;
use crate::resource::{Resource, field};
use crate::slots::Slots;

/// Whether an element that both sides added or moved stands in the result more often than on either side.
pub(super) fn has_doubled(sides: &Slots<Stream<'_>>, result: &str) -> bool {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return false };
    let Ok(result) = ours.parse_again(result) else { return false };
    // What is a side's, byte for byte, has nothing of the other side.
    let known: HashSet<&str> = [ours, theirs].into_iter().flat_map(Stream::documents).map(Document::text).collect();
    let merged = result.documents().filter(|document| !known.contains(document.text()));
    let merged: HashSet<String> = merged.map(resource).collect();
    if merged.is_empty() {
        return false;
    }
    let [ours, base, theirs, result] = [ours, base, theirs, &result].map(|stream| Lists::of(stream, &merged));
    let is_doubled = |list: &Way, (element, count): (&Element, &usize)| {
        let [ours, base, theirs] = [&ours, &base, &theirs].map(|side| side.count(*list, element));
        ours.min(theirs) > base && *count > ours.max(theirs)
    };
    // What neither side has more often than the base, both moved.
    let is_moved = |list: &Way, (element, count): (&Element, &usize)| {
        let [ours, base, theirs] = [&ours, &base, &theirs].map(|side| side.count(*list, element));
        base > 0 && ours.max(theirs) <= base && *count > base
    };
    result.0.iter().any(|(list, elements)| {
        if elements.iter().any(|element| is_moved(list, element)) {
            return true;
        }
        let mut doubled = elements.iter().filter(|element| is_doubled(list, *element)).peekable();
        doubled.peek().is_some()
            && (doubled.any(|((_, kind), _)| !kind.is_scalar())
                || ours.adds_no_more(*list, &base, &theirs)
                || theirs.adds_no_more(*list, &base, &ours))
    })
}

/// Digest and kind of an element.
type Element = (u64, Kind);

/// How often each list has each element. Lists are known by the fields on the way to them, and the names of elements.
struct Lists(HashMap<Way, HashMap<Element, usize>>);

impl Lists {
    /// The lists of these resources.
    fn of(stream: &Stream<'_>, resources: &HashSet<String>) -> Self {
        let documents = stream.documents().map(|document| (document, resource(document)));
        let documents = documents.filter(|(_, resource)| resources.contains(resource));
        let roots = documents.filter_map(|(document, resource)| Some((document.root()?, longer(0, &resource))));
        let mut open: Vec<(Node<'_>, Way)> = roots.collect();
        let digests = Digests::below(open.iter().map(|(root, _)| *root).collect());
        let mut lists = HashMap::new();
        while let Some((node, way)) = open.pop() {
            for entry in node.entries() {
                let value = entry.value();
                if node.kind() == Kind::Sequence {
                    let list: &mut HashMap<_, _> = lists.entry(way).or_default();
                    *list.entry((digests.of_node(value), value.kind())).or_default() += 1;
                    open.push((value, longer(way, &name(value))));
                } else {
                    open.push((value, longer(way, &field_name(entry))));
                }
            }
        }
        Self(lists)
    }

    fn count(&self, list: Way, element: &Element) -> usize {
        self.0.get(&list).and_then(|list| list.get(element)).copied().unwrap_or_default()
    }

    /// Whether all that this side added to a list of the base is among what the other side added.
    fn adds_no_more(&self, list: Way, base: &Self, other: &Self) -> bool {
        let elements = self.0.get(&list).into_iter().flatten();
        elements
            .into_iter()
            .all(|(element, count)| *count <= base.count(list, element) || *count <= other.count(list, element))
    }
}

/// What a document is; nothing where it has no kind.
fn resource(document: Document<'_>) -> String {
    Resource::of(document).map(|resource| resource.id.to_string()).unwrap_or_default()
}

fn name(element: Node<'_>) -> String {
    let name = field(element, "name").filter(|name| name.kind().is_scalar());
    name.map(|name| name.value().into_owned()).unwrap_or_default()
}
