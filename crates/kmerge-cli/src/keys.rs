//! How each list of a file is paired, and who says so.
//!
//! Lists at the same place of several elements are one line, as long as the same is true of them.

use std::collections::HashMap;
use std::fmt::Write as _;

use clap::builder::styling::{Effects, Style};
use kmerge_core::Resource;
use kmerge_core::schema::{Cursor, ListKind, NoIdentity, Pairing, RuleSource, Schema, pair};
use kyaml_ast::{Document, Kind, Node, Path, Segment, Stream};

use crate::input::Source;

const HEADING: Style = Style::new().effects(Effects::BOLD);

/// What is known about the lists at one place.
struct Line {
    path: String,
    verdict: String,
    lists: usize,
    items: usize,
}

/// The lists of all documents, with colours; empty where there are none.
pub(crate) fn explain(source: &Source, stream: &Stream<'_>, schema: &Schema) -> String {
    let mut out = String::new();
    for document in stream.documents() {
        let Some(root) = document.root() else { continue };
        let lines = lines(source, root, cursor(document, schema));
        if lines.is_empty() {
            continue;
        }
        if let Some(resource) = Resource::of(document) {
            let _ = writeln!(out, "{HEADING}{}{HEADING:#}", resource.id);
        }
        let width = lines.iter().map(|line| line.path.len()).max().unwrap_or(0).min(60);
        for Line { path, verdict, lists, items } in lines {
            let count = match lists {
                1 => format!("{items} {}", if items == 1 { "element" } else { "elements" }),
                _ => format!("{items} elements in {lists} lists"),
            };
            let _ = writeln!(out, "  {path:width$}  {verdict} ({count})");
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

fn lines(source: &Source, root: Node<'_>, cursor: Cursor<'_>) -> Vec<Line> {
    let mut lines: Vec<Line> = Vec::new();
    let mut known: HashMap<(String, String), usize> = HashMap::new();
    let mut open = vec![(root, cursor, String::new())];
    while let Some((node, cursor, path)) = open.pop() {
        match node.kind() {
            Kind::Mapping => {
                let cursor = cursor.by_structure(std::iter::once(node));
                let fields = node.entries().filter_map(|entry| Some((entry.key()?, entry.value())));
                let mut fields: Vec<_> =
                    fields.filter(|(key, value)| key.kind().is_scalar() && value.kind().is_collection()).collect();
                fields.reverse();
                for (key, value) in fields {
                    let name = key.value();
                    let step = Path::from_iter([Segment::Field(name.clone().into_owned())]);
                    open.push((value, cursor.field(&name), format!("{path}{step}")));
                }
            }
            Kind::Sequence => {
                let items: Vec<Node<'_>> = node.children().collect();
                let verdict = verdict(source, cursor, &items);
                let line = *known.entry((path.clone(), verdict.clone())).or_insert_with(|| {
                    lines.push(Line { path: path.clone(), verdict, lists: 0, items: 0 });
                    lines.len() - 1
                });
                lines[line].lists += 1;
                lines[line].items += items.len();
                let inner = items.into_iter().rev().filter(|item| item.kind().is_collection());
                open.extend(inner.map(|item| (item, cursor.item(), format!("{path}[]"))));
            }
            _ => {}
        }
    }
    lines
}

/// `by name: the built-in schema`
fn verdict(source: &Source, cursor: Cursor<'_>, items: &[Node<'_>]) -> String {
    let rule = cursor.list();
    let source_name = |from: RuleSource| match from {
        RuleSource::User => "a rule of yours",
        RuleSource::Crd => "a custom resource definition",
        RuleSource::Builtin => "the built-in schema",
        RuleSource::Inferred => "inferred from the elements",
    };
    match pair(rule, &[items]) {
        Pairing::Identified { source, keys: Some(keys), .. } => format!("by {keys}: {}", source_name(source)),
        Pairing::Identified { source, keys: None, .. } => format!("a set: {}", source_name(source)),
        Pairing::Unkeyed { source, why: None } => format!("one value: {}", source_name(source)),
        Pairing::Unkeyed { why: Some(NoIdentity::NoCommonKey), .. } => {
            "one value: no key is in every element".to_owned()
        }
        Pairing::Unkeyed { why: Some(NoIdentity::NoElements), .. } => "empty: agrees with any key".to_owned(),
        Pairing::Unkeyed { why: Some(NoIdentity::NotAMapping(_)), source: RuleSource::Inferred } => {
            "one value: elements without fields".to_owned()
        }
        Pairing::Unkeyed { source: from, why: Some(why) } => {
            let declared = match rule.kind {
                ListKind::Keyed(keys) => format!("although {} says by {keys}, ", source_name(from)),
                ListKind::Set => format!("although {} says a set, ", source_name(from)),
                _ => String::new(),
            };
            format!("one value: {declared}{why} ({})", places(source, why))
        }
    }
}

/// The lines at which a reason shows.
fn places(source: &Source, why: NoIdentity) -> String {
    let line = |span: kyaml_ast::Span| source.place(span.start).line;
    match why {
        NoIdentity::Duplicate { first, second } => format!("lines {} and {}", line(first), line(second)),
        NoIdentity::NotAMapping(span) | NoIdentity::NotAScalar(span) | NoIdentity::MissingKey(span) => {
            format!("line {}", line(span))
        }
        _ => String::new(),
    }
}
