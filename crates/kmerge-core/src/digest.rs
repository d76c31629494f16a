//! Digests of all values of a stream, made in one pass: values with different digests differ.
//!
//! Fields count in any order, elements in theirs; comments, quoting and layout do not count, nor do tags of collections.

use std::hash::{DefaultHasher, Hash, Hasher};

use kyaml_ast::{Kind, Node, Stream};

/// The digests of one stream, by node.
#[derive(Clone, Debug)]
pub(crate) struct Digests(Vec<u64>);

impl Digests {
    /// Digests every node of a stream.
    pub(crate) fn of(stream: &Stream<'_>) -> Self {
        Self::below(stream.documents().filter_map(kyaml_ast::Document::root).collect())
    }

    /// Digests some nodes of one stream and all below them, children before their parents.
    pub(crate) fn below(mut nodes: Vec<Node<'_>>) -> Self {
        let mut next = 0;
        while let Some(node) = nodes.get(next).copied() {
            nodes.extend(node.children());
            next += 1;
        }
        let count = nodes.iter().map(|node| node.id().index() + 1).max().unwrap_or(0);
        let mut digests = Self(vec![0; count]);
        for node in nodes.into_iter().rev() {
            digests.0[node.id().index()] = digests.digest(node);
        }
        digests
    }

    /// The digest of a node of the same stream.
    pub(crate) fn of_node(&self, node: Node<'_>) -> u64 {
        self.0.get(node.id().index()).copied().unwrap_or(0)
    }

    fn digest(&self, node: Node<'_>) -> u64 {
        let mut hasher = DefaultHasher::new();
        match node.kind() {
            Kind::Mapping => {
                let field = |entry: kyaml_ast::Entry<'_>| {
                    let mut hasher = DefaultHasher::new();
                    entry.key().map(|key| self.key(key)).hash(&mut hasher);
                    self.of_node(entry.value()).hash(&mut hasher);
                    hasher.finish()
                };
                node.entries().map(field).fold(0, u64::wrapping_add).hash(&mut hasher);
            }
            Kind::Sequence => node.children().for_each(|item| self.of_node(item).hash(&mut hasher)),
            Kind::Alias => node.alias().hash(&mut hasher),
            _ => node.hash_scalar(&mut hasher),
        }
        hasher.finish()
    }

    /// Keys are equal when they print alike.
    fn key(&self, key: Node<'_>) -> u64 {
        let mut hasher = DefaultHasher::new();
        match key.key_text() {
            Some(text) => text.hash(&mut hasher),
            None => self.of_node(key).hash(&mut hasher),
        }
        hasher.finish()
    }
}
