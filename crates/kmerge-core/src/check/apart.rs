//! Finds the parts that two streams have in common. Mistakes inside them are in both streams.
//!
//! Owns how to find these parts without reading them. Invariant: a common part has the same bytes in both streams, and
//! is in the same fields of documents of one kind, so the same rules apply to it. Its aliases refer to the same bytes, without an
//! alias in them. Ignores parts at different places of the two streams, except documents, and elements of one list.

use hashbrown::HashMap;
use kyaml_ast::{Document, Entry, Kind, Node, NodeId, Span, Stream};

use crate::equal::{Written, same_text, written};
use crate::resource::Resource;

/// Bytes are compared at most this many times the size of the streams. Deep nesting compares some bytes on each level.
const FUEL: usize = 64;
/// Hashing one byte takes as long as comparing this many.
const HASHED: usize = 8;

/// The parts that a stream has in common with another one.
#[derive(Default)]
pub(super) struct Common<'t> {
    /// The parts, in order.
    pub(super) parts: Vec<Span>,
    /// For lists that have equally many elements in both streams: the other stream's version. Common elements have the
    /// same positions.
    pub(super) lists: HashMap<NodeId, Node<'t>>,
}

/// The parts that two streams have in common.
pub(super) fn common<'t>(streams: [&'t Stream<'t>; 2]) -> [Common<'t>; 2] {
    let fuel = FUEL * streams.iter().map(|stream| stream.source().len()).sum::<usize>();
    let aliases = streams.map(Aliases::of);
    let mut search = Search { found: Default::default(), aliases, fuel };
    let [a, b] = search.documents(streams.map(|stream| stream.documents().collect()));
    if a.len() == b.len() {
        a.into_iter().zip(b).for_each(|(a, b)| search.inside(a, b));
    }
    for common in &mut search.found {
        common.parts.sort_by_key(|span| span.start);
    }
    search.found
}

struct Search<'t> {
    found: [Common<'t>; 2],
    aliases: [Aliases<'t>; 2],
    fuel: usize,
}

impl<'t> Search<'t> {
    /// Takes the documents that both streams have, at any position. Returns the others.
    fn documents(&mut self, documents: [Vec<Document<'t>>; 2]) -> [Vec<Document<'t>>; 2] {
        // A single document is not worth hashing.
        if documents.iter().all(|documents| documents.len() < 2) {
            return documents;
        }
        let mut counts: HashMap<&str, [usize; 2]> = HashMap::new();
        for (side, documents) in documents.iter().enumerate() {
            documents.iter().for_each(|document| counts.entry(document.text()).or_default()[side] += 1);
        }
        let mut found = self.found.iter_mut();
        documents.map(|documents| {
            let mut left: HashMap<&str, usize> = counts.iter().map(|(text, [a, b])| (*text, *a.min(b))).collect();
            let (mut own, mut common) = (Vec::new(), Vec::new());
            for document in documents {
                match left.get_mut(document.text()) {
                    Some(left) if *left > 0 => {
                        *left -= 1;
                        common.push(document.span());
                    }
                    _ => own.push(document),
                }
            }
            if let Some(found) = found.next() {
                found.parts = common;
            }
            own
        })
    }

    /// Takes the common parts at the same places of two documents of one kind.
    fn inside(&mut self, a: Document<'t>, b: Document<'t>) {
        let (Some(a), Some(b)) = (a.root(), b.root()) else { return };
        if kind(a) != kind(b) {
            return;
        }
        let mut open = vec![(a, b)];
        while let Some((a, b)) = open.pop() {
            if a.kind() != b.kind() {
                continue;
            }
            let lists = [a, b];
            let (a, b): (Vec<_>, Vec<_>) = (a.entries().collect(), b.entries().collect());
            if a.len() == b.len() {
                self.pair(lists);
            }
            let head = self.alike(a.iter().zip(&b));
            // Of as many entries, the first behind the head is known to differ.
            let differ = usize::from(a.len() == b.len() && head < a.len());
            let (a_rest, b_rest) = (&a[head + differ..], &b[head + differ..]);
            let tail = self.alike(a_rest.iter().rev().zip(b_rest.iter().rev()));
            for (found, entries) in self.found.iter_mut().zip([&a, &b]) {
                found.parts.extend([&entries[..head], &entries[entries.len() - tail..]].into_iter().filter_map(whole));
            }
            open.extend(self.counterparts(&a[head..a.len() - tail], &b[head..b.len() - tail]));
        }
    }

    /// Takes the common entries between those that are equal at the start and at the end. Returns the pairs of values
    /// to look into: of fields with the same key, or of elements at the same position if both lists are equally long.
    fn counterparts(&mut self, a: &[Entry<'t>], b: &[Entry<'t>]) -> Vec<(Node<'t>, Node<'t>)> {
        let in_order = a.len() == b.len() && a.iter().zip(b).all(|(a, b)| key(a) == key(b));
        let pairs = if in_order { a.iter().copied().zip(b.iter().copied()).collect() } else { self.by_name(a, b) };
        let last = pairs.len().saturating_sub(1);
        let mut apart = Vec::new();
        for (index, (a, b)) in pairs.into_iter().enumerate() {
            // Here the search from the start and the one from the end have stopped.
            let differ = in_order && (index == 0 || index == last);
            match differ || self.alike(std::iter::once((&a, &b))) == 0 {
                true => apart.push((a.value(), b.value())),
                false => self.take(a.value(), b.value()),
            }
        }
        apart
    }

    /// Pairs fields with the same key, and elements with the same text.
    fn by_name(&mut self, a: &[Entry<'t>], b: &[Entry<'t>]) -> Vec<(Entry<'t>, Entry<'t>)> {
        let name = |entry: &Entry<'t>| written(entry.key().unwrap_or(entry.value()));
        let bytes = |entries: &[Entry<'t>]| entries.iter().map(|entry| name(entry).1.len()).sum::<usize>();
        self.fuel = self.fuel.saturating_sub(HASHED * (bytes(a) + bytes(b)));
        if self.fuel == 0 {
            return Vec::new();
        }
        let mut others: HashMap<Written<'t>, Vec<Entry<'t>>> = HashMap::new();
        b.iter().rev().for_each(|entry| others.entry(name(entry)).or_default().push(*entry));
        a.iter().filter_map(|entry| Some((*entry, others.get_mut(&name(entry))?.pop()?))).collect()
    }

    /// Stores lists with equally many elements.
    fn pair(&mut self, [a, b]: [Node<'t>; 2]) {
        if a.kind() == Kind::Sequence {
            self.found[0].lists.insert(a.id(), b);
            self.found[1].lists.insert(b.id(), a);
        }
    }

    /// Takes two values as common.
    fn take(&mut self, a: Node<'_>, b: Node<'_>) {
        self.found.iter_mut().zip([a, b]).for_each(|(found, value)| found.parts.push(value.full_span()));
    }

    /// The number of equal pairs from the start.
    fn alike<'e>(&mut self, pairs: impl Iterator<Item = (&'e Entry<'t>, &'e Entry<'t>)>) -> usize
    where
        't: 'e,
    {
        let is_alike = |(a, b): &(&Entry<'t>, &Entry<'t>)| {
            self.fuel = self.fuel.saturating_sub(a.value().span().len());
            self.fuel > 0 && key(a) == key(b) && same_text(a.value(), b.value()) && self.refer_alike(a, b)
        };
        pairs.take_while(is_alike).count()
    }

    /// Whether the aliases in two entries with the same text refer to the same text.
    fn refer_alike(&mut self, a: &Entry<'t>, b: &Entry<'t>) -> bool {
        let [of_a, of_b] = &self.aliases;
        if of_a.0.is_empty() {
            return true;
        }
        let holds_none = |aliases: &Aliases<'t>, target: Node<'t>| aliases.inside(target.span()).is_empty();
        of_a.inside(a.span()).iter().zip(of_b.inside(b.span())).all(|((_, a), (_, b))| {
            let (Some(a), Some(b)) = (*a, *b) else { return false };
            self.fuel = self.fuel.saturating_sub(a.span().len());
            self.fuel > 0 && same_text(a, b) && holds_none(of_a, a) && holds_none(of_b, b)
        })
    }
}

/// The aliases of a stream: where each starts, in order, and what it refers to.
struct Aliases<'t>(Vec<(u32, Option<Node<'t>>)>);

impl<'t> Aliases<'t> {
    fn of(stream: &'t Stream<'t>) -> Self {
        Self(stream.references().map(|(alias, target)| (alias.span().start, target)).collect())
    }

    fn inside(&self, span: Span) -> &[(u32, Option<Node<'t>>)] {
        let [first, end] = [span.start, span.end].map(|at| self.0.partition_point(|(alias, _)| *alias < at));
        &self.0[first..end]
    }
}

/// The facts about a document that decide which rules apply to it.
fn kind(root: Node<'_>) -> (Option<[String; 3]>, bool) {
    let kind = Resource::of_node(root).map(|it| [it.id.group, it.version, it.id.kind]);
    (kind, Resource::listed(root).is_some())
}

/// The key of a field as written.
fn key<'t>(entry: &Entry<'t>) -> Option<&'t str> {
    entry.key().map(Node::text)
}

/// From the start of the first value to the end of the last.
fn whole(entries: &[Entry<'_>]) -> Option<Span> {
    let [first, .., last] = entries else { return entries.first().map(|only| only.value().full_span()) };
    Some(Span::new(first.value().full_span().start, last.value().full_span().end))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The common parts of two texts.
    fn common_of(a: &str, b: &str) -> Vec<String> {
        let streams = [a, b].map(|text| Stream::parse(text).unwrap());
        let [own, other] = common(streams.each_ref());
        let texts = |common: Common<'_>, text: &str| common.parts.iter().map(|span| span.of(text).to_owned()).collect();
        let (own, other): (Vec<String>, Vec<String>) = (texts(own, a), texts(other, b));
        assert_eq!(own, other);
        own
    }

    #[test]
    fn what_stands_around_a_change_is_common() {
        let text = |value| format!("a: 1\nb:\n  - x\n  - {{k: 1, l: {value}, m: 3}}\nc: 2\nd: 3\n");
        assert_eq!(common_of(&text("2"), &text("5")), ["1", "x", "1", "3", "2\nd: 3"]);
    }

    #[test]
    fn what_stands_between_changes_is_common() {
        let text = |value| format!("- {{a: 1}}\n- {{a: {value}}}\n- {{b: 1, c: 2}}\n- {{d: {value}}}\n");
        assert_eq!(common_of(&text("2"), &text("5")), ["{a: 1}", "{b: 1, c: 2}"]);
    }

    #[test]
    fn fields_and_elements_are_common_beside_new_ones() {
        assert_eq!(common_of("a: 1\nb: 2\nc: 3\nd: 4\n", "x: 0\na: 5\nb: 2\nc: 3\ny: 0\n"), ["2", "3"]);
        assert_eq!(common_of("- [a]\n- [b, x]\n- [c]\n", "- [y]\n- [b, x]\n- [c]\n- [z]\n- [w]\n"), ["[b, x]", "[c]"]);
    }

    #[test]
    fn documents_are_common_wherever_they_stand() {
        assert_eq!(common_of("a: 1\n---\nb: 2\n---\nx: 1\n", "c: 1\n---\ny: 1\n---\nb: 2\n").len(), 1);
        assert_eq!(common_of("a: 1\nb: 1\n---\nb: 2\n", "a: 1\nb: 2\n---\nb: 2\n").len(), 2);
    }

    #[test]
    fn another_kind_has_nothing_in_common() {
        assert!(common_of("kind: A\na: 1\n", "kind: B\na: 1\n").is_empty());
        assert_eq!(common_of("kind: A\na: 1\n", "kind: A\na: 2\n"), ["A"]);
    }

    #[test]
    fn aliases_hang_on_what_stands_before_them() {
        assert!(common_of("a: &x 1\nb: *x\n", "a: &y 1\nb: *x\n").is_empty());
        assert!(common_of("a: &x 1\n*x : 2\n", "a: &y 1\n*x : 2\n").is_empty());
        assert_eq!(common_of("a: &x 1\nb: 2\nc: [*x]\n", "b: 2\nc: [*x]\n"), ["2"]);
        assert_eq!(common_of("a: &x 1\nb: [*x]\nc: 2\n", "a: &x 1\nb: [*x]\nc: 3\n"), ["&x 1\nb: [*x]"]);
        assert_eq!(common_of("a: &y 1\nb: &x [*y]\nc: *x\nd: 2\n", "a: &y 2\nb: &x [*y]\nc: *x\nd: 2\n"), ["2"]);
    }

    #[test]
    fn blocks_at_other_columns_are_read_anew() {
        assert_eq!(common_of("a:\n- b: 1\nc: 1\n", "a:\n  - b: 1\nc: 1\n"), ["1", "1"]);
    }

    #[test]
    fn lists_of_one_length_are_paired() {
        let streams = ["a: [x, y]\nb: [x]\n", "a: [x, z]\nb: [y, z]\n"].map(|text| Stream::parse(text).unwrap());
        let texts = |common: &Common<'_>| common.lists.values().map(|list| list.text().to_owned()).collect::<Vec<_>>();
        assert_eq!(common(streams.each_ref()).each_ref().map(texts), [["[x, z]"], ["[x, y]"]]);
    }
}
