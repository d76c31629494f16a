//! Literal and folded scalars: the header, and where the text ends.

use super::{Hole, Lead, ParseErrorKind, Parsed, Parser, fail};
use crate::scan;
use crate::tree::{Kind, Record, flag};

/// The content of a header.
struct Header {
    keep: bool,
    /// The indentation of the content in columns, if the header states it.
    indent: Option<usize>,
    /// Offset after the indicators.
    end: usize,
}

/// Lines of text found so far.
struct Body {
    /// End of the last line with text, or of the header.
    text_end: usize,
    /// End of the last line, blank or not.
    end: usize,
    /// Start of the line after it.
    next: usize,
}

impl Parser<'_> {
    /// Moves over the block scalar at the cursor and records it, with the comment of its header.
    ///
    /// `parent` is the indentation of the enclosing collection.
    pub(super) fn block_scalar(&mut self, parent: i64) -> Parsed<Hole> {
        let index = self.tape.len();
        let start = self.at;
        let kind = if self.peek() == b'|' { Kind::Literal } else { Kind::Folded };
        self.push(Record::leaf(kind, flag::DECODE, self.column(), start..start));
        let header = self.header(parent)?;
        let mut header_end = header.end;
        self.at = scan::skip_blanks(self.bytes, header.end);
        if self.peek() == b'#' {
            self.comment(0)?;
            header_end = self.at;
        }
        let body = self.body(&header, header_end, parent)?;
        let end = if header.keep { body.end } else { body.text_end };
        if self.tape.len() > index + 1 {
            self.push(Record::leaf(Kind::Close, 0, 0, end..end));
            let records = self.tape.len() - index;
            self.tape[index].close(records);
        } else {
            self.tape[index].end_at(end);
        }
        self.at = body.next;
        self.line = body.next;
        self.lead = Lead::FRESH;
        let line = crate::span::line_start(self.source, end as u32) as usize;
        Ok(Hole { index: self.tape.len(), at: end, column: end - line })
    }

    /// Reads the indicators at the cursor; records the indentation indicator.
    fn header(&mut self, parent: i64) -> Parsed<Header> {
        let mut header = Header { keep: false, indent: None, end: self.at + 1 };
        let mut chomped = false;
        loop {
            match scan::byte(self.bytes, header.end) {
                sign @ (b'+' | b'-') if !chomped => {
                    chomped = true;
                    header.keep = sign == b'+';
                }
                digit @ b'1'..=b'9' if header.indent.is_none() => {
                    let indent = parent.max(0) as usize + usize::from(digit - b'0');
                    if indent >= usize::from(u16::MAX) {
                        return fail(ParseErrorKind::BlockScalarTooDeep, header.end, header.end + 1);
                    }
                    self.push(Record::leaf(Kind::Indent, 0, indent, header.end..header.end + 1));
                    header.indent = Some(indent);
                }
                _ => break,
            }
            header.end += 1;
        }
        let after = scan::skip_blanks(self.bytes, header.end);
        if !self.is_at(after, scan::BREAK) && scan::byte(self.bytes, after) != b'#' {
            return self.fail_at(ParseErrorKind::BlockScalarHeader, after);
        }
        Ok(header)
    }

    /// Finds the lines that belong to the scalar; the cursor is at the end of its header line, whose text ends at `end`.
    fn body(&self, header: &Header, end: usize, parent: i64) -> Parsed<Body> {
        let mut body = Body { text_end: end, end, next: scan::skip_break(self.bytes, self.at) };
        if body.next == self.at {
            return Ok(body);
        }
        let indent = match header.indent {
            Some(indent) => Some(indent),
            None => self.detect_indent(&mut body, parent)?,
        };
        if let Some(indent) = indent {
            self.text_lines(&mut body, indent)?;
        }
        Ok(body)
    }

    /// Moves over leading blank lines. Returns the indentation of the first line of text, or `None` if there is no
    /// text.
    fn detect_indent(&self, body: &mut Body, parent: i64) -> Parsed<Option<usize>> {
        let mut longest = 0;
        let mut longest_at = 0;
        loop {
            let line = body.next;
            let text = scan::skip_spaces(self.bytes, line);
            let width = text - line;
            if self.is_at(text, scan::BREAK) {
                if text == self.bytes.len() && width == 0 {
                    return Ok(None);
                }
                if width > longest {
                    (longest, longest_at) = (width, line);
                }
                self.blank_line(body, text);
                if text == self.bytes.len() {
                    return Ok(None);
                }
                continue;
            }
            if width as i64 <= parent || scan::is_marker(self.bytes, line) {
                return self.end_of_text(text).map(|()| None);
            }
            if longest > width {
                return fail(ParseErrorKind::BlockScalarIndentation, longest_at, longest_at + longest);
            }
            return Ok(Some(width));
        }
    }

    /// Moves over lines of text and the blank lines between and after them.
    fn text_lines(&self, body: &mut Body, indent: usize) -> Parsed<()> {
        while body.next < self.bytes.len() {
            let line = body.next;
            let text = self.indented(line, indent);
            if self.is_at(text, scan::BREAK) {
                self.blank_line(body, text);
                continue;
            }
            if text - line < indent || (indent == 0 && scan::is_marker(self.bytes, line)) {
                return self.end_of_text(text);
            }
            body.text_end = scan::find_break(self.bytes, text);
            body.end = body.text_end;
            body.next = scan::skip_break(self.bytes, body.end);
        }
        Ok(())
    }

    /// First offset from `line` that is not a space, but at most `line + indent`.
    fn indented(&self, line: usize, indent: usize) -> usize {
        scan::skip_spaces(self.bytes, line).min(line + indent)
    }

    fn blank_line(&self, body: &mut Body, end: usize) {
        body.end = end;
        body.next = scan::skip_break(self.bytes, end);
    }

    /// Refuses a tab in the indentation of the line after the text: it would hide that the line is not a part of the text.
    fn end_of_text(&self, at: usize) -> Parsed<()> {
        if scan::byte(self.bytes, at) == b'\t' {
            return fail(ParseErrorKind::TabIndentation, at, at + 1);
        }
        Ok(())
    }
}
