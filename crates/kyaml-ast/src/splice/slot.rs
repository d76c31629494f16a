//! Where a value hangs: the part on its key's line, and the lines below.
//!
//! Every value, whatever its kind, is an *inline* part behind the indicator (a scalar, the header of a block scalar, the
//! anchor of a block collection, nothing) and a *body* of whole lines (the text of a block scalar, the entries of a block
//! collection, nothing). Replacing a value replaces the two parts, so every pair of kinds works alike.

use super::render::{Rendered, Target};
use super::replacement::{Replacement, Seam};
use super::{Place, SpliceError};
use crate::edit::Content;
use crate::entry::{Entry, EntryId};
use crate::span::{Span, line_end};
use crate::tree::{Kind, Node, NodeId};

/// The two parts of a value in the source.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    /// End of the indicator.
    after: u32,
    pub(super) inline: Span,
    pub(super) body: Span,
}

impl Slot {
    /// Finds the parts of `node`, which stands behind `after` (its indicator's end, or the start of its document).
    pub(super) fn of(node: Node<'_>, after: u32) -> Self {
        let source = node.stream().source;
        let span = node.full_span();
        if node.is_block_collection() {
            return block_collection(node, after);
        }
        if node.kind().is_block_scalar() {
            let header = node.span().start;
            let body =
                Span::new(line_end(source, header), line_end(source, node.span().end).max(line_end(source, header)));
            let inline = Span::new(span.start, header + header_len(node.text()));
            return Self { after, inline, body: if header_only(node) { Span::at(body.start) } else { body } };
        }
        Self { after, inline: span, body: Span::at(line_end(source, span.end)) }
    }
}

fn header_only(node: Node<'_>) -> bool {
    !node.text().contains('\n')
}

/// Length of `|2-` at the start of a block scalar's text.
pub(super) fn header_len(text: &str) -> u32 {
    1 + text[1..].bytes().take_while(|byte| matches!(byte, b'+' | b'-' | b'0'..=b'9')).count() as u32
}

/// All bytes of a block collection's entries, from the first one's extent to the last one's.
pub(super) fn entries_span(node: Node<'_>) -> Option<Span> {
    let first = node.entries().next()?;
    let last = last_entry(node)?;
    Some(Span::new(first.extent().start, last.extent().end))
}

/// The last entry of a collection; linear in its number of entries.
pub(super) fn last_entry(node: Node<'_>) -> Option<Entry<'_>> {
    node.entries().last()
}

fn block_collection(node: Node<'_>, after: u32) -> Slot {
    let source = node.stream().source;
    let full = node.full_span();
    let entries = entries_span(node).unwrap_or(node.span());
    if node.entries().next().is_some_and(Entry::starts_line) {
        let records = &node.stream().tape[node.first_record()..node.id().index()];
        let properties = records.iter().rev().find(|record| matches!(record.kind, Kind::Anchor | Kind::Tag));
        let inline = properties.map_or(Span::at(after), |last| Span::new(full.start, last.end));
        return Slot { after, inline, body: entries };
    }
    let lines = Span::new(full.start, entries.end).of(source);
    let end = full.start + lines.trim_end_matches(['\n', '\r']).len() as u32;
    Slot { after, inline: Span::new(full.start, end), body: Span::at(entries.end) }
}

impl Place<'_, '_> {
    pub(super) fn replace_value(&mut self, id: EntryId, content: &Content) -> Result<(), SpliceError> {
        let entry = self.stream.entry(id);
        if entry.collection().is_flow() {
            return self.replace_flow_value(entry, content);
        }
        let value = entry.value();
        let after = entry.indicator().end;
        let target = Target {
            column: entry.column(),
            is_item: id.key.is_none(),
            has_trail: entry.trail().is_some(),
            keeps_layout: false,
            replaces: Some(value),
        };
        let rendered = self.context.value(content, target)?;
        let separator = if entry.indicator().is_empty() && id.key.is_some() { ": " } else { " " };
        let mut slot = Slot::of(value, after);
        if rendered.is_block_scalar() {
            // Lines between the indicator and the old value would become lines of the scalar.
            let next_line = line_end(self.stream.source, slot.inline.end.max(after));
            slot.body.start = slot.body.start.min(next_line);
        }
        self.fill(slot, separator, rendered, value.id().0);
        Ok(())
    }

    /// Writes a rendered value into a slot.
    pub(super) fn fill(&mut self, slot: Slot, separator: &str, rendered: Rendered, rank: u32) {
        let inline = match (slot.inline.is_empty(), rendered.inline.is_empty()) {
            (true, true) => None,
            (true, false) => Some((Span::at(slot.after), format!("{separator}{}", rendered.inline))),
            (false, true) if slot.inline.start >= slot.after => {
                Some((Span::new(slot.after, slot.inline.end), String::new()))
            }
            (false, _) => Some((slot.inline, rendered.inline)),
        };
        if let Some((span, text)) = inline {
            self.out.push(Replacement::new(span, text, rank));
        }
        if !slot.body.is_empty() || rendered.body.is_some() {
            self.out.push(Replacement::lines(slot.body, rendered.body.unwrap_or_default(), rank));
        }
    }

    pub(super) fn replace_root(&mut self, root: NodeId, content: &Content) -> Result<(), SpliceError> {
        let root = self.stream.node(root);
        let target = Target { column: 0, is_item: false, has_trail: false, keeps_layout: false, replaces: Some(root) };
        let rendered = self.context.root(content, target)?;
        let body = rendered.body.unwrap_or_default();
        let text = match (rendered.inline.is_empty(), root.is_block_collection()) {
            (true, false) if ends_line(root) => without_newline(body),
            (true, _) => body,
            (false, true) => format!("{}{}{body}", rendered.inline, self.context.newline.as_str()),
            (false, false) => rendered.inline + &if body.is_empty() { body } else { format!("\n{body}") },
        };
        let span = match entries_span(root).filter(|_| root.is_block_collection()) {
            Some(entries) => Span::new(root.full_span().start.min(entries.start), entries.end),
            None => root.full_span(),
        };
        let mut replacement = Replacement::new(span, text, root.id().0);
        if root.is_block_collection() || rendered_lines(content, self) {
            replacement.seam = Seam::Lines;
        }
        self.out.push(replacement);
        Ok(())
    }
}

/// Whether nothing but blanks follows a node on its line, whose newline stays.
fn ends_line(node: Node<'_>) -> bool {
    let (source, end) = (node.stream().source(), node.span().end);
    let rest = Span::new(end, line_end(source, end)).of(source);
    rest.ends_with('\n') && rest.trim_ascii().is_empty()
}

fn without_newline(mut text: String) -> String {
    if text.ends_with('\n') {
        text.truncate(text.len() - if text.ends_with("\r\n") { 2 } else { 1 });
    }
    text
}

/// Whether a root's new content is a block collection, which cannot stand on the line of `---`.
fn rendered_lines(content: &Content, place: &Place<'_, '_>) -> bool {
    let node = match content {
        Content::Root(graft) => place.context.stream(graft.stream).ok().map(|stream| stream.node(graft.part)),
        Content::Value(graft) | Content::Layout(graft) => {
            place.context.stream(graft.stream).ok().map(|stream| stream.node(graft.part.value))
        }
        Content::Inline(_) | Content::Block { .. } => None,
    };
    node.is_some_and(|node| node.is_block_collection() && node.kind() != Kind::Null)
}
