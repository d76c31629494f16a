//! How alike units and paths are.

use kyaml_ast::{Document, Stream};

use super::alone::alone;
use super::rows::Links;
use super::trees::{Trees, UnitRef};
use crate::correspond::{Fields, Sketch};
use crate::slots::Side;

/// What a unit holds; of what is no YAML on its own, its lines.
pub(super) fn sketch(trees: &Trees<'_>, unit: UnitRef, which: Fields) -> Sketch<'static> {
    let alone = alone(trees, unit);
    let stream = Stream::parse(&alone.text).ok();
    let root = stream.as_ref().and_then(|stream| stream.documents().next()).and_then(Document::root);
    root.map_or_else(|| Sketch::of_lines(&alone.text), |root| Sketch::of_root(root, which))
}

/// A thing as one side has it, and as the incoming one does: after a first merge the destination's is as much like that.
#[derive(Debug)]
pub(super) struct Versions(pub(super) Sketch<'static>, pub(super) Option<Sketch<'static>>);

impl Versions {
    /// The versions of a unit, of which `third` tells what it is on the third side.
    pub(super) fn of_unit(unit: UnitRef, third: &Links, sketch: impl Fn(UnitRef) -> Sketch<'static>) -> Self {
        let incoming = third.right(unit).filter(|third| third.side == Side::Incoming);
        Self(sketch(unit), incoming.map(&sketch))
    }

    /// The likeness of the version that is more alike.
    pub(super) fn likeness(&self, other: &Sketch<'static>) -> u32 {
        let third = self.1.as_ref().map_or(0, |third| third.likeness(other));
        self.0.likeness(other).max(third)
    }
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
