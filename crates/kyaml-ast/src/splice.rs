//! Turns edits into bytes: each edit becomes replacements, which are sorted, checked for overlaps and applied in one pass.
//!
//! Invariant: bytes outside the edited places are those of the source, by construction.
//!
//! Ignores whether an edit makes sense (a duplicate key, an undefined alias): that is for the caller to see to.

mod block;
mod comment;
mod document;
mod flow;
mod render;
mod replacement;
mod slot;

use std::cell::OnceCell;
use std::collections::BTreeMap;

use crate::edit::{Edit, Graft, StreamId};
use crate::entry::EntryId;
use crate::indent::{IndentStyle, Parents};
use crate::span::{Newline, Span};
use crate::tree::{NodeId, Stream};
use replacement::{Replacement, assemble};

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
    NoStream(u8),
    /// An entry was inserted into a collection of the other kind.
    #[error("an item cannot become a field, nor a field an item")]
    KindMismatch,
    /// A part that is written into a flow collection is not valid YAML once its edits are applied.
    #[error("the edited part does not parse: {0}")]
    Unparsable(#[from] crate::ParseError),
    /// A place that cannot hold what is written to it, such as lines inside a flow collection.
    #[error("bytes {}..{} cannot take this edit", .0.start, .0.end)]
    NoPlace(Span),
}

/// Applies `edits` to the stream `target` of `streams`, and returns the new text.
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
    let context = Context::new(streams, target)?;
    let stream = context.stream(target)?;
    let whole = Span::new(0, stream.source.len() as u32);
    let mut text = context.edited(target, whole, edits)?;
    // A missing final newline stays missing, unless a block scalar that counts it now stands at the end.
    let had_newline = stream.source.is_empty() || stream.source.ends_with('\n');
    if !had_newline && text.ends_with('\n') && !newline_counts(&text) {
        text.truncate(text.len() - if text.ends_with("\r\n") { 2 } else { 1 });
    }
    Ok(text)
}

/// Renders an entry as whole lines with its `-` or key at `column`, comments included, in the newlines of `target`.
///
/// # Errors
///
/// See [`SpliceError`].
pub fn render_entry(
    streams: &[&Stream<'_>],
    target: StreamId,
    graft: &Graft<EntryId>,
    column: usize,
) -> Result<String, SpliceError> {
    Context::new(streams, target)?.entry(graft, column)
}

/// Renders a document as whole lines in the newlines of `target`.
///
/// # Errors
///
/// See [`SpliceError`].
pub fn render_document(
    streams: &[&Stream<'_>],
    target: StreamId,
    graft: &Graft<NodeId>,
) -> Result<String, SpliceError> {
    Context::new(streams, target)?.document(graft)
}

/// Whether the text ends in a block scalar whose value holds its last newline.
fn newline_counts(text: &str) -> bool {
    let Ok(stream) = Stream::parse(text) else { return false };
    let last = stream.tape.iter().rposition(|record| record.kind.is_node()).map(|index| NodeId(index as u32));
    let last = last.map(|last| stream.node(last)).filter(|last| last.kind().is_block_scalar());
    last.is_some_and(|last| !last.text()[..slot::header_len(last.text()) as usize].contains('-'))
}

/// What all replacements of one splice are computed from.
struct Context<'a> {
    streams: &'a [&'a Stream<'a>],
    newline: Newline,
    style: OnceCell<IndentStyle>,
    parents: Vec<OnceCell<Parents>>,
    target: StreamId,
}

impl<'a> Context<'a> {
    fn new(streams: &'a [&'a Stream<'a>], target: StreamId) -> Result<Self, SpliceError> {
        let stream = streams.get(target.0 as usize).ok_or(SpliceError::NoStream(target.0))?;
        let newline = Newline::of(stream.source);
        let parents = streams.iter().map(|_| OnceCell::new()).collect();
        Ok(Self { streams, newline, style: OnceCell::new(), parents, target })
    }

    fn stream(&self, id: StreamId) -> Result<&'a Stream<'a>, SpliceError> {
        self.streams.get(id.0 as usize).copied().ok_or(SpliceError::NoStream(id.0))
    }

    fn style(&self) -> IndentStyle {
        *self.style.get_or_init(|| IndentStyle::of(self.streams[self.target.0 as usize]))
    }

    fn holder(&self, stream: StreamId, node: NodeId) -> Option<EntryId> {
        let tree = self.streams[stream.0 as usize];
        self.parents[stream.0 as usize].get_or_init(|| Parents::of(tree)).holder(tree, node)
    }

    /// The text of a part of a stream with edits applied, at the columns of that stream.
    fn edited(&self, id: StreamId, within: Span, edits: &[Edit]) -> Result<String, SpliceError> {
        let stream = self.stream(id)?;
        if edits.is_empty() {
            return Ok(within.of(stream.source).to_owned());
        }
        let mut place = Place { context: self, id, stream, out: Vec::with_capacity(edits.len()) };
        let mut collections: BTreeMap<NodeId, Vec<&Edit>> = BTreeMap::new();
        for edit in edits {
            match edit {
                Edit::Insert { collection, .. } => collections.entry(*collection).or_default().push(edit),
                Edit::Remove { entry } | Edit::Rewrite { entry, .. } => {
                    collections.entry(entry.collection).or_default().push(edit);
                }
                _ => place.single(edit)?,
            }
        }
        for (collection, edits) in collections {
            place.collection(stream.node(collection), &edits)?;
        }
        assemble(stream.source, within, place.out, self.newline)
    }
}

/// Collects the replacements of one stream.
struct Place<'c, 'a> {
    context: &'c Context<'a>,
    id: StreamId,
    stream: &'a Stream<'a>,
    out: Vec<Replacement>,
}

impl Place<'_, '_> {
    fn single(&mut self, edit: &Edit) -> Result<(), SpliceError> {
        match edit {
            Edit::ReplaceValue { entry, content } => self.replace_value(*entry, content),
            Edit::ReplaceRoot { root, content } => self.replace_root(*root, content),
            Edit::ReplaceKey { entry, text } => {
                let key = self.stream.entry(*entry).key().ok_or(SpliceError::KindMismatch)?;
                self.out.push(Replacement::new(key.full_span(), text.as_str(), key.id().0));
                Ok(())
            }
            Edit::SetComment { entry, slot, from } => self.set_comment(*entry, *slot, *from),
            Edit::InsertDocuments { after, documents } => self.insert_documents(*after, documents),
            Edit::RemoveDocument { document } => {
                self.remove_document(*document);
                Ok(())
            }
            Edit::Text { span, text } => {
                self.out.push(Replacement::new(*span, text.as_str(), u32::MAX));
                Ok(())
            }
            Edit::Insert { .. } | Edit::Remove { .. } | Edit::Rewrite { .. } => {
                unreachable!("edits of collections are handled together")
            }
        }
    }
}
