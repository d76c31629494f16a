//! Rewrites flow style as block style, because a comment or a block scalar needs it.
//!
//! Only the necessary collections change their style. Collections inside them that are not on the way keep theirs.
//! Every value and every comment survives. Comments inside an entry go above it.

use std::collections::BTreeSet;

use super::Context;
use super::flow::in_braces;
use crate::entry::Entry;
use crate::indent::{Shift, tail_indent};
use crate::quote::{double_quoted, fits_implicit_key, plain};
use crate::span::{Newline, Span};
use crate::tree::{Kind, Node, NodeId, Record, flag};

/// One entry of a flow collection as whole lines at `column`, with its comments.
pub(super) fn entry_lines(entry: Entry<'_>, column: usize, context: &Context<'_>) -> String {
    let none = BTreeSet::new();
    let mut writer = Writer::new(context, &none);
    if let Some(key) = entry.key() {
        let tape = &entry.stream().tape[..key.first_record()];
        let first = tape.partition_point(|record| record.start < entry.start());
        writer.comments(&tape[first..], column, key);
    }
    writer.entry(entry, column);
    let comment = |span: Option<Span>| span.map_or("", |span| span.of(entry.stream().source()));
    with_comments(&writer.finish(), (comment(entry.lead()), comment(entry.trail())), column, context.newline)
}

/// `lines` at `column`, with a lead and a trail comment.
pub(super) fn with_comments(lines: &str, (lead, trail): (&str, &str), column: usize, newline: Newline) -> String {
    let indent = " ".repeat(column);
    let mut out = String::new();
    for line in lead.lines() {
        out.extend([indent.as_str(), line.trim_start(), newline.as_str()]);
    }
    out.push_str(lines.trim_end_matches(['\n', '\r']));
    if !trail.is_empty() {
        out.extend([" ", trail]);
    }
    out.push_str(newline.as_str());
    out
}

/// The entries of the flow collection `node` as whole lines at `column`. The same for all collections in `opened`.
pub(super) fn collection_lines(
    node: Node<'_>,
    column: usize,
    opened: &BTreeSet<NodeId>,
    context: &Context<'_>,
) -> String {
    let mut writer = Writer::new(context, opened);
    let first = node.id().index() + 1;
    let mut frames = vec![Frame { collection: node, next: first, column }];
    while let Some(frame) = frames.last_mut() {
        let Some(record) = frame.record() else {
            frames.pop();
            continue;
        };
        if record.kind == Kind::Comment {
            if writer.trails.pop_if(|written| *written == record.start).is_none() {
                writer.comment(record, frame.column, frame.collection);
            }
            frame.next += 1;
            continue;
        }
        let Some(entry) = frame.entry() else {
            frames.pop();
            continue;
        };
        frame.next = entry.value().after();
        let column = frame.column;
        frames.extend(writer.entry(entry, column));
    }
    writer.finish()
}

/// A collection that is being written.
struct Frame<'t> {
    collection: Node<'t>,
    next: usize,
    column: usize,
}

impl<'t> Frame<'t> {
    fn record(&self) -> Option<Record> {
        (self.next < self.collection.after()).then(|| self.collection.stream().tape[self.next])
    }

    /// The entry that starts at the next record.
    fn entry(&self) -> Option<Entry<'t>> {
        let stream = self.collection.stream();
        let node = |from: usize| {
            (from..self.collection.after())
                .find(|&index| stream.tape[index].kind.is_node())
                .map(|index| stream.node_at(index))
        };
        let first = node(self.next)?;
        let is_mapping = self.collection.kind() == Kind::Mapping;
        let value = if is_mapping { node(first.after())? } else { first };
        let key = is_mapping.then(|| first.id());
        Some(stream.entry(crate::entry::EntryId { collection: self.collection.id(), key, value: value.id() }))
    }
}

struct Writer<'w, 'a> {
    context: &'w Context<'a>,
    opened: &'w BTreeSet<NodeId>,
    out: String,
    /// Whether the last line has text that a comment can follow.
    is_open: bool,
    /// The end of the last comment on a line of its own.
    comment_end: Option<u32>,
    /// The starts of the comments that were already written after an indicator, before their turn. The one whose turn is next
    /// stands last.
    trails: Vec<u32>,
    /// Whether the last line is `- `. Then the first entry of a collection goes directly there.
    is_inline: bool,
}

impl<'w, 'a> Writer<'w, 'a> {
    fn new(context: &'w Context<'a>, opened: &'w BTreeSet<NodeId>) -> Self {
        let (out, trails) = Default::default();
        Self { context, opened, out, is_open: false, comment_end: None, trails, is_inline: false }
    }

    fn finish(mut self) -> String {
        self.end_line();
        self.out
    }

    fn end_line(&mut self) {
        if std::mem::take(&mut self.is_open) {
            self.out.push_str(self.context.newline.as_str());
        }
    }

    /// Starts a line for what is at byte `at` of `source`. A blank line separates it from a comment above.
    fn start_line(&mut self, (source, at): (&str, u32), column: usize) {
        if std::mem::take(&mut self.is_inline) {
            return;
        }
        self.end_line();
        let gap = self.comment_end.take().map_or("", |end| Span::new(end, at.max(end)).of(source));
        if gap.bytes().filter(|byte| *byte == b'\n').count() > 1 {
            self.out.push_str(self.context.newline.as_str());
        }
        self.out.extend(std::iter::repeat_n(' ', column));
        self.is_open = true;
    }

    fn comment(&mut self, record: Record, column: usize, node: Node<'_>) {
        let text = record.leaf_span().of(node.stream().source());
        if std::mem::take(&mut self.is_inline) {
            // The first entry gets a line of its own.
        } else if self.is_open && !record.has(flag::OWN_LINE) {
            self.out.push(' ');
        } else {
            self.start_line((node.stream().source(), record.start), column);
        }
        self.out.push_str(text.trim_end());
        self.is_open = true;
        self.end_line();
        self.comment_end = Some(record.leaf_span().end);
    }

    /// Writes the comments in `records` above what comes next.
    fn comments(&mut self, records: &[Record], column: usize, node: Node<'_>) {
        records.iter().filter(|it| it.kind == Kind::Comment).for_each(|it| self.comment(*it, column, node));
    }

    /// Writes an entry. If its value is opened, returns the frame that will write the value.
    fn entry<'t>(&mut self, entry: Entry<'t>, column: usize) -> Option<Frame<'t>> {
        let value = entry.value();
        if let Some(key) = entry.key() {
            let tape = &entry.stream().tape;
            if is_requoted(key, true) {
                self.comments(&tape[key.first_record()..key.id().index()], column, key);
            }
            self.comments(&tape[key.after()..value.first_record()], column, key);
        }
        if self.opened.contains(&value.id()) || is_requoted(value, false) {
            self.comments(&value.stream().tape[value.first_record()..value.id().index()], column, value);
        }
        self.start_line((entry.stream().source(), entry.start()), column);
        match entry.key() {
            Some(key) => self.key(key, column),
            None => self.out.push('-'),
        }
        if self.opened.contains(&value.id()) {
            return self.open(entry, column);
        }
        let text = self.node(value, column, false);
        if !text.is_empty() {
            self.out.extend([" ", &text]);
        }
        None
    }

    fn key(&mut self, key: Node<'_>, column: usize) {
        let text = self.node(key, column, true);
        let is_implicit = fits_implicit_key(&text);
        if is_implicit {
            let space =
                if key.kind() == Kind::Alias || text.ends_with(':') || key.kind() == Kind::Null { " " } else { "" };
            self.out.extend([text.as_str(), if text.is_empty() { "" } else { space }, ":"]);
            return;
        }
        let newline = self.context.newline.as_str();
        self.out.extend(["? ", &text, newline]);
        self.out.extend(std::iter::repeat_n(' ', column));
        self.out.push(':');
    }

    /// Starts a collection that is written in block style.
    fn open<'t>(&mut self, entry: Entry<'t>, column: usize) -> Option<Frame<'t>> {
        let node = entry.value();
        let properties = super::render::properties(node, &[]);
        let is_empty = node.entries().next().is_none();
        let tape = &node.stream().tape;
        let has_comment = tape.get(node.id().index() + 1).is_some_and(|record| record.kind == Kind::Comment);
        if !properties.is_empty() {
            self.out.extend([" ", &properties]);
        }
        let inner = self.context.new_column(node.kind(), column, entry.key().is_none(), None);
        let trail = entry.trail().filter(|trail| !is_empty && trail.start >= node.span().end);
        if let Some(trail) = trail {
            // After the last line, it would be the comment of the text there.
            self.out.extend([" ", trail.of(node.stream().source()).trim_end()]);
            self.trails.push(trail.start);
            self.end_line();
        } else if is_empty {
            self.out.push_str(if node.kind() == Kind::Mapping { " {}" } else { " []" });
        } else if entry.key().is_none() && properties.is_empty() && !has_comment {
            self.out.push(' ');
            self.is_inline = true;
        }
        Some(Frame { collection: node, next: node.id().index() + 1, column: inner })
    }

    /// A node unchanged, with its lines after the first indented more than `column`.
    fn node(&self, node: Node<'_>, column: usize, is_key: bool) -> String {
        let text = node.full_span().of(node.stream().source());
        let text = match node.kind() {
            _ if is_requoted(node, is_key) => requoted(node),
            _ if node.is_flow_pair() => in_braces(node, text),
            _ => spaced(node, text.to_owned()),
        };
        let shift = Shift { from: tail_indent(&text).unwrap_or(0), to: column + 2, newline: self.context.newline };
        shift.tail(&text)
    }
}

/// The text of a node from a flow collection, with a blank after its properties. Flow style may lack it: `&a{b}`.
pub(super) fn spaced(node: Node<'_>, mut text: String) -> String {
    let full = node.full_span();
    let start = node.span().start;
    let is_property =
        |record: &Record| record.kind.is_property() && record.leaf_span().end == start && full.start < start;
    let tape = &node.stream().tape[node.first_record()..node.id().index()];
    if tape.last().is_some_and(is_property) && !node.span().is_empty() {
        text.insert((start - full.start) as usize, ' ');
    }
    text
}

/// Whether a node must be written anew, on one line and without comments.
fn is_requoted(node: Node<'_>, is_key: bool) -> bool {
    let is_broken_key = || is_key && node.full_span().of(node.stream().source()).contains('\n');
    match node.kind() {
        Kind::Plain => is_broken_key() || !is_plain_in_block(node),
        Kind::SingleQuoted | Kind::DoubleQuoted => is_broken_key(),
        _ => false,
    }
}

/// Whether a plain scalar stays the same in a block collection. No tab may stand before text there, or alone on a line.
pub(crate) fn is_plain_in_block(node: Node<'_>) -> bool {
    let is_tabbed = |line: &str| line.trim_start_matches(' ').starts_with('\t');
    let fits = || !node.text().lines().skip(1).any(is_tabbed) && plain::fits(&node.value().replace('\n', " "), false);
    node.kind() != Kind::Plain || fits()
}

/// A scalar on one line, with its properties.
pub(super) fn requoted(node: Node<'_>) -> String {
    let properties = super::render::properties(node, &[]);
    let space = if properties.is_empty() { "" } else { " " };
    // If only a property stands on a line of its own, the scalar stays as it is: `"0"` is not `0`.
    let is_kept = !node.text().contains('\n') && is_plain_in_block(node);
    let text = if is_kept { node.text().to_owned() } else { double_quoted(&node.value()) };
    properties + space + &text
}
