//! What stands at the top of a file whose first document goes: its header stays, and no `---` becomes the first line.
//!
//! The header is the comments above the first content up to the last blank line among them; what stands directly above
//! the content belongs to the document. A header that the incoming side has, or removed, is left to the document that
//! is first there.

use hashbrown::HashSet;
use kyaml_ast::{Document, DocumentPiece, Edit, NodeId, Span, Stream};

use crate::slots::Slots;

/// Turns the removal of the first documents into edits that leave a file as somebody would write it.
///
/// `new` are the documents of the destination behind which something new comes; `edits` are what the plan does.
pub(super) fn tidy(streams: Slots<&Stream<'_>>, new: &HashSet<Option<NodeId>>, edits: &mut Vec<Edit>) {
    let Slots { dest: Some(dest), base, .. } = streams else { return };
    let removed: HashSet<NodeId> = edits.iter().filter_map(removal).collect();
    let mut gone = dest.documents().take_while(|document| removed.contains(&document.id()));
    let Some(old) = gone.next().filter(|old| starts_bare(*old)) else { return };
    let is_known =
        base.and_then(|base| base.documents().next()).is_some_and(|base| header_text(base) == header_text(old));
    let header = if is_known { None } else { header(old) };
    if new.contains(&None) || new.contains(&Some(old.id())) || gone.any(|document| new.contains(&Some(document.id()))) {
        header.into_iter().for_each(|header| put_on_top(header.of(dest.source()), edits));
        return;
    }
    let Some(first) = dest.documents().find(|document| !removed.contains(&document.id())) else { return };
    if let Some(line) = marker_line(first) {
        let is_new_start = |edit: &Edit| matches!(edit, Edit::Text { span, .. } if span.start < line.end);
        if !edits.iter().any(is_new_start) {
            edits.push(Edit::Text { span: line, text: String::new() });
        }
    }
    if let Some(header) = header {
        keep(old, header, edits);
    }
}

/// Puts the header above what comes first.
fn put_on_top(header: &str, edits: &mut [Edit]) {
    let on_top = edits.iter_mut().find_map(|edit| match edit {
        Edit::InsertDocuments { after: None, documents } => Some(documents),
        _ => None,
    });
    if let Some(documents) = on_top {
        documents.insert(0, DocumentPiece::Lines(header.to_owned()));
    }
}

/// A document without the header of its file.
pub(super) fn below_header(document: Document<'_>) -> Span {
    let is_first = document.stream().documents().next().is_some_and(|first| first.id() == document.id());
    let header = if is_first && starts_bare(document) { header(document) } else { None };
    Span::new(header.map_or(document.span().start, |header| header.end), document.span().end)
}

/// Leaves the header where its document goes.
fn keep(old: Document<'_>, header: Span, edits: &mut [Edit]) {
    if let Some(edit) = edits.iter_mut().find(|edit| removal(edit) == Some(old.id())) {
        *edit = Edit::Text { span: Span::new(header.end, old.span().end), text: String::new() };
    }
}

const fn removal(edit: &Edit) -> Option<NodeId> {
    match edit {
        Edit::RemoveDocument { document } => Some(*document),
        _ => None,
    }
}

fn starts_bare(document: Document<'_>) -> bool {
    document.start_marker().is_none() && document.directives().next().is_none() && document.root().is_some()
}

/// The line of a `---` that nothing stands before or beside.
fn marker_line(document: Document<'_>) -> Option<Span> {
    let (span, marker) = (document.span(), document.start_marker()?);
    let rest = document.text().get((marker.end - span.start) as usize..)?;
    let line = rest.split_inclusive('\n').next()?;
    (marker.start == span.start && line.ends_with('\n') && line.trim().is_empty())
        .then(|| Span::new(span.start, marker.end + line.len() as u32))
}

fn header_text(document: Document<'_>) -> Option<&str> {
    Some(header(document)?.of(document.stream().source()))
}

/// The comments that a blank line sets off from what the document begins with.
fn header(document: Document<'_>) -> Option<Span> {
    let start = document.span().start;
    let (mut at, mut has_comment, mut end) = (start, false, None);
    for line in document.text().split_inclusive('\n') {
        let bare = line.trim_start_matches('\u{feff}').trim();
        at += line.len() as u32;
        match bare.as_bytes().first() {
            None if has_comment => end = Some(at),
            None => {}
            Some(b'#') => has_comment = true,
            Some(_) => break,
        }
    }
    end.map(|end| Span::new(start, end))
}
