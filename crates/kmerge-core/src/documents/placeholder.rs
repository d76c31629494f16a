//! Handles files that have only comments and get content. The new content may have the same comments above it.
//!
//! The destination's comments stay above the new content. Comments that come with the content are left out if they are
//! known: from the base, or from the destination if there is no base. If the file starts with `---`, the new content
//! goes below it and is no second document. Ignores documents with directives or `...`.

use kyaml_ast::{Document, Edit, Graft, Kind, Newline, NodeId, Span, Stream, line_end};

use crate::merge::page::merged_lines;
use crate::resource::content;
use crate::slots::Slots;

/// Removes known comments from a document that is added to a file of comments. The pair has the document with the known
/// comments, and the added one.
pub(super) fn without_known(
    documents: Option<(Document<'_>, Document<'_>)>,
    mut graft: Graft<NodeId>,
) -> Graft<NodeId> {
    let Some((known, new)) = documents.filter(|(_, new)| new.start_marker().is_none()) else { return graft };
    let end = known_end(new, known);
    graft.edits.extend(end.map(|end| Edit::Text { span: Span::new(body_start(new), end), text: String::new() }));
    graft
}

/// The only documents of all sides, if one side gives content to a document that has none in the base and on the other
/// side. A base without a document counts as a base without content.
pub(super) fn filled<'t>(streams: Slots<&'t Stream<'_>>) -> Option<Slots<Document<'t>>> {
    let only = |stream: &'t Stream<'_>| {
        let mut documents = stream.documents();
        documents.next().filter(|first| documents.next().is_none() && is_bare(*first))
    };
    let (dest, incoming) = (only(streams.dest?)?, only(streams.incoming?)?);
    let base = streams.base.filter(|base| !base.source().trim_ascii().is_empty()).map(only);
    let is_content = |document: Document<'_>| document.root().is_some_and(|root| root.kind() != Kind::Null);
    let newline = |document: Document<'_>| Newline::of(document.stream().source());
    // Without a base, an incoming file of comments brings nothing.
    let may_comment = streams.base.is_some() && is_empty(incoming);
    let is_filled = (is_empty(dest) && is_content(incoming)) || (is_content(dest) && may_comment);
    let is_place = is_filled && base.is_none_or(|base| base.is_some_and(is_empty));
    let fits = is_place && newline(dest) == newline(incoming);
    fits.then_some(Slots { dest: Some(dest), base: base.flatten(), incoming: Some(incoming) })
}

/// The part of the incoming document that the destination's document gets.
pub(super) struct Filling {
    /// The content, and the merged comments of all sides.
    pub(super) edit: Option<Edit>,
    /// Whether both sides changed the comments in different ways. Then the destination's stay.
    pub(super) is_contested: bool,
}

/// Fills the destination's document, changes the comments above its content, or removes content that the base has.
pub(super) fn filling(dest: Document<'_>, base: Option<Document<'_>>, incoming: Document<'_>) -> Filling {
    let source = dest.stream().source();
    let (lines, is_contested) = merged_heads(dest, base, incoming);
    let (dest_head, new_head) = (head(dest), head(incoming));
    let (span, content) = match is_empty(dest) || !base.is_none_or(is_empty) {
        true => {
            let content = Span::new(new_head.end, incoming.span().end).of(incoming.stream().source());
            (Span::new(dest_head.start, dest.span().end), content)
        }
        false => (dest_head, ""),
    };
    let newline = Newline::of(source);
    let start = if dest_head.start as usize == source.len() { missing_end(source, newline) } else { "" };
    let filled = format!("{start}{lines}{}{content}", missing_end(&lines, newline));
    let edit = (filled != span.of(source)).then_some(Edit::Text { span, text: filled });
    Filling { edit, is_contested }
}

/// The comments of all sides above the content, and whether both sides changed them in different ways: then these are the
/// destination's.
fn merged_heads(dest: Document<'_>, base: Option<Document<'_>>, incoming: Document<'_>) -> (String, bool) {
    let (own, new) = (head_lines(dest), head_lines(incoming));
    match (merged_lines(own, base.map(head_lines), new), base) {
        (Some(lines), _) => (lines, false),
        (None, Some(_)) => (own.to_owned(), true),
        // Each side started a new file with its comments. These do not contradict each other.
        (None, None) => (format!("{own}{}{new}", missing_end(own, Newline::of(dest.stream().source()))), false),
    }
}

/// The newline that is missing at the end of some lines.
fn missing_end(lines: &str, newline: Newline) -> &'static str {
    if lines.is_empty() || lines.ends_with('\n') { "" } else { newline.as_str() }
}

fn head_lines(document: Document<'_>) -> &str {
    head(document).of(document.stream().source())
}

/// The comments above a document's content and below its `---`.
fn head(document: Document<'_>) -> Span {
    let start = body_start(document);
    Span::new(start, comments(document).last().map_or(start, |(_, end)| *end))
}

/// Whether a document has only comments, or is only a `---`.
pub(super) fn is_empty(document: Document<'_>) -> bool {
    content(document).is_none()
}

/// Whether a document has no directives and no end marker, and its `---` is alone on its line.
fn is_bare(document: Document<'_>) -> bool {
    let source = document.stream().source();
    let is_alone = |marker: Span| Span::new(marker.end, line_end(source, marker.end)).of(source).trim().is_empty();
    document.directives().next().is_none()
        && document.end_marker().is_none()
        && document.start_marker().is_none_or(is_alone)
}

/// The end of the known comments at the start of a document.
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

/// The comments at the start of a document, with the end of each line.
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

/// The start of the first line below `---`. Without `---`: the start of the document, after a byte order mark.
fn body_start(document: Document<'_>) -> u32 {
    let below = |marker: Span| line_end(document.stream().source(), marker.end).min(document.span().end);
    let text = document.text().trim_start_matches('\u{feff}');
    document.start_marker().map_or(document.span().end - text.len() as u32, below)
}
