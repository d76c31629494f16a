//! How alike two nodes are: the share of their leaves that both have, and for scalars the share of their text.
//!
//! Owns the guess that something is something else, changed. Likeness is a number of percent, symmetric, and 100 for equal
//! values. Ignores order, comments and layout.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use kyaml_ast::{Kind, Node};

use crate::digest::Digests;
use crate::equal::text_of_key;

/// What stands at another place is what went, changed, where they have more than this in common, in percent.
pub(crate) const HALF: u32 = 50;
/// So many pairs of elements are compared at most to find what moved and changed; where there are more, none is looked for.
pub(crate) const MOST_MOVED: usize = 1000;

const DEEPEST: usize = 6;
const MOST_LEAVES: usize = 1000;
const MOST_BYTES: usize = 1000;

/// What a node holds, ready to be compared with many others.
#[derive(Clone, Debug)]
pub(crate) enum Sketch<'t> {
    /// The first bytes of a scalar's text, or of an alias.
    Text(&'t [u8]),
    /// Hashes of a collection's leaves with their ways, sorted.
    Leaves(Kind, Vec<u64>),
}

impl<'t> Sketch<'t> {
    /// Reads a node. What lies deeper than a few levels, or beyond many leaves, counts as one leaf, so that no input makes
    /// this expensive.
    pub(crate) fn of(node: Node<'t>, digests: &Digests) -> Self {
        if !node.kind().is_collection() {
            let text = node.text().as_bytes();
            return Self::Text(&text[..text.len().min(MOST_BYTES)]);
        }
        let mut leaves = Vec::new();
        let mut open = vec![(node, 0_u64, 0)];
        while let Some((node, way, depth)) = open.pop() {
            let is_leaf = depth == DEEPEST || leaves.len() + open.len() > MOST_LEAVES;
            if is_leaf || node.children().next().is_none() {
                let mut hasher = DefaultHasher::new();
                (way, digests.of_node(node)).hash(&mut hasher);
                leaves.push(hasher.finish());
            } else {
                open.extend(node.entries().map(|entry| (entry.value(), longer(way, entry.key()), depth + 1)));
            }
        }
        leaves.sort_unstable();
        Self::Leaves(node.kind(), leaves)
    }

    /// How much of both is the same, in percent.
    pub(crate) fn likeness(&self, other: &Self) -> u32 {
        match (self, other) {
            (Self::Text(a), Self::Text(b)) => share(2 * common_ends(a, b), a.len() + b.len()),
            (Self::Leaves(a_kind, a), Self::Leaves(b_kind, b)) if a_kind == b_kind => {
                share(2 * common_sorted(a, b), a.len() + b.len())
            }
            _ => 0,
        }
    }
}

/// The way to a child: items of a list are told apart by nothing.
fn longer(way: u64, key: Option<Node<'_>>) -> u64 {
    let mut hasher = DefaultHasher::new();
    way.hash(&mut hasher);
    key.map(text_of_key).hash(&mut hasher);
    hasher.finish()
}

fn share(part: usize, whole: usize) -> u32 {
    (100 * part).checked_div(whole).map_or(100, |percent| percent as u32)
}

/// How much of the shorter of two texts stands at the ends of the other, too, in percent.
pub(crate) fn share_of_shorter(a: &str, b: &str) -> u32 {
    let [a, b] = [a, b].map(|text| &text.as_bytes()[..text.len().min(MOST_BYTES)]);
    share(common_ends(a, b), a.len().min(b.len()))
}

/// Bytes that two texts share at their start and, after these, at their end.
fn common_ends(a: &[u8], b: &[u8]) -> usize {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let tail = a[head..].iter().rev().zip(b[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    head + tail
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
        Sketch::of(root(&a), &Digests::of(&a)).likeness(&Sketch::of(root(&b), &Digests::of(&b)))
    }

    #[test]
    fn a_shorter_text_may_be_most_of_a_longer_one() {
        assert_eq!(share_of_shorter("checkout@v3", "checkout@8f4b7f84864484a7"), 81);
        assert_eq!(share_of_shorter("make", "npm test"), 0);
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
