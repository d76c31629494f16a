//! Lines as small numbers: equal lines of the three texts get the same token.
//!
//! Most lines of a side equal the line of base at the same place, so a side is read along base and hashed only where
//! the two part.

use std::ops::Range;

use hashbrown::HashMap;
use wide::u8x16;

use super::Texts;

/// Stands for the content of a line, its newline included.
pub(super) type Token = u32;

/// One text, cut into lines.
#[derive(Debug)]
pub(super) struct Text<'a> {
    /// The text itself.
    pub(super) source: &'a [u8],
    /// One for each line.
    pub(super) tokens: Vec<Token>,
    /// Where each line starts, and at last the end of the text.
    starts: Vec<usize>,
}

impl<'a> Text<'a> {
    fn new(source: &'a [u8]) -> Self {
        let starts = starts(source);
        Self { source, tokens: Vec::with_capacity(starts.len() - 1), starts }
    }

    /// The bytes of a range of lines.
    pub(super) fn bytes(&self, lines: Range<usize>) -> Range<usize> {
        self.starts[lines.start]..self.starts[lines.end]
    }

    /// The content of a range of lines.
    pub(super) fn slice(&self, lines: Range<usize>) -> &'a [u8] {
        &self.source[self.bytes(lines)]
    }

    fn count(&self) -> usize {
        self.starts.len() - 1
    }

    fn line(&self, index: usize) -> &'a [u8] {
        self.slice(index..index + 1)
    }
}

/// Where each line of a text starts, and the end of the text. Lines are short: a search for each newline would take longer.
fn starts(source: &[u8]) -> Vec<usize> {
    let mut starts = Vec::with_capacity(memchr::memchr_iter(b'\n', source).count() + 2);
    starts.push(0);
    let (lanes, rest) = source.as_chunks();
    let mut at = 0;
    for lane in lanes {
        let mut newlines = u8x16::new(*lane).cmp_eq(u8x16::splat(b'\n')).move_mask();
        while newlines != 0 {
            starts.push(at + newlines.trailing_zeros() as usize + 1);
            newlines &= newlines - 1;
        }
        at += lane.len();
    }
    starts.extend(memchr::memchr_iter(b'\n', rest).map(|newline| at + newline + 1));
    if starts.last() != Some(&source.len()) {
        starts.push(source.len());
    }
    starts
}

/// The three texts with one numbering of their lines.
#[derive(Debug)]
pub(super) struct Lines<'a> {
    pub(super) base: Text<'a>,
    pub(super) ours: Text<'a>,
    pub(super) theirs: Text<'a>,
}

impl<'a> Lines<'a> {
    pub(super) fn new(texts: Texts<'a>) -> Self {
        let mut interner = Interner::new(Text::new(texts.base));
        let ours = interner.read_along(texts.ours);
        let theirs = interner.read_along(texts.theirs);
        Self { base: interner.base, ours, theirs }
    }
}

/// Numbers lines in the order in which they are first seen.
struct Interner<'a> {
    base: Text<'a>,
    tokens: HashMap<&'a [u8], Token>,
    /// For each token that base has, the first line of base that has it.
    first: Vec<usize>,
}

impl<'a> Interner<'a> {
    fn new(base: Text<'a>) -> Self {
        let tokens = HashMap::with_capacity(base.count());
        let mut interner = Self { base, tokens, first: Vec::new() };
        for index in 0..interner.base.count() {
            let token = interner.number(interner.base.line(index));
            if token as usize == interner.first.len() {
                interner.first.push(index);
            }
            interner.base.tokens.push(token);
        }
        interner
    }

    fn read_along(&mut self, source: &'a [u8]) -> Text<'a> {
        let mut text = Text::new(source);
        // The line of base that the next line of `text` probably equals.
        let mut expected = 0;
        for index in 0..text.count() {
            let line = text.line(index);
            let token = match self.base.tokens.get(expected) {
                Some(&token) if self.base.line(expected) == line => token,
                _ => {
                    let token = self.number(line);
                    expected = self.first.get(token as usize).copied().unwrap_or(expected);
                    token
                }
            };
            expected += 1;
            text.tokens.push(token);
        }
        text
    }

    fn number(&mut self, line: &'a [u8]) -> Token {
        let next = self.tokens.len() as Token;
        *self.tokens.entry(line).or_insert(next)
    }
}
