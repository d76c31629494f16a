//! Writes the fields and elements that are missing on the way to a value.
//!
//! Invariant: the text is one entry, in block style, or in braces as an element of a list whose elements have braces.
//! It ends with the value, or with nothing if the value comes from elsewhere.

use super::habit::Habits;
use crate::path::{Seat, Segment, Step};
use crate::quote::{BlockLayout, ScalarPlace, fits_implicit_key};
use crate::tree::Kind;

/// The content of the last missing step.
#[derive(Clone, Copy, Debug)]
pub(super) enum Leaf<'v> {
    /// A string.
    Text(&'v str),
    /// The lines of a collection of this kind, at column 0.
    Lines(&'v str, Kind),
    /// Nothing: the value comes from elsewhere.
    Nothing,
}

/// The missing steps and a value as text. `None` if a step does not say what to create.
pub(super) fn draft(steps: &[Step], leaf: Leaf<'_>, habits: Habits<'_>) -> Option<String> {
    let mut pen = Pen {
        habits,
        out: String::new(),
        closes: Vec::new(),
        at: At::Start,
        column: 0,
        list: 0,
        holder: 0,
        in_braces: false,
    };
    for (index, step) in steps.iter().enumerate() {
        let is_first = index == 0;
        match step {
            Step::One(Segment::Field(name)) | Step::Token(name) => pen.field(name),
            Step::One(Segment::Key(fields)) => {
                pen.item(is_first);
                for (name, value) in fields {
                    pen.pair(name, value);
                }
            }
            Step::New(Seat::Last) => pen.item(is_first),
            Step::New(Seat::Before(0)) => pen.item(is_first),
            Step::New(_) if is_first => pen.item(is_first),
            _ => return None,
        }
    }
    let field = match steps.last() {
        Some(Step::One(Segment::Field(name)) | Step::Token(name)) => Some(name.as_str()),
        _ => None,
    };
    Some(pen.end(leaf, field))
}

/// What stands before the place to write next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Start,
    Colon,
    Dash,
    Pair,
}

struct Pen<'t> {
    habits: Habits<'t>,
    out: String,
    /// The closing brackets that are still to write.
    closes: Vec<char>,
    at: At,
    /// The column of a new mapping, or of the next pair of the open one.
    column: usize,
    /// The column of a new list.
    list: usize,
    /// The column of the entry that holds what comes next.
    holder: usize,
    in_braces: bool,
}

impl Pen<'_> {
    fn field(&mut self, name: &str) {
        let key = self.habits.key(name);
        if self.in_braces {
            self.open('{', '}');
            self.out.push_str(&key);
        } else {
            self.line_at(self.column);
            self.holder = self.column;
            if fits_implicit_key(&key) {
                self.out.push_str(&key);
            } else {
                self.out.extend(["? ", &key]);
                self.new_line(self.holder);
            }
            self.column = self.holder + self.habits.indent.step;
            self.list = self.holder + self.habits.indent.sequence.unwrap_or(0);
        }
        self.out.push(':');
        self.at = At::Colon;
    }

    fn item(&mut self, is_first: bool) {
        if self.in_braces {
            self.open('[', ']');
        } else {
            self.line_at(self.list);
            let dash = if is_first { self.habits.dash } else { 2 };
            self.holder = self.list;
            self.out.push('-');
            self.out.extend(std::iter::repeat_n(' ', dash - 1));
            self.column = self.list + dash;
            self.list = self.column;
            self.in_braces = is_first && self.habits.has_braces;
        }
        self.at = At::Dash;
    }

    /// Writes a complete pair.
    fn pair(&mut self, name: &str, value: &str) {
        let column = self.column;
        self.field(name);
        let text = self.habits.identity(name, value, ScalarPlace::Flow);
        self.out.extend([" ", &text]);
        self.column = column;
        self.at = At::Pair;
    }

    fn open(&mut self, bracket: char, close: char) {
        match self.at {
            At::Pair => self.out.push_str(", "),
            At::Colon => self.out.extend([' ', bracket]),
            At::Start | At::Dash => self.out.push(bracket),
        }
        if self.at != At::Pair {
            self.closes.push(close);
        }
    }

    fn line_at(&mut self, column: usize) {
        if matches!(self.at, At::Colon | At::Pair) {
            self.new_line(column);
        }
    }

    fn new_line(&mut self, column: usize) {
        self.out.push_str(self.habits.newline.as_str());
        self.out.extend(std::iter::repeat_n(' ', column));
    }

    /// Writes the lines of a collection. The first line stands after a dash if there is one.
    fn lines(mut self, lines: &str, kind: Kind) -> String {
        let column = if kind == Kind::Sequence && self.at == At::Colon { self.list } else { self.column };
        for (at, line) in lines.split_inclusive('\n').enumerate() {
            match self.at {
                At::Colon if at == 0 => self.new_line(column),
                _ if at > 0 => self.out.extend(std::iter::repeat_n(' ', column)),
                _ => {}
            }
            self.out.push_str(line);
        }
        self.out
    }

    fn end(mut self, leaf: Leaf<'_>, field: Option<&str>) -> String {
        if let Leaf::Lines(lines, kind) = leaf {
            return self.lines(lines, kind);
        }
        let layout =
            BlockLayout { parent: Some(self.holder), step: self.habits.indent.step, newline: self.habits.newline };
        let in_brackets = self.in_braces || self.habits.is_in_brackets;
        let place = if in_brackets { ScalarPlace::Flow } else { ScalarPlace::Block(layout) };
        let text = match leaf {
            Leaf::Text(text) => self.habits.text(text, field, place),
            Leaf::Nothing if self.in_braces || self.at == At::Start => "null".to_owned(),
            Leaf::Nothing | Leaf::Lines(..) => String::new(),
        };
        if text.is_empty() {
            self.out.truncate(self.out.trim_end_matches(' ').len());
        }
        if self.at == At::Colon && !text.is_empty() {
            self.out.push(' ');
        }
        self.out.push_str(&text);
        self.out.extend(self.closes.iter().rev());
        // A block scalar that keeps its line breaks may already end with a break that is not its last.
        self.out.push_str(self.habits.newline.as_str());
        self.out
    }
}
