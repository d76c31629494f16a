//! Which entries have to be in conflict as a whole, given what is wrong with a merge by structure.
//!
//! Invariant: asked again about the same place, it takes what is around it. So a search for what has to be in conflict ends.

use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use hashbrown::HashMap;
use kyaml_ast::{Document, EntryId, Node, NodeId, Span, Stream};

use super::apart::name;
use super::moved::Moved;
use crate::correspond::{Fields, Sketch};
use crate::plan::Decision;
use crate::slots::{Side, Slots};
use crate::walk::Contested;

/// A place at which a merge is wrong.
#[derive(Clone, Debug)]
pub(super) struct WrongPlace {
    /// Where each side has it.
    pub(super) at: Slots<u32>,
    /// The way to it in the result.
    pub(super) way: Vec<Step>,
}

/// A step on the way to an entry: what it is called, and its place.
pub(super) type Step = (String, usize);

/// Adds the smallest entries at these places that are not in conflict yet. Returns whether there were any.
pub(super) fn add(contested: &mut Contested, sides: &Slots<Stream<'_>>, wrong: &[WrongPlace]) -> bool {
    let known = contested.clone();
    let mut has_more = false;
    for (side, stream) in sides.present() {
        let mut index = Index::of(stream);
        for place in wrong {
            let mut entries = match place.at.get(side) {
                Some(at) => index.around(*at),
                None => index.along(&place.way),
            };
            while entries.last().is_some_and(|last| known.has(side, *last)) {
                entries.pop();
            }
            has_more |= contested.add(side, &entries);
        }
    }
    has_more
}

/// Adds what one side moved and the other changed: at its old place, and at the new one.
pub(super) fn add_moved(contested: &mut Contested, sides: &Slots<Stream<'_>>, moved: &[Moved]) {
    for (side, stream) in sides.present() {
        let mut index = Index::of(stream);
        let spans: Vec<Span> = match side {
            Side::Base => moved.iter().flat_map(Moved::was).collect(),
            _ => moved.iter().filter(|moved| moved.by() == side).flat_map(Moved::now).collect(),
        };
        for span in spans {
            let owners = index.owners(span.start);
            let end = owners.iter().rposition(|owner| owner.1 == span).map_or(0, |last| last + 1);
            let entries: Vec<EntryId> = owners[..end].iter().map(|owner| owner.0).collect();
            contested.add(side, &entries);
        }
    }
}

/// Whether all that one side moved is in these conflicts, where the side put it. At the old place, the other side may have nothing.
pub(super) fn have_moved(conflicts: &[Slots<Span>], moved: &[Moved]) -> bool {
    [Side::Dest, Side::Incoming].into_iter().all(|side| {
        let mut spans: Vec<Span> = conflicts.iter().filter_map(|conflict| conflict.get(side).copied()).collect();
        spans.sort_unstable_by_key(|span| span.start);
        // The end of each is the greatest so far.
        let mut end = 0;
        for span in &mut spans {
            end = span.end.max(end);
            span.end = end;
        }
        let touches = |span: Span| {
            let before = spans.partition_point(|conflict| conflict.start < span.end);
            spans[..before].last().is_some_and(|last| span.start < last.end)
        };
        moved.iter().filter(|moved| moved.by() == side).flat_map(Moved::now).all(touches)
    })
}

/// Whether a text has each value and each comment about as often as the sides: as one of them, or as both changes together would give
/// it. Values are known by the names of the fields around them. What is in conflict as a whole takes more along than what the sides
/// contest, so that something may be in it and also outside of it.
pub(super) fn keeps_counts(sides: &Slots<Stream<'_>>, text: &str) -> bool {
    let Ok(result) = Stream::parse(text) else { return false };
    let mut counts: HashMap<u64, [i64; 4]> = HashMap::new();
    let trees = [sides.base.as_ref(), sides.dest.as_ref(), sides.incoming.as_ref(), Some(&result)];
    for (tree, stream) in trees.into_iter().enumerate() {
        stream.into_iter().flat_map(parts).for_each(|part| counts.entry(part).or_default()[tree] += 1);
    }
    counts.into_values().all(|[base, ours, theirs, found]| {
        let both = ours + theirs - base;
        (ours.min(theirs).min(both)..=ours.max(theirs).max(both)).contains(&found)
    })
}

/// Every scalar with the names that lead to it, and every comment, as hashes.
fn parts(stream: &Stream<'_>) -> Vec<u64> {
    let roots = stream.documents().filter_map(Document::root);
    let scalars = roots.flat_map(|root| Sketch::of_root(root, Fields::All).parts().to_vec());
    let comments = stream.comment_spans_in(Span::new(0, stream.source().len() as u32));
    let said = comments.map(|span| FixedState::default().hash_one(span.of(stream.source()).trim_ascii_end()));
    scalars.chain(said).collect()
}

/// Decisions with these conflicts in place of what was decided inside of them.
pub(super) fn with_conflicts(decisions: &[Decision], conflicts: Vec<Decision>) -> Vec<Decision> {
    let covered = [Side::Dest, Side::Base, Side::Incoming].map(|side| (side, Covered::by(&conflicts, side)));
    let conflict_around = |decision: &Decision| {
        covered.iter().find_map(|(side, covered)| covered.owner(decision.spans.get(*side)?.start))
    };
    let mut found = Vec::with_capacity(decisions.len());
    let mut open: Vec<Option<Decision>> = conflicts.into_iter().map(Some).collect();
    for decision in decisions {
        match conflict_around(decision) {
            Some(conflict) => found.extend(open[conflict].take()),
            None => found.push(decision.clone()),
        }
    }
    found.extend(open.into_iter().flatten());
    found
}

/// Which conflict has which bytes of a side.
struct Covered(Vec<(Span, usize)>);

impl Covered {
    fn by(conflicts: &[Decision], side: Side) -> Self {
        let spans =
            conflicts.iter().enumerate().filter_map(|(number, conflict)| Some((*conflict.spans.get(side)?, number)));
        let mut spans: Vec<_> = spans.collect();
        spans.sort_unstable_by_key(|(span, _)| span.start);
        Self(spans)
    }

    fn owner(&self, at: u32) -> Option<usize> {
        let before = self.0.partition_point(|(span, _)| span.start <= at);
        let (span, number) = self.0[..before].last()?;
        (at < span.end).then_some(*number)
    }
}

/// The ways to the smallest entries that own these bytes, from their document on.
pub(super) fn ways_to(stream: &Stream<'_>, places: impl Iterator<Item = Option<u32>>) -> Vec<Vec<Step>> {
    let mut index = Index::of(stream);
    places.map(|at| at.map(|at| index.way_to(at)).unwrap_or_default()).collect()
}

/// The entries of collections, read when they are asked for: many places are looked for in one tree.
struct Index<'t> {
    stream: &'t Stream<'t>,
    /// The documents with content: where each starts, and its root.
    roots: Vec<(u32, Node<'t>)>,
    collections: HashMap<NodeId, Entries>,
}

/// The entries of one collection, in order and with what they own, and by what they are called; of several with one name, the first.
struct Entries {
    all: Vec<(EntryId, Span)>,
    by_name: HashMap<String, EntryId>,
}

impl<'t> Index<'t> {
    fn of(stream: &'t Stream<'t>) -> Self {
        let root = |document: Document<'t>| Some((document.span().start, document.root()?));
        Self { stream, roots: stream.documents().filter_map(root).collect(), collections: HashMap::new() }
    }

    fn entries(&mut self, node: Node<'t>) -> &Entries {
        self.collections.entry(node.id()).or_insert_with(|| {
            let mut by_name = HashMap::new();
            node.entries().for_each(|entry| _ = by_name.entry(name(entry)).or_insert(entry.id()));
            Entries { all: node.entries().map(|entry| (entry.id(), entry.extent())).collect(), by_name }
        })
    }

    /// The number of the document that has a byte.
    fn document_at(&self, at: u32) -> Option<usize> {
        self.roots.partition_point(|(start, _)| *start <= at).checked_sub(1)
    }

    /// The entries that own a byte, from the outermost.
    fn around(&mut self, at: u32) -> Vec<EntryId> {
        self.owners(at).into_iter().map(|owner| owner.0).collect()
    }

    /// The same, with all that they own.
    fn owners(&mut self, at: u32) -> Vec<(EntryId, Span)> {
        let mut found = Vec::new();
        let mut node = self.document_at(at).map(|number| self.roots[number].1);
        while let Some(collection) = node {
            let all = &self.entries(collection).all;
            let behind = all.partition_point(|(_, span)| span.start <= at);
            let owner = all[..behind].last().copied().filter(|(_, span)| at < span.end.max(span.start + 1));
            found.extend(owner);
            node = owner.map(|(entry, _)| self.stream.entry(entry).value());
        }
        found
    }

    /// The way to the smallest entry that owns a byte, from its document on.
    fn way_to(&mut self, at: u32) -> Vec<Step> {
        let Some(number) = self.document_at(at) else { return Vec::new() };
        let mut way = vec![(String::new(), number)];
        for entry in self.around(at) {
            let entry = self.stream.entry(entry);
            let place = self.entries(entry.collection()).all.binary_search_by_key(&entry.id(), |owner| owner.0);
            way.push((name(entry), place.unwrap_or_default()));
        }
        way
    }

    /// The entries along a way, as far as the tree has them.
    fn along(&mut self, way: &[Step]) -> Vec<EntryId> {
        let Some(((_, number), steps)) = way.split_first() else { return Vec::new() };
        let mut node = self.roots.get(*number).map(|(_, root)| *root);
        let mut found = Vec::new();
        for (called, place) in steps {
            let Some(collection) = node else { break };
            let Entries { all, by_name } = self.entries(collection);
            let next =
                if called.is_empty() { all.get(*place).map(|owner| owner.0) } else { by_name.get(called).copied() };
            found.extend(next);
            node = next.map(|next| self.stream.entry(next).value());
        }
        found
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use kyaml_ast::{Entry, Path};

    use super::*;
    use crate::documents::merge_contesting;
    use crate::plan::Role;
    use crate::policy::Policy;
    use crate::resolve::{Outcome, Rule};
    use crate::schema::Schema;

    const TEXT: &str = "a:\n  b:\n  - name: x\n    v: 1\n  - 2\n---\nc: 3\n";

    /// The lines of ours that are contested after `times` reports of one wrong place.
    fn contested(place: &WrongPlace, times: usize) -> Vec<String> {
        let sides = Slots { dest: Some(Stream::parse(TEXT).unwrap()), base: None, incoming: None };
        let mut contested = Contested::default();
        for _ in 0..times {
            add(&mut contested, &sides, std::slice::from_ref(place));
        }
        let stream = sides.dest.as_ref().unwrap();
        let mut open: Vec<Entry<'_>> = stream.documents().filter_map(Document::root).flat_map(Node::entries).collect();
        let mut found = Vec::new();
        while let Some(entry) = open.pop() {
            if contested.has(Side::Dest, entry.id()) {
                found.push(entry.extent().of(TEXT).lines().next().unwrap_or_default().trim().to_owned());
            }
            open.extend(entry.value().entries());
        }
        found.sort();
        found
    }

    fn at(text: &str) -> WrongPlace {
        let dest = Some(TEXT.find(text).unwrap() as u32);
        WrongPlace { at: Slots { dest, base: None, incoming: None }, way: Vec::new() }
    }

    #[test]
    fn what_is_wrong_again_takes_what_is_around_it() {
        assert_eq!(contested(&at("v: 1"), 1), ["v: 1"]);
        assert_eq!(contested(&at("v: 1"), 2), ["- name: x", "v: 1"]);
        assert_eq!(contested(&at("v: 1"), 9), ["- name: x", "a:", "b:", "v: 1"]);
        assert_eq!(contested(&at("3"), 1), ["c: 3"]);
    }

    #[test]
    fn a_place_of_the_result_is_found_by_its_way() {
        let result = Stream::parse("n: 0\na:\n  b:\n  - 1\n  - name: x\n    v: 9\n---\nc: 4\n").unwrap();
        let way = |text: &str| Index::of(&result).way_to(result.source().find(text).unwrap() as u32);
        let place = |text: &str| WrongPlace { at: Slots::default(), way: way(text) };
        assert_eq!(contested(&place("v: 9"), 1), ["v: 1"]);
        assert_eq!(contested(&place("- 1"), 1), ["- name: x"], "without a name, its place counts");
        assert_eq!(contested(&place("n: 0"), 1), [""; 0]);
        assert_eq!(contested(&place("c: 4"), 1), ["c: 3"]);
    }

    #[test]
    fn a_choice_has_nothing_more_often_than_the_sides() {
        let [ours, base, theirs] = ["- a: 1\n- b: 2 # x\n", "- b: 2 # x\n- a: 1\n", "- b: 2 # x\n- a: 1\n- c: 3\n"]
            .map(|text| Stream::parse(text).unwrap());
        let sides = Slots::three(ours, base, theirs);
        for (text, keeps) in [
            ("- a: 1\n- b: 2 # x\n", true),
            ("- c: 3\n- a: 1\n- b: 2 # x\n", true),
            ("- a: 1\n- b: 2 # x\n- a: 1\n", false),
            ("- a: 1\n- c: 3\n- c: 3\n- b: 2 # x\n", false),
            ("- a: 1\n", false),
            ("- a: 1\n- b: 2\n", false),
            ("- a: 1\n- b: 2 # x\n# x\n", false),
            ("- a: [\n", false),
        ] {
            assert_eq!(keeps_counts(&sides, text), keeps, "{text}");
        }
    }

    #[test]
    fn what_one_side_alone_changed_can_be_contested() {
        let [ours, base, theirs] = ["a: 2\nb: {c: 1}\nn: 1\n", "a: 1\nb: {c: 1}\n", "a: 1\nb: {c: 2}\n"]
            .map(|text| Stream::parse(text).unwrap());
        let sides = Slots::three(ours, base, theirs);
        let conflicts = |places: &[(Side, u32)]| {
            let mut contested = Contested::default();
            for (side, at) in places {
                contested.add(*side, &Index::of(sides.get(*side).unwrap()).around(*at));
            }
            let plan = merge_contesting(sides.as_ref(), &Schema::new(), &Policy::GIT, contested).unwrap();
            plan.conflicts.iter().map(|conflict| conflict.path.to_string()).collect::<Vec<_>>()
        };
        assert_eq!(conflicts(&[]), [""; 0]);
        assert_eq!(conflicts(&[(Side::Dest, 0)]), [".a"]);
        assert_eq!(conflicts(&[(Side::Incoming, 9)]), [".b.c"]);
        assert_eq!(conflicts(&[(Side::Base, 5), (Side::Dest, 15)]), [".b", ".n"]);
    }

    #[test]
    fn a_conflict_comes_in_place_of_what_was_decided_inside_of_it() {
        let decision = |outcome, dest: Option<Span>, incoming: Option<Span>| Decision {
            path: Path::root(),
            role: Role::Value,
            outcome,
            rule: Rule::OnlyDest,
            spans: Slots { dest, base: None, incoming },
            list: None,
            counts: false,
        };
        let keep = |start| decision(Outcome::Keep, Some(Span::new(start, start + 2)), None);
        let take = |start| decision(Outcome::Take, None, Some(Span::new(start, start + 2)));
        let conflict = |from, to| decision(Outcome::Conflict, Some(Span::new(from, to)), Some(Span::new(from, to)));
        let decided =
            with_conflicts(&[keep(0), keep(4), take(5), take(8), keep(9)], vec![conflict(4, 8), conflict(20, 30)]);
        assert_eq!(decided, [keep(0), conflict(4, 8), take(8), keep(9), conflict(20, 30)]);
    }
}
