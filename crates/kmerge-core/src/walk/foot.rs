//! Merges the foot of an entry: comments and blank lines below its value that are indented deeper than the entry and
//! belong to no entry inside the value.
//!
//! A foot is a lane without entries. It stays as it is if the entry is rewritten as a whole or has a conflict inside.
//! Ignores entries that share a line with others.

use std::cell::OnceCell;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Edit, Entry, EntryId, Kind, Node, Span, line_end};

use super::around::block_entries;
use super::ends::Margin;
use super::{Change, Frame, Walker, step};
use crate::correspond::Aligned;
use crate::equal::same_value;
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// Merges the feet of those `visited` entries that all sides have and that `edits` do not rewrite. If an entry
    /// moves within the destination (it is in `added`), the edits of its foot go into its graft.
    pub(super) fn feet(
        &mut self,
        frame: &Frame<'a>,
        visited: &[usize],
        edits: &[Edit],
        added: &mut HashMap<usize, Change>,
    ) -> Vec<Edit> {
        let rewritten: HashSet<EntryId> = edits.iter().filter_map(rewrites).collect();
        let moving =
            added.values().filter_map(|change| if let Change::Add(graft) = change { Some(&graft.edits) } else { None });
        let replaced: HashSet<EntryId> = moving.flatten().chain(edits).filter_map(replaces).collect();
        let conflicted = OnceCell::new();
        let mut feet = Vec::new();
        for index in visited.iter().copied() {
            let row = frame.aligned.rows[index];
            let entries = self.entries(row);
            let Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) } = entries else { continue };
            let mut moving = match added.get_mut(&index) {
                Some(Change::Add(graft)) if graft.stream == Side::Dest.stream() => Some(&mut graft.edits),
                _ => None,
            };
            let is_rewritten = match &moving {
                Some(edits) => edits.iter().any(|edit| rewrites(edit) == Some(dest.id())),
                None => rewritten.contains(&dest.id()),
            };
            if is_rewritten
                || frame.feet.contains(&index)
                || text(base, base.extent()) == text(incoming, incoming.extent())
                || [dest, base, incoming].into_iter().any(|entry| entry.collection().is_flow())
                || conflicted.get_or_init(|| self.conflicted(frame.conflicts)).any_in(dest)
            {
                continue;
            }
            let is_replaced = replaced.contains(&dest.id());
            if moving.is_none() && !is_replaced && is_kept_whole(dest, base, incoming) {
                continue;
            }
            self.path.push(step(frame, index, &self.streams).0);
            match &mut moving {
                Some(edits) => edits.extend(self.moved_foot(frame, entries, is_replaced)),
                None if is_filled(dest) && is_bare(base) && is_bare(incoming) => feet.extend(self.filled(frame, row)),
                None => feet.extend(self.foot(&self.foot_lane(frame, entries), entries, is_replaced)),
            }
            self.path.pop();
        }
        feet
    }

    /// Merges the comments inside a collection that only the destination has. The other sides have comments there, but
    /// no entries.
    pub(super) fn filled(&mut self, frame: &Frame<'a>, row: Slots<EntryId>) -> Vec<Edit> {
        let nodes = self.entries(row).map(Entry::value);
        let own = nodes.dest.into_iter().flat_map(Node::entries);
        let rows: Vec<Slots<EntryId>> = own.map(|entry| Slots { dest: Some(entry.id()), ..Slots::default() }).collect();
        let aligned = Aligned { places: (0..rows.len()).collect(), rows, incoming_order: Vec::new() };
        let frame = self.frame(nodes, row, frame.cursor, aligned);
        self.lines_alone(&frame, |_, _| true)
    }

    /// A frame for the feet of one entry.
    fn foot_lane(&self, frame: &Frame<'a>, entries: Slots<Entry<'a>>) -> Frame<'a> {
        self.lines(entries.filter_map(margin), frame.cursor)
    }

    /// Merges the feet of one entry. If `is_replaced`, its value becomes the incoming one.
    fn foot(&mut self, lane: &Frame<'a>, entries: Slots<Entry<'a>>, is_replaced: bool) -> Vec<Edit> {
        let Slots { dest: Some(dest), incoming: Some(incoming), .. } = entries else { return Vec::new() };
        let Some(room) = foot(dest) else { return Vec::new() };
        if lane.margins.present().count() < Side::ALL.len() {
            return Vec::new();
        }
        self.lines_alone(lane, |span, lines| {
            let parts = [Span::new(room.start, span.start), Span::new(span.end, room.end)].map(|part| text(dest, part));
            let mut all = [parts[0], lines, parts[1]].into_iter();
            let first = all.find(|part| !part.trim().is_empty()).unwrap_or_default();
            match is_replaced {
                true => has_room_below_new(incoming.value(), (incoming.column(), dest.column()), first),
                false => has_room(dest.value(), first),
            }
        })
    }

    /// Merges the feet of an entry that moves. On a conflict the destination's foot stays: a moved entry has no place for a
    /// hunk.
    fn moved_foot(&mut self, frame: &Frame<'a>, entries: Slots<Entry<'a>>, is_replaced: bool) -> Vec<Edit> {
        let lane = self.foot_lane(frame, entries);
        let edits = self.foot(&lane, entries, is_replaced);
        if self.plan.conflicts.len() == lane.conflicts {
            return edits;
        }
        self.keep_lines(&lane);
        Vec::new()
    }
}

/// The foot of an entry.
fn margin(entry: Entry<'_>) -> Option<Margin> {
    Some(Margin {
        room: foot(entry)?,
        column: Some(entry.column()),
        is_deep: true,
        above: Vec::new(),
        below: Vec::new(),
    })
}

pub(super) fn is_filled(entry: Entry<'_>) -> bool {
    entry.value().is_block_collection()
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

/// The entry that an edit rewrites as a whole.
fn rewrites(edit: &Edit) -> Option<EntryId> {
    match edit {
        Edit::Remove { entry } | Edit::Rewrite { entry, .. } => Some(*entry),
        _ => None,
    }
}

/// The entry whose value an edit replaces.
fn replaces(edit: &Edit) -> Option<EntryId> {
    if let Edit::ReplaceValue { entry, .. } = edit { Some(*entry) } else { None }
}

/// Whether comment lines can stand below a value. Below a block scalar they would be text of the scalar, unless the
/// first one is indented less than the scalar's text.
pub(super) fn has_room(value: Node<'_>, lines: &str) -> bool {
    let Some(column) = first_column(lines) else { return true };
    match value.block_scalar() {
        Some(scalar) => column < scalar.indent,
        None => !ends_in_block_scalar(value) || column <= value.column(),
    }
}

/// Whether comment lines can stand below a value that moves from column `from` to column `to`. The indentation of a
/// block scalar moves with it.
pub(super) fn has_room_below_new(value: Node<'_>, (from, to): (usize, usize), lines: &str) -> bool {
    let Some(column) = first_column(lines) else { return true };
    match value.block_scalar() {
        Some(scalar) => column + from < scalar.indent + to,
        None => !ends_in_block_scalar(value),
    }
}

/// The column of the first line that is not blank.
pub(super) fn first_column(lines: &str) -> Option<usize> {
    let first = lines.lines().find(|line| !line.trim().is_empty())?;
    Some(first.len() - first.trim_start().len())
}

fn ends_in_block_scalar(value: Node<'_>) -> bool {
    let mut node = value;
    while let Some(last) = block_entries(node).last() {
        node = if last.value().kind() == Kind::Null { last.key().unwrap_or(last.value()) } else { last.value() };
    }
    node.kind().is_block_scalar()
}
