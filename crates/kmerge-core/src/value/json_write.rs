//! Writes a value as Go's `encoding/json` does: compact, with sorted keys, and with `<`, `>`, `&`, U+2028 and U+2029
//! escaped.
//!
//! kubectl stores what it applied in this form. So two writers agree only if every byte does.

use std::collections::btree_map;
use std::slice;

use super::{Data, Map, Value, json_float};

impl Value {
    /// The JSON text of a value, without a newline at the end.
    ///
    /// ```
    /// let value = kmerge_core::value::Value::from_json(r#"{"b": ["<", 1.0], "a": null}"#)?;
    /// assert_eq!(value.to_json(), r#"{"a":null,"b":["\u003c",1]}"#);
    /// # Ok::<(), kmerge_core::value::JsonError>(())
    /// ```
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        write_json(self, &mut out);
        out
    }
}

/// A collection that is being written.
enum Open<'v> {
    List(slice::Iter<'v, Value>),
    Map(btree_map::Iter<'v, String, Value>),
}

/// Appends the JSON text of a value.
pub(crate) fn write_json(value: &Value, out: &mut String) {
    let mut open: Vec<Open<'_>> = start(value, out).into_iter().collect();
    write_rest(&mut open, out);
}

/// The JSON text of a mapping.
pub(crate) fn map_to_json(map: &Map) -> String {
    let mut out = "{".to_owned();
    write_rest(&mut vec![Open::Map(map.iter())], &mut out);
    out
}

fn write_rest<'v>(open: &mut Vec<Open<'v>>, out: &mut String) {
    while let Some(value) = advance(open, out) {
        open.extend(start(value, out));
    }
}

/// Writes a whole scalar. For a collection: writes the bracket and returns the content.
fn start<'v>(value: &'v Value, out: &mut String) -> Option<Open<'v>> {
    match &value.data {
        Data::Null => out.push_str("null"),
        Data::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Data::Int(number) => out.push_str(&number.to_string()),
        Data::Float(number) => out.push_str(&json_float(*number)),
        Data::Text(text) => quote(text, out),
        Data::List(items) => {
            out.push('[');
            return Some(Open::List(items.iter()));
        }
        Data::Map(map) => {
            out.push('{');
            return Some(Open::Map(map.iter()));
        }
    }
    None
}

/// Closes the collections that end here, writes the comma and key before the next value, and returns that value.
fn advance<'v>(open: &mut Vec<Open<'v>>, out: &mut String) -> Option<&'v Value> {
    loop {
        match open.last_mut()? {
            Open::List(items) => {
                if let Some(item) = items.next() {
                    separate(out, '[');
                    return Some(item);
                }
                out.push(']');
            }
            Open::Map(fields) => {
                if let Some((key, value)) = fields.next() {
                    separate(out, '{');
                    quote(key, out);
                    out.push(':');
                    return Some(value);
                }
                out.push('}');
            }
        }
        open.pop();
    }
}

/// Writes a comma, except directly after the opening bracket. No value ends in an opening bracket.
fn separate(out: &mut String, bracket: char) {
    if !out.ends_with(bracket) {
        out.push(',');
    }
}

/// Appends a text in quotes.
pub(super) fn quote(text: &str, out: &mut String) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.find(needs_escape) {
        out.push_str(&rest[..at]);
        let escaped = rest[at..].chars().next().unwrap_or('"');
        escape(escaped, out);
        rest = &rest[at + escaped.len_utf8()..];
    }
    out.push_str(rest);
    out.push('"');
}

fn needs_escape(character: char) -> bool {
    matches!(character, '\0'..='\x1f' | '"' | '\\' | '<' | '>' | '&' | '\u{2028}' | '\u{2029}')
}

fn escape(character: char, out: &mut String) {
    match character {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\u{c}' => out.push_str("\\f"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        other => out.push_str(&format!("\\u{:04x}", u32::from(other))),
    }
}

/// JSON text with one field or item per line, indented by two spaces per level. Keys keep their order.
///
/// The text must be JSON. The result for any other text is meaningless.
pub(crate) fn indented_json(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    let (mut depth, mut in_string, mut is_escaped, mut is_opened) = (0_usize, false, false, false);
    for character in text.chars() {
        if in_string {
            out.push(character);
            in_string = is_escaped || character != '"';
            is_escaped = character == '\\' && !is_escaped;
            continue;
        }
        let closes = matches!(character, ']' | '}');
        if character.is_ascii_whitespace() {
            continue;
        }
        if std::mem::take(&mut is_opened) && !closes {
            new_line(depth, &mut out);
        } else if closes && !out.ends_with(['[', '{']) {
            new_line(depth.saturating_sub(1), &mut out);
        }
        out.push(character);
        match character {
            '"' => in_string = true,
            '[' | '{' => (depth, is_opened) = (depth + 1, true),
            ']' | '}' => depth = depth.saturating_sub(1),
            ',' => new_line(depth, &mut out),
            ':' => out.push(' '),
            _ => {}
        }
    }
    out
}

fn new_line(depth: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n("  ", depth));
}

#[cfg(test)]
mod tests {
    use crate::value::Value;

    #[test]
    fn escapes_what_go_escapes() {
        let text = Value::text("a\"\\\u{8}\u{c}\n\r\t\u{1}\u{7f}<>&\u{2028}\u{2029}é\u{1f600}");
        let json = "\"a\\\"\\\\\\b\\f\\n\\r\\t\\u0001\u{7f}\\u003c\\u003e\\u0026\\u2028\\u2029é\u{1f600}\"";
        assert_eq!(text.to_json(), json);
    }

    #[test]
    fn writes_collections() {
        for json in
            ["[]", "{}", "[[],{}]", r#"{"a":{},"b":[1,"[","{",[null]]}"#, r#"{"[":1,"{":2}"#, "\"{\"", "[\"[\",\"[\"]"]
        {
            assert_eq!(Value::from_json(json).unwrap().to_json(), json);
        }
    }
}
