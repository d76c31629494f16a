//! Turns wanted values into edits: a document gets another meaning, and keeps every byte that need not change.
//!
//! The origins in a wanted value say where its parts come from. Parts of the document itself stay in place, or move as
//! source text. Parts of other streams are grafted with their comments and layout. Parts without an origin are printed.
//!
//! Invariant: the text that [`reconcile`] returns has been read again, and every document has exactly the wanted
//! meaning. An [`Unchecked`] text is not given out before this check. A JSON target stays JSON. For documents with
//! aliases, it first tries to keep the aliases; if that fails, it expands those that can no longer be kept. Ignores
//! where the wanted values come from.

mod draft;
mod edits;
mod fields;
mod items;
mod prepare;
#[cfg(test)]
mod tests;
mod unchecked;

use kyaml_ast::{
    DocumentPiece, Edit, Entry, EntryId, EventKind, Kind, NodeId, ParseError, SpliceError, Stream, StreamId,
};
use thiserror::Error;

use crate::value::{ReadError, Reader, Source, Value};
pub(crate) use draft::Draft;
use edits::Editor;
use prepare::Aliases;
pub use unchecked::Unchecked;

/// A change of the target's documents.
#[derive(Clone, Debug)]
pub(crate) enum Change {
    /// A document gets another value.
    Rewrite {
        /// The document.
        document: NodeId,
        /// Its value.
        own: Value,
        /// Its wanted value.
        wanted: Value,
    },
    /// An item of a list gets another value. The list must be the value of a field of a document's root.
    RewriteItem {
        /// The document.
        document: NodeId,
        /// The item.
        item: EntryId,
        /// Its value.
        own: Value,
        /// Its wanted value.
        wanted: Value,
    },
    /// An item is added at the end of such a list.
    AppendItem {
        /// The document.
        document: NodeId,
        /// The list.
        list: NodeId,
        /// The wanted value of the item.
        wanted: Value,
    },
    /// A document is added after another one, or before all.
    Insert {
        /// The document of the target that it follows.
        after: Option<NodeId>,
        /// The value that it is made from, as it was read. The root of a document of another stream is copied with its
        /// comments; any other value is printed.
        from: Value,
        /// Its wanted value.
        wanted: Value,
    },
    /// A document is removed.
    Remove {
        /// The document.
        document: NodeId,
    },
}

/// Which comments of other streams come along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comments {
    /// The comments of added parts, and of scalars that get another value.
    OfChanges,
    /// The comments of everything that a patch names.
    OfPatch,
}

/// Why a document could not be given the wanted value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReconcileError {
    /// More streams than can be numbered.
    #[error("too many files at once")]
    TooManyStreams,
    /// A source cannot be read as values.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// The edits contradict each other.
    #[error("the result cannot be written: {0}")]
    Splice(#[from] SpliceError),
    /// The written text is not YAML.
    #[error("the result would not be valid YAML: {0}")]
    Parse(#[from] ParseError),
    /// A document of the written text has another value than wanted.
    #[error("document {} of the result would not mean what it should", .0 + 1)]
    Mismatch(usize),
}

/// Applies changes to the stream `target` of `sources`, and returns the new text.
///
/// # Errors
///
/// [`ReconcileError`] if no edits lead to the wanted values.
pub(crate) fn reconcile(
    sources: &[&Source<'_>],
    target: StreamId,
    changes: Vec<Change>,
    comments: Comments,
) -> Result<String, ReconcileError> {
    reconcile_unchecked(sources, target, changes, comments)?.checked()
}

/// As [`reconcile`], but the text is not read again yet.
pub(crate) fn reconcile_unchecked(
    sources: &[&Source<'_>],
    target: StreamId,
    changes: Vec<Change>,
    comments: Comments,
) -> Result<Unchecked, ReconcileError> {
    if sources.get(target.0 as usize).is_none_or(|source| !source.has_aliases()) {
        return attempt(sources, target, changes, comments, Aliases::Keep);
    }
    // Only reading the text again shows whether the aliases could be kept.
    attempt(sources, target, changes.clone(), comments, Aliases::Keep)
        .and_then(Unchecked::checked)
        .or_else(|_| attempt(sources, target, changes, comments, Aliases::Expand).and_then(Unchecked::checked))
        .map(Unchecked::checked_before)
}

fn attempt(
    sources: &[&Source<'_>],
    target: StreamId,
    changes: Vec<Change>,
    comments: Comments,
    aliases: Aliases,
) -> Result<Unchecked, ReconcileError> {
    let generated = u32::try_from(sources.len()).map_err(|_| ReconcileError::TooManyStreams)?;
    let mut draft = Draft::new(target, comments, generated);
    draft.aliases = aliases;
    draft.add(sources, changes)?;
    draft.write(sources)
}

/// The style of new parts of the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Yaml,
    /// The target is JSON and must stay JSON.
    Json,
}

fn style_of(readers: &[Reader<'_, '_>], target: StreamId) -> Style {
    let is_json = readers.get(target.0 as usize).is_some_and(|reader| is_json(reader.source().stream()));
    if is_json { Style::Json } else { Style::Yaml }
}

/// Whether a stream is written as JSON.
fn is_json(stream: &Stream<'_>) -> bool {
    if !stream.source().trim_ascii_start().starts_with(['{', '[']) || stream.comments().next().is_some() {
        return false;
    }
    let is_quoted = |entry: Entry<'_>| entry.key().is_none_or(|key| key.kind() == Kind::DoubleQuoted);
    let mut documents = 0;
    stream.events().all(|event| match event.kind {
        EventKind::DocumentStart => {
            documents += 1;
            documents == 1
        }
        EventKind::Start(node) => node.is_flow() && !node.is_flow_pair() && node.entries().all(is_quoted),
        EventKind::Leaf(node) => Value::from_json(node.full_span().of(stream.source())).is_ok(),
        EventKind::DocumentEnd | EventKind::End(_) => true,
    })
}

fn edits_of(editor: &mut Editor<'_, '_, '_>, changes: &[Change]) -> Result<Vec<Edit>, ReconcileError> {
    let mut edits = Vec::new();
    for change in changes {
        match change {
            Change::Rewrite { own, wanted, .. } | Change::RewriteItem { own, wanted, .. } => {
                editor.value(own, wanted, &mut edits)?;
            }
            Change::AppendItem { list, wanted, .. } => edits.push(editor.last_item(*list, wanted)?),
            Change::Remove { document } => edits.push(Edit::RemoveDocument { document: *document }),
            Change::Insert { after, from, wanted } => {
                let documents = vec![DocumentPiece::Document(editor.document(from, wanted)?)];
                edits.push(Edit::InsertDocuments { after: *after, documents });
            }
        }
    }
    Ok(edits)
}
