//! Compares a spliced text with the meaning of its edits, so that a wrong result never leaves the library.
//!
//! Owns the comparison of a parsed result with a [`Walk`]. Two nodes are equal if they have the same kind, tag, anchor
//! and value. The node that an alias refers to may stand in the place of the alias, if the alias's name would have
//! another meaning there. Ignores comments and layout.
//!
//! Subtrees that were copied are compared as bytes and records, so the cost is about that of scanning the tape.

mod alike;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::anchors::Anchors;
use crate::edit::{Edit, StreamId, streams_of};
use crate::event::{decode_uri, resolve_tag};
use crate::intent::{Step, Walk};
use crate::span::Span;
use crate::tree::{Document, Kind, Node, NodeId, Stream};
use alike::{is_copy, is_nothing, is_same_scalar};

/// The node of some stream that a node of the result comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Origin {
    /// `None` for text that an edit brought.
    id: Option<StreamId>,
    node: NodeId,
    /// Whether it is a node of the target that stayed in place.
    in_place: bool,
}

/// Checks that `result` is the text that `edits` make of the stream `target`.
///
/// # Errors
///
/// The place in the target up to which result and edits agree.
pub(crate) fn verify(
    streams: &[&Stream<'_>],
    target: StreamId,
    edits: &[Edit],
    result: &Stream<'_>,
) -> Result<(), Span> {
    let mut check = Check::new(streams, &streams_of(target, edits), result);
    let mut walk = Walk::new(streams, target, edits);
    while let Some(step) = walk.next() {
        if !check.step(&walk, step) {
            return Err(check.place);
        }
    }
    if check.is_at_end() { Ok(()) } else { Err(check.place) }
}

/// Whether two nodes mean the same, with their keys in the same order. Comments and layout are ignored.
pub(crate) fn is_same(wanted: Node<'_>, found: Node<'_>) -> bool {
    let mut check = Check::new(&[], &BTreeSet::new(), found.stream());
    check.at = found.id().index();
    check.open = vec![found.after()];
    check.subtree(wanted.stream(), (None, false), wanted.id())
}

struct Check<'a> {
    result: &'a Stream<'a>,
    /// Index of the next record of the result.
    at: usize,
    /// Ends of the open collections of the result. The first is the end of the document.
    open: Vec<usize>,
    document: Option<NodeId>,
    names: Names<'a>,
    has_alias: bool,
    has_tag_directive: bool,
    place: Span,
}

/// The nodes of the anchors in the result's document so far.
#[derive(Default)]
struct Names<'a> {
    origins: HashMap<&'a str, Origin>,
    /// New names of anchors that have another name in their own stream.
    renamed: HashMap<&'a str, String>,
    seen: HashSet<Origin>,
}

/// Neighbouring nodes that are expected in the result.
struct Expected<'s> {
    stream: &'s Stream<'s>,
    /// `None` for text that an edit brought.
    id: Option<StreamId>,
    in_place: bool,
    /// Whether these nodes replaced an alias.
    is_expanded: bool,
    next: usize,
    end: usize,
    /// Whether a collection of the result ends after them.
    closes: bool,
}

impl<'s> Expected<'s> {
    /// The anchors of the stream that they come from. `None` for text that an edit brought.
    fn anchors(&self) -> Option<&'s Anchors> {
        self.id.map(|_| self.stream.anchors())
    }

    /// One node.
    fn one(stream: &'s Stream<'s>, (id, in_place): (Option<StreamId>, bool), node: NodeId) -> Self {
        Self { stream, id, in_place, is_expanded: false, next: node.index(), end: node.index() + 1, closes: false }
    }

    /// The nodes in a collection.
    fn inside(&self, node: Node<'_>) -> Self {
        Self { next: node.id().index() + 1, end: node.after(), closes: true, ..*self }
    }

    /// The next of the nodes.
    fn take(&mut self) -> Option<Node<'s>> {
        let found = (self.next..self.end).find(|&index| self.stream.tape[index].kind.is_node());
        let node = found.map(|index| self.stream.node_at(index));
        self.next = node.map_or(self.end, Node::after);
        node
    }
}

impl<'a> Check<'a> {
    fn new(streams: &[&Stream<'_>], ids: &BTreeSet<StreamId>, result: &'a Stream<'a>) -> Self {
        let others = || ids.iter().filter_map(|id| streams.get(id.index()));
        Self {
            result,
            at: 0,
            open: Vec::new(),
            document: None,
            names: Names::default(),
            has_alias: result.has_aliases() || others().any(|stream| stream.has_aliases()),
            has_tag_directive: result.declares_tags() || others().any(|stream| stream.declares_tags()),
            place: Span::default(),
        }
    }

    fn step(&mut self, walk: &Walk<'_>, step: Step<'_>) -> bool {
        match step {
            Step::Document { level, document } => {
                let origin = Document { stream: walk.stream(level), id: document };
                if level == 0 {
                    self.place = Span::at(origin.span().start);
                }
                self.next_document()
            }
            Step::Node { level, node, whole } => {
                let stream = walk.stream(level);
                let origin = (Some(walk.levels[level].stream), level == 0);
                if level == 0 {
                    self.place = stream.node(node).full_span();
                }
                if whole {
                    return self.subtree(stream, origin, node);
                }
                self.head(stream, origin, node)
            }
            Step::End => self.close(),
            Step::Documents(text) => self.documents(text),
            Step::Text(text) => self.text(text),
            Step::Block { header, body } => self.block(header, body),
        }
    }

    /// Moves to the next document of the result that has a root.
    fn next_document(&mut self) -> bool {
        if !self.is_document_done() {
            return false;
        }
        let from = self.open.first().copied().unwrap_or(0);
        let rest = self.result.tape[from..].iter().enumerate();
        let documents = rest.filter(|(_, record)| record.kind == Kind::Document);
        let found = documents.map(|(index, _)| NodeId((from + index) as u32)).find(|id| {
            let document = Document { stream: self.result, id: *id };
            document.root().is_some()
        });
        let Some(id) = found else { return false };
        self.open = vec![id.index() + self.result.tape[id.index()].skip()];
        self.at = id.index() + 1;
        self.document = Some(id);
        self.names = Names::default();
        true
    }

    fn is_document_done(&mut self) -> bool {
        self.open.len() < 2 && self.peek().is_none()
    }

    fn is_at_end(&mut self) -> bool {
        self.is_document_done() && !self.next_document()
    }

    /// The next node of the result in the open collection.
    fn peek(&mut self) -> Option<Node<'a>> {
        let end = *self.open.last()?;
        while self.at < end && !self.result.tape[self.at].kind.is_node() {
            self.at += 1;
        }
        (self.at < end).then(|| self.result.node_at(self.at))
    }

    fn close(&mut self) -> bool {
        if self.peek().is_some() {
            return false;
        }
        self.at = self.open.pop().unwrap_or(self.at);
        true
    }

    /// Compares a node whose inside has edits.
    fn head(&mut self, stream: &Stream<'_>, origin: (Option<StreamId>, bool), node: NodeId) -> bool {
        let expected = Expected::one(stream, origin, node);
        let wanted = stream.node(node);
        let Some(found) = self.peek() else { return false };
        let is_alike = if wanted.kind().is_collection() {
            found.kind() == wanted.kind()
        } else {
            found.kind().is_scalar() == wanted.kind().is_scalar()
        };
        if !is_alike || !self.properties(&expected, wanted, found) {
            return false;
        }
        self.at += 1;
        if wanted.kind().is_collection() {
            self.open.push(found.after());
        } else {
            self.at = found.after();
        }
        true
    }

    fn documents(&mut self, text: &str) -> bool {
        let Ok(stream) = Stream::parse_fragment(text) else { return false };
        let mut roots = stream.documents().filter_map(Document::root);
        roots.all(|root| self.next_document() && self.subtree(&stream, (None, false), root.id()))
    }

    fn text(&mut self, text: &str) -> bool {
        let Ok(stream) = Stream::parse_fragment(text) else { return false };
        match stream.documents().next().and_then(Document::root) {
            Some(root) => self.subtree(&stream, (None, false), root.id()),
            None => self.nothing(),
        }
    }

    /// Compares a node that is not written.
    fn nothing(&mut self) -> bool {
        let Some(found) = self.peek() else { return false };
        self.at = found.after();
        is_nothing(found)
    }

    fn block(&mut self, header: &str, body: &str) -> bool {
        let digit = header.find(|char: char| char.is_ascii_digit());
        let indent = digit.map_or(2, |at| usize::from(header.as_bytes()[at] - b'0'));
        let mut text = format!("- {header}\n");
        for line in body.split_inclusive('\n') {
            let is_empty = line.trim_end_matches(['\n', '\r']).is_empty();
            text.extend(std::iter::repeat_n(' ', if is_empty { 0 } else { indent }));
            text.push_str(line);
        }
        let Ok(stream) = Stream::parse_fragment(&text) else { return false };
        let item = stream.documents().next().and_then(Document::root).and_then(|root| root.children().next());
        item.is_some_and(|item| self.subtree(&stream, (None, false), item.id()))
    }

    /// Compares a node with everything inside.
    fn subtree(&mut self, stream: &Stream<'_>, origin: (Option<StreamId>, bool), node: NodeId) -> bool {
        let Some(found) = self.peek() else { return false };
        if !self.has_alias && !self.has_tag_directive && is_copy(stream.node(node), found) {
            self.at = found.after();
            return true;
        }
        let mut todo = vec![Expected::one(stream, origin, node)];
        while let Some(expected) = todo.last_mut() {
            match expected.take() {
                Some(wanted) => {
                    let Some(found) = self.peek() else { return false };
                    let siblings = Expected { ..*expected };
                    match self.one(&siblings, wanted, found) {
                        Found::Other => return false,
                        Found::Leaf => {}
                        Found::More(more) => todo.push(more),
                    }
                }
                None => {
                    let closes = expected.closes;
                    todo.pop();
                    if closes && !self.close() {
                        return false;
                    }
                }
            }
        }
        true
    }

    /// Compares one node without the nodes inside.
    fn one<'s>(&mut self, expected: &Expected<'s>, wanted: Node<'s>, found: Node<'a>) -> Found<'s> {
        if wanted.kind() == Kind::Alias {
            return self.alias(expected, wanted, found);
        }
        if !self.properties(expected, wanted, found) {
            return Found::Other;
        }
        if wanted.kind().is_collection() {
            if found.kind() != wanted.kind() {
                return Found::Other;
            }
            self.at += 1;
            self.open.push(found.after());
            return Found::More(expected.inside(wanted));
        }
        self.at = found.after();
        if is_same_scalar(wanted, found) { Found::Leaf } else { Found::Other }
    }

    /// Compares an alias. The node that it refers to may stand in its place.
    fn alias<'s>(&mut self, expected: &Expected<'s>, wanted: Node<'s>, found: Node<'a>) -> Found<'s> {
        let origin = expected.anchors().and_then(|anchors| anchors.target(wanted.id()));
        let Some(name) = found.alias() else {
            let one = |node| Expected::one(expected.stream, (expected.id, expected.in_place), node);
            return origin.map_or(Found::Other, |node| Found::More(Expected { is_expanded: true, ..one(node) }));
        };
        self.at = found.after();
        let current = self.names.origins.get(name).copied();
        let is_it = |current: Origin| Some(current.node) == origin && current.id == expected.id;
        let is_right = match (current, origin) {
            (None, origin) => origin.is_none() || expected.id.is_none(),
            (Some(current), Some(node)) if expected.in_place => {
                let wanted = Origin { id: expected.id, node, in_place: true };
                current == wanted || !self.names.seen.contains(&wanted)
            }
            (Some(current), Some(_)) => current.id != expected.id || is_it(current),
            (Some(_), None) => true,
        };
        let at_home = self.names.renamed.get(name).map_or(name, String::as_str);
        let keeps_name = wanted.alias() == Some(at_home) || current.is_some_and(is_it);
        if is_right && keeps_name { Found::Leaf } else { Found::Other }
    }

    fn properties(&mut self, expected: &Expected<'_>, wanted: Node<'_>, found: Node<'a>) -> bool {
        let origin = Origin { id: expected.id, node: wanted.id(), in_place: expected.in_place };
        if let Some(name) = found.anchor() {
            self.names.origins.insert(name, origin);
            self.names.renamed.remove(name);
            let at_home = wanted.anchor().filter(|at_home| *at_home != name);
            self.names.renamed.extend(at_home.map(|at_home| (name, at_home.to_owned())));
            self.names.seen.insert(origin);
        }
        let (theirs, ours) = (wanted.anchor(), found.anchor());
        let is_free = expected.is_expanded || !expected.in_place;
        let has_name = theirs == ours || is_free && theirs.is_some();
        has_name && self.is_same_tag(expected, wanted, found)
    }

    fn is_same_tag(&mut self, expected: &Expected<'_>, wanted: Node<'_>, found: Node<'_>) -> bool {
        let (Some(theirs), Some(ours)) = (wanted.tag(), found.tag()) else { return wanted.tag() == found.tag() };
        let into = self.document.map(|id| Document { stream: self.result, id });
        let has_handles = self.has_tag_directive;
        let anchors = if has_handles { expected.anchors() } else { None };
        let home = anchors.and_then(|anchors| anchors.document(expected.stream, wanted.id()));
        match (home, into) {
            (Some(home), Some(into)) => {
                // In a tag that is written in full, escapes stay as they are.
                let [theirs, ours] = [resolve_tag(home, theirs), resolve_tag(into, ours)];
                theirs == ours || decode_uri(&theirs) == decode_uri(&ours)
            }
            _ => theirs == ours,
        }
    }
}

/// The result of comparing one node.
enum Found<'s> {
    /// The nodes differ.
    Other,
    /// The nodes are equal, and nothing is left to compare.
    Leaf,
    /// The nodes are equal, if the nodes inside are equal, too.
    More(Expected<'s>),
}
