//! The smallest change: some bytes are replaced. Sorts, checks and applies replacements in one forward pass.
//!
//! Invariant: bytes outside all replacements reach the output unchanged, with two exceptions: blanks that a replacement
//! with [`Seam::SwallowIndent`] removes after it, and blank lines after a block scalar that keeps blank lines (`|+`),
//! where they would become a part of its value.

use std::cmp::Reverse;

use super::SpliceError;
use crate::entry::Entry;
use crate::span::{Newline, Span};
use crate::tree::{Kind, Node, NodeId, Record, Stream};

/// How a replacement joins the text around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seam {
    /// Without change.
    Plain,
    /// The text is whole lines. It starts on a line of its own, also at the end of a file without a final newline.
    Lines,
    /// The text after it moves up: its leading white space is removed. A comment stays below, because it would belong to
    /// another entry.
    SwallowIndent,
    /// The blanks after it are removed.
    SwallowBlanks,
    /// The text starts directly after the text before it: the blanks between them are removed.
    Behind,
    /// The text is whole lines, below the text before it: the blanks at the end of that line are removed.
    Below,
    /// Only blanks change, and only if nothing else changes here.
    Soft,
}

/// The end of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Tail {
    /// Nothing that could absorb the text below.
    #[default]
    Closed,
    /// A block scalar. A comment below, indented like its text, would become text.
    Block,
    /// A block scalar that keeps its last line breaks. Blank lines below would become text, too.
    Keep,
}

/// Bytes, and the text that replaces them.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    pub(super) span: Span,
    pub(super) text: String,
    pub(super) seam: Seam,
    pub(super) tail: Tail,
    pub(super) rank: Rank,
}

/// The order of insertions at one place. The number is the number of the node that the insertion belongs to. Deeper
/// nodes have higher numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rank {
    /// Belongs to a node that ends here. Deeper nodes first.
    Behind(Reverse<u32>),
    /// Stands between documents.
    Between,
    /// Comments and blank lines that no entry owns.
    Gap,
    /// Comes before a node that starts here. Deeper nodes last.
    Before(u32),
    /// A comment above an entry.
    Lead,
    /// A key that was not written before.
    Key,
    /// A value that was not written before, and everything else.
    Value,
    /// As [`Rank::Behind`], after a value that is not written and therefore also starts here.
    BehindNothing(Reverse<u32>),
    /// A comma after a flow entry that has its lines to itself.
    Comma,
    /// The comment after this comma.
    Trail,
    /// The entries below this entry.
    Below,
    /// A document after all others.
    Last,
}

impl Rank {
    /// The rank of text written to byte `at` after `entry`, for a node.
    pub(super) fn behind(entry: Entry<'_>, at: u32, node: NodeId) -> Self {
        let tape = &entry.stream().tape[..entry.value().after()];
        let last = tape.iter().rposition(|record| record.kind.is_node()).map(|last| entry.stream().node_at(last));
        let is_nothing = last.is_some_and(|last| last.full_span() == Span::at(at));
        if is_nothing { Self::BehindNothing(Reverse(node.0)) } else { Self::Behind(Reverse(node.0)) }
    }
}

impl Replacement {
    pub(super) fn new(span: Span, text: impl Into<String>, rank: Rank) -> Self {
        Self { span, text: text.into(), seam: Seam::Plain, tail: Tail::Closed, rank }
    }

    /// Whole lines.
    pub(super) fn lines(span: Span, text: String, rank: Rank) -> Self {
        let tail = Tail::of(&text);
        Self { span, text, seam: Seam::Lines, tail, rank }
    }

    pub(super) fn tail(self, tail: Tail) -> Self {
        Self { tail, ..self }
    }
}

impl Tail {
    /// The tail of a text of whole YAML lines.
    pub(super) fn of(text: &str) -> Self {
        if !memchr::memchr2_iter(b'|', b'>', text.as_bytes()).any(|at| is_like_header(text, at)) {
            return Self::Closed;
        }
        let Ok(stream) = Stream::parse_fragment(text) else { return Self::Closed };
        let Some(last) = last_written(&stream, stream.tape.len()) else { return Self::Closed };
        let is_last = stream.tape[last.after()..].iter().all(|record| record.kind != Kind::Comment);
        if is_last { Self::of_scalar(last.kind(), last.text()) } else { Self::Closed }
    }

    /// The tail of a node with this text.
    pub(super) fn of_scalar(kind: Kind, text: &str) -> Self {
        if !kind.is_block_scalar() {
            return Self::Closed;
        }
        let header =
            &text[..1 + text[1..].bytes().take_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9')).count()];
        if header.contains('+') { Self::Keep } else { Self::Block }
    }

    /// The tail of the text before byte `at` of a source. Blanks do not count.
    fn before(stream: &Stream<'_>, at: u32) -> Self {
        let count = stream.tape.partition_point(|record| record.start < at);
        // A block scalar has at most three children: a digit, a comment and its end.
        let found = (count.saturating_sub(4)..count).rev().find(|&index| {
            let record = stream.tape[index];
            record.kind.is_block_scalar() && index + record.skip() >= count
        });
        let Some(node) = found.map(|index| stream.node_at(index)) else { return Self::Closed };
        let tail = Self::of_scalar(node.kind(), node.text());
        let is_text = tail == Self::Keep && node.block_scalar().is_some_and(|scalar| at < scalar.body.end);
        if node.span().end <= at && !is_text { tail } else { Self::Closed }
    }
}

/// Whether a block scalar may start at byte `at`: only blanks or nothing stand before the indicator and after the
/// header.
fn is_like_header(text: &str, at: usize) -> bool {
    let (before, header) = (&text[..at], &text[at + 1..]);
    let behind = header.trim_start_matches(|letter: char| matches!(letter, '+' | '-' | '0'..='9'));
    let blanks = [' ', '\t', '\r', '\n'];
    (before.is_empty() || before.ends_with(blanks)) && (behind.is_empty() || behind.starts_with(blanks))
}

/// The last node before record `end` that is written. The value of a `? key` may not be.
pub(super) fn last_written<'t>(stream: &'t Stream<'t>, end: usize) -> Option<Node<'t>> {
    let is_written =
        |record: &Record| record.kind.is_node() && (record.kind != Kind::Null || !record.leaf_span().is_empty());
    stream.tape[..end].iter().rposition(is_written).map(|last| stream.node_at(last))
}

/// Applies replacements to the part `within` of the stream's source. Line breaks at `carriages` become carriage
/// returns.
pub(super) fn assemble(
    stream: &Stream<'_>,
    within: Span,
    mut replacements: Vec<Replacement>,
    newline: Newline,
    carriages: &[u32],
) -> Result<String, SpliceError> {
    replacements.sort_by_key(|it| (it.span.start, !it.span.is_empty(), it.rank));
    let added: usize = replacements.iter().map(|it| it.text.len() + 2).sum();
    let replaced: usize = replacements.iter().filter(|it| it.seam != Seam::Soft).map(|it| it.span.len()).sum();
    let out = String::with_capacity((within.len() + added).saturating_sub(replaced));
    let back = Vec::new();
    let mut writer =
        Writer { out, swallow: false, swallow_blanks: false, tail: Tail::Closed, newline, carriages, back };
    let mut at = within.start;
    for (index, replacement) in replacements.iter().enumerate() {
        let overlaps = replacement.span.start < at || replacement.span.end > within.end;
        let next = replacements.get(index + 1).map_or(u32::MAX, |next| next.span.start);
        if replacement.seam == Seam::Soft && (overlaps || next < replacement.span.end) {
            continue;
        }
        if overlaps {
            return Err(SpliceError::Overlap { span: replacement.span, at });
        }
        writer.push_source(stream, Span::new(at, replacement.span.start), replacement.span.start == within.end);
        writer.push_replacement(replacement);
        at = replacement.span.end;
    }
    writer.push_source(stream, Span::new(at, within.end), true);
    let mut out = writer.out;
    for at in writer.back.into_iter().rev() {
        // Before a line feed, the carriage return would form one line break with it.
        if !out[at + 1..].starts_with('\n') {
            out.replace_range(at..=at, "\r");
        }
    }
    Ok(out)
}

struct Writer<'c> {
    out: String,
    swallow: bool,
    swallow_blanks: bool,
    tail: Tail,
    newline: Newline,
    carriages: &'c [u32],
    /// Their positions in `out`.
    back: Vec<usize>,
}

impl Writer<'_> {
    /// Writes a part of the source.
    fn push_source(&mut self, stream: &Stream<'_>, span: Span, is_last: bool) {
        let mut text = span.of(stream.source);
        let mut start = span.start;
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            // The rest of a line with at most a comment. The text of a block scalar starts below.
            let end = text.find('\n').map_or(text.len(), |end| end + 1);
            let (rest, below) = text.split_at(end);
            if matches!(rest.trim_ascii_start().as_bytes(), [] | [b'#', ..]) {
                self.push(Some(start), rest);
                start += end as u32;
                text = below;
            }
        }
        if is_last && self.tail != Tail::Closed && self.out.ends_with('\n') && text.trim_ascii().is_empty() {
            // Blanks without a line break also count as a blank line.
            text = text.trim_end_matches([' ', '\t']);
        }
        self.push(Some(start), text);
        if !text.trim_ascii().is_empty() {
            self.tail = Tail::before(stream, span.end);
        }
    }

    fn push_replacement(&mut self, replacement: &Replacement) {
        let needs_line = replacement.seam == Seam::Lines && !replacement.text.is_empty() && !self.swallow;
        let is_below = replacement.seam == Seam::Below;
        if is_below || replacement.seam == Seam::Behind {
            self.trim_blanks();
        }
        if (needs_line || is_below) && !self.is_at_line_start() {
            self.out.push_str(self.newline.as_str());
        }
        self.push(None, &replacement.text);
        if !replacement.text.is_empty() {
            self.tail = replacement.tail;
        }
        self.swallow |= replacement.seam == Seam::SwallowIndent;
        self.swallow_blanks = replacement.seam == Seam::SwallowBlanks;
    }

    /// Byte order marks do not count as a part of a line.
    fn is_at_line_start(&self) -> bool {
        let out = self.out.trim_end_matches('\u{feff}');
        out.is_empty() || out.ends_with('\n')
    }

    fn trim_blanks(&mut self) {
        self.out.truncate(self.out.trim_end_matches([' ', '\t']).len());
    }

    /// Writes the end of a text. `start` is the text's position in the source, if it is from the source.
    fn copy(&mut self, start: Option<u32>, text: &str, rest: &str) {
        if let Some(start) = start.filter(|_| !self.carriages.is_empty()) {
            let from = start + (text.len() - rest.len()) as u32;
            let first = self.carriages.partition_point(|at| *at < from);
            let own = self.carriages[first..].iter().take_while(|at| **at < start + text.len() as u32);
            self.back.extend(own.map(|at| self.out.len() + (at - from) as usize));
        }
        self.out.push_str(rest);
    }

    /// Writes a text without what must be removed from its start. `start` is its position in the source, if it is from
    /// the source.
    fn push(&mut self, start: Option<u32>, text: &str) {
        let mut rest = text;
        if std::mem::take(&mut self.swallow_blanks) {
            rest = rest.trim_start_matches([' ', '\t']);
            if rest.starts_with(['\r', '\n']) {
                self.trim_blanks();
            }
        }
        if self.swallow {
            rest = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            self.swallow = rest.is_empty();
            if rest.starts_with('#') {
                self.trim_blanks();
                self.out.push_str(self.newline.as_str());
                rest = without_blank_lines(text);
            }
        } else if self.tail != Tail::Closed && self.out.ends_with('\n') {
            rest = without_blank_lines(rest);
            if self.tail == Tail::Block {
                // Blanks beyond the scalar's indentation would be text. An empty line is not.
                let blank = &text[..text.len() - rest.len()];
                let mut end = 0;
                for line in blank.split_inclusive('\n') {
                    end += line.len();
                    self.copy(start, &text[..end], line.trim_start_matches([' ', '\t']));
                }
            }
        }
        self.copy(start, text, rest);
    }
}

/// `text` from its first line on that is not blank.
fn without_blank_lines(text: &str) -> &str {
    let blank = text.len() - text.trim_start_matches([' ', '\t', '\r', '\n']).len();
    let start = text[..blank].rfind('\n').map_or(0, |newline| newline + 1);
    &text[start..]
}
