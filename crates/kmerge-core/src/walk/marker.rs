//! Comments on the lines of a document's markers, `---` and `...`.
//!
//! Each follows the four rules, apart from all else. Ignores markers that a side does not have, and those with a root or its
//! anchor or tag on their line: what stands there is the root's.

use kyaml_ast::{Document, Edit, Node, Span, line_end};

use super::Walker;
use crate::slots::Slots;

impl<'a> Walker<'a> {
    /// Resolves the comments behind the markers of a document.
    pub(crate) fn markers(&mut self, row: Slots<Document<'a>>) -> Vec<Edit> {
        let lines = [row.filter_map(behind_start), row.filter_map(behind_end)];
        lines.into_iter().filter_map(|lines| self.marker(lines)).collect()
    }

    fn marker(&mut self, lines: Slots<Span>) -> Option<Edit> {
        let Slots { dest: Some(dest), base: Some(_), incoming: Some(incoming) } = lines else { return None };
        let theirs = self.streams.incoming?.source();
        let is_taken = self.takes(lines.map(|line| (line, None)));
        is_taken.then(|| Edit::Text { span: dest, text: incoming.of(theirs).to_owned() })
    }
}

/// The rest of the line of `---`; `None` where the root starts on it.
fn behind_start(document: Document<'_>) -> Option<Span> {
    let line = rest_of_line(document, document.start_marker()?);
    let is_below = |root: Node<'_>| root.full_span().start > line.end;
    document.root().is_none_or(is_below).then_some(line)
}

fn behind_end(document: Document<'_>) -> Option<Span> {
    document.end_marker().map(|marker| rest_of_line(document, marker))
}

/// What stands behind a marker, without blanks and line break at the end.
fn rest_of_line(document: Document<'_>, marker: Span) -> Span {
    let source = document.stream().source();
    let line = Span::new(marker.end, line_end(source, marker.end));
    Span::new(line.start, line.start + line.of(source).trim_ascii_end().len() as u32)
}
