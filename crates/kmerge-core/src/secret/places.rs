//! Secrets in a tree.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use kyaml_ast::{Entry, Kind, Node, NodeId, Span, Stream, line_start};

use super::is_secret;
use super::lines::may_say_secret;
use crate::value::Source;

/// What must not be shown of a tree; not in order.
pub(super) fn hidden(stream: &Stream<'_>) -> Vec<Span> {
    let source = Source::new(stream);
    let mut finder = Finder { source: &source, seen: HashSet::new(), open: Vec::new(), hidden: Vec::new() };
    for document in stream.documents() {
        let Some(root) = document.root() else { continue };
        let found = finder.survey(root);
        finder.seen.clear();
        finder.open.extend(found.texts.iter().map(|text| (stream.node(*text), Part::Whole)));
        finder.open.extend(found.spread(&found.lists).into_iter().map(|list| (stream.node(list), Part::List)));
        for secret in found.spread(&found.secrets) {
            finder.open.push((stream.node(secret), Part::Object));
            finder.hide_comments_beside(stream.node(secret));
        }
        finder.follow();
        if finder.seen.iter().any(|(node, part)| *part == Part::Object && found.held.contains(node)) {
            finder.hidden.extend(stream.comment_spans_in(document.span()));
        }
    }
    finder.hidden
}

/// What a node is to a Secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Part {
    /// A list of Secrets.
    List,
    /// The items of one.
    Items,
    /// A Secret itself.
    Object,
    Metadata,
    /// A mapping of which the names are known to everybody.
    Strings,
    /// A secret.
    Whole,
}

/// The mappings of a document that say what they are.
#[derive(Default)]
struct Survey {
    secrets: Vec<NodeId>,
    lists: Vec<NodeId>,
    /// Texts that hold a Secret, such as patches in a kustomization.
    texts: Vec<NodeId>,
    /// The document itself, and the items of the list that it is, at any depth.
    held: HashSet<NodeId>,
    /// Who takes the fields of a mapping into its own, by YAML merge keys.
    merged_into: HashMap<NodeId, Vec<NodeId>>,
}

impl Survey {
    /// Some mappings, and those that take their fields.
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

struct Finder<'s, 't> {
    source: &'s Source<'t>,
    seen: HashSet<(NodeId, Part)>,
    open: Vec<(Node<'t>, Part)>,
    hidden: Vec<Span>,
}

impl<'t> Finder<'_, 't> {
    /// What an alias stands for; anything else stands for itself.
    fn real(&self, node: Node<'t>) -> Node<'t> {
        let target = self.source.target(node.id());
        target.map_or(node, |target| self.source.stream().node(target))
    }

    fn text(&self, node: Node<'t>) -> Option<Cow<'t, str>> {
        let node = self.real(node);
        node.kind().is_scalar().then(|| node.value())
    }

    fn survey(&self, root: Node<'t>) -> Survey {
        let mut found = Survey::default();
        let mut open = vec![(root, true)];
        while let Some((node, is_held)) = open.pop() {
            if is_text(node) {
                found.texts.push(node.id());
            }
            if is_held {
                found.held.insert(self.real(node).id());
            }
            for entry in node.entries() {
                let name = entry.key().and_then(|key| self.text(key));
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
        }
        found
    }

    fn kind(&self, node: Node<'t>, entry: Entry<'t>, found: &mut Survey) {
        let kind = self.text(entry.value()).unwrap_or_default();
        if is_secret(&kind) {
            found.secrets.push(node.id());
        } else if kind.trim().eq_ignore_ascii_case("SecretList") {
            found.lists.push(node.id());
        }
    }

    /// The mappings that a YAML merge key names.
    fn merged(&self, value: Node<'t>) -> Vec<Node<'t>> {
        let value = self.real(value);
        match value.kind() {
            Kind::Sequence => value.children().map(|item| self.real(item)).collect(),
            _ => vec![value],
        }
    }

    /// Hides the comments in and above a Secret that holds something; what only refers to one by its name does not.
    fn hide_comments_beside(&mut self, secret: Node<'t>) {
        let holds = |entry: Entry<'t>| entry.key().is_some_and(|key| is_strings(&key.value()));
        if secret.entries().any(holds) {
            self.hidden.extend(self.source.stream().comment_spans_in(around(secret)));
        }
    }

    fn follow(&mut self) {
        while let Some((node, part)) = self.open.pop() {
            if !self.seen.insert((node.id(), part)) {
                continue;
            }
            let real = self.real(node);
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
            let name = entry.key().and_then(|key| self.text(key));
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

    /// Hides a node and what the aliases in it stand for.
    fn hide(&mut self, node: Node<'t>) {
        self.hidden.push(node.full_span());
        self.open.extend(node.children().map(|child| (child, Part::Whole)));
    }
}

/// Whether a scalar is a text that may hold a Secret.
fn is_text(node: Node<'_>) -> bool {
    let text = node.text();
    let has_fields = || text.contains("kind") && (text.contains(['\n', '{']) || text.contains("\\n"));
    node.kind().is_scalar() && has_fields() && may_say_secret(text)
}

/// Whether a field of a Secret holds secrets; also where somebody has misspelled it.
fn is_strings(name: &str) -> bool {
    ["data", "stringData", "binaryData"].iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// A node with the lines above it up to the next other one, and the rest of its last line.
fn around(node: Node<'_>) -> Span {
    let text = node.stream().source();
    let Span { start, end } = node.full_span();
    let mut first = line_start(text, start) as usize;
    for line in text[..first].split_inclusive('\n').rev() {
        if !line.trim_start().starts_with('#') && !line.trim().is_empty() {
            break;
        }
        first -= line.len();
    }
    let rest = text[end as usize..].find('\n').unwrap_or(text.len() - end as usize);
    Span::new(first as u32, end + rest as u32)
}
