//! Who changed the layout of a file: its line ends, the blanks in its lines, its brackets, its markers, or the order of its documents.

use std::borrow::Cow;

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Document, Kind, Newline, Node, Stream};

use super::text_of;
use crate::lines::{self, Change, Texts};
use crate::resource::{Resource, ResourceId};
use crate::slots::{Side, Slots};

/// Whether theirs has other line ends than base and ours, has laid out more lines, collections and markers anew than ours, or has
/// reordered documents that ours has left in their order.
pub(super) fn only_theirs_changed(texts: Texts<'_>, changes: &[Change], sides: &Slots<Stream<'_>>) -> bool {
    let [base, ours, theirs] = [&sides.base, &sides.dest, &sides.incoming].map(newline);
    if ours != theirs && base.is_some() {
        return base == ours;
    }
    let laid_out = |side: Side| {
        let spaced =
            changes.iter().map(|change| spaced_anew(&texts.base[change.base.clone()], text_of(texts, change, side)));
        let trees = sides.base.as_ref().zip(sides.get(side));
        spaced.sum::<usize>() + trees.map_or(0, |(base, side)| bracketed_anew(base, side) + marked_anew(base, side))
    };
    let [base, ours, theirs] = [&sides.base, &sides.dest, &sides.incoming].map(|side| names(side.as_ref()));
    match (keeps_order(&base, &ours), keeps_order(&base, &theirs)) {
        (true, false) => true,
        (false, true) => false,
        _ => {
            let theirs = laid_out(Side::Incoming);
            theirs > 0 && theirs > laid_out(Side::Dest)
        }
    }
}

/// How the lines of a stream end, if it has any.
fn newline(stream: &Option<Stream<'_>>) -> Option<Newline> {
    stream.as_ref().map(Stream::source).filter(|source| source.contains('\n')).map(Newline::of)
}

/// How many lines of a part of base stand in its `text` on a side with other blanks: other indentation, none at the end, more before a comment.
fn spaced_anew(base: &[u8], text: &[u8]) -> usize {
    // Most changes leave the blanks of lines as they are.
    if base.is_empty() || text.is_empty() || base == text {
        return 0;
    }
    let is_alike = |base: &[u8], text: &[u8]| base == text || blanks(base) == blanks(text);
    let count = |text: &[u8]| memchr::memchr_iter(b'\n', text).count();
    if count(base) == count(text) && split(base).zip(split(text)).all(|(base, text)| is_alike(base, text)) {
        return 0;
    }
    let (base_bare, text_bare) = (bare(base), bare(text));
    let pairs = lines::unchanged(&base_bare, &text_bare);
    let (base, text): (Vec<&[u8]>, Vec<&[u8]>) = (split(base).collect(), split(text).collect());
    pairs.filter(|(before, after)| base[*before] != text[*after]).count()
}

/// How many blanks a line starts with, and how many it has.
fn blanks(line: &[u8]) -> [usize; 2] {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t');
    [line.iter().take_while(is_blank).count(), line.iter().filter(is_blank).count()]
}

/// A text without the blanks in its lines.
fn bare(text: &[u8]) -> Vec<u8> {
    text.iter().copied().filter(|byte| !matches!(byte, b' ' | b'\t')).collect()
}

fn split(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |newline| newline + 1);
        let (line, behind) = rest.split_at(end);
        rest = behind;
        (!line.is_empty()).then_some(line)
    })
}

/// How many collections of base have got or lost their brackets. Where the numbers of brackets agree, nobody is asked.
fn bracketed_anew(base: &Stream<'_>, side: &Stream<'_>) -> usize {
    let brackets = |stream: &Stream<'_>| memchr::memchr2_iter(b'[', b'{', stream.source().as_bytes()).count();
    if brackets(base) == brackets(side) {
        return 0;
    }
    let roots = base.documents().zip(side.documents());
    let mut open: Vec<_> = roots.filter_map(|(base, side)| base.root().zip(side.root())).collect();
    let mut count = 0;
    while let Some((base, side)) = open.pop() {
        if base.kind() != side.kind() || !base.kind().is_collection() {
            continue;
        }
        if base.is_flow() != side.is_flow() {
            count += usize::from(base.children().next().is_some() && side.children().next().is_some());
        } else if base.kind() == Kind::Sequence {
            open.extend(base.children().zip(side.children()));
        } else {
            let fields: HashMap<_, _> = keyed(side).collect();
            open.extend(keyed(base).filter_map(|(key, value)| Some((value, *fields.get(&key)?))));
        }
    }
    count
}

/// The values of a mapping, by their keys.
fn keyed<'t>(mapping: Node<'t>) -> impl Iterator<Item = (Cow<'t, str>, Node<'t>)> {
    mapping.entries().filter_map(|entry| Some((entry.key()?.key_text()?, entry.value())))
}

/// How many documents of base have got or lost their `---` or `...`.
fn marked_anew(base: &Stream<'_>, side: &Stream<'_>) -> usize {
    let markers = |document: Document<'_>| [document.start_marker().is_some(), document.end_marker().is_some()];
    base.documents().zip(side.documents()).filter(|(base, side)| markers(*base) != markers(*side)).count()
}

/// The resources of a stream in order.
fn names(stream: Option<&Stream<'_>>) -> Vec<ResourceId> {
    let documents = stream.into_iter().flat_map(Stream::documents);
    documents.filter_map(|document| Resource::of(document).map(|resource| resource.id)).collect()
}

/// Whether what both have stands in the same order.
fn keeps_order(base: &[ResourceId], side: &[ResourceId]) -> bool {
    let common = |of: &[ResourceId], with: &[ResourceId]| -> Vec<ResourceId> {
        let with: HashSet<&ResourceId> = with.iter().collect();
        of.iter().filter(|id| with.contains(id)).cloned().collect()
    };
    common(base, side) == common(side, base)
}
