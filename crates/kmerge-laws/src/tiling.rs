//! Extents and gaps tile the source.

use kyaml_ast::{Entry, Node, Span, Stream};

use crate::{Broken, law};

/// Checks that documents tile the source, that the extents of siblings are disjoint and in order, that a nested entry's
/// extent lies inside its ancestors', and that an entry which starts its line owns whole lines.
///
/// Then every byte has exactly one owner: the innermost extent that holds it, or the collection whose gap it is.
///
/// # Errors
///
/// The first place where one of these does not hold.
pub fn tiling(stream: &Stream<'_>) -> Result<(), Broken> {
    let mut at = 0;
    for document in stream.documents() {
        law(document.span().start == at, || format!("document starts at {}, not {at}", document.span().start))?;
        at = document.span().end;
        if let Some(root) = document.root() {
            law(document.span().contains(root.full_span()), || "a root leaves its document".to_owned())?;
            nodes(root, document.span())?;
        }
    }
    law(at as usize == stream.source().len(), || format!("documents end at {at}"))
}

fn nodes(root: Node<'_>, around: Span) -> Result<(), Broken> {
    let mut todo = vec![(root, around)];
    while let Some((node, around)) = todo.pop() {
        let mut at = around.start;
        for entry in node.entries() {
            let extent = entry.extent();
            check(entry, extent)?;
            law(around.contains(extent), || format!("{} leaves {around:?}", show(entry)))?;
            law(extent.start >= at, || format!("{} overlaps its sibling that ends at {at}", show(entry)))?;
            at = extent.end;
            todo.extend(entry.key().map(|key| (key, extent)));
            todo.push((entry.value(), extent));
        }
    }
    Ok(())
}

fn check(entry: Entry<'_>, extent: Span) -> Result<(), Broken> {
    let source = entry.stream().source();
    let is_text = source.get(extent.range()).is_some();
    law(is_text, || format!("{} cuts a character", show(entry)))?;
    let mut own = vec![entry.span(), entry.value().full_span()];
    own.extend(entry.key().map(Node::full_span));
    own.extend(entry.lead());
    // The trail comment of a flow entry can stand behind the comma, which is nobody's.
    own.extend(entry.trail().filter(|trail| !entry.collection().is_flow() || trail.start < extent.end));
    let is_whole = own.iter().all(|part| extent.contains(*part));
    law(is_whole, || format!("{} does not hold all of {own:?}", show(entry)))?;
    if entry.starts_line() && entry.collection().is_block_collection() {
        let before = &source[..extent.start as usize];
        let starts = before.is_empty() || before.ends_with(['\n', '\r', '\u{feff}']);
        law(starts, || format!("{} starts within a line", show(entry)))?;
        let text = extent.of(source);
        let ends = text.ends_with(['\n', '\r']) || extent.end as usize == source.len();
        law(ends, || format!("{} ends within a line", show(entry)))?;
    }
    Ok(())
}

fn show(entry: Entry<'_>) -> String {
    format!("extent {:?} of {:?}", entry.extent(), entry.span().of(entry.stream().source()))
}
