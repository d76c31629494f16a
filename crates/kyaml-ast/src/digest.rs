//! Digests of values. Values with different digests differ.
//!
//! The order of fields does not count, the order of elements does. Comments, quoting, layout, anchors, and tags of
//! collections do not count. A value has the same digest in every run. A stream keeps the digests of the collections
//! that were asked for and of everything inside them, so nothing is hashed twice. Equal digests do not prove equal
//! values: an attacker can build different values with one digest. Who must be sure compares the values.

use std::hash::{BuildHasher as _, Hash as _, Hasher as _};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use foldhash::quality::{FixedState, FoldHasher};

use crate::entry::Entry;
use crate::tree::{Kind, Node, Stream};

/// The digests of the collections of one stream, by record. 0 if a digest was not computed yet.
#[derive(Debug, Default)]
pub(crate) struct Digests(OnceLock<Vec<AtomicU64>>);

/// A copy has the same tape and computes its digests again when it needs them.
impl Clone for Digests {
    fn clone(&self) -> Self {
        Self::default()
    }
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
        if !self.kind().is_collection() {
            return digest_of(self, &FixedState::default(), &[]);
        }
        self.known_digest().unwrap_or_else(|| digest(self, self.stream.digests.table(self.stream)))
    }

    /// The digest of a collection, if it was computed before. For callers that can do without it.
    #[must_use]
    pub fn known_digest(self) -> Option<u64> {
        if !self.kind().is_collection() {
            return None;
        }
        known(self, self.stream.digests.0.get()?)
    }
}

impl Digests {
    fn table(&self, stream: &Stream<'_>) -> &[AtomicU64] {
        self.0.get_or_init(|| std::iter::repeat_with(AtomicU64::default).take(stream.tape.len()).collect())
    }
}

fn known(collection: Node<'_>, table: &[AtomicU64]) -> Option<u64> {
    Some(table[collection.id().index()].load(Ordering::Relaxed)).filter(|digest| *digest != 0)
}

/// Computes the digests of a collection and of everything inside it that has none yet.
fn digest(collection: Node<'_>, table: &[AtomicU64]) -> u64 {
    let hashers = FixedState::default();
    let mut open = vec![collection];
    let mut last = 0;
    while let Some(&node) = open.last() {
        let count = open.len();
        open.extend(parts(node).filter(|part| known(*part, table).is_none()));
        if open.len() > count {
            continue;
        }
        open.pop();
        last = digest_of(node, &hashers, table);
        table[node.id().index()].store(last, Ordering::Relaxed);
    }
    last
}

/// The collections directly inside a node. Their digests are a part of its digest.
fn parts(node: Node<'_>) -> impl Iterator<Item = Node<'_>> {
    node.children().filter(|part| part.kind().is_collection())
}

/// The digest of a node whose parts have their digests. Never 0.
fn digest_of(node: Node<'_>, hashers: &FixedState, table: &[AtomicU64]) -> u64 {
    let of_part = |part: Node<'_>| match part.kind().is_collection() {
        true => known(part, table).unwrap_or_default(),
        false => digest_of(part, hashers, table),
    };
    let mut hasher: FoldHasher<'_> = hashers.build_hasher();
    // An empty mapping differs from null.
    (node.kind().is_scalar(), node.kind() == Kind::Mapping, node.kind() == Kind::Alias).hash(&mut hasher);
    match node.kind() {
        Kind::Mapping => {
            let field = |entry: Entry<'_>| {
                let mut hasher = hashers.build_hasher();
                // Keys are equal if they print alike.
                match entry.key().map(|key| key.key_text().ok_or(key)) {
                    Some(Ok(text)) => text.hash(&mut hasher),
                    Some(Err(key)) => of_part(key).hash(&mut hasher),
                    None => {}
                }
                of_part(entry.value()).hash(&mut hasher);
                hasher.finish()
            };
            node.entries().map(field).fold(0, u64::wrapping_add).hash(&mut hasher);
        }
        Kind::Sequence => node.children().for_each(|item| of_part(item).hash(&mut hasher)),
        Kind::Alias => node.alias().hash(&mut hasher),
        _ => node.hash_scalar(&mut hasher),
    }
    hasher.finish().max(1)
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
