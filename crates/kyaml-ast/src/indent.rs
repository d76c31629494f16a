//! Moves text from one column to another, and reads how a stream indents.
//!
//! Invariant: a shift changes only the blanks at the start of lines (and line ends, if asked to). So shifting a whole
//! entry never changes a value: the lines of block scalars move as far as their parent.

use crate::quote::plain::is_like_marker;
use crate::span::Newline;
use crate::tree::{Kind, NodeId, Stream};

/// A move of `to - from` columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift {
    pub(crate) from: usize,
    pub(crate) to: usize,
    pub(crate) newline: Newline,
}

impl Shift {
    /// Shifts every line of `text`. The first line is assumed to start at column 0.
    pub(crate) fn lines(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        text.split_inclusive('\n').for_each(|line| self.push_line(&mut out, line));
        out
    }

    /// Shifts every line of `text` except the first, which stands behind other text.
    pub(crate) fn tail(self, text: &str) -> String {
        let mut lines = text.split_inclusive('\n');
        let mut out = String::with_capacity(text.len() + 16);
        if let Some(first) = lines.next() {
            self.push_content(&mut out, first);
        }
        lines.for_each(|line| self.push_line(&mut out, line));
        out
    }

    /// Shifts the lines of a block scalar from indentation `from` to indentation `to`.
    ///
    /// In a line of blanks, everything beyond `from` is text and moves with the line. A shorter line of blanks has no
    /// text.
    pub(crate) fn scalar(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        for line in text.split_inclusive('\n') {
            let content = line.trim_start_matches(' ');
            let indent = line.len() - content.len();
            let is_blank = content.trim_end_matches(['\n', '\r']).is_empty();
            let short = is_blank && indent <= self.from;
            let indent = if short { indent.min(self.to) } else { self.to + indent.saturating_sub(self.from) };
            out.extend(std::iter::repeat_n(' ', indent));
            self.push_content(&mut out, content);
        }
        out
    }

    fn push_line(self, out: &mut String, line: &str) {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        // An empty line stays empty. A line of blanks moves: in a block scalar, blanks beyond the indentation are
        // content.
        let indent = if indent == 0 && matches!(content, "\n" | "\r\n" | "") { 0 } else { self.column(indent) };
        // Text at the start of a line must not look like a document marker.
        let is_marker = indent == 0 && line.len() > content.len() && is_like_marker(content);
        out.extend(std::iter::repeat_n(' ', indent + usize::from(is_marker)));
        self.push_content(out, content);
    }

    fn push_content(self, out: &mut String, content: &str) {
        match content.strip_suffix('\n') {
            Some(rest) => {
                out.push_str(rest.strip_suffix('\r').unwrap_or(rest));
                out.push_str(self.newline.as_str());
            }
            None => out.push_str(content),
        }
    }

    /// Lines do not move left of `to`, unless they are left of it already.
    fn column(self, column: usize) -> usize {
        if self.to >= self.from {
            return column + (self.to - self.from);
        }
        column.saturating_sub(self.from - self.to).max(column.min(self.to))
    }
}

/// The smallest indentation of the lines of `text` after its first. Blank lines do not count.
pub(crate) fn tail_indent(text: &str) -> Option<usize> {
    let lines = text.split('\n').skip(1).filter(|line| !line.trim_ascii().is_empty());
    lines.map(indent_of).min()
}

/// The number of spaces at the start of `text`.
pub(crate) fn indent_of(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}

/// How a stream indents. Its first nested block collections show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndentStyle {
    /// Columns between a key and the mapping below it.
    pub(crate) step: usize,
    /// Columns between a key and the `-` of the sequence below it. `None` if no sequence stands below a key.
    pub(crate) sequence: Option<usize>,
}

impl IndentStyle {
    /// Reads the style from the first block mapping and the first block sequence that stand below a key.
    pub(crate) fn of(stream: &Stream<'_>) -> Self {
        let mut step = None;
        let mut sequence = None;
        let mut holder = None;
        for (index, record) in stream.tape.iter().enumerate() {
            let node = stream.node(NodeId(index as u32));
            if record.kind.is_scalar() {
                holder = Some(node.column());
            }
            let (true, Some(key)) = (node.is_block_collection(), holder) else { continue };
            let offset = node.column().checked_sub(key);
            match record.kind {
                Kind::Mapping if step.is_none() && offset.is_some_and(|offset| offset > 0) => step = offset,
                Kind::Sequence if sequence.is_none() => sequence = offset,
                _ => {}
            }
            holder = None;
            if step.is_some() && sequence.is_some() {
                break;
            }
        }
        Self { step: step.unwrap_or(2), sequence }
    }
}
