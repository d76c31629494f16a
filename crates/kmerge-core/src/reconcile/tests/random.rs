//! Random values, and documents with these values in random styles.

use crate::value::{Data, Map, Value};

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below(&mut self, count: usize) -> usize {
        (self.next() % count as u64) as usize
    }

    pub(crate) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(crate) fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.below(items.len())]
    }
}

const KEYS: [&str; 9] = ["a", "b", "c", "name", "image", "n", "x/y.z", "with space", "d"];
const TEXTS: [&str; 10] = ["a", "b", "c", "5", "true", "", "a: b # c", "two\nlines\n", " lead\ntail", "it's \"q\""];

pub(crate) fn value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 5 } else { 9 }) {
        0 => Value::new(Data::Int(random.below(4) as i64)),
        1 => Value::new(if random.one_in(2) { Data::Null } else { Data::Bool(true) }),
        2..=4 => Value::text(*random.pick(&TEXTS)),
        5 | 6 => Value::list((0..random.below(4)).map(|_| value(random, depth - 1)).collect()),
        _ => mapping(random, depth - 1),
    }
}

pub(crate) fn mapping(random: &mut Random, depth: usize) -> Value {
    let count = random.below(5);
    Value::map(Map::from_iter((0..count).map(|_| ((*random.pick(&KEYS)).to_owned(), value(random, depth)))))
}

/// Prints a value as a document in a random style, with comments.
pub(crate) fn document(random: &mut Random, value: &Value) -> String {
    let mut printer = Printer { step: 1 + random.below(4), comments: 0, random };
    let mut text = String::new();
    if printer.random.one_in(4) {
        text.push_str("# licence\n\n");
    }
    let body = printer.node(value, 0, Holder::Root);
    text.push_str(body.trim_start_matches([' ', '\n']));
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if printer.random.one_in(5) && value.is_collection() {
        text.push_str("# end\n");
    }
    text
}

struct Printer<'r> {
    random: &'r mut Random,
    step: usize,
    comments: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Holder {
    Root,
    Key,
    Dash,
}

impl Printer<'_> {
    /// The text after an indicator, up to the end of a line. For block collections it starts with a newline, or on the
    /// line of a dash.
    fn node(&mut self, value: &Value, column: usize, holder: Holder) -> String {
        let is_empty = match &value.data {
            Data::List(items) => items.is_empty(),
            Data::Map(map) => map.is_empty(),
            _ => return self.scalar(value, column, holder),
        };
        if is_empty || self.random.one_in(5) {
            let text = self.flow(value, column + self.step);
            return format!(" {text}{}", self.trail());
        }
        let column = match (holder, &value.data) {
            (Holder::Root, _) => 0,
            (Holder::Dash, _) => column + 2,
            (Holder::Key, Data::List(_)) if self.random.one_in(2) => column,
            (Holder::Key, _) => column + self.step,
        };
        let inline = holder == Holder::Dash && !self.random.one_in(4);
        let mut out = if inline { " ".to_owned() } else { self.trail() };
        let entries: Vec<(Option<&String>, &Value)> = match &value.data {
            Data::List(items) => items.iter().map(|item| (None, item)).collect(),
            Data::Map(map) => map.iter().map(|(key, value)| (Some(key), value)).collect(),
            _ => Vec::new(),
        };
        for (position, (key, value)) in entries.into_iter().enumerate() {
            if position > 0 || !inline {
                self.lead(column, &mut out);
                out.push_str(&" ".repeat(column));
            }
            let (head, holder) = match key {
                Some(key) => (format!("{}:", quoted_key(key)), Holder::Key),
                None => ("-".to_owned(), Holder::Dash),
            };
            out.push_str(&head);
            out.push_str(&self.node(value, column, holder));
            if !out.ends_with('\n') {
                out.push('\n');
            }
        }
        out
    }

    fn trail(&mut self) -> String {
        if self.random.one_in(5) {
            self.comments += 1;
            return format!(" # t{}\n", self.comments);
        }
        "\n".to_owned()
    }

    fn lead(&mut self, column: usize, out: &mut String) {
        if self.random.one_in(12) {
            out.push('\n');
        }
        if self.random.one_in(6) {
            self.comments += 1;
            out.push_str(&format!("{}# l{}\n", " ".repeat(column), self.comments));
        }
    }

    fn scalar(&mut self, value: &Value, column: usize, holder: Holder) -> String {
        let Data::Text(text) = &value.data else {
            if value.is_null() && holder == Holder::Key && self.random.one_in(2) {
                return self.trail();
            }
            return format!(" {}{}", value.to_json(), self.trail());
        };
        let is_block =
            text.ends_with('\n') && !text.starts_with(' ') && holder != Holder::Root && self.random.one_in(2);
        if is_block {
            let indent = " ".repeat(column + self.step);
            let lines: Vec<String> = text.lines().map(|line| format!("{indent}{line}\n")).collect();
            return format!(" |{}{}", self.trail(), lines.concat());
        }
        format!(" {}{}", self.text(text), self.trail())
    }

    fn text(&mut self, text: &str) -> String {
        match self.random.below(3) {
            0 if !text.contains('\n') => format!("'{}'", text.replace('\'', "''")),
            1 if !text.is_empty() && text.chars().all(|c| c.is_ascii_lowercase()) && text != "true" => text.to_owned(),
            _ => Value::text(text).to_json(),
        }
    }

    fn flow(&mut self, value: &Value, column: usize) -> String {
        let (open, parts, close): (_, Vec<String>, _) = match &value.data {
            Data::List(items) => ("[", items.iter().map(|item| self.flow(item, column)).collect(), "]"),
            Data::Map(map) => {
                let pair =
                    |(key, value): (&String, &Value)| format!("{}: {}", quoted_key(key), self.flow(value, column));
                ("{", map.iter().map(pair).collect(), "}")
            }
            Data::Text(text) => return self.text(text),
            _ => return value.to_json(),
        };
        if parts.is_empty() || !self.random.one_in(4) {
            return format!("{open}{}{close}", parts.join(", "));
        }
        let indent = " ".repeat(column);
        let comma = if self.random.one_in(2) { "," } else { "" };
        format!("{open}\n{indent}{}{comma}\n{indent}{close}", parts.join(&format!(",\n{indent}")))
    }
}

fn quoted_key(key: &str) -> String {
    if key == "n" { "'n'".to_owned() } else { key.to_owned() }
}
