//! Turns edits into bytes: each edit becomes replacements. They are sorted, checked for overlaps and applied in one
//! pass.
//!
//! Invariants: bytes outside the edited places are those of the source, by construction. Values are what the edits say,
//! because the result is compared with the edits.
//!
//! Ignores whether an edit makes sense (a duplicate key, for example): the caller must check that.

mod block;
mod carriage;
mod comma;
mod comment;
mod document;
mod flow;
mod lines;
mod names;
mod open;
mod render;
mod replacement;
mod restyle;
mod slot;
mod unended;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::edit::{CommentSlot, Content, Edit, Graft, StreamId};
use crate::entry::EntryId;
use crate::indent::{IndentStyle, indent_of};
use crate::intent::is_unforeseen;
use crate::parents::{Parents, Seat};
use crate::span::{Newline, Span, line_start};
use crate::tree::{Kind, Node, NodeId, Stream};
use crate::verify::verify;
use block::removes_all;
use carriage::{LineBreaks, carriages, fed, with_line_feeds};
use lines::column_of_lines;
use replacement::{Rank, Replacement, Seam, assemble, last_written};
pub(crate) use restyle::is_plain_in_block;
use slot::has_inner_comments;

/// Why edits could not be applied. Each is a mistake in the edits, not in the source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SpliceError {
    /// Two edits claim the same bytes.
    #[error("an edit of bytes {}..{} reaches into another that ends at {at}", span.start, span.end)]
    Overlap {
        /// The later edit's bytes.
        span: Span,
        /// Where the earlier edit ends.
        at: u32,
    },
    /// An edit refers to a stream that was not given.
    #[error("stream {0} was not given")]
    NoStream(u32),
    /// An entry was inserted into a collection of the other kind.
    #[error("an item cannot become a field, nor a field an item")]
    KindMismatch,
    /// A part that is written into a flow collection is not valid YAML after its edits are applied.
    #[error("the edited part does not parse: {0}")]
    Unparsable(#[from] crate::ParseError),
    /// The result would not be YAML. This is a defect of this crate, which was found before it did harm.
    #[error("the result would not parse: {0}")]
    Unreadable(Box<crate::ParseError>),
    /// The result would differ from what the edits mean. They agree up to this place. This is a defect of this crate,
    /// which was found before it did harm.
    #[error("the edits near bytes {}..{} cannot be written faithfully", .0.start, .0.end)]
    Unfaithful(Span),
    /// An alias whose node will be gone. The node cannot take the alias's place, because the alias is a key or the node
    /// is too much text.
    #[error("the alias at bytes {}..{} would lose its anchor", alias.start, alias.end)]
    UndefinedAlias {
        /// The alias, in its stream.
        alias: Span,
        /// The anchor in the same stream, if the node with the anchor is what cannot be copied.
        anchor: Option<Span>,
    },
    /// A place that cannot hold what is written to it, such as lines inside a flow collection.
    #[error("bytes {}..{} cannot take this edit", .0.start, .0.end)]
    NoPlace(Span),
}

/// Applies `edits` to the stream `target` of `streams`, and returns the new text.
///
/// The text is parsed and compared with the meaning of the edits. So a defect of this crate is an error, not a wrong
/// text. This costs about as much as parsing the target once. ([`splice_unchecked`] skips it.)
///
/// ```
/// use kyaml_ast::{Content, Edit, Stream, StreamId, splice};
///
/// let stream = Stream::parse("replicas: 3 # tuned\nimage:  'app:1'\n")?;
/// let root = stream.documents().next().and_then(|document| document.root()).expect("one document");
/// let entry = root.entries().next().expect("two fields").id();
/// let edit = Edit::ReplaceValue { entry, content: Content::Inline("5".into()) };
/// assert_eq!(splice(&[&stream], StreamId(0), &[edit])?, "replicas: 5 # tuned\nimage:  'app:1'\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// See [`SpliceError`].
pub fn splice(streams: &[&Stream<'_>], target: StreamId, edits: &[Edit]) -> Result<String, SpliceError> {
    with_line_feeds(streams, target, |streams, breaks| {
        let context = Context::new(streams, target, breaks.carriages())?;
        let moved = unended::above(context.stream(target)?, edits);
        splice_checked(context, moved.as_deref().unwrap_or(edits)).map(|text| breaks.restored(text))
    })
}

fn splice_checked(context: Context<'_>, edits: &[Edit]) -> Result<String, SpliceError> {
    let (streams, target) = (context.streams, context.target);
    let text = splice_lines(&context, edits)?;
    let tree = streams[target.index()];
    if !edits.iter().any(|edit| is_unforeseen(tree, edit)) {
        // Frees its memory, which the result's tree needs.
        drop(context);
        check(streams, target, edits, &text)?;
        return Ok(text);
    }
    // Lines that are written as they are may not be YAML. So only the other edits are checked.
    let rest: Vec<Edit> = edits.iter().filter(|edit| !is_unforeseen(tree, edit)).cloned().collect();
    if !rest.is_empty() {
        check(streams, target, &rest, &splice_lines(&context, &rest)?)?;
    }
    Ok(text)
}

/// Compares a text with the meaning of edits.
fn check(streams: &[&Stream<'_>], target: StreamId, edits: &[Edit], text: &str) -> Result<(), SpliceError> {
    let result = streams[target.index()].parse_again(text);
    let result = result.map_err(|error| SpliceError::Unreadable(Box::new(error)))?;
    verify(streams, target, edits, &result).map_err(SpliceError::Unfaithful)
}

/// As [`splice`], but without parsing the result and comparing it with the edits: for callers that do that themselves.
///
/// # Errors
///
/// See [`SpliceError`].
pub fn splice_unchecked(streams: &[&Stream<'_>], target: StreamId, edits: &[Edit]) -> Result<String, SpliceError> {
    with_line_feeds(streams, target, |streams, breaks| {
        let context = Context::new(streams, target, breaks.carriages())?;
        let moved = unended::above(context.stream(target)?, edits);
        splice_lines(&context, moved.as_deref().unwrap_or(edits)).map(|text| breaks.restored(text))
    })
}

fn splice_lines(context: &Context<'_>, edits: &[Edit]) -> Result<String, SpliceError> {
    let target = context.target;
    let stream = context.stream(target)?;
    let render = |context: &Context<'_>, id: StreamId, edits: &[Edit]| {
        let whole = Span::new(0, context.stream(id)?.source.len() as u32);
        context.edited_to(id, whole, &render::refs(edits), context.carriages)
    };
    let settled = names::settle(context, target, edits)?;
    let edits = settled.as_deref().unwrap_or(edits);
    let mut text = if open::is_needed(context, target, edits)? {
        let graft = Graft { stream: target, part: (), edits: edits.to_vec() };
        with_opened(context, &graft, |_, ()| Some(()), |context, graft| render(context, graft.stream, &graft.edits))?
    } else {
        render(context, target, edits)?
    };
    // A missing final newline stays missing, unless the file now ends in a block scalar whose value includes it.
    let had_newline = matches!(stream.source, "" | "\u{feff}") || stream.source.ends_with('\n');
    let is_whole = matches!(edits, [Edit::Text { span, .. }] if span.len() == stream.source.len());
    if !had_newline && !is_whole && text.ends_with(['\n', '\r']) && !newline_counts(&text) {
        text.truncate(text.len() - if text.ends_with("\r\n") { 2 } else { 1 });
    }
    Ok(text)
}

/// Renders parts of streams one by one. What is needed from the whole streams is computed once for all parts.
pub struct Renderer<'a> {
    context: Context<'a>,
    breaks: &'a LineBreaks,
}

/// Lets `work` render parts of `streams`, with the line breaks of `target`.
///
/// # Errors
///
/// A stream `target` that was not given, and the errors of `work`.
pub fn with_renderer<T, E: From<SpliceError>>(
    streams: &[&Stream<'_>],
    target: StreamId,
    work: impl FnOnce(&Renderer<'_>) -> Result<T, E>,
) -> Result<T, E> {
    with_line_feeds(streams, target, |streams, breaks| {
        work(&Renderer { context: Context::new(streams, target, &[])?, breaks })
    })
}

impl Renderer<'_> {
    /// Renders an entry as whole lines, with its `-` or key at `column`, and its comments.
    ///
    /// # Errors
    ///
    /// See [`SpliceError`].
    pub fn entry(&self, graft: &Graft<EntryId>, column: usize) -> Result<String, SpliceError> {
        let text = with_opened(&self.context, graft, open::Map::entry, |context, graft| context.entry(graft, column));
        text.map(|text| self.breaks.restored(text))
    }

    /// Renders a document as whole lines.
    ///
    /// # Errors
    ///
    /// See [`SpliceError`].
    pub fn document(&self, graft: &Graft<NodeId>) -> Result<String, SpliceError> {
        let render =
            |context: &Context<'_>, graft: &Graft<NodeId>| -> Result<String, SpliceError> { context.document(graft) };
        let text = with_opened(&self.context, graft, |map, part| map.node(*part), render);
        text.map(|text| self.breaks.restored(text))
    }
}

/// Renders a graft. First opens the flow collections into which its edits bring lines.
fn with_opened<T: Clone>(
    context: &Context<'_>,
    graft: &Graft<T>,
    moved: impl Fn(&open::Map, &T) -> Option<T>,
    render: impl Fn(&Context<'_>, &Graft<T>) -> Result<String, SpliceError>,
) -> Result<String, SpliceError> {
    if !open::is_needed(context, graft.stream, &graft.edits)? {
        return render(context, graft);
    }
    let mut texts = Vec::new();
    let mut graft = graft.clone();
    open::open_graft(context, &mut texts, &mut graft, moved)?;
    let alone: Vec<Vec<u32>> = texts.iter().map(|text| carriages(text)).collect();
    let texts: Vec<String> = texts.iter().zip(&alone).map(|(text, alone)| fed(text, alone)).collect();
    let parsed = texts.iter().map(|text| Stream::parse(text)).collect::<Result<Vec<_>, _>>()?;
    let streams: Vec<&Stream<'_>> = context.streams.iter().copied().chain(&parsed).collect();
    let opened = graft.stream.index().checked_sub(context.streams.len());
    let carriages = opened.map_or(context.carriages, |index| &alone[index]);
    render(&Context::new(&streams, context.target, carriages)?, &graft)
}

/// Whether the text ends in a block scalar whose value includes the last newline.
fn newline_counts(text: &str) -> bool {
    let Ok(stream) = Stream::parse(text) else { return false };
    let scalar = last_written(&stream, stream.tape.len()).and_then(Node::block_scalar);
    scalar.is_some_and(|scalar| !scalar.header.of(text).contains('-'))
}

/// The input of all replacements of one splice.
struct Context<'a> {
    streams: &'a [&'a Stream<'a>],
    newline: Newline,
    style: OnceCell<IndentStyle>,
    parents: Vec<OnceCell<Parents>>,
    target: StreamId,
    /// The positions in the target (or in its rewritten text) where a carriage return must come back.
    carriages: &'a [u32],
}

impl<'a> Context<'a> {
    fn new(streams: &'a [&'a Stream<'a>], target: StreamId, carriages: &'a [u32]) -> Result<Self, SpliceError> {
        let stream = streams.get(target.index()).ok_or(SpliceError::NoStream(target.0))?;
        let newline = Newline::of(stream.source);
        let parents = streams.iter().map(|_| OnceCell::new()).collect();
        Ok(Self { streams, newline, style: OnceCell::new(), parents, target, carriages })
    }

    fn stream(&self, id: StreamId) -> Result<&'a Stream<'a>, SpliceError> {
        self.streams.get(id.index()).copied().ok_or(SpliceError::NoStream(id.0))
    }

    fn style(&self) -> IndentStyle {
        *self.style.get_or_init(|| IndentStyle::of(self.streams[self.target.index()]))
    }

    fn seat(&self, stream: StreamId, node: NodeId) -> Seat {
        let tree = self.streams[stream.index()];
        self.parents[stream.index()].get_or_init(|| Parents::of(tree)).seat(tree, node)
    }

    /// The text of a part of a stream with edits applied, at the columns of that stream.
    fn edited(&self, id: StreamId, within: Span, edits: &[&Edit]) -> Result<String, SpliceError> {
        self.edited_to(id, within, edits, &[])
    }

    /// As [`Self::edited`], with carriage returns at these places of the stream.
    fn edited_to(&self, id: StreamId, within: Span, edits: &[&Edit], carriages: &[u32]) -> Result<String, SpliceError> {
        let stream = self.stream(id)?;
        if edits.is_empty() && carriages.is_empty() {
            return Ok(within.of(stream.source).to_owned());
        }
        let (collections, documents) = grouped(edits);
        let trails = self.new_trails(stream, edits, &collections)?;
        let out = Vec::with_capacity(edits.len());
        let (completed, flow_columns) = Default::default();
        let mut place = Place { context: self, id, stream, trails, completed, flow_columns, out };
        for edit in edits {
            match edit {
                Edit::ReplaceValue { entry, content } if stream.node(entry.collection).is_flow() => {
                    place.replace_flow_value(stream.entry(*entry), content)?;
                }
                Edit::ReplaceValue { entry, content } => place.replace_value(*entry, content)?,
                Edit::SetComment { entry, slot: CommentSlot::Trail, .. } if place.trails.contains_key(entry) => {}
                Edit::ReplaceRoot { root, content } => place.replace_root(*root, content)?,
                Edit::ReplaceKey { entry, text } => place.replace_key(*entry, text)?,
                Edit::SetComment { entry, slot, from } => {
                    let is_carried =
                        *slot == CommentSlot::Trail && self.carries_trail((stream, edits), *entry, *from)?;
                    place.set_comment(*entry, *slot, from.filter(|_| !is_carried))?;
                }
                Edit::Text { span, text } => place.text(*span, text, column_of_lines(text)),
                // A line that a caller adds, such as a conflict marker, stands at the start of a line.
                Edit::Lines { span, text } => place.text(*span, text, text.lines().map(indent_of).max().unwrap_or(0)),
                _ => {}
            }
        }
        for (collection, edits) in collections {
            place.collection(stream.node(collection), &edits)?;
        }
        if !documents.is_empty() {
            place.documents(&documents)?;
        }
        assemble(stream, within, place.out, self.newline, carriages)
    }

    /// Trail comments that come to block entries together with a new value. They stand after this value.
    fn new_trails(
        &self,
        stream: &Stream<'_>,
        edits: &[&Edit],
        collections: &BTreeMap<NodeId, Vec<&Edit>>,
    ) -> Result<BTreeMap<EntryId, String>, SpliceError> {
        let is_replaced = |edit: &&&Edit| matches!(edit, Edit::ReplaceValue { .. });
        let replaced = edits.iter().filter(is_replaced).filter_map(|edit| edit.entry()).collect::<BTreeSet<_>>();
        let is_new = |entry: EntryId| {
            let value = stream.node(entry.value);
            let is_refilled = |edits: &Vec<&Edit>| value.entries().next().is_none() || removes_all(value, edits);
            replaced.contains(&entry) || collections.get(&entry.value).is_some_and(is_refilled)
        };
        let mut trails = BTreeMap::new();
        for edit in edits {
            let Edit::SetComment { entry, slot: CommentSlot::Trail, from: Some((from, theirs)) } = edit else {
                continue;
            };
            let value = stream.node(entry.value);
            // A comment after the properties, with the value on a line below, will stand after the value.
            let properties = &stream.tape[value.first_record()..entry.value.index()];
            let has_own = properties.iter().any(|record| record.kind == Kind::Comment);
            let is_free = stream.entry(*entry).trail().is_none() && !has_own;
            let is_free = is_free && !stream.node(entry.collection).is_flow();
            let source = self.stream(*from)?;
            let is_free = is_free && !self.carries_trail((stream, edits), *entry, Some((*from, *theirs)))?;
            if is_free && is_new(*entry) {
                let theirs = source.entry(*theirs);
                trails.extend(theirs.trail().map(|trail| (*entry, comment::with_gap(theirs, trail))));
            }
        }
        Ok(trails)
    }
}

impl Context<'_> {
    /// Whether the trail comment of `from` is inside the value that `entry` of `target` gets, between the value's
    /// properties and its text.
    fn carries_trail(
        &self,
        (target, edits): (&Stream<'_>, &[&Edit]),
        entry: EntryId,
        from: Option<(StreamId, EntryId)>,
    ) -> Result<bool, SpliceError> {
        let Some((stream, theirs)) = from else { return Ok(false) };
        let is_whole = |edit: &&Edit| match edit {
            Edit::ReplaceValue { entry: it, content: Content::Value(graft) | Content::Layout(graft) } => {
                *it == entry && (graft.stream, graft.part) == (stream, theirs)
            }
            _ => false,
        };
        let brought = self.stream(stream)?.entry(theirs);
        let value = brought.value();
        let stays = has_inner_comments(target.node(entry.value));
        let is_text = !value.is_block_collection() && !value.kind().is_block_scalar() && !stays;
        let is_inside = |trail: Span| value.full_span().contains(trail);
        Ok(is_text && brought.trail().is_some_and(is_inside) && edits.iter().any(is_whole))
    }
}

/// The edits of each collection's entries, and the edits of documents.
fn grouped<'e>(edits: &[&'e Edit]) -> (BTreeMap<NodeId, Vec<&'e Edit>>, Vec<&'e Edit>) {
    let mut collections: BTreeMap<NodeId, Vec<&Edit>> = BTreeMap::new();
    let mut documents = Vec::new();
    for edit in edits {
        match edit {
            Edit::Insert { collection, .. } => collections.entry(*collection).or_default().push(edit),
            Edit::Remove { entry } | Edit::Rewrite { entry, .. } => {
                collections.entry(entry.collection).or_default().push(edit);
            }
            Edit::InsertDocuments { .. } | Edit::RemoveDocument { .. } => documents.push(*edit),
            _ => {}
        }
    }
    (collections, documents)
}

/// Collects the replacements of one stream.
struct Place<'c, 'a> {
    context: &'c Context<'a>,
    id: StreamId,
    stream: &'a Stream<'a>,
    /// Comments that come together with the value that they stand after, with the blanks before them.
    trails: BTreeMap<EntryId, String>,
    /// Pairs without `:` that got one.
    completed: BTreeSet<EntryId>,
    /// The smallest columns for lines inside flow collections, if they were needed.
    flow_columns: BTreeMap<NodeId, usize>,
    out: Vec<Replacement>,
}

impl Place<'_, '_> {
    fn text(&mut self, span: Span, text: &str, column: usize) {
        let seam = if text.is_empty() && self.is_property(span) { Seam::SwallowBlanks } else { Seam::Plain };
        let rank = if span.is_empty() { self.rank_of_lines(span.start, text, column) } else { Rank::Value };
        self.out.push(Replacement { seam, ..Replacement::new(span, text, rank) });
    }

    fn is_property(&self, span: Span) -> bool {
        let first = self.stream.tape.partition_point(|record| record.start < span.start);
        let here = self.stream.tape[first..].iter().take_while(|record| record.start == span.start);
        here.filter(|record| record.kind.is_property()).any(|record| record.leaf_span() == span)
    }

    fn replace_key(&mut self, id: EntryId, text: &str) -> Result<(), SpliceError> {
        let source = self.stream.source;
        let entry = self.stream.entry(id);
        let key = entry.key().ok_or(SpliceError::KindMismatch)?;
        let mut full = key.full_span();
        let space = if source[..full.start as usize].ends_with('?') && !text.is_empty() { " " } else { "" };
        let line = Span::new(line_start(source, full.start), full.start);
        let is_below = line.start > entry.start() && entry.collection().is_block_collection();
        let is_left = is_below && (line.len() <= entry.column() || line.of(source).contains('\t'));
        let indent = if is_left { " ".repeat(entry.column() + 1) } else { String::new() };
        full.start = if is_left { line.start } else { full.start };
        let after = if source[full.end as usize..].starts_with('#') { " " } else { "" };
        self.out.push(Replacement::new(full, format!("{indent}{space}{text}{after}"), Rank::Key));
        let after = entry.indicator().end;
        let is_adjacent = source[after as usize..].starts_with(|next: char| !next.is_whitespace());
        if !entry.indicator().is_empty() && is_adjacent {
            // `"a":1` is a pair only because of the quotes.
            self.out.push(Replacement::new(Span::at(after), " ", Rank::Key));
        }
        Ok(())
    }
}
