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
pub(crate) fn revived(base: &str, sides: [&str; 2], result: &str) -> Option<String> {
    let (base, result, sides) = (words(base), words(result), sides.map(words));
    let is_revived = |word: &&str| {
        let is_rare = base[*word] == 1 && sides.iter().all(|side| side.get(*word).is_none_or(|count| *count == 1));
        is_rare && result.contains_key(*word) && sides.iter().any(|side| !side.contains_key(*word))
    };
    base.keys().copied().find(|word| is_revived(word)).map(str::to_owned)
}
