//! The items of a `kind: List`: merged one by one, removed and inserted in the text of their list.

use std::collections::{BTreeMap, HashSet};

use kyaml_ast::{
    Content, Document, Edit, Entry, EntryId, Graft, Node, NodeId, Piece as Inserted, Position, Span, SpliceError,
    Stream, StreamId, splice,
};

use super::alone::{Alone, alone, node_alone, parse};
use super::fate::Fate;
use super::item_comments;
use super::place::Piece;
use super::trees::UnitRef;
use super::write::Units;
use crate::MergeError;
use crate::slots::{Side, Slots};
use crate::walk::Walker;

const LIST: StreamId = StreamId(0);
const OTHER: StreamId = StreamId(1);

/// The text of a document of the result; where it is a list of resources, with its items merged.
pub(super) fn document(units: &mut Units<'_, '_>, piece: Piece) -> Result<String, MergeError> {
    let list = units.plan.unit(piece);
    if units.trees.unit(list).item.is_some() {
        return standalone(units, piece);
    }
    let pieces = units.plan.lists.get(&list);
    if piece.from == Side::Incoming && units.trees.has_items(list) {
        return added(units, list, pieces.map_or(&[], Vec::as_slice));
    }
    let Some(pieces) = pieces else { return units.text(piece) };
    let text = match units.plan.verdicts[piece.row].fate {
        Fate::Merge => wrapper(units, piece.row)?,
        _ => units.extent(list).to_owned(),
    };
    items(units, pieces, units.plan.rows[piece.row].units, &text)
}

/// An item that becomes a document.
fn standalone(units: &mut Units<'_, '_>, piece: Piece) -> Result<String, MergeError> {
    units.added(node_alone(units.trees, units.plan.unit(piece), 0))
}

/// A list of the incoming side with the items that are wanted.
fn added(units: &mut Units<'_, '_>, list: UnitRef, pieces: &[Piece]) -> Result<String, MergeError> {
    let wanted: Vec<u32> = pieces.iter().filter_map(|&piece| units.trees.unit(units.plan.unit(piece)).item).collect();
    if wanted.is_empty() {
        return Ok(String::new());
    }
    let alone = alone(units.trees, list);
    let stream = Stream::parse(&alone.text).map_err(SpliceError::from)?;
    let all = items_entry(&stream).into_iter().flat_map(|entry| entry.value().entries());
    let unwanted = all.zip(0..).filter(|(_, index)| wanted.binary_search(index).is_err());
    let edits: Vec<Edit> = unwanted.map(|(entry, _)| Edit::Remove { entry: entry.id() }).collect();
    units.added(alone.with_text(splice(&[&stream], LIST, &edits)?))
}

/// The list's own fields, merged; its items stay as the destination has them.
fn wrapper(units: &mut Units<'_, '_>, row: usize) -> Result<String, MergeError> {
    let texts = units.plan.rows[row].units.map(|unit| alone(units.trees, unit));
    let Some(dest) = parse(&texts.dest)? else { return Ok(String::new()) };
    let with_own_items = |other: &Option<Alone>| -> Result<Option<Alone>, MergeError> {
        let (Some(stream), Some(alone)) = (parse(other)?, other) else { return Ok(None) };
        let (Some(items), Some(own)) = (items_entry(&stream), items_entry(&dest)) else { return Ok(other.clone()) };
        let content = Content::Value(Graft::new(OTHER, own.id()));
        let edit = Edit::ReplaceValue { entry: items.id(), content };
        let at = items.value().full_span().start;
        Ok(Some(alone.with_part(splice(&[&stream, &dest], LIST, &[edit])?, at)))
    };
    let (base, incoming) = (with_own_items(&texts.base)?, with_own_items(&texts.incoming)?);
    let texts = Slots { dest: texts.dest.clone(), base, incoming };
    units.merged(row, &texts)
}

/// The text of a list of the destination, with its items as planned.
fn items(units: &mut Units<'_, '_>, pieces: &[Piece], lists: Slots<UnitRef>, text: &str) -> Result<String, MergeError> {
    let [base, other] = [lists.base, lists.incoming].map(|list| list.map(|list| alone(units.trees, list)));
    let (stream, base, other) = (Stream::parse(text).map_err(SpliceError::from)?, parse(&base)?, parse(&other)?);
    let edits = match items_entry(&stream) {
        Some(collection) => {
            let base = base.as_ref().map(item_entries).unwrap_or_default();
            let new = other.as_ref().map(item_entries).unwrap_or_default();
            let mut edits = edits(units, pieces, collection.value(), other.as_ref())?;
            let gone: HashSet<EntryId> = edits.iter().filter_map(removal).collect();
            let own: Vec<Entry<'_>> = collection.value().entries().collect();
            edits.extend(comments(units, pieces, lists, ([&own, &base, &new], &gone)));
            edits
        }
        None => Vec::new(),
    };
    let streams: Vec<&Stream<'_>> = [Some(&stream), other.as_ref()].into_iter().flatten().collect();
    Ok(splice(&streams, LIST, &edits)?)
}

/// What the comments of items become that stand in the same lists on all sides.
fn comments(
    units: &Units<'_, '_>,
    pieces: &[Piece],
    lists: Slots<UnitRef>,
    ([own, base, new], gone): ([&[Entry<'_>]; 3], &HashSet<EntryId>),
) -> Vec<Edit> {
    let mut edits = Vec::new();
    for piece in pieces.iter().filter(|piece| piece.from == Side::Dest) {
        let row = units.plan.rows[piece.row].units;
        let at = |side: Side| {
            let unit = *row.get(side)?;
            let is_here = units.trees.list_of(unit) == lists.get(side).copied();
            units.trees.unit(unit).item.filter(|_| is_here).map(|item| item as usize)
        };
        let find = |side: Side, entries: &[Entry<'_>]| at(side).filter(|item| *item < entries.len());
        let item = Slots {
            dest: find(Side::Dest, own).map(|item| own[item]),
            base: find(Side::Base, base).map(|item| base[item]),
            incoming: find(Side::Incoming, new).map(|item| new[item]),
        };
        if item.dest.is_some_and(|dest| !gone.contains(&dest.id())) {
            edits.extend(item_comments::edits(item, units.terms.policy.comments, OTHER));
        }
    }
    edits
}

/// What the items of a list of the destination come to.
fn edits(
    units: &mut Units<'_, '_>,
    pieces: &[Piece],
    items: Node<'_>,
    other: Option<&Stream<'_>>,
) -> Result<Vec<Edit>, MergeError> {
    let own: Vec<Entry<'_>> = items.entries().collect();
    let new = other.map(item_entries).unwrap_or_default();
    let mut walker = other.map(|other| units.walker(other)).transpose()?;
    let mut gone: Vec<bool> = vec![true; own.len()];
    let mut position = Position::First;
    let mut edits = Vec::new();
    for &piece in pieces {
        let unit = units.plan.unit(piece);
        let Some(index) = units.trees.unit(unit).item.map(|item| item as usize) else { continue };
        let fate = units.plan.verdicts[piece.row].fate;
        match (piece.from, own.get(index), new.get(index), &mut walker) {
            (Side::Dest, Some(entry), ..) => {
                gone[index] = false;
                position = Position::After(entry.id());
                if fate == Fate::Merge {
                    let text = units.text(piece)?;
                    gone[index] = text.trim().is_empty();
                    edits.extend((!gone[index]).then(|| Edit::Text { span: node_span(entry.value()), text }));
                }
            }
            (_, _, Some(entry), Some(walker)) if fate == Fate::Add => {
                edits.extend(insertion(walker, *entry, (items.id(), position)));
            }
            _ => {}
        }
    }
    let removed = own.iter().zip(gone).filter(|(_, gone)| *gone);
    edits.extend(removed.map(|(entry, _)| Edit::Remove { entry: entry.id() }));
    Ok(edits)
}

/// Adds an incoming item, unless it is nothing but an order to remove it.
fn insertion<'t>(walker: &mut Walker<'t>, entry: Entry<'t>, place: (NodeId, Position)) -> Option<Edit> {
    if walker.clears(Slots { dest: None, base: None, incoming: Some(entry.value()) }) {
        return None;
    }
    let graft = Graft { stream: OTHER, part: entry.id(), edits: walker.pruned(entry.value()) };
    Some(Edit::Insert { collection: place.0, position: place.1, pieces: vec![Inserted::Entry(graft)] })
}

const fn removal(edit: &Edit) -> Option<EntryId> {
    match edit {
        Edit::Remove { entry } => Some(*entry),
        _ => None,
    }
}

/// The span of a resource with the comment beside its last line.
pub(super) fn node_span(node: Node<'_>) -> Span {
    let span = node.full_span();
    let source = node.stream().source();
    let rest = source[span.end as usize..].lines().next().unwrap_or_default();
    let has_comment = rest.starts_with([' ', '\t']) && rest.trim_start().starts_with('#');
    let end = if node.is_block_collection() && has_comment { rest.trim_end().len() as u32 } else { 0 };
    Span::new(span.start, span.end + end)
}

/// The text of a list some of whose items have new texts, or go; `None` where no item is left.
pub(super) fn with_items(text: &str, new: &BTreeMap<usize, Option<String>>) -> Result<Option<String>, MergeError> {
    let stream = Stream::parse(text).map_err(SpliceError::from)?;
    let entries: Vec<Entry<'_>> = items_entry(&stream).iter().flat_map(|entry| entry.value().entries()).collect();
    let is_left = |index: usize| new.get(&index).is_none_or(Option::is_some);
    if !(0..entries.len()).any(is_left) {
        return Ok(None);
    }
    let edit = |(index, entry): (usize, &Entry<'_>)| match new.get(&index)? {
        Some(text) => Some(Edit::Text { span: node_span(entry.value()), text: text.clone() }),
        None => Some(Edit::Remove { entry: entry.id() }),
    };
    let edits: Vec<Edit> = entries.iter().enumerate().filter_map(edit).collect();
    Ok(Some(splice(&[&stream], LIST, &edits)?))
}

fn item_entries<'t>(stream: &'t Stream<'_>) -> Vec<Entry<'t>> {
    items_entry(stream).iter().flat_map(|entry| entry.value().entries()).collect()
}

fn items_entry<'t>(stream: &'t Stream<'_>) -> Option<Entry<'t>> {
    let root = stream.documents().next().and_then(Document::root)?;
    root.entries().find(|entry| entry.key().is_some_and(|key| key.value() == "items"))
}
