//! Digests of values: values with different digests differ.
//!
//! Fields count in any order, elements in theirs; comments, quoting and layout do not count, nor do tags of collections and
//! properties. Each stream keeps one table, made for a document when something in it is first needed, so that no value is
//! hashed twice. The same value has the same digest in every run. Who must be sure that values with one digest are the same compares
//! them: digests of other values can be made to agree.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::sync::OnceLock;

use foldhash::quality::{FixedState, FoldHasher};

use crate::tree::{Kind, Node, Stream};

/// The digests of one stream, as far as they were needed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Digests(OnceLock<Vec<Part>>);

/// Those of one document.
#[derive(Clone, Debug)]
struct Part {
    /// The document's record.
    first: usize,
    /// By record, from the first one on.
    digests: OnceLock<Vec<u64>>,
}

impl Node<'_> {
    /// The digest of the node's value.
    ///
    /// ```
    /// use kyaml_ast::Stream;
    ///
    /// let stream = Stream::parse("- {a: 1, b: 'x'}\n- b: x # why\n  a: 1\n")?;
    /// let list = stream.documents().next().and_then(|document| document.root()).expect("a list");
    /// let digests: Vec<u64> = list.children().map(|item| item.digest()).collect();
    /// assert_eq!(digests[0], digests[1]);
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    #[must_use]
    pub fn digest(self) -> u64 {
        let (part, at) = self.stream.digests_around(self.id().index());
        part.digests.get_or_init(|| digests(self.stream, part.first))[at]
    }

    /// The digest, if one was needed in this document before: for those who compare more cheaply with it, and can do without.
    #[must_use]
    pub fn known_digest(self) -> Option<u64> {
        let (part, at) = self.stream.digests_around(self.id().index());
        part.digests.get().map(|digests| digests[at])
    }
}

impl Stream<'_> {
    /// The table of the document that a record is in, and the record's place in it.
    fn digests_around(&self, index: usize) -> (&Part, usize) {
        let parts = self.digests.0.get_or_init(|| parts(self));
        let behind = parts.partition_point(|part| part.first <= index);
        let part = &parts[behind.checked_sub(1).expect("every node stands in a document")];
        (part, index - part.first)
    }
}

fn parts(stream: &Stream<'_>) -> Vec<Part> {
    stream.documents().map(|document| Part { first: document.id().index(), digests: OnceLock::new() }).collect()
}

/// The digests of all nodes of a document, children before their parents.
fn digests(stream: &Stream<'_>, first: usize) -> Vec<u64> {
    let hashers = FixedState::default();
    let len = stream.tape[first].skip as usize;
    let mut digests = vec![0; len];
    for index in (0..len).rev().filter(|index| stream.tape[first + index].kind.is_node()) {
        let node = stream.node_at(first + index);
        let known = |node: Node<'_>| digests[node.id().index() - first];
        digests[index] = digest(node, &hashers, known);
    }
    digests
}

fn digest(node: Node<'_>, hashers: &FixedState, known: impl Fn(Node<'_>) -> u64) -> u64 {
    let mut hasher: FoldHasher<'_> = hashers.build_hasher();
    // An empty mapping is no null.
    (node.kind().is_scalar(), node.kind() == Kind::Mapping, node.kind() == Kind::Alias).hash(&mut hasher);
    match node.kind() {
        Kind::Mapping => {
            let field = |entry: crate::entry::Entry<'_>| {
                let mut hasher = hashers.build_hasher();
                // Keys are equal when they print alike.
                match entry.key().map(|key| key.key_text().ok_or(key)) {
                    Some(Ok(text)) => text.hash(&mut hasher),
                    Some(Err(key)) => known(key).hash(&mut hasher),
                    None => {}
                }
                known(entry.value()).hash(&mut hasher);
                hasher.finish()
            };
            node.entries().map(field).fold(0, u64::wrapping_add).hash(&mut hasher);
        }
        Kind::Sequence => node.children().for_each(|item| known(item).hash(&mut hasher)),
        Kind::Alias => node.alias().hash(&mut hasher),
        _ => node.hash_scalar(&mut hasher),
    }
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest_of(yaml: &str) -> u64 {
        Stream::parse(yaml).unwrap().documents().last().unwrap().root().unwrap().digest()
    }

    #[test]
    fn the_same_values_have_the_same_digest() {
        for same in ["a: 1\nb: [x, y]\n", "{b: ['x', \"y\"], a: 1}", "x\n---\n# why\nb: # how\n- x\n- y\na: 1\n"] {
            assert_eq!(digest_of(same), digest_of("a: 1\nb: [x, y]\n"), "{same}");
        }
    }

    #[test]
    fn other_values_have_others() {
        let all = [
            "a: 1", "a: '1'", "b: 1", "a: 2", "- a\n- 1", "- 1\n- a", "a: {}", "a: []", "a:", "{}", "[]", "*a", "a: *a",
        ];
        for (index, one) in all.iter().enumerate() {
            for other in &all[index + 1..] {
                assert_ne!(digest_of(one), digest_of(other), "{one:?} {other:?}");
            }
        }
    }
}
