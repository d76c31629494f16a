//! Models to events, in the notation of yaml-test-suite: what a parser has to find in the text.

use crate::model::{Around, Content, Document, Entry, Layout, Node, Scalar, Stream, Style};

impl Stream {
    /// The events that the text of the stream stands for, a line each.
    #[must_use]
    pub fn events(&self) -> String {
        let mut out = String::from("+STR\n");
        for document in &self.documents {
            document_events(&mut out, document);
        }
        out.push_str("-STR\n");
        out
    }
}

fn document_events(out: &mut String, document: &Document) {
    out.push_str(if document.start { "+DOC ---\n" } else { "+DOC\n" });
    node_events(out, &document.root, Around::Block);
    out.push_str(if document.end { "-DOC ...\n" } else { "-DOC\n" });
}

fn node_events(out: &mut String, node: &Node, around: Around) {
    match &node.content {
        Content::Empty => line(out, "=VAL", node, " :"),
        Content::Alias(name) => line(out, "=ALI", node, &format!(" *{name}")),
        Content::Scalar(scalar) => line(out, "=VAL", node, &scalar_text(scalar, around)),
        Content::Mapping(entries, layout) => collection(out, node, (entries, *layout), ("MAP", " {}", around)),
        Content::Sequence(entries, layout) => collection(out, node, (entries, *layout), ("SEQ", " []", around)),
    }
}

fn collection(out: &mut String, node: &Node, content: (&[Entry], Layout), shape: (&str, &str, Around)) {
    let (entries, layout) = content;
    let (name, brackets, around) = shape;
    let is_flow = layout.is_flow(entries.len(), around != Around::Block);
    let brackets = if is_flow { brackets } else { "" };
    line(out, &format!("+{name}{brackets}"), node, "");
    let inside = match (is_flow, around) {
        (false, _) => Around::Block,
        (true, Around::Key) => Around::Key,
        (true, _) => Around::Flow,
    };
    for entry in entries {
        if let Some(key) = &entry.key {
            let around = if key.explicit { inside } else { Around::Key };
            node_events(out, &key.node, around);
        }
        node_events(out, &entry.value, inside);
    }
    out.push_str(&format!("-{name}\n"));
}

fn line(out: &mut String, event: &str, node: &Node, rest: &str) {
    out.push_str(event);
    if let Some(anchor) = &node.anchor {
        out.push_str(&format!(" &{anchor}"));
    }
    if let Some(tag) = node.tag {
        out.push_str(&format!(" <{}>", full_tag(tag)));
    }
    out.push_str(rest);
    out.push('\n');
}

fn full_tag(tag: &str) -> String {
    let verbatim = tag.strip_prefix("!<").and_then(|rest| rest.strip_suffix('>'));
    match (verbatim, tag.strip_prefix("!!")) {
        (Some(uri), _) => uri.to_owned(),
        (None, Some(name)) => format!("tag:yaml.org,2002:{name}"),
        (None, None) => tag.to_owned(),
    }
}

fn scalar_text(scalar: &Scalar, around: Around) -> String {
    let style = match scalar.shown(around) {
        Style::Plain => ':',
        Style::Single => '\'',
        Style::Double | Style::DoubleEscaped => '"',
        Style::Literal => '|',
        Style::Folded => '>',
    };
    let mut out = format!(" {style}");
    for char in scalar.text.chars() {
        match char {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            '\u{8}' => out.push_str("\\b"),
            '\0' => out.push_str("\\0"),
            _ => out.push(char),
        }
    }
    out
}
