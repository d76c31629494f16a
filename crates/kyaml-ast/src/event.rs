//! The tape as a series of events in the notation of yaml-test-suite, so that independent parsers can be compared.
//!
//! Ignores comments, blanks and layout. Documents without a root have no events.

use crate::tree::{Document, Kind, Node, Stream};
use std::borrow::Cow;
use std::fmt::{self, Display, Write};

/// One event of a stream. [`Display`] writes the notation of yaml-test-suite, without indentation.
#[derive(Clone, Copy, Debug)]
pub struct Event<'t> {
    /// What happens.
    pub kind: EventKind<'t>,
    document: Document<'t>,
}

/// What happens in an [`Event`].
#[derive(Clone, Copy, Debug)]
pub enum EventKind<'t> {
    /// A document starts.
    DocumentStart,
    /// A document ends.
    DocumentEnd,
    /// A collection starts.
    Start(Node<'t>),
    /// A collection ends.
    End(Node<'t>),
    /// A scalar or an alias.
    Leaf(Node<'t>),
}

impl Stream<'_> {
    /// The events of all documents.
    ///
    /// ```
    /// let stream = kyaml_ast::Stream::parse("a: [1]\n")?;
    /// let events: Vec<_> = stream.events().map(|event| event.to_string()).collect();
    /// assert_eq!(events, ["+DOC", "+MAP", "=VAL :a", "+SEQ []", "=VAL :1", "-SEQ", "-MAP", "-DOC"]);
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    pub fn events(&self) -> impl Iterator<Item = Event<'_>> {
        self.documents().filter(|document| document.root().is_some()).flat_map(document_events)
    }
}

fn document_events(document: Document<'_>) -> impl Iterator<Item = Event<'_>> {
    let stream = document.stream();
    let end = document.id().index() + stream.tape[document.id().index()].skip();
    let mut next = document.id().index() + 1;
    let mut open: Vec<Node<'_>> = Vec::new();
    let inner = std::iter::from_fn(move || {
        loop {
            if let Some(closed) = open.pop_if(|node| node.after() <= next) {
                return Some(EventKind::End(closed));
            }
            if next >= end {
                return None;
            }
            let node = stream.node_at(next);
            next += 1;
            if node.kind().is_collection() {
                open.push(node);
                return Some(EventKind::Start(node));
            }
            if node.kind().is_node() {
                return Some(EventKind::Leaf(node));
            }
        }
    });
    std::iter::once(EventKind::DocumentStart)
        .chain(inner)
        .chain(std::iter::once(EventKind::DocumentEnd))
        .map(move |kind| Event { kind, document })
}

impl Display for Event<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            EventKind::DocumentStart if self.document.start_marker().is_some() => out.write_str("+DOC ---"),
            EventKind::DocumentStart => out.write_str("+DOC"),
            EventKind::DocumentEnd if self.document.end_marker().is_some() => out.write_str("-DOC ..."),
            EventKind::DocumentEnd => out.write_str("-DOC"),
            EventKind::Start(node) => {
                out.write_str(match (node.kind(), node.is_flow()) {
                    (Kind::Mapping, false) => "+MAP",
                    (Kind::Mapping, true) => "+MAP {}",
                    (_, false) => "+SEQ",
                    (_, true) => "+SEQ []",
                })?;
                self.properties(node, out)
            }
            EventKind::End(node) => out.write_str(if node.kind() == Kind::Mapping { "-MAP" } else { "-SEQ" }),
            EventKind::Leaf(node) => self.leaf(node, out),
        }
    }
}

impl Event<'_> {
    fn leaf(&self, node: Node<'_>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = node.alias() {
            return write!(out, "=ALI *{name}");
        }
        out.write_str("=VAL")?;
        self.properties(node, out)?;
        out.write_str(match node.kind() {
            Kind::SingleQuoted => " '",
            Kind::DoubleQuoted => " \"",
            Kind::Literal => " |",
            Kind::Folded => " >",
            _ => " :",
        })?;
        write_escaped(&node.value(), out)
    }

    fn properties(&self, node: Node<'_>, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(name) = node.anchor() {
            write!(out, " &{name}")?;
        }
        if let Some(tag) = node.tag() {
            write!(out, " <{}>", resolve_tag(self.document, tag))?;
        }
        Ok(())
    }
}

fn write_escaped(value: &str, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    for character in value.chars() {
        match character {
            '\\' => out.write_str("\\\\")?,
            '\n' => out.write_str("\\n")?,
            '\t' => out.write_str("\\t")?,
            '\r' => out.write_str("\\r")?,
            '\x08' => out.write_str("\\b")?,
            other => out.write_char(other)?,
        }
    }
    Ok(())
}

/// The tag a shorthand such as `!!str` stands for.
pub(crate) fn resolve_tag<'t>(document: Document<'_>, tag: &'t str) -> Cow<'t, str> {
    if let Some(verbatim) = tag.strip_prefix("!<") {
        return Cow::Borrowed(verbatim.trim_end_matches('>'));
    }
    if tag == "!" {
        return Cow::Borrowed(tag);
    }
    let handle = tag[1..].find('!').map_or("!", |bang| &tag[..bang + 2]);
    let suffix = decode_uri(&tag[handle.len()..]);
    let prefix = declared_prefix(document, handle);
    Cow::Owned(format!("{}{suffix}", prefix.unwrap_or(if handle == "!!" { "tag:yaml.org,2002:" } else { handle })))
}

/// The prefix that a `%TAG` directive declares for `handle`.
pub(crate) fn declared_prefix<'t>(document: Document<'t>, handle: &str) -> Option<&'t str> {
    document.directives().find_map(|span| {
        let mut words = span.of(document.stream().source()).split_ascii_whitespace();
        (words.next() == Some("%TAG") && words.next() == Some(handle)).then(|| words.next()).flatten()
    })
}

/// Replaces `%21` and the like.
pub(crate) fn decode_uri(text: &str) -> Cow<'_, str> {
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        let digit = |byte: Option<u8>| byte.and_then(|byte| char::from(byte).to_digit(16)).unwrap_or(0) as u8;
        out.push(if byte == b'%' { digit(bytes.next()) * 16 + digit(bytes.next()) } else { byte });
    }
    Cow::Owned(String::from_utf8_lossy(&out).into_owned())
}
