//! Anchors, tags and aliases: finds their end, and checks that a node has at most one of each.

use super::{ParseErrorKind, Parsed, Parser, fail};
use crate::scan;
use crate::tree::{Kind, Record};

/// Properties on the tape that wait for their node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Properties {
    /// Tape index of the first one. `NOWHERE` if there is none.
    first: usize,
    anchor: bool,
    tag: bool,
}

const NOWHERE: usize = usize::MAX;

impl Properties {
    pub(super) const NONE: Self = Self { first: NOWHERE, anchor: false, tag: false };

    #[inline]
    pub(super) const fn any(self) -> bool {
        self.first != NOWHERE
    }

    /// Tape index of the first property, or `node` if there is none.
    #[inline]
    pub(super) const fn first_or(self, node: usize) -> usize {
        if self.any() { self.first } else { node }
    }

    /// The properties of both, on one node.
    pub(super) fn and(self, later: Self, node: usize, parser: &Parser<'_>) -> Parsed<Self> {
        if self.anchor && later.anchor {
            return parser.second_property(later.first, node, Kind::Anchor);
        }
        if self.tag && later.tag {
            return parser.second_property(later.first, node, Kind::Tag);
        }
        Ok(Self { first: self.first.min(later.first), anchor: self.anchor || later.anchor, tag: self.tag || later.tag })
    }
}

impl<'s> Parser<'s> {
    /// Takes the properties for the node at tape index `node`.
    #[inline]
    pub(super) fn take_properties(&mut self, node: usize) -> Parsed<()> {
        if self.inner.any() || self.outer.any() {
            self.outer.and(self.inner, node, self)?;
            self.outer = Properties::NONE;
            self.inner = Properties::NONE;
        }
        Ok(())
    }

    /// Called at the end of a line. Its properties belong to a node on a later line, which cannot be a key.
    pub(super) fn keep_properties(&mut self) -> Parsed<()> {
        if !self.is_pending() {
            let first = self.tape[self.inner.first_or(0)];
            return fail(ParseErrorKind::MultilineKey, first.start as usize, first.leaf_span().end as usize);
        }
        self.outer = self.outer.and(self.inner, self.tape.len(), self)?;
        self.inner = Properties::NONE;
        Ok(())
    }

    fn second_property<T>(&self, first: usize, node: usize, kind: Kind) -> Parsed<T> {
        let end = node.min(self.tape.len());
        let found = self.tape[first..end].iter().rev().find(|record| record.kind == kind);
        let (start, end) =
            found.map_or((self.at, self.at), |record| (record.start as usize, record.leaf_span().end as usize));
        let error = if kind == Kind::Anchor { ParseErrorKind::SecondAnchor } else { ParseErrorKind::SecondTag };
        fail(error, start, end)
    }

    /// Moves over the anchor or tag at the cursor and records it.
    pub(super) fn property(&mut self, in_flow: bool) -> Parsed<()> {
        let start = self.at;
        let is_anchor = self.peek() == b'&';
        let end = if is_anchor { self.name_end(start)? } else { self.tag_end(start)? };
        if !self.is_at(end, scan::BLANK | scan::BREAK | if in_flow { scan::FLOW } else { 0 }) {
            return self.fail_at(ParseErrorKind::ExpectedBlankAfterProperty, end);
        }
        let kind = if is_anchor { Kind::Anchor } else { Kind::Tag };
        self.colon_names |= is_anchor && self.bytes[start..end].contains(&b':');
        let this = Properties { first: self.tape.len(), anchor: is_anchor, tag: !is_anchor };
        self.push(Record::leaf(kind, 0, self.column(), start..end));
        self.inner = self.inner.and(this, self.tape.len(), self)?;
        self.at = end;
        self.hole = super::Hole { index: self.tape.len(), at: end, column: end - self.line };
        self.lead.fresh = false;
        Ok(())
    }

    /// End of `&name` or `*name`.
    fn name_end(&self, start: usize) -> Parsed<usize> {
        let end = scan::find(self.bytes, start + 1, scan::BLANK | scan::BREAK | scan::FLOW);
        if end == start + 1 {
            let sign = char::from(self.bytes[start]);
            return fail(ParseErrorKind::ExpectedName(sign), start, end);
        }
        Ok(end)
    }

    /// End of `*name`.
    ///
    /// In the specification `:` is a part of the name; in kubectl it is not. kubectl refuses anchors whose name
    /// contains `:`, so a source that has such an anchor is read by the specification.
    pub(super) fn alias_end(&self, start: usize) -> Parsed<usize> {
        let end = self.name_end(start)?;
        if self.acceptance.is_strict() || self.colon_names {
            return Ok(end);
        }
        let colon = memchr::memchr(b':', &self.bytes[start + 2..end]);
        Ok(colon.map_or(end, |found| start + 2 + found))
    }

    fn tag_end(&self, start: usize) -> Parsed<usize> {
        if scan::byte(self.bytes, start + 1) == b'<' {
            return self.verbatim_end(start);
        }
        let end = self.uri_end(start + 1, is_tag_char)?;
        let text = &self.source[start..end];
        let Some(handle) = text[1..].find('!').map(|bang| &text[..bang + 2]) else {
            return Ok(end);
        };
        let is_word = handle[1..handle.len() - 1].bytes().all(is_word);
        if !is_word || handle.len() == text.len() || text[handle.len()..].contains('!') {
            return fail(ParseErrorKind::MalformedTag, start, end);
        }
        if handle != "!!" && !self.is_fragment && !self.handles.contains(handle) {
            return fail(ParseErrorKind::UndeclaredHandle, start, start + handle.len());
        }
        Ok(end)
    }

    /// End of `!<uri>`.
    fn verbatim_end(&self, start: usize) -> Parsed<usize> {
        let end = self.uri_end(start + 2, is_uri_char)?;
        let empty = end == start + 2 || &self.bytes[start + 2..end] == b"!";
        if empty || scan::byte(self.bytes, end) != b'>' {
            return fail(ParseErrorKind::MalformedTag, start, end);
        }
        Ok(end + 1)
    }

    /// End of the run of URI characters at `at`. Checks `%` escapes.
    pub(super) fn uri_end(&self, mut at: usize, accepts: fn(u8) -> bool) -> Parsed<usize> {
        loop {
            let byte = scan::byte(self.bytes, at);
            if byte == b'%' {
                let digits = self.bytes.get(at + 1..at + 3).unwrap_or_default();
                if digits.len() < 2 || !digits.iter().all(u8::is_ascii_hexdigit) {
                    return self.fail_at(ParseErrorKind::MalformedTag, at);
                }
                at += 3;
            } else if accepts(byte) {
                at += 1;
            } else {
                return Ok(at);
            }
        }
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'-'
}

pub(super) fn is_uri_char(byte: u8) -> bool {
    is_word(byte) || b"#;/?:@&=+$,_.!~*'()[]".contains(&byte)
}

/// Whether a byte is a URI character and no flow indicator.
fn is_tag_char(byte: u8) -> bool {
    is_uri_char(byte) && !scan::is(byte, scan::FLOW)
}
