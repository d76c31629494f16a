//! The smallest change: some bytes become others. Sorts, checks and applies them in one forward pass.
//!
//! Invariant: bytes outside every replacement reach the output unchanged, except for the blanks that a replacement with
//! [`Seam::SwallowIndent`] takes away from what follows it.

use super::SpliceError;
use crate::span::{Newline, Span};

/// How a replacement joins what stands around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seam {
    /// As it is.
    Plain,
    /// The text is whole lines: it starts on a line of its own, also at the end of a file without a final newline.
    Lines,
    /// What follows moves up to here: its leading white space goes.
    SwallowIndent,
}

/// Bytes and what they become.
#[derive(Clone, Debug)]
pub(super) struct Replacement {
    pub(super) span: Span,
    pub(super) text: String,
    pub(super) seam: Seam,
    /// Orders insertions at one place: the highest first. Nested places have higher ids than what they lie in.
    pub(super) rank: u32,
}

impl Replacement {
    pub(super) fn new(span: Span, text: impl Into<String>, rank: u32) -> Self {
        Self { span, text: text.into(), seam: Seam::Plain, rank }
    }

    pub(super) fn lines(span: Span, text: String, rank: u32) -> Self {
        Self { span, text, seam: Seam::Lines, rank }
    }
}

/// Applies replacements to the part `within` of `source`.
pub(super) fn assemble(
    source: &str,
    within: Span,
    mut replacements: Vec<Replacement>,
    newline: Newline,
) -> Result<String, SpliceError> {
    replacements.sort_by_key(|it| (it.span.start, !it.span.is_empty(), std::cmp::Reverse(it.rank)));
    let added: usize = replacements.iter().map(|it| it.text.len() + 2).sum();
    let mut writer = Writer { out: String::with_capacity(within.len() + added), swallow: false, newline };
    let mut at = within.start;
    for replacement in &replacements {
        if replacement.span.start < at || replacement.span.end > within.end {
            return Err(SpliceError::Overlap { span: replacement.span, at });
        }
        writer.push(Span::new(at, replacement.span.start).of(source));
        writer.push_replacement(replacement);
        at = replacement.span.end;
    }
    writer.push(Span::new(at, within.end).of(source));
    Ok(writer.out)
}

struct Writer {
    out: String,
    swallow: bool,
    newline: Newline,
}

impl Writer {
    fn push(&mut self, text: &str) {
        let rest = if self.swallow { text.trim_start_matches([' ', '\t', '\r', '\n']) } else { text };
        self.swallow &= rest.is_empty();
        self.out.push_str(rest);
    }

    fn push_replacement(&mut self, replacement: &Replacement) {
        let needs_line = replacement.seam == Seam::Lines && !replacement.text.is_empty() && !self.swallow;
        if needs_line && !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push_str(self.newline.as_str());
        }
        self.push(&replacement.text);
        self.swallow |= replacement.seam == Seam::SwallowIndent;
    }
}
