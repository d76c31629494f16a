//! What both sides converted in the same way, while one of them also removed a part: a list became a mapping, a text became a list,
//! a document was divided.
//!
//! To the facts, the base has nothing of the new form. If one side lacks a part of it, the part looks like an addition of the other
//! side. It is a removal if the base had the same content in the old form, which no side has any more. Content is known by its words,
//! because a conversion keeps little else. Ignores collections in which the sides have nothing new in common.

use hashbrown::HashSet;
use kyaml_ast::{Entry, Node};

use super::facts::{About, Fact};
use super::names::hash;
use super::rows::{BASE, OURS, Row, SIDES, THEIRS, Thing};

/// What went from the base, and what came in its place.
#[derive(Debug, Default)]
pub(super) struct Converted<'t> {
    gone: Vec<Thing<'t>>,
    /// Values of the base that are collections now.
    texts: Vec<Node<'t>>,
    groups: Vec<Group<'t>>,
}

/// New things of one collection.
#[derive(Debug, Default)]
struct Group<'t> {
    /// Those of both sides.
    both: Vec<Thing<'t>>,
    /// Those of one side alone.
    alone: Vec<Alone<'t>>,
}

/// A new thing that one side alone has.
#[derive(Clone, Copy, Debug)]
struct Alone<'t> {
    side: usize,
    thing: Thing<'t>,
    is_in_result: bool,
}

impl<'t> Converted<'t> {
    /// Looks at the rows of one collection.
    pub(super) fn read(&mut self, rows: &[Row<Thing<'t>>]) {
        let mut group = Group::default();
        for row in rows {
            let [base, ours, theirs, result] = row.each_ref().map(Option::is_some);
            match (base, ours, theirs) {
                (true, false, false) if !result => self.gone.extend(row[BASE]),
                (false, true, true) => group.both.extend(row[OURS]),
                (false, true, false) => group.add(OURS, row[OURS], result),
                (false, false, true) => group.add(THEIRS, row[THEIRS], result),
                _ => {}
            }
        }
        if !group.both.is_empty() && !group.alone.is_empty() {
            self.groups.push(group);
        }
    }

    /// Looks at the values of one place.
    pub(super) fn read_values(&mut self, nodes: &Row<Node<'t>>) {
        let [Some(base), Some(ours), Some(theirs), _] = nodes else { return };
        if base.kind().is_scalar() && ours.kind().is_collection() && theirs.kind().is_collection() {
            self.texts.push(*base);
        }
    }

    /// Lets the base have what it had in another form.
    pub(super) fn complete(&self, facts: &mut [Fact]) {
        if self.groups.is_empty() || self.gone.is_empty() && self.texts.is_empty() {
            return;
        }
        let said = self.words();
        let known: HashSet<(usize, u32)> = self.groups.iter().flat_map(|group| group.of_base(&said)).collect();
        for Fact { about, counts, at } in facts {
            let is_entry = matches!(about, About::There | About::Name | About::Scalar { .. });
            if is_entry
                && counts[BASE] == 0
                && SIDES.into_iter().any(|side| at[side].is_some_and(|at| known.contains(&(side, at))))
            {
                counts[BASE] = 1;
            }
        }
    }

    /// The words of what the base had, keys and all.
    fn words(&self) -> HashSet<u64> {
        let gone = self.gone.iter().flat_map(|thing| thing.key.into_iter().chain([thing.value]));
        let mut said = HashSet::new();
        for node in gone.chain(self.texts.iter().copied()) {
            each_scalar(node, |scalar| said.extend(words(scalar)));
        }
        said
    }
}

impl<'t> Group<'t> {
    fn add(&mut self, side: usize, thing: Option<Thing<'t>>, is_in_result: bool) {
        self.alone.extend(thing.map(|thing| Alone { side, thing, is_in_result }));
    }

    /// The things of one side that say what the base said, as side and start. Their keys may be new, if things of both sides have them.
    fn of_base(&self, said: &HashSet<u64>) -> Vec<(usize, u32)> {
        let mut keys = HashSet::new();
        self.both.iter().for_each(|thing| each_key(thing.value, |key| keys.extend(words(key))));
        let is_known = |word: &u64| said.contains(word) || keys.contains(word);
        let is_said = |thing: &Thing<'_>| says_only(thing.key.into_iter().chain([thing.value]), is_known);
        let count = self.both.iter().filter(|thing| is_said(thing)).count();
        if 2 * count <= self.both.len() {
            return Vec::new();
        }
        // If nothing else is new, a field with another value was changed by one side, and removed by the other.
        let may_be_changed =
            |alone: &Alone<'_>| alone.is_in_result && count == self.both.len() && says_only(alone.thing.key, is_known);
        let known = self.alone.iter().filter(|alone| is_said(&alone.thing) || may_be_changed(alone));
        known.map(|alone| (alone.side, alone.thing.start)).collect()
    }
}

/// Whether some nodes say something, and only known words.
fn says_only<'t>(nodes: impl IntoIterator<Item = Node<'t>>, is_known: impl Fn(&u64) -> bool) -> bool {
    let mut all = Vec::new();
    nodes.into_iter().for_each(|node| each_scalar(node, |scalar| all.extend(words(scalar))));
    !all.is_empty() && all.iter().all(is_known)
}

/// The scalars in a value, keys and all.
fn each_scalar<'t>(value: Node<'t>, mut found: impl FnMut(Node<'t>)) {
    let mut open = vec![value];
    while let Some(node) = open.pop() {
        if node.kind().is_scalar() {
            found(node);
        }
        open.extend(node.entries().flat_map(|entry| entry.key().into_iter().chain([entry.value()])));
    }
}

/// The keys in a value.
fn each_key<'t>(value: Node<'t>, mut found: impl FnMut(Node<'t>)) {
    let mut open = vec![value];
    while let Some(node) = open.pop() {
        node.entries().filter_map(Entry::key).for_each(&mut found);
        open.extend(node.entries().map(Entry::value));
    }
}

/// The words of a scalar, as hashes.
fn words(scalar: Node<'_>) -> Vec<u64> {
    let is_between = |character: char| character.is_whitespace() || matches!(character, '=' | ':' | ',');
    let value = scalar.value();
    value.split(is_between).filter(|word| !word.is_empty()).map(|word| hash(&word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use kyaml_ast::Stream;

    /// Whether the base, completed, has what only ours has, next to `a` that both have.
    fn has(base: &str, ours: &str) -> bool {
        let texts = [base, "a: 1\n", ours].map(|text| Stream::parse(text).unwrap());
        let things = |stream: usize| {
            let root = texts[stream].documents().next().and_then(kyaml_ast::Document::root);
            root.into_iter().flat_map(Node::entries).map(Thing::of_entry).collect::<Vec<_>>()
        };
        let mut converted = Converted::default();
        let gone: Vec<Row<Thing<'_>>> = things(0).into_iter().map(|thing| [Some(thing), None, None, None]).collect();
        converted.read(&gone);
        let (both, one) = (things(1)[0], things(2)[0]);
        converted.read(&[[None, Some(both), Some(both), None], [None, Some(one), None, None]]);
        let at = [None, Some(one.start), None, None];
        let mut facts = [Fact { about: About::There, counts: [0, 1, 0, 0], at }];
        converted.complete(&mut facts);
        facts[0].counts[BASE] == 1
    }

    #[test]
    fn what_the_base_had_in_another_form_is_known_by_its_words() {
        for (base, ours) in [("- {name: a, n: 1}\n- {name: b, n: 2}\n", "b: {n: 2}\n"), ("- a=1\n- b=2\n", "b: 2\n")] {
            assert!(has(base, ours), "{base}");
        }
        assert!(!has("- a=1\n- b=2\n", "c: 3\n"), "new");
        assert!(!has("- a=1\n- b=2\n", "b: {m: 2}\n"), "with a new key");
        assert!(!has("- x\n- b: 2\n", "b: 2\n"), "not with what both sides have");
    }
}
