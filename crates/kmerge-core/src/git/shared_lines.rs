//! How often a line stands in a text with one side chosen: what a side moved is to lines a removal and an addition, so that the
//! text may lack it, or have it twice.
//!
//! Counts lines, blanks around them aside. Of each line there is at least what is left when both sides' removals are taken from the
//! base's, and no more than the chosen side has and the other added. Ignores where lines stand, and lines that the base has not.

use std::collections::HashMap;

use kyaml_ast::Stream;

use crate::slots::{Side, Slots};

/// Whether a text with one side chosen has the lines that neither side removed, and none more often than both sides make it.
pub(super) fn are_kept(sides: &Slots<Stream<'_>>, chosen: Side, text: &str) -> bool {
    let Slots { dest: Some(ours), base: Some(base), incoming: Some(theirs) } = sides else { return true };
    let [base, ours, theirs] = [base, ours, theirs].map(|side| counts(side.source()));
    let (own, other) = if chosen == Side::Incoming { (&theirs, &ours) } else { (&ours, &theirs) };
    let found = counts(text);
    let of = |counts: &HashMap<&str, usize>, line: &str| counts.get(line).copied().unwrap_or_default();
    base.iter().all(|(line, times)| {
        let removed = |side| times.saturating_sub(of(side, line));
        let is_there = of(&found, line) + removed(own) + removed(other) >= *times;
        let most = of(own, line) + of(other, line).saturating_sub(*times);
        is_there && of(&found, line) <= most
    })
}

fn counts(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
        *counts.entry(line).or_default() += 1;
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn are_kept_of([base, ours, theirs]: [&str; 3], text: &str) -> bool {
        let [dest, base, incoming] = [ours, base, theirs].map(|text| Some(Stream::parse(text).unwrap()));
        are_kept(&Slots { dest, base, incoming }, Side::Dest, text)
    }

    #[test]
    fn what_a_side_moved_is_there() {
        let moved = ["- a\n- b\n- c\n", "- c\n- a\n- b\n", "- b\n- c\n- a\n"];
        assert!(are_kept_of(moved, "- b\n- c\n- a\n"));
        assert!(!are_kept_of(["- a\n- b\n", "- b\n", "- b\n- a\n"], "- b\n- a\n"));
        assert!(!are_kept_of(moved, "- b\n- a\n"));
    }

    #[test]
    fn what_each_side_removed_is_gone() {
        let twice = "- {a: 1}\n- {a: 1}\n- {a: 1}\n";
        assert!(are_kept_of([twice, "- {a: 1}\n- {a: 1}\n", "- {a: 1}\n- {a: 1}\n"], "- {a: 1}\n"));
        assert!(!are_kept_of([twice, twice, "- {a: 1}\n- {a: 1}\n"], "- {a: 1}\n"));
    }
}
