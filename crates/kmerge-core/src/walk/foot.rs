//! Merges the foot of an entry: comments and blank lines below its value that are indented deeper than the entry and
//! belong to no entry inside the value.
//!
//! A foot is a lane without entries. It stays as it is if the entry is rewritten as a whole or has a conflict inside.
//! Ignores entries that share a line with others.

use hashbrown::HashMap;
use kyaml_ast::{Edit, Entry, EntryId, Kind, Node, Span, line_end};

use super::around::block_entries;
use super::ends::Margin;
use super::fates::Fates;
use super::{Frame, Walker};
use crate::correspond::Aligned;
use crate::equal::same_value;
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// Merges the feet of those visited entries that all sides have and that no edit rewrites. If an entry moves within
    /// the destination, the edits of its foot go into its graft.
    pub(super) fn feet(&mut self, frame: &Frame<'a>, fates: &mut Fates) -> Vec<Edit> {
        let of_all = edited(&fates.edits);
        let conflicted = self.conflicted(frame.conflicts);
        let mut feet = Vec::new();
        for index in std::mem::take(&mut fates.visited) {
            let Some(dest) = self.entries(frame.aligned.rows[index]).dest else { continue };
            if frame.feet.contains(&index) || conflicted.any_in(dest) {
                continue;
            }
            let part = dest.id();
            match fates.graft(index).filter(|graft| graft.stream == Side::Dest.stream()) {
                Some(moving) => {
                    let edit = edited(&moving.edits).get(&part).copied();
                    moving.edits.extend(self.foot_of_row(frame, index, edit, true));
                }
                None => feet.extend(self.foot_of_row(frame, index, of_all.get(&part).copied(), false)),
            }
        }
        feet
    }

    /// `edit` is how an edit changes the entry: see [`edited`].
    fn foot_of_row(&mut self, frame: &Frame<'a>, index: usize, edit: Option<bool>, is_moving: bool) -> Vec<Edit> {
        let row = frame.aligned.rows[index];
        let entries = self.entries(row);
        let Some([dest, base, incoming]) = entries.all() else { return Vec::new() };
        let is_replaced = edit == Some(false);
        if edit == Some(true)
            || !is_changed(dest, base, incoming)
            || !is_moving && !is_replaced && is_kept_whole(dest, base, incoming)
        {
            return Vec::new();
        }
        self.path.push(self.segment(frame, index));
        let edits = match !is_moving && is_filled(dest) && is_bare(base) && is_bare(incoming) {
            true => self.filled(frame, row),
            false => self.foot(frame, entries, is_moving, is_replaced).unwrap_or_default(),
        };
        self.path.pop();
        edits
    }

    /// Merges the comments inside a collection that only the destination has. The other sides have comments there, but
    /// no entries.
    pub(super) fn filled(&mut self, frame: &Frame<'a>, row: Slots<EntryId>) -> Vec<Edit> {
        let nodes = self.entries(row).map(Entry::value);
        let own = nodes.dest.into_iter().flat_map(Node::entries);
        let rows: Vec<Slots<EntryId>> = own.map(|entry| Slots { dest: Some(entry.id()), ..Slots::default() }).collect();
        let aligned = Aligned { places: (0..rows.len()).collect(), rows, incoming_order: Vec::new() };
        let frame = Frame { aligned, ..self.frame(nodes, row, frame.cursor) };
        self.lines_alone(&frame, |_, _| true)
    }

    /// Merges the feet of one entry. If `is_replaced`, its value becomes the incoming one. On a conflict, the foot of a
    /// moving entry stays: it has no place for a hunk.
    fn foot(
        &mut self,
        frame: &Frame<'a>,
        entries: Slots<Entry<'a>>,
        is_moving: bool,
        is_replaced: bool,
    ) -> Option<Vec<Edit>> {
        let lane = self.lines(entries.filter_map(margin), frame.cursor);
        let [dest, incoming] = entries.both()?;
        let room = foot(dest)?;
        if !lane.margins.is_full() {
            return None;
        }
        let edits = self.lines_alone(&lane, |span, lines| {
            let parts = [Span::new(room.start, span.start), Span::new(span.end, room.end)].map(|part| text(dest, part));
            let mut all = [parts[0], lines, parts[1]].into_iter();
            let first = all.find(|part| !part.trim().is_empty()).unwrap_or_default();
            let from = if is_replaced { incoming } else { dest };
            has_room(from.value(), from.column(), dest.column(), first)
        });
        if is_moving && self.plan.conflicts.len() > lane.conflicts {
            self.keep_lines(&lane);
            return None;
        }
        Some(edits)
    }
}

/// The foot of an entry.
fn margin(entry: Entry<'_>) -> Option<Margin> {
    Some(Margin { room: foot(entry)?, column: Some(entry.column()), is_deep: true, ..Margin::default() })
}

pub(super) fn is_filled(entry: Entry<'_>) -> bool {
    entry.value().is_block_collection()
}

/// Whether the incoming side changed an entry, and the entry stands on lines of its own.
fn is_changed(dest: Entry<'_>, base: Entry<'_>, incoming: Entry<'_>) -> bool {
    text(base, base.extent()) != text(incoming, incoming.extent())
        && [dest, base, incoming].into_iter().all(|entry| !entry.collection().is_flow())
}

/// Whether the incoming collection differs from the base's and from the destination's, which stays. Then the lines below
/// the last entry stay with it.
fn is_kept_whole(dest: Entry<'_>, base: Entry<'_>, incoming: Entry<'_>) -> bool {
    let has_other = |known: Entry<'_>| !same_value(known.value(), incoming.value());
    is_filled(dest) && is_filled(incoming) && has_other(dest) && has_other(base)
}

/// Whether an entry has no written value, or only `{}` or `[]` on the line of its key. Comments below such an entry are
/// as good as inside it.
pub(super) fn is_bare(entry: Entry<'_>) -> bool {
    let source = entry.stream().source();
    let value = entry.value();
    is_empty(value) && value.span().start <= line_end(source, entry.indicator().end)
}

/// Whether a node is not written, or is `{}` or `[]`.
pub(super) fn is_empty(node: Node<'_>) -> bool {
    let text = || node.full_span().of(node.stream().source());
    match node.kind() {
        Kind::Null => text().is_empty(),
        Kind::Mapping | Kind::Sequence => matches!(text(), "{}" | "[]"),
        _ => false,
    }
}

/// Whether two texts have the same lines. Indentation does not count.
pub(super) fn same_lines(a: &str, b: &str) -> bool {
    a.lines().map(str::trim).eq(b.lines().map(str::trim))
}

/// The bytes of an entry below its value.
pub(super) fn foot(entry: Entry<'_>) -> Option<Span> {
    let end = entry.extent().end;
    let value = entry.value();
    let last = if value.is_block_collection() { value.entries().last() } else { None };
    let start = last.map_or_else(|| line_end(entry.stream().source(), entry.span().end), |last| last.extent().end);
    (start <= end).then(|| Span::new(start, end))
}

/// The text of an entry's foot.
pub(super) fn foot_text(entry: Entry<'_>) -> &str {
    foot(entry).map_or("", |foot| text(entry, foot))
}

fn text<'a>(entry: Entry<'a>, span: Span) -> &'a str {
    span.of(entry.stream().source())
}

/// The entries that edits change, each with whether it is rewritten as a whole. Else its value is replaced.
fn edited(edits: &[Edit]) -> HashMap<EntryId, bool> {
    let entry = |edit: &Edit| match edit {
        Edit::Remove { entry } | Edit::Rewrite { entry, .. } => Some((*entry, true)),
        Edit::ReplaceValue { entry, .. } => Some((*entry, false)),
        _ => None,
    };
    edits.iter().filter_map(entry).collect()
}

/// Whether comment lines can stand below a value that moves from column `from` to column `to`. Below a block scalar they
/// would be text of the scalar, unless the first one is indented less than the scalar's text.
pub(super) fn has_room(value: Node<'_>, from: usize, to: usize, lines: &str) -> bool {
    let Some(first) = lines.lines().find(|line| !line.trim().is_empty()) else { return true };
    let column = first.len() - first.trim_start().len() + from;
    match value.block_scalar() {
        Some(scalar) => column < scalar.indent + to,
        None => !ends_in_block_scalar(value) || column <= value.column() + to,
    }
}

fn ends_in_block_scalar(value: Node<'_>) -> bool {
    let mut node = value;
    while let Some(last) = block_entries(node).last() {
        node = if last.value().kind() == Kind::Null { last.key().unwrap_or(last.value()) } else { last.value() };
    }
    node.kind().is_block_scalar()
}
