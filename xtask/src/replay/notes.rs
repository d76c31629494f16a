//! Comments that a merge has too often, counted without regard to where they stand.
//!
//! A comment that one side alone added or removed stands as often as on that side. Ignores comments that the committed text has
//! as often, and those whose number both sides changed, unless more stand than both sides brought.

use std::collections::BTreeMap;

use kmerge_core::lines::Texts;
use kyaml_ast::Stream;

/// What is wrong with the comments of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    /// A comment stands more often than the sides brought it.
    Twice,
    /// A comment that a side removed is there.
    Back,
}

pub(crate) fn fault(texts: Texts<'_>, merged: &[u8], committed: &[u8]) -> Option<Fault> {
    let [base, ours, theirs, committed] = [texts.base, texts.ours, texts.theirs, committed].map(counts);
    let of = |side: &BTreeMap<String, usize>, comment: &String| side.get(comment).copied().unwrap_or_default();
    counts(merged).iter().find_map(|(comment, &count)| {
        let [base, ours, theirs] = [&base, &ours, &theirs].map(|side| of(side, comment));
        let most = if ours == base || ours == theirs {
            theirs
        } else if theirs == base {
            ours
        } else {
            ours.max(theirs).max((ours + theirs).saturating_sub(base))
        };
        let kind = if base > ours.min(theirs) { Fault::Back } else { Fault::Twice };
        (count > most.max(of(&committed, comment))).then_some(kind)
    })
}

fn counts(text: &[u8]) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    if let Ok(stream) = Stream::parse_bytes(text) {
        for comment in stream.comments() {
            let words: String = comment.trim_start_matches('#').split_whitespace().collect();
            if words.chars().any(char::is_alphanumeric) {
                *counts.entry(words).or_default() += 1;
            }
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(base: &str, ours: &str, theirs: &str, merged: &str) -> Option<Fault> {
        let texts = Texts { base: base.as_bytes(), ours: ours.as_bytes(), theirs: theirs.as_bytes() };
        fault(texts, merged.as_bytes(), b"")
    }

    #[test]
    fn comments_that_come_back_or_stand_twice_are_found() {
        assert_eq!(of("# x\na: 1\n", "a: 1\n", "# x\na: 2\n", "# x\na: 2\n"), Some(Fault::Back));
        assert_eq!(of("a: 1\n", "# x\na: 1\n", "a: 2\n", "# x\na: 2\n#x\n"), Some(Fault::Twice));
        assert_eq!(of("a: 1\n", "# x\na: 1\n", "#x\na: 2\n", "# x\na: 2\n"), None);
    }
}
