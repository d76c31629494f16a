//! What stands above a document's root and below it: comments and blank lines that nothing inside the root owns.
//!
//! Each end follows the four rules as a whole; blank lines alone are no change. Ignores what stands on the lines of markers,
//! anchors and tags, and roots that share their lines with these.

use kyaml_ast::{Document, Edit, Newline, Node, Span, line_end, line_start};

use super::Walker;
use crate::plan::{Decision, Role};
use crate::resolve::{Outcome, Rule, resolve};
use crate::slots::{Side, Slots};

impl<'a> Walker<'a> {
    /// Resolves what stands around the roots of a document, of which `root` tells what became.
    pub(crate) fn ends(&mut self, row: Slots<Document<'a>>, root: Outcome) -> Vec<Edit> {
        let is_collection =
            |document: Option<Document<'_>>| document.and_then(Document::root).is_some_and(Node::is_block_collection);
        // A comment above a scalar is a first entry's own above a collection.
        let is_alike = root == Outcome::Take || is_collection(row.dest) == is_collection(row.incoming);
        let ends = row.filter_map(Ends::of);
        let Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) } = ends else { return Vec::new() };
        if root == Outcome::Conflict || !is_alike {
            return Vec::new();
        }
        let mut edits = Vec::new();
        let ends = Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) };
        if self.takes(ends.map(|ends| (ends.head, ends.below))) {
            // Without a place of its own below properties, all of it stands above.
            let (above, below) = match dest.below {
                Some(_) => (vec![incoming.head], incoming.below),
                None => ([Some(incoming.head), incoming.below].into_iter().flatten().collect(), None),
            };
            edits.extend(self.lines(dest.head, above));
            edits.extend(dest.below.and_then(|old| self.lines(old, below.into_iter().collect())));
        }
        let feet = ends.filter_map(|ends| ends.foot);
        if feet.present().count() == Side::ALL.len() && self.takes(feet.map(|foot| (foot, None))) {
            edits.extend(feet.dest.and_then(|old| self.lines(old, feet.incoming.into_iter().collect())));
        }
        edits
    }

    /// Decides about one end.
    pub(super) fn takes(&mut self, spans: Slots<(Span, Option<Span>)>) -> bool {
        let texts = |side: Side| {
            let (source, (first, second)) = (self.streams.get(side)?.source(), *spans.get(side)?);
            Some([first.of(source), second.unwrap_or_default().of(source)])
        };
        let texts = Slots { dest: texts(Side::Dest), base: texts(Side::Base), incoming: texts(Side::Incoming) };
        let (outcome, rule) = resolve(texts, crate::Contested::Keep, same_comments);
        if !matches!(rule, Rule::Agreed | Rule::OnlyDest) {
            let (path, spans) = (self.path.clone(), spans.map(|(span, _)| span));
            self.plan.decisions.push(Decision { path, role: Role::Gap, outcome, rule, spans, list: None });
        }
        outcome == Outcome::Take
    }

    /// Puts lines of the incoming side in the place of the destination's.
    fn lines(&self, old: Span, new: Vec<Span>) -> Option<Edit> {
        let (source, theirs) = (self.streams.dest?.source(), self.streams.incoming?.source());
        let newline = Newline::of(source).as_str();
        let is_below_text = old.start as usize == source.len() && !source.ends_with('\n');
        let first = if is_below_text { newline } else { "" };
        let lines = new.into_iter().flat_map(|span| span.of(theirs).lines()).flat_map(|line| [line, newline]);
        Some(Edit::Text { span: old, text: std::iter::once(first).chain(lines).collect() })
    }
}

/// What stands around a document's root.
#[derive(Clone, Copy)]
struct Ends {
    /// Above the root and its anchor and tag.
    head: Span,
    /// Between anchor and tag on lines of their own and a collection's first entry.
    below: Option<Span>,
    /// Nothing below a block scalar, whose text it might become.
    foot: Option<Span>,
}

impl Ends {
    /// `None` where the root has no lines of its own.
    fn of(document: Document<'_>) -> Option<Self> {
        let (root, source) = (document.root()?, document.stream().source());
        let bom = if document.text().starts_with('\u{feff}') { 3 } else { 0 };
        let below = |marker: Span| line_end(source, marker.end);
        let start = document.start_marker().map_or(document.span().start + bom, below);
        let end = document.end_marker().map_or(document.span().end, |marker| marker.start);
        let properties = line_start(source, root.full_span().start).max(document.span().start + bom);
        let (above, behind) = match root.entries().next().filter(|_| root.is_block_collection()) {
            Some(first) if !first.starts_line() => return None,
            Some(first) => (first.extent().start, root.entries().last().map(|last| last.extent().end)),
            None if root.kind().is_block_scalar() => (properties, None),
            None => (properties, Some(line_end(source, root.span().end))),
        };
        let has_properties = root.is_block_collection() && root.full_span().start < root.span().start;
        let (head, below) = match has_properties.then(|| below_properties(root, above)) {
            Some(below) if start <= properties => (Span::new(start, properties), Some(Span::new(below, above))),
            Some(below) => (Span::new(below.max(start), above), None),
            None => (Span::new(start.min(above), above), None),
        };
        let has_room = start <= above && behind.is_none_or(|behind| behind <= end);
        has_room.then(|| Self { head, below, foot: behind.map(|behind| Span::new(behind, end)) })
    }
}

/// Where the lines with a root's anchor and tag end.
fn below_properties(root: Node<'_>, end: u32) -> u32 {
    let start = root.full_span().start;
    let (mut below, mut at) = (start, start);
    for line in Span::new(start, end).of(root.stream().source()).split_inclusive('\n') {
        at += line.len() as u32;
        if !is_trivia(line) {
            below = at;
        }
    }
    below
}

fn is_trivia(line: &str) -> bool {
    matches!(line.trim_ascii_start().as_bytes(), [] | [b'#', ..])
}

/// Whether two texts hold the same comments, blank lines aside.
fn same_comments(a: [&str; 2], b: [&str; 2]) -> bool {
    comments(a).eq(comments(b))
}

fn comments(texts: [&str; 2]) -> impl Iterator<Item = &str> {
    texts.into_iter().flat_map(str::lines).map(str::trim).filter(|line| !line.is_empty())
}
