//! Fields that one parent renamed: the base and the other parent are read as if they had the new key already.
//!
//! What the other parent changed below the old key would count as missing otherwise, although the merge has it below the new
//! one. Invariant: only the key is new. A scalar says too little to be recognized by its value alone; it has to stand behind
//! the same field as before.

use std::collections::HashMap;

use kmerge_core::{Resource, same_value};
use kyaml_ast::{Document, Edit, Entry, Kind, Node, Stream, StreamId, splice};

use super::content::Contents;

/// The versions with the keys that the merge has; `None` where no parent renamed any.
pub(super) fn followed(contents: &Contents) -> Option<Contents> {
    let [first, second] = &contents.parents;
    let texts = [&contents.base, first, second, &contents.merge];
    let [base, first, second, merge] = texts.map(|text| Stream::parse_bytes(text).ok());
    let streams = [base.as_ref()?, first.as_ref()?, second.as_ref()?, merge.as_ref()?];
    let mut edits: [Vec<Edit>; 3] = Default::default();
    for (own, other) in [(1, 2), (2, 1)] {
        for roots in roots(streams) {
            let [base, merge] = [roots[0], roots[3]];
            for (old, new) in renames([base, roots[own], roots[other], merge]) {
                edits[0].push(new_key(old.base, &new));
                edits[other].push(new_key(old.other, &new));
            }
        }
    }
    if edits[0].is_empty() {
        return None;
    }
    let text = |at: usize| splice(&[streams[at]], StreamId(0), &edits[at]).ok().map(String::into_bytes);
    Some(Contents { base: text(0)?, parents: [text(1)?, text(2)?], merge: contents.merge.clone() })
}

/// An entry in the versions that have its old key.
struct Old<'t> {
    base: Entry<'t>,
    other: Entry<'t>,
}

fn new_key(entry: Entry<'_>, key: &str) -> Edit {
    Edit::ReplaceKey { entry: entry.id(), text: key.to_owned() }
}

/// The documents that all versions have; such as have no name only where all have as many.
fn roots<'t>(streams: [&'t Stream<'t>; 4]) -> Vec<[Node<'t>; 4]> {
    let documents = streams.map(|stream| stream.documents().filter(|it| it.root().is_some()).collect::<Vec<_>>());
    let name = |document: &Document<'t>| Resource::of(*document).map(|it| it.id).filter(|id| !id.name.is_empty());
    let is_even = documents.iter().all(|all| all.len() == documents[0].len());
    let named = documents.each_ref().map(|all| {
        let named = all.iter().filter_map(|document| Some((name(document)?, *document)));
        named.collect::<HashMap<_, _>>()
    });
    let row = |(index, document): (usize, &Document<'t>)| {
        let [_, first, second, merge] = &named;
        let [first, second, merge] = match name(document) {
            Some(id) => [*first.get(&id)?, *second.get(&id)?, *merge.get(&id)?],
            None if is_even => [documents[1][index], documents[2][index], documents[3][index]],
            None => return None,
        };
        Some([document.root()?, first.root()?, second.root()?, merge.root()?])
    };
    documents[0].iter().enumerate().filter_map(row).collect()
}

/// The fields of mappings that `own` renamed and `other` did not, with the keys that the merge has for them, too.
fn renames<'t>(roots: [Node<'t>; 4]) -> Vec<(Old<'t>, String)> {
    let mut found = Vec::new();
    let mut open = vec![roots];
    while let Some(nodes) = open.pop() {
        if nodes.iter().any(|node| node.kind() != Kind::Mapping) {
            continue;
        }
        let [base, own, other, merge] = nodes.map(fields);
        for (key, was) in &base {
            if let (Some(own), Some(other), Some(merge)) = (own.get(key), other.get(key), merge.get(key)) {
                open.push([was.entry, own.entry, other.entry, merge.entry].map(Entry::value));
                continue;
            }
            let Some(other_was) = other.get(key).filter(|_| !own.contains_key(key) && !merge.contains_key(key)) else {
                continue;
            };
            let is_new = |key: &String| !base.contains_key(key) && !other.contains_key(key) && merge.contains_key(key);
            let mut same = own.iter().filter(|(key, field)| is_new(key) && is_same(was, field));
            if let (Some((_, field)), None) = (same.next(), same.next())
                && let Some(key) = field.entry.key()
            {
                found.push((Old { base: was.entry, other: other_was.entry }, key.text().to_owned()));
            }
        }
    }
    found
}

/// A field, and the key before it.
struct Field<'t> {
    entry: Entry<'t>,
    before: Option<String>,
}

fn fields(node: Node<'_>) -> HashMap<String, Field<'_>> {
    let mut before = None;
    let field = |entry: Entry<'_>| entry.key().and_then(|key| Some(key.key_text()?.into_owned()));
    let mut fields = HashMap::new();
    for entry in node.entries() {
        let Some(key) = field(entry) else { continue };
        fields.insert(key.clone(), Field { entry, before: before.replace(key) });
    }
    fields
}

fn is_same(was: &Field<'_>, now: &Field<'_>) -> bool {
    let (old, new) = (was.entry.value(), now.entry.value());
    let is_telling = old.entries().next().is_some() || was.before == now.before;
    is_telling && same_value(old, new)
}
