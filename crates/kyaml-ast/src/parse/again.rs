//! Parses a text that is mostly the source of another stream. Documents that are in both, byte for byte, are not read
//! again.
//!
//! Invariant: the tape is the same, record for record, as the one that [`Stream::parse_with`] writes, and so is an
//! error. A document is taken over if nothing before it affects it and nothing after it can belong to it: it is at the
//! start of the text or starts with its `---`; it has a root and no `...` (lines after `...` can belong to the next
//! document); and a `---` or the end of the text follows. All other text is parsed, except for entries that are
//! [known](super::known). The whole text is parsed if it has an error, or if these conditions cannot be decided for a
//! part.
//!
//! The cost is a comparison of bytes, a copy of records, and the parsing of what has changed.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use super::known::Known;
use super::{ParseError, Parser, input};
use crate::scan;
use crate::tree::{Document, NodeId, Record, Stream};

/// An index of all documents is worth making after this many documents in a row were not found.
const MANY_MISSES: usize = 2;

impl Stream<'_> {
    /// Parses `text` by the rules of this stream. The more documents both have in common, the cheaper it is.
    ///
    /// # Errors
    ///
    /// As [`Stream::parse_with`].
    pub fn parse_again<'n>(&self, text: &'n str) -> Result<Stream<'n>, ParseError> {
        input::check_size(text.len())?;
        match Again::new(self, text).tape() {
            Some(tape) => Ok(Stream::new(text, tape, self.acceptance)),
            None => Stream::parse_with(text, self.acceptance),
        }
    }

    /// As [`Stream::parse_again`], for bytes that should be UTF-8.
    ///
    /// # Errors
    ///
    /// As [`Stream::parse_bytes`].
    pub fn parse_bytes_again<'n>(&self, text: &'n [u8]) -> Result<Stream<'n>, ParseError> {
        self.parse_again(input::utf8(text)?)
    }
}

struct Again<'o, 'n> {
    old: &'o Stream<'o>,
    documents: Vec<Document<'o>>,
    text: &'n str,
    tape: Vec<Record>,
    /// The document that comes next if nothing has changed.
    expected: usize,
    /// The number of documents of the text that were not found since the last that was.
    misses: usize,
    by_text: Option<HashMap<&'o str, usize, RandomState>>,
}

impl<'o, 'n> Again<'o, 'n> {
    fn new(old: &'o Stream<'o>, text: &'n str) -> Self {
        let documents = old.documents().collect();
        Self { old, documents, text, tape: Vec::new(), expected: 0, misses: 0, by_text: None }
    }

    /// The tape of the text. `None` if it must be parsed as a whole.
    fn tape(mut self) -> Option<Vec<Record>> {
        let (mut at, mut run) = (0, 0);
        while at < self.text.len() {
            let Some(index) = self.find(at) else {
                self.misses += 1;
                at = self.next_marker(at);
                continue;
            };
            let document = self.documents[index];
            self.parse(run, at)?;
            self.take_over(document, at);
            at += document.span().len();
            run = at;
            (self.expected, self.misses) = (index + 1, 0);
        }
        self.parse(run, at)?;
        if self.tape.is_empty() {
            return None;
        }
        if self.tape.capacity() > self.tape.len() + self.tape.len() / 32 {
            self.tape.shrink_to_fit();
        }
        Some(self.tape)
    }

    /// The old document that stands at `at`. A document must start there.
    fn find(&mut self, at: usize) -> Option<usize> {
        let (expected, skipped) = (self.expected, self.expected + self.misses);
        // Three cases: the documents since the last find were inserted, or they were changed, or one was removed.
        let near = [expected, skipped, skipped + 1].into_iter().find(|&index| self.stands_at(index, at));
        if near.is_some() || self.misses < MANY_MISSES {
            return near;
        }
        let text = &self.text[at..self.next_marker(at)];
        let index = self.by_text.get_or_insert_with(|| {
            self.documents.iter().enumerate().map(|(index, document)| (document.text(), index)).collect()
        });
        index.get(text).copied().filter(|&index| self.stands_at(index, at))
    }

    fn stands_at(&self, index: usize, at: usize) -> bool {
        let Some(&document) = self.documents.get(index) else { return false };
        let end = at + document.span().len();
        self.text.as_bytes()[at..].starts_with(document.text().as_bytes())
            && (end == self.text.len() || self.is_marker(end))
            && is_closed(document)
    }

    /// Whether a `---` stands at `at`, alone on its line or not.
    fn is_marker(&self, at: usize) -> bool {
        let bytes = self.text.as_bytes();
        bytes[..at].ends_with(b"\n") && bytes[at] == b'-' && scan::is_marker(bytes, at)
    }

    /// The position of the next `---` after `at`, or the end of the text.
    fn next_marker(&self, at: usize) -> usize {
        let rest = &self.text.as_bytes()[at..];
        let mut found = memchr::memmem::find_iter(rest, b"\n---").map(|newline| at + newline + 1);
        found.find(|&marker| self.is_marker(marker)).unwrap_or(self.text.len())
    }

    /// Parses a part that equals no old document.
    fn parse(&mut self, start: usize, end: usize) -> Option<()> {
        if start == end {
            return Some(());
        }
        let stream = Stream::parse_by(self.parser(&self.text[start..end])).ok()?;
        // Comments without a root belong to the following document.
        if !stream.documents().all(is_closed) {
            return None;
        }
        if (start, end) == (0, self.text.len()) {
            self.tape = stream.tape;
        } else {
            self.append(&stream.tape, 0, start);
        }
        Some(())
    }

    /// A parser for a part that may start like the old document that comes next.
    fn parser<'p>(&self, part: &'p str) -> Parser<'p>
    where
        'o: 'p,
    {
        let mut parser = Parser::new(part, self.old.acceptance);
        parser.known = self.documents.get(self.expected).map(|document| Known::new(self.old, document.id(), part));
        parser
    }

    fn take_over(&mut self, document: Document<'o>, at: usize) {
        let NodeId(first) = document.id();
        let records = &self.old.tape[first as usize..];
        let count = records[0].skip();
        self.append(&records[..count], document.span().start, at);
    }

    /// Appends records of a text that moves from offset `from` to `to`.
    fn append(&mut self, records: &[Record], from: u32, to: usize) {
        if self.tape.capacity() - self.tape.len() < records.len() {
            // The first allocation is nearly right, so doubling it would be too much.
            let all = self.old.tape.len() + self.old.tape.len() / 64;
            self.tape.reserve_exact(records.len().max(all.saturating_sub(self.tape.len())).max(self.tape.len() / 8));
        }
        let moved = |offset: u32| offset - from + to as u32;
        self.tape.extend(records.iter().map(|record| record.moved(moved)));
    }
}

/// Whether a document ends right before the next `---`, whatever stands before and after.
fn is_closed(document: Document<'_>) -> bool {
    document.root().is_some() && document.end_marker().is_none()
}

#[cfg(test)]
pub(super) mod tests {
    //! Parsing again gives the same as parsing for the first time.
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use crate::{Acceptance, Stream};

    pub(in crate::parse) fn assert_same(old: &str, text: &str) {
        for acceptance in [Acceptance::KubeCompat, Acceptance::Strict12] {
            let Ok(old) = Stream::parse_with(old, acceptance) else { continue };
            let again = old.parse_again(text).map(|stream| stream.tape);
            assert_eq!(
                again,
                Stream::parse_with(text, acceptance).map(|stream| stream.tape),
                "{:?}\n{text:?}",
                old.source
            );
        }
    }

    #[test]
    fn documents_keep_their_records_wherever_they_stand() {
        let [a, b, c] = ["---\na: &x:y [1, *x:y ]\n", "---\nb: 'é'\n# b\n", "---\n- |+\n  c\n\n"];
        for text in [&[a, b, c][..], &[c, b, a], &[b], &[a, "---\nnew: 1\n", b, "--- x\n", "---\n", "--- y\n", c], &[]]
        {
            assert_same(&[a, b, c].concat(), &text.concat());
        }
    }

    #[test]
    fn what_comes_before_a_document_can_count_for_it() {
        let old = "---\na: 1\n---\nb: 2\n";
        for before in [
            "# c\n",
            "%YAML 1.2\n",
            "x: 1\n...\n%TAG !e! e:\n",
            "x: 1\n...\n# c\n",
            "\u{feff}",
            "\u{feff}# c\n",
            "\"",
            "[",
            "x: |\n",
        ] {
            assert_same(old, &format!("{before}{old}"));
            assert_same(old, &format!("---\na: 1\n{before}---\nb: 2\n"));
            assert_same(&format!("{before}{old}"), old);
            assert_same(&format!("{before}{old}"), &format!("# other\n{old}"));
            assert_same(&format!("{old}{before}"), &format!("{old}{before}{old}"));
            assert_same(&format!("x: 1\n...\n{before}{old}"), &format!("{before}{old}"));
        }
    }

    /// Parts of streams, most of which form documents together.
    fn part() -> impl Strategy<Value = &'static str> {
        prop::sample::select(vec![
            "---\n",
            "---\n",
            "---\n",
            "---\na: 1\n",
            "---\na: 2\n",
            "---\nb:\n- c # d\n",
            "--- |\n e\n",
            "--- # f\n",
            "--- >+\n g\n\n\n",
            "---\n- |-\n h\n\n",
            "# i\n",
            "\n",
            "...\n",
            "... # j\n",
            "%YAML 1.2\n",
            "%TAG !k! k:\n",
            "---\n!k!l m\n",
            "\u{feff}",
            "\"n\n",
            "o\"\n",
            "[p,\n",
            "q]\n",
            "--- r",
            "\r",
            "\r\n",
            "---\r\ns: t\r\n",
            "---\n&u:v w: *u:v\n",
            "---\n*u: x\n",
            "y: z\n",
            " ",
            "---",
            "\t",
            "---\n  '\u{feff}'\n",
            "---\n? a\n",
        ])
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(1024))]

        #[test]
        fn parsing_again_is_parsing(
            old in prop::collection::vec(part(), 0..10),
            changes in prop::collection::vec((any::<prop::sample::Index>(), 0..3usize, prop::collection::vec(part(), 0..3)), 0..4),
        ) {
            let mut new = old.clone();
            for (at, removed, added) in changes {
                let start = at.index(new.len() + 1);
                let end = (start + removed).min(new.len());
                new.splice(start..end, added);
            }
            assert_same(&old.concat(), &new.concat());
        }

        #[test]
        fn in_generated_streams_too(seed in 0..1000u64, moves in prop::collection::vec(any::<(u16, u16)>(), 0..4)) {
            let old = kmerge_testgen::manifests(seed, 3000);
            let mut parts: Vec<&str> = old.split_inclusive("\n---\n").collect();
            for (from, to) in moves {
                let part = parts.remove(usize::from(from) % parts.len());
                parts.insert(usize::from(to) % (parts.len() + 1), part);
            }
            assert_same(&old, &parts.concat());
        }
    }
}
