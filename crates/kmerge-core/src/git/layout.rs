//! Who changed the layout of a file: its line ends, its indentation, or the order of its documents.

use kyaml_ast::{Newline, Stream};

use crate::lines::{self, Texts};
use crate::resource::{Resource, ResourceId};
use crate::slots::Slots;

/// Whether theirs has other line ends than base and ours, has re-indented more lines than ours, or has reordered documents
/// that ours has left in their order.
pub(super) fn only_theirs_changed(texts: Texts<'_>, sides: &Slots<Stream<'_>>) -> bool {
    let [base, ours, theirs] = [&sides.base, &sides.dest, &sides.incoming].map(newline);
    if ours != theirs && base.is_some() {
        return base == ours;
    }
    let moved = |text| reindented(texts.base, text);
    let [base, ours, theirs] = [&sides.base, &sides.dest, &sides.incoming].map(|side| names(side.as_ref()));
    match (keeps_order(&base, &ours), keeps_order(&base, &theirs)) {
        (true, false) => true,
        (false, true) => false,
        _ => {
            let theirs = moved(texts.theirs);
            theirs > 0 && theirs > moved(texts.ours)
        }
    }
}

/// How the lines of a stream end, if it has any.
fn newline(stream: &Option<Stream<'_>>) -> Option<Newline> {
    stream.as_ref().map(Stream::source).filter(|source| source.contains('\n')).map(Newline::of)
}

/// How many lines of base stand in `text` with other indentation.
fn reindented(base: &[u8], text: &[u8]) -> usize {
    // Most changes leave lines where they are.
    if split(base).map(indentation).eq(split(text).map(indentation)) {
        return 0;
    }
    let (base_bare, text_bare) = (bare(base), bare(text));
    let pairs = lines::unchanged(&base_bare, &text_bare);
    let (base, text): (Vec<&[u8]>, Vec<&[u8]>) = (split(base).collect(), split(text).collect());
    pairs.filter(|(before, after)| indentation(base[*before]) != indentation(text[*after])).count()
}

/// A text without the indentation of its lines.
fn bare(text: &[u8]) -> Vec<u8> {
    split(text).map(|line| &line[indentation(line)..]).collect::<Vec<_>>().concat()
}

fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split_inclusive(|byte| *byte == b'\n')
}

fn indentation(line: &[u8]) -> usize {
    line.iter().take_while(|byte| **byte == b' ').count()
}

/// The resources of a stream in order.
fn names(stream: Option<&Stream<'_>>) -> Vec<ResourceId> {
    let documents = stream.into_iter().flat_map(Stream::documents);
    documents.filter_map(|document| Resource::of(document).map(|resource| resource.id)).collect()
}

/// Whether what both have stands in the same order.
fn keeps_order(base: &[ResourceId], side: &[ResourceId]) -> bool {
    let common = |of: &[ResourceId], with: &[ResourceId]| -> Vec<ResourceId> {
        let with: std::collections::HashSet<&ResourceId> = with.iter().collect();
        of.iter().filter(|id| with.contains(id)).cloned().collect()
    };
    common(base, side) == common(side, base)
}
