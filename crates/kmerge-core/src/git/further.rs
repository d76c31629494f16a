//! One side has all changes of the other, and further ones: a merge is made once more, or commits of a branch were picked.
//!
//! Such a side is the result as it stands. Owns: to tell by lines that a side has all changes of the other, and that its further ones
//! are at lines that the other left alone. Ignores what the lines mean: the result is proven like any other.

use std::ops::Range;

use hashbrown::HashSet;

use super::structure::Structured;
use crate::lines::{Division, unchanged};
use crate::proof::SoundnessCheck;
use crate::slots::Side;

/// The side that has all that the other one changed, if there is one, and that is sound.
pub(super) fn further<'t>(
    division: &Division<'t>,
    structured: &Structured<'_>,
    check: SoundnessCheck<'_>,
) -> Option<&'t [u8]> {
    let (texts, changes) = (division.texts(), division.changes());
    // In most conflicts each side has something that the other lacks, which is quick to tell.
    let is_alone = |side: Side| changes.iter().any(|change| change.by == Some(side)) || division.has_alone(side);
    let sides = [(Side::Incoming, texts.theirs, texts.ours), (Side::Dest, texts.ours, texts.theirs)];
    let mut sides = sides.into_iter().filter(|(other, ..)| !is_alone(*other));
    let (.., text) = sides.find(|(_, from, further)| goes_on(texts.base, from, further))?;
    let result = std::str::from_utf8(text).ok()?;
    (structured.lost().is_none() && check.is_sound(structured.inputs(), result)).then_some(text)
}

/// Whether a side changed only such lines of another one as that one has from the base, and nothing moved. Blank lines keep nothing
/// apart.
fn goes_on(base: &[u8], from: &[u8], further: &[u8]) -> bool {
    let [base, from, further] = [base, from, further].map(without_blank_lines);
    let (done, more) = (Changes::of(&base, &from), Changes::of(&from, &further));
    let gone: HashSet<&[u8]> = done.removed().chain(more.removed()).collect();
    let is_moved = done.added().chain(more.added()).any(|line| gone.contains(line));
    !is_moved && more.hunks.iter().all(|hunk| done.are_apart_from(hunk))
}

fn without_blank_lines(text: &[u8]) -> Vec<u8> {
    let lines = text.split_inclusive(|byte| *byte == b'\n');
    lines.filter(|line| !line.trim_ascii().is_empty()).flatten().copied().collect()
}

/// What became of a text, by lines without what stands around them.
struct Changes<'t> {
    before: Vec<&'t [u8]>,
    after: Vec<&'t [u8]>,
    hunks: Vec<Hunk>,
}

/// Lines that are no longer there, and what stands in their place.
struct Hunk {
    before: Range<usize>,
    after: Range<usize>,
}

impl<'t> Changes<'t> {
    fn of(before: &'t [u8], after: &'t [u8]) -> Self {
        let lines = |text: &'t [u8]| text.split_inclusive(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).collect();
        let mut changes = Self { before: lines(before), after: lines(after), hunks: Vec::new() };
        let end = (changes.before.len(), changes.after.len());
        let mut next = (0, 0);
        for (old, new) in unchanged(before, after).chain([end]) {
            if (old, new) != next {
                changes.hunks.push(Hunk { before: next.0..old, after: next.1..new });
            }
            next = (old + 1, new + 1);
        }
        changes
    }

    fn removed(&self) -> impl Iterator<Item = &'t [u8]> {
        self.hunks.iter().flat_map(|hunk| &self.before[hunk.before.clone()]).copied()
    }

    fn added(&self) -> impl Iterator<Item = &'t [u8]> {
        self.hunks.iter().flat_map(|hunk| &self.after[hunk.after.clone()]).copied()
    }

    /// Whether a later change is at no line that these brought.
    fn are_apart_from(&self, later: &Hunk) -> bool {
        let Range { start, end } = later.before;
        let near = &self.hunks[self.hunks.partition_point(|done| done.after.end < start)..];
        // Where the other side removed lines, a line beside them may be what they became.
        let is_calm = |done: &Hunk| done.before.len() <= done.after.len() || later.after.is_empty();
        let mut near = near.iter().take_while(|done| done.after.start <= end);
        near.all(|done| is_calm(done) && (done.after.end <= start || end <= done.after.start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(lines: &str) -> String {
        lines.split(' ').filter(|line| !line.is_empty()).map(|line| format!("{line}\n").replace('_', "")).collect()
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
            ("a _ b _ c", "a _ c", "x _ y _ c", false),
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
