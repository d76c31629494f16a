//! Merges streams of documents: pairs resources by identity, adds, removes and keeps documents.

use std::collections::HashMap;

use kyaml_ast::{Document, DocumentPiece, Edit, Graft, Kind, Newline, NodeId, Path, Span, Stream};

use crate::MergeError;
use crate::equal::same_value;
use crate::plan::{Conflict, ConflictPlace, Decision, Plan, Role, Variant};
use crate::policy::{Nulls, Policy};
use crate::resolve::{Outcome, Rule, resolve};
use crate::resource::{Resource, ResourceId};
use crate::schema::{Cursor, Schema};
use crate::slots::{Side, Slots};
use crate::walk::Walker;

/// What a document is paired by.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    /// A resource, and its position among those of the same identity in its stream.
    Resource(ResourceId, usize),
    /// Content that is no resource, by position among its like.
    Other(usize),
    /// A `---` and nothing else, by position among its like.
    Empty(usize),
}

/// Merges aligned streams into one plan for the destination's.
///
/// # Errors
///
/// A patch directive that nobody knows.
pub fn merge(streams: Slots<&Stream<'_>>, schema: &Schema, policy: &Policy) -> Result<Plan, MergeError> {
    let mut walker = Walker::new(streams, policy)?;
    let rows = rows(&streams);
    let mut last = None;
    let mut documents = Vec::new();
    for row in rows {
        let present = row.dest;
        pair(&mut walker, row, schema, &mut Documents { last, out: &mut documents, policy });
        last = present.map(Document::id).or(last);
    }
    let mut plan = walker.into_plan();
    plan.edits.extend(documents);
    if let Some(edit) = fast_forward(&streams, policy) {
        plan.edits = vec![edit];
    }
    Ok(plan)
}

/// Where the destination is the base, byte for byte, the incoming bytes are the result: layout, gaps and all.
fn fast_forward(streams: &Slots<&Stream<'_>>, policy: &Policy) -> Option<Edit> {
    let (dest, base, incoming) = (streams.dest?, streams.base?, streams.incoming?);
    if policy.nulls == Nulls::Clear || dest.source() != base.source() {
        return None;
    }
    let span = Span::new(0, dest.source().len() as u32);
    Some(Edit::Text { span, text: incoming.source().to_owned() })
}

/// The same for one document among several.
fn forwarded(row: Slots<Document<'_>>, policy: &Policy) -> Option<Edit> {
    let text = |document: Document<'_>| document.span().of(document.stream().source()).to_owned();
    let (dest, base, incoming) = (row.dest?, row.base?, row.incoming?);
    let is_alike = dest.start_marker().is_some() == incoming.start_marker().is_some()
        && dest.end_marker().is_some() == incoming.end_marker().is_some()
        && Newline::of(dest.stream().source()) == Newline::of(incoming.stream().source());
    let incoming = text(incoming);
    let ends_line = incoming.ends_with('\n') || dest.span().end as usize == dest.stream().source().len();
    if policy.nulls == Nulls::Clear || !is_alike || !ends_line || text(dest) != text(base) {
        return None;
    }
    let mut span = dest.span();
    if text(dest).starts_with('\u{feff}') {
        span.start += 3;
    }
    let incoming = incoming.trim_start_matches('\u{feff}').to_owned();
    (incoming != text(dest)).then_some(Edit::Text { span, text: incoming })
}

/// Merges streams of one document each, which are the same one whatever their identities say.
pub(crate) fn merge_one(streams: Slots<&Stream<'_>>, schema: &Schema, policy: &Policy) -> Result<Plan, MergeError> {
    let mut walker = Walker::new(streams, policy)?;
    let row = streams.filter_map(|stream| stream.documents().next());
    let mut documents = Vec::new();
    pair(&mut walker, row, schema, &mut Documents { last: None, out: &mut documents, policy });
    let mut plan = walker.into_plan();
    plan.edits.extend(documents);
    Ok(plan)
}

/// Edits of whole documents.
struct Documents<'d> {
    last: Option<NodeId>,
    out: &'d mut Vec<Edit>,
    policy: &'d Policy,
}

fn pair<'a>(walker: &mut Walker<'a>, row: Slots<Document<'a>>, schema: &'a Schema, edits: &mut Documents<'_>) {
    if is_untouched(row) {
        return;
    }
    let roots = row.filter_map(Document::root);
    if let (Some(dest), Some(_)) = (row.dest, row.incoming) {
        if roots.dest.is_some() && roots.incoming.is_some() {
            if walker.clears(roots) {
                edits.out.push(Edit::RemoveDocument { document: dest.id() });
                return;
            }
            let edits_before = walker.edits();
            walker.roots(roots, cursor(row, schema));
            if let Some(edit) = forwarded(row, edits.policy) {
                walker.replace_edits(edits_before, edit);
            }
        }
        return;
    }
    let same = |a: Document<'_>, b: Document<'_>| match (a.root(), b.root()) {
        (Some(a), Some(b)) => same_value(a, b),
        (None, None) => true,
        _ => false,
    };
    let (outcome, rule) = resolve(row, edits.policy.contested, same);
    let spans = row.map(Document::span);
    if rule != Rule::Agreed {
        let decision = Decision { path: Path::default(), role: Role::Value, outcome, rule, spans };
        walker.record(decision);
    }
    match (outcome, row.dest, row.incoming) {
        (Outcome::Take, None, Some(_)) if walker.clears(roots) => {}
        (Outcome::Take, Some(dest), None) => edits.out.push(Edit::RemoveDocument { document: dest.id() }),
        (Outcome::Take, None, Some(incoming)) => {
            let documents = vec![DocumentPiece::Document(walker.document_graft(incoming))];
            edits.out.push(Edit::InsertDocuments { after: edits.last, documents });
        }
        (Outcome::Conflict, dest, incoming) => {
            let graft = |side: Side, document: Option<Document<'_>>| {
                document.map_or(Variant::Absent, |document| Variant::Document(Graft::new(side.stream(), document.id())))
            };
            let place = dest.map_or(ConflictPlace::DocumentGap(edits.last), |dest| ConflictPlace::Document(dest.id()));
            let (base, incoming) = (graft(Side::Base, row.base), graft(Side::Incoming, incoming));
            walker.conflict_at(Conflict {
                path: Path::default(),
                role: Role::Value,
                place,
                dest: None,
                base,
                incoming,
                spans,
            });
        }
        _ => {}
    }
}

fn cursor<'a>(row: Slots<Document<'a>>, schema: &'a Schema) -> Cursor<'a> {
    let resource = row.present().find_map(|(_, document)| Resource::of(*document));
    resource.map_or_else(
        || schema.untyped(),
        |resource| schema.resource(&resource.id.group, &resource.version, &resource.id.kind),
    )
}

/// Aligned documents: those of the destination in its order, each followed by the new ones that come after it.
fn rows<'a>(streams: &Slots<&'a Stream<'a>>) -> Vec<Slots<Document<'a>>> {
    let (mut rows, skipped) = alike(streams);
    let mut named = streams.map(|stream| named(stream, skipped));
    unify(&mut named);
    let mut index: HashMap<&Name, usize> = HashMap::new();
    for (name, document) in named.dest.iter().flatten() {
        index.insert(name, rows.len());
        rows.push(Slots { dest: Some(*document), base: None, incoming: None });
    }
    let mut additions: Vec<(Option<usize>, Slots<Document<'a>>)> = Vec::new();
    let mut added: HashMap<&Name, usize> = HashMap::new();
    let mut anchor = skipped.checked_sub(1);
    for (name, document) in named.incoming.iter().flatten() {
        if let Some(&row) = index.get(name) {
            rows[row].incoming = Some(*document);
            anchor = Some(row);
        } else {
            added.insert(name, additions.len());
            additions.push((anchor, Slots { dest: None, base: None, incoming: Some(*document) }));
        }
    }
    for (name, document) in named.base.iter().flatten() {
        if let Some(&row) = index.get(name) {
            rows[row].base = Some(*document);
        } else if let Some(&row) = added.get(name) {
            additions[row].1.base = Some(*document);
        }
    }
    interleave(rows, additions)
}

/// Gives the only documents with content of all streams one name, unless something says that they are different things.
fn unify(named: &mut Slots<Vec<(Name, Document<'_>)>>) {
    let has_base = named.base.is_some();
    let mut sides = [&mut named.dest, &mut named.base, &mut named.incoming];
    let mut only = sides.iter_mut().filter_map(|side| side.as_mut()).map(|documents| {
        let mut contents = documents.iter_mut().map(|(name, _)| name).filter(|name| !matches!(name, Name::Empty(_)));
        contents.next().filter(|_| contents.next().is_none())
    });
    let Some(Some(first)) = only.next() else { return };
    let Some(others) = only.collect::<Option<Vec<&mut Name>>>() else { return };
    let is_like = |name: &&mut Name| match (&*first, &**name) {
        (Name::Resource(a, _), Name::Resource(b, _)) => a.kind == b.kind && (has_base || may_be_same(a, b)),
        _ => true,
    };
    if others.iter().all(is_like) {
        others.into_iter().for_each(|name| *name = first.clone());
    }
}

/// Whether two identities agree wherever both say something.
fn may_be_same(a: &ResourceId, b: &ResourceId) -> bool {
    let agree = |a: &str, b: &str| a.is_empty() || b.is_empty() || a == b;
    agree(&a.name, &b.name) && agree(&a.namespace, &b.namespace)
}

/// The leading documents that are the same bytes on all sides, and how many these are: most need no name at all.
fn alike<'a>(streams: &Slots<&'a Stream<'a>>) -> (Vec<Slots<Document<'a>>>, usize) {
    let mut rows = Vec::new();
    let (Some(dest), Some(base), Some(incoming)) = (streams.dest, streams.base, streams.incoming) else {
        return (rows, 0);
    };
    let documents = |stream: &'a Stream<'a>| stream.documents().filter(|document| document.root().is_some());
    for ((dest, base), incoming) in documents(dest).zip(documents(base)).zip(documents(incoming)) {
        if !is_same_resource(dest, incoming) || !is_same_resource(dest, base) {
            break;
        }
        rows.push(Slots { dest: Some(dest), base: Some(base), incoming: Some(incoming) });
    }
    let count = rows.len();
    (rows, count)
}

/// Whether all sides have a document, in the same bytes.
fn is_untouched(row: Slots<Document<'_>>) -> bool {
    let (Some(dest), Some(base), Some(incoming)) = (row.dest, row.base, row.incoming) else { return false };
    dest.text() == base.text() && dest.text() == incoming.text()
}

/// Whether two documents at one place are one resource.
fn is_same_resource(a: Document<'_>, b: Document<'_>) -> bool {
    let same_id = || Some(Resource::of(a)?.id == Resource::of(b)?.id);
    a.text() == b.text() || same_id() == Some(true)
}

fn interleave<'a>(
    rows: Vec<Slots<Document<'a>>>,
    additions: Vec<(Option<usize>, Slots<Document<'a>>)>,
) -> Vec<Slots<Document<'a>>> {
    let mut additions = additions.into_iter().peekable();
    let mut out = Vec::new();
    // Documents that precede all common ones come first.
    while let Some((_, row)) = additions.next_if(|(anchor, _)| anchor.is_none()) {
        out.push(row);
    }
    let mut after: HashMap<usize, Vec<Slots<Document<'a>>>> = HashMap::new();
    for (anchor, row) in additions {
        after.entry(anchor.unwrap_or_default()).or_default().push(row);
    }
    for (index, row) in rows.into_iter().enumerate() {
        out.push(row);
        out.extend(after.remove(&index).into_iter().flatten());
    }
    out
}

/// Documents with content from the `skipped`-th on, with their names.
fn named<'a>(stream: &'a Stream<'a>, skipped: usize) -> Vec<(Name, Document<'a>)> {
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
