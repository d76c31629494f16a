//! Renders what a graft brings: an entry as lines at a column, a value as an inline part and a body.

use super::slot::entries_span;
use super::{Context, SpliceError};
use crate::edit::{Content, Edit, Graft, Piece, StreamId};
use crate::emit;
use crate::entry::{Entry, EntryId};
use crate::indent::Shift;
use crate::span::{Span, line_start};
use crate::tree::{Kind, Node, NodeId};

/// Where a value is going to hang.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target<'t> {
    /// Column of the entry that holds it.
    pub(super) column: usize,
    pub(super) is_item: bool,
    /// Whether a comment stands behind the inline part, so that nothing longer than a line may stand there.
    pub(super) has_trail: bool,
    /// Whether a block collection stands as far from its key as at home.
    pub(super) keeps_layout: bool,
    /// The value it takes the place of.
    pub(super) replaces: Option<Node<'t>>,
}

/// A value as text: what stands behind the indicator, and whole lines below it.
#[derive(Clone, Debug, Default)]
pub(super) struct Rendered {
    pub(super) inline: String,
    pub(super) body: Option<String>,
}

impl Rendered {
    /// Whether the lines below belong to the header of a block scalar.
    pub(super) fn is_block_scalar(&self) -> bool {
        let last = self.inline.rsplit(' ').next().unwrap_or_default();
        self.body.is_some() && last.starts_with(['|', '>'])
    }
}

impl Context<'_> {
    pub(super) fn value(&self, content: &Content, target: Target<'_>) -> Result<Rendered, SpliceError> {
        match content {
            Content::Inline(text) => Ok(Rendered { inline: text.clone(), body: None }),
            Content::Block { header, body } => Ok(self.block_scalar(header, body, target)),
            Content::Root(graft) => self.root_graft(graft, target),
            Content::Value(graft) | Content::Layout(graft) => {
                let entry = self.stream(graft.stream)?.entry(graft.part);
                let keeps_layout = matches!(content, Content::Layout(_));
                let target = Target { keeps_layout, ..target };
                let mut rendered = self.node(graft.stream, entry.value(), entry.column(), (&graft.edits, target))?;
                if entry.collection().is_flow() {
                    rendered.inline = with_deeper_tail(&rendered.inline, target.column);
                }
                Ok(rendered)
            }
        }
    }

    pub(super) fn root(&self, content: &Content, target: Target<'_>) -> Result<Rendered, SpliceError> {
        let mut rendered = match content {
            Content::Root(graft) => {
                let node = self.stream(graft.stream)?.node(graft.part);
                if node.is_block_collection() {
                    let text = self.lines_of(graft.stream, node, &graft.edits)?;
                    let inline = properties(node);
                    let body = Some(self.shift(node.column(), 0).lines(&text));
                    return Ok(Rendered { inline, body });
                }
                self.root_graft(graft, target)?
            }
            _ => self.value(content, target)?,
        };
        if let (true, Some(body)) = (rendered.inline.is_empty(), &rendered.body) {
            rendered.body = Some(self.shift(indent_of(body), 0).lines(body));
        }
        Ok(rendered)
    }

    fn root_graft(&self, graft: &Graft<NodeId>, target: Target<'_>) -> Result<Rendered, SpliceError> {
        let node = self.stream(graft.stream)?.node(graft.part);
        self.node(graft.stream, node, 0, (&graft.edits, target))
    }

    fn node(
        &self,
        id: StreamId,
        node: Node<'_>,
        from: usize,
        (edits, target): (&[Edit], Target<'_>),
    ) -> Result<Rendered, SpliceError> {
        if node.is_block_collection() {
            return self.block_collection(id, node, from, (edits, target));
        }
        let shift = self.shift(from, target.column);
        let Some(scalar) = node.block_scalar() else {
            return Ok(Rendered { inline: shift.tail(&self.edited(id, node.full_span(), edits)?), body: None });
        };
        let header = Span::new(node.full_span().start, scalar.header.end);
        let mut body = shift.lines(&self.edited(id, scalar.body, edits)?);
        self.end_line(&mut body);
        let inline = header.of(node.stream().source()).to_owned();
        Ok(Rendered { inline, body: (!body.is_empty()).then_some(body) })
    }

    fn block_collection(
        &self,
        id: StreamId,
        node: Node<'_>,
        from: usize,
        (edits, target): (&[Edit], Target<'_>),
    ) -> Result<Rendered, SpliceError> {
        let column = self.collection_column(node, from, target);
        let lines = self.shift(node.column(), column).lines(&self.lines_of(id, node, edits)?);
        let properties = properties(node);
        let starts_with_comment = lines.trim_start().starts_with('#');
        let is_below = target.replaces.is_some_and(|old| {
            old.is_block_collection()
                && (!old.full_span().is_empty() && old.entries().next().is_some_and(Entry::starts_line))
        });
        let fits_behind_dash = target.is_item && !target.has_trail && !is_below;
        if fits_behind_dash && properties.is_empty() && !starts_with_comment {
            let inline = lines.trim_end_matches(['\n', '\r']).trim_start_matches(' ').to_owned();
            return Ok(Rendered { inline, body: None });
        }
        Ok(Rendered { inline: properties, body: Some(lines) })
    }

    /// The column a grafted block collection gets: that of the collection it replaces, else as far from its holder as at
    /// home; the sequences below keys stand as they do elsewhere in the target.
    fn collection_column(&self, node: Node<'_>, from: usize, target: Target<'_>) -> usize {
        if target.keeps_layout && !target.is_item {
            return target.column + node.column().saturating_sub(from);
        }
        if let Some(old) = target.replaces.filter(|old| old.is_block_collection() && old.kind() == node.kind()) {
            return old.column();
        }
        if target.is_item {
            let written = target.replaces.filter(|old| !old.full_span().is_empty() && !old.is_block_collection());
            return written.map_or(target.column + 2, |old| column_at(old.stream().source(), old.full_span().start));
        }
        let offset = match node.kind() {
            Kind::Sequence => self.style().sequence,
            _ => node.column().saturating_sub(from),
        };
        target.column + if offset == 0 && node.kind() == Kind::Mapping { self.style().step } else { offset }
    }

    /// The lines of a block collection's entries, all complete, the first one indented like the others.
    fn lines_of(&self, id: StreamId, node: Node<'_>, edits: &[Edit]) -> Result<String, SpliceError> {
        let span = entries_span(node).unwrap_or(node.span());
        let mut text = self.edited(id, span, edits)?;
        if !node.entries().next().is_none_or(Entry::starts_line) {
            text.insert_str(0, &" ".repeat(node.column()));
        }
        self.end_line(&mut text);
        Ok(text)
    }

    /// An entry as whole lines with its `-` or key at `column`, lead and trail comments included.
    pub(super) fn entry(&self, graft: &Graft<EntryId>, column: usize) -> Result<String, SpliceError> {
        let stream = self.stream(graft.stream)?;
        let entry = stream.entry(graft.part);
        if entry.collection().is_flow() {
            return self.flow_entry_as_lines(graft, column);
        }
        let mut text = self.edited(graft.stream, entry.extent(), &graft.edits)?;
        if !entry.starts_line() {
            text.insert_str(0, &" ".repeat(entry.column()));
        }
        self.end_line(&mut text);
        Ok(self.shift(entry.column(), column).lines(&text))
    }

    fn flow_entry_as_lines(&self, graft: &Graft<EntryId>, column: usize) -> Result<String, SpliceError> {
        let entry = self.stream(graft.stream)?.entry(graft.part);
        let source = entry.stream().source;
        let newline = self.newline.as_str();
        let indent = " ".repeat(column);
        let mut out = String::new();
        for line in entry.lead().map_or("", |lead| lead.of(source)).lines() {
            out.extend([indent.as_str(), line.trim_start(), newline]);
        }
        let text = self.edited(graft.stream, entry.span(), &graft.edits)?;
        let text = with_deeper_tail(&self.shift(entry.column(), column).tail(&text), column);
        let dash = if graft.part.key.is_none() { "- " } else { "" };
        out.extend([indent.as_str(), dash, spaced(entry, &text).as_str()]);
        if let Some(trail) = entry.trail() {
            out.extend([" ", trail.of(source)]);
        }
        out.push_str(newline);
        Ok(out)
    }

    /// Lines for a piece that is inserted at `column` of a block collection.
    pub(super) fn piece(&self, piece: &Piece, column: usize) -> Result<String, SpliceError> {
        let newline = self.newline.as_str();
        match piece {
            Piece::Entry(graft) => self.entry(graft, column),
            Piece::Lines(lines) => Ok(lines.clone()),
            Piece::New { key, value } => {
                let target =
                    Target { column, is_item: key.is_none(), has_trail: false, keeps_layout: false, replaces: None };
                let rendered = self.value(value, target)?;
                let head = key.as_ref().map_or_else(|| "-".to_owned(), |key| format!("{key}:"));
                let space = if rendered.inline.is_empty() { "" } else { " " };
                let indent = " ".repeat(column);
                let body = rendered.body.unwrap_or_default();
                Ok(format!("{indent}{head}{space}{}{newline}{body}", rendered.inline))
            }
        }
    }

    /// A piece as text inside a flow collection.
    pub(super) fn flow_piece(&self, piece: &Piece, column: usize) -> Result<String, SpliceError> {
        match piece {
            Piece::Lines(_) => Err(SpliceError::NoPlace(Span::default())),
            Piece::New { key, value } => {
                let value = self.flow_value(value, column)?;
                Ok(key.as_ref().map_or_else(|| value.clone(), |key| format!("{key}: {value}")))
            }
            Piece::Entry(graft) => {
                let entry = self.stream(graft.stream)?.entry(graft.part);
                if entry.collection().is_flow() && entry.lead().is_none() && entry.trail().is_none() {
                    let text = self.edited(graft.stream, entry.span(), &graft.edits)?;
                    return Ok(self.shift(entry.column(), column).tail(&text));
                }
                let lines = self.entry(graft, 0)?;
                emit::flow_entry(&lines, column, self.newline)
            }
        }
    }

    /// A value as text inside a flow collection.
    pub(super) fn flow_value(&self, content: &Content, column: usize) -> Result<String, SpliceError> {
        let target = Target { column: 0, is_item: false, has_trail: false, keeps_layout: false, replaces: None };
        let rendered = self.value(content, target)?;
        if self.is_flow_text(content)? {
            return Ok(self.shift(0, column).tail(&rendered.inline));
        }
        let newline = self.newline.as_str();
        let body = rendered.body.unwrap_or_default();
        emit::flow_value(&format!("x: {}{newline}{body}", rendered.inline), column, self.newline)
    }

    /// Whether content is written as it can stand in a flow collection: plain text of a block may hold commas, and
    /// nothing at all is no item.
    fn is_flow_text(&self, content: &Content) -> Result<bool, SpliceError> {
        Ok(match content {
            Content::Inline(_) => true,
            Content::Block { .. } | Content::Root(_) => false,
            Content::Value(graft) | Content::Layout(graft) => {
                self.stream(graft.stream)?.entry(graft.part).collection().is_flow()
            }
        })
    }

    fn block_scalar(&self, header: &str, body: &str, target: Target<'_>) -> Rendered {
        let step = target.replaces.filter(|old| old.kind().is_block_scalar()).and_then(|old| {
            let line = old.text().lines().skip(1).find(|line| !line.trim().is_empty())?;
            indent_of(line).checked_sub(target.column)
        });
        let step = header[1..].bytes().find(u8::is_ascii_digit).map(|digit| usize::from(digit - b'0')).or(step);
        let indent = " ".repeat(target.column + step.unwrap_or(2));
        let mut out = String::new();
        for line in body.split_inclusive('\n') {
            let content = line.strip_suffix('\n').unwrap_or(line);
            out.push_str(if content.is_empty() { "" } else { &indent });
            out.extend([content, self.newline.as_str()]);
        }
        Rendered { inline: header.to_owned(), body: (!out.is_empty()).then_some(out) }
    }

    pub(super) fn shift(&self, from: usize, to: usize) -> Shift {
        Shift { from, to, floor: to, newline: self.newline }
    }

    fn end_line(&self, text: &mut String) {
        if !text.is_empty() && !text.ends_with('\n') {
            text.push_str(self.newline.as_str());
        }
    }
}

/// A value that comes from a flow collection, where its lines may start at any column, with all but the first of them
/// deeper than the block entry at `column` that is to hold it.
fn with_deeper_tail(text: &str, column: usize) -> String {
    let mut lines = text.split_inclusive('\n');
    let mut out = lines.next().unwrap_or_default().to_owned();
    for line in lines {
        let is_blank = line.trim_ascii().is_empty();
        let missing = (column + 1).saturating_sub(indent_of(line));
        out.extend(std::iter::repeat_n(' ', if is_blank { 0 } else { missing }));
        out.push_str(line);
    }
    out
}

/// A flow entry's text with `: ` where it had a bare `:` or none at all (`{"a":1}`, `{a}`), which block style wants.
fn spaced(entry: Entry<'_>, text: &str) -> String {
    let (Some(key), indicator) = (entry.key(), entry.indicator()) else { return text.to_owned() };
    let start = entry.start();
    if indicator.is_empty() {
        return format!("{text}:");
    }
    let at = (indicator.end - start) as usize;
    let is_bare = key.kind() != Kind::Null && text.as_bytes().get(at).is_some_and(|byte| !byte.is_ascii_whitespace());
    if is_bare { format!("{} {}", &text[..at], &text[at..]) } else { text.to_owned() }
}

/// Anchor and tag of a node, as they are written on the line of its indicator.
pub(super) fn properties(node: Node<'_>) -> String {
    let records = &node.stream().tape[node.first_record()..node.id().index()];
    let properties = records.iter().filter(|record| record.kind != Kind::Comment);
    properties.map(|record| record.span().of(node.stream().source)).collect::<Vec<_>>().join(" ")
}

fn column_at(source: &str, at: u32) -> usize {
    (at - line_start(source, at)) as usize
}

pub(super) fn indent_of(text: &str) -> usize {
    text.len() - text.trim_start_matches(' ').len()
}
