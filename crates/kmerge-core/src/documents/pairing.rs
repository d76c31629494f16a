//! Which documents of up to three streams are the same one.
//!
//! Resources are paired by identity; what is left over by likeness, where that is clear: a resource that one side renamed,
//! a document that is no resource. Invariant: the rows are as in [`align`](crate::correspond::align).

use std::collections::VecDeque;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Document, Kind, Stream};

use super::renamed;
use crate::correspond::{Aligned, Fields, LEAST_ALIKE, Sketch, field_name, pair};
use crate::resource::{Resource, ResourceId};
use crate::slots::{Side, Slots};

/// What a document is paired by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Name {
    /// A resource, and its position among those of the same identity in its stream.
    Resource(ResourceId, usize),
    /// Content that is no resource; which number it has is found by comparing.
    Other(usize),
    /// A `---` and nothing else, by position among its like.
    Empty(usize),
}

pub(super) type Named<'a> = Vec<(Name, Document<'a>)>;

/// Aligned documents, and the rows of the base's in their order.
pub(crate) struct Paired<'a> {
    pub(crate) aligned: Aligned<Document<'a>>,
    pub(crate) base_order: Vec<usize>,
}

/// Pairs the documents with content.
pub(crate) fn pair_documents<'a>(streams: &Slots<&'a Stream<'a>>) -> Paired<'a> {
    let prefix = alike(streams);
    let mut named = streams.map(|stream| named(stream, prefix.len()));
    unify(&mut named);
    for group in groups(&named) {
        number(&mut named, &group);
    }
    renamed::find(&mut named);
    rows(prefix, &named)
}

fn rows<'a>(prefix: Vec<Slots<Document<'a>>>, named: &Slots<Named<'a>>) -> Paired<'a> {
    let mut base_order: Vec<usize> = (0..prefix.len()).collect();
    let mut aligned = Aligned { incoming_order: base_order.clone(), rows: prefix, places: Vec::new() };
    let mut row_of: HashMap<&Name, usize> = HashMap::new();
    for side in [Side::Dest, Side::Incoming, Side::Base] {
        for (name, document) in named.get(side).into_iter().flatten() {
            let row = match (row_of.get(name), side) {
                (Some(&row), _) => row,
                (None, Side::Base) => continue,
                (None, _) => {
                    row_of.insert(name, aligned.rows.len());
                    aligned.rows.push(Slots::default());
                    aligned.rows.len() - 1
                }
            };
            aligned.rows[row].set(side, *document);
            match side {
                Side::Dest => {}
                Side::Incoming => aligned.incoming_order.push(row),
                Side::Base => base_order.push(row),
            }
        }
    }
    Paired { aligned, base_order }
}

/// The leading documents that are the same on all sides: most need no name at all.
fn alike<'a>(streams: &Slots<&'a Stream<'a>>) -> Vec<Slots<Document<'a>>> {
    let Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) } = *streams else { return Vec::new() };
    let documents = |stream: &'a Stream<'a>| stream.documents().filter(|document| document.root().is_some());
    let rows = documents(dest).zip(documents(base)).zip(documents(incoming));
    let rows = rows
        .take_while(|((dest, base), incoming)| is_same_resource(*dest, *incoming) && is_same_resource(*dest, *base));
    rows.map(|((dest, base), incoming)| Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) })
        .collect()
}

/// Whether two documents at one place are one resource.
fn is_same_resource(a: Document<'_>, b: Document<'_>) -> bool {
    let same_id = || Some(Resource::of(a)?.id == Resource::of(b)?.id);
    a.text() == b.text() || same_id() == Some(true)
}

/// Documents with content from the `skipped`-th on, with their names.
fn named<'a>(stream: &'a Stream<'a>, skipped: usize) -> Named<'a> {
    let mut counts: HashMap<Name, usize> = HashMap::new();
    let name = |document: Document<'a>| {
        let root = document.root()?;
        let name = match Resource::of(document) {
            Some(resource) => Name::Resource(resource.id, 0),
            None if root.kind() == Kind::Null => Name::Empty(0),
            None => Name::Other(0),
        };
        let count = counts.entry(name.clone()).or_default();
        let position = *count;
        *count += 1;
        let name = match name {
            Name::Resource(id, _) => Name::Resource(id, position),
            Name::Other(_) => Name::Other(position),
            Name::Empty(_) => Name::Empty(position),
        };
        Some((name, document))
    };
    stream.documents().filter(|document| document.root().is_some()).skip(skipped).filter_map(name).collect()
}

/// Gives the only documents with content of all streams one name, unless something says that they are different things.
fn unify(named: &mut Slots<Named<'_>>) {
    let has_base = named.base.is_some();
    let mut sides = [&mut named.dest, &mut named.base, &mut named.incoming];
    let mut only = sides.iter_mut().filter_map(|side| side.as_mut()).map(|documents| {
        let mut contents = documents.iter_mut().filter(|(name, _)| !matches!(name, Name::Empty(_)));
        contents.next().filter(|_| contents.next().is_none())
    });
    let Some(Some(first)) = only.next() else { return };
    let Some(others) = only.collect::<Option<Vec<_>>>() else { return };
    let is_like = |other: &&mut (Name, Document<'_>)| match (&first.0, &other.0) {
        (Name::Resource(a, _), Name::Resource(b, _)) if a.kind == b.kind => has_base || may_be_same(a, b),
        (Name::Resource(..), Name::Resource(..)) => has_base && may_change_kind(first.1, other.1),
        _ => true,
    };
    if others.iter().all(is_like) {
        others.into_iter().for_each(|(name, _)| *name = first.0.clone());
    }
}

/// Whether one side may have given a resource another kind.
fn may_change_kind(a: Document<'_>, b: Document<'_>) -> bool {
    let body =
        |document: Document<'_>| document.root().map(|root| Sketch::of_root(root, Fields::Body)).unwrap_or_default();
    let name =
        |document: Document<'_>| Resource::of(document).map(|resource| (resource.id.namespace, resource.id.name));
    body(a).may_change_kind(&body(b), name(a) == name(b))
}

/// Whether two identities agree wherever both say something.
fn may_be_same(a: &ResourceId, b: &ResourceId) -> bool {
    let agree = |a: &str, b: &str| a.is_empty() || b.is_empty() || a == b;
    agree(&a.name, &b.name) && agree(&a.namespace, &b.namespace)
}

/// Documents that only their content tells apart.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Group {
    /// What is no resource.
    Others,
    /// Resources of one identity.
    Repeated(ResourceId),
}

impl Group {
    fn holds(&self, name: &Name) -> bool {
        match (self, name) {
            (Self::Others, Name::Other(_)) => true,
            (Self::Repeated(id), Name::Resource(other, _)) => id == other,
            _ => false,
        }
    }

    fn name(&self, number: usize) -> Name {
        match self {
            Self::Others => Name::Other(number),
            Self::Repeated(id) => Name::Resource(id.clone(), number),
        }
    }
}

/// The groups of which a stream has more than one document, and what is no resource.
fn groups(named: &Slots<Named<'_>>) -> Vec<Group> {
    let names = named.present().flat_map(|(_, documents)| documents).map(|(name, _)| name);
    let repeated: HashSet<&ResourceId> = names
        .filter_map(|name| match name {
            Name::Resource(id, position) if *position > 0 => Some(id),
            _ => None,
        })
        .collect();
    let repeated = repeated.into_iter().cloned().map(Group::Repeated);
    std::iter::once(Group::Others).chain(repeated).collect()
}

/// Gives the documents of a group the number of their counterpart in the base. (Without a base they are paired by
/// position; where the base has none, with the destination's.)
fn number(named: &mut Slots<Named<'_>>, group: &Group) {
    if named.base.is_none() {
        return;
    }
    let mut dest = take_group(&mut named.dest, group);
    let mut base = take_group(&mut named.base, group);
    let mut incoming = take_group(&mut named.incoming, group);
    let (ours, was, theirs) = (only_documents(&dest), only_documents(&base), only_documents(&incoming));
    let mut count = was.len();
    base.iter_mut().enumerate().for_each(|(number, (name, _))| **name = group.name(number));
    let of_dest = counterparts(&was, &ours);
    let of_incoming = if was.is_empty() { added_by_both(&ours, &theirs) } else { counterparts(&was, &theirs) };
    let mut new: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for ((name, document), found) in dest.iter_mut().zip(&of_dest) {
        **name = group.name(found.unwrap_or(count));
        if found.is_none() {
            new.entry(content(*document)).or_default().push_back(count);
            count += 1;
        }
    }
    for ((name, document), found) in incoming.iter_mut().zip(of_incoming) {
        let twin = || new.get_mut(content(*document)).filter(|_| !was.is_empty()).and_then(VecDeque::pop_front);
        let number = found.or_else(twin);
        **name = group.name(number.unwrap_or(count));
        count += usize::from(number.is_none());
    }
}

fn take_group<'n, 'a>(documents: &'n mut Option<Named<'a>>, group: &Group) -> Vec<(&'n mut Name, Document<'a>)> {
    let members = documents.iter_mut().flatten().filter(|(name, _)| group.holds(name));
    members.map(|(name, document)| (name, *document)).collect()
}

fn only_documents<'a>(others: &[(&mut Name, Document<'a>)]) -> Vec<Document<'a>> {
    others.iter().map(|(_, document)| *document).collect()
}

/// Counterparts of documents that are new on both sides: the same text, or a field in common has to say so.
fn added_by_both(ours: &[Document<'_>], theirs: &[Document<'_>]) -> Vec<Option<usize>> {
    let mut found = counterparts(ours, theirs);
    for (theirs, ours_of) in theirs.iter().zip(&mut found) {
        let is_one = |ours: Document<'_>| content(ours) == content(*theirs) || may_be_one(ours, *theirs);
        *ours_of = ours_of.filter(|number| is_one(ours[*number]));
    }
    found
}

/// Whether two documents are no mappings, or have a field in common.
fn may_be_one(a: Document<'_>, b: Document<'_>) -> bool {
    let fields = |document: Document<'_>| {
        let root = document.root().filter(|root| root.kind() == Kind::Mapping)?;
        Some(root.entries().map(field_name).collect::<HashSet<String>>())
    };
    fields(a).zip(fields(b)).is_none_or(|(a, b)| !a.is_disjoint(&b))
}

/// For each of `others` its counterpart among `known`: of equal text, the only one left, the most alike.
fn counterparts(known: &[Document<'_>], others: &[Document<'_>]) -> Vec<Option<usize>> {
    let mut found = vec![None; others.len()];
    let mut by_text: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, document) in known.iter().enumerate().rev() {
        by_text.entry(content(*document)).or_default().push(index);
    }
    let mut is_free = vec![true; known.len()];
    for (other, document) in others.iter().enumerate() {
        found[other] = by_text.get_mut(content(*document)).and_then(Vec::pop);
        found[other].iter().for_each(|known| is_free[*known] = false);
    }
    let left: Vec<usize> = (0..known.len()).filter(|known| is_free[*known]).collect();
    let right: Vec<usize> = (0..others.len()).filter(|other| found[*other].is_none()).collect();
    if let ([left], [right]) = (left.as_slice(), right.as_slice()) {
        found[*right] = Some(*left);
        return found;
    }
    let sketch = |document: Document<'_>| Sketch::of_lines(document.text());
    let left_sketches: Vec<Sketch> = left.iter().map(|index| sketch(known[*index])).collect();
    let right_sketches: Vec<Sketch> = right.iter().map(|other| sketch(others[*other])).collect();
    let likeness = |l: usize, r: usize| left_sketches[l].likeness(&right_sketches[r]);
    for (l, r, _) in pair((left.len(), right.len()), LEAST_ALIKE, likeness) {
        found[right[r]] = Some(left[l]);
    }
    found
}

/// The text of a document's content.
fn content(document: Document<'_>) -> &str {
    document.root().map_or("", |root| root.full_span().of(document.stream().source()))
}
