//! Finds, for the span of an entry or document, what a report shows of it.

use std::collections::HashMap;

use kmerge_core::{Resource, Secrets};
use kyaml_ast::{Document, Node, Span, Stream};

/// One side's values by the spans of their entries, its resources, and what must not be shown.
#[derive(Debug)]
pub(super) struct Values {
    values: HashMap<Span, Span>,
    /// The documents.
    resources: Vec<(Span, String)>,
    /// The items of the lists of resources among them.
    items: Vec<(Span, String)>,
    secrets: Secrets,
}

impl Values {
    /// Reads the entries in which any of the `wanted` places lies; these are sorted.
    pub(super) fn of(stream: &Stream<'_>, wanted: &[u32]) -> Self {
        let is_wanted = |document: &Document<'_>| {
            let Span { start, end } = document.span();
            wanted.get(wanted.partition_point(|&at| at < start)).is_some_and(|&at| at < end || start == end)
        };
        let resource = |document: Document<'_>| {
            (document.span(), Resource::of(document).map(|resource| resource.id.to_string()).unwrap_or_default())
        };
        let held = stream.documents().filter(is_wanted);
        let listed =
            held.filter_map(Document::root).filter(|root| Resource::listed(*root).is_some()).flat_map(Resource::all);
        // A comment beside the last line is the item's.
        let item = |(node, resource): (Node<'_>, Option<Resource>)| {
            let Span { start, end } = node.full_span();
            let rest = stream.source()[end as usize..].find('\n').unwrap_or_default();
            Some((Span::new(start, end + rest as u32), resource?.id.to_string()))
        };
        let mut found = Self {
            values: HashMap::new(),
            resources: stream.documents().filter(is_wanted).map(resource).collect(),
            items: listed.filter_map(item).collect(),
            secrets: Secrets::of(stream),
        };
        let mut open: Vec<Node<'_>> = stream.documents().filter(is_wanted).filter_map(Document::root).collect();
        while let Some(node) = open.pop() {
            found.visit(node, wanted, &mut open);
        }
        found
    }

    fn visit<'t>(&mut self, node: Node<'t>, wanted: &[u32], open: &mut Vec<Node<'t>>) {
        for entry in node.entries() {
            let (span, value) = (entry.span(), entry.value());
            if wanted.get(wanted.partition_point(|&at| at < span.start)).is_none_or(|&at| at > span.end) {
                continue;
            }
            self.values.insert(span, value.full_span());
            if value.kind().is_collection() {
                open.push(value);
            }
        }
    }

    /// The value of the entry at `span`; other spans are their own.
    pub(super) fn value(&self, span: Span) -> Span {
        self.values.get(&span).copied().unwrap_or(span)
    }

    /// The document that holds `span`.
    pub(super) fn resource(&self, span: Span) -> &str {
        let after = self.resources.partition_point(|(document, _)| document.start <= span.start);
        self.resources.get(after.saturating_sub(1)).map_or("", |(_, name)| name)
    }

    /// The item of a list of resources that holds `span`.
    pub(super) fn item(&self, span: Span) -> Option<&str> {
        let next = self.items.partition_point(|(item, _)| item.end <= span.start);
        let (item, name) = self.items.get(next)?;
        (item.start < span.end.max(span.start + 1)).then_some(name)
    }

    /// Whether `span` holds or lies in what must not be shown.
    pub(super) fn is_secret(&self, span: Span) -> bool {
        self.secrets.touch(span)
    }
}
