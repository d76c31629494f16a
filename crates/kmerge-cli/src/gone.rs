//! Comments of one side that are gone from a merge: where the other side removed what they stood at, the removal wins.
//!
//! Comments are compared without their blanks, wherever they stand. Ignores files that cannot be read as YAML.

use std::collections::{BTreeMap, HashMap};

use kmerge_core::Side;
use kmerge_core::lines::Texts;
use kmerge_core::markers::{chosen, hunks};
use kyaml_ast::{Span, Stream};

/// Comments of one side that neither the base nor the result has as often, whichever side is chosen in its hunks. If the other
/// side removed some that say the same, so many are not counted.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Gone {
    pub(crate) side: Side,
    /// The line of the first one on its side: `3`. If several say the same, it may be any of them: `3 or 7`.
    pub(crate) first: String,
    /// How many more there are.
    pub(crate) others: usize,
}

/// What is gone of ours, and of theirs, in `text`.
pub(crate) fn gone(texts: Texts<'_>, text: &[u8]) -> Vec<Gone> {
    // Mostly nothing is gone, and no text has to be parsed.
    if ![texts.ours, texts.theirs].iter().any(|side| has_more(side, text) && has_more(side, texts.base)) {
        return Vec::new();
    }
    let hunks = hunks(text);
    let ours = chosen(text, &hunks, |hunk| Some(hunk.ours.clone()));
    let theirs = chosen(text, &hunks, |hunk| Some(hunk.theirs.clone()));
    // What stands in a hunk is not gone: a person can choose it.
    let [Some(base), Some(ours), Some(theirs)] = [texts.base, &ours, &theirs].map(comments) else { return Vec::new() };
    let [Some(our), Some(their)] = [texts.ours, texts.theirs].map(comments) else { return Vec::new() };
    let of = |side, own, other| gone_of(side, own, &Others { base: &base, side: other, chosen: [&ours, &theirs] });
    [of(Side::Dest, &our, &their), of(Side::Incoming, &their, &our)].into_iter().flatten().collect()
}

/// The lines of each comment, by what it says.
type Comments = BTreeMap<String, Vec<usize>>;

/// What the comments of one side are compared with.
struct Others<'c> {
    base: &'c Comments,
    /// The other side.
    side: &'c Comments,
    /// The result, with each of the sides chosen in its hunks.
    chosen: [&'c Comments; 2],
}

impl Others<'_> {
    /// How often a comment is gone that stands `own` times on its side.
    fn gone(&self, comment: &str, own: usize) -> usize {
        let count = |of: &Comments| of.get(comment).map_or(0, Vec::len);
        let [base, left] = [count(self.base), self.chosen.map(count).into_iter().max().unwrap_or_default()];
        let removed = base.saturating_sub(count(self.side));
        own.saturating_sub(base.max(left)).min(own.saturating_sub(left + removed))
    }
}

fn gone_of(side: Side, own: &Comments, others: &Others<'_>) -> Option<Gone> {
    let times = |(comment, lines): (&String, &Vec<usize>)| {
        let times = others.gone(comment, lines.len());
        (times > 0).then(|| (lines.clone(), times))
    };
    let mut gone: Vec<_> = own.iter().filter_map(times).collect();
    gone.sort();
    let (first, times) = gone.first()?;
    let lines: Vec<String> = first.iter().map(usize::to_string).collect();
    let first = if *times < lines.len() { lines.join(" or ") } else { lines[0].clone() };
    Some(Gone { side, first, others: gone.iter().map(|(_, times)| times).sum::<usize>() - 1 })
}

/// Whether `text` has something behind the first `#` of a line, comment or not, that `other` does not have as often.
fn has_more(text: &[u8], other: &[u8]) -> bool {
    let mut left: HashMap<&[u8], usize> = HashMap::new();
    after_hashes(other).for_each(|words| *left.entry(words).or_default() += 1);
    for words in after_hashes(text) {
        match left.get_mut(words) {
            Some(left) if *left > 0 => *left -= 1,
            _ => return true,
        }
    }
    false
}

/// What stands behind the first `#` of each line that has one.
fn after_hashes(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let line = &rest[memchr::memchr(b'#', rest)?..];
        let end = memchr::memchr2(b'\n', b'\r', line).unwrap_or(line.len());
        rest = &line[end..];
        Some(&line[..end])
    })
}

/// The comments of a text without their blanks, and the lines that they stand on; `None` if it is no YAML.
fn comments(text: &[u8]) -> Option<Comments> {
    let stream = Stream::parse(std::str::from_utf8(text).ok()?).ok()?;
    let mut found = Comments::new();
    let mut line = 1;
    let mut from = 0;
    for span in stream.comment_spans_in(Span::new(0, stream.source().len() as u32)) {
        line += memchr::memchr_iter(b'\n', &text[from..span.start as usize]).count();
        from = span.start as usize;
        let words = span.of(stream.source()).split_ascii_whitespace().collect();
        found.entry(words).or_default().push(line);
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_are_gone_with_what_was_removed() {
        let texts = Texts { base: b"a: 1\nb: 1\n", ours: b"a: 1\n# x\n# y\nb: 1\n", theirs: b"a: 1\n" };
        let gone_of_ours = |others| vec![Gone { side: Side::Dest, first: "2".to_owned(), others }];
        assert_eq!(gone(texts, b"a: 1\n"), gone_of_ours(1));
        assert_eq!(gone(texts, b"a: 1\n#  y\n"), gone_of_ours(0));
        assert_eq!(gone(texts, b"a: 1\n# x\n# y\n"), []);
        assert_eq!(gone(texts, b"<<<<<<< ours\na: 2\n=======\na: 3\n>>>>>>> theirs\n"), gone_of_ours(1));
        assert_eq!(gone(texts, b"a: 1\n<<<<<<< ours\n# x\nb: 1\n=======\n>>>>>>> theirs\n# y\n"), []);
        // One comes, another one that says the same goes.
        let texts = Texts { base: b"a: 1 # x\nb: 1\n", ours: b"a: 1 # x\nb: 1 # x\n", theirs: b"a: 1\nb: 1\n" };
        assert_eq!(gone(texts, b"a: 1\nb: 1 # x\n"), []);
    }
}
