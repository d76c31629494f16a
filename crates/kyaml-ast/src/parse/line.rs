//! A shortcut for the commonest lines of manifests: `key: plain text`, one after the other.
//!
//! Whatever it does not recognise it leaves untouched, so that it decides no question of syntax: without it every source
//! gives the same tape, more slowly.

use super::block::{LONGEST_KEY, State};
use super::{Hole, Lead, Parser, leaf};
use crate::scan::{self, PlainStops};
use crate::tree::Kind;

/// Classes of bytes that start no plain scalar, or not for sure.
const UNUSUAL: u8 = scan::TRIVIA | scan::BREAK | scan::INDICATOR | scan::MAYBE;

impl Parser<'_> {
    /// Moves over entries of the open mapping, if the cursor is at a key; whether it moved.
    #[inline]
    pub(super) fn plain_entries(&mut self) -> bool {
        let top = self.top();
        if top.state != State::Keys || self.lead.tab.is_some() {
            return false;
        }
        let indent = top.indent as usize;
        let start = self.at;
        while self.short_key() && self.short_value(indent) && self.column() == indent {
            if self.at == self.line && self.peek() == b'.' {
                break;
            }
        }
        self.at > start
    }

    /// Moves over `key:`.
    #[inline]
    fn short_key(&mut self) -> bool {
        let start = self.at;
        if self.is_at(start, UNUSUAL) {
            return false;
        }
        let colon = scan::plain_stop(self.bytes, start, PlainStops::default());
        if scan::byte(self.bytes, colon) != b':' || colon - start > LONGEST_KEY {
            return false;
        }
        let end = scan::trim(self.bytes, start, colon);
        self.push(leaf(Kind::Plain, 0, start - self.line, start..end));
        self.at = colon;
        self.indicator(Lead::INLINE);
        self.set_state(State::Value);
        true
    }

    /// Moves over `plain text` after `: `, the line break and the spaces after it, when the next line cannot continue the text.
    #[inline]
    pub(super) fn short_value(&mut self, indent: usize) -> bool {
        let start = self.at;
        if self.is_at(start, UNUSUAL) || self.bytes[start - 1] != b' ' {
            return false;
        }
        let stop = scan::plain_stop(self.bytes, start, PlainStops::default());
        if scan::byte(self.bytes, stop) != b'\n' {
            return false;
        }
        let line = stop + 1;
        let at = scan::skip_spaces(self.bytes, line);
        if at - line > indent || self.is_at(at, scan::TRIVIA) {
            return false;
        }
        let end = scan::trim(self.bytes, start, stop);
        let column = start - self.line;
        self.push(leaf(Kind::Plain, 0, column, start..end));
        self.last = Hole { index: self.tape.len(), at: end, column: column + end - start };
        self.line = line;
        self.at = at;
        self.lead = Lead::FRESH;
        self.set_state(State::Keys);
        true
    }
}
