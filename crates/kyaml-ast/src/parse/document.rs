//! Documents, their markers and directives.

use super::{Hole, Lead, ParseErrorKind, Parsed, Parser, fail, property};
use crate::scan;
use crate::tree::{Kind, Record};

impl<'s> Parser<'s> {
    /// Parses the whole source.
    pub(super) fn stream(&mut self) -> Parsed<()> {
        let mut document = self.open_document(0, 0);
        loop {
            self.handles.clear();
            self.colon_names = false;
            if self.prefix()? {
                self.block(document)?;
            }
            let mut end = self.line;
            let mut next = self.tape.len();
            while self.at_end_marker() {
                self.end_marker()?;
                end = self.line;
                next = self.tape.len();
                self.skip_trivia()?;
            }
            if self.at_end() {
                self.close_document(document, self.tape.len());
                return Ok(());
            }
            self.close_document(document, next);
            document = self.open_document(next, end);
        }
    }

    /// Puts a document's record at tape index `index`.
    fn open_document(&mut self, index: usize, start: usize) -> usize {
        self.insert(index, Record::leaf(Kind::Document, 0, 0, start..start));
        index
    }

    fn close_document(&mut self, index: usize, after: usize) {
        self.tape[index].close(after - index);
    }

    fn at_end_marker(&self) -> bool {
        self.at == self.line && self.peek() == b'.' && scan::is_marker(self.bytes, self.at)
    }

    /// Moves over the line of `...`. The cursor is then at the start of the next line.
    fn end_marker(&mut self) -> Parsed<()> {
        self.push(Record::leaf(Kind::End, 0, 0, self.at..self.at + 3));
        self.at = scan::skip_blanks(self.bytes, self.at + 3);
        if self.peek() == b'#' {
            self.comment(0)?;
        }
        if !self.is_at(self.at, scan::BREAK) {
            return self.fail_line(ParseErrorKind::ContentAfterEnd, self.at);
        }
        self.next_line();
        self.lead = Lead::FRESH;
        Ok(())
    }

    /// Moves over comments, directives and `---`. Returns whether a root node follows, written or not.
    fn prefix(&mut self) -> Parsed<bool> {
        let mut directive = None;
        let mut has_yaml = false;
        loop {
            self.skip_trivia()?;
            let at_line_start = self.at == self.line;
            if at_line_start && self.peek() == b'%' {
                directive = Some(self.at);
                self.directive(&mut has_yaml)?;
                continue;
            }
            let marker = at_line_start && scan::is_marker(self.bytes, self.at);
            if marker && self.peek() == b'-' {
                self.start_marker();
                return Ok(true);
            }
            if let Some(at) = directive {
                return self.fail_line(ParseErrorKind::ExpectedMarkerAfterDirectives, at);
            }
            return Ok(!marker && !self.at_end());
        }
    }

    fn start_marker(&mut self) {
        self.push(Record::leaf(Kind::Start, 0, 0, self.at..self.at + 3));
        self.at += 3;
        self.hole = Hole { index: self.tape.len(), at: self.at, column: 3 };
        self.lead = Lead::INLINE;
    }

    /// Moves over the directive at the cursor and records it.
    fn directive(&mut self, has_yaml: &mut bool) -> Parsed<()> {
        let start = self.at;
        let name_end = scan::find(self.bytes, start, scan::BLANK | scan::BREAK);
        let end = match &self.bytes[start + 1..name_end] {
            b"YAML" => {
                if std::mem::replace(has_yaml, true) {
                    return self.fail_line(ParseErrorKind::SecondYamlDirective, start);
                }
                self.yaml_version(name_end)
            }
            b"TAG" => self.tag_directive(name_end)?,
            b"" => None,
            _ => Some(self.parameters_end(name_end)),
        };
        let Some(end) = end.filter(|&end| self.ends_directive(end)) else {
            return self.fail_line(ParseErrorKind::MalformedDirective, start);
        };
        self.push(Record::leaf(Kind::Directive, 0, 0, start..end));
        self.at = end;
        self.lead = Lead::INLINE;
        Ok(())
    }

    /// Whether only blanks and a comment follow on the line.
    fn ends_directive(&self, end: usize) -> bool {
        let after = scan::skip_blanks(self.bytes, end);
        self.is_at(after, scan::BREAK) || (after > end && scan::byte(self.bytes, after) == b'#')
    }

    /// End of the version `1.2`. Any major version other than 1 is rejected.
    fn yaml_version(&self, name_end: usize) -> Option<usize> {
        let start = scan::skip_blanks(self.bytes, name_end);
        let rest = self.bytes[start..].strip_prefix(b"1.")?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        (digits > 0).then_some(start + 2 + digits)
    }

    /// End of the last parameter of a reserved directive.
    fn parameters_end(&self, name_end: usize) -> usize {
        let line_end = scan::find_break(self.bytes, name_end);
        let comment = memchr::memchr_iter(b'#', &self.bytes[name_end..line_end])
            .map(|found| name_end + found)
            .find(|&at| self.is_at(at - 1, scan::BLANK));
        scan::trim(self.bytes, name_end, comment.unwrap_or(line_end))
    }

    /// End of `!handle! prefix`; declares the handle.
    fn tag_directive(&mut self, name_end: usize) -> Parsed<Option<usize>> {
        let start = scan::skip_blanks(self.bytes, name_end);
        let end = scan::find(self.bytes, start, scan::BLANK | scan::BREAK);
        let source = self.source;
        let handle = &source[start..end];
        let word = handle.strip_prefix('!').map(|rest| rest.strip_suffix('!').unwrap_or(rest));
        let well_formed = match word {
            Some("") => true,
            Some(word) => handle.ends_with('!') && word.bytes().all(property::is_word),
            None => false,
        };
        let prefix = scan::skip_blanks(self.bytes, end);
        if !well_formed || prefix == end || self.is_at(prefix, scan::FLOW) {
            return Ok(None);
        }
        let prefix_end = self.uri_end(prefix, property::is_uri_char)?;
        if !self.handles.insert(handle) {
            return fail(ParseErrorKind::SecondTagDirective, start, end);
        }
        Ok((prefix_end > prefix).then_some(prefix_end))
    }
}
