//! Decodes a scalar's text: undoes folded lines, escapes, chomping and indentation.
//!
//! Works on text that the parser has accepted. Most scalars need no decoding and are borrowed.

use crate::parse::hex;
use crate::scan;
use crate::tree::{Kind, Node, flag};
use std::borrow::Cow;

impl<'t> Node<'t> {
    /// The value of a scalar as text. Empty for a node that is not written, for collections and for aliases.
    ///
    /// Readers disagree about a block scalar whose last line ends the file without a line break, such as `a: |` and `  abc`.
    /// This is read as if the line break were there (`"abc\n"`), as yaml-test-suite has it (L24T, JEF9), and `kubectl -f`, js-yaml
    /// and yaml (npm) read it. Production 165 of YAML 1.2.2 (`b-chomped-last`) lets the end of the input stand for no line
    /// break at all (`"abc"`), as libyaml, PyYAML and go-yaml read it, and with that kustomize and `kubectl patch --patch-file`.
    /// An edit therefore never adds a line break there without need: new fields of a mapping are written above such a text. Only
    /// what has to stand below it, an item of a list or a document, ends its last line. With `|-` and `>-`, all readers agree.
    ///
    /// ```
    /// let stream = kyaml_ast::Stream::parse("- 'it''s'\n- \"\\u00e9\"\n- >\n  folded\n  text\n")?;
    /// let root = stream.documents().next().and_then(|document| document.root()).expect("a sequence");
    /// let values: Vec<_> = root.children().map(|item| item.value()).collect();
    /// assert_eq!(values, ["it's", "é", "folded text\n"]);
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    #[must_use]
    pub fn value(self) -> Cow<'t, str> {
        let record = self.record();
        let decoded = record.has(flag::DECODE);
        let quoted = || {
            let text = self.text();
            &text[1..text.len() - 1]
        };
        match record.kind {
            Kind::Plain if decoded => Cow::Owned(fold(self.text())),
            Kind::Plain => Cow::Borrowed(self.text()),
            Kind::SingleQuoted if decoded => Cow::Owned(fold(quoted()).replace("''", "'")),
            Kind::DoubleQuoted if decoded => Cow::Owned(unescape(quoted())),
            Kind::SingleQuoted | Kind::DoubleQuoted => Cow::Borrowed(quoted()),
            Kind::Literal | Kind::Folded => Cow::Owned(block(self)),
            _ => Cow::Borrowed(""),
        }
    }
}

/// Joins the lines of a plain or single-quoted scalar.
fn fold(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    loop {
        let end = scan::find_break(bytes, at);
        if end == bytes.len() {
            out.push_str(&text[at..]);
            return out;
        }
        out.push_str(&text[at..scan::trim(bytes, at, end)]);
        at = fold_break(bytes, end, &mut out, " ");
    }
}

/// Moves over the line break at `at`, the blank lines after it, and the blanks at the start of the next line.
///
/// Writes a newline for each blank line, or `joint` if there is none.
fn fold_break(bytes: &[u8], at: usize, out: &mut String, joint: &str) -> usize {
    let mut at = scan::skip_blanks(bytes, scan::skip_break(bytes, at));
    if !is_break(scan::byte(bytes, at)) {
        out.push_str(joint);
    }
    while is_break(scan::byte(bytes, at)) {
        out.push('\n');
        at = scan::skip_blanks(bytes, scan::skip_break(bytes, at));
    }
    at
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// Joins the lines of a double-quoted scalar and replaces its escapes.
fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    // Blanks that an escape wrote are not trimmed before a line break.
    let mut written = 0;
    while at < bytes.len() {
        let next = bytes[at..].iter().position(|byte| matches!(byte, b'\\' | b'\n' | b'\r'));
        let end = next.map_or(bytes.len(), |found| at + found);
        out.push_str(&text[at..end]);
        at = match scan::byte(bytes, end) {
            0 => end,
            b'\\' if is_break(scan::byte(bytes, end + 1)) => fold_break(bytes, end + 1, &mut out, ""),
            b'\\' => escape(text, end, &mut out),
            _ => {
                let kept = scan::trim(out.as_bytes(), written, out.len());
                out.truncate(kept);
                fold_break(bytes, end, &mut out, " ")
            }
        };
        written = out.len();
    }
    out
}

/// Writes the character that the escape at `at` stands for. Returns the offset after the escape.
fn escape(text: &str, at: usize, out: &mut String) -> usize {
    let bytes = text.as_bytes();
    let name = scan::byte(bytes, at + 1);
    let digits = match name {
        b'x' => 2,
        b'u' => 4,
        b'U' => 8,
        _ => {
            out.push(named_escape(name));
            return at + 2;
        }
    };
    let end = at + 2 + digits;
    let code = hex(bytes, at + 2, digits).unwrap_or(0);
    if let Some(decoded) = char::from_u32(code) {
        out.push(decoded);
        return end;
    }
    let low = hex(bytes, end + 2, 4).unwrap_or(0);
    let both = 0x10000 + (code.wrapping_sub(0xD800) << 10) + low.wrapping_sub(0xDC00);
    out.push(char::from_u32(both).unwrap_or(char::REPLACEMENT_CHARACTER));
    end + 6
}

fn named_escape(name: u8) -> char {
    match name {
        b'0' => '\0',
        b'a' => '\x07',
        b'b' => '\x08',
        b't' | b'\t' => '\t',
        b'n' => '\n',
        b'v' => '\x0B',
        b'f' => '\x0C',
        b'r' => '\r',
        b'e' => '\x1B',
        b'N' => '\u{85}',
        b'_' => '\u{A0}',
        b'L' => '\u{2028}',
        b'P' => '\u{2029}',
        other => char::from(other),
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Chomp {
    Strip,
    Clip,
    Keep,
}

/// The value of a literal or folded scalar.
fn block(node: Node<'_>) -> String {
    let record = node.record();
    let source = node.stream().source();
    let bytes = source.as_bytes();
    let end = node.span().end as usize;
    let header = record.start as usize;
    let chomp = match (scan::byte(bytes, header + 1), scan::byte(bytes, header + 2)) {
        (b'-', _) | (b'1'..=b'9', b'-') => Chomp::Strip,
        (b'+', _) | (b'1'..=b'9', b'+') => Chomp::Keep,
        _ => Chomp::Clip,
    };
    let start = scan::skip_break(bytes, scan::find_break(bytes, header));
    let folded = record.kind == Kind::Folded;
    let mut text = Text { folded, out: String::with_capacity(end.saturating_sub(start) + 1), ..Text::default() };
    if start <= end && start > header && is_break(bytes[start - 1]) {
        let explicit = node.stream().indent_indicator(node.id());
        let indent = explicit.unwrap_or_else(|| detect_indent(&bytes[start..end]));
        text.lines(source, start, end, indent);
    }
    text.finish(chomp)
}

/// The indentation of the first line that is not blank.
fn detect_indent(body: &[u8]) -> usize {
    let mut line = 0;
    loop {
        let text = scan::skip_spaces(body, line);
        if !scan::is(scan::byte(body, text), scan::BREAK) {
            return text - line;
        }
        let next = scan::skip_break(body, text);
        if next == text {
            return usize::MAX;
        }
        line = next;
    }
}

/// The text of a block scalar as it grows.
#[derive(Default)]
struct Text {
    folded: bool,
    out: String,
    /// The number of line breaks since the last line with text. The end of the source counts as one.
    breaks: usize,
    any: bool,
    /// Whether the last line with text started with a blank. Folding keeps the breaks around such a line.
    more_indented: bool,
}

impl Text {
    fn lines(&mut self, source: &str, mut line: usize, end: usize, indent: usize) {
        let bytes = source.as_bytes();
        loop {
            let line_end = scan::find_break(bytes, line).min(end);
            let text = scan::skip_spaces(bytes, line).min(line.saturating_add(indent)).min(line_end);
            if text < line_end {
                self.text_line(&source[text..line_end]);
                self.breaks = 1;
            } else {
                self.breaks += 1;
            }
            let next = scan::skip_break(bytes, line_end);
            if line_end >= end || next == line_end {
                return;
            }
            line = next;
        }
    }

    fn text_line(&mut self, text: &str) {
        let more_indented = text.starts_with([' ', '\t']);
        let joins = self.folded && self.any && !more_indented && !self.more_indented;
        match (joins, self.breaks) {
            (true, 1) => self.out.push(' '),
            (true, breaks) => self.push_breaks(breaks - 1),
            (false, breaks) => self.push_breaks(breaks),
        }
        self.out.push_str(text);
        self.any = true;
        self.more_indented = more_indented;
    }

    fn push_breaks(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n('\n', count));
    }

    fn finish(mut self, chomp: Chomp) -> String {
        match chomp {
            Chomp::Strip => {}
            Chomp::Clip => self.push_breaks(usize::from(self.any && self.breaks > 0)),
            Chomp::Keep => self.push_breaks(self.breaks),
        }
        self.out
    }
}
