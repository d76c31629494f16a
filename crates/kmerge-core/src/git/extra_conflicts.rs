//! The line merge, with as many of its clean changes in conflict as it takes for either side of it to be sound.
//!
//! Lines see nothing of the structure: they merge cleanly what cannot stand beside each other, or beside one side of a conflict.
//! Such changes become hunks of their own: those in which the proof finds something wrong, or those nearest to it. With all of them
//! in conflict each side is the file it was, so that there always is an end.

use std::collections::BTreeSet;
use std::ops::Range;

use kyaml_ast::Span;

use super::hunk_choice::Reading;
use super::join::{close_hunks, of_git, of_regions};
use super::moved::Moved;
use super::structure::Structured;
use super::{lines_of, text_of};
use crate::lines::{self, Change, Division, Labels, Region, Style, Texts};
use crate::proof::{Flaws, Inputs, Row, SoundnessCheck};
use crate::slots::{Side, Slots};

/// So many bytes are examined at most until the rest is in conflict unseen.
const MOST_BYTES: usize = 32_000_000;
/// So often is a text examined at most, if there is a merge by structure to take instead that
/// contests no more than the sides do.
const MOST_TIMES: usize = 4;

/// The line merge with more conflicts.
#[derive(Debug)]
pub(super) struct LineMergeWithExtraConflicts<'t> {
    division: Division<'t>,
    /// The changes that are in conflict besides those that lines contest, by their numbers.
    both_changed: Vec<usize>,
    /// All that are in conflict, in order.
    conflicts: Vec<Change>,
}

impl<'t> LineMergeWithExtraConflicts<'t> {
    /// In conflict, too, is where one side put what it moved, if the other side changed that. If every line merges soundly, it is
    /// where the merge by structure has its conflicts: that of an order. The search ends early if what is at least left to read is
    /// not wanted.
    pub(super) fn new(
        division: Division<'t>,
        inputs: &Inputs<'_>,
        structured: Option<&Structured<'_>>,
        check: SoundnessCheck<'_>,
        is_wanted: Option<&dyn Fn(Reading) -> bool>,
    ) -> Self {
        let least = is_wanted.map(|is_wanted| (Least::of(&division), is_wanted));
        let is_wanted =
            |search: &Search<'_>| least.as_ref().is_none_or(|(least, is_wanted)| is_wanted(least.reading(search)));
        let is_unlimited = least.is_none() || structured.and_then(Structured::contests_more).is_some();
        let most_times = if is_unlimited { usize::MAX } else { MOST_TIMES };
        let mut search = Search::new(division.texts(), division.changes(), most_times);
        search.both_changed.extend(alone_at(&search.changes, structured.map(Structured::moved).unwrap_or_default()));
        let mut conflicts = search.until_sound(inputs, check, is_wanted);
        if conflicts.is_empty() {
            search.contest_where(structured);
            conflicts = search.until_sound(inputs, check, is_wanted);
        }
        if conflicts.is_empty() {
            search.both_changed.extend(0..search.changes.len());
            conflicts = search.conflicts();
        }
        Self { both_changed: search.both_changed.into_iter().collect(), conflicts, division }
    }

    /// Whether a conflict of a merge by structure lies at one of these.
    pub(super) fn tells_of(&self, place: &Slots<Span>) -> bool {
        place.present().any(|(side, span)| {
            let first = self.conflicts.partition_point(|change| lines_of(change, side).end < span.range().start);
            self.conflicts.get(first).is_some_and(|change| touch(*span, lines_of(change, side)))
        })
    }

    /// How many conflicts git would leave.
    pub(super) fn conflicts_of_git(&self) -> usize {
        self.division.conflicts()
    }

    /// The merge with base in every conflict.
    pub(super) fn with_base(&self, texts: Texts<'_>) -> Vec<u8> {
        lines::assemble(texts, &self.regions(Style::Diff3))
    }

    /// The merge with markers, which must be of a size that can be told from content.
    pub(super) fn with_markers(&self, texts: Texts<'_>, style: Style, labels: &Labels<'_>) -> Option<String> {
        let text = String::from_utf8(lines::render(texts, &self.regions(style), style, labels)).ok()?;
        let is_clean_in_git = self.conflicts_of_git() == 0;
        Some(if is_clean_in_git { close_hunks(text, of_git(texts, &self.division, style)).0 } else { text })
    }

    /// The line merge without further conflicts.
    pub(super) fn into_division(self) -> Division<'t> {
        self.division
    }

    fn regions(&self, style: Style) -> Vec<Region> {
        self.division.regions_with(&self.both_changed, style)
    }
}

/// What there is to read of a search's result at least: with more conflicts, no line is left out, and hunks only join those
/// that they would join with all changes in conflict.
struct Least<'d, 't> {
    division: &'d Division<'t>,
    /// The hunks with all changes in conflict, by their lines in ours.
    widest: Vec<Range<usize>>,
}

impl<'d, 't> Least<'d, 't> {
    fn of(division: &'d Division<'t>) -> Self {
        let all: Vec<usize> = (0..division.changes().len()).collect();
        let widest = ours_in_conflict(&division.regions_with(&all, Style::Merge)).collect();
        Self { division, widest }
    }

    fn reading(&self, search: &Search<'_>) -> Reading {
        let both_changed: Vec<usize> = search.both_changed.iter().copied().collect();
        let regions = self.division.regions_with(&both_changed, Style::Merge);
        let place = |ours: Range<usize>| self.widest.partition_point(|hunk| hunk.end < ours.start);
        let mut places: Vec<usize> = ours_in_conflict(&regions).map(place).collect();
        places.dedup();
        Reading { hunks: places.len(), ..of_regions(search.texts, &regions, Style::Merge) }
    }
}

fn ours_in_conflict(regions: &[Region]) -> impl Iterator<Item = Range<usize>> {
    regions.iter().filter_map(|region| match region {
        Region::Conflict { ours, .. } => Some(ours.clone()),
        Region::Ours(_) | Region::Theirs(_) => None,
    })
}

/// The search for changes that have to be in conflict.
struct Search<'t> {
    texts: Texts<'t>,
    changes: Vec<Change>,
    both_changed: BTreeSet<usize>,
    /// How many bytes were examined, and how many may be.
    examined: usize,
    most: usize,
}

impl<'t> Search<'t> {
    fn new(texts: Texts<'t>, changes: Vec<Change>, most_times: usize) -> Self {
        let most = most_times.saturating_mul(bytes_of_sides(texts)).min(MOST_BYTES);
        Self { texts, changes, both_changed: BTreeSet::new(), examined: 0, most }
    }

    /// All that is in conflict.
    fn conflicts(&self) -> Vec<Change> {
        let numbered = self.changes.iter().enumerate();
        numbered.filter(|(number, _)| self.is_in_conflict(*number)).map(|(_, change)| change.clone()).collect()
    }

    /// Contests the changes where a merge by structure has its conflicts.
    fn contest_where(&mut self, structured: Option<&Structured<'_>>) {
        for place in structured.map(Structured::conflicts).into_iter().flatten() {
            let at = place.present().flat_map(|(side, span)| changes_in(&self.changes, *span, side));
            self.both_changed.extend(at);
        }
    }

    /// Contests changes until either side is sound, or what is left to read is not wanted. Gives what is in conflict.
    fn until_sound(
        &mut self,
        inputs: &Inputs<'_>,
        check: SoundnessCheck<'_>,
        is_wanted: impl Fn(&Self) -> bool + Copy,
    ) -> Vec<Change> {
        for side in [Side::Dest, Side::Incoming] {
            self.contest_until_sound(&Proof { inputs, check, side }, is_wanted);
        }
        self.conflicts()
    }

    /// Contests changes of the other side until the text with this side chosen is sound, or what is left to read is not wanted.
    fn contest_until_sound(&mut self, proof: &Proof<'_>, is_wanted: impl Fn(&Self) -> bool) {
        while is_wanted(self) {
            // Sound with all of these in conflict: then it is the side's file.
            let open = self.open(proof.side);
            if open.is_empty() {
                return;
            }
            let chosen = self.chosen(proof.side);
            self.examined = self.examined.saturating_add(bytes_of_sides(self.texts));
            let text = if self.examined < self.most { std::str::from_utf8(&chosen.text).ok() } else { None };
            let Some(text) = text else { return self.both_changed.extend(open) };
            let Some(flaws) = proof.flaws(text) else { return };
            let near: Vec<Near> = flaws.places.iter().flat_map(|place| chosen.nearest(&open, *place)).collect();
            // Nobody can say where something is wrong.
            let Some(least) = near.iter().map(|near| near.distance).min() else {
                return self.both_changed.extend(open);
            };
            let is_needed = |near: &&Near| least > 0 || near.distance == 0;
            self.both_changed.extend(near.iter().filter(is_needed).map(|near| near.change));
        }
    }

    fn open(&self, side: Side) -> Vec<usize> {
        (0..self.changes.len()).filter(|change| self.is_open(*change, side)).collect()
    }

    /// The text with one side chosen in every conflict.
    fn chosen(&self, side: Side) -> Chosen {
        let mut text = Vec::with_capacity(self.texts.ours.len().max(self.texts.theirs.len()));
        let mut lines = Vec::with_capacity(self.changes.len());
        let mut done = 0;
        for (index, change) in self.changes.iter().enumerate() {
            text.extend_from_slice(&self.texts.ours[done..change.ours.start]);
            let start = text.len();
            let by = if self.is_in_conflict(index) { side } else { change.by.unwrap_or(Side::Dest) };
            text.extend_from_slice(text_of(self.texts, change, by));
            lines.push([change.base.clone(), change.ours.clone(), change.theirs.clone(), start..text.len()]);
            done = change.ours.end;
        }
        text.extend_from_slice(&self.texts.ours[done..]);
        Chosen { text, lines }
    }

    /// Whether a change is the other side's, and in no conflict.
    fn is_open(&self, change: usize, side: Side) -> bool {
        self.changes[change].by.is_some_and(|by| by != side) && !self.is_in_conflict(change)
    }

    fn is_in_conflict(&self, change: usize) -> bool {
        self.changes[change].is_in_conflict || self.both_changed.contains(&change)
    }
}

/// What tells whether a text with one side chosen in every conflict is sound.
struct Proof<'p> {
    inputs: &'p Inputs<'p>,
    check: SoundnessCheck<'p>,
    side: Side,
}

impl Proof<'_> {
    fn flaws<'c>(&self, text: &'c str) -> Option<Flaws<'c>> {
        self.check.flaws(self.inputs, Some(self.side), text)
    }
}

const fn bytes_of_sides(texts: Texts<'_>) -> usize {
    texts.ours.len() + texts.theirs.len()
}

/// A text with one side chosen in every conflict.
struct Chosen {
    text: Vec<u8>,
    /// The lines of each change: in base, ours, theirs and this text.
    lines: Vec<[Range<usize>; 4]>,
}

/// A change near a place.
struct Near {
    change: usize,
    /// Bytes between the two; 0 where the place is in the lines of the change.
    distance: usize,
}

impl Chosen {
    /// Of some changes, in each tree that has a place, the one that is nearest to it.
    fn nearest(&self, changes: &[usize], place: Row<u32>) -> impl Iterator<Item = Near> {
        in_each(place).filter_map(|(tree, at)| {
            let lines = |change: usize| &self.lines[change][tree];
            let behind = changes.partition_point(|change| lines(*change).end <= at);
            let beside = changes[behind.saturating_sub(1)..].iter().take(2);
            let distance = |change: usize| match lines(change) {
                lines if lines.end <= at => at + 1 - lines.end,
                lines => lines.start.saturating_sub(at),
            };
            beside.map(|change| Near { change: *change, distance: distance(*change) }).min_by_key(|near| near.distance)
        })
    }
}

/// The trees that have a place, and where.
fn in_each(place: Row<u32>) -> impl Iterator<Item = (usize, usize)> {
    place.into_iter().enumerate().filter_map(|(tree, at)| Some((tree, at? as usize)))
}

/// The changes with which one side alone put things where it moved them, if the lines of one are gone from both sides.
/// (Elements of lists are known by their names, so that what is gone may be another one's.)
pub(super) fn alone_at(changes: &[Change], moved: &[Moved]) -> Vec<usize> {
    let is_by = |change: &usize, by: Option<Side>| changes[*change].by == by;
    let is_gone =
        |start: u32| changes_in(changes, Span::new(start, start + 1), Side::Base).any(|change| is_by(&change, None));
    let gone = moved.iter().filter(|moved| moved.contested().any(is_gone));
    let put = gone.flat_map(|moved| {
        let changes = moved.now().flat_map(|now| changes_in(changes, now, moved.by()));
        changes.filter(|change| is_by(change, Some(moved.by())))
    });
    put.collect()
}

/// The changes that have bytes in common with a span of a side.
fn changes_in(changes: &[Change], span: Span, side: Side) -> Range<usize> {
    let Range { start, end } = span.range();
    let first = changes.partition_point(|change| lines_of(change, side).end <= start);
    first..changes.partition_point(|change| lines_of(change, side).start < end).max(first)
}

fn touch(span: Span, lines: &Range<usize>) -> bool {
    span.range().start <= lines.end && lines.start <= span.range().end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_nearest_to_a_place() {
        // The same lines in all texts: 10 to 20, 30 to 30 (nothing), and 50 to 60.
        let lines = [10..20, 30..30, 50..60].map(|lines| std::array::from_fn(|_| lines.clone()));
        let chosen = Chosen { text: Vec::new(), lines: lines.to_vec() };
        for (open, at, expected) in [
            (&[0, 1, 2][..], 10, Some((0, 0))),
            (&[0, 1, 2], 19, Some((0, 0))),
            (&[0, 1, 2], 20, Some((0, 1))),
            (&[0, 1, 2], 5, Some((0, 5))),
            (&[0, 1, 2], 29, Some((1, 1))),
            (&[0, 1, 2], 30, Some((1, 1))),
            (&[0, 1, 2], 99, Some((2, 40))),
            (&[0, 2], 30, Some((0, 11))),
            (&[0, 2], 41, Some((2, 9))),
            (&[], 41, None),
        ] {
            let near = chosen.nearest(open, [None, Some(at), None, None]).next();
            assert_eq!(near.map(|near| (near.change, near.distance)), expected, "{open:?} {at}");
        }
        assert_eq!(chosen.nearest(&[0], [Some(1), None, Some(2), Some(3)]).count(), 3);
    }
}
