//! Long streams in which every document stands where it stood: each is merged by itself, and most need not even be read.
//!
//! Only where this gives what the merge of the whole gives: no document was added, removed, moved or renamed, no line outside a
//! document (directives, `...`) or template expression could make documents depend on each other, and where something is in
//! conflict, no side moved lines from one document to another.

use hashbrown::HashSet;
use kyaml_ast::{Span, Stream};
use memchr::memmem;

use super::{Body, Merged, sound, streams};
use crate::lines::Texts;
use crate::plan::Decision;
use crate::resource::{Resource, ResourceId};
use crate::schema::Schema;
use crate::slots::{Side, Slots};

/// One document of the result.
#[derive(Debug)]
pub(super) enum Part<'t> {
    /// The bytes of one side.
    Taken(&'t [u8]),
    /// Both sides changed it.
    Merged(Box<Merged<'t>>),
}

/// Merges document by document, where that is possible.
pub(super) fn merge<'t>(texts: Texts<'t>, schema: &Schema) -> Option<Body<'t>> {
    // Most files are one document: nothing else is read of them.
    let base = documents(texts.base);
    if base.len() < 2 {
        return None;
    }
    let [ours, theirs] = [texts.ours, texts.theirs].map(documents);
    let are_as_many = base.len() == ours.len() && base.len() == theirs.len();
    if !are_as_many || [texts.base, texts.ours, texts.theirs].into_iter().any(depends) {
        return None;
    }
    let mut parts = Vec::with_capacity(base.len());
    for ((base, ours), theirs) in base.iter().zip(&ours).zip(&theirs) {
        parts.push(part(Texts { base, ours, theirs }, schema)?);
    }
    let in_conflict = |part: &Part<'_>| matches!(part, Part::Merged(merged) if !merged.is_clean());
    if parts.iter().any(in_conflict) && [ours, theirs].iter().any(|side| has_moved_lines(&base, side)) {
        return None;
    }
    Some(Body::Parts(parts))
}

/// What is in conflict as a whole, at its place in the file.
pub(super) fn conflicts_as_a_whole(texts: Texts<'_>, parts: &[Part<'_>]) -> Vec<Decision> {
    let merged = with_starts(texts, parts);
    let found = merged.flat_map(|(merged, starts)| {
        merged.conflicts_as_a_whole().into_iter().map(move |decision| moved(decision, starts))
    });
    found.collect()
}

/// The documents that both sides changed, each with where the sides have it.
pub(super) fn with_starts<'p, 't>(
    texts: Texts<'t>,
    parts: &'p [Part<'t>],
) -> impl Iterator<Item = (&'p Merged<'t>, Slots<u32>)> {
    let documents = Slots::three(texts.ours, texts.base, texts.theirs).map(documents);
    let mut next = Slots::three(0, 0, 0);
    parts.iter().enumerate().filter_map(move |(number, part)| {
        let len = |side: Side| documents.get(side).map_or(0, |documents| documents[number].len() as u32);
        let starts = next;
        next = Slots::of(|side| Some(starts.get(side)? + len(side)));
        if let Part::Merged(merged) = part { Some((&**merged, starts)) } else { None }
    })
}

/// A decision about a document as one about the file, given where each side has the document.
fn moved(decision: Decision, starts: Slots<u32>) -> Decision {
    let spans = Slots::of(|side| {
        let (span, start) = (decision.spans.get(side)?, starts.get(side)?);
        Some(Span::new(span.start + start, span.end + start))
    });
    Decision { spans, ..decision }
}

/// Whether a line is gone from one document and new in another.
fn has_moved_lines(base: &[&[u8]], side: &[&[u8]]) -> bool {
    fn lines<'t>(document: &&'t [u8]) -> HashSet<&'t [u8]> {
        document.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty()).collect()
    }
    let (mut gone, mut new) = (HashSet::new(), HashSet::new());
    for (base, side) in base.iter().zip(side).filter(|(base, side)| base != side) {
        let (was, is) = (lines(base), lines(side));
        gone.extend(was.difference(&is).copied());
        new.extend(is.difference(&was).copied());
    }
    !gone.is_disjoint(&new)
}

fn part<'t>(texts: Texts<'t>, schema: &Schema) -> Option<Part<'t>> {
    let Texts { base, ours, theirs } = texts;
    Some(match () {
        () if ours == base && theirs == base => Part::Taken(base),
        () if ours == base => taken(theirs, base)?,
        () if theirs == base || theirs == ours => taken(ours, base)?,
        () => Part::Merged(Box::new(Merged { texts, body: merged(texts, schema)? })),
    })
}

/// A document that both sides changed.
fn merged<'t>(texts: Texts<'t>, schema: &Schema) -> Option<Body<'t>> {
    match streams(texts) {
        Ok(sides) => {
            let known = [&sides.base, &sides.dest, &sides.incoming].map(|side| identity(side.as_ref()?));
            is_one(&known).then(|| sound(texts, sides, schema))
        }
        Err(reason) => is_one(&[texts.base, texts.ours, texts.theirs].map(read)).then_some(Body::Lines(reason)),
    }
}

/// A document that one side changed. It is read whole: often all of its lines have changed.
fn taken<'t>(changed: &'t [u8], base: &[u8]) -> Option<Part<'t>> {
    is_one(&[base, changed].map(read)).then_some(Part::Taken(changed))
}

/// Whether versions of a document are the same one.
fn is_one(known: &[Option<Known>]) -> bool {
    known.iter().all(Option::is_some) && known.windows(2).all(|pair| pair[0] == pair[1])
}

fn read(document: &[u8]) -> Option<Known> {
    identity(&Stream::parse_bytes(document).ok()?)
}

/// What a document is known by wherever it stands.
#[derive(PartialEq, Eq)]
enum Known {
    /// The comments before the first `---`.
    Comments,
    /// A resource.
    Resource(ResourceId),
}

/// What a document is; `None` where only its content can tell.
fn identity(stream: &Stream<'_>) -> Option<Known> {
    let mut documents = stream.documents();
    let first = documents.next()?;
    if documents.next().is_some() {
        return None;
    }
    if first.root().is_none() && first.start_marker().is_none() {
        return Some(Known::Comments);
    }
    Resource::of(first).map(|resource| Known::Resource(resource.id))
}

/// Whether documents may depend on each other.
fn depends(text: &[u8]) -> bool {
    let is_sign = |at: usize| match text[at] {
        b'{' => matches!(text.get(at + 1), Some(b'{' | b'%')),
        _ => at == 0 || text[at - 1] == b'\n',
    };
    memchr::memchr2_iter(b'{', b'%', text).any(is_sign) || memmem::find(text, b"\n...").is_some()
}

/// The text cut before each `---`.
fn documents(text: &[u8]) -> Vec<&[u8]> {
    let mut documents = Vec::new();
    let mut start = 0;
    for newline in memmem::find_iter(text, b"\n---") {
        let is_marker = text.get(newline + 4).is_none_or(|next| matches!(next, b' ' | b'\t' | b'\r' | b'\n'));
        if is_marker {
            documents.push(&text[start..=newline]);
            start = newline + 1;
        }
    }
    documents.push(&text[start..]);
    documents
}
