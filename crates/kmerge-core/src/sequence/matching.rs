//! Which elements of a list's older version are which of a newer one.
//!
//! First come equal elements along a longest common subsequence; between these, in order, what is alike enough to be one
//! element, changed; then what moved and changed, and then what took the place of another. Linear in the lists, times the
//! size of what changed.

use std::cell::OnceCell;
use std::ops::Range;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::Node;

use super::{List, moved, successors, unique};
use crate::correspond::{HALF, MOST_PAIRS, Sketch, title, titles};
use crate::lines::Differ;

/// The counterparts of the elements of two versions of a list.
pub(super) struct Matching<'l, 't> {
    /// The older version.
    pub(super) from: &'l List<'t>,
    /// The newer one.
    pub(super) to: &'l List<'t>,
    /// For each older element, the newer one.
    pub(super) newer: Vec<Option<usize>>,
    /// For each newer element, the older one.
    pub(super) older: Vec<Option<usize>>,
    /// How often each title stands in both versions; counted when first asked for.
    titles: OnceCell<HashMap<u64, usize>>,
}

/// What the other side has.
pub(super) struct Other {
    /// Which newer elements the other side has anew, too.
    has: Vec<bool>,
    /// Which older elements the other side has left as they were, be it elsewhere.
    pub(super) kept: Vec<bool>,
}

impl Other {
    /// What `other` has, for a side whose elements at the `shared` places it has anew, too.
    pub(super) fn new(side: &Matching<'_, '_>, shared: impl Iterator<Item = usize>, other: &Matching<'_, '_>) -> Self {
        let mut has = vec![false; side.older.len()];
        shared.for_each(|place| has[place] = true);
        Self { has, kept: other.kept() }
    }
}

/// Elements between two pairs.
#[derive(Clone, Debug)]
pub(super) struct Unpaired {
    olds: Range<usize>,
    news: Range<usize>,
}

impl<'l, 't> Matching<'l, 't> {
    /// Pairs equal elements; returns also what lies between them.
    pub(super) fn exact(from: &'l List<'t>, to: &'l List<'t>, differ: &mut Differ) -> (Self, Vec<Unpaired>) {
        let (len, newer_len) = (from.tokens.len(), to.tokens.len());
        let mut matching =
            Self { from, to, newer: vec![None; len], older: vec![None; newer_len], titles: OnceCell::new() };
        let mut gaps = Vec::new();
        let (mut at_older, mut at_newer) = (0, 0);
        for hunk in differ.diff(&from.tokens, &to.tokens) {
            matching.pair_run(at_older..hunk.before.start, at_newer..hunk.after.start);
            (at_older, at_newer) = (hunk.before.end, hunk.after.end);
            gaps.push(Unpaired { olds: hunk.before, news: hunk.after });
        }
        matching.pair_run(at_older..len, at_newer..newer_len);
        (matching, gaps)
    }

    /// Pairs what is alike; newer elements that the other side has, too, come after all others. What only moved became nothing
    /// else: what stands in its old place, however alike, is new.
    pub(super) fn alike(&mut self, gaps: Vec<Unpaired>, other: &Other) {
        let moved = self.moved();
        let mut left = Vec::new();
        for gap in gaps {
            for rest in self.alike_in(gap, &moved, other, |new| !other.has[new]) {
                left.extend(self.alike_in(rest, &moved, other, |_| true));
            }
        }
        moved::pair_changed(self, &moved, other);
        moved::pair_reshaped(self);
        left.into_iter().for_each(|rest| self.pair_places(rest, &moved, other));
    }

    /// The tokens of elements that one version has at one place, and the other at another.
    fn moved(&self) -> HashSet<u32> {
        let new = self.unique_new();
        self.unique_lost(&self.from.tokens).into_keys().filter(|token| new.contains_key(token)).collect()
    }

    /// The newer elements without a counterpart.
    pub(super) fn new_places(&self) -> impl Iterator<Item = usize> {
        (0..self.older.len()).filter(|new| self.older[*new].is_none())
    }

    /// The tokens that occur once among the newer elements without a counterpart, with their places.
    pub(super) fn unique_new(&self) -> HashMap<u32, usize> {
        unique(&self.to.tokens, self.new_places())
    }

    /// The tokens that occur once among the older elements without a counterpart, with their places.
    fn unique_lost(&self, tokens: &[u32]) -> HashMap<u32, usize> {
        unique(tokens, (0..self.newer.len()).filter(|old| self.newer[*old].is_none()))
    }

    /// Pairs what is alike in a gap; returns what lies between.
    fn alike_in(
        &mut self,
        Unpaired { olds, news }: Unpaired,
        moved: &HashSet<u32>,
        other: &Other,
        is_candidate: impl Fn(usize) -> bool,
    ) -> Vec<Unpaired> {
        let is_free = |new: &usize| is_candidate(*new) && !moved.contains(&self.to.tokens[*new]);
        let candidates: Vec<usize> = news.clone().filter(is_free).collect();
        let (mut at_old, mut at_new) = (olds.start, news.start);
        let mut rest = Vec::new();
        for (old, new) in self.totals(&olds, &candidates, moved, other).pairs() {
            let (old, new) = (olds.start + old, candidates[new]);
            rest.push(Unpaired { olds: at_old..old, news: at_new..new });
            self.pair(old, new);
            (at_old, at_new) = (old + 1, new + 1);
        }
        rest.push(Unpaired { olds: at_old..olds.end, news: at_new..news.end });
        rest
    }

    /// Which older elements are there, be it at another place.
    pub(super) fn kept(&self) -> Vec<bool> {
        let moved = self.moved();
        let is_kept = |(old, new): (usize, &Option<usize>)| new.is_some() || moved.contains(&self.from.tokens[old]);
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

    /// As many elements as there were, at one place: each took the place of its predecessor, if something says so. Comes after all
    /// that is alike, be it at another place.
    fn pair_places(&mut self, Unpaired { olds, news }: Unpaired, moved: &HashSet<u32>, other: &Other) {
        if olds.is_empty() || olds.len() != news.len() || self.are_elsewhere(&olds, &news, moved) {
            return;
        }
        // What the other side left alone, or has anew, too: nothing of one element can get into another.
        let are_known = olds.clone().zip(news.clone()).all(|(old, new)| other.kept[old] || other.has[new]);
        let (older, newer) = (&self.from.nodes[olds.clone()], &self.to.nodes[news.clone()]);
        if successors::are_sure(older, newer) || are_known && successors::are_clear(older, newer) {
            self.pair_run(olds, news);
        }
    }

    /// Whether one of these elements is a pair with another one, or `moved`.
    fn are_elsewhere(&self, olds: &Range<usize>, news: &Range<usize>, moved: &HashSet<u32>) -> bool {
        let mut pairs = self.newer[olds.clone()].iter().chain(&self.older[news.clone()]);
        let mut tokens = self.from.tokens[olds.clone()].iter().chain(&self.to.tokens[news.clone()]);
        pairs.any(Option::is_some) || tokens.any(|token| moved.contains(token))
    }

    /// How alike two ranges are, in order; of older elements that `moved`, nothing is alike.
    fn totals(&self, olds: &Range<usize>, candidates: &[usize], moved: &HashSet<u32>, other: &Other) -> Totals {
        if candidates.is_empty() || olds.len().saturating_mul(candidates.len()) > MOST_PAIRS {
            return Totals::default();
        }
        let sketch =
            |old: usize| if moved.contains(&self.from.tokens[old]) { None } else { Some(self.from.sketch(old)) };
        let kept = &other.kept[olds.clone()];
        let times = |title: u64| self.times(title);
        let titles =
            Titles::of(&self.from.nodes[olds.clone()], candidates.iter().map(|new| self.to.nodes[*new]), kept, &times);
        let mut olds: Vec<Option<Sketch<'_>>> = olds.clone().map(sketch).collect();
        let news: Vec<Sketch<'_>> = candidates.iter().map(|new| self.to.sketch(*new)).collect();
        titles.drop_tied(&mut olds, &news);
        Totals::of(&olds, &news, &titles)
    }

    /// How often a title stands in both versions.
    pub(super) fn times(&self, title: u64) -> usize {
        let all = || titles(self.from.nodes.iter().chain(&self.to.nodes).copied());
        self.titles.get_or_init(all).get(&title).copied().unwrap_or_default()
    }

    /// Lets a new element that the other side has, too, come from nowhere where that side has it beside what it came from: who
    /// replaced an element and who put the same before it added the same. Says how far apart they are there, if it is so.
    pub(super) fn detach_unlike(&mut self, new: usize, other: &Matching<'_, '_>, same: usize) -> Option<usize> {
        let successor = other.newer[self.older[new]?].filter(|successor| *successor != same)?;
        self.detach_newer(new);
        Some(successor.abs_diff(same))
    }

    /// Which older elements are scalars that were replaced: only the place says that what stands there came of them, so that
    /// nothing does where the other side moved them.
    pub(super) fn replaced(&self) -> Vec<bool> {
        let is_replaced = |(old, new): (usize, &Option<usize>)| {
            let is_other = new.is_some_and(|new| self.to.tokens[new] != self.from.tokens[old]);
            is_other && self.from.nodes[old].kind().is_scalar()
        };
        self.newer.iter().enumerate().map(is_replaced).collect()
    }

    /// What the older elements became, where they are still there.
    pub(super) fn changed_tokens(&self) -> Vec<u32> {
        let token = |(old, new): (usize, &Option<usize>)| new.map_or(self.from.tokens[old], |new| self.to.tokens[new]);
        self.newer.iter().enumerate().map(token).collect()
    }

    /// Whether an older element went, became another one, or is not within a range.
    pub(super) fn changes(&self, old: usize, range: &Range<usize>) -> bool {
        let is_as_ever = |new: usize| self.to.tokens[new] == self.from.tokens[old] && range.contains(&new);
        !self.newer[old].is_some_and(is_as_ever)
    }

    /// Pairs what is not at its old place with what is at a new one; `tokens` are what the older elements may be. Returns what
    /// would be pairs but for elements that may not move.
    pub(super) fn pair_moved(&mut self, tokens: &[u32], may_move: impl Fn(usize) -> bool) -> Vec<(usize, usize)> {
        let lost = self.unique_lost(tokens);
        let mut torn = Vec::new();
        for (token, new) in self.unique_new() {
            match lost.get(&token) {
                Some(&old) if may_move(old) => self.pair(old, new),
                Some(&old) => torn.push((old, new)),
                None => {}
            }
        }
        torn
    }
}

/// The greatest total likeness of what two lists have from here on.
#[derive(Clone, Copy, Debug, Default)]
struct Best {
    total: u32,
    /// Whether these two are a pair then.
    is_pair: bool,
}

/// The titles of elements of two lists.
struct Titles<'k> {
    olds: Vec<Option<u64>>,
    news: Vec<Option<u64>>,
    /// Which older elements have a name: the rest of them may change altogether.
    named: Vec<bool>,
    /// Which older elements the other side has left as they were.
    kept: &'k [bool],
    /// How often one stands in both lists.
    times: &'k dyn Fn(u64) -> usize,
}

impl<'k> Titles<'k> {
    fn of<'t>(
        olds: &[Node<'t>],
        news: impl ExactSizeIterator<Item = Node<'t>>,
        kept: &'k [bool],
        times: &'k dyn Fn(u64) -> usize,
    ) -> Self {
        let named = olds.iter().map(|node| moved::called(*node).is_some()).collect();
        let olds: Vec<Option<u64>> = olds.iter().copied().map(title).collect();
        let news: Vec<Option<u64>> = news.map(title).collect();
        Self { olds, news, named, kept, times }
    }

    /// Whether an old and a new element have one title, which nothing else has.
    fn are_one(&self, old: usize, new: usize) -> bool {
        let is_theirs = |title: u64| (self.times)(title) == 2;
        self.olds[old] == self.news[new] && self.olds[old].is_some_and(is_theirs)
    }

    /// Drops older elements that are as like one newer element as another, of more newer ones: nothing says what they became, which
    /// matters if the other side changed them.
    fn drop_tied(&self, olds: &mut [Option<Sketch<'_>>], news: &[Sketch<'_>]) {
        if news.len() <= olds.len() {
            return;
        }
        for (old, sketch) in olds.iter_mut().enumerate().filter(|(old, _)| !self.kept[*old]) {
            let has_title = (0..news.len()).any(|new| self.are_one(old, new));
            sketch.take_if(|sketch| !has_title && is_tied(sketch, news));
        }
    }

    /// Whether an older element may have become this newer one, by what both hold.
    fn may_be_one(&self, old: usize, new: usize, held: [&Sketch<'_>; 2]) -> bool {
        self.kept[old] || self.news.len() <= self.olds.len() || is_clear([self.olds[old], self.news[new]], held)
    }
}

/// Whether an element is as like one of several as another.
fn is_tied(element: &Sketch<'_>, others: &[Sketch<'_>]) -> bool {
    let mut alike: Vec<u32> = others.iter().filter_map(|other| element.at_least(HALF, other)).collect();
    alike.sort_unstable_by(|a, b| b.cmp(a));
    matches!(alike[..], [best, next, ..] if best == next)
}

/// Whether an element clearly became this newer one, if there are more newer elements than older ones: it kept its title, or all
/// else. Otherwise any of them could be the new one. This matters only if the other side changed the element.
fn is_clear([old_title, new_title]: [Option<u64>; 2], [old, new]: [&Sketch<'_>; 2]) -> bool {
    old_title.is_none() || old_title == new_title || old.lacking_in(new) <= 1
}

/// What a title counts: more than the likeness of any other two.
const SAME_TITLE: u32 = 200;

/// How alike two lists are: `best[old * width + new]` is about the lists from these two elements on.
#[derive(Default)]
struct Totals {
    best: Vec<Best>,
    count: usize,
    width: usize,
}

impl Totals {
    /// Compares each with each; nothing is like an older element without a sketch. What is alike and has a title that
    /// nothing else has is a pair, whatever else is more alike.
    fn of(olds: &[Option<Sketch<'_>>], news: &[Sketch<'_>], titles: &Titles<'_>) -> Self {
        let (count, width) = (olds.len(), news.len() + 1);
        let mut best = vec![Best::default(); (count + 1) * width];
        for (old, sketch) in olds.iter().enumerate().rev() {
            for (new, other) in news.iter().enumerate().rev() {
                let here = old * width + new;
                let skip = best[here + 1].total.max(best[here + width].total);
                let sketch = sketch.as_ref().filter(|sketch| titles.may_be_one(old, new, [sketch, other]));
                let are_one = titles.are_one(old, new);
                let likeness = sketch
                    .and_then(|sketch| sketch.at_least(if are_one && titles.named[old] { 0 } else { HALF }, other));
                let likeness = likeness.map(|it| if are_one { it + SAME_TITLE } else { it });
                let pair =
                    likeness.map(|likeness| best[here + width + 1].total + likeness).filter(|pair| *pair >= skip);
                best[here] = Best { total: pair.unwrap_or(skip), is_pair: pair.is_some() };
            }
        }
        Self { best, count, width }
    }

    /// The pairs, in order, whose likeness is the greatest in total.
    fn pairs(&self) -> Vec<(usize, usize)> {
        let (mut old, mut new, mut pairs) = (0, 0, Vec::new());
        while old < self.count && new + 1 < self.width {
            let here = old * self.width + new;
            if self.best[here].is_pair {
                pairs.push((old, new));
                (old, new) = (old + 1, new + 1);
            } else if self.best[here].total == self.best[here + 1].total {
                new += 1;
            } else {
                old += 1;
            }
        }
        pairs
    }
}
