//! How each list of a file is paired, and who says so.
//!
//! Lists at the same place of several elements are one line, as long as the same is true of them.

use std::collections::HashMap;
use std::fmt::Write as _;

use clap::builder::styling::{Effects, Style};
use kmerge_core::schema::{Cursor, RuleSource};
use kmerge_core::{Resource, Schema, Side};
use kyaml_ast::{Document, Kind, Node, NodeId, Segment, Stream};

use crate::input::Source;
use crate::report::lists;
use crate::terminal;

const HEADING: Style = Style::new().effects(Effects::BOLD);

/// Columns that paths are padded to at most.
const WIDEST: usize = 80;

/// Steps that are shown of a way at most.
const MOST_STEPS: usize = 64;

/// What is known about the lists at one place.
struct Line {
    place: usize,
    verdict: String,
    lists: usize,
    items: usize,
}

/// The places that differ in more than positions in lists; each knows the one around it, whatever the depth.
#[derive(Default)]
struct Places {
    /// The place around each one, and the step from there.
    steps: Vec<(usize, String)>,
    known: HashMap<(usize, String), usize>,
}

impl Places {
    fn root(&mut self) -> usize {
        self.below(0, String::new())
    }

    fn below(&mut self, place: usize, step: String) -> usize {
        *self.known.entry((place, step)).or_insert_with_key(|key| {
            self.steps.push(key.clone());
            self.steps.len() - 1
        })
    }

    /// The way to a place; of a very long one, the end.
    fn shown(&self, place: usize) -> String {
        let inside = |place: usize| Some(place).filter(|place| *place != 0);
        let mut steps = std::iter::successors(inside(place), |place| inside(self.steps[*place].0));
        let mut shown: Vec<&str> = steps.by_ref().take(MOST_STEPS).map(|place| self.steps[place].1.as_str()).collect();
        shown.extend(steps.next().map(|_| "…"));
        shown.reverse();
        shown.concat()
    }
}

/// The lists of all documents, with colours; empty where there are none.
pub(crate) fn explain(source: &Source, stream: &Stream<'_>, schema: &Schema) -> String {
    let mut out = String::new();
    for document in stream.documents() {
        let Some(root) = document.root() else { continue };
        let (places, lines) = lines(source, root, cursor(document, schema), Resource::listed(root));
        if lines.is_empty() {
            continue;
        }
        if let Some(resource) = Resource::of(document) {
            let line = source.place(root.span().start).line;
            let _ = writeln!(out, "{HEADING}{}{HEADING:#} (line {line})", terminal::line(&resource.id.to_string()));
        }
        let width = lines.iter().map(|line| places.shown(line.place).len()).max().unwrap_or(0).min(WIDEST);
        for Line { place, verdict, lists, items } in lines {
            let path = places.shown(place);
            let count = match lists {
                1 => format!("{items} {}", if items == 1 { "element" } else { "elements" }),
                _ => format!("{items} elements in {lists} lists"),
            };
            let row = format!("  {path:width$}  {verdict} ({count})");
            let _ = writeln!(out, "{}", terminal::line(&row));
        }
    }
    out
}

fn cursor<'s>(document: Document<'_>, schema: &'s Schema) -> Cursor<'s> {
    Resource::of(document).map_or_else(
        || schema.untyped(),
        |resource| schema.resource(&resource.id.group, &resource.version, &resource.id.kind),
    )
}

fn lines(source: &Source, root: Node<'_>, cursor: Cursor<'_>, listed: Option<Node<'_>>) -> (Places, Vec<Line>) {
    let mut lines: Vec<Line> = Vec::new();
    let mut known: HashMap<(usize, String), usize> = HashMap::new();
    let mut places = Places::default();
    let mut open = vec![(root, cursor, places.root())];
    while let Some((node, cursor, place)) = open.pop() {
        match node.kind() {
            Kind::Mapping => {
                let cursor = cursor.by_structure(std::iter::once(node));
                let fields = node.entries().filter_map(|entry| Some((entry.key()?, entry.value())));
                let mut fields: Vec<_> =
                    fields.filter(|(key, value)| key.kind().is_scalar() && value.kind().is_collection()).collect();
                fields.reverse();
                for (key, value) in fields {
                    let name = key.value();
                    let step = Segment::Field(name.clone().into_owned()).to_string();
                    open.push((value, cursor.field(&name), places.below(place, step)));
                }
            }
            Kind::Sequence => {
                let items: Vec<Node<'_>> = node.children().collect();
                let resources = listed.filter(|list| list.id() == node.id() && cursor.source() != RuleSource::User);
                let resources = resources.map(|_| by_node(root)).unwrap_or_default();
                let verdict = match resources.len() {
                    0 => verdict(source, cursor, &items),
                    named if named < items.len() => "one value: not all of its items have a kind and a name".to_owned(),
                    _ => "by group, kind, namespace and name: a list of resources".to_owned(),
                };
                let line = *known.entry((place, verdict.clone())).or_insert_with(|| {
                    lines.push(Line { place, verdict, lists: 0, items: 0 });
                    lines.len() - 1
                });
                lines[line].lists += 1;
                lines[line].items += items.len();
                let inner = items.into_iter().rev().filter(|item| item.kind().is_collection());
                let step = |item| (item, item_cursor(cursor, item, &resources), places.below(place, "[]".to_owned()));
                open.extend(inner.map(step));
            }
            _ => {}
        }
    }
    (places, lines)
}

/// The items of a list of resources that have a kind and a name.
fn by_node(root: Node<'_>) -> HashMap<NodeId, Resource> {
    let named = |(item, resource): (Node<'_>, Option<Resource>)| {
        Some((item.id(), resource.filter(|resource| !resource.id.name.is_empty())?))
    };
    Resource::all(root).into_iter().filter_map(named).collect()
}

/// What an element is; of a list of resources, a resource.
fn item_cursor<'s>(cursor: Cursor<'s>, item: Node<'_>, resources: &HashMap<NodeId, Resource>) -> Cursor<'s> {
    resources
        .get(&item.id())
        .map_or_else(|| cursor.item(), |Resource { id, version }| cursor.resource(&id.group, version, &id.kind))
}

/// `by name: the built-in schema`
fn verdict(source: &Source, cursor: Cursor<'_>, items: &[Node<'_>]) -> String {
    let place = |_: Side, spans: &[kyaml_ast::Span]| {
        lists::lines(&spans.iter().map(|span| source.place(span.start).line).collect::<Vec<_>>())
    };
    let from = lists::source_name(cursor.source());
    match cursor.paired_by(items) {
        Ok(None) => format!("a set: {from}"),
        Ok(Some(keys)) => format!("by {keys}: {from}"),
        Err(why) => lists::one_value(&why, place),
    }
}
