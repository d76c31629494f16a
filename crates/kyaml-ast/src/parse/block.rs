//! Block context: which collection a line belongs to, and what its first tokens are.
//!
//! There is one frame for each open block collection; the document's frame is below them. A frame in a pending state
//! waits for a node, whose place is `hole`. Only the top frame can be pending.

use super::{Hole, Lead, ParseErrorKind, Parsed, Parser, fail};
use crate::parse::property::Properties;
use crate::parse::scalar::After;
use crate::scan::{self, PlainStops};
use crate::tree::{Kind, Record, flag};
use std::cmp::Ordering;

/// What a frame expects next: the states in which a node is pending, then, in the same order, those after it has come. (In this order,
/// it takes one instruction to tell whether a node is pending, and one to go on.)
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// The root node.
    Root,
    /// The item after `-`.
    Item,
    /// The value after `:`.
    Value,
    /// The key after `?`.
    ExplicitKey,
    /// Nothing more.
    RootDone,
    /// `-`
    Items,
    /// A key or `?`.
    Keys,
    /// The `:` of an explicit key.
    Colon,
}

impl State {
    #[inline]
    pub(super) const fn is_pending(self) -> bool {
        matches!(self, Self::Root | Self::Item | Self::ExplicitKey | Self::Value)
    }

    /// The state after the pending node has come.
    #[inline]
    const fn settled(self) -> Self {
        match self {
            Self::Root => Self::RootDone,
            Self::Item => Self::Items,
            Self::ExplicitKey => Self::Colon,
            Self::Value => Self::Keys,
            other => other,
        }
    }

    /// As [`State::settled`], but `None` if an explicit key is pending.
    #[inline]
    pub(super) const fn settled_simply(self) -> Option<Self> {
        match self {
            Self::Root | Self::Item | Self::Value => Some(self.settled()),
            _ => None,
        }
    }
}

/// One open block collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Column of its entries; -1 for the document.
    pub(super) indent: i64,
    pub(super) record: u32,
    pub(super) state: State,
}

pub(super) const LONGEST_KEY: usize = 1024;

impl Parser<'_> {
    /// Parses the content of a document, up to the next marker or the end of the source.
    pub(super) fn block(&mut self, document: usize) -> Parsed<()> {
        self.frames.push(Frame { indent: -1, record: document as u32, state: State::Root });
        loop {
            self.skip_trivia()?;
            if self.lead.fresh {
                if self.at_end() || (self.at == self.line && scan::is_marker(self.bytes, self.at)) {
                    break;
                }
                self.dedent()?;
                if !self.nulls.is_empty() {
                    self.insert_nulls();
                }
                if self.known.is_some() {
                    self.take_over();
                }
                if self.is_quick && self.lines()? {
                    continue;
                }
            } else if self.at_end() {
                break;
            }
            self.token()?;
        }
        if self.inner.any() {
            self.keep_properties()?;
        }
        while let Some(frame) = self.frames.last() {
            if frame.state.is_pending() {
                self.fill_hole()?;
            }
            self.pop();
        }
        self.insert_nulls();
        Ok(())
    }

    #[inline]
    pub(super) fn top(&self) -> Frame {
        self.frames.last().copied().expect("a document's frame stays until its end")
    }

    /// Whether a node is expected here.
    pub(super) fn is_pending(&self) -> bool {
        self.top().state.is_pending()
    }

    #[inline]
    pub(super) fn set_state(&mut self, state: State) {
        if let Some(frame) = self.frames.last_mut() {
            frame.state = state;
        }
    }

    #[inline]
    fn next_ends(&self) -> bool {
        self.is_at(self.at + 1, scan::BLANK | scan::BREAK)
    }

    /// Closes the collections that the first token of a line does not belong to.
    #[inline]
    pub(super) fn dedent(&mut self) -> Parsed<()> {
        let indent = self.indent() as i64;
        let dash = self.peek() == b'-' && self.next_ends();
        let mut closed = None;
        loop {
            let top = self.top();
            if top.state.is_pending() {
                if indent > top.indent || (indent == top.indent && self.is_flush(top.state, dash)) {
                    return Ok(());
                }
                self.fill_hole()?;
                continue;
            }
            match indent.cmp(&top.indent) {
                Ordering::Equal if dash == (top.state == State::Items) => return Ok(()),
                Ordering::Less => {}
                Ordering::Equal if !dash && self.is_flush_sequence() => {}
                _ => return self.fail_indent(top, closed),
            }
            closed = Some(top.indent);
            self.pop();
        }
    }

    /// Whether a node can start at the column of its entry. A sequence below a key can. For kubectl and kpt, a block
    /// scalar can, too.
    fn is_flush(&self, state: State, dash: bool) -> bool {
        let block_scalar = matches!(self.peek(), b'|' | b'>') && !self.acceptance.is_strict();
        block_scalar || (dash && state != State::Item)
    }

    /// Whether the top is a sequence at the column of the keys around it.
    fn is_flush_sequence(&self) -> bool {
        match self.frames.as_slice() {
            [.., below, top] => below.indent == top.indent,
            _ => false,
        }
    }

    #[inline]
    fn token(&mut self) -> Parsed<()> {
        let top = self.top();
        if !top.state.is_pending() && !self.lead.fresh && !self.inner.any() {
            return self.fail_trailing();
        }
        match self.peek() {
            b'-' if self.next_ends() => self.item(top),
            b'?' if self.next_ends() => self.explicit_key(top),
            b':' if self.next_ends() => self.colon(top),
            b'|' | b'>' if top.state.is_pending() => {
                let index = self.tape.len();
                let last = self.block_scalar(top.indent)?;
                self.finish_node(index, last)
            }
            b'&' | b'!' => {
                self.next_key()?;
                self.property(false)
            }
            b'"' | b'\'' | b'[' | b'{' | b'*' => self.atom(top),
            _ => self.plain_atom(top),
        }
    }

    /// `- `
    fn item(&mut self, top: Frame) -> Parsed<()> {
        if self.inner.any() {
            return self.fail_at(ParseErrorKind::CollectionAfterProperty, self.at);
        }
        if !self.lead.open {
            return self.fail_closed(ParseErrorKind::NestedSequence, top);
        }
        if top.state.is_pending() {
            self.open(Kind::Sequence, self.tape.len(), State::Item);
        } else {
            self.set_state(State::Item);
        }
        self.indicator(Lead::COMPACT);
        Ok(())
    }

    /// `? `
    fn explicit_key(&mut self, top: Frame) -> Parsed<()> {
        if self.inner.any() {
            return self.fail_at(ParseErrorKind::CollectionAfterProperty, self.at);
        }
        if !self.lead.open {
            return self.fail_closed(ParseErrorKind::NestedExplicitKey, top);
        }
        if top.state.is_pending() {
            self.open(Kind::Mapping, self.tape.len(), State::ExplicitKey);
        } else {
            self.next_key()?;
            self.set_state(State::ExplicitKey);
        }
        self.indicator(Lead::COMPACT);
        Ok(())
    }

    /// `: ` where no key precedes it on its line: the value of an explicit key, or an empty key.
    fn colon(&mut self, top: Frame) -> Parsed<()> {
        if top.state == State::Colon && !self.inner.any() {
            if !self.lead.open {
                return self.fail_closed(ParseErrorKind::NestedMapping, top);
            }
            self.set_state(State::Value);
            self.indicator(Lead::COMPACT);
            return Ok(());
        }
        self.next_key()?;
        let index = self.tape.len();
        let at = if self.inner.any() { self.hole.at } else { self.at };
        self.push(Record::leaf(Kind::Null, 0, at - self.line, at..at));
        self.key(index, self.at)
    }

    /// Moves over a one-byte indicator; a node is pending after it.
    #[inline]
    pub(super) fn indicator(&mut self, lead: Lead) {
        self.at += 1;
        self.hole = Hole { index: self.tape.len(), at: self.at, column: self.column() };
        self.lead = lead;
        if self.peek() == b' ' {
            self.at += 1;
        }
    }

    /// A plain scalar or plain key.
    #[inline]
    fn plain_atom(&mut self, top: Frame) -> Parsed<()> {
        self.check_plain_start(0)?;
        let start = self.at;
        let stop = scan::plain_stop(self.bytes, start, PlainStops::default());
        if scan::byte(self.bytes, stop) == b':' {
            return self.plain_key(top, stop);
        }
        if !top.state.is_pending() {
            return self.fail_colon(start, stop);
        }
        let index = self.tape.len();
        let (last, _) = self.plain_lines(top, stop);
        self.finish_node(index, last)
    }

    /// Moves over a plain scalar whose first line ends at `stop`, and over the break after it, and records the scalar.
    /// Returns where it ends and what follows.
    pub(super) fn plain_lines(&mut self, top: Frame, stop: usize) -> (Hole, After) {
        let (record, after) = self.plain(stop, (top.indent + 1) as usize, PlainStops::default());
        self.push(record);
        let last = Hole { index: self.tape.len(), at: self.at, column: self.column() };
        self.lead = Lead::INLINE;
        if let After::Other { line, at } = after {
            self.line = line;
            self.at = at;
            self.lead = Lead::FRESH;
        }
        (last, after)
    }

    /// A plain key whose `:` is at `colon`.
    #[inline]
    fn plain_key(&mut self, top: Frame, colon: usize) -> Parsed<()> {
        let start = self.at;
        if !top.state.is_pending() {
            self.next_key()?;
        }
        let index = self.tape.len();
        self.push(Record::leaf(Kind::Plain, 0, self.column(), start..scan::trim(self.bytes, start, colon)));
        self.key(index, colon)
    }

    /// A quoted scalar, an alias, or a flow collection; as a node or as a key.
    fn atom(&mut self, top: Frame) -> Parsed<()> {
        if !top.state.is_pending() {
            self.next_key()?;
        }
        let index = self.tape.len();
        let start = self.at;
        match self.peek() {
            b'*' => self.alias()?,
            b'[' | b'{' => self.flow(top.indent + 1)?,
            _ => {
                let record = self.quoted(top.indent + 1)?;
                self.push(record);
            }
        }
        let after = scan::skip_blanks(self.bytes, self.at);
        let colon = scan::byte(self.bytes, after) == b':';
        if colon && self.is_at(after + 1, scan::BLANK | scan::BREAK) {
            if start < self.line {
                return fail(ParseErrorKind::MultilineKey, start, self.at);
            }
            return self.key(index, after);
        }
        if colon {
            return fail(ParseErrorKind::ExpectedSpaceAfterColon, after, after + 1);
        }
        if !top.state.is_pending() {
            return fail(ParseErrorKind::ExpectedColon, start, self.at);
        }
        if self.tape[index].kind == Kind::Alias && (self.inner.any() || self.outer.any()) {
            return fail(ParseErrorKind::AliasWithProperty, start, self.at);
        }
        self.lead = Lead::INLINE;
        let last = Hole { index: self.tape.len(), at: self.at, column: self.column() };
        self.finish_node(index, last)
    }

    /// Moves over the alias at the cursor and records it.
    pub(super) fn alias(&mut self) -> Parsed<()> {
        let end = self.alias_end(self.at)?;
        self.push(Record::leaf(Kind::Alias, 0, self.column(), self.at..end));
        self.at = end;
        Ok(())
    }

    /// Before another key: an explicit key without `:` has no value.
    #[inline]
    fn next_key(&mut self) -> Parsed<()> {
        let top = self.top();
        if top.state.is_pending() || self.inner.any() {
            return Ok(());
        }
        if top.state == State::Colon {
            self.fill_value();
            self.insert_nulls();
            self.set_state(State::Keys);
        }
        if let Some(tab) = self.lead.tab {
            return self.fail_tab(tab);
        }
        Ok(())
    }

    /// Makes the atom at tape index `index` a key, with the properties on its line. Its `:` is at `colon`.
    #[inline]
    fn key(&mut self, index: usize, colon: usize) -> Parsed<()> {
        let top = self.top();
        let start = self.tape[index].start as usize;
        self.check_key_length(start, colon)?;
        if self.tape[index].kind == Kind::Alias && self.inner.any() {
            return fail(ParseErrorKind::AliasWithProperty, start, self.at);
        }
        if top.state.is_pending() {
            if !self.lead.open {
                self.at = start;
                return self.fail_closed(ParseErrorKind::NestedMapping, top);
            }
            self.open(Kind::Mapping, self.inner.first_or(index), State::Value);
        } else {
            self.set_state(State::Value);
        }
        self.inner = Properties::NONE;
        self.at = colon;
        self.indicator(Lead::INLINE);
        Ok(())
    }

    #[inline]
    pub(super) fn check_key_length(&self, start: usize, colon: usize) -> Parsed<()> {
        if colon - start <= LONGEST_KEY {
            return Ok(());
        }
        let is_long = self.source[start..colon].chars().nth(LONGEST_KEY).is_some();
        if is_long { fail(ParseErrorKind::LongKey, start, colon) } else { Ok(()) }
    }

    /// Opens a block collection. Its first entry starts at tape index `first`, or at the cursor if that is the tape's
    /// end.
    fn open(&mut self, kind: Kind, first: usize, state: State) {
        let start = self.tape.get(first).map_or(self.at, |record| record.start as usize);
        let column = start - self.line;
        let flags = self.explicit_flag();
        self.settle();
        self.outer = Properties::NONE;
        self.insert(first, Record::leaf(kind, flags, column, start..start));
        self.frames.push(Frame { indent: column as i64, record: first as u32, state });
    }

    fn explicit_flag(&self) -> u8 {
        if self.top().state == State::ExplicitKey { flag::EXPLICIT } else { 0 }
    }

    #[inline]
    fn settle(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.state = frame.state.settled();
        }
    }

    /// Completes the pending node with the one at tape index `index`.
    #[inline]
    fn finish_node(&mut self, index: usize, last: Hole) -> Parsed<()> {
        let explicit = self.explicit_flag();
        if explicit != 0 {
            self.tape[index].flags |= explicit;
        }
        self.settle();
        self.last = last;
        self.take_properties(index)
    }

    /// Completes the pending node with a null.
    fn fill_hole(&mut self) -> Parsed<()> {
        let Hole { index, at, column } = self.hole;
        let flags = self.explicit_flag();
        if index < self.tape.len() && self.top().state == State::Value {
            self.flag_all_items(index, at, self.top().indent as usize);
        }
        self.insert_null(index, Record::leaf(Kind::Null, flags, column, at..at));
        self.settle();
        self.take_properties(index)
    }

    /// Adds a null as the value of an explicit key without value.
    fn fill_value(&mut self) {
        let Hole { index, at, column } = self.last;
        self.insert_null(index, Record::leaf(Kind::Null, 0, column, at..at));
    }

    /// Records a null at tape index `index`. If comments stand there already, only notes it.
    ///
    /// The nulls of collections that close together follow each other, and are inserted together. One by one, each
    /// would move all the comments.
    fn insert_null(&mut self, index: usize, null: Record) {
        if self.nulls.is_empty() && index == self.tape.len() {
            self.push(null);
        } else {
            self.nulls.push(null);
        }
        self.last = Hole { index: index + 1, at: null.start as usize, column: usize::from(null.column) };
    }

    /// Inserts the noted nulls. The last of them is the last node.
    #[cold]
    fn insert_nulls(&mut self) {
        let start = self.last.index - self.nulls.len();
        self.tape.splice(start..start, self.nulls.drain(..));
    }

    /// Closes the top frame after its last complete node.
    #[inline]
    fn pop(&mut self) {
        let top = self.top();
        if top.state == State::Colon {
            self.fill_value();
        }
        self.frames.pop();
        if top.indent >= 0 {
            let first = top.record as usize;
            self.tape[first].close(self.last.index - first);
        }
    }
}
