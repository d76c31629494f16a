//! Decides who owns which comment, blank line and newline. [`Entry`] documents the rules.
//!
//! Invariant: extents of siblings are disjoint and ordered, and a nested entry's extent is inside those of its
//! ancestors. So extents and gaps tile the source.

use crate::entry::Entry;
use crate::span::{Span, line_end, line_start};
use crate::tree::{Kind, Node, Record, Stream, flag};

impl Entry<'_> {
    /// Every byte the entry owns; see [`Entry`] for the rules.
    #[must_use]
    pub fn extent(self) -> Span {
        if self.collection().is_flow() {
            return flow_extent(self);
        }
        Span::new(block_start(self), block_end(self))
    }

    /// The lead comment, from the first `#` to the end of its last line, without the newline.
    #[must_use]
    pub fn lead(self) -> Option<Span> {
        if self.collection().is_flow() && !owns_line(self) {
            return None;
        }
        let comments = lead_records(self);
        Some(Span::new(comments.first()?.start, comments.last()?.leaf_span().end))
    }

    /// The trail comment, from its `#`.
    #[must_use]
    pub fn trail(self) -> Option<Span> {
        let value = self.value();
        let tape = &self.stream().tape;
        if value.kind().is_block_scalar() {
            let children = tape.get(value.id().index() + 1..value.after())?;
            return children.iter().find(|record| record.kind == Kind::Comment).map(|record| record.leaf_span());
        }
        if value.is_block_collection() {
            return self.trail_of_indicator();
        }
        let is_bare = self.key().is_some_and(Node::is_explicit_key) && self.indicator().is_empty();
        if is_bare && self.key().is_some_and(|key| key.is_block_collection() || key.kind().is_block_scalar()) {
            // This line belongs to the last entry of the key.
            return None;
        }
        let end = self.span().end;
        let limit = if self.collection().is_flow() { self.collection().span().end } else { u32::MAX };
        // A value that is not written has no position of its own.
        let is_written = |record: &&Record| record.kind != Kind::Null || !record.leaf_span().is_empty();
        let next = tape[value.after()..].iter().find(is_written).filter(|record| record.start < limit);
        let beside = next.filter(|record| is_beside(self.stream(), **record, end)).map(|record| record.leaf_span());
        beside.or_else(|| if self.collection().is_flow() { None } else { self.trail_of_indicator() })
    }

    /// The comment after `key:` or `-`, if the value stands below.
    fn trail_of_indicator(self) -> Option<Span> {
        let before = self.stream().tape[..self.value().id().index()].iter().rev();
        let comments = before.take_while(|record| !record.kind.is_node()).filter(|it| it.kind == Kind::Comment);
        let mut comments = comments.peekable();
        comments.peek()?;
        let after = self.indicator().end;
        let mut comments = comments.take_while(|record| record.start >= after);
        comments.find(|record| is_beside(self.stream(), **record, after)).map(|record| record.leaf_span())
    }
}

impl Node<'_> {
    /// The blanks and the comment after a node, on the line of its own tokens: after a scalar or flow collection, after
    /// the header of a block scalar, after the anchor and tag of a block collection. If there is no comment, the place
    /// where one could stand. `None` if a block collection has no anchor and no tag, or if anything else follows.
    #[must_use]
    pub fn beside(self) -> Option<Span> {
        let source = self.stream().source;
        let end = match self.block_scalar() {
            Some(scalar) => scalar.header.end,
            None if self.is_block_collection() => self.properties_end()?,
            None => self.span().end,
        };
        let rest = Span::new(end, line_end(source, end)).of(source).trim_end_matches(['\n', '\r']);
        match rest.trim_ascii().as_bytes() {
            // Blanks at the end of the line stay with the node.
            [] => Some(Span::at(end + rest.len() as u32)),
            [b'#', ..] => Some(Span::new(end, end + rest.trim_ascii_end().len() as u32)),
            _ => None,
        }
    }
}

impl Entry<'_> {
    /// Whether comments can stand at the entry in its collection's layout. They cannot on a line that the entry shares
    /// with others inside brackets.
    #[must_use]
    pub fn has_room_for_comments(self) -> bool {
        !self.collection().is_flow() || owns_line(self)
    }
}

/// Whether `comment` is a comment that starts on the line of byte `at`, after it.
fn is_beside(stream: &Stream<'_>, comment: Record, at: u32) -> bool {
    comment.kind == Kind::Comment
        && !comment.has(flag::OWN_LINE)
        && comment.start >= at
        && memchr::memchr2(b'\n', b'\r', &stream.source.as_bytes()[at as usize..comment.start as usize]).is_none()
}

/// The comment records of an entry's lead, in source order.
fn lead_records<'t>(entry: Entry<'t>) -> &'t [Record] {
    // Comments above a byte order mark belong to the document.
    if is_behind_value(entry) || !entry.starts_line() || has_mark(entry) {
        return &[];
    }
    let tape = &entry.stream().tape;
    let source = entry.stream().source;
    let end = first_record_of_line(entry);
    let deepest = if is_first(entry) { usize::MAX } else { entry.column() };
    let mut first = end;
    let mut next_line = line_start(source, entry.start());
    while first > 0 {
        let record = tape[first - 1];
        // A list item that was commented out is no comment on the entry below.
        let is_anothers = !record.has(flag::OWN_LINE) || record.has(flag::ITEM);
        let is_deeper = usize::from(record.column) > deepest;
        if record.kind != Kind::Comment
            || is_anothers
            || is_deeper
            || line_end(source, record.leaf_span().end) != next_line
        {
            break;
        }
        next_line = line_start(source, record.start);
        first -= 1;
    }
    &tape[first..end]
}

/// Whether the last record before an entry is a value of the entry above it. Then no comment can stand between the two.
/// (If a value is not written, its record may stand anywhere.) This test is fast and is enough for most entries.
fn is_behind_value(entry: Entry<'_>) -> bool {
    let first = entry.key().unwrap_or(entry.value()).first_record();
    let before = first.checked_sub(1).map(|before| entry.stream().tape[before].kind);
    before.is_some_and(|kind| kind.is_scalar() && kind != Kind::Null || kind == Kind::Alias)
}

fn has_mark(entry: Entry<'_>) -> bool {
    let source = entry.stream().source;
    source[line_start(source, entry.start()) as usize..].starts_with('\u{feff}')
}

fn is_first(entry: Entry<'_>) -> bool {
    let first = entry.key().unwrap_or(entry.value()).id();
    entry.collection().children().next().is_some_and(|child| child.id() == first)
}

/// Index of the first record that starts at or after the start of the entry.
///
/// Collections that start with this entry have the same position. They and their properties come before the entry on
/// the tape.
fn first_record_of_line(entry: Entry<'_>) -> usize {
    let tape = &entry.stream().tape;
    let start = line_start(entry.stream().source, entry.start());
    let mut index = entry.key().unwrap_or(entry.value()).first_record();
    while index > 0 && tape[index - 1].kind != Kind::Document && tape[index - 1].start >= start {
        index -= 1;
    }
    index
}

fn block_start(entry: Entry<'_>) -> u32 {
    let (source, start) = (entry.stream().source, entry.start());
    let blanks = source.as_bytes()[..start as usize].iter().rev().take_while(|byte| **byte == b' ').count() as u32;
    // Most entries stand on lines of their own, below an entry with a value.
    if source.as_bytes()[..(start - blanks) as usize].ends_with(b"\n") && is_behind_value(entry) {
        return start - blanks;
    }
    if !entry.starts_line() {
        return start;
    }
    let first = lead_records(entry).first().map_or(entry.start(), |record| record.start);
    first_of_line(entry.stream().source, first)
}

/// The start of the line that contains byte `at`, after byte order marks: these belong to the document. (A byte order
/// mark at the start of text, which kubectl accepts, belongs to the text.)
pub(crate) fn first_of_line(source: &str, at: u32) -> u32 {
    let start = line_start(source, at);
    let line = Span::new(start, at).of(source);
    at - line.trim_start_matches('\u{feff}').len() as u32
}

fn block_end(entry: Entry<'_>) -> u32 {
    let stream = entry.stream();
    let tape = &stream.tape;
    let key_end = entry.key().map_or_else(|| entry.start(), |key| key.span().end);
    let mut end = line_end(stream.source, entry.value().span().end.max(key_end));
    let mut index = entry.value().after();
    while let Some(record) = tape.get(index).filter(|record| record.kind == Kind::Comment) {
        let deeper = record.has(flag::OWN_LINE) && is_inside(entry, *record);
        // The `-` or `?` of the next entry is no record. A comment after it belongs to that entry.
        let is_next = || !Span::new(end, record.start).of(stream.source).trim_ascii().is_empty();
        if record.start >= end && (!deeper || is_next()) {
            break;
        }
        end = end.max(line_end(stream.source, record.leaf_span().end));
        index += 1;
    }
    end
}

/// Whether a comment below an entry belongs to that entry, by its column.
fn is_inside(entry: Entry<'_>, record: Record) -> bool {
    let (column, at) = (entry.column(), usize::from(record.column));
    at > column || at == column && record.has(flag::ITEM) && entry.key().is_some()
}

fn flow_extent(entry: Entry<'_>) -> Span {
    if !owns_line(entry) {
        return entry.span();
    }
    let source = entry.stream().source;
    let first = lead_records(entry).first().map_or(entry.start(), |record| record.start);
    Span::new(first_of_line(source, first), line_end(source, entry.span().end))
}

/// Whether a flow entry has its lines to itself: only blanks before it, and only a comma and a comment after it.
pub(crate) fn owns_line(entry: Entry<'_>) -> bool {
    let source = entry.stream().source;
    let end = entry.span().end;
    if entry.collection().is_flow_pair() || !entry.starts_line() {
        return false;
    }
    let rest = Span::new(end, line_end(source, end)).of(source).trim_ascii_start();
    let rest = rest.strip_prefix(',').unwrap_or(rest).trim_ascii_start();
    rest.is_empty() && line_end(source, end) < entry.collection().span().end || rest.starts_with('#')
}
