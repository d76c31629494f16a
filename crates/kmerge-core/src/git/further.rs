//! One side has all changes of the other, and further ones: a merge is made once more, or commits of a branch were picked.
//!
//! Such a side is the result as it stands. Owns: to tell by lines that a side has all changes of the other, and that its further ones
//! are at lines that the other left alone. Ignores what the lines mean: the result is proven like any other.

use std::ops::Range;

use hashbrown::HashSet;

use super::structure::Structured;
use crate::lines::{Division, Texts, unchanged};
use crate::proof::{Candidate, SoundnessCheck};
use crate::slots::Side;

/// The side that has all that the other one changed, if there is one, and that is sound.
pub(super) fn further<'t>(
    texts: Texts<'t>,
    division: &Division<'_>,
    structured: &Structured<'_>,
    check: SoundnessCheck<'_>,
) -> Option<&'t [u8]> {
    let changes = division.changes();
    // In most conflicts each side has something that the other lacks, which is quick to tell.
    let is_alone = |side: Side| changes.iter().any(|change| change.by == Some(side)) || division.has_alone(side);
    let sides = [(Side::Incoming, texts.theirs, texts.ours), (Side::Dest, texts.ours, texts.theirs)];
    let mut sides = sides.into_iter().filter(|(other, ..)| !is_alone(*other));
    let (.., text) = sides.find(|(_, from, further)| goes_on(texts.base, from, further))?;
    let candidate = Candidate::new(structured.inputs(), std::str::from_utf8(text).ok()?);
    let is_sound = structured.both_changed().is_none() && check.unsound(structured.inputs(), &candidate).is_none();
    is_sound.then_some(text)
}

/// Whether a side changed only such lines of another one as that one has from the base, and nothing moved.
fn goes_on(base: &[u8], from: &[u8], further: &[u8]) -> bool {
    let (was, is, now) = (lines(base), lines(from), lines(further));
    let (done, more) = (hunks(base, from), hunks(from, further));
    let gone = done.iter().flat_map(|hunk| &was[hunk.before.clone()]);
    let gone: HashSet<&[u8]> = gone.chain(more.iter().flat_map(|hunk| &is[hunk.before.clone()])).copied().collect();
    let new = done.iter().flat_map(|hunk| &is[hunk.after.clone()]);
    let mut new = new.chain(more.iter().flat_map(|hunk| &now[hunk.after.clone()]));
    let is_moved = new.any(|line| !line.is_empty() && gone.contains(line));
    let is_apart = |hunk: &Hunk| {
        let [start, end] = [hunk.before.start, hunk.before.end];
        let near = &done[done.partition_point(|done| done.after.end < start)..];
        let mut near = near.iter().take_while(|done| done.after.start <= end);
        // Where the other side removed lines, a line beside them may be what they became.
        let is_calm = |done: &Hunk| done.before.len() <= done.after.len() || hunk.after.is_empty();
        near.all(|done| is_calm(done) && (done.after.end <= start || end <= done.after.start))
    };
    !is_moved && more.iter().all(is_apart)
}

/// Lines that are no longer there, and what stands in their place.
struct Hunk {
    before: Range<usize>,
    after: Range<usize>,
}

/// The lines of a text, without what stands around them.
fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect()
}

fn hunks(before: &[u8], after: &[u8]) -> Vec<Hunk> {
    let end = (lines(before).len(), lines(after).len());
    let mut next = (0, 0);
    let mut hunks = Vec::new();
    for (old, new) in unchanged(before, after).chain([end]) {
        if (old, new) != next {
            hunks.push(Hunk { before: next.0..old, after: next.1..new });
        }
        next = (old + 1, new + 1);
    }
    hunks
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &str) -> String {
        lines.split(' ').filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
    }

    #[test]
    fn a_side_goes_on_from_what_the_other_has() {
        for (base, from, on, expected) in [
            ("a b c", "a x c", "a x y", true),
            ("a b", "a b x", "a c x", true),
            ("a b", "a b x", "x", true),
            ("a b", "x b", "x y b", true),
            ("a b c", "a c", "a", true),
            // It has not what the other changed.
            ("a b c", "a x c", "a y c", false),
            ("a b", "a b x", "x a b", false),
            ("a b", "a b x", "a b", false),
            ("a", "a x y", "a x z y", false),
            // Changed against removed.
            ("a b c", "a c", "a y c", false),
            ("a b c", "a c", "a d", false),
            ("a b", "x", "y x", false),
            // Moved: somebody has to say where to.
            ("a b c", "b c", "b c a", false),
            ("a b c", "b a c", "b c a", false),
            ("a b c", "a x b c", "b a x c", false),
        ] {
            let [base, from, on] = [base, from, on].map(text);
            assert_eq!(goes_on(base.as_bytes(), from.as_bytes(), on.as_bytes()), expected, "{base} {from} {on}");
        }
    }
}
