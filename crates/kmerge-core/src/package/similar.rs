//! How alike two texts or resources are: the share of what both have of their lines, or of their fields and values.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use kyaml_ast::{Document, Node, Stream};

use super::alone::alone;
use super::rows::Links;
use super::trees::{Trees, UnitRef};
use crate::slots::Side;

/// How alike the bodies of two resources are at least, in percent, when one is the other renamed.
pub(crate) const LEAST_RENAMED: u32 = 60;

/// How many scalars a body has at least for its likeness to say anything.
pub(crate) const LEAST_PARTS: usize = 3;

/// How alike two documents are at least, in percent, that may be one for another reason.
pub(crate) const LEAST_ALIKE: u32 = 50;

/// The parts of a thing, sorted: lines of a text (indentation aside), or scalars of a document with their paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub(crate) struct Sketch(Vec<u64>);

impl Sketch {
    /// Every line that says something.
    pub(crate) fn of_text(text: &str) -> Self {
        Self::of_parts(text.lines().map(str::trim).filter(|line| !line.is_empty()).map(|line| hash(&line)).collect())
    }

    fn of_parts(mut parts: Vec<u64>) -> Self {
        parts.sort_unstable();
        Self(parts)
    }

    /// As [`Sketch::of_node`]; what is no YAML on its own has its lines.
    pub(super) fn of_unit(trees: &Trees<'_>, unit: UnitRef, which: Fields) -> Self {
        let alone = alone(trees, unit);
        let Ok(stream) = Stream::parse(&alone.text) else { return Self::of_text(&alone.text) };
        let root = stream.documents().next().and_then(Document::root);
        root.map_or_else(|| Self::of_text(&alone.text), |root| Self::of_node(root, which))
    }

    /// Every scalar with the keys that lead to it, whatever its layout.
    pub(crate) fn of_node(root: Node<'_>, which: Fields) -> Self {
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
        Self::of_parts(parts)
    }

    /// Whether two bodies are those of one thing, of which one side changed the kind: they are alike, or too short to say, and
    /// have one name.
    pub(crate) fn may_change_kind(&self, other: &Self, have_one_name: bool) -> bool {
        let is_short = self.len() < LEAST_PARTS || other.len() < LEAST_PARTS;
        if is_short { have_one_name } else { self.likeness(other) >= LEAST_ALIKE }
    }

    /// Number of parts.
    pub(crate) const fn len(&self) -> usize {
        self.0.len()
    }

    /// Parts in common, in percent of all; 100 where there are none.
    pub(crate) fn likeness(&self, other: &Self) -> u32 {
        let (mut left, mut right) = (self.0.as_slice(), other.0.as_slice());
        if left.is_empty() && right.is_empty() {
            return 100;
        }
        let mut common = 0;
        while let ([first, others @ ..], [second, rest @ ..]) = (left, right) {
            common += usize::from(first == second);
            left = if first <= second { others } else { left };
            right = if second <= first { rest } else { right };
        }
        (200 * common / (self.len() + other.len())) as u32
    }
}

/// A thing as one side has it, and as the incoming one does: after a first merge the destination's is as much like that.
#[derive(Debug)]
pub(super) struct Versions(pub(super) Sketch, pub(super) Option<Sketch>);

impl Versions {
    /// The versions of a unit, of which `third` tells what it is on the third side.
    pub(super) fn of_unit(unit: UnitRef, third: &Links, sketch: impl Fn(UnitRef) -> Sketch) -> Self {
        let incoming = third.right(unit).map(|link| link.0).filter(|third| third.side == Side::Incoming);
        Self(sketch(unit), incoming.map(&sketch))
    }

    /// The likeness of the version that is more alike.
    pub(super) fn likeness(&self, other: &Sketch) -> u32 {
        let third = self.1.as_ref().map_or(0, |third| third.likeness(other));
        self.0.likeness(other).max(third)
    }
}

/// Which fields of a resource count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fields {
    /// All.
    All,
    /// All but those that every resource has or that only name it.
    Body,
}

fn hash(part: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    part.hash(&mut hasher);
    hasher.finish()
}

/// The most pairs that are compared with each other; beyond, nothing is paired by likeness.
pub(crate) const MOST_PAIRS: usize = 10_000;

/// Pairs what is most alike, at least `least` percent, the best first; equal likeness goes by position.
pub(crate) fn pair(
    sizes: (usize, usize),
    least: u32,
    likeness: impl Fn(usize, usize) -> u32,
) -> Vec<(usize, usize, u32)> {
    if sizes.0.saturating_mul(sizes.1) > MOST_PAIRS {
        return Vec::new();
    }
    let (mut left_free, mut right_free) = (vec![true; sizes.0], vec![true; sizes.1]);
    let mut pairs = Vec::new();
    for (likeness, l, r) in scored(sizes, least, likeness) {
        if left_free[l] && right_free[r] {
            (left_free[l], right_free[r]) = (false, false);
            pairs.push((l, r, likeness));
        }
    }
    pairs
}

/// Two candidates that nothing tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tie {
    /// Two on the left.
    Left(usize, usize),
    /// Two on the right.
    Right(usize, usize),
}

/// Pairs everything that has a score, the highest first, and refuses to choose between two of one score for a third.
pub(super) fn pair_clearly<S: Ord + Copy>(
    sizes: (usize, usize),
    score: impl Fn(usize, usize) -> Option<S>,
) -> Result<Vec<(usize, usize)>, Tie> {
    if sizes.0.saturating_mul(sizes.1) > MOST_PAIRS {
        return Err(if sizes.1 > 1 { Tie::Right(0, 1) } else { Tie::Left(0, 1) });
    }
    let all = (0..sizes.0).flat_map(|l| (0..sizes.1).map(move |r| (l, r)));
    let mut scored: Vec<(S, usize, usize)> = all.filter_map(|(l, r)| Some((score(l, r)?, l, r))).collect();
    scored.sort_by_key(|&(score, l, r)| (std::cmp::Reverse(score), l, r));
    let (mut left_free, mut right_free) = (vec![true; sizes.0], vec![true; sizes.1]);
    let mut pairs = Vec::new();
    for (at, &(score, l, r)) in scored.iter().enumerate() {
        if !left_free[l] || !right_free[r] {
            continue;
        }
        for &(_, other_l, other_r) in scored[at + 1..].iter().take_while(|rest| rest.0 == score) {
            match (other_l == l, other_r == r) {
                (true, false) if right_free[other_r] => return Err(Tie::Right(r, other_r)),
                (false, true) if left_free[other_l] => return Err(Tie::Left(l, other_l)),
                _ => {}
            }
        }
        (left_free[l], right_free[r]) = (false, false);
        pairs.push((l, r));
    }
    Ok(pairs)
}

/// How many components two paths have in common, at their ends and at their beginnings.
pub(super) fn affinity(a: &str, b: &str) -> usize {
    let same = |(a, b): &(&str, &str)| a == b;
    let ends = a.rsplit('/').zip(b.rsplit('/')).take_while(same).count();
    ends + a.split('/').zip(b.split('/')).take_while(same).count()
}

/// Every pair that is alike enough, as (likeness, left, right), the most alike first.
fn scored(
    (left, right): (usize, usize),
    least: u32,
    likeness: impl Fn(usize, usize) -> u32,
) -> Vec<(u32, usize, usize)> {
    let all = (0..left).flat_map(|l| (0..right).map(move |r| (l, r)));
    let mut scored: Vec<_> = all.map(|(l, r)| (likeness(l, r), l, r)).filter(|pair| pair.0 >= least).collect();
    scored.sort_by_key(|&(likeness, l, r)| (std::cmp::Reverse(likeness), l, r));
    scored
}

#[cfg(test)]
mod tests {
    use super::super::trees::{Content, ContentId, File};
    use super::*;
    use crate::Side;

    #[test]
    fn likeness_counts_lines_and_ignores_indentation() {
        let likeness = |a, b| Sketch::of_text(a).likeness(&Sketch::of_text(b));
        assert_eq!(likeness("a\nb\n", "  b\n\n  a\n"), 100);
        assert_eq!(likeness("a\na\n", "a\nb\n"), 50);
        assert_eq!(likeness("a\n", "b\n"), 0);
        assert_eq!(likeness("", ""), 100);
    }

    #[test]
    fn neither_names_nor_layout_make_a_resource_alike() {
        let sketch = |text: &str| {
            let contents = vec![Content::read("a.yaml", text.as_bytes())];
            let file = File { path: "a.yaml", content: ContentId(0), executable: false };
            let trees = Trees { contents, dest: vec![file], ..Trees::default() };
            Sketch::of_unit(&trees, UnitRef { side: Side::Dest, file: 0, unit: 0 }, Fields::Body)
        };
        let a = sketch("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: 1\n  z: 3\n");
        let b = sketch("{apiVersion: v1, kind: ConfigMap, metadata: {name: b}, data: {x: 1, y: 2}}\n");
        assert_eq!((a.len(), b.len(), a.likeness(&b)), (2, 2, 50));
    }

    #[test]
    fn the_best_pairs_are_made_first() {
        let sketches = |texts: &[&str]| texts.iter().map(|text| Sketch::of_text(text)).collect::<Vec<_>>();
        let left = sketches(&["a\nb\nc\n", "a\nb\nd\n"]);
        let right = sketches(&["a\nb\nd\n", "x\ny\n"]);
        assert_eq!(pair((2, 2), 50, |l, r| left[l].likeness(&right[r])), [(1, 0, 100)]);
    }

    #[test]
    fn what_is_equally_alike_is_not_chosen_from() {
        let clearly = |scores: [[u32; 2]; 2]| pair_clearly((2, 2), |l, r| Some(scores[l][r]).filter(|it| *it > 0));
        assert_eq!(clearly([[2, 3], [2, 1]]), Ok(vec![(0, 1), (1, 0)]));
        assert_eq!(clearly([[3, 3], [2, 1]]), Err(Tie::Right(0, 1)));
        assert_eq!(clearly([[3, 1], [3, 2]]), Err(Tie::Left(0, 1)));
        assert_eq!(clearly([[0, 0], [0, 2]]), Ok(vec![(1, 1)]));
    }

    #[test]
    fn paths_are_alike_at_both_ends() {
        assert_eq!(affinity("a/dev/x.yaml", "b/dev/x.yaml"), 2);
        assert_eq!(affinity("a/dev/x.yaml", "a/prod/y.yaml"), 1);
        assert_eq!(affinity("x.yaml", "y.yaml"), 0);
    }
}
