//! Turns flow collections into block collections, if an edit brings comments or block scalars into them.
//!
//! Works before anything is spliced. A stream with such edits is rewritten as text: the outermost flow collection
//! around each edit, and the flow collections between that and the edit, become blocks. The edits are then changed to
//! refer to the new text. Flow collections in keys stay as they are, because they have no block style.

use std::collections::{BTreeMap, BTreeSet};

use super::replacement::assemble;
use super::slot::{body_span, entries_span};
use super::{Context, Place, SpliceError, restyle};
use crate::edit::{CommentSlot, Content, DocumentPiece, Edit, Graft, Piece, Position, StreamId};
use crate::entry::EntryId;
use crate::parents::Seat;
use crate::span::Span;
use crate::tree::{Kind, NodeId, Record, Stream, span_at};
use crate::trivia::owns_line;

/// Edits, with the stream that they refer to if that is a new one.
struct Opened {
    stream: StreamId,
    edits: Vec<Edit>,
    /// The nodes of the old stream in the new one. `None` if the stream did not change.
    map: Option<Map>,
}

/// Opens the flow collections that must be opened. New sources are added to `texts`.
fn open(
    context: &Context<'_>,
    texts: &mut Vec<String>,
    (id, edits): (StreamId, &[Edit]),
) -> Result<Opened, SpliceError> {
    let flows = flows_to_open(context, id, edits)?;
    let mut edits = edits.to_vec();
    for edit in &mut edits {
        open_grafts(context, texts, edit)?;
    }
    if flows.all.is_empty() {
        return Ok(Opened { stream: id, edits, map: None });
    }
    let stream = context.stream(id)?;
    let (completed, flow_columns) = Default::default();
    let mut place = Place { context, id, stream, trails: BTreeMap::new(), completed, flow_columns, out: Vec::new() };
    for node in &flows.outermost {
        let node = stream.node(*node);
        let holder = match context.seat(id, node.id()) {
            Seat::Value(holder) | Seat::Key(holder) => Some(stream.entry(holder)),
            Seat::Root => None,
        };
        let column = place.opened_column(node, holder);
        let lines = restyle::collection_lines(node, column, &flows.all, context);
        place.fill_collection(node, holder, lines);
    }
    let whole = Span::new(0, stream.source.len() as u32);
    let carriages = if id == context.target { context.carriages } else { &[] };
    let text = assemble(stream, whole, place.out, context.newline, carriages)?;
    let no_place = SpliceError::NoPlace(flows.outermost.first().map_or(whole, |node| stream.node(*node).span()));
    let map = Map::new(stream, &Stream::parse(&text)?).ok_or_else(|| no_place.clone())?;
    let index = u32::try_from(context.streams.len() + texts.len()).map_err(|_| no_place.clone())?;
    for edit in &mut edits {
        map.edit(edit, [stream.source, &text]).ok_or_else(|| no_place.clone())?;
    }
    texts.push(text);
    Ok(Opened { stream: StreamId(index), edits, map: Some(map) })
}

/// Whether anything must be opened, at any level. Fast if no flow collection is edited.
pub(super) fn is_needed(context: &Context<'_>, id: StreamId, edits: &[Edit]) -> Result<bool, SpliceError> {
    let Ok(stream) = context.stream(id) else { return Err(SpliceError::NoStream(id.0)) };
    for edit in edits {
        if flow_target(stream, edit).is_some() && brings_lines(context, stream, edit)? {
            return Ok(true);
        }
        for graft in edit.travels() {
            if is_needed(context, graft.stream, graft.edits)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn open_grafts(context: &Context<'_>, texts: &mut Vec<String>, edit: &mut Edit) -> Result<(), SpliceError> {
    match edit {
        Edit::ReplaceValue { content, .. } | Edit::ReplaceRoot { content, .. } => open_content(context, texts, content),
        Edit::Insert { pieces, .. } | Edit::Rewrite { pieces, .. } => {
            for piece in pieces {
                match piece {
                    Piece::Entry(graft) => open_entry(context, texts, graft)?,
                    Piece::New { value, .. } => open_content(context, texts, value)?,
                    Piece::Lines(_) => {}
                }
            }
            Ok(())
        }
        Edit::InsertDocuments { documents, .. } => {
            for piece in documents {
                if let DocumentPiece::Document(graft) = piece {
                    open_graft(context, texts, graft, |map, node| map.node(*node))?;
                }
            }
            Ok(())
        }
        _ => Ok(()),
    }
}

fn open_content(context: &Context<'_>, texts: &mut Vec<String>, content: &mut Content) -> Result<(), SpliceError> {
    match content {
        Content::Value(graft) | Content::Layout(graft) => open_graft(context, texts, graft, Map::entry),
        Content::Root(graft) => open_graft(context, texts, graft, |map, node| map.node(*node)),
        Content::Inline(_) | Content::Block { .. } => Ok(()),
    }
}

/// As [`open_graft`], for an entry. The entry gets no comments that it did not have before.
fn open_entry(context: &Context<'_>, texts: &mut Vec<String>, graft: &mut Graft<EntryId>) -> Result<(), SpliceError> {
    let entry = context.stream(graft.stream)?.entry(graft.part);
    let has_comments = (entry.lead().is_some(), entry.trail().is_some());
    let stream = graft.stream;
    open_graft(context, texts, graft, Map::entry)?;
    if graft.stream == stream {
        return Ok(());
    }
    for (slot, has_comment) in [(CommentSlot::Lead, has_comments.0), (CommentSlot::Trail, has_comments.1)] {
        let is_own = |edit: &Edit| matches!(edit, Edit::SetComment { entry, slot: it, .. } if *entry == graft.part && *it == slot);
        if !has_comment && !graft.edits.iter().any(is_own) {
            graft.edits.push(Edit::SetComment { entry: graft.part, slot, from: None });
        }
    }
    Ok(())
}

/// Opens the flow collections that the edits of a graft need, and makes the graft refer to the new streams.
pub(super) fn open_graft<T>(
    context: &Context<'_>,
    texts: &mut Vec<String>,
    graft: &mut Graft<T>,
    moved: impl Fn(&Map, &T) -> Option<T>,
) -> Result<(), SpliceError> {
    if graft.edits.is_empty() {
        return Ok(());
    }
    let opened = open(context, texts, (graft.stream, &graft.edits))?;
    graft.edits = opened.edits;
    if let Some(map) = opened.map {
        graft.part = moved(&map, &graft.part).ok_or(SpliceError::NoPlace(Span::default()))?;
        graft.stream = opened.stream;
    }
    Ok(())
}

/// The flow collection whose entries an edit changes.
fn flow_target(stream: &Stream<'_>, edit: &Edit) -> Option<NodeId> {
    let collection = match edit {
        Edit::ReplaceValue { entry, .. } | Edit::Rewrite { entry, .. } | Edit::SetComment { entry, .. } => {
            entry.collection
        }
        Edit::Insert { collection, .. } => *collection,
        _ => return None,
    };
    stream.node(collection).is_flow().then_some(collection)
}

/// Whether an edit brings text that needs lines of its own.
pub(super) fn brings_lines(context: &Context<'_>, stream: &Stream<'_>, edit: &Edit) -> Result<bool, SpliceError> {
    match edit {
        Edit::ReplaceValue { content, .. } => content_has_lines(context, content),
        Edit::Insert { pieces, .. } | Edit::Rewrite { pieces, .. } => {
            for piece in pieces {
                let has_lines = match piece {
                    Piece::Entry(graft) => {
                        let entry = context.stream(graft.stream)?.entry(graft.part);
                        let start = entry.start();
                        let first = entry.stream().tape.partition_point(|record| record.start < start);
                        entry.lead().is_some()
                            || entry.trail().is_some()
                            || has_lines(&entry.stream().tape[first..], entry.extent().end)
                            || edits_have_lines(context, graft.stream, &graft.edits)?
                    }
                    Piece::New { value, .. } => content_has_lines(context, value)?,
                    Piece::Lines(_) => false,
                };
                if has_lines {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Edit::SetComment { entry, slot, from: Some((from, theirs)) } => {
            let theirs = context.stream(*from)?.entry(*theirs);
            let entry = stream.entry(*entry);
            Ok(!owns_line(entry)
                && match slot {
                    CommentSlot::Lead => theirs.lead().is_some(),
                    CommentSlot::Trail => theirs.trail().is_some() && entry.trail().is_none(),
                })
        }
        _ => Ok(false),
    }
}

fn edits_have_lines(context: &Context<'_>, id: StreamId, edits: &[Edit]) -> Result<bool, SpliceError> {
    let stream = context.stream(id)?;
    for edit in edits {
        let is_comment = matches!(edit, Edit::SetComment { from: Some(_), .. });
        if is_comment || brings_lines(context, stream, edit)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn content_has_lines(context: &Context<'_>, content: &Content) -> Result<bool, SpliceError> {
    let (id, node, body, edits) = match content {
        Content::Inline(_) => return Ok(false),
        Content::Block { .. } => return Ok(true),
        Content::Value(graft) | Content::Layout(graft) => {
            let entry = context.stream(graft.stream)?.entry(graft.part);
            (graft.stream, entry.value(), body_span(entry.value(), entry.indicator().end), &graft.edits)
        }
        Content::Root(graft) => {
            let node = context.stream(graft.stream)?.node(graft.part);
            (graft.stream, node, entries_span(node), &graft.edits)
        }
    };
    let tape = &node.stream().tape;
    let has_lines = match body.filter(|_| node.is_block_collection()) {
        // Comments above the first entry and below the last belong to the collection.
        Some(body) => has_lines(&tape[tape.partition_point(|record| record.start < body.start)..], body.end),
        None => has_lines(&tape[node.first_record()..node.after()], u32::MAX),
    };
    Ok(has_lines || edits_have_lines(context, id, edits)?)
}

fn has_lines(records: &[Record], end: u32) -> bool {
    let mut records = records.iter().take_while(|record| record.start < end);
    records.any(|record| record.kind == Kind::Comment || record.kind.is_block_scalar())
}

/// Flow collections that must become blocks.
#[derive(Default)]
struct Flows {
    all: BTreeSet<NodeId>,
    outermost: BTreeSet<NodeId>,
}

fn flows_to_open(context: &Context<'_>, id: StreamId, edits: &[Edit]) -> Result<Flows, SpliceError> {
    let stream = context.stream(id)?;
    let mut flows = Flows::default();
    for edit in edits {
        let Some(target) = flow_target(stream, edit) else { continue };
        if brings_lines(context, stream, edit)? {
            flows.add(context, id, target)?;
        }
    }
    Ok(flows)
}

impl Flows {
    /// Adds `target` and the flow collections around it.
    fn add(&mut self, context: &Context<'_>, id: StreamId, target: NodeId) -> Result<(), SpliceError> {
        let stream = context.stream(id)?;
        let mut path = vec![target];
        while let Some(&last) = path.last() {
            if self.all.contains(&last) {
                break;
            }
            match context.seat(id, last) {
                Seat::Key(_) => return Ok(()),
                Seat::Value(entry) if stream.node(entry.collection).is_flow() => path.push(entry.collection),
                Seat::Root | Seat::Value(_) => {
                    // An empty collection in a block becomes a block even without this.
                    if last == target && stream.node(last).entries().next().is_none() {
                        return Ok(());
                    }
                    self.outermost.insert(last);
                    break;
                }
            }
        }
        self.all.extend(path);
        Ok(())
    }
}

/// The positions of the nodes, properties and documents of one stream in another stream with the same ones.
pub(super) struct Map {
    old: Vec<Record>,
    new: Vec<Record>,
    indices: Vec<u32>,
}

impl Map {
    fn new(old: &Stream<'_>, new: &Stream<'_>) -> Option<Self> {
        let is_mapped =
            |record: &Record| record.kind.is_node() || matches!(record.kind, Kind::Document | Kind::Anchor | Kind::Tag);
        let mut found = (0..new.tape.len()).filter(|&index| is_mapped(&new.tape[index]));
        let mut indices = Vec::with_capacity(old.tape.len());
        for record in &old.tape {
            indices.push(if is_mapped(record) { found.next()? as u32 } else { u32::MAX });
        }
        found.next().is_none().then(|| Self { old: old.tape.clone(), new: new.tape.clone(), indices })
    }

    pub(super) fn node(&self, node: NodeId) -> Option<NodeId> {
        self.indices.get(node.index()).copied().filter(|index| *index != u32::MAX).map(NodeId)
    }

    pub(super) fn entry(&self, entry: &EntryId) -> Option<EntryId> {
        let key = match entry.key {
            Some(key) => Some(self.node(key)?),
            None => None,
        };
        Some(EntryId { collection: self.node(entry.collection)?, key, value: self.node(entry.value)? })
    }

    /// A span with the same text in both sources. Inside a scalar, its place counts from the scalar's start; elsewhere from what
    /// comes next, as the lines above may have become more.
    fn span(&self, span: Span, [old, new]: [&str; 2]) -> Option<Span> {
        let is_mapped = |index: &usize| self.indices[*index] != u32::MAX;
        let is_inside = |index: &usize| {
            let kind = self.old[*index].kind;
            kind.is_node() && !kind.is_collection() && span_at(&self.old, *index).contains(span)
        };
        let before = self.old.partition_point(|record| record.start <= span.start);
        let below = self.old.partition_point(|record| record.start < span.end);
        let scalar = (0..before).rev().find(is_mapped).filter(is_inside);
        let [from, to] = match scalar.or_else(|| (below..self.old.len()).find(is_mapped)) {
            Some(anchor) => [self.old[anchor].start, self.new[self.indices[anchor] as usize].start],
            None => [old, new].map(|source| source.len() as u32),
        };
        let moved = Span::new((to + span.start).checked_sub(from)?, (to + span.end).checked_sub(from)?);
        (old.get(span.range()) == new.get(moved.range())).then_some(moved)
    }

    fn edit(&self, edit: &mut Edit, sources: [&str; 2]) -> Option<()> {
        match edit {
            Edit::ReplaceValue { entry, .. }
            | Edit::ReplaceKey { entry, .. }
            | Edit::Remove { entry }
            | Edit::Rewrite { entry, .. }
            | Edit::SetComment { entry, .. } => *entry = self.entry(entry)?,
            Edit::ReplaceRoot { root, .. } => *root = self.node(*root)?,
            Edit::Insert { collection, position, .. } => {
                *collection = self.node(*collection)?;
                if let Position::After(entry) = position {
                    *entry = self.entry(entry)?;
                }
            }
            Edit::InsertDocuments { after: Some(document), .. } | Edit::RemoveDocument { document } => {
                *document = self.node(*document)?;
            }
            Edit::InsertDocuments { after: None, .. } => {}
            Edit::Text { span, .. } | Edit::Lines { span, .. } => *span = self.span(*span, sources)?,
        }
        Some(())
    }
}
