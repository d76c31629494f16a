//! Long streams in which every document stands where it stood: each is merged by itself, and most need not even be read.
//!
//! Only where this gives what the merge of the whole gives: no document was added, removed, moved or renamed, and no line
//! outside a document (directives, `...`) or template expression could make documents depend on each other.

use kyaml_ast::Stream;
use memchr::memmem;

use super::{Body, Merged, body};
use crate::lines::Texts;
use crate::resource::{Resource, ResourceId};
use crate::schema::Schema;

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
    for ((base, ours), theirs) in base.into_iter().zip(ours).zip(theirs) {
        parts.push(part(Texts { base, ours, theirs }, schema)?);
    }
    Some(Body::Parts(parts))
}

fn part<'t>(texts: Texts<'t>, schema: &Schema) -> Option<Part<'t>> {
    let Texts { base, ours, theirs } = texts;
    if ours == base && theirs == base {
        return Some(Part::Taken(base));
    }
    let is_same = |side: &[u8]| side == base || identity(base).is_some_and(|known| identity(side) == Some(known));
    if !is_same(ours) || !is_same(theirs) {
        return None;
    }
    Some(match () {
        () if theirs == base || theirs == ours => Part::Taken(ours),
        () if ours == base => Part::Taken(theirs),
        () => Part::Merged(Box::new(Merged { texts, body: body(texts, schema) })),
    })
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
fn identity(document: &[u8]) -> Option<Known> {
    let stream = Stream::parse_bytes(document).ok()?;
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
    let holds = |needle: &&[u8]| memmem::find(text, needle).is_some();
    text.starts_with(b"%") || [&b"{{"[..], b"{%", b"\n...", b"\n%"].iter().any(holds)
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
