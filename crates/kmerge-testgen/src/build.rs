//! Short ways to write a model down, without layout.

use crate::model::{Entry, Layout, Node, Scalar, Style};

/// A mapping of fields with plain names.
pub(crate) fn map<const N: usize>(fields: [(&str, Node); N]) -> Node {
    map_of(fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

/// A mapping of fields whose names and number are not fixed.
pub(crate) fn map_of(fields: Vec<(String, Node)>) -> Node {
    let entries = fields.into_iter().map(|(name, value)| Entry::field(name, value)).collect();
    Node::mapping(entries, Layout::default())
}

pub(crate) fn list(items: Vec<Node>) -> Node {
    Node::sequence(items.into_iter().map(Entry::item).collect(), Layout::default())
}

/// A string that is safe as a plain scalar, or a number, boolean or null as it is written.
pub(crate) fn plain(text: impl Into<String>) -> Node {
    Node::plain(text)
}

/// A string that needs quotes.
pub(crate) fn quoted(text: impl Into<String>) -> Node {
    Node::scalar(Scalar::new(text, Style::Double))
}

/// A string of several lines.
pub(crate) fn lines(text: impl Into<String>) -> Node {
    Node::scalar(Scalar::new(text, Style::Literal))
}

/// A number.
pub(crate) fn number(value: usize) -> Node {
    Node::plain(value.to_string())
}

/// The node with more fields at its end; other nodes stay as they are.
pub(crate) fn with(mut node: Node, fields: Vec<(String, Node)>) -> Node {
    if let crate::model::Content::Mapping(entries, _) = &mut node.content {
        entries.extend(fields.into_iter().map(|(name, value)| Entry::field(name, value)));
    }
    node
}
