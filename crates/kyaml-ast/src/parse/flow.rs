//! Flow context: everything between the outermost brackets. It has a stack of its own.
//!
//! There is one [`Bracket`] for each open `[` or `{`, and one for each pair without braces inside `[`. A state that is
//! named after a node waits for this node. The `…Done` states wait for punctuation.

use super::{Hole, ParseErrorKind, Parsed, Parser, fail};
use crate::parse::property::Properties;
use crate::scan::{self, PlainStops};
use crate::tree::{Kind, Record, flag};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Item,
    ItemDone,
    Key,
    ExplicitKey,
    KeyDone,
    Value,
    ValueDone,
    /// The key of a pair after `?`.
    PairKey,
    PairKeyDone,
    PairValue,
}

impl Expect {
    const fn is_done(self) -> bool {
        matches!(self, Self::ItemDone | Self::KeyDone | Self::ValueDone | Self::PairKeyDone)
    }
}

const PAIR: u32 = u32::MAX;

/// One open flow collection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bracket {
    record: u32,
    /// Tape index of the latest item's first record. `PAIR` if the item is a pair, which cannot be a key.
    item: u32,
    expect: Expect,
}

impl Parser<'_> {
    /// Moves over the flow collection at the cursor and records it. Lines after the first have at least `indent` spaces.
    pub(super) fn flow(&mut self, indent: i64) -> Parsed<()> {
        let indent = if self.acceptance.is_strict() { indent } else { 0 };
        let outside = (self.outer, self.inner);
        (self.outer, self.inner) = (Properties::NONE, Properties::NONE);
        self.open_bracket();
        while let Some(bracket) = self.brackets.last().copied() {
            self.flow_trivia(indent)?;
            if bracket.expect.is_done() {
                self.punctuation(bracket)?;
            } else {
                self.flow_token(bracket, indent)?;
            }
        }
        (self.outer, self.inner) = outside;
        Ok(())
    }

    fn open_bracket(&mut self) {
        let (kind, expect) =
            if self.peek() == b'[' { (Kind::Sequence, Expect::Item) } else { (Kind::Mapping, Expect::Key) };
        let record = self.tape.len() as u32;
        self.push(Record::leaf(kind, flag::FLOW, self.column(), self.at..self.at));
        self.at += 1;
        self.brackets.push(Bracket { record, item: record, expect });
    }

    /// Moves to the next token; records the comments on the way.
    fn flow_trivia(&mut self, indent: i64) -> Parsed<()> {
        let line = self.line;
        loop {
            match self.peek() {
                b' ' | b'\t' => self.at += 1,
                b'\n' | b'\r' => {
                    self.next_line();
                    if scan::is_marker(self.bytes, self.at) {
                        let (start, close) = self.opener();
                        return fail(ParseErrorKind::MarkerInFlow(close), start, start + 1);
                    }
                }
                b'#' => self.comment(if self.line == line { 0 } else { flag::OWN_LINE })?,
                0 => {
                    let (start, close) = self.opener();
                    return fail(ParseErrorKind::UnclosedBracket(close), start, start + 1);
                }
                _ => break,
            }
        }
        if self.line == line { Ok(()) } else { self.check_flow_indent(indent) }
    }

    fn check_flow_indent(&self, indent: i64) -> Parsed<()> {
        let text = scan::skip_spaces(self.bytes, self.line);
        if (text - self.line) as i64 >= indent {
            return Ok(());
        }
        if scan::byte(self.bytes, text) == b'\t' {
            return fail(ParseErrorKind::TabIndentation, text, text + 1);
        }
        self.fail_at(ParseErrorKind::FlowIndentation(indent as u32), self.at)
    }

    /// Offset of the innermost open bracket, and the character that closes it.
    pub(super) fn opener(&self) -> (usize, char) {
        let open = self.brackets.iter().rev().map(|bracket| self.tape[bracket.record as usize]);
        let record = open.into_iter().find(|record| !record.has(flag::PAIR));
        record.map_or((self.at, ']'), |record| {
            (record.start as usize, if record.kind == Kind::Sequence { ']' } else { '}' })
        })
    }

    /// Handles a token where a node is expected.
    fn flow_token(&mut self, bracket: Bracket, indent: i64) -> Parsed<()> {
        if !self.inner.any() {
            self.start_item(self.tape.len() as u32);
        }
        let next = scan::byte(self.bytes, self.at + 1);
        match self.peek() {
            b',' | b']' | b'}' => self.flow_nothing(bracket),
            b':' if scan::is(next, scan::BLANK | scan::BREAK | scan::FLOW) => self.flow_empty_key(bracket),
            b'?' if self.is_explicit(next) && !self.inner.any() => self.flow_explicit(bracket),
            b'&' | b'!' => self.property(true),
            b'[' | b'{' => {
                self.open_bracket();
                self.take_outside(bracket)
            }
            b'*' => {
                if self.inner.any() {
                    return fail(ParseErrorKind::AliasWithProperty, self.at, self.at + 1);
                }
                self.alias()?;
                self.flow_node(bracket)
            }
            b'"' | b'\'' => {
                let record = self.quoted(indent)?;
                self.push(record);
                self.flow_node(bracket)
            }
            _ => {
                let stops = self.flow_stops();
                self.check_plain_start(if self.peek() == b'-' { stops.after_colon } else { scan::FLOW })?;
                let stop = scan::plain_stop(self.bytes, self.at, stops);
                let (record, _) = self.plain(stop, indent as usize, stops);
                self.push(record);
                self.flow_node(bracket)
            }
        }
    }

    /// kubectl and kpt read `:` and `-` before punctuation as text.
    fn flow_stops(&self) -> PlainStops {
        let after_colon = if self.acceptance.is_strict() { scan::FLOW } else { 0 };
        PlainStops { anywhere: scan::FLOW, after_colon }
    }

    /// Whether `?` before the byte `next` starts a key. For kubectl and kpt it does before any text.
    fn is_explicit(&self, next: u8) -> bool {
        let before_text = !self.acceptance.is_strict() && !matches!(next, b',' | b']' | b'}');
        before_text || scan::is(next, scan::BLANK | scan::BREAK)
    }

    /// Stores the first record of the item that starts here.
    fn start_item(&mut self, index: u32) {
        if let Some(bracket) = self.brackets.last_mut() {
            bracket.item = index;
        }
    }

    fn expect(&mut self, expect: Expect) {
        if let Some(bracket) = self.brackets.last_mut() {
            bracket.expect = expect;
        }
    }

    /// The nested collection that was just opened takes the properties before it. It is the node that was expected.
    fn take_outside(&mut self, outer: Bracket) -> Parsed<()> {
        let nested = self.tape.len() - 1;
        self.mark_explicit(outer, nested);
        self.take_properties(nested)
    }

    fn mark_explicit(&mut self, bracket: Bracket, node: usize) {
        if matches!(bracket.expect, Expect::ExplicitKey | Expect::PairKey) {
            self.tape[node].flags |= flag::EXPLICIT;
        }
    }

    /// Completes the scalar or alias that was just recorded.
    fn flow_node(&mut self, bracket: Bracket) -> Parsed<()> {
        let node = self.tape.len() - 1;
        self.mark_explicit(bracket, node);
        self.take_properties(node)?;
        self.node_done();
        Ok(())
    }

    /// Prepares for what follows a complete node. The node ends at the cursor.
    fn node_done(&mut self) {
        self.last = Hole { index: self.tape.len(), at: self.at, column: self.column() };
        self.advance();
    }

    fn advance(&mut self) {
        let Some(bracket) = self.brackets.last_mut() else { return };
        bracket.expect = match bracket.expect {
            Expect::Item => Expect::ItemDone,
            Expect::Key | Expect::ExplicitKey => Expect::KeyDone,
            Expect::Value => Expect::ValueDone,
            Expect::PairKey => Expect::PairKeyDone,
            Expect::PairValue => return self.close_pair(),
            done => done,
        };
    }

    /// Handles a comma or closing bracket where a node is expected.
    fn flow_nothing(&mut self, bracket: Bracket) -> Parsed<()> {
        let optional = matches!(bracket.expect, Expect::Item | Expect::Key) && !self.inner.any();
        if optional && self.peek() != b',' {
            return self.close_bracket(bracket);
        }
        if optional {
            return fail(ParseErrorKind::ExpectedFlowItem, self.at, self.at + 1);
        }
        self.flow_null(bracket)
    }

    /// Records a null after the latest indicator or property.
    fn flow_null(&mut self, bracket: Bracket) -> Parsed<()> {
        let Hole { index, at, column } = self.hole;
        self.insert(index, Record::leaf(Kind::Null, 0, column, at..at));
        self.mark_explicit(bracket, index);
        self.last = Hole { index: index + 1, at, column };
        self.take_properties(index)?;
        self.advance();
        Ok(())
    }

    /// Handles `:` where a node is expected: the node is an empty key.
    fn flow_empty_key(&mut self, bracket: Bracket) -> Parsed<()> {
        if matches!(bracket.expect, Expect::Value | Expect::PairValue) {
            return self.fail_at(ParseErrorKind::BareIndicator(':'), self.at);
        }
        if !self.inner.any() && !matches!(bracket.expect, Expect::ExplicitKey | Expect::PairKey) {
            self.hole = Hole { index: self.tape.len(), at: self.at, column: self.column() };
        }
        self.flow_null(bracket)
    }

    /// `? `
    fn flow_explicit(&mut self, bracket: Bracket) -> Parsed<()> {
        match bracket.expect {
            Expect::Item => {
                let record = self.tape.len() as u32;
                self.push(Record::leaf(Kind::Mapping, flag::FLOW | flag::PAIR, self.column(), self.at..self.at));
                self.brackets.push(Bracket { record, item: record, expect: Expect::PairKey });
            }
            Expect::Key => self.expect(Expect::ExplicitKey),
            _ => return self.fail_at(ParseErrorKind::BareIndicator('?'), self.at),
        }
        self.flow_indicator();
        Ok(())
    }

    fn flow_indicator(&mut self) {
        self.at += 1;
        self.hole = Hole { index: self.tape.len(), at: self.at, column: self.column() };
    }

    /// Handles a token after a complete node.
    fn punctuation(&mut self, bracket: Bracket) -> Parsed<()> {
        match (self.peek(), bracket.expect) {
            (b':', Expect::ItemDone) if bracket.item != PAIR && self.is_value_indicator() => self.open_pair(bracket),
            (b':', Expect::KeyDone | Expect::PairKeyDone) if self.is_value_indicator() => {
                let value = if bracket.expect == Expect::KeyDone { Expect::Value } else { Expect::PairValue };
                self.expect(value);
                self.flow_indicator();
                Ok(())
            }
            (b',' | b']' | b'}', Expect::KeyDone | Expect::PairKeyDone) => {
                self.hole = self.last;
                self.expect(if bracket.expect == Expect::KeyDone { Expect::Value } else { Expect::PairValue });
                let value = Bracket { expect: Expect::Value, ..bracket };
                self.flow_null(value)
            }
            (b',', _) => {
                self.at += 1;
                self.expect(if bracket.expect == Expect::ItemDone { Expect::Item } else { Expect::Key });
                Ok(())
            }
            (b']' | b'}', _) => self.close_bracket(bracket),
            _ => self.fail_comma(),
        }
    }

    /// Whether `:` here starts a value: it stands before a blank, a comma or a closing bracket, or after a quoted or
    /// bracketed key. For kubectl and kpt, also after an alias.
    fn is_value_indicator(&self) -> bool {
        let next = scan::byte(self.bytes, self.at + 1);
        let bracketed = matches!(self.bytes[self.last.at - 1], b']' | b'}');
        if bracketed || scan::is(next, scan::BLANK | scan::BREAK) || matches!(next, b',' | b']' | b'}') {
            return true;
        }
        self.last_record().is_some_and(|key| match key.kind {
            Kind::DoubleQuoted | Kind::SingleQuoted => true,
            Kind::Alias => !self.acceptance.is_strict(),
            _ => false,
        })
    }

    /// Turns the latest item of a sequence into the key of a pair.
    fn open_pair(&mut self, bracket: Bracket) -> Parsed<()> {
        let first = bracket.item as usize;
        let head = self.tape[first];
        let start = head.start as usize;
        if start < self.line {
            let (open, close) = self.opener();
            return fail(ParseErrorKind::KeyInUnclosedBracket(close), open, open + 1);
        }
        self.check_key_length(start, self.at)?;
        self.expect(Expect::ItemDone);
        let pair = Record::leaf(Kind::Mapping, flag::FLOW | flag::PAIR, start - self.line, start..start);
        self.insert(first, pair);
        self.brackets.push(Bracket { record: first as u32, item: first as u32, expect: Expect::PairValue });
        self.flow_indicator();
        Ok(())
    }

    /// Ends a pair after its last complete node. The pair is an item of the sequence around it.
    fn close_pair(&mut self) {
        if let Some(pair) = self.brackets.pop() {
            let first = pair.record as usize;
            self.tape[first].close(self.last.index - first);
        }
        self.start_item(PAIR);
        self.expect(Expect::ItemDone);
    }

    /// Ends a collection at the bracket at the cursor.
    fn close_bracket(&mut self, bracket: Bracket) -> Parsed<()> {
        let found = char::from(self.peek());
        let (_, expected) = self.opener();
        if found != expected {
            return fail(ParseErrorKind::WrongBracket { expected, found }, self.at, self.at + 1);
        }
        self.push(Record::leaf(Kind::Close, 0, self.column(), self.at..self.at + 1));
        self.at += 1;
        let first = bracket.record as usize;
        let records = self.tape.len() - first;
        self.tape[first].close(records);
        self.brackets.pop();
        self.node_done();
        Ok(())
    }
}
