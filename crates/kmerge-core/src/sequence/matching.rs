//! Which elements of a list's older version are which of a newer one.
//!
//! First come equal elements along a longest common subsequence; between these, in order, what is alike enough to be one
//! element, changed, and then what took the place of another. Linear in the lists, times the size of what changed.

use std::ops::Range;

use hashbrown::HashSet;
use kyaml_ast::Node;

use super::{List, successors, unique};
use crate::correspond::Sketch;
use crate::lines::Differ;

/// Two elements are one, changed, from this likeness on.
const LEAST: u32 = 50;
/// The largest run of changed elements that is compared each with each.
const MOST_PAIRS: usize = 10_000;

/// The counterparts of the elements of two versions of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Matching {
    /// For each older element, the newer one.
    pub(super) newer: Vec<Option<usize>>,
    /// For each newer element, the older one.
    pub(super) older: Vec<Option<usize>>,
}

/// What the other side has.
#[derive(Clone, Copy)]
pub(super) struct Other<'o> {
    /// Which newer elements the other side has anew, too.
    pub(super) has: &'o [bool],
    /// Which older elements the other side has left as they were, be it elsewhere.
    pub(super) kept: &'o [bool],
}

/// Elements between two pairs: older ones and newer ones.
type Gap = (Range<usize>, Range<usize>);

impl Matching {
    /// Pairs equal elements; returns also what lies between them.
    pub(super) fn exact(older: &List<'_>, newer: &List<'_>, differ: &mut Differ) -> (Self, Vec<Gap>) {
        let (len, newer_len) = (older.tokens.len(), newer.tokens.len());
        let mut matching = Self { newer: vec![None; len], older: vec![None; newer_len] };
        let mut gaps = Vec::new();
        let (mut at_older, mut at_newer) = (0, 0);
        for hunk in differ.diff(&older.tokens, &newer.tokens) {
            matching.pair_run(at_older..hunk.before.start, at_newer..hunk.after.start);
            (at_older, at_newer) = (hunk.before.end, hunk.after.end);
            gaps.push((hunk.before, hunk.after));
        }
        matching.pair_run(at_older..len, at_newer..newer_len);
        (matching, gaps)
    }

    /// Pairs what is alike; newer elements that the other side has, too, come after all others. What only moved became nothing
    /// else: what stands in its old place, however alike, is new.
    pub(super) fn alike(&mut self, (older, newer): (&List<'_>, &List<'_>), gaps: Vec<Gap>, other: Other<'_>) {
        let moved = self.moved(older, newer);
        for gap in gaps {
            for rest in self.alike_in((older, newer), gap, &moved, |new| !other.has[new]) {
                for rest in self.alike_in((older, newer), rest, &moved, |_| true) {
                    self.pair_places((older, newer), rest, &moved, other);
                }
            }
        }
    }

    /// The tokens of elements that one version has at one place, and the other at another.
    fn moved(&self, older: &List<'_>, newer: &List<'_>) -> HashSet<u32> {
        let lost = unique(&older.tokens, (0..self.newer.len()).filter(|old| self.newer[*old].is_none()));
        let new = unique(&newer.tokens, (0..self.older.len()).filter(|new| self.older[*new].is_none()));
        lost.into_keys().filter(|token| new.contains_key(token)).collect()
    }

    /// Pairs what is alike in a gap; returns what lies between.
    fn alike_in(
        &mut self,
        (older, newer): (&List<'_>, &List<'_>),
        (olds, news): Gap,
        moved: &HashSet<u32>,
        is_candidate: impl Fn(usize) -> bool,
    ) -> Vec<Gap> {
        let is_free = |new: &usize| is_candidate(*new) && !moved.contains(&newer.tokens[*new]);
        let candidates: Vec<usize> = news.clone().filter(is_free).collect();
        let (mut at_old, mut at_new) = (olds.start, news.start);
        let mut rest = Vec::new();
        for (old, new) in alike((older, olds.clone()), (newer, &candidates), moved) {
            let (old, new) = (olds.start + old, candidates[new]);
            rest.push((at_old..old, at_new..new));
            self.pair(old, new);
            (at_old, at_new) = (old + 1, new + 1);
        }
        rest.push((at_old..olds.end, at_new..news.end));
        rest
    }

    /// Which older elements are there, be it at another place.
    pub(super) fn kept(&self, older: &List<'_>, newer: &List<'_>) -> Vec<bool> {
        let moved = self.moved(older, newer);
        let is_kept = |(old, new): (usize, &Option<usize>)| new.is_some() || moved.contains(&older.tokens[old]);
        self.newer.iter().enumerate().map(is_kept).collect()
    }

    fn pair_run(&mut self, older: Range<usize>, newer: Range<usize>) {
        older.zip(newer).for_each(|(older, newer)| self.pair(older, newer));
    }

    pub(super) fn pair(&mut self, older: usize, newer: usize) {
        self.newer[older] = Some(newer);
        self.older[newer] = Some(older);
    }

    /// Forgets what an older element became.
    pub(super) fn detach_older(&mut self, older: usize) {
        if let Some(newer) = self.newer[older].take() {
            self.older[newer] = None;
        }
    }

    /// Forgets where a newer element came from.
    pub(super) fn detach_newer(&mut self, newer: usize) {
        if let Some(older) = self.older[newer].take() {
            self.newer[older] = None;
        }
    }

    /// As many scalars as there were, at one place: each took the place of its predecessor. So did what was, or became,
    /// an empty collection; and mappings that clearly are successors where the other side left those before alone or has those behind,
    /// so that nothing of one can get into another.
    fn pair_places(
        &mut self,
        (older, newer): (&List<'_>, &List<'_>),
        (olds, news): Gap,
        moved: &HashSet<u32>,
        other: Other<'_>,
    ) {
        let mut tokens = older.tokens[olds.clone()].iter().chain(&newer.tokens[news.clone()]);
        if olds.is_empty() || olds.len() != news.len() || tokens.any(|token| moved.contains(token)) {
            return;
        }
        let mut nodes = older.nodes[olds.clone()].iter().chain(&newer.nodes[news.clone()]);
        let (old, new) = (older.nodes[olds.start], newer.nodes[news.start]);
        let is_empty = |node: Node<'_>| node.children().next().is_none();
        let was_empty = olds.len() == 1 && old.kind() == new.kind() && (is_empty(old) || is_empty(new));
        let are_alike = || {
            let are_known = olds.clone().zip(news.clone()).all(|(old, new)| other.kept[old] || other.has[new]);
            are_known && successors::are_clear(&older.nodes[olds.clone()], &newer.nodes[news.clone()])
        };
        if was_empty || nodes.all(|node| node.kind().is_scalar()) || are_alike() {
            self.pair_run(olds, news);
        }
    }
}

/// Pairs in order whose likeness is the greatest in total, but for older elements that `moved`.
fn alike(
    (older, olds): (&List<'_>, Range<usize>),
    (newer, candidates): (&List<'_>, &[usize]),
    moved: &HashSet<u32>,
) -> Vec<(usize, usize)> {
    let (count, width) = (olds.len(), candidates.len() + 1);
    if count == 0 || width == 1 || count.saturating_mul(candidates.len()) > MOST_PAIRS {
        return Vec::new();
    }
    let newer: Vec<Sketch<'_>> = candidates.iter().map(|new| newer.sketch(*new)).collect();
    // `best[o * width + n]`: the greatest total of `older[o..]` and `newer[n..]`, and whether it pairs these two.
    let mut best = vec![(0_u32, false); (count + 1) * width];
    for old in (0..count).rev() {
        let sketch = older.sketch(olds.start + old);
        let is_moved = moved.contains(&older.tokens[olds.start + old]);
        for new in (0..newer.len()).rev() {
            let likeness = sketch.likeness(&newer[new]);
            let here = old * width + new;
            let skip = best[here + 1].0.max(best[here + width].0);
            let pair = best[here + width + 1].0 + likeness;
            best[here] = if likeness >= LEAST && pair >= skip && !is_moved { (pair, true) } else { (skip, false) };
        }
    }
    let (mut old, mut new, mut pairs) = (0, 0, Vec::new());
    while old < count && new < newer.len() {
        let here = old * width + new;
        if best[here].1 {
            pairs.push((old, new));
            (old, new) = (old + 1, new + 1);
        } else if best[here].0 == best[here + 1].0 {
            new += 1;
        } else {
            old += 1;
        }
    }
    pairs
}
