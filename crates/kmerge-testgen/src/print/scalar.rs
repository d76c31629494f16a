//! Models to text: scalars in all styles.

use super::Printer;
use crate::model::{Around, Entry, Scalar, Style};

/// Columns by which the lines of a block scalar are indented.
const STEP: usize = 2;

impl Printer {
    /// A plain or quoted scalar; its further lines start at `column`.
    pub(super) fn flow_scalar(&mut self, scalar: &Scalar, column: usize, around: Around) {
        let style = scalar.shown(around);
        let wrap = scalar.shown_wrap(around);
        match style {
            Style::Single => self.folded("'", &scalar.text.replace('\'', "''"), wrap, column),
            Style::Double => self.folded("\"", &escaped(&scalar.text, wrap > 0), wrap, column),
            Style::DoubleEscaped => self.escaped_lines(&scalar.text, wrap, column),
            Style::Plain | Style::Literal | Style::Folded => self.folded("", &scalar.text, wrap, column),
        }
    }

    fn folded(&mut self, quote: &str, text: &str, wrap: usize, column: usize) {
        self.out.push_str(quote);
        for (at, line) in folded_lines(text, wrap).iter().enumerate() {
            if at > 0 {
                self.out.push_str(self.newline);
            }
            if at > 0 && !line.is_empty() {
                self.blanks(column);
            }
            self.out.push_str(line);
        }
        self.out.push_str(quote);
    }

    fn escaped_lines(&mut self, text: &str, wrap: usize, column: usize) {
        self.out.push('"');
        for (at, line) in lines_of_words(&escaped(text, false), wrap).iter().enumerate() {
            if at > 0 {
                self.out.push_str(" \\");
                self.out.push_str(self.newline);
                self.blanks(column);
            }
            self.out.push_str(line);
        }
        self.out.push('"');
    }

    /// A literal or folded scalar with its header and all of its lines; `parent` is the column of its collection.
    pub(super) fn block_scalar(&mut self, scalar: &Scalar, entry: &Entry, parent: Option<usize>) {
        let body = scalar.text.trim_end_matches('\n');
        let breaks = scalar.text.len() - body.len();
        let folds = scalar.shown(Around::Block) == Style::Folded;
        self.out.push(if folds { '>' } else { '|' });
        if body.trim_start_matches('\n').starts_with([' ', '\t']) {
            self.out.push_str(&STEP.to_string());
        }
        self.out.push_str(["-", "", "+"][breaks.min(2)]);
        self.end_line(entry);
        let lines = if folds { folded_lines(body, scalar.wrap) } else { body.split('\n').map(str::to_owned).collect() };
        for line in lines {
            if !line.is_empty() {
                self.blanks(parent.unwrap_or(0) + STEP);
                self.out.push_str(&line);
            }
            self.out.push_str(self.newline);
        }
        self.out.push_str(&self.newline.repeat(breaks.saturating_sub(1)));
        self.ends_in_block_scalar = true;
        self.keeps_blanks = breaks > 1;
    }
}

/// Lines that fold to `text`: `wrap` words each, and an additional empty line for each break.
fn folded_lines(text: &str, wrap: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for (at, paragraph) in text.split('\n').enumerate() {
        if paragraph.is_empty() {
            lines.push(String::new());
            continue;
        }
        if at > 0 {
            lines.push(String::new());
        }
        lines.extend(lines_of_words(paragraph, wrap));
    }
    lines
}

/// `text` in pieces of `wrap` words, in one piece for 0. Only single blanks between words are places to break.
fn lines_of_words(text: &str, wrap: usize) -> Vec<String> {
    let words: Vec<&str> = text.split(' ').collect();
    if wrap == 0 || words.iter().any(|word| word.is_empty()) {
        return vec![text.to_owned()];
    }
    words.chunks(wrap).map(|line| line.join(" ")).collect()
}

/// `text` with the escapes of double quotes; breaks stay where lines are folded.
fn escaped(text: &str, keep_breaks: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for char in text.chars() {
        match char {
            '\n' if keep_breaks => out.push(char),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '"' | '\\' => out.extend(['\\', char]),
            _ if char.is_control() => out.push_str(&format!("\\x{:02X}", u32::from(char))),
            _ => out.push(char),
        }
    }
    out
}
