//! Documents in the place of one that went from both sides, and different ones that both sides put at one place.
//!
//! Where a side changed a document beyond recognition, or put another one in its place, and the other side deleted it or did
//! the same with something else, both made up their minds about one document. To the walker these are a removal that both
//! made, and additions; that must not pass for clean. Nor must one that got the name of a different one that is new, nor the order of
//! what only its place tells apart. A place is what lies behind a document that all sides have.

use std::hash::BuildHasher as _;

use foldhash::quality::FixedState;
use hashbrown::HashMap;
use kyaml_ast::{Document, Kind, Stream};

use crate::correspond::{Gap, field_name, gaps};
use crate::documents::pair_documents;
use crate::proof::{Place, Unsound};
use crate::resource::Resource;
use crate::slots::{Side, Slots};

/// A document that both sides dropped for different things, or one of different things that both added.
pub(super) fn both_changed(sides: &Slots<Stream<'_>>) -> Option<Unsound> {
    let streams = sides.as_ref();
    let rows = pair_documents(&streams).aligned.rows;
    let replaced = replaced(&streams, &rows).or_else(|| taken(&rows)).map(Unsound::Replaced);
    replaced.or_else(|| added(&streams, &rows).map(Unsound::Added))
}

/// The name of a document that one side gave another name, which is that of a different one that the other side added.
fn taken(rows: &[Slots<Document<'_>>]) -> Option<String> {
    let is_taken = |new: &&Slots<Document<'_>>| {
        let (None, Some(ours), Some(theirs)) = (new.base, new.dest, new.incoming) else { return false };
        let is_renamed = |side: Side, new| rows.iter().any(|old| is_renamed(old, side, new));
        content(ours) != content(theirs) && (is_renamed(Side::Dest, ours) || is_renamed(Side::Incoming, theirs))
    };
    let row = rows.iter().find(is_taken)?;
    Resource::of(row.dest?).map(|resource| resource.id.to_string())
}

/// Whether a new document of a side is one that only the other side still has, with another name.
fn is_renamed(old: &Slots<Document<'_>>, side: Side, new: Document<'_>) -> bool {
    let Some(was) = old.base else { return false };
    let went = old.get(side).is_none() && old.present().count() == 2;
    went && is_like(was, new) && content(new).is_some() && content(was) == content(new)
}

/// Digest of a document but for its type and name.
fn content(document: Document<'_>) -> Option<u64> {
    let fields = document.root()?.entries().map(|entry| (field_name(entry), entry.value()));
    let fields = fields.filter(|(name, _)| !matches!(name.as_str(), "apiVersion" | "kind" | "metadata"));
    fields.map(|(name, value)| FixedState::default().hash_one((name, value.digest()))).reduce(u64::wrapping_add)
}

/// The name of a document that both sides dropped for different things.
fn replaced<'a>(streams: &Slots<&'a Stream<'a>>, rows: &[Slots<Document<'a>>]) -> Option<String> {
    let gone = by_place(rows, streams, Side::Base, |row| row.is_none());
    if gone.is_empty() {
        return None;
    }
    let is_agreed = |row: Option<&Slots<Document<'_>>>| row.is_some_and(|row| row.base.is_none() && !is_new(Some(row)));
    let agreed = by_place(rows, streams, Side::Dest, is_agreed);
    let [ours, theirs] = [Side::Dest, Side::Incoming].map(|side| by_place(rows, streams, side, is_new));
    let is_contested = |(place, gone): &(&Option<usize>, &Vec<Document<'_>>)| {
        !agreed.contains_key(*place) && are_in_conflict(gone, ours.get(*place), theirs.get(*place))
    };
    let (_, both_changed) = gone.iter().filter(is_contested).min_by_key(|(place, _)| **place)?;
    let name = Resource::of(*both_changed.first()?).map(|resource| resource.id.to_string());
    Some(name.unwrap_or_else(|| "a document".to_owned()))
}

/// Whether both sides put something in the place of what is gone, or one side something that is like it.
fn are_in_conflict(
    gone: &[Document<'_>],
    ours: Option<&Vec<Document<'_>>>,
    theirs: Option<&Vec<Document<'_>>>,
) -> bool {
    match (ours, theirs) {
        (Some(_), Some(_)) => true,
        (Some(new), None) | (None, Some(new)) => new.iter().any(|new| gone.iter().any(|old| is_like(*old, *new))),
        (None, None) => false,
    }
}

/// A document without a name that ours has where theirs has another one; one with a name, if the file is new and the sides have
/// nothing in common: then its path is all that people chose alike.
fn added<'a>(streams: &Slots<&'a Stream<'a>>, rows: &[Slots<Document<'a>>]) -> Option<Place> {
    let is_new_file = streams.base.is_some_and(|base| contents(base).next().is_none());
    let is_other_file = is_new_file && rows.iter().all(|row| is_new(Some(row)));
    let is_nameless = |document: &Document<'_>| Resource::of(*document).is_none();
    let is_wanted = |row: &Slots<Document<'_>>| {
        is_new(Some(row)) && (is_other_file || row.present().any(|(_, it)| is_nameless(it)))
    };
    if !rows.iter().any(is_wanted) {
        return None;
    }
    let wanted = |side: Side| by_place(rows, streams, side, |row| row.is_some_and(is_wanted));
    let theirs = wanted(Side::Incoming);
    let mut ours = wanted(Side::Dest).into_iter().filter(|(place, _)| theirs.contains_key(place));
    let first = ours.next()?.1.first().copied()?;
    Some(Place::of(Side::Dest, first.stream(), first.span().start))
}

/// Whether only one side has a document.
fn is_new(row: Option<&Slots<Document<'_>>>) -> bool {
    row.is_some_and(|row| row.present().count() == 1)
}

/// The documents of a stream that hold something.
fn contents<'a>(stream: &'a Stream<'a>) -> impl Iterator<Item = Document<'a>> {
    stream.documents().filter(|document| document.root().is_some_and(|root| root.kind() != Kind::Null))
}

/// The documents of a side in wanted rows, by the row of the common one before them.
fn by_place<'a>(
    rows: &[Slots<Document<'a>>],
    streams: &Slots<&'a Stream<'a>>,
    side: Side,
    is_wanted: impl Fn(Option<&Slots<Document<'a>>>) -> bool,
) -> HashMap<Option<usize>, Vec<Document<'a>>> {
    let wanted = |gap: Gap<Document<'a>>| {
        let things = gap.things.into_iter().filter(|(_, row)| is_wanted(row.map(|row| &rows[row])));
        Some((gap.before, things.map(|thing| thing.0).collect::<Vec<_>>())).filter(|(_, things)| !things.is_empty())
    };
    let documents = streams.get(side).copied().into_iter().flat_map(contents);
    gaps(rows, side, documents, |document| document.id()).into_iter().filter_map(wanted).collect()
}

/// Whether one could be the other, changed.
fn is_like(old: Document<'_>, new: Document<'_>) -> bool {
    let kind = |document| Resource::of(document).map(|resource| (resource.id.group, resource.id.kind));
    kind(old) == kind(new)
}
