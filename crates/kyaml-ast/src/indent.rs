//! Moves text from one column to another, and tells how a stream indents.
//!
//! Invariant: a shift changes nothing but the blanks at the start of lines (and line ends, where it is told to), so that
//! a uniform shift of an entry never changes a value: the lines of block scalars move by as much as their parent does.

use crate::entry::EntryId;
use crate::span::Newline;
use crate::tree::{Kind, NodeId, Stream};

/// A move by `to - from` columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Shift {
    pub(crate) from: usize,
    pub(crate) to: usize,
    /// Lines do not move left of this column, unless they already are.
    pub(crate) floor: usize,
    pub(crate) newline: Newline,
}

impl Shift {
    /// Shifts every line of `text`; its first line is taken to start at column 0 of a line.
    pub(crate) fn lines(self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() + 16);
        text.split_inclusive('\n').for_each(|line| self.push_line(&mut out, line));
        out
    }

    /// Shifts every line of `text` but its first, which stands behind something else.
    pub(crate) fn tail(self, text: &str) -> String {
        let mut lines = text.split_inclusive('\n');
        let mut out = String::with_capacity(text.len() + 16);
        if let Some(first) = lines.next() {
            self.push_content(&mut out, first);
        }
        lines.for_each(|line| self.push_line(&mut out, line));
        out
    }

    fn push_line(self, out: &mut String, line: &str) {
        let content = line.trim_start_matches(' ');
        let indent = line.len() - content.len();
        // An empty line stays empty. A line of blanks moves too: in a block scalar the surplus ones are content.
        let indent = if indent == 0 && matches!(content, "\n" | "\r\n" | "") { 0 } else { self.column(indent) };
        out.extend(std::iter::repeat_n(' ', indent));
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

    fn column(self, column: usize) -> usize {
        if self.to >= self.from {
            return column + (self.to - self.from);
        }
        column.saturating_sub(self.from - self.to).max(column.min(self.floor))
    }
}

/// How a stream indents, as its first nested block collections show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IndentStyle {
    /// Columns between a key and the mapping below it.
    pub(crate) step: usize,
    /// Columns between a key and the `-` of the sequence below it.
    pub(crate) sequence: usize,
}

impl IndentStyle {
    /// Reads the style off the first block mapping and the first block sequence that stand below a key.
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
        Self { step: step.unwrap_or(2), sequence: sequence.unwrap_or(0) }
    }
}

/// Parents of all nodes of one stream, for the few who have to look upwards; made in one pass.
#[derive(Clone, Debug)]
pub struct Parents(Vec<u32>);

impl Parents {
    /// Reads the parents off a stream.
    #[must_use]
    pub fn of(stream: &Stream<'_>) -> Self {
        let mut parents = vec![u32::MAX; stream.tape.len()];
        let mut open: Vec<(u32, u32)> = Vec::new();
        for (index, record) in stream.tape.iter().enumerate() {
            let index = index as u32;
            while open.last().is_some_and(|&(_, end)| end <= index) {
                open.pop();
            }
            parents[index as usize] = open.last().map_or(u32::MAX, |&(parent, _)| parent);
            if record.skip > 1 {
                open.push((index, index + record.skip));
            }
        }
        Self(parents)
    }

    /// The entry of `stream` whose value `node` is; `None` for a root.
    #[must_use]
    pub fn holder(&self, stream: &Stream<'_>, node: NodeId) -> Option<EntryId> {
        let parent = *self.0.get(node.index())?;
        let collection = NodeId(parent);
        match stream.tape.get(parent as usize)?.kind {
            Kind::Sequence => Some(EntryId { collection, key: None, value: node }),
            Kind::Mapping => {
                let before = stream.node(node).first_record() - 1;
                let mut key = (0..=before).rev().find(|&index| stream.tape[index].kind.is_node())?;
                while self.0[key] != parent {
                    key = *self.0.get(key)? as usize;
                }
                Some(EntryId { collection, key: Some(NodeId(key as u32)), value: node })
            }
            _ => None,
        }
    }
}
