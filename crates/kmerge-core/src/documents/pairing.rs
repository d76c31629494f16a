//! Which documents of up to three streams are the same one.
//!
//! Resources are linked by identity; what is left over by what it holds, where that is clear: a resource that one side renamed,
//! a document that is no resource. Invariant: the rows are as in [`align`](crate::correspond::align).

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Document, Kind, Stream};

use super::renamed;
use crate::correspond::{Aligned, Correspondence, Fields, Group, Links, Match, Sketch, field_name};
use crate::resource::{Resource, ResourceId};
use crate::slots::{Side, Slots};

/// What a document is, as far as pairing needs to know.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Subject {
    Resource(ResourceId),
    /// Content that is no resource.
    Other,
    /// A `---` and nothing else.
    Empty,
}

/// Names a document of a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct DocumentRef {
    side: Side,
    index: usize,
}

/// The documents with content of all sides, but for leading ones that are paired.
pub(super) struct Documents<'a>(Slots<Vec<(Subject, Document<'a>)>>);

impl<'a> Documents<'a> {
    fn of(streams: &Slots<&'a Stream<'a>>, skipped: usize) -> Self {
        Self(streams.map(|stream| contents(stream).skip(skipped).filter_map(with_subject).collect()))
    }

    pub(super) fn refs(&self, side: Side) -> Vec<DocumentRef> {
        let count = self.0.get(side).map_or(0, Vec::len);
        (0..count).map(|index| DocumentRef { side, index }).collect()
    }

    fn get(&self, of: DocumentRef) -> &(Subject, Document<'a>) {
        &self.0.get(of.side).expect("a reference names a side that is there")[of.index]
    }

    pub(super) fn subject(&self, of: DocumentRef) -> &Subject {
        &self.get(of).0
    }

    pub(super) fn document(&self, of: DocumentRef) -> Document<'a> {
        self.get(of).1
    }

    pub(super) const fn has_base(&self) -> bool {
        self.0.base.is_some()
    }

    /// The text of a document's content.
    fn content(&self, of: DocumentRef) -> &'a str {
        let document = self.document(of);
        document.root().map_or("", |root| root.full_span().of(document.stream().source()))
    }

    fn lines(&self, of: DocumentRef) -> Sketch<'static> {
        Sketch::of_lines(self.document(of).text())
    }

    /// The documents of each subject on all sides.
    fn by_subject(&self) -> HashMap<&Subject, [Vec<DocumentRef>; 3]> {
        let mut groups: HashMap<&Subject, [Vec<DocumentRef>; 3]> = HashMap::new();
        for of in Side::ALL.into_iter().flat_map(|side| self.refs(side)) {
            groups.entry(self.subject(of)).or_default()[of.side as usize].push(of);
        }
        groups
    }
}

/// Aligned documents, and the rows of the base's in their order.
pub(crate) struct Paired<'a> {
    pub(crate) aligned: Aligned<Document<'a>>,
    pub(crate) base_order: Vec<usize>,
}

/// Pairs the documents with content.
pub(crate) fn pair_documents<'a>(streams: &Slots<&'a Stream<'a>>) -> Paired<'a> {
    let prefix = alike(streams);
    let documents = Documents::of(streams, prefix.len());
    let mut who = Correspondence::default();
    link_only(&documents, &mut who);
    for (subject, group) in documents.by_subject() {
        link_group(&documents, subject, &group, &mut who);
    }
    renamed::link(&documents, &mut who);
    rows(prefix, &documents, &who)
}

fn rows<'a>(
    prefix: Vec<Slots<Document<'a>>>,
    documents: &Documents<'a>,
    who: &Correspondence<DocumentRef>,
) -> Paired<'a> {
    let refs = Side::ALL.map(|side| documents.refs(side));
    let mut base_order: Vec<usize> = (0..prefix.len()).collect();
    let mut aligned = Aligned { incoming_order: base_order.clone(), rows: prefix, places: Vec::new() };
    let mut row_of = HashMap::new();
    for (row, _) in who.rows(refs.each_ref().map(Vec::as_slice)) {
        if row.dest.is_some() || row.incoming.is_some() {
            row_of.extend(row.present().map(|(_, of)| (*of, aligned.rows.len())));
            aligned.rows.push(row.map(|of| documents.document(of)));
        }
    }
    let [_, base, incoming] = &refs;
    base_order.extend(base.iter().filter_map(|of| row_of.get(of)));
    aligned.incoming_order.extend(incoming.iter().filter_map(|of| row_of.get(of)));
    Paired { aligned, base_order }
}

/// The leading documents that are the same on all sides: most need no link at all.
fn alike<'a>(streams: &Slots<&'a Stream<'a>>) -> Vec<Slots<Document<'a>>> {
    let Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) } = *streams else { return Vec::new() };
    let rows = contents(dest).zip(contents(base)).zip(contents(incoming));
    let rows = rows
        .take_while(|((dest, base), incoming)| is_same_resource(*dest, *incoming) && is_same_resource(*dest, *base));
    rows.map(|((dest, base), incoming)| Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) })
        .collect()
}

fn contents<'a>(stream: &'a Stream<'a>) -> impl Iterator<Item = Document<'a>> {
    stream.documents().filter(|document| document.root().is_some())
}

/// Whether two documents at one place are one resource.
fn is_same_resource(a: Document<'_>, b: Document<'_>) -> bool {
    let same_id = || Some(Resource::of(a)?.id == Resource::of(b)?.id);
    a.text() == b.text() || same_id() == Some(true)
}

fn with_subject(document: Document<'_>) -> Option<(Subject, Document<'_>)> {
    let root = document.root()?;
    let subject = match Resource::of(document) {
        Some(resource) => Subject::Resource(resource.id),
        None if root.kind() == Kind::Null => Subject::Empty,
        None => Subject::Other,
    };
    Some((subject, document))
}

/// Links the only documents with content of all streams, unless something says that they are different things.
fn link_only(documents: &Documents<'_>, who: &mut Correspondence<DocumentRef>) {
    let is_content = |of: &DocumentRef| *documents.subject(*of) != Subject::Empty;
    let all = Side::ALL.map(|side| documents.refs(side).into_iter().filter(is_content).collect::<Vec<_>>());
    let is_there = |side: &Side| documents.0.get(*side).is_some();
    let are_alone = Side::ALL.iter().filter(|side| is_there(side)).all(|side| all[*side as usize].len() == 1);
    // Each side is compared with the base, so that both directions give the same.
    let mut things = [Side::Base, Side::Dest, Side::Incoming].into_iter().flat_map(|side| &all[side as usize]);
    let Some(first) = things.next() else { return };
    if are_alone && things.all(|other| may_be_only(documents, *first, *other)) {
        link_all(who, &all);
    }
}

fn may_be_only(documents: &Documents<'_>, first: DocumentRef, other: DocumentRef) -> bool {
    match (documents.subject(first), documents.subject(other)) {
        (Subject::Resource(a), Subject::Resource(b)) if a.kind == b.kind => documents.has_base() || may_be_same(a, b),
        (Subject::Resource(a), Subject::Resource(b)) => {
            let body = |of: DocumentRef| body(documents.document(of));
            let have_one_name = (&a.namespace, &a.name) == (&b.namespace, &b.name);
            documents.has_base() && body(first).may_change_kind(&body(other), have_one_name)
        }
        _ => true,
    }
}

/// What a document holds but its name.
pub(super) fn body(document: Document<'_>) -> Sketch<'static> {
    document.root().map(|root| Sketch::of_root(root, Fields::Body)).unwrap_or_default()
}

/// Whether two identities agree wherever both say something.
fn may_be_same(a: &ResourceId, b: &ResourceId) -> bool {
    let agree = |a: &str, b: &str| a.is_empty() || b.is_empty() || a == b;
    agree(&a.name, &b.name) && agree(&a.namespace, &b.namespace)
}

/// Links the first of each side, the second of each, and so on.
fn link_all(who: &mut Correspondence<DocumentRef>, [dest, base, incoming]: &[Vec<DocumentRef>; 3]) {
    base.iter().zip(dest).for_each(|(base, dest)| who.to_dest.link([*base, *dest], Match::Identity));
    base.iter().zip(incoming).for_each(|(base, incoming)| who.to_incoming.link([*base, *incoming], Match::Identity));
    let new = dest.iter().zip(incoming).skip(base.len());
    new.for_each(|(dest, incoming)| who.added.link([*dest, *incoming], Match::Identity));
}

/// Links documents of one subject: by position where that is clear, or where there is no base, else by what they hold.
fn link_group(
    documents: &Documents<'_>,
    subject: &Subject,
    group: &[Vec<DocumentRef>; 3],
    who: &mut Correspondence<DocumentRef>,
) {
    let free = group.each_ref().map(|of| of.iter().copied().filter(|of| who.is_free(*of)).collect::<Vec<_>>());
    let is_clear = match subject {
        Subject::Resource(_) => free.iter().all(|of| of.len() <= 1),
        Subject::Other => false,
        Subject::Empty => true,
    };
    if is_clear || !documents.has_base() {
        link_all(who, &free);
    } else {
        link_by_content(documents, free, who);
    }
}

/// Links each side with the base, and what is new with what is new.
fn link_by_content(
    documents: &Documents<'_>,
    [dest, base, incoming]: [Vec<DocumentRef>; 3],
    who: &mut Correspondence<DocumentRef>,
) {
    let (content, lines) = (|of| documents.content(of), |of| documents.lines(of));
    for (links, side) in [(&mut who.to_dest, &dest), (&mut who.to_incoming, &incoming)] {
        links.link_alike(&Group { left: base.clone(), right: side.clone() }, content, lines);
    }
    let new = Group { left: who.to_dest.free(&dest), right: who.to_incoming.free(&incoming) };
    if base.is_empty() {
        link_new(documents, &new, &mut who.added);
    } else {
        who.added.link_equal(&new, content);
    }
}

/// Links documents that are new on both sides: the same text, or a field in common has to say so.
fn link_new(documents: &Documents<'_>, new: &Group<DocumentRef>, added: &mut Links<DocumentRef>) {
    let mut found = Links::default();
    found.link_alike(new, |of| documents.content(of), |of| documents.lines(of));
    for [ours, theirs] in found.pairs() {
        let is_equal = documents.content(ours) == documents.content(theirs);
        if is_equal || may_be_one(documents.document(ours), documents.document(theirs)) {
            added.link([ours, theirs], Match::Identity);
        }
    }
}

/// Whether two documents are no mappings, or have a field in common.
fn may_be_one(a: Document<'_>, b: Document<'_>) -> bool {
    let fields = |document: Document<'_>| {
        let root = document.root().filter(|root| root.kind() == Kind::Mapping)?;
        Some(root.entries().map(field_name).collect::<HashSet<String>>())
    };
    fields(a).zip(fields(b)).is_none_or(|(a, b)| !a.is_disjoint(&b))
}
