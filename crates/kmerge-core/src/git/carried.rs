//! A clean line merge in which one side moved lines to another collection, and the other side changed these lines. The first side put
//! a new key or new fields around the lines, and left the lines as they were.
//!
//! The proof sees that something is gone from one place and new at another. It cannot tell what became of a change there. Owns: the
//! proof of the line merge without the changes that move something. The lines themselves are on both sides, so a change among them
//! goes where they go. Ignores lines that one side cut and the other changed: in a line merge, that is a conflict.

use std::ops::Range;

use kyaml_ast::{Span, Stream};

use super::extra_conflicts::alone_at;
use super::structure::Structured;
use super::{moved, text_of};
use crate::lines::{self, Change, Division, Style, Texts};
use crate::proof::{Candidate, Inputs, SoundnessCheck};
use crate::slots::{Side, Slots};

/// The line merge, if nothing is wrong with it but that the proof does not know what moved.
pub(super) fn carried(
    division: &Division<'_>,
    structured: &Structured<'_>,
    check: SoundnessCheck<'_>,
) -> Option<String> {
    if division.conflicts() > 0 {
        return None;
    }
    let (changes, moved) = (division.changes(), structured.moved());
    let [by_ours, by_theirs] = [Side::Dest, Side::Incoming].map(|side| moved::moved_by(moved, side));
    let moves = |change: &Change| match change.by {
        Some(Side::Dest) => touch(&change.base, &by_ours),
        Some(Side::Incoming) => touch(&change.base, &by_theirs),
        _ => false,
    };
    if !changes.iter().any(moves) || !alone_at(&changes, moved).is_empty() {
        return None;
    }
    let texts = division.texts();
    let text = String::from_utf8(lines::assemble(texts, &division.regions(Style::Diff3))).ok()?;
    if !check.is_well_formed(structured.inputs(), &Candidate::new(structured.inputs(), &text)) {
        return None;
    }
    is_sound_without(texts, &changes, moves, check)?.then_some(text)
}

/// Whether the merge proves sound without the changes that move something.
fn is_sound_without(
    texts: Texts<'_>,
    changes: &[Change],
    moves: impl Fn(&Change) -> bool,
    check: SoundnessCheck<'_>,
) -> Option<bool> {
    let without = |side: Option<Side>| without(texts, changes, side, &moves);
    let [ours, theirs, result] = [without(Some(Side::Dest))?, without(Some(Side::Incoming))?, without(None)?];
    let base = std::str::from_utf8(texts.base).ok()?;
    let [dest, base, incoming] = [&*ours, base, &*theirs].map(Stream::parse);
    let rest = Inputs::new(Slots::three(dest.ok()?, base.ok()?, incoming.ok()?));
    Some(check.is_sound(&rest, &result))
}

/// Whether lines are among those of some spans, or beside them. The spans are in order, and apart.
fn touch(lines: &Range<usize>, spans: &[Span]) -> bool {
    let first = spans.partition_point(|span| span.range().end < lines.start);
    spans.get(first).is_some_and(|span| span.range().start <= lines.end)
}

/// The changes of a side, or of both, applied to the base, but for those that move something.
fn without(
    texts: Texts<'_>,
    changes: &[Change],
    side: Option<Side>,
    moves: impl Fn(&Change) -> bool,
) -> Option<String> {
    let (mut text, mut next) = (Vec::new(), 0);
    for change in changes.iter().filter(|change| !moves(change)) {
        if change.by.is_some_and(|by| side.is_some_and(|side| side != by)) {
            continue;
        }
        text.extend_from_slice(&texts.base[next..change.base.start]);
        text.extend_from_slice(text_of(texts, change, change.by.unwrap_or(Side::Dest)));
        next = change.base.end;
    }
    text.extend_from_slice(&texts.base[next..]);
    String::from_utf8(text).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::streams;
    use crate::schema::Schema;

    /// What is carried, given lines with `;` between them.
    fn carried_in(versions: [&str; 3]) -> Option<String> {
        let [base, ours, theirs] = versions.map(|lines| lines.replace(';', "\n") + "\n");
        let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        let (schema, division) = (Schema::new(), Division::new(texts));
        let structured = Structured::merge(&division, Inputs::new(streams(texts).ok()?), &schema).ok()?;
        let text = carried(&division, &structured, SoundnessCheck::new(&schema))?;
        Some(text.trim_end().replace('\n', ";"))
    }

    #[test]
    fn a_change_goes_where_its_lines_go() {
        for (versions, expected) in [
            (["u:;- a;- b;- c", "u:;- a;o:;- b;- c", "u:;- a;- b"], Some("u:;- a;o:;- b")),
            (["u:;- a;- b;- c;- d", "u:;- a;o:;- b;- c;- d", "u:;- a;- b;- c"], Some("u:;- a;o:;- b;- c")),
            (
                ["u:;- a;- b;- c;- d", "u:;- a;o:;- b;- c;- d", "u:;- a;- b;- x;- c;- d"],
                Some("u:;- a;o:;- b;- x;- c;- d"),
            ),
            (
                ["a:;  x: 1;  y: 2;  z: 3", "a:;  x: 1;b:;  y: 2;  z: 3", "a:;  x: 1;  y: 2;  z: 4"],
                Some("a:;  x: 1;b:;  y: 2;  z: 4"),
            ),
            // Cut, and put elsewhere.
            (["a:;  x: 1;  y: 2;b:;  z: 3", "a: {};b:;  z: 3;  x: 1;  y: 2", "a:;  x: 1;  y: 3;b:;  z: 3"], None),
            // Nothing moved.
            (["a: 1;b: 2;c: 3", "a: 2;b: 2;c: 3", "a: 1;b: 2;c: 4"], None),
        ] {
            let [base, ours, theirs] = versions;
            for versions in [[base, ours, theirs], [base, theirs, ours]] {
                assert_eq!(carried_in(versions).as_deref(), expected, "{versions:?}");
            }
        }
    }
}
