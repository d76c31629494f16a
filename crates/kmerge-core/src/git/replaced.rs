//! Documents in the place of one that went from both sides, and different ones that both sides put at one place.
//!
//! Where a side changed a document beyond recognition, or put another one in its place, and the other side deleted it or did
//! the same with something else, both made up their minds about one document. To the walker these are a removal that both
//! made, and additions; that must not pass for clean. Nor must one that got the name of a different one that is new, nor the order of
//! what only its place tells apart. A place is what lies behind a document that all sides have.

use hashbrown::{HashMap, HashSet};
use kyaml_ast::{Document, Kind, NodeId, Stream};

use super::renames::body;
use crate::correspond::{Gap, gaps};
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
    let content = |document: Option<&Document<'_>>| document?.root().and_then(body);
    let is_other = |row: &&Slots<Document<'_>>| {
        let is_on_both = row.base.is_none() && row.dest.is_some() && row.incoming.is_some();
        is_on_both && content(row.dest.as_ref()) != content(row.incoming.as_ref())
    };
    let is_taken = |row: &&Slots<Document<'_>>, side: Side| {
        let is_old = |old: &Slots<Document<'_>>| {
            let went = old.get(side).is_none() && old.present().count() == 2;
            let is_alike = old.base.zip(row.get(side).copied()).is_some_and(|(was, is)| is_like(was, is));
            went && is_alike && content(old.base.as_ref()) == content(row.get(side))
        };
        content(row.get(side)).is_some() && rows.iter().any(is_old)
    };
    let row = rows.iter().filter(is_other).find(|row| is_taken(row, Side::Dest) || is_taken(row, Side::Incoming))?;
    Resource::of(row.dest?).map(|resource| resource.id.to_string())
}

/// The name of a document that both sides dropped for different things.
fn replaced<'a>(streams: &Slots<&'a Stream<'a>>, rows: &[Slots<Document<'a>>]) -> Option<String> {
    let paired: HashSet<NodeId> = rows.iter().filter_map(|row| row.base.map(Document::id)).collect();
    let is_kept = |document: Document<'_>| paired.contains(&document.id());
    if streams.base.is_none_or(|base| contents(base).all(is_kept)) {
        return None;
    }
    let gone = by_place(rows, streams.base, Side::Base, |row| row.is_none());
    let is_agreed = |row: Option<&Slots<Document<'_>>>| row.is_some_and(|row| row.base.is_none() && !is_new(Some(row)));
    let agreed = by_place(rows, streams.dest, Side::Dest, is_agreed);
    let ours = by_place(rows, streams.dest, Side::Dest, is_new);
    let theirs = by_place(rows, streams.incoming, Side::Incoming, is_new);
    let is_in_conflict =
        |(place, gone): (&Option<usize>, &Vec<Document<'_>>)| match (ours.get(place), theirs.get(place)) {
            _ if agreed.contains_key(place) => false,
            (Some(_), Some(_)) => true,
            (Some(new), None) | (None, Some(new)) => new.iter().any(|new| gone.iter().any(|old| is_like(*old, *new))),
            (None, None) => false,
        };
    let (_, both_changed) = gone.iter().filter(|it| is_in_conflict(*it)).min_by_key(|(place, _)| **place)?;
    let name = Resource::of(*both_changed.first()?).map(|resource| resource.id.to_string());
    Some(name.unwrap_or_else(|| "a document".to_owned()))
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
    let nameless =
        |stream: Option<&'a Stream<'a>>, side: Side| by_place(rows, stream, side, |row| row.is_some_and(is_wanted));
    let theirs = nameless(streams.incoming, Side::Incoming);
    let mut ours = nameless(streams.dest, Side::Dest).into_iter().filter(|(place, _)| theirs.contains_key(place));
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
    stream: Option<&'a Stream<'a>>,
    side: Side,
    is_wanted: impl Fn(Option<&Slots<Document<'a>>>) -> bool,
) -> HashMap<Option<usize>, Vec<Document<'a>>> {
    let wanted = |gap: Gap<Document<'a>>| {
        let things = gap.things.into_iter().filter(|(_, row)| is_wanted(row.map(|row| &rows[row])));
        Some((gap.before, things.map(|thing| thing.0).collect::<Vec<_>>())).filter(|(_, things)| !things.is_empty())
    };
    let documents = stream.into_iter().flat_map(contents);
    gaps(rows, side, documents, |document| document.id()).into_iter().filter_map(wanted).collect()
}

/// Whether one could be the other, changed.
fn is_like(old: Document<'_>, new: Document<'_>) -> bool {
    let kind = |document| Resource::of(document).map(|resource| (resource.id.group, resource.id.kind));
    kind(old) == kind(new)
}
