//! Models to text: documents and block collections.

mod flow;
mod scalar;

use crate::model::{Around, Content, Document, Entry, Gap, Key, Layout, Line, Node, Stream, Style};

impl Stream {
    /// The text of the stream.
    #[must_use]
    pub fn text(&self) -> String {
        let mut printer = Printer::new(if self.crlf { "\r\n" } else { "\n" });
        if self.bom {
            printer.out.push('\u{feff}');
        }
        for document in &self.documents {
            printer.document(document);
        }
        if self.cut && !printer.ends_in_block_scalar && printer.out.ends_with(printer.newline) {
            printer.out.truncate(printer.out.len() - printer.newline.len());
        }
        printer.out
    }
}

/// Text so far, and what of it matters for the text to come.
struct Printer {
    out: String,
    newline: &'static str,
    /// The last line belongs to a block scalar, or to the blank lines after one.
    ends_in_block_scalar: bool,
    /// The last scalar keeps the blank lines that follow it.
    keeps_blanks: bool,
}

/// Where a value stands: the column of its collection (`None` for a root) and whether its indicator is one after which
/// a block collection may start on the same line.
#[derive(Clone, Copy)]
struct Spot {
    column: Option<usize>,
    is_dash: bool,
}

impl Spot {
    /// Column of content that is indented by `step`.
    fn inner(self, step: usize) -> usize {
        self.column.map_or(0, |column| column + step)
    }
}

impl Printer {
    const fn new(newline: &'static str) -> Self {
        Self { out: String::new(), newline, ends_in_block_scalar: false, keeps_blanks: false }
    }

    fn document(&mut self, document: &Document) {
        if let Some(directive) = document.directive {
            self.full_line(directive);
        }
        if document.start {
            self.out.push_str("---");
            self.settle();
            let root = Spot { column: None, is_dash: false };
            self.value(&Entry::default(), &document.root, root);
        } else if let Content::Mapping(entries, _) | Content::Sequence(entries, _) = &document.root.content {
            self.entries(entries, 0, false);
        }
        self.lines(&document.tail, 0);
        if document.end {
            self.full_line("...");
        }
    }

    /// The entries of a block collection at `column`; the first right here if `inline`.
    fn entries(&mut self, entries: &[Entry], column: usize, inline: bool) {
        for (at, entry) in entries.iter().enumerate() {
            if at > 0 || !inline {
                self.lines(&entry.lead, column);
                self.blanks(column);
            }
            self.settle();
            match &entry.key {
                None => self.indicated('-', entry, &entry.value, column),
                Some(key) if key.explicit => self.explicit(key, entry, column),
                Some(key) => {
                    self.implicit_key(&key.node);
                    self.value(entry, &entry.value, Spot { column: Some(column), is_dash: false });
                }
            }
        }
    }

    fn implicit_key(&mut self, key: &Node) {
        self.flow_node(key, 0, Around::Key);
        self.out.push_str(if matches!(key.content, Content::Alias(_)) { " :" } else { ":" });
    }

    fn explicit(&mut self, key: &Key, entry: &Entry, column: usize) {
        let bare = Entry::default();
        self.indicated('?', &bare, &key.node, column);
        self.blanks(column);
        self.indicated(':', entry, &entry.value, column);
    }

    fn indicated(&mut self, indicator: char, entry: &Entry, value: &Node, column: usize) {
        self.out.push(indicator);
        self.value(entry, value, Spot { column: Some(column), is_dash: true });
    }

    /// A value after its indicator, up to and including the end of its last line.
    fn value(&mut self, entry: &Entry, node: &Node, spot: Spot) {
        self.properties(node);
        match &node.content {
            Content::Empty => self.end_line(entry),
            Content::Mapping(entries, layout) if !layout.is_flow(entries.len(), false) => {
                self.block_collection(entry, node, spot, spot.inner(layout.step.max(1)));
            }
            Content::Sequence(entries, layout) if !layout.is_flow(entries.len(), false) => {
                let step = if spot.is_dash { layout.step.max(1) } else { layout.step };
                self.block_collection(entry, node, spot, spot.inner(step));
            }
            Content::Scalar(scalar) if matches!(scalar.shown(Around::Block), Style::Literal | Style::Folded) => {
                self.gap(entry.gap);
                self.block_scalar(scalar, entry, spot.column);
            }
            _ => {
                self.gap(entry.gap);
                self.flow_content(node, spot.inner(2), Around::Block);
                self.end_line(entry);
            }
        }
    }

    fn block_collection(&mut self, entry: &Entry, node: &Node, spot: Spot, below: usize) {
        let (Content::Mapping(entries, layout) | Content::Sequence(entries, layout)) = &node.content else { return };
        let dash = spot.column.filter(|_| spot.is_dash && entry.trail.is_none() && !node.has_properties());
        match dash.filter(|_| can_be_inline(entries, *layout)) {
            Some(column) => {
                let gap = layout.step.max(2) - 1;
                self.blanks(gap);
                self.entries(entries, column + 1 + gap, true);
            }
            None => {
                self.end_line(entry);
                self.entries(entries, below, false);
            }
        }
    }

    /// ` &anchor !tag`
    fn properties(&mut self, node: &Node) {
        if let Some(anchor) = &node.anchor {
            self.out.push_str(" &");
            self.out.push_str(anchor);
        }
        if let Some(tag) = node.tag {
            self.out.push(' ');
            self.out.push_str(tag);
        }
    }

    fn gap(&mut self, gap: Gap) {
        match gap {
            Gap::Spaces(count) => self.blanks(count.max(1)),
            Gap::Tab => self.out.push('\t'),
        }
    }

    fn end_line(&mut self, entry: &Entry) {
        if let Some(comment) = &entry.trail {
            self.blanks(comment.gap.max(1));
            self.out.push_str(&comment.text);
        }
        self.out.push_str(self.newline);
    }

    fn lines(&mut self, lines: &[Line], column: usize) {
        for line in lines {
            match line {
                Line::Blank if self.keeps_blanks => {}
                Line::Blank => self.out.push_str(self.newline),
                Line::Comment { text, outdent } => {
                    self.blanks(column.saturating_sub(*outdent));
                    self.full_line(text);
                }
            }
        }
    }

    fn full_line(&mut self, text: &str) {
        self.settle();
        self.out.push_str(text);
        self.out.push_str(self.newline);
    }

    /// Notes that something else than a block scalar stands here.
    const fn settle(&mut self) {
        self.ends_in_block_scalar = false;
        self.keeps_blanks = false;
    }

    fn blanks(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }
}

fn can_be_inline(entries: &[Entry], layout: Layout) -> bool {
    layout.inline && entries.first().is_some_and(|first| first.lead.is_empty())
}
