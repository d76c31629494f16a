//! The items of a `kind: List`: merged one by one, removed and inserted in the text of their list.

use std::borrow::Cow;
use std::collections::BTreeMap;

use kyaml_ast::{
    Content, Edit, Entry, Graft, Kind, Node, Piece, Position, ScalarPlace, Span, Stream, StreamId, render_string,
    splice,
};

use super::assemble::Part;
use super::excerpt::{Excerpt, excerpt, in_file, parse, parse_all};
use super::extract::{extract_item, with_comments};
use super::fate::Fate;
use super::items::Draft;
use super::rows::Row;
use super::trees::UnitRef;
use super::unit::Unit;
use super::write::{Report, Units};
use crate::MergeError;
use crate::conflict::{ConflictStyle, hunks, render};
use crate::plan::Plan;
use crate::resolve::Outcome;
use crate::resource::{field, field_entry, text};
use crate::slots::{Side, Slots};
use crate::walk::Walker;

const LIST: StreamId = StreamId(0);
const OTHER: StreamId = StreamId(1);

/// A document of the result; what one side removed and the other changed is in conflict as a whole.
pub(super) fn document(units: &mut Units<'_, '_>, row: usize) -> Result<Part, MergeError> {
    let unit = units.plan.unit(row);
    let text = if unit.side == Side::Incoming && units.trees.has_items(unit) {
        added(units, unit)?
    } else if units.plan.lists.contains_key(&unit) {
        own(units, row)?
    } else {
        units.text(row)?
    };
    let Row { units: versions, fate, .. } = units.plan.rows[row];
    let base = |base| Ok::<_, MergeError>(alone(units, base)?.text);
    let contested = match fate {
        Fate::Conflict => Some(versions.base.map(base).transpose()?.unwrap_or_default()),
        _ => None,
    };
    Ok(Part { unit, document: units.trees.unit(unit).document, text, contested })
}

/// The text of a list of the destination, merged. A text with markers cannot be merged any further: where the list's own fields
/// are in conflict, the versions of the whole list are written without markers, and markers stand where they differ.
fn own(units: &mut Units<'_, '_>, row: usize) -> Result<String, MergeError> {
    let known = units.reports.len();
    let text = fields(units, row)?;
    let is_open = |report: &Report| report.decisions.iter().any(|decision| decision.outcome == Outcome::Conflict);
    let ConflictStyle::Markers { style, labels } = *units.terms.conflicts else { return items(units, row, &text) };
    if !units.reports[known..].iter().any(is_open) {
        return items(units, row, &text);
    }
    let [ours, base, theirs] = units.versions(known, |units| {
        let text = fields(units, row)?;
        items(units, row, &text)
    })?;
    Ok(hunks([&ours, &base, &theirs], style, labels))
}

/// A list of the destination with its own fields merged. The versions are compared as if they all had the destination's items, if any
/// stay or come.
fn fields(units: &mut Units<'_, '_>, row: usize) -> Result<String, MergeError> {
    let list = units.plan.unit(row);
    let Row { units: versions, fate, .. } = units.plan.rows[row];
    if fate != Fate::Merge {
        return Ok(units.trees.extent(list).to_owned());
    }
    let is_filled = !units.plan.items(list).is_empty();
    let mut texts = versions.map(|unit| excerpt(units.trees, unit));
    let own = texts.dest.clone();
    let Some(dest) = parse(&own)? else { return Ok(String::new()) };
    // Where the destination has no place for the items that come, the incoming side makes it.
    let is_place_missing = is_filled && items_entry(&dest).is_none();
    let like_dest = |text: Excerpt| with_items_of(&text, &dest, is_filled);
    texts.base = texts.base.map(like_dest).transpose()?;
    if !is_place_missing {
        texts.incoming = texts.incoming.map(like_dest).transpose()?;
    }
    units.merged(row, &texts)
}

/// A unit as a document; an item with the comments above and beside it.
pub(super) fn alone(units: &Units<'_, '_>, unit: UnitRef) -> Result<Excerpt, MergeError> {
    let list = units.trees.list_of(unit).map(|list| excerpt(units.trees, list));
    let Some(list) = parse(&list)? else { return Ok(excerpt(units.trees, unit)) };
    let item = extract_item(units.trees, unit, None)?;
    let text = with_kind(&item.text, &list)?;
    let entry = item_entry(&list, units.trees.unit(unit));
    Ok(item.with_text(entry.map_or_else(|| text.to_string(), |entry| with_comments(&text, entry))))
}

/// An item that leaves its `list` with the kind that the list has said: `SecretList`. Nobody would know a Secret without it.
fn with_kind<'i>(item: &'i str, list: &Stream<'_>) -> Result<Cow<'i, str>, MergeError> {
    let own = Stream::parse(item)?;
    let root = own.root().filter(|root| root.kind() == Kind::Mapping && field(*root, "kind").is_none());
    let (Some(root), Some(list)) = (root, list.root()) else { return Ok(item.into()) };
    let Some(kind) = kind_of_items(list) else { return Ok(item.into()) };
    let version = if field(root, "apiVersion").is_none() { text(list, "apiVersion") } else { None };
    let version = version.map(|version| new_field("apiVersion", &version));
    let pieces = version.into_iter().chain([new_field("kind", &kind)]).collect();
    let edit = Edit::Insert { collection: root.id(), position: Position::First, pieces };
    Ok(splice(&[&own], LIST, &[edit])?.into())
}

/// The kind of which a list says that all of its items are.
fn kind_of_items(list: Node<'_>) -> Option<String> {
    let kind = text(list, "kind")?.strip_suffix("List")?.to_owned();
    (!kind.is_empty()).then_some(kind)
}

fn new_field(key: &str, value: &str) -> Piece {
    let value = Content::Inline(render_string(value, ScalarPlace::Flow));
    Piece::New { key: Some(key.to_owned()), value }
}

/// A list of the incoming side with the items that are wanted.
fn added(units: &mut Units<'_, '_>, list: UnitRef) -> Result<String, MergeError> {
    let rows = units.plan.items(list);
    let wanted: Vec<u32> = rows.iter().filter_map(|&row| units.trees.unit(units.plan.unit(row)).item).collect();
    if wanted.is_empty() {
        return Ok(String::new());
    }
    let list = excerpt(units.trees, list);
    let stream = Stream::parse(&list.text)?;
    let unwanted = item_entries(&stream).into_iter().zip(0..).filter(|(_, index)| wanted.binary_search(index).is_err());
    let edits: Vec<Edit> = unwanted.map(|(entry, _)| Edit::Remove { entry: entry.id() }).collect();
    units.added(list.with_text(splice(&[&stream], LIST, &edits)?))
}

/// A version of a list with the items of the destination's; one that has none stays so where none are wanted.
fn with_items_of(list: &Excerpt, dest: &Stream<'_>, is_filled: bool) -> Result<Excerpt, MergeError> {
    let stream = Stream::parse(&list.text)?;
    let own = items_entry(&stream).filter(|items| is_filled || items.value().entries().next().is_some());
    let (edit, at) = match (own, items_entry(dest), stream.root()) {
        (Some(own), Some(wanted), _) => {
            let content = Content::Value(Graft::new(OTHER, wanted.id()));
            (Edit::ReplaceValue { entry: own.id(), content }, own.value().full_span().start)
        }
        (Some(own), None, _) => (Edit::Remove { entry: own.id() }, own.span().start),
        (None, Some(wanted), Some(root)) if is_filled => (insertion_at_end(root, wanted), root.full_span().end),
        _ => return Ok(list.clone()),
    };
    Ok(list.with_part(splice(&[&stream, dest], LIST, &[edit])?, at))
}

fn insertion_at_end(collection: Node<'_>, entry: Entry<'_>) -> Edit {
    let pieces = vec![Piece::Entry(Graft::new(OTHER, entry.id()))];
    let position = collection.entries().last().map_or(Position::First, |last| Position::After(last.id()));
    Edit::Insert { collection: collection.id(), position, pieces }
}

/// The text of a list of the destination, with its items as planned.
fn items(units: &mut Units<'_, '_>, row: usize, text: &str) -> Result<String, MergeError> {
    let rows = units.plan.items(units.plan.unit(row));
    let Row { units: lists, fate, .. } = units.plan.rows[row];
    let texts = Slots { dest: None, ..lists.map(|list| excerpt(units.trees, list)) };
    let text = if rows.is_empty() { Cow::Borrowed(text) } else { with_place(text)? };
    let (stream, others) = (Stream::parse(&text)?, parse_all(&texts)?);
    let sides = Slots { dest: Some(&stream), ..others.as_ref() };
    let mut plan = Plan::default();
    if let Some(collection) = items_entry(&stream) {
        units.enter(row);
        let walker = Walker::new(sides, units.terms.policy).map_err(|error| in_file(error, texts.incoming.as_ref()))?;
        plan = Draft::new(collection.value(), lists, sides, walker).finish(units, rows)?;
    }
    // What is in conflict as a whole has no hunks inside.
    let style = if fate == Fate::Conflict { &ConflictStyle::Dest } else { units.terms.conflicts };
    render(&plan, sides, style)
}

/// The text of a list with a collection for its items where it has a null there.
fn with_place(text: &str) -> Result<Cow<'_, str>, MergeError> {
    let stream = Stream::parse(text)?;
    let Some(items) = items_entry(&stream).filter(|items| items.value().kind() == Kind::Null) else {
        return Ok(text.into());
    };
    let edit = Edit::ReplaceValue { entry: items.id(), content: Content::Inline("[]".to_owned()) };
    Ok(splice(&[&stream], LIST, &[edit])?.into())
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

/// The text of a list some of whose items have new texts, or go; `None` if no item is left.
pub(super) fn with_items(text: &str, new: &BTreeMap<usize, Option<String>>) -> Result<Option<String>, MergeError> {
    let stream = Stream::parse(text)?;
    let entries = item_entries(&stream);
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

/// The items of the list in a stream.
pub(super) fn item_entries<'t>(stream: &'t Stream<'_>) -> Vec<Entry<'t>> {
    items_entry(stream).iter().flat_map(|entry| entry.value().entries()).collect()
}

/// A unit in the stream of its list.
pub(super) fn item_entry<'t>(stream: &'t Stream<'_>, unit: &Unit) -> Option<Entry<'t>> {
    items_entry(stream)?.value().entries().nth(unit.item? as usize)
}

fn items_entry<'t>(stream: &'t Stream<'_>) -> Option<Entry<'t>> {
    field_entry(stream.root()?, "items")
}
