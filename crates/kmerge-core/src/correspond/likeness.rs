//! How alike two things are, in percent: the share of what both hold, and for scalars the share of their text.
//!
//! Owns all limits above which one thing counts as another one, changed. Likeness is symmetric, and 100 for equal values. Ignores
//! order, comments and layout.

use std::borrow::Cow;
use std::hash::{BuildHasher as _, Hash, Hasher as _};

use foldhash::quality::FixedState;
use hashbrown::HashMap;
use kyaml_ast::{Entry, Kind, Node};

use crate::equal::text_of_key;

/// From here on two things may be one, if their place, kind or name says so, too.
pub(crate) const HALF: u32 = 50;
/// From here on a resource may be another one, renamed.
pub(crate) const LEAST_RENAMED: u32 = 60;
/// What has so much of its text in common with another, in percent, is that one: no sketch could say it more clearly.
pub(crate) const NEARLY_ALL: u32 = 90;
/// How many scalars a body has at least for its likeness to say anything.
const LEAST_PARTS: usize = 3;
/// The most pairs of elements that are compared to find what moved and changed; beyond, nothing is.
pub(crate) const MOST_MOVED: usize = 1000;

const DEEPEST: usize = 6;
const MOST_LEAVES: usize = 1000;
const MOST_BYTES: usize = 1000;

/// Which fields of a resource count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fields {
    /// All.
    All,
    /// All but those that every resource has or that only name it.
    Body,
}

/// What a thing holds, ready to be compared with many others.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Sketch<'t> {
    /// The first bytes of a scalar's text, or of an alias.
    Text(&'t [u8]),
    /// Hashes of the parts of a collection of a kind, of a text or of a resource, sorted.
    Parts(Option<Kind>, Vec<u64>),
    /// A mapping with a single key, which holds a collection: its parts as of any collection, and its key apart. So a new name of the
    /// key is one change.
    Keyed(Vec<u64>, KeyApart),
}

/// The only key of a mapping, and the parts of what it holds, without the way that leads through the key. The key is one part more.
/// Sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct KeyApart {
    key: u64,
    parts: Vec<u64>,
}

impl Default for Sketch<'_> {
    fn default() -> Self {
        Self::Parts(None, Vec::new())
    }
}

impl<'t> Sketch<'t> {
    /// Reads the value of an entry.
    pub(crate) fn of(node: Node<'t>) -> Self {
        if !node.kind().is_collection() {
            let text = node.text().as_bytes();
            return Self::Text(&text[..text.len().min(MOST_BYTES)]);
        }
        let sketch = Self::of_parts(Some(node.kind()), leaves_of(node));
        match (sketch, only_field(node)) {
            (Self::Parts(_, parts), Some((key, value))) => {
                let (key, mut apart) = (hash(&text_of_key(key)), leaves_of(value));
                apart.push(key);
                apart.sort_unstable();
                Self::Keyed(parts, KeyApart { key, parts: apart })
            }
            (sketch, _) => sketch,
        }
    }

    /// Every line of a text that says something, indentation aside.
    pub(crate) fn of_lines(text: &str) -> Self {
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        Self::of_parts(None, lines.map(|line| hash(&line)).collect())
    }

    /// Every scalar of a document with the keys that lead to it, whatever its layout.
    pub(crate) fn of_root(root: Node<'_>, which: Fields) -> Self {
        let mut parts = Vec::new();
        let mut open = vec![(root, 0u64, 0usize)];
        while let Some((node, path, depth)) = open.pop() {
            if !node.kind().is_collection() {
                parts.push(hash(&(path, node.value())));
                continue;
            }
            for entry in node.entries() {
                let key = entry.key().map(Node::value).unwrap_or_default();
                let is_name = matches!((depth, &*key), (0, "apiVersion" | "kind") | (1, "name" | "namespace"));
                if which == Fields::All || !is_name {
                    open.push((entry.value(), hash(&(path, key)), depth + 1));
                }
            }
        }
        Self::of_parts(None, parts)
    }

    fn of_parts(kind: Option<Kind>, mut parts: Vec<u64>) -> Self {
        parts.sort_unstable();
        Self::Parts(kind, parts)
    }

    /// What it holds, as hashes; nothing for a scalar.
    pub(crate) fn parts(&self) -> &[u64] {
        match self {
            Self::Text(_) => &[],
            Self::Parts(_, parts) | Self::Keyed(parts, _) => parts,
        }
    }

    const fn kind(&self) -> Option<Kind> {
        match self {
            Self::Text(_) => None,
            Self::Parts(kind, _) => *kind,
            Self::Keyed(..) => Some(Kind::Mapping),
        }
    }

    /// If each has a single key, and not the same one: the parts of both with the keys apart.
    fn keys_apart<'s>(&'s self, other: &'s Self) -> Option<[&'s [u64]; 2]> {
        match (self, other) {
            (Self::Keyed(_, own), Self::Keyed(_, other)) if own.key != other.key => Some([&own.parts, &other.parts]),
            _ => None,
        }
    }

    /// Whether all but one part of each is in the other, too.
    pub(crate) fn differ_in_one(&self, other: &Self) -> bool {
        let (own, other) = (self.parts(), other.parts());
        own.len() == other.len() && common_sorted(own, other) + 1 == own.len()
    }

    /// Whether it holds enough for its likeness to say anything.
    pub(crate) fn says_enough(&self) -> bool {
        self.parts().len() >= LEAST_PARTS
    }

    /// Whether two bodies are those of one thing, of which one side changed the kind: they are alike, or too short to say, and
    /// have one name.
    pub(crate) fn may_change_kind(&self, other: &Self, have_one_name: bool) -> bool {
        let is_long = self.says_enough() && other.says_enough();
        if is_long { self.likeness(other) >= HALF } else { have_one_name }
    }

    /// The likeness, if it is at least so much. What is much longer than the other is not looked into.
    pub(crate) fn at_least(&self, least: u32, other: &Self) -> Option<u32> {
        let (a, b) = (self.len(), other.len());
        let is_possible = share(2 * a.min(b), a + b) >= least;
        is_possible.then(|| self.likeness(other)).filter(|likeness| *likeness >= least)
    }

    const fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Parts(_, parts) => parts.len(),
            Self::Keyed(_, apart) => apart.parts.len(),
        }
    }

    /// How many parts it has that another does not have.
    pub(crate) fn lacking_in(&self, other: &Self) -> usize {
        let lacking = |[own, other]: [&[u64]; 2]| own.len() - common_sorted(own, other);
        let under_keys = lacking([self.parts(), other.parts()]);
        self.keys_apart(other).map_or(under_keys, |apart| lacking(apart).min(under_keys))
    }

    /// How much of both is the same, in percent; 100 where there is nothing.
    pub(crate) fn likeness(&self, other: &Self) -> u32 {
        let under_keys = self.likeness_under_one_key(other);
        self.keys_apart(other).map_or(under_keys, |apart| share_of_common(apart).max(under_keys))
    }

    /// The same, where a mapping with another single key is another thing.
    pub(crate) fn likeness_under_one_key(&self, other: &Self) -> u32 {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => share(2 * common_ends(a, b), a.len() + b.len()),
            (Self::Text(_), _) | (_, Self::Text(_)) => 0,
            _ if self.kind() != other.kind() => 0,
            _ => share_of_common([self.parts(), other.parts()]),
        }
    }
}

/// How much of the parts of both is the same, in percent.
fn share_of_common([a, b]: [&[u64]; 2]) -> u32 {
    share(2 * common_sorted(a, b), a.len() + b.len())
}

/// The leaves of a collection, as hashes.
fn leaves_of(collection: Node<'_>) -> Vec<u64> {
    let mut leaves = Vec::new();
    each_leaf(collection, |leaf, _| leaves.push(leaf));
    leaves
}

/// The key and the value of a mapping's only field, if that holds something.
fn only_field(mapping: Node<'_>) -> Option<(Node<'_>, Node<'_>)> {
    let mut fields = mapping.entries();
    let (first, is_only) = (fields.next()?, fields.next().is_none());
    let has_content = first.value().entries().next().is_some();
    let key = first.key()?;
    (is_only && has_content).then(|| (key, first.value()))
}

fn hash(part: &impl Hash) -> u64 {
    FixedState::default().hash_one(part)
}

/// The leaves of a collection with their ways, as hashes, and where each starts: scalars, and the lines of texts. To stay cheap on any
/// input, what is deep counts as one leaf, and so does what comes after many leaves.
pub(crate) fn each_leaf(collection: Node<'_>, mut found: impl FnMut(u64, u32)) {
    let mut count = 0;
    let mut open = vec![(collection, 0_u64, 0)];
    while let Some((node, way, depth)) = open.pop() {
        let is_leaf = depth == DEEPEST || count + open.len() > MOST_LEAVES;
        if node.kind().is_block_scalar() && !is_leaf {
            let start = node.full_span().start;
            let lines = node.text().lines().skip(1).map(str::trim).filter(|line| !line.is_empty());
            for line in lines.take(MOST_LEAVES) {
                count += 1;
                found(hash(&(way, line)), start);
            }
            continue;
        }
        let leaf = if node.kind().is_scalar() {
            hash_of_scalar(way, node)
        } else if is_leaf || node.children().next().is_none() {
            hash(&(way, node.digest()))
        } else {
            // Items of a list are told apart by nothing.
            let way_to = |key: Option<Node<'_>>| hash(&(way, key.map(text_of_key)));
            open.extend(node.entries().map(|entry| (entry.value(), way_to(entry.key()), depth + 1)));
            continue;
        };
        count += 1;
        found(leaf, node.full_span().start);
    }
}

/// A scalar at a place, without a digest: that would be one of its whole document.
fn hash_of_scalar(way: u64, node: Node<'_>) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    way.hash(&mut hasher);
    node.hash_scalar(&mut hasher);
    hasher.finish()
}

fn share(part: usize, whole: usize) -> u32 {
    (100 * part).checked_div(whole).map_or(100, |percent| percent as u32)
}

/// What an element is called, as a hash: the scalar fields `name` of its outer mappings, with their paths. Without any, the scalar
/// that it begins with, or the only key. `None` where there is nothing of these.
pub(crate) fn title(element: Node<'_>) -> Option<u64> {
    let mut names = Vec::new();
    let mut open = vec![(element, 0_u64, 0)];
    while let Some((mapping, way, depth)) = open.pop() {
        let fields = mapping.entries().filter_map(|field| Some((field.key()?.key_text()?, field.value())));
        for (name, value) in fields {
            match value.kind() {
                Kind::Mapping if depth < DEEPEST => open.push((value, hash(&(way, name)), depth + 1)),
                kind if kind.is_scalar() && name == "name" => names.push(hash(&(way, text_of_key(value)))),
                _ => {}
            }
        }
    }
    if names.is_empty() {
        let mut entries = element.entries();
        let (first, is_only) = (entries.next()?, entries.next().is_none());
        let value = first.value();
        match value.kind() {
            kind if kind.is_scalar() => names.push(hash(&(text_of_key(first.key()?), text_of_key(value)))),
            // `- Guide: [...]`: the key is what it is called.
            _ if is_only => names.push(hash(&text_of_key(first.key()?))),
            _ => return None,
        }
    }
    names.sort_unstable();
    Some(hash(&names))
}

/// What an element says to be, if it has a field `id`. What has another one is another thing, however alike.
pub(crate) fn id(element: Node<'_>) -> Option<Cow<'_, str>> {
    let is_id = |field: &Entry<'_>| field.key().is_some_and(|key| key.text().eq_ignore_ascii_case("id"));
    element.entries().filter(is_id).last()?.value().key_text()
}

/// How often each title stands among some elements.
pub(crate) fn titles<'t>(elements: impl Iterator<Item = Node<'t>>) -> HashMap<u64, usize> {
    let mut times = HashMap::new();
    elements.filter_map(title).for_each(|title| *times.entry(title).or_default() += 1);
    times
}

/// How much of the shorter of two texts stands at the ends of the other, too, in percent.
pub(crate) fn share_of_shorter(a: &str, b: &str) -> u32 {
    let [a, b] = [a, b].map(|text| &text.as_bytes()[..text.len().min(MOST_BYTES)]);
    share(common_ends(a, b), a.len().min(b.len()))
}

/// As [`share_of_shorter`], without blanks: for texts that differ in indentation. Only the first bytes of both count.
pub(crate) fn share_of_bare(a: &str, b: &str) -> u32 {
    let [a, b] = [a, b].map(|text| &text.as_bytes()[..text.len().min(MOST_BYTES)]);
    let [bare_a, bare_b] = [a, b].map(|text| text.iter().filter(|byte| !matches!(byte, b' ' | b'\t')));
    let shorter = bare_a.clone().count().min(bare_b.clone().count());
    let head = bare_a.clone().zip(bare_b.clone()).take_while(|(a, b)| a == b).count();
    let tail = bare_a.rev().zip(bare_b.rev()).take(shorter - head).take_while(|(a, b)| a == b).count();
    share(head + tail, shorter)
}

/// How much of two texts is the same at their start and end, in percent. Most texts that are alike are so here.
pub(crate) fn share_of_ends(a: &str, b: &str) -> u32 {
    share(2 * common_ends(a.as_bytes(), b.as_bytes()), a.len() + b.len())
}

/// Bytes that two texts share at their start and, after these, at their end.
fn common_ends(a: &[u8], b: &[u8]) -> usize {
    const LANE: usize = 32;
    let (lanes_a, lanes_b) = (a.as_chunks::<LANE>().0, b.as_chunks::<LANE>().0);
    let lanes = LANE * lanes_a.iter().zip(lanes_b).take_while(|(a, b)| a == b).count();
    let head = lanes + a[lanes..].iter().zip(&b[lanes..]).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[head..], &b[head..]);
    let (lanes_a, lanes_b) = (a.as_rchunks::<LANE>().1, b.as_rchunks::<LANE>().1);
    let lanes = LANE * lanes_a.iter().rev().zip(lanes_b.iter().rev()).take_while(|(a, b)| a == b).count();
    let (a, b) = (&a[..a.len() - lanes], &b[..b.len() - lanes]);
    head + lanes + a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

fn common_sorted(a: &[u64], b: &[u64]) -> usize {
    let (mut left, mut right, mut common) = (0, 0, 0);
    while let (Some(a), Some(b)) = (a.get(left), b.get(right)) {
        common += usize::from(a == b);
        left += usize::from(a <= b);
        right += usize::from(b <= a);
    }
    common
}

#[cfg(test)]
mod tests {
    use kyaml_ast::Stream;

    use super::*;

    fn likeness(a: &str, b: &str) -> u32 {
        let (a, b) = (Stream::parse(a).unwrap(), Stream::parse(b).unwrap());
        let root = |stream| Stream::documents(stream).next().unwrap().root().unwrap();
        Sketch::of(root(&a)).likeness(&Sketch::of(root(&b)))
    }

    #[test]
    fn lines_count_and_indentation_does_not() {
        let likeness = |a, b| Sketch::of_lines(a).likeness(&Sketch::of_lines(b));
        assert_eq!(likeness("a\nb\n", "  b\n\n  a\n"), 100);
        assert_eq!(likeness("a\na\n", "a\nb\n"), 50);
        assert_eq!(likeness("a\n", "b\n"), 0);
        assert_eq!(likeness("", ""), 100);
    }

    #[test]
    fn neither_names_nor_layout_make_a_resource_alike() {
        let a = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: 1\n  z: 3\n";
        let b = "{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {x: 1, y: 2}}\n";
        let (a, b) = (Stream::parse(a).unwrap(), Stream::parse(b).unwrap());
        let body = |stream| Sketch::of_root(Stream::documents(stream).next().unwrap().root().unwrap(), Fields::Body);
        assert_eq!((body(&a).says_enough(), body(&a).likeness(&body(&b))), (false, 50));
    }

    #[test]
    fn a_shorter_text_may_be_most_of_a_longer_one() {
        assert_eq!(share_of_shorter("checkout@v3", "checkout@8f4b7f84864484a7"), 81);
        assert_eq!(share_of_shorter("make", "npm test"), 0);
        assert_eq!(
            (share_of_shorter("a:\n  b: 1", "a:\n   b: 1"), share_of_bare("a:\n  b: 1", "a:\n   b: 1")),
            (100, 100)
        );
        assert_eq!(
            (
                share_of_shorter("a:\n  b:\n    c: 1", "a:\n b:\n  c: 1"),
                share_of_bare("a:\n  b:\n    c: 1", "a:\n b:\n  c: 1")
            ),
            (76, 100)
        );
        assert_eq!((share_of_bare("a b", " ab "), share_of_bare("a", "b")), (100, 0));
        assert_eq!(
            (share_of_bare("", "a"), share_of_bare("  ", "a")),
            (share_of_shorter("", "a"), share_of_shorter("", "a"))
        );
        assert_eq!((share_of_ends("a: 1\nb: 2", "a: 1\nb: 23"), share_of_ends("x", "y")), (94, 0));
    }

    #[test]
    fn an_element_is_called_by_its_names_or_by_what_it_begins_with() {
        let title = |text| {
            let stream = Stream::parse(text).unwrap();
            title(stream.documents().next().unwrap().root().unwrap())
        };
        let cpu = "{type: Resource, resource: {name: cpu, target: 80}}";
        assert_eq!(title(cpu), title("{type: Resource, resource: {name: cpu, target: 90}}"));
        assert_ne!(title(cpu), title("{type: Resource, resource: {name: memory, target: 80}}"));
        assert_eq!(title("{alert: Down, for: 5m}"), title("{alert: Down, for: 9m}"));
        assert_ne!(title("{alert: Down, for: 5m}"), title("{alert: Slow, for: 5m}"));
        assert_eq!(title("{Guide: [a]}"), title("{Guide: [b, c]}"));
        assert_eq!((title("{apiGroups: [a], verbs: [get]}"), title("[a]")), (None, None));
    }

    #[test]
    fn another_name_of_the_only_key_is_one_change() {
        let (guide, renamed) = ("{Guide: {a: 1, b: 2, c: 3}}", "{User guide: {a: 1, b: 2, c: 3}}");
        assert_eq!(likeness(guide, renamed), 75);
        assert_eq!(likeness(guide, "{User guide: {a: 1, b: 2, c: 4}}"), 50);
        // Under one name, the name says nothing. With more keys, each is a thing of its own.
        assert_eq!(likeness("{job: {a: 1}}", "{job: {a: 2}}"), 0);
        assert_eq!(likeness(guide, "{User guide: {a: 1, b: 2, c: 3}, x: 1}"), 0);
        let [one, other] = [guide, renamed].map(|text| Stream::parse(text).unwrap());
        let [one, other] = [&one, &other].map(|stream| Sketch::of(stream.root().unwrap()));
        assert_eq!((one.lacking_in(&other), one.likeness_under_one_key(&other)), (1, 0));
    }

    #[test]
    fn leaves_and_texts_are_counted() {
        assert_eq!(likeness("{a: 1, b: 2}", "{b: 2, a: 1}"), 100);
        assert_eq!(likeness("{a: 1, b: 2}", "{a: 1, b: 3}"), 50);
        assert_eq!(likeness("{a: [x, y]}", "{a: [y, x]}"), 100);
        assert_eq!(likeness("{a: 1}", "[1]"), 0);
        assert_eq!(likeness("--port=80", "--port=81"), 88);
        assert_eq!(likeness("{}", "{}"), 100);
        assert_eq!(likeness("{}", "{a: 1}"), 0);
    }
}
