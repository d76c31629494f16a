//! Comments on the lines of a document's markers, `---` and `...`, and below the marker of its end.
//!
//! Those of each marker follow the four rules, apart from all else. Ignores markers that a side does not have, and those with a root or its
//! anchor or tag on their line: what stands there is the root's.

use kyaml_ast::{Document, Edit, Newline, Node, Span, line_end};

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
        let (source, theirs) = (self.streams.dest?.source(), self.streams.incoming?.source());
        let is_taken = self.takes(lines.map(|line| (line, None)));
        let newline = Newline::of(source).as_str();
        let text = || incoming.of(theirs).lines().collect::<Vec<_>>().join(newline);
        is_taken.then(|| Edit::Text { span: dest, text: text() })
    }
}

/// The rest of the line of `---`; `None` where the root starts on it.
fn behind_start(document: Document<'_>) -> Option<Span> {
    let marker = document.start_marker()?;
    let line = trimmed(document, Span::new(marker.end, line_end(document.stream().source(), marker.end)));
    let is_below = |root: Node<'_>| root.full_span().start > line.end;
    document.root().is_none_or(is_below).then_some(line)
}

/// What stands behind `...`, on its line and below: comments, blank lines and more such markers.
fn behind_end(document: Document<'_>) -> Option<Span> {
    let marker = document.end_marker()?;
    Some(trimmed(document, Span::new(marker.end, document.span().end.max(marker.end))))
}

/// A span without blanks and line breaks at its end.
fn trimmed(document: Document<'_>, span: Span) -> Span {
    Span::new(span.start, span.start + span.of(document.stream().source()).trim_ascii_end().len() as u32)
}
