//! Models to text: flow collections, and what may stand in them.

use super::Printer;
use crate::model::{Around, Content, Entry, Form, Layout, Line, Node};

/// Columns by which flow collections with a line for each entry are indented further than their parent.
const STEP: usize = 2;

impl Printer {
    /// A node with its properties in flow style; its further lines start at `column`.
    pub(super) fn flow_node(&mut self, node: &Node, column: usize, around: Around) {
        let start = self.out.len();
        self.properties(node);
        if self.out.len() > start {
            self.out.remove(start);
            self.out.push(' ');
        }
        self.flow_content(node, column, around);
    }

    /// A node without its properties in flow style.
    pub(super) fn flow_content(&mut self, node: &Node, column: usize, around: Around) {
        let inside = if around == Around::Key { Around::Key } else { Around::Flow };
        match &node.content {
            Content::Empty => {}
            Content::Alias(name) => {
                self.out.push('*');
                self.out.push_str(name);
            }
            Content::Scalar(scalar) => self.flow_scalar(scalar, column, around),
            Content::Mapping(entries, layout) => self.flow_collection(['{', '}'], entries, *layout, (column, inside)),
            Content::Sequence(entries, layout) => self.flow_collection(['[', ']'], entries, *layout, (column, inside)),
        }
    }

    fn flow_collection(&mut self, brackets: [char; 2], entries: &[Entry], layout: Layout, at: (usize, Around)) {
        let (column, inside) = at;
        self.out.push(brackets[0]);
        if layout.form == Form::Lines && inside != Around::Key && !entries.is_empty() {
            self.flow_lines(entries, column);
        } else {
            let edge = if layout.form == Form::Spaced && !entries.is_empty() { " " } else { "" };
            self.out.push_str(edge);
            for (at, entry) in entries.iter().enumerate() {
                self.out.push_str(if at > 0 { ", " } else { "" });
                self.flow_entry(entry, column, inside);
            }
            self.out.push_str(edge);
        }
        self.out.push(brackets[1]);
    }

    fn flow_lines(&mut self, entries: &[Entry], column: usize) {
        self.out.push_str(self.newline);
        for entry in entries {
            self.flow_lead(&entry.lead, column);
            self.blanks(column);
            self.flow_entry(entry, column + STEP, Around::Flow);
            self.out.push(',');
            self.end_line(entry);
        }
        self.blanks(column);
    }

    fn flow_lead(&mut self, lead: &[Line], column: usize) {
        for line in lead {
            if let Line::Comment { text, .. } = line {
                self.blanks(column);
                self.out.push_str(text);
            }
            self.out.push_str(self.newline);
        }
    }

    fn flow_entry(&mut self, entry: &Entry, column: usize, inside: Around) {
        let Some(key) = &entry.key else { return self.flow_item(&entry.value, column, inside) };
        if key.explicit {
            self.out.push_str("? ");
            self.flow_node(&key.node, column, inside);
            self.out.push_str(" :");
        } else {
            self.implicit_key(&key.node);
        }
        self.out.push(' ');
        self.flow_node(&entry.value, column, inside);
    }

    /// An item of a flow sequence, which may be a pair without braces.
    fn flow_item(&mut self, node: &Node, column: usize, inside: Around) {
        match pair(node) {
            Some(entry) => self.flow_entry(entry, column, inside),
            None => self.flow_node(node, column, inside),
        }
    }
}

/// The pair that is written without braces as the item of a flow sequence.
fn pair(node: &Node) -> Option<&Entry> {
    match &node.content {
        Content::Mapping(entries, Layout { form: Form::Pair, .. }) if !node.has_properties() => match &entries[..] {
            [entry] => Some(entry),
            _ => None,
        },
        _ => None,
    }
}
