//! Secrets in a tree.
//!
//! Owns which mappings are Secrets, and which of their values and comments are hidden. Follows aliases and YAML
//! merge keys. Ignores texts that are not YAML: [`lines`](super::lines) knows these.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;

use kyaml_ast::{Entry, Kind, Node, NodeId, Span, Stream};

use super::Secrets;
use super::lines::may_say_secret;
use crate::inherit::behind;

/// The places in a tree that must not be shown. They are not sorted.
pub(super) fn hidden(stream: &Stream<'_>) -> Vec<Span> {
    let mut finder = Finder { seen: HashSet::new(), open: Vec::new(), hidden: Vec::new() };
    for document in stream.documents() {
        let Some(root) = document.root() else { continue };
        let found = finder.survey(root);
        finder.seen.clear();
        finder.open.extend(found.texts.iter().map(|text| (stream.node(*text), Part::Whole)));
        finder.open.extend(found.spread(&found.lists).into_iter().map(|list| (stream.node(list), Part::List)));
        let secrets: Vec<Node<'_>> = found.spread(&found.secrets).into_iter().map(|id| stream.node(id)).collect();
        finder.open.extend(secrets.iter().map(|secret| (*secret, Part::Object)));
        finder.follow();
        let comments: Vec<Span> = stream.comment_spans_in(document.span()).collect();
        if finder.seen.iter().any(|(node, part)| *part == Part::Object && found.held.contains(node)) {
            finder.hidden.extend(comments);
        } else {
            let beside = secrets.into_iter().filter(|secret| holds_strings(*secret));
            finder.hidden.extend(all_of(beside.map(|secret| comments_of(secret, &comments)).collect(), &comments));
        }
    }
    finder.hidden
}

/// The role of a node in a Secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    /// A list of Secrets.
    List,
    /// The items of such a list.
    Items,
    /// A Secret itself.
    Object,
    Metadata,
    /// A mapping whose names may be shown.
    Strings,
    /// A value that must not be shown.
    Whole,
}

/// The mappings of a document that are relevant.
#[derive(Default)]
struct Survey {
    secrets: Vec<NodeId>,
    lists: Vec<NodeId>,
    /// Texts that contain a Secret, for example patches in a kustomization.
    texts: Vec<NodeId>,
    /// The document itself, and at any depth the items of a document that is a list.
    held: HashSet<NodeId>,
    /// For each mapping, the mappings that take its fields by YAML merge keys.
    merged_into: HashMap<NodeId, Vec<NodeId>>,
}

impl Survey {
    /// The given mappings, and those that take their fields.
    fn spread(&self, first: &[NodeId]) -> Vec<NodeId> {
        let mut seen: HashSet<NodeId> = first.iter().copied().collect();
        let mut all = first.to_vec();
        let mut next = 0;
        while let Some(node) = all.get(next) {
            next += 1;
            let takers = self.merged_into.get(node).into_iter().flatten().copied();
            all.extend(takers.filter(|taker| seen.insert(*taker)).collect::<Vec<_>>());
        }
        all
    }
}

/// The features of an object that states no kind, such as a patch or a list item.
#[derive(Default)]
struct Fields {
    kind: bool,
    metadata: bool,
    data: bool,
    strings: bool,
}

impl Fields {
    fn add(&mut self, name: Option<&str>) {
        match name {
            Some("kind") => self.kind = true,
            Some("metadata") => self.metadata = true,
            Some("data") => self.data = true,
            Some("stringData") => self.strings = true,
            _ => {}
        }
    }

    fn are_of_a_secret(&self, is_held: bool) -> bool {
        self.strings || is_held && !self.kind && self.metadata && self.data
    }
}

fn text<'t>(node: Node<'t>) -> Option<Cow<'t, str>> {
    let node = behind(node);
    node.kind().is_scalar().then(|| node.value())
}

struct Finder<'t> {
    seen: HashSet<(NodeId, Part)>,
    open: Vec<(Node<'t>, Part)>,
    hidden: Vec<Span>,
}

impl<'t> Finder<'t> {
    fn survey(&self, root: Node<'t>) -> Survey {
        let mut found = Survey::default();
        let mut open = vec![(root, true)];
        while let Some((node, is_held)) = open.pop() {
            if is_text(node) {
                found.texts.push(node.id());
            }
            if is_held {
                found.held.insert(behind(node).id());
            }
            let mut fields = Fields::default();
            for entry in node.entries() {
                let name = entry.key().and_then(|key| text(key));
                fields.add(name.as_deref());
                match name.as_deref() {
                    Some("kind") => self.kind(node, entry, &mut found),
                    Some("<<") => {
                        for merged in self.merged(entry.value()) {
                            found.merged_into.entry(merged.id()).or_default().push(node.id());
                        }
                    }
                    _ => {}
                }
                let is_item = node.kind() == Kind::Sequence || name.as_deref() == Some("items");
                open.push((entry.value(), is_held && is_item));
                open.extend(entry.key().filter(|key| key.kind().is_collection()).map(|key| (key, false)));
            }
            if fields.are_of_a_secret(is_held) {
                found.secrets.push(node.id());
            }
        }
        found
    }

    fn kind(&self, node: Node<'t>, entry: Entry<'t>, found: &mut Survey) {
        let kind = text(entry.value()).unwrap_or_default();
        if Secrets::is_kind(&kind) {
            found.secrets.push(node.id());
        } else if kind.trim().eq_ignore_ascii_case("SecretList") {
            found.lists.push(node.id());
        }
    }

    /// The mappings in the value of a YAML merge key.
    fn merged(&self, value: Node<'t>) -> Vec<Node<'t>> {
        let value = behind(value);
        match value.kind() {
            Kind::Sequence => value.children().map(|item| behind(item)).collect(),
            _ => vec![value],
        }
    }

    fn follow(&mut self) {
        while let Some((node, part)) = self.open.pop() {
            if !self.seen.insert((node.id(), part)) {
                continue;
            }
            let real = behind(node);
            if real.id() != node.id() {
                self.open.push((real, part));
            }
            match (part, node.kind()) {
                (Part::Whole, _) => self.hide(node),
                (Part::List | Part::Object | Part::Metadata | Part::Strings, Kind::Mapping) => self.fields(node, part),
                (Part::Items, Kind::Sequence) => {
                    self.open.extend(node.children().map(|item| (item, Part::Object)));
                }
                (Part::Metadata | Part::Strings, _) => self.hide(node),
                _ => {}
            }
        }
    }

    fn fields(&mut self, node: Node<'t>, part: Part) {
        for entry in node.entries() {
            let name = entry.key().and_then(|key| text(key));
            let value = entry.value();
            match (part, name.as_deref()) {
                (_, Some("<<")) => {
                    let merged = self.merged(value);
                    self.open.extend(merged.into_iter().map(|merged| (merged, part)));
                }
                (Part::Strings, Some(_)) => self.open.push((value, Part::Whole)),
                (Part::Strings, None) => {
                    self.hidden.push(entry.span());
                    self.open.push((value, Part::Whole));
                }
                (Part::List, Some("items")) => self.open.push((value, Part::Items)),
                (Part::Object, Some("metadata")) => self.open.push((value, Part::Metadata)),
                (Part::Metadata, Some("annotations")) => self.open.push((value, Part::Strings)),
                (Part::Object, Some(name)) if is_strings(name) => self.open.push((value, Part::Strings)),
                _ => {}
            }
        }
    }

    /// Hides a node, and the values of the aliases inside.
    fn hide(&mut self, node: Node<'t>) {
        self.hidden.push(node.full_span());
        self.open.extend(node.children().map(|child| (child, Part::Whole)));
    }
}

/// Whether a scalar is a text that may contain a Secret.
fn is_text(node: Node<'_>) -> bool {
    let text = node.text();
    let has_fields = || text.contains("kind") && (text.contains(['\n', '{']) || text.contains("\\n"));
    node.kind().is_scalar() && has_fields() && may_say_secret(text)
}

/// Whether a field of a Secret contains secrets, even if it is misspelt.
fn is_strings(name: &str) -> bool {
    ["data", "stringData", "binaryData"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether a Secret has content. An object that only refers to a Secret by name has none.
fn holds_strings(secret: Node<'_>) -> bool {
    secret.entries().any(|entry| entry.key().is_some_and(|key| is_strings(&key.value())))
}

/// The comments of a document inside a node, directly above it, or after it.
fn comments_of(node: Node<'_>, comments: &[Span]) -> Range<usize> {
    let text = node.stream().source();
    let Span { start, end } = node.full_span();
    let [mut first, mut last] = [start, end].map(|at| comments.partition_point(|comment| comment.start < at));
    let is_blank =
        |from: u32, to: u32, blanks: &[u8]| Span::new(from, to).of(text).bytes().all(|byte| blanks.contains(&byte));
    let mut top = start;
    while first > 0 && is_blank(comments[first - 1].end, top, b" \t\r\n-") {
        first -= 1;
        top = comments[first].start;
    }
    last += usize::from(comments.get(last).is_some_and(|next| is_blank(end, next.start, b" \t")));
    first..last
}

/// The comments in ranges that may overlap, each once.
fn all_of(mut ranges: Vec<Range<usize>>, comments: &[Span]) -> Vec<Span> {
    ranges.sort_unstable_by_key(|range| range.start);
    let mut found = Vec::new();
    let mut done = 0;
    for Range { start, end } in ranges {
        found.extend(comments.get(start.max(done)..end).unwrap_or_default());
        done = done.max(end);
    }
    found
}
