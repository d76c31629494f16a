//! How alike units and paths are.

use kyaml_ast::Stream;

use super::excerpt::excerpt;
use super::trees::{Trees, UnitRef};
use crate::correspond::{Fields, Group, HALF, Links, Sketch};
use crate::slots::Side;

/// What a unit holds; of what is no YAML on its own, its lines.
pub(super) fn sketch(trees: &Trees<'_>, unit: UnitRef, which: Fields) -> Sketch<'static> {
    let text = excerpt(trees, unit).text;
    let stream = Stream::parse(&text).ok();
    let root = stream.as_ref().and_then(Stream::root);
    root.map_or_else(|| Sketch::of_lines(&text), |root| Sketch::of_root(root, which))
}

/// Something that may have moved or been renamed, with what it holds.
pub(super) struct Candidate<T> {
    pub(super) thing: T,
    pub(super) own: Sketch<'static>,
    /// What it holds on the incoming side: after a first merge, the destination's is as much like that.
    pub(super) incoming: Option<Sketch<'static>>,
}

impl<T> Candidate<T> {
    /// How alike it is to one of another side, in the version that is more alike; if that is at least so much.
    pub(super) fn at_least(&self, least: u32, other: &Self) -> Option<u32> {
        let versions = [Some(&self.own), self.incoming.as_ref()].into_iter().flatten();
        versions.filter_map(|version| version.at_least(least, &other.own)).max()
    }

    /// Whether half of both is the same.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        self.at_least(HALF, other).is_some()
    }
}

/// The units of a group as candidates; `third` says what the left ones are on the third side.
pub(super) fn candidates(
    trees: &Trees<'_>,
    Group { left, right }: &Group<UnitRef>,
    third: Option<&Links<UnitRef>>,
    fields: Fields,
) -> [Vec<Candidate<UnitRef>>; 2] {
    let sketch = |unit: UnitRef| sketch(trees, unit, fields);
    let candidate = |&thing: &UnitRef| {
        let incoming = third.and_then(|third| third.right(thing)).filter(|third| third.side == Side::Incoming);
        Candidate { thing, own: sketch(thing), incoming: incoming.map(sketch) }
    };
    let alone = |&thing: &UnitRef| Candidate { thing, own: sketch(thing), incoming: None };
    [left.iter().map(candidate).collect(), right.iter().map(alone).collect()]
}

/// How many components two paths have in common, at their ends and at their beginnings.
pub(super) fn affinity(a: &str, b: &str) -> usize {
    let same = |(a, b): &(&str, &str)| a == b;
    let ends = a.rsplit('/').zip(b.rsplit('/')).take_while(same).count();
    ends + a.split('/').zip(b.split('/')).take_while(same).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_alike_at_both_ends() {
        assert_eq!(affinity("a/dev/x.yaml", "b/dev/x.yaml"), 2);
        assert_eq!(affinity("a/dev/x.yaml", "a/prod/y.yaml"), 1);
        assert_eq!(affinity("x.yaml", "y.yaml"), 0);
    }
}
