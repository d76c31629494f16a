//! Prints values without source text, as block YAML in the style of Kubernetes tools: two columns per level, and list
//! items at the column of their key.

use kyaml_ast::{BlockLayout, Newline, ScalarPlace, fits_implicit_key, render_string};

use super::{Data, Map, Value};

impl Value {
    /// The value as a document.
    ///
    /// ```
    /// let value = kmerge_core::value::Value::from_json(r#"{"a": [{"b": "1", "c": {}}, []], "d": "x\ny\n"}"#)?;
    /// assert_eq!(value.to_yaml(), "a:\n- b: \"1\"\n  c: {}\n- []\nd: |\n  x\n  y\n");
    /// # Ok::<(), kmerge_core::value::JsonError>(())
    /// ```
    #[must_use]
    pub fn to_yaml(&self) -> String {
        document(self, FieldOrder::ByName)
    }

    /// The value as a document. Fields have the order in which they were read.
    #[must_use]
    pub fn to_yaml_as_written(&self) -> String {
        document(self, FieldOrder::AsWritten)
    }
}

/// The order in which fields are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FieldOrder {
    ByName,
    /// The order in the text that they come from. Fields without a text come last.
    AsWritten,
}

fn document(value: &Value, order: FieldOrder) -> String {
    let mut out = String::new();
    match &value.data {
        Data::List(items) if !items.is_empty() => write_items(items, 0, order, &mut out),
        Data::Map(map) if !map.is_empty() => write_fields(map, 0, order, &mut out),
        _ => {
            write_scalar(value, None, &mut out);
            out.push('\n');
        }
    }
    out
}

/// The value on one line, for places inside flow collections.
#[must_use]
pub(crate) fn to_flow_yaml(value: &Value) -> String {
    match &value.data {
        Data::List(items) => format!("[{}]", items.iter().map(to_flow_yaml).collect::<Vec<_>>().join(", ")),
        Data::Map(map) => {
            let key = |key: &str| render_string(key, ScalarPlace::Flow);
            let fields = map.iter().map(|(name, value)| format!("{}: {}", key(name), to_flow_yaml(value)));
            format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
        }
        Data::Text(text) => render_string(text, ScalarPlace::Flow),
        _ => value.to_json(),
    }
}

/// A document that is a mapping with one field.
pub(crate) fn field_to_yaml(key: &str, value: &Value) -> String {
    let mut out = String::new();
    write_field(key, value, 0, FieldOrder::ByName, &mut out);
    out
}

/// A document that is a list with one item.
pub(crate) fn item_to_yaml(value: &Value) -> String {
    let mut out = String::new();
    write_items(std::slice::from_ref(value), 0, FieldOrder::ByName, &mut out);
    out
}

/// A key as written in a block mapping, without its colon.
#[must_use]
pub(crate) fn key_to_yaml(key: &str) -> String {
    render_string(key, ScalarPlace::BlockKey)
}

/// Writes the lines of a mapping's fields. The first line starts at the end of `out`.
fn write_fields(map: &Map, column: usize, order: FieldOrder, out: &mut String) {
    let mut fields: Vec<(&String, &Value)> = map.iter().collect();
    if order == FieldOrder::AsWritten {
        fields.sort_by_key(|(_, value)| (value.origin.is_none(), value.origin.map(|origin| origin.place.node())));
    }
    for (position, (key, value)) in fields.into_iter().enumerate() {
        indent(if position == 0 { 0 } else { column }, out);
        write_field(key, value, column, order, out);
    }
}

fn write_field(key: &str, value: &Value, column: usize, order: FieldOrder, out: &mut String) {
    let key = key_to_yaml(key);
    if fits_implicit_key(&key) {
        out.push_str(&key);
    } else {
        out.extend(["? ", key.as_str(), "\n"]);
        indent(column, out);
    }
    out.push(':');
    match &value.data {
        Data::List(items) if !items.is_empty() => {
            out.push('\n');
            indent(column, out);
            write_items(items, column, order, out);
        }
        Data::Map(map) if !map.is_empty() => {
            out.push('\n');
            indent(column + 2, out);
            write_fields(map, column + 2, order, out);
        }
        _ => {
            out.push(' ');
            write_scalar(value, Some(column), out);
            out.push('\n');
        }
    }
}

/// Writes the lines of a list's items. The first line starts at the end of `out`.
fn write_items(items: &[Value], column: usize, order: FieldOrder, out: &mut String) {
    for (position, item) in items.iter().enumerate() {
        indent(if position == 0 { 0 } else { column }, out);
        out.push_str("- ");
        match &item.data {
            Data::List(items) if !items.is_empty() => write_items(items, column + 2, order, out),
            Data::Map(map) if !map.is_empty() => write_fields(map, column + 2, order, out),
            _ => {
                write_scalar(item, Some(column), out);
                out.push('\n');
            }
        }
    }
}

fn write_scalar(value: &Value, parent: Option<usize>, out: &mut String) {
    let place = ScalarPlace::Block(BlockLayout { parent, step: 2, newline: Newline::Lf });
    match &value.data {
        Data::Text(text) => out.push_str(&render_string(text, place)),
        _ => out.push_str(&value.to_json()),
    }
}

fn indent(column: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', column));
}

#[cfg(test)]
mod tests {
    use kyaml_ast::{Stream, StreamId};

    use crate::value::{Reader, Source, Value};

    #[test]
    fn prints_what_reads_back() {
        let long = format!("{{\"{}\": {{\"a\": [1]}}, \"b\": 1}}", "k".repeat(2000));
        let cases = [
            r#"{"a":[[1,[2,{"b":[]}]],{"c":{"d":{},"e":[{"f":null}]}}],"y":true,"z":1.5}"#,
            r##"["", "null", "1", "a: b", "- x", "#c", " x", "x\n", "x\n\n", "\n", " x\ny", "é\u0001", "{}", "y"]"##,
            r#"{"": 1, "a: b": 2, "yes": 3, "5": 4, "multi\nline": 5, "<<": 6}"#,
            r#"[{"a":"x\n  y\n","b":"end"},"x\n\n\ny\n\n"]"#,
            "\"text\"",
            "null",
            "[]",
            "-5",
            "1e+30",
            &long,
        ];
        for json in cases {
            let value = Value::from_json(json).unwrap();
            let yaml = value.to_yaml();
            let stream = Stream::parse(&yaml).unwrap();
            let document = stream.documents().next().unwrap();
            let source = Source::new(&stream);
            let read = Reader::new(&source, StreamId(0)).document(document).unwrap();
            assert_eq!(read, Some(value), "{yaml}");
        }
    }
}
