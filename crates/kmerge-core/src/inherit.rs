//! What a mapping gets from its YAML merge keys (`<<`).
//!
//! A mapping's own fields hide these. Of several sources, the first one counts, as for readers of YAML.

use std::collections::HashSet;

use kyaml_ast::{Entry, Kind, Node, NodeId};

/// A field that a mapping gets from a merge key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Inherited<'t> {
    /// The value of the merge key.
    pub via: Node<'t>,
    /// The field, where it is written.
    pub entry: Entry<'t>,
}

/// The fields that `mapping` gets from its merge keys. Of several with one name, the first one counts.
pub(crate) fn inherited<'t>(mapping: Node<'t>) -> impl Iterator<Item = Inherited<'t>> {
    sources(mapping).flat_map(brought)
}

/// The fields that one source of a merge key brings: an alias, a mapping, or a list of these.
pub(crate) fn brought<'t>(source: Node<'t>) -> impl Iterator<Item = Inherited<'t>> {
    let mut seen: HashSet<NodeId> = HashSet::new();
    let mut open = vec![source];
    let next = move || {
        let place = open.pop().map(behind)?;
        let is_new = seen.insert(place.id());
        if is_new && place.kind() == Kind::Sequence {
            open.extend(last_first(place.children()));
        } else if is_new {
            open.extend(last_first(sources(place)));
        }
        let fields = place.entries().filter(move |_| is_new && place.kind() == Kind::Mapping);
        Some(fields.map(move |entry| Inherited { via: source, entry }))
    };
    std::iter::from_fn(next).flatten()
}

/// The values of a mapping's merge keys.
pub(crate) fn sources<'t>(mapping: Node<'t>) -> impl Iterator<Item = Node<'t>> {
    let is_merge = |key: Node<'_>| key.kind().is_scalar() && key.text() == "<<";
    mapping.entries().filter(move |entry| entry.key().is_some_and(is_merge)).map(Entry::value)
}

fn last_first<'t>(nodes: impl Iterator<Item = Node<'t>>) -> Vec<Node<'t>> {
    let mut nodes: Vec<Node<'t>> = nodes.collect();
    nodes.reverse();
    nodes
}

/// What an alias refers to, or the node itself.
pub(crate) fn behind(node: Node<'_>) -> Node<'_> {
    node.target().unwrap_or(node)
}

#[cfg(test)]
mod tests {
    use kyaml_ast::Stream;

    use super::*;
    use crate::correspond::field_name;

    #[test]
    fn fields_come_from_merge_keys() {
        let table = [
            ("a: &l {b: 1}\nx: {<<: *l}\n", Some("1")),
            ("a: &l {b: 1}\nx: {<<: [{c: 3}, *l]}\n", Some("1")),
            ("a: &l {b: 1}\nd: &m {b: 2}\nx: {<<: [*m, *l]}\n", Some("2")),
            ("a: &l {b: 1}\nd: &m {<<: *l}\nx: {<<: *m}\n", Some("1")),
            ("a: &l {b: 1}\nx: {<<: *l, c: 1}\ny: 1\n", Some("1")),
            ("a: &l [1]\nx: {<<: *l}\n", None),
            ("x: &x {<<: *x}\n", None),
            ("x: {<<: *nowhere}\n", None),
            ("x: {b: {<<: {c: 1}}}\n", None),
        ];
        for (text, expected) in table {
            let stream = Stream::parse(text).unwrap();
            let root = stream.documents().next().unwrap().root().unwrap();
            let place = root.entries().find(|entry| field_name(*entry) == "x").unwrap().value();
            let found = inherited(place).map(|found| found.entry).find(|entry| field_name(*entry) == "b");
            assert_eq!(found.map(|entry| entry.value().text()), expected, "{text}");
        }
    }
}
