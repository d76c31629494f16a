//! New values in JSON files: what is added must be JSON, too.
//!
//! A file counts as JSON if its root is in brackets and its first key in double quotes.

use super::Given;
use crate::entry::Entry;
use crate::quote::double_quoted;
use crate::scalar::{Resolved, ScalarSchema};
use crate::tree::{Kind, Node};

/// Whether a document is written as JSON.
pub(super) fn is_json(root: Node<'_>) -> bool {
    let mut node = root;
    loop {
        let Some(first) = node.entries().next() else { return false };
        match first.key() {
            _ if !node.is_flow() => return false,
            Some(key) => return key.kind() == Kind::DoubleQuoted,
            None => node = first.value(),
        }
    }
}

/// A value as JSON. `None` if it is JSON already, or if JSON cannot express it: comments, anchors, aliases, tags,
/// infinity, keys that are no text.
pub(super) fn as_json(value: Given<'_>) -> Option<String> {
    let node = match value {
        Given::Text(text) => return Some(double_quoted(text)),
        Given::Node(node) => node,
    };
    if node.stream().comments_in(node.full_span()).next().is_some() || is_written_as_json(node) {
        return None;
    }
    let mut out = String::new();
    let mut open = vec![Part::Value(node)];
    while let Some(part) = open.pop() {
        match part {
            Part::Mark(mark) => out.push_str(mark),
            Part::Key(key) => {
                let is_null = key.resolve(ScalarSchema::Core12).is_none_or(|key| key == Resolved::Null);
                if is_null || has_properties(key) {
                    return None;
                }
                out.push_str(&double_quoted(&key.value()));
                out.push_str(": ");
            }
            Part::Value(node) if has_properties(node) => return None,
            Part::Value(node) if node.kind().is_collection() => {
                let (begin, end) = if node.kind() == Kind::Mapping { ("{", "}") } else { ("[", "]") };
                out.push_str(begin);
                open.push(Part::Mark(end));
                let first = open.len();
                for entry in node.entries() {
                    open.push(Part::Mark(", "));
                    open.extend(entry.key().map(Part::Key));
                    open.push(Part::Value(entry.value()));
                }
                if first < open.len() {
                    // The parts wait on a stack, so the last one comes out first. There is no comma before the first
                    // entry.
                    _ = open.remove(first);
                    open[first..].reverse();
                }
            }
            Part::Value(node) => out.push_str(&scalar(node)?),
        }
    }
    Some(out)
}

/// Whether a value needs no change to be JSON.
fn is_written_as_json(node: Node<'_>) -> bool {
    let mut open = vec![node];
    while let Some(node) = open.pop() {
        let is_it = match node.kind() {
            Kind::DoubleQuoted => true,
            Kind::Plain => ["null", "true", "false"].contains(&node.text()) || is_number(node.text()),
            _ => node.is_flow(),
        };
        if !is_it
            || has_properties(node)
            || node.entries().filter_map(Entry::key).any(|key| key.kind() != Kind::DoubleQuoted)
        {
            return false;
        }
        open.extend(node.entries().map(Entry::value));
    }
    true
}

enum Part<'t> {
    Mark(&'static str),
    Key(Node<'t>),
    Value(Node<'t>),
}

fn has_properties(node: Node<'_>) -> bool {
    node.alias().is_some() || node.full_span() != node.span()
}

/// A scalar as JSON. Text that only YAML 1.1 reads as a boolean or a number stays text.
fn scalar(node: Node<'_>) -> Option<String> {
    match node.resolve(ScalarSchema::Core12)? {
        Resolved::Null => Some("null".to_owned()),
        Resolved::Bool(value) => Some(value.to_string()),
        Resolved::Int(value) => Some(value.to_string()),
        Resolved::BigInt(digits) => Some(digits.into_owned()),
        Resolved::Float(_) if is_number(node.text()) => Some(node.text().to_owned()),
        Resolved::Float(value) => value.is_finite().then(|| value.to_string()),
        Resolved::String(text) => Some(double_quoted(&text)),
        Resolved::Tagged { .. } => None,
    }
}

/// Whether JSON reads the text as a number (RFC 8259, section 6).
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let text = text.strip_prefix('-').unwrap_or(text);
    let (text, exponent) = text.split_once(['e', 'E']).map_or((text, "0"), |(text, exponent)| (text, exponent));
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_padded = whole.len() > 1 && whole.starts_with('0');
    digits(whole) && !is_padded && digits(fraction) && digits(exponent.strip_prefix(['+', '-']).unwrap_or(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::{Document, Stream};

    #[test]
    fn values_of_yaml_become_json() {
        for (yaml, json) in [
            ("{b: c}", Some(r#"{"b": "c"}"#)),
            ("[1, [], {}, {a: [x, y]}]", Some(r#"[1, [], {}, {"a": ["x", "y"]}]"#)),
            ("a:\n- b: 'it''s'\n  c: |\n    two\n    lines\n", Some(r#"{"a": [{"b": "it's", "c": "two\nlines\n"}]}"#)),
            ("[~, true, yes, 0x1F, 007, +1, 1.50, 1e3, .5]", Some(r#"[null, true, "yes", 31, 7, 1, 1.50, 1e3, 0.5]"#)),
            ("+123456789012345678901234567890123456789012", Some("123456789012345678901234567890123456789012")),
            ("{1: a, \"b\": \"\\u2028\"}", Some(r#"{"1": "a", "b": "\u2028"}"#)),
            ("{\"a\":\n [1, null, \"b\"]}", None),
            ("[.inf]", None),
            ("{~: a}", None),
            ("{: a}", None),
            ("[&a b, *a]", None),
            ("[!t b]", None),
            ("{[a]: b}", None),
            ("[a, # c\n b]", None),
        ] {
            let stream = Stream::parse(yaml).expect("the case is YAML");
            let root = stream.documents().next().and_then(Document::root).expect("the case has a root");
            assert_eq!(as_json(Given::Node(root)).as_deref(), json, "{yaml}");
        }
        assert_eq!(as_json(Given::Text("5 \"a\"")).as_deref(), Some(r#""5 \"a\"""#));
    }

    #[test]
    fn json_is_told_by_its_first_key() {
        for (text, is) in
            [(r#"{"a": 1}"#, true), (r#"[[{"a": 1}]]"#, true), ("{a: 1}", false), ("\"a\": 1", false), ("[1]", false)]
        {
            let stream = Stream::parse(text).expect("the case is YAML");
            assert_eq!(stream.documents().next().and_then(Document::root).is_some_and(is_json), is, "{text}");
        }
    }
}
