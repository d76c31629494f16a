//! The commas between the entries of flow collections: finds them, and chooses how to write new ones.

use crate::emit::Blanks;
use crate::entry::Entry;
use crate::span::Span;
use crate::tree::{Kind, Node};

/// The comma after an entry, before byte `limit`.
pub(super) fn comma_after(entry: Entry<'_>, limit: u32) -> Option<u32> {
    let bytes = entry.stream().source().as_bytes();
    let mut at = entry.span().end;
    while at < limit {
        match bytes[at as usize] {
            b',' => return Some(at),
            b'#' => at += memchr::memchr(b'\n', &bytes[at as usize..limit as usize])? as u32,
            b' ' | b'\t' | b'\r' | b'\n' => at += 1,
            _ => return None,
        }
    }
    None
}

/// First byte after the comma of `entry` and the blanks after it.
pub(super) fn after_comma(entry: Entry<'_>, limit: u32) -> u32 {
    let Some(comma) = comma_after(entry, limit) else { return entry.span().end };
    let rest = Span::new(comma + 1, limit).of(entry.stream().source());
    comma + 1 + (rest.len() - rest.trim_start_matches([' ', '\t']).len()) as u32
}

/// The text of a new comma at `gap` (before the entry with this index). It is written as between the nearest entries,
/// so that `[a,b]` stays without blanks. If there is only one entry, its colon shows the style.
pub(super) fn comma_between(entries: &[Entry<'_>], gap: usize) -> &'static str {
    let near = &entries[gap.saturating_sub(2)..entries.len().min(gap + 2)];
    let is_tight =
        |pair: &[Entry<'_>]| Span::new(pair[0].span().end, pair[1].start()).of(pair[0].stream().source()) == ",";
    let is_without_blanks = match near {
        [single] => has_tight_colon(*single),
        near => near.windows(2).any(is_tight),
    };
    if is_without_blanks { "," } else { ", " }
}

/// The blanks in new text for `collection`. Compact JSON stays compact.
pub(super) fn blanks_in(collection: Node<'_>) -> Blanks {
    let is_compact = collection.entries().next().is_some_and(has_tight_colon);
    if is_compact { Blanks::None } else { Blanks::Written }
}

fn has_tight_colon(entry: Entry<'_>) -> bool {
    let is_quoted = |key: &Node<'_>| key.kind() == Kind::DoubleQuoted;
    let between = |key: Node<'_>| Span::new(key.full_span().end, entry.value().full_span().start);
    entry.key().filter(is_quoted).is_some_and(|key| between(key).of(entry.stream().source()) == ":")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::{blanks_in, comma_between};
    use crate::emit::Blanks;
    use crate::tree::Stream;

    #[test]
    fn commas_and_blanks_are_written_as_the_neighbours_are() {
        for (text, commas, blanks) in [
            ("[a,b]", [",", ",", ","], Blanks::Written),
            ("[a, b]", [", "; 3], Blanks::Written),
            ("[ a,b, c ]", [",", ",", ","], Blanks::Written),
            ("[a]", [", "; 3], Blanks::Written),
            (r#"{"a":1}"#, [","; 3], Blanks::None),
            (r#"{"a": 1}"#, [", "; 3], Blanks::Written),
            ("{a: 1,b: 2}", [","; 3], Blanks::Written),
            ("[a,\n b]", [", "; 3], Blanks::Written),
        ] {
            let stream = Stream::parse(text).unwrap();
            let root = stream.documents().next().unwrap().root().unwrap();
            let entries: Vec<_> = root.entries().collect();
            assert_eq!([0, 1, 2].map(|gap| comma_between(&entries, gap.min(entries.len()))), commas, "{text}");
            assert_eq!(blanks_in(root), blanks, "{text}");
        }
    }
}
