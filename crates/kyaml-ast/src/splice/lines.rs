//! Finds the owner of lines that an edit adds between others: comments and blank lines, or text at the end of a block
//! scalar.
//!
//! Lines that are indented more than an entry that ends there belong to the inside of this entry, so they must come
//! before everything else after the entry. The same holds for a list item that was commented out, in the column of the
//! list's key. All other lines stand directly above what follows.

use std::cmp::Reverse;

use super::Place;
use super::replacement::Rank;
use crate::indent::indent_of;
use crate::parents::Seat;
use crate::tree::{Kind, NodeId, flag};

impl Place<'_, '_> {
    /// The rank of lines at `column` that are added at byte `at`. If no line starts there, the rank of other text.
    pub(super) fn rank_of_lines(&self, at: u32, lines: &str, column: usize) -> Rank {
        let before = self.stream.source[..at as usize].trim_start_matches('\u{feff}');
        if !before.is_empty() && !before.ends_with('\n') || !lines.ends_with('\n') {
            return Rank::Value;
        }
        let records = &self.stream.tape;
        let next = records.partition_point(|record| record.start < at);
        let is_below_item = records[..next].last().is_some_and(|record| record.has(flag::ITEM));
        let is_item = is_line_of_item(lines, is_below_item);
        let mut last = records[..next].iter().rposition(|record| record.kind.is_node());
        while let Some(node) = last.map(|last| NodeId(last as u32)) {
            let (Seat::Value(entry) | Seat::Key(entry)) = self.context.seat(self.id, node) else { break };
            let (id, entry) = (entry, self.stream.entry(entry));
            let end = entry.extent().end;
            if end > at {
                return Rank::Gap;
            }
            if end == at && entry.column() < column && entry.collection().is_block_collection() {
                return Rank::behind(entry, at, id.collection);
            }
            let list = entry.value();
            if end == at
                && is_item
                && entry.column() == column
                && list.kind() == Kind::Sequence
                && list.is_block_collection()
            {
                return Rank::behind(entry, at, list.id());
            }
            last = Some(id.collection.index());
        }
        let follows = records[next..].iter().find(|record| record.kind != Kind::Comment);
        let is_end = last.is_some() && follows.is_none_or(|record| is_boundary(record.kind));
        if is_end { Rank::Behind(Reverse(0)) } else { Rank::Gap }
    }
}

/// The column of the first line. Lines after it belong to the same owner.
pub(super) fn column_of_lines(lines: &str) -> usize {
    lines.lines().find(|line| !line.trim().is_empty()).map_or(0, indent_of)
}

/// Whether a comment is a list item that was commented out, or, below one, another line of it.
fn is_line_of_item(lines: &str, is_below_item: bool) -> bool {
    let first = lines.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let Some(said) = first.trim_start().strip_prefix('#') else { return false };
    let text = said.trim_start_matches(' ');
    let is_item = text.strip_prefix('-').is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    is_item || is_below_item && said.len() - text.len() >= 2
}

/// Whether a record of this kind stands between documents.
fn is_boundary(kind: Kind) -> bool {
    matches!(kind, Kind::Document | Kind::Start | Kind::End | Kind::Directive)
}
