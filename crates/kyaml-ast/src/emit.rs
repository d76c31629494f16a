//! Prints nodes that have no usable source text: block style that has to go into a flow collection.
//!
//! Values and comments survive (a comment breaks the line); block scalars become double-quoted ones. Everything else in
//! the crate moves source text instead.

use crate::span::Newline;
use crate::tree::{Document, Kind, NodeId, Record, Stream, flag};

/// The text of `lines`, one block entry, as an entry of a flow collection whose entries stand at `column`.
pub(crate) fn flow_entry(lines: &str, column: usize, newline: Newline) -> Result<String, crate::SpliceError> {
    let stream = Stream::parse(lines)?;
    let mut printer = Printer::new(&stream, column, newline);
    let Some(root) = stream.documents().next().and_then(Document::root) else {
        return Ok(String::new());
    };
    let first = root.id().index();
    printer.print(first + 1, first + root.record().skip as usize, root.kind());
    printer.trailing(root.after());
    Ok(printer.out)
}

/// The value of `lines`, one block pair, as a value inside a flow collection.
pub(crate) fn flow_value(lines: &str, column: usize, newline: Newline) -> Result<String, crate::SpliceError> {
    let stream = Stream::parse(lines)?;
    let mut printer = Printer::new(&stream, column, newline);
    let entry = stream.documents().next().and_then(|document| document.root()?.entries().next());
    if let Some(entry) = entry {
        let value = entry.value();
        printer.print(value.first_record(), value.after(), Kind::Sequence);
        printer.trailing(value.after());
    }
    Ok(printer.out)
}

/// Quotes a value so that it reads back on one line in any place.
#[must_use]
pub(crate) fn double_quoted(value: &str) -> String {
    let mut out = String::with_capacity(value.len() + 2);
    out.push('"');
    for character in value.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{85}' | '\u{a0}' | '\u{2028}' | '\u{2029}' | '\u{feff}' => push_escape(&mut out, character),
            _ if character.is_control() => push_escape(&mut out, character),
            _ => out.push(character),
        }
    }
    out.push('"');
    out
}

fn push_escape(out: &mut String, character: char) {
    let code = character as u32;
    out.push_str(&if code < 0x100 { format!("\\x{code:02x}") } else { format!("\\u{code:04x}") });
}

struct Frame {
    end: usize,
    kind: Kind,
    children: usize,
    closes: &'static str,
}

struct Printer<'t> {
    stream: &'t Stream<'t>,
    out: String,
    line_break: String,
    /// A comment was written: nothing else may follow on its line.
    at_break: bool,
    /// An anchor or tag was written: what follows is the node it belongs to.
    after_property: bool,
}

impl<'t> Printer<'t> {
    fn new(stream: &'t Stream<'t>, column: usize, newline: Newline) -> Self {
        let line_break = format!("{}{}", newline.as_str(), " ".repeat(column));
        Self { stream, out: String::new(), line_break, at_break: false, after_property: false }
    }

    /// Prints the records `from..to`, children of a collection of `kind`, without its brackets.
    fn print(&mut self, from: usize, to: usize, kind: Kind) {
        let mut open = vec![Frame { end: to, kind, children: 0, closes: "" }];
        for index in from..to {
            self.close(&mut open, index);
            let record = self.stream.tape[index];
            let text = record.span().of(self.stream.source);
            match record.kind {
                Kind::Comment => self.comment(text),
                Kind::Indent => {}
                Kind::Anchor | Kind::Tag => {
                    self.separate(&mut open, record);
                    self.word(text);
                    self.word(" ");
                    self.after_property = true;
                }
                Kind::Mapping | Kind::Sequence => {
                    self.separate(&mut open, record);
                    let (opens, closes) = if record.kind == Kind::Mapping { ("{", "}") } else { ("[", "]") };
                    self.word(opens);
                    open.push(Frame { end: index + record.skip as usize, kind: record.kind, children: 0, closes });
                }
                _ => {
                    self.separate(&mut open, record);
                    let text = self.scalar(index, record);
                    self.word(&text);
                }
            }
        }
        self.close(&mut open, to);
    }

    /// Comments that stand behind the printed part.
    fn trailing(&mut self, from: usize) {
        for record in self.stream.tape[from..].iter().take_while(|record| record.kind == Kind::Comment) {
            self.comment(record.span().of(self.stream.source));
        }
        if self.at_break {
            self.out.push_str(&self.line_break);
            self.at_break = false;
        }
    }

    fn close(&mut self, open: &mut Vec<Frame>, index: usize) {
        while open.len() > 1 && open.last().is_some_and(|frame| frame.end <= index) {
            if let Some(frame) = open.pop() {
                self.word(frame.closes);
            }
        }
    }

    /// Writes what stands between the children of a collection, once for a node and its properties.
    fn separate(&mut self, open: &mut [Frame], record: Record) {
        let Some(frame) = open.last_mut() else { return };
        if std::mem::take(&mut self.after_property) {
            return;
        }
        let position = frame.children;
        frame.children += 1;
        let is_value = frame.kind == Kind::Mapping && position % 2 == 1;
        if is_value {
            self.word(": ");
        } else if position > 0 {
            self.word(", ");
        }
        if record.has(flag::EXPLICIT) && !is_value {
            self.word("? ");
        }
    }

    fn word(&mut self, text: &str) {
        if std::mem::take(&mut self.at_break) {
            self.out.push_str(&self.line_break);
        }
        self.out.push_str(text);
    }

    fn comment(&mut self, text: &str) {
        self.word(" ");
        self.out.push_str(text);
        self.at_break = true;
    }

    fn scalar(&self, index: usize, record: Record) -> String {
        let text = record.span().of(self.stream.source);
        let is_one_line = !text.contains('\n');
        match record.kind {
            Kind::Null => "null".to_owned(),
            Kind::Alias => format!("{text} "),
            Kind::Plain if is_one_line && !text.contains([',', '[', ']', '{', '}']) => text.to_owned(),
            Kind::SingleQuoted | Kind::DoubleQuoted if is_one_line => text.to_owned(),
            _ => double_quoted(&self.stream.node(NodeId(index as u32)).value()),
        }
    }
}
