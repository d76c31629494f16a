//! Whether a merge lost what a side wrote, seen from its words alone: a check that knows neither YAML nor lines.

use std::collections::HashMap;

/// Shorter words may stand anywhere by chance.
const SHORTEST: usize = 5;

fn words(text: &str) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    // The letter of an escape is no part of the word behind it.
    for run in text.split('\\').enumerate().map(|(index, run)| if index == 0 { run } else { after_first(run) }) {
        for word in run.split(|character| !is_part(character)).filter(|word| word.len() >= SHORTEST) {
            *counts.entry(word).or_default() += 1;
        }
    }
    counts
}

fn after_first(run: &str) -> &str {
    let mut characters = run.chars();
    characters.next();
    characters.as_str()
}

/// A word that only a side has, and the result (with all its hunks) has not.
pub(crate) fn lost(base: &str, sides: [&str; 2], result: &str) -> Option<String> {
    let (base, result) = (words(base), words(result));
    sides.iter().find_map(|side| {
        let side = words(side);
        side.into_keys().find(|word| !base.contains_key(word) && !result.contains_key(word)).map(str::to_owned)
    })
}

/// A word of the base that a side removed, and that a result without conflicts has again.
///
/// Two kinds do not count. A word that stands in another line of the side that has it: that side removed the one and wrote
/// the other. And a comment that went because its place was rewritten in flow style, where it had no room: whoever only
/// changes the style did not mean the comment, so it is in the result where the other side's style is.
pub(crate) fn revived(base: &str, sides: [&str; 2], result: &str) -> Option<String> {
    let (known, has, words) = (words(base), words(result), sides.map(words));
    let is_revived = |word: &&str| {
        let is_rare = known[*word] == 1 && words.iter().all(|side| side.get(*word).is_none_or(|count| *count == 1));
        let is_everywhere = words.iter().all(|side| side.contains_key(*word));
        is_rare && has.contains_key(*word) && !is_everywhere
    };
    let counts = |word: &&str| {
        let old = line_of(base, word);
        let is_moved = |side: &&str| key_of(line_of(side, word)) == key_of(old);
        let is_kept = sides.iter().filter(|side| side.contains(*word)).all(is_moved);
        let is_comment = old.find('#').is_some_and(|start| old.find(*word).is_some_and(|place| start < place));
        let went_in_flow = sides.iter().any(|side| !side.contains(*word) && brackets(side) > brackets(base));
        is_kept && !(is_comment && went_in_flow)
    };
    known.keys().copied().filter(is_revived).find(counts).map(str::to_owned)
}

fn line_of<'t>(text: &'t str, word: &str) -> &'t str {
    text.lines().find(|line| line.contains(word)).unwrap_or_default()
}

/// The first word of a line: mostly the key.
fn key_of(line: &str) -> Option<&str> {
    line.split(|character: char| !character.is_alphanumeric()).find(|word| !word.is_empty())
}

fn brackets(text: &str) -> usize {
    text.matches(['{', '[']).count()
}
