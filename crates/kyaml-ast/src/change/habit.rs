//! The habits of a file, which new text follows: indentation, quotes, dashes, blank lines between elements, flow or
//! block style.
//!
//! Ignores comments, and what only a schema could know.

use crate::entry::Entry;
use crate::indent::IndentStyle;
use crate::path::{Path, Segment};
use crate::quote::{ScalarPlace, plain_is_safe, render_string, render_string_like};
use crate::span::{Newline, Span};
use crate::splice::is_plain_in_block;
use crate::tree::{Kind, Node, Stream};

/// How to write new text in one collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Habits<'t> {
    pub(super) indent: IndentStyle,
    pub(super) newline: Newline,
    /// Whether strings and keys get double quotes, as JSON requires.
    pub(super) is_json: bool,
    /// Whether the elements of the list are mappings in braces.
    pub(super) has_braces: bool,
    /// The number of columns from a dash to the text after it.
    pub(super) dash: usize,
    /// The collection that the new text goes into.
    pub(super) siblings: Option<Node<'t>>,
    /// Whether the text goes into brackets. Empty brackets inside a block are replaced by lines.
    pub(super) is_in_brackets: bool,
}

impl<'t> Habits<'t> {
    /// The habits of a stream, for text in the given collection.
    pub(super) fn of(stream: &'t Stream<'t>, indent: IndentStyle, siblings: Option<Node<'t>>, is_json: bool) -> Self {
        let last = siblings.and_then(last_item);
        Self {
            indent,
            newline: Newline::of(stream.source),
            is_json,
            has_braces: last.is_some_and(|last| last.value().kind() == Kind::Mapping && last.value().is_flow()),
            dash: last.map_or(2, dash),
            siblings,
            is_in_brackets: siblings.is_some_and(Node::is_flow),
        }
    }

    /// Whether a new flow collection is written as lines. `is_entry`: it is an entry of the collection, not deeper
    /// inside.
    pub(super) fn takes_lines(&self, new: Node<'_>, is_entry: bool) -> bool {
        let has_content = new.is_flow() && new.entries().next().is_some();
        let has_siblings = self.siblings.is_some_and(|siblings| siblings.entries().next().is_some());
        match is_entry && has_siblings {
            true => wants_lines(new, self.siblings, None),
            false => has_content && !self.is_in_brackets && !self.has_braces,
        }
    }

    /// A key as it is written.
    pub(super) fn key(&self, name: &str) -> String {
        // A plain `<<` would merge the fields of another mapping.
        let quotes = self.is_json || name == "<<";
        if quotes {
            render_string_like(Kind::DoubleQuoted, name, ScalarPlace::Flow)
        } else {
            render_string(name, ScalarPlace::Flow)
        }
    }

    /// A text as it is written. It gets the quotes of its siblings if they have quotes without need.
    pub(super) fn text(&self, text: &str, field: Option<&str>, place: ScalarPlace) -> String {
        let quotes = if self.is_json { Some(Kind::DoubleQuoted) } else { self.quotes(field) };
        // A text of several lines is better written as a block scalar.
        match quotes.filter(|_| !text.contains('\n') || place == ScalarPlace::Flow) {
            Some(quotes) => render_string_like(quotes, text, place),
            None => render_string(text, place),
        }
    }

    /// The value of a field that identifies an element. A number is written without quotes if its siblings have numbers
    /// or there are no siblings.
    pub(super) fn identity(&self, field: &str, value: &str, place: ScalarPlace) -> String {
        let is_number = value == "0" || !value.starts_with('0') && value.bytes().all(|byte| byte.is_ascii_digit());
        // Beside a list that is new, there is no element to be like.
        let is_in_list = self.siblings.is_some_and(|it| it.kind() == Kind::Sequence);
        let has_texts = is_in_list && self.values(Some(field)).any(Node::is_string);
        if is_number && !value.is_empty() && !has_texts {
            value.to_owned()
        } else {
            self.text(value, Some(field), place)
        }
    }

    fn quotes(&self, field: Option<&str>) -> Option<Kind> {
        let mut found = None;
        for value in self.values(field).filter(|value| value.is_string()) {
            match value.kind() {
                Kind::Plain => return None,
                kind @ (Kind::DoubleQuoted | Kind::SingleQuoted)
                    if plain_is_safe(&value.value(), ScalarPlace::Flow) =>
                {
                    found = Some(kind);
                }
                _ => {}
            }
        }
        found
    }

    /// The values beside the new one: of the collection, or of this field in the collection's elements.
    fn values(&self, field: Option<&str>) -> impl Iterator<Item = Node<'t>> {
        let is_list = self.siblings.is_some_and(|it| it.kind() == Kind::Sequence);
        let named = field.filter(|_| is_list).map(str::to_owned);
        self.siblings.into_iter().flat_map(Node::entries).filter_map(move |entry| match &named {
            Some(name) => {
                Path::root().with(Segment::Field(name.clone())).find(entry.value()).ok().map(|found| found.node)
            }
            None => Some(entry.value()),
        })
    }
}

fn last_item(list: Node<'_>) -> Option<Entry<'_>> {
    if list.kind() == Kind::Sequence { list.entries().last() } else { None }
}

/// The number of columns from the dash of an item to the mapping after it.
fn dash(item: Entry<'_>) -> usize {
    let value = item.value();
    let is_beside = value.is_block_collection() && value.entries().next().is_some_and(|first| !first.starts_line());
    if is_beside { value.column().saturating_sub(item.column()).max(2) } else { 2 }
}

/// The blank lines that stand between all items of a block list. `None` if there are none, or if anything else stands
/// there.
pub(super) fn separator(list: Node<'_>) -> Option<&str> {
    if list.kind() != Kind::Sequence || list.is_flow() {
        return None;
    }
    let source = list.stream().source();
    let items: Vec<Entry<'_>> = list.entries().collect();
    let gap = |pair: &[Entry<'_>]| Span::new(pair[0].extent().end, pair[1].extent().start).of(source);
    let is_blank = |text: &str| !text.is_empty() && text.trim_ascii().is_empty();
    let last = items.windows(2).last().map(gap)?;
    items.windows(2).map(gap).all(is_blank).then_some(last)
}

/// Whether a new flow collection is better written as lines: if it replaces a block collection, or if none of its
/// siblings is a flow collection.
pub(super) fn wants_lines(new: Node<'_>, collection: Option<Node<'_>>, old: Option<Node<'_>>) -> bool {
    let has_content = |node: Node<'_>| node.entries().next().is_some();
    let is_alike = |node: &Node<'_>| node.kind() == new.kind() && has_content(*node);
    let Some(collection) = collection.filter(|_| new.is_flow() && has_content(new)) else { return false };
    if collection.is_flow() {
        return false;
    }
    if let Some(old) = old.filter(|old| old.kind().is_collection() && has_content(*old)) {
        return !old.is_flow();
    }
    let mut alike = collection.entries().map(Entry::value).filter(is_alike).peekable();
    alike.peek().is_none() || alike.any(|sibling| !sibling.is_flow())
}

/// A flow collection as lines. `None` if block style cannot express all of it.
pub(super) fn as_lines(value: Node<'_>, habits: &Habits<'_>) -> Option<String> {
    if value.stream().comments_in(value.full_span()).next().is_some() || value.full_span() != value.span() {
        return None;
    }
    let mut out = String::new();
    let mut open = below(value, 0, false);
    while let Some(Line { entry, column, is_inline }) = open.pop() {
        if !is_inline {
            out.extend(std::iter::repeat_n(' ', column));
        }
        match entry.key() {
            Some(key) if key.kind().is_scalar() && !key.is_explicit_key() && !key.text().is_empty() => {
                out.push_str(one_line(key)?);
                out.push(':');
            }
            Some(_) => return None,
            None => out.push('-'),
        }
        let value = entry.value();
        if !value.kind().is_collection() || value.entries().next().is_none() {
            let text = one_line(value)?;
            out.push_str(if text.is_empty() { "" } else { " " });
            out.push_str(text);
            out.push_str(habits.newline.as_str());
            continue;
        }
        if value.full_span() != value.span() {
            return None;
        }
        let is_item = entry.key().is_none();
        out.push_str(if is_item { " " } else { habits.newline.as_str() });
        let step = match value.kind() {
            _ if is_item => 2,
            Kind::Sequence => habits.indent.sequence.unwrap_or(0),
            _ => habits.indent.step,
        };
        open.extend(below(value, column + step, is_item));
    }
    Some(out)
}

struct Line<'t> {
    entry: Entry<'t>,
    column: usize,
    is_inline: bool,
}

/// The entries of a collection, last one first. The first entry may stand after a dash.
fn below(collection: Node<'_>, column: usize, is_inline: bool) -> Vec<Line<'_>> {
    let line = |(at, entry)| Line { entry, column, is_inline: is_inline && at == 0 };
    let mut lines: Vec<Line<'_>> = collection.entries().enumerate().map(line).collect();
    lines.reverse();
    lines
}

/// The text of a scalar, if it has the same meaning outside brackets.
fn one_line(node: Node<'_>) -> Option<&str> {
    let text = node.full_span().of(node.stream().source());
    if text.contains(['\n', '\r']) || !is_plain_in_block(node) { None } else { Some(text) }
}
