//! Counts what is said in four trees.

use std::cell::LazyCell;
use std::ops::Range;

use hashbrown::HashMap;

use super::facts::{About, Counts, Fact};
use super::names::hash;
use super::rows::{BASE, OURS, RESULT, Row, SIDES, THEIRS, Thing};

/// How often each of some things is said in which tree, and where first.
#[derive(Default)]
pub(super) struct Tally {
    index: HashMap<u64, usize>,
    pub(super) counted: Vec<Counted>,
}

/// How often something is said, known by a hash, and where first.
#[derive(Default)]
pub(super) struct Counted {
    pub(super) said: u64,
    pub(super) counts: Counts,
    pub(super) at: Row<u32>,
}

impl Tally {
    /// Counts what a tree says, known by a hash, at a place.
    pub(super) fn count(&mut self, said: u64, tree: usize, place: u32) {
        let next = self.counted.len();
        let index = *self.index.entry(said).or_insert(next);
        if index == next {
            self.counted.push(Counted { said, ..Counted::default() });
        }
        let Counted { counts, at, .. } = &mut self.counted[index];
        counts[tree] += 1;
        at[tree] = at[tree].or(Some(place));
    }

    /// Whether all that one side added is among what the other added: then it is the same.
    fn are_added_alike(&self) -> bool {
        let adds_no_more = |side: usize, other: usize| {
            self.counted.iter().all(|it| it.counts[side] <= it.counts[BASE].max(it.counts[other]))
        };
        adds_no_more(OURS, THEIRS) || adds_no_more(THEIRS, OURS)
    }

    /// Whether each stands once at most on every side.
    fn stand_once(&self) -> bool {
        self.counted.iter().all(|it| it.counts[..RESULT].iter().all(|count| *count <= 1))
    }
}

/// How often a list has each scalar, given the rows of these.
pub(super) fn scalars<'r, 't: 'r>(
    rows: impl Iterator<Item = &'r Row<Thing<'t>>>,
    takes_turns: bool,
) -> impl Iterator<Item = Fact> {
    let mut list = ScalarList { needs_neighbours: takes_turns, ..ScalarList::default() };
    rows.for_each(|row| list.add(row));
    let ScalarList { tally, of_sides, needs_neighbours } = list;
    let may_be_two = (needs_neighbours || !tally.stand_once()) && !tally.are_added_alike();
    let is_one = LazyCell::new(|| added_alike(of_sides));
    let mut found = tally.counted;
    found.sort_unstable_by_key(|counted| counted.at);
    found.into_iter().map(move |Counted { said, counts, at }| {
        let may_be_two = may_be_two && !is_one(said);
        Fact { about: About::Scalar { may_be_two }, counts, at }
    })
}

/// The scalars of a list in four trees.
#[derive(Default)]
struct ScalarList {
    tally: Tally,
    /// Those of ours and of theirs.
    of_sides: [Scalars; 2],
    /// Whether what stands beside a scalar says what it means, as with options.
    needs_neighbours: bool,
}

impl ScalarList {
    fn add(&mut self, row: &Row<Thing<'_>>) {
        self.needs_neighbours |= row.iter().flatten().any(|thing| thing.value.value().starts_with('-'));
        let Some(first) = row.iter().flatten().next() else { return };
        let said = first.value.key_text().map(|text| hash(&text)).unwrap_or_default();
        for (tree, thing) in row.iter().enumerate() {
            thing.iter().for_each(|thing| self.tally.count(said, tree, thing.start));
        }
        for (side, scalars) in SIDES.into_iter().zip(&mut self.of_sides) {
            row[side].iter().for_each(|thing| scalars.add(thing.start, said, row[BASE].is_none()));
        }
    }
}

/// The scalars of a list on one side, of which some are new.
#[derive(Default)]
struct Scalars {
    /// Where each starts, what it says, and whether it is new.
    all: Vec<(u32, u64, bool)>,
}

impl Scalars {
    fn add(&mut self, start: u32, said: u64, is_new: bool) {
        self.all.push((start, said, is_new));
    }

    /// The runs of new ones: what they say, in order.
    fn runs(mut self) -> Runs {
        self.all.sort_unstable_by_key(|(start, ..)| *start);
        let mut runs = Runs { said: self.all.iter().map(|(_, said, _)| *said).collect(), run_of: HashMap::new() };
        let mut start = 0;
        for run in self.all.chunk_by(|a, b| a.2 == b.2) {
            let range = start..start + run.len();
            start = range.end;
            if run[0].2 {
                for at in range.clone() {
                    let seen = runs.run_of.entry(runs.said[at]).or_insert(Some((at, range.clone())));
                    *seen = seen.take().filter(|(first, _)| *first == at);
                }
            }
        }
        runs
    }
}

/// Runs of new scalars.
struct Runs {
    said: Vec<u64>,
    /// The place of what is new once, and its run.
    run_of: HashMap<u64, Option<(usize, Range<usize>)>>,
}

/// What both sides added alike: once on each side, and the run of new scalars of one side is part of the other side's run. Then it is
/// one addition, whatever else they added. (`-v a` here and `-v b` there are two.)
fn added_alike(sides: [Scalars; 2]) -> impl Fn(u64) -> bool {
    let [ours, theirs] = sides.map(Scalars::runs);
    // Long runs may have much in common: they are compared once for each way to put them side by side.
    let mut compared: HashMap<(usize, usize, usize), bool> = HashMap::new();
    let mut alike: Vec<u64> = Vec::new();
    for (said, own) in &ours.run_of {
        let (Some(own), Some(Some(other))) = (own, theirs.run_of.get(said)) else { continue };
        let key = (own.1.start, other.1.start, other.0.wrapping_sub(own.0));
        if *compared.entry(key).or_insert_with(|| is_part([&ours, &theirs], [own, other])) {
            alike.push(*said);
        }
    }
    alike.sort_unstable();
    move |said| alike.binary_search(&said).is_ok()
}

/// Whether one of two runs, put side by side at these places, is part of the other.
fn is_part([ours, theirs]: [&Runs; 2], [(at, run), (other_at, other_run)]: [&(usize, Range<usize>); 2]) -> bool {
    let before = (at - run.start).min(other_at - other_run.start);
    let after = (run.end - at).min(other_run.end - other_at);
    let is_whole = before + after == run.len().min(other_run.len());
    is_whole && ours.said[at - before..at + after] == theirs.said[other_at - before..other_at + after]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What both sides added alike: letters say what the scalars are, and capitals are new.
    fn alike(ours: &str, theirs: &str) -> String {
        let scalars = |text: &str| {
            let mut scalars = Scalars::default();
            for (start, letter) in (0..).zip(text.chars()) {
                scalars.add(start, u64::from(letter.to_ascii_lowercase()), letter.is_ascii_uppercase());
            }
            scalars
        };
        let is_alike = added_alike([scalars(ours), scalars(theirs)]);
        ('a'..='z').filter(|letter| is_alike(u64::from(*letter))).collect()
    }

    #[test]
    fn what_stands_in_one_run_is_one_addition() {
        for (ours, theirs, expected) in [
            ("abF", "aFb", "f"),
            ("abFG", "aFb", "f"),
            ("abFG", "aFGb", "fg"),
            ("aKbF", "aFGb", "f"),
            // With something else beside it, it may be another one.
            ("abVX", "aVYb", ""),
            ("abXV", "aVYb", ""),
            // What stands twice says nothing.
            ("aFbF", "aFb", ""),
            ("ab", "aFb", ""),
        ] {
            assert_eq!(alike(ours, theirs), expected, "{ours} {theirs}");
            assert_eq!(alike(theirs, ours), expected, "{theirs} {ours}");
        }
    }
}
