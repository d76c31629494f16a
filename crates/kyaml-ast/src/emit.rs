//! Prints nodes that have no usable source text: block style that must go into a flow collection.
//!
//! Values survive on one line: block scalars and other scalars of several lines become double-quoted. Comments have no
//! place on one line, so text with comments is not printed. Everything else in the crate copies source text instead.

use crate::quote::{double_quoted, plain};
use crate::tree::{Document, Kind, NodeId, Record, Stream, flag, span_at};

/// The blanks after the commas and colons of flow collections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Blanks {
    Written,
    /// As in compact JSON: no blank after a comma or after the colon of a quoted key.
    None,
}

/// The text of `lines`, one block entry, as an entry of a flow collection. `None` if it has comments.
pub(crate) fn flow_entry(lines: &str, blanks: Blanks) -> Result<Option<String>, crate::SpliceError> {
    let stream = Stream::parse_fragment(lines)?;
    let Some(root) = stream.documents().next().and_then(Document::root) else { return Ok(None) };
    let first = root.id().index();
    Ok(print(&stream, first + 1, first + root.record().skip(), root.kind(), blanks))
}

/// The value of `lines`, one block pair, as a value in a flow collection. `None` if it has comments.
pub(crate) fn flow_value(lines: &str, blanks: Blanks) -> Result<Option<String>, crate::SpliceError> {
    let stream = Stream::parse_fragment(lines)?;
    let entry = stream.documents().next().and_then(|document| document.root()?.entries().next());
    let Some(value) = entry.map(crate::entry::Entry::value) else { return Ok(None) };
    Ok(print(&stream, value.first_record(), value.after(), Kind::Sequence, blanks))
}

/// The text of one entry of a flow collection of `kind`, on one line. `None` if it has comments.
pub(crate) fn one_line(text: &str, kind: Kind) -> Result<Option<String>, crate::SpliceError> {
    // The closing bracket stands directly after the text, or, if the text ends in a comment, on a line of its own.
    let in_brackets = |end: &str| {
        if kind == Kind::Mapping { format!("{{{text}{end}}}") } else { format!("[{text}{end}]") }
    };
    let (close, below) = (in_brackets(""), in_brackets("\n"));
    let stream = Stream::parse_fragment(&close).or_else(|_| Stream::parse_fragment(&below))?;
    let Some(root) = stream.documents().next().and_then(Document::root) else { return Ok(None) };
    Ok(print(&stream, root.id().index() + 1, root.after(), kind, Blanks::Written))
}

/// The records `from..to`, children of a collection of `kind`, without its brackets.
fn print(stream: &Stream<'_>, from: usize, to: usize, kind: Kind, blanks: Blanks) -> Option<String> {
    if stream.tape.iter().any(|record| record.kind == Kind::Comment) {
        return None;
    }
    let mut printer = Printer { stream, blanks, out: String::new(), properties: 0 };
    printer.print(from, to, kind);
    Some(printer.out)
}

struct Frame {
    end: usize,
    kind: Kind,
    children: usize,
    closes: &'static str,
}

struct Printer<'t> {
    stream: &'t Stream<'t>,
    blanks: Blanks,
    out: String,
    /// The number of anchors and tags that were written and whose node has not come yet.
    properties: usize,
}

impl Printer<'_> {
    fn print(&mut self, from: usize, to: usize, kind: Kind) {
        let mut open = vec![Frame { end: to, kind, children: 0, closes: "" }];
        for index in from..to {
            self.close(&mut open, index);
            let record = self.stream.tape[index];
            match record.kind {
                Kind::Indent | Kind::Close => {}
                Kind::Anchor | Kind::Tag => {
                    self.separate(&mut open, record);
                    self.out.extend([record.leaf_span().of(self.stream.source), " "]);
                    self.properties += 1;
                }
                Kind::Mapping | Kind::Sequence => {
                    self.separate(&mut open, record);
                    let (opens, closes) = if record.kind == Kind::Mapping { ("{", "}") } else { ("[", "]") };
                    self.properties = 0;
                    self.out.push_str(opens);
                    open.push(Frame { end: index + record.skip(), kind: record.kind, children: 0, closes });
                }
                _ => {
                    self.separate(&mut open, record);
                    self.scalar(index, record);
                    self.properties = 0;
                }
            }
        }
        self.close(&mut open, to);
    }

    fn close(&mut self, open: &mut Vec<Frame>, index: usize) {
        while open.len() > 1 && open.last().is_some_and(|frame| frame.end <= index) {
            if let Some(frame) = open.pop() {
                self.out.push_str(frame.closes);
            }
        }
    }

    /// Writes the separator between two children of a collection, once for a node with its properties.
    fn separate(&mut self, open: &mut [Frame], record: Record) {
        let Some(frame) = open.last_mut() else { return };
        if self.properties > 0 {
            return;
        }
        let position = frame.children;
        frame.children += 1;
        if frame.kind == Kind::Mapping && position % 2 == 1 {
            let is_quoted = self.out.ends_with('"');
            self.out.push_str(if self.blanks == Blanks::None && is_quoted { ":" } else { ": " });
            return;
        }
        if position > 0 {
            self.out.push_str(if self.blanks == Blanks::None { "," } else { ", " });
        }
        if record.has(flag::EXPLICIT) {
            self.out.push_str("? ");
        }
    }

    fn scalar(&mut self, index: usize, record: Record) {
        let text = span_at(&self.stream.tape, index).of(self.stream.source);
        let is_one_line = !text.contains('\n');
        match record.kind {
            // For most tags, a node that is not written is an empty string, not `null`.
            Kind::Null if self.properties > 0 => self.out.push_str(self.empty(index)),
            Kind::Null => self.out.push_str("null"),
            Kind::Alias => self.out.extend([text, " "]),
            Kind::Plain if is_one_line && plain::fits(text, true) => self.out.push_str(text),
            Kind::SingleQuoted | Kind::DoubleQuoted if is_one_line => self.out.push_str(text),
            _ => self.out.push_str(&double_quoted(&self.stream.node(NodeId(index as u32)).value())),
        }
    }

    fn empty(&self, index: usize) -> &'static str {
        match self.stream.node(NodeId(index as u32)).tag() {
            None | Some("!!null") => "null",
            Some(_) => "\"\"",
        }
    }
}
