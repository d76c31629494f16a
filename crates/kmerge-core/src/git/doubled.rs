//! Whether a line merge holds twice what both sides added once, or moved, to different places of a list; or holds what one side
//! removed, as the other moved and changed it.
//!
//! To lines the former are two additions; in a list, nobody wanted the second. Scalars that go with different neighbours on the two
//! sides (`-v a`, `-v b`) are two: what one side added to the list has to be all among what the other did. The latter are a
//! removal that both made, and an addition; only collections count, as in [`sequence`](crate::sequence).

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Document, Kind, Node, Stream};

use super::way::{Way, element_name, longer};
use crate::align::field_name;
use crate::digest::Digests;
use crate::likeness::{HALF, LITTLE, MOST_MOVED, Sketch};
use crate::resource::Resource;
use crate::slots::Slots;

/// Whether an element that both sides added or moved stands in the result more often than on either side.
pub(super) fn has_doubled(sides: &Slots<Stream<'_>>, result: &str) -> bool {
    on_lists(sides, result, are_doubled)
}

/// The same, or whether what one side removed stands in the result as the other moved and changed it.
pub(super) fn has_doubled_or_removed(sides: &Slots<Stream<'_>>, result: &str) -> bool {
    on_lists(sides, result, |lists| are_doubled(lists) || is_back(lists))
}

/// What holds for the lists of ours, base, theirs and the result in which both sides have a hand.
fn on_lists(sides: &Slots<Stream<'_>>, result: &str, holds: impl FnOnce([&Lists<'_>; 4]) -> bool) -> bool {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return false };
    let Ok(result) = ours.parse_again(result) else { return false };
    let merged = merged([ours, base, theirs, &result]);
    let lists = || [ours, base, theirs, &result].map(|stream| Lists::of(stream, &merged));
    !merged.is_empty() && holds(lists().each_ref())
}

/// The resources of which the result has another text than both sides, or which both sides changed.
fn merged([ours, base, theirs, result]: [&Stream<'_>; 4]) -> HashSet<String> {
    let [ours, theirs] = [ours, theirs].map(|stream| stream.documents().map(Document::text).collect::<HashSet<_>>());
    let is_changed = |document: &Document<'_>| !ours.contains(document.text()) && !theirs.contains(document.text());
    let changed = base.documents().chain(result.documents()).filter(is_changed);
    changed.map(resource).collect()
}

fn are_doubled([ours, base, theirs, result]: [&Lists<'_>; 4]) -> bool {
    let is_doubled = |list: &Way, (element, (count, _)): (&Element, &Found<'_>)| {
        let [ours, base, theirs] = [ours, base, theirs].map(|side| side.count(*list, element));
        ours.min(theirs) > base && *count > ours.max(theirs)
    };
    // What neither side has more often than the base, both moved.
    let is_moved = |list: &Way, (element, (count, _)): (&Element, &Found<'_>)| {
        let [ours, base, theirs] = [ours, base, theirs].map(|side| side.count(*list, element));
        base > 0 && ours.max(theirs) <= base && *count > base
    };
    result.lists.iter().any(|(list, elements)| {
        if elements.iter().any(|element| is_moved(list, element)) {
            return true;
        }
        let mut doubled = elements.iter().filter(|element| is_doubled(list, *element)).peekable();
        doubled.peek().is_some()
            && (doubled.any(|((_, kind), _)| !kind.is_scalar())
                || [ours, base, theirs].iter().all(|side| side.are_words(*list))
                || ours.adds_no_more(*list, base, theirs)
                || theirs.adds_no_more(*list, base, ours))
    })
}

fn is_back(lists: [&Lists<'_>; 4]) -> bool {
    lists[3].lists.keys().any(|list| is_back_in(*list, lists))
}

/// Whether a list of the result has what one side moved and changed, and the other removed. (Who has as many new elements as went
/// may have replaced them.)
fn is_back_in(list: Way, [ours, base, theirs, result]: [&Lists<'_>; 4]) -> bool {
    let gone = base.collections(list, |it| ours.count(list, it) == 0 && theirs.count(list, it) == 0);
    // Below an element with another name, a list only seems to be gone.
    if gone.is_empty() || [ours, theirs].iter().any(|side| !side.lists.contains_key(&list)) {
        return false;
    }
    [(ours, theirs), (theirs, ours)].into_iter().any(|(mover, remover)| {
        let is_new = |it: &Element| base.count(list, it) == 0 && result.count(list, it) > 0;
        let new = mover.collections(list, |it| is_new(it) && remover.count(list, it) == 0);
        let replaced = remover.collections(list, |it| base.count(list, it) == 0);
        if replaced.len() >= gone.len() || gone.len().saturating_mul(new.len() + replaced.len()) > MOST_MOVED {
            return false;
        }
        let is_like = |old: &Sketch<'_>, new: &[Sketch<'_>], least| new.iter().any(|new| old.likeness(new) >= least);
        gone.iter().any(|old| is_like(old, &new, HALF + 1) && !is_like(old, &replaced, LITTLE))
    })
}

/// Digest and kind of an element.
type Element = (u64, Kind);

/// How often there is an element, and one of these.
type Found<'t> = (usize, Node<'t>);

/// How often each list has each element. Lists are known by the fields on the way to them, and the names of elements.
struct Lists<'t> {
    lists: HashMap<Way, HashMap<Element, Found<'t>>>,
}

impl<'t> Lists<'t> {
    /// The lists of these resources.
    fn of(stream: &'t Stream<'_>, resources: &HashSet<String>) -> Self {
        let documents = stream.documents().map(|document| (document, resource(document)));
        let documents = documents.filter(|(_, resource)| resources.contains(resource));
        let roots = documents.filter_map(|(document, resource)| Some((document.root()?, longer(0, &resource))));
        let mut open: Vec<(Node<'_>, Way)> = roots.collect();
        let mut lists = HashMap::new();
        while let Some((node, way)) = open.pop() {
            for entry in node.entries() {
                let value = entry.value();
                if node.kind() == Kind::Sequence {
                    let list: &mut HashMap<_, _> = lists.entry(way).or_default();
                    list.entry((value.digest(), value.kind())).or_insert((0, value)).0 += 1;
                    open.push((value, longer(way, &element_name(value))));
                } else {
                    open.push((value, longer(way, &field_name(entry))));
                }
            }
        }
        Self { lists }
    }

    /// The wanted elements of a list that hold something.
    fn collections(&self, list: Way, is_wanted: impl Fn(&Element) -> bool) -> Vec<Sketch<'t>> {
        let elements = self.lists.get(&list).into_iter().flatten();
        let wanted = elements.filter(|(element, _)| element.1.is_collection() && is_wanted(element));
        wanted.map(|(_, (_, node))| Sketch::of(*node, &Digests)).collect()
    }

    fn count(&self, list: Way, element: &Element) -> usize {
        self.lists.get(&list).and_then(|list| list.get(element)).map_or(0, |(count, _)| *count)
    }

    /// Whether a list is missing or of words, each of which stands once: nobody reads their places.
    fn are_words(&self, list: Way) -> bool {
        let is_word = |(element, (count, node)): (&Element, &Found<'_>)| {
            *count == 1 && element.1.is_scalar() && !node.value().starts_with('-')
        };
        self.lists.get(&list).is_none_or(|elements| elements.iter().all(is_word))
    }

    /// Whether all that this side added to a list of the base is among what the other side added.
    fn adds_no_more(&self, list: Way, base: &Self, other: &Self) -> bool {
        let elements = self.lists.get(&list).into_iter().flatten();
        elements
            .into_iter()
            .all(|(element, (count, _))| *count <= base.count(list, element) || *count <= other.count(list, element))
    }
}

/// What a document is; nothing where it has no kind.
fn resource(document: Document<'_>) -> String {
    Resource::of(document).map(|resource| resource.id.to_string()).unwrap_or_default()
}
