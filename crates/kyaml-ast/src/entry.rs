//! Entries: the pairs of a mapping and the items of a sequence as one concept, and the position of their indicators.
//!
//! Invariant: the ids of an [`Entry`] belong to its stream, and its key and value are children of its collection.
//! `trivia.rs` decides which comments and newline an entry owns.

use crate::span::{Span, column_of};
use crate::tree::{Kind, Node, NodeId, Stream};

/// Refers to an entry without borrowing its stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EntryId {
    /// The mapping or sequence that holds the entry.
    pub collection: NodeId,
    /// The key; `None` for an item of a sequence.
    pub key: Option<NodeId>,
    /// The value or item.
    pub value: NodeId,
}

/// A mapping pair or a sequence item. Cheap to copy.
///
/// The *extent* of an entry is every byte it owns: its own tokens, its comments and its newline. Bytes of a collection
/// that no entry owns are a *gap*. Extents and gaps tile the source: every byte has exactly one owner.
///
/// # Block entries
///
/// ```yaml
/// # a licence, set off by a blank line: a gap of the mapping
///
/// # why three          <- lead comment of `replicas`: directly above, no blank line between
/// replicas: 3 # tuned  <- trail comment of `replicas`
/// template: # pods     <- trail comment of `template`: it stands on the line of its own tokens
///   image: x
///   # image: y         <- deeper than `template`: inside its extent, a gap of the inner mapping
/// # about the strategy <- lead comment of `strategy`
/// strategy: {}
/// ```
///
/// - An entry that starts its line owns the whole line, its indentation and its newline (a newline ends a line; it does
///   not separate two). An entry that does not (`name` in `- name: x`) starts at its own first byte.
/// - *Lead*: the comment lines directly above an entry that starts its line, without a blank line between, up to the
///   first one that is indented deeper than the entry. (Above the first entry of a collection, any indentation is allowed:
///   nothing else could own these lines.) A list item that was commented out (`# - x` directly below another item), and
///   its other lines, are nobody's lead.
/// - *Trail*: the comment on the line of the entry's own tokens: after a scalar or flow value, after `key:` or `-` of a
///   block collection, after the header of a block scalar. If a value is on a line of its own and has no comment after it,
///   the comment after `key:` or `-`.
/// - *Foot*: comment lines below an entry that are indented deeper than the entry belong to its inside, with the blank
///   lines between them. So do commented-out list items in the column of the list's key, directly below its last item.
///
/// # Flow entries
///
/// A flow entry that has its lines to itself (only a comma and a comment may follow it) owns these lines, with its comma,
/// its trail and its lead as above. Any other flow entry owns its own tokens only; commas and blanks are gaps.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'t> {
    stream: &'t Stream<'t>,
    id: EntryId,
}

impl<'t> Node<'t> {
    /// The entries of a mapping or sequence. None for a scalar or alias.
    pub fn entries(self) -> impl Iterator<Item = Entry<'t>> {
        let is_mapping = self.kind() == Kind::Mapping;
        let mut children = self.kind().is_collection().then(|| self.children());
        std::iter::from_fn(move || {
            let children = children.as_mut()?;
            let key = if is_mapping { Some(children.next()?.id) } else { None };
            let value = children.next()?.id;
            let id = EntryId { collection: self.id, key, value };
            Some(Entry { stream: self.stream, id })
        })
    }
}

impl<'t> Stream<'t> {
    /// The view on an entry of this stream.
    #[must_use]
    pub fn entry(&'t self, id: EntryId) -> Entry<'t> {
        Entry { stream: self, id }
    }
}

impl<'t> Entry<'t> {
    /// Identifies the entry within its stream.
    #[must_use]
    pub const fn id(self) -> EntryId {
        self.id
    }

    /// The stream the entry belongs to.
    #[must_use]
    pub const fn stream(self) -> &'t Stream<'t> {
        self.stream
    }

    /// The mapping or sequence that holds the entry.
    #[must_use]
    pub fn collection(self) -> Node<'t> {
        self.stream.node(self.id.collection)
    }

    /// The key; `None` for an item.
    #[must_use]
    pub fn key(self) -> Option<Node<'t>> {
        self.id.key.map(|key| self.stream.node(key))
    }

    /// The value or item.
    #[must_use]
    pub fn value(self) -> Node<'t> {
        self.stream.node(self.id.value)
    }

    /// Whether a node of the same stream is the entry's key or value, or is inside one of them.
    #[must_use]
    pub fn holds(self, node: NodeId) -> bool {
        let first = self.id.key.unwrap_or(self.id.value).index();
        (first..self.value().after()).contains(&node.index())
    }

    /// From the entry's first byte (`-`, `?`, property or node) to the end of its value.
    #[must_use]
    pub fn span(self) -> Span {
        let start = self.start();
        let key_end = self.key().map_or(start, |key| key.span().end);
        Span::new(start, self.value().span().end.max(key_end))
    }

    /// The distance in bytes from the start of its line to the entry.
    #[must_use]
    pub fn column(self) -> usize {
        if self.collection().is_block_collection() {
            return self.collection().column();
        }
        column_of(self.stream.source, self.start())
    }

    /// The value's indicator: `-` of an item, `:` of a pair. Empty if it is not written (flow items, `{a}`).
    #[must_use]
    pub fn indicator(self) -> Span {
        let wanted = match self.id.key {
            Some(_) => b':',
            None if self.collection().is_flow() => return Span::at(self.start()),
            None => b'-',
        };
        // Text may also end in a colon.
        let key_end = self.key().map_or(0, |key| key.span().end);
        indicator_before(self.value(), wanted).filter(|at| *at >= key_end).map_or_else(
            || Span::at(self.key().map_or(self.value().span().start, |key| key.span().end)),
            |at| Span::new(at, at + 1),
        )
    }

    /// Whether only blanks (or byte order marks) stand before the entry on its line.
    #[must_use]
    pub fn starts_line(self) -> bool {
        let before = &self.stream.source.as_bytes()[..self.start() as usize];
        let blanks = before.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let mut before = &before[..before.len() - blanks];
        while let Some(rest) = before.strip_suffix(&[0xEF, 0xBB, 0xBF]) {
            before = rest;
        }
        matches!(before, [] | [.., b'\n' | b'\r'])
    }

    /// The first byte of the entry's own tokens.
    #[must_use]
    pub fn start(self) -> u32 {
        let Some(key) = self.key() else {
            let value = self.value();
            let plain_start = value.full_span().start;
            if self.collection().is_flow() {
                return plain_start;
            }
            return indicator_before(value, b'-').unwrap_or(plain_start);
        };
        let start = key.full_span().start;
        if key.is_explicit_key() { indicator_before(key, b'?').unwrap_or(start) } else { start }
    }
}

/// Finds `wanted` before `node`, with only white space and comments between them.
fn indicator_before(node: Node<'_>, wanted: u8) -> Option<u32> {
    let stream = node.stream;
    let bytes = stream.source.as_bytes();
    let mut index = node.first_record();
    let mut at = stream.tape[index].start;
    loop {
        while at > 0 && matches!(bytes[at as usize - 1], b' ' | b'\t' | b'\n' | b'\r') {
            at -= 1;
        }
        if index > 0 && stream.tape[index - 1].kind == Kind::Comment && stream.tape[index - 1].leaf_span().end >= at {
            index -= 1;
            at = stream.tape[index].start;
            continue;
        }
        return (at > 0 && bytes[at as usize - 1] == wanted).then(|| at - 1);
    }
}
