//! Files that hold nothing but comments, and get content: what comes may have the same comments above it.
//!
//! The destination's comments stay above what comes. Those of what comes are left out as far as they are known: they are the
//! base's, or, without a base, the destination's. A file may start with `---`: what comes then stands below that, and is no
//! second document. Ignores documents with directives or `...`.

use kyaml_ast::{Document, Edit, Graft, Kind, Newline, Node, NodeId, Span, Stream, line_end};

use crate::slots::Slots;

/// Leaves the comments that are known, in the first of two documents, out of the second one, which comes into a file of comments.
pub(super) fn without_known(
    documents: Option<(Document<'_>, Document<'_>)>,
    mut graft: Graft<NodeId>,
) -> Graft<NodeId> {
    let Some((known, new)) = documents.filter(|(_, new)| new.start_marker().is_none()) else { return graft };
    let end = known_end(new, known);
    graft.edits.extend(end.map(|end| Edit::Text { span: Span::new(body_start(new), end), text: String::new() }));
    graft
}

/// The only documents of all sides, where one side gives content to a `---` that has none in the base, and none on the other side.
/// A base without a document is none.
pub(super) fn filled<'t>(streams: Slots<&'t Stream<'_>>) -> Option<Slots<Document<'t>>> {
    let only = |stream: &'t Stream<'_>| {
        let mut documents = stream.documents();
        documents.next().filter(|first| documents.next().is_none() && is_bare(*first))
    };
    let (dest, incoming) = (only(streams.dest?)?, only(streams.incoming?)?);
    let base = streams.base.filter(|base| !base.source().trim_ascii().is_empty()).map(only);
    let is_content = |document: Document<'_>| document.root().is_some_and(|root| root.kind() != Kind::Null);
    let newline = |document: Document<'_>| Newline::of(document.stream().source());
    let is_filled = (is_empty(dest) && is_content(incoming)) || (is_content(dest) && is_empty(incoming));
    let is_place = is_filled && base.is_none_or(|base| base.is_some_and(is_empty));
    let fits = is_place && newline(dest) == newline(incoming);
    fits.then_some(Slots { dest: Some(dest), base: base.flatten(), incoming: Some(incoming) })
}

/// What the destination's document gets of the incoming one: its content, or its comments.
pub(super) fn filling(dest: Document<'_>, base: Option<Document<'_>>, incoming: Document<'_>) -> Option<Edit> {
    let is_as_in_base = |side: Document<'_>| base.is_some_and(|base| texts(base) == texts(side));
    let source = dest.stream().source();
    let from = |start: u32| Span::new(start, incoming.span().end).of(incoming.stream().source());
    let ended = |text: &str| if text.ends_with('\n') { "" } else { Newline::of(source).as_str() };
    if !is_empty(dest) {
        let is_done = is_as_in_base(incoming) || starts_alike(dest, incoming);
        if is_done {
            return None;
        }
        let text = from(body_start(incoming));
        let text = format!("{text}{}", ended(text));
        let span = match base {
            Some(base) => Span::new(body_start(dest), known_end(dest, base)?),
            // Each side began the file with a comment of its own.
            None => Span::at(comments(dest).last().map_or_else(|| body_start(dest), |(_, end)| *end)),
        };
        return Some(Edit::Text { span, text });
    }
    // Comments that the destination left alone are the incoming side's business.
    let (own_end, start) = match is_as_in_base(dest) {
        true => (body_start(dest), body_start(incoming)),
        false => (dest.span().end, known_end(incoming, base.unwrap_or(dest)).unwrap_or_else(|| body_start(incoming))),
    };
    let end = dest.span().end;
    let start_of_text = end - dest.text().trim_start_matches('\u{feff}').len() as u32;
    let own = Span::new(start_of_text, own_end).of(source);
    let text = format!("{own}{}{}", ended(own), from(start));
    Some(Edit::Text { span: Span::new(start_of_text, end), text })
}

/// Whether the comments at the start of a document begin with those of the other one.
fn starts_alike(document: Document<'_>, other: Document<'_>) -> bool {
    texts(document).starts_with(&texts(other))
}

fn texts(document: Document<'_>) -> Vec<String> {
    comments(document).into_iter().map(|(line, _)| line.to_owned()).collect()
}

/// Whether a document is a `---` and nothing else, comments aside.
fn is_empty(document: Document<'_>) -> bool {
    let is_nothing = |root: Node<'_>| root.kind() == Kind::Null && root.full_span().is_empty();
    document.start_marker().is_some() && document.root().is_some_and(is_nothing)
}

/// Whether a document has no directives and no end marker, and nothing stands on the line of its `---`.
fn is_bare(document: Document<'_>) -> bool {
    let source = document.stream().source();
    let is_alone = |marker: Span| Span::new(marker.end, line_end(source, marker.end)).of(source).trim().is_empty();
    document.directives().next().is_none()
        && document.end_marker().is_none()
        && document.start_marker().is_none_or(is_alone)
}

/// Where the known comments at the start of a document end.
fn known_end(document: Document<'_>, known: Document<'_>) -> Option<u32> {
    if !is_bare(document) {
        return None;
    }
    let (new, known) = (comments(document), comments(known));
    let is_same = |(new, known): (&(&str, u32), &(&str, u32))| new.0 == known.0;
    let (own, old) = (new.len(), known.len());
    let count = match new.iter().zip(&known).all(is_same) {
        true => own.min(old),
        false if own < old && new.iter().zip(&known[old - own..]).all(is_same) => own,
        false => 0,
    };
    Some(new.get(count.checked_sub(1)?)?.1)
}

/// The comments at the start of a document, and where their lines end.
fn comments(document: Document<'_>) -> Vec<(&str, u32)> {
    let start = body_start(document);
    let body = Span::new(start, document.span().end).of(document.stream().source());
    let lines = body.split_inclusive('\n').scan(start, |at, line| {
        *at += line.len() as u32;
        Some((line.trim(), *at))
    });
    lines
        .take_while(|(line, _)| line.is_empty() || line.starts_with('#'))
        .filter(|(line, _)| !line.is_empty())
        .collect()
}

/// Where the lines below the `---` start; behind a byte order mark where there is none.
fn body_start(document: Document<'_>) -> u32 {
    let below = |marker: Span| line_end(document.stream().source(), marker.end).min(document.span().end);
    let text = document.text().trim_start_matches('\u{feff}');
    document.start_marker().map_or(document.span().end - text.len() as u32, below)
}
