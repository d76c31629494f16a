//! The parts of a literal or folded scalar in the source.

use crate::span::{Span, line_end};
use crate::tree::Node;

/// The position of a block scalar's parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockScalar {
    /// `|` or `>` with its indicators, without a comment.
    pub header: Span,
    /// The whole lines below the header that belong to the scalar, with the last newline if there is one.
    pub body: Span,
    /// The number of columns that are indentation, not content.
    pub indent: usize,
}

impl Node<'_> {
    /// The parts of a block scalar. `None` for any other node.
    #[must_use]
    pub fn block_scalar(self) -> Option<BlockScalar> {
        if !self.kind().is_block_scalar() {
            return None;
        }
        let source = self.stream().source();
        let span = self.span();
        let indicators = self.text()[1..].bytes().take_while(|byte| matches!(byte, b'+' | b'-' | b'1'..=b'9')).count();
        let start = line_end(source, span.start);
        let end = if span.end >= start { line_end(source, span.end) } else { start };
        let body = Span::new(start, end);
        let first = body.of(source).lines().find(|line| !line.trim_start_matches(' ').is_empty());
        let detected = first.map(|line| line.len() - line.trim_start_matches(' ').len());
        let indent = self.stream().indent_indicator(self.id()).or(detected).unwrap_or(0);
        Some(BlockScalar { header: Span::new(span.start, span.start + 1 + indicators as u32), body, indent })
    }
}
