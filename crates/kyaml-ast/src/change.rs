//! The thin edit API: set or delete one place of a document, and get the new text of its stream.
//!
//! ```
//! use kyaml_ast::{NewValue, Path, Stream};
//!
//! let stream = Stream::parse("spec:\n  replicas: 3   # tuned\n  image: \"app:1\"\n")?;
//! let document = stream.documents().next().expect("a stream has a document");
//! let image: Path = ".spec.image".parse()?;
//! let text = document.set(&image, NewValue::Text("app:2"))?;
//! assert_eq!(text, "spec:\n  replicas: 3   # tuned\n  image: \"app:2\"\n");
//!
//! let label: Path = ".metadata.labels.app".parse()?;
//! let text = document.set(&label, NewValue::Text("8080"))?;
//! assert!(text.ends_with("metadata:\n  labels:\n    app: \"8080\"\n"));
//!
//! let replicas: Path = ".spec.replicas".parse()?;
//! assert_eq!(document.delete(&replicas)?, "spec:\n  image: \"app:1\"\n");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! For many changes of one document, see [`Document::edit`]. For changes in many documents, or at all places that match
//! one pattern, see [`Changes`]. To copy parts of other streams, use [`splice`](crate::splice()).
//!
//! Invariant: a result parses, and an anchor that an alias needs is never lost: such a change is an error.

mod changes;
mod draft;
mod edits;
mod habit;
mod json;

use crate::edit::StreamId;
use crate::entry::{Entry, EntryId};
use crate::indent::IndentStyle;
use crate::path::{LookupError, Path};
use crate::scalar::{Resolved, ScalarSchema};
use crate::span::Span;
use crate::splice::SpliceError;
use crate::tree::{Document, Node, Stream};
use crate::verify::is_same;
pub use changes::Changes;
pub use edits::DocumentEdits;
use habit::{Habits, as_lines};

/// A value to write.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum NewValue<'v> {
    /// A string. It gets the quotes of the string that it replaces, and quotes if a reader would take it for something
    /// else.
    Text(&'v str),
    /// A value as YAML: `5` is a number, `[a, b]` a list.
    Yaml(&'v str),
    /// A node of any stream, written as it is there.
    Node(Node<'v>),
}

impl<'v> NewValue<'v> {
    /// The stream that contains a value given as YAML.
    fn stream(self) -> Result<Option<Stream<'v>>, ChangeError> {
        let Self::Yaml(text) = self else { return Ok(None) };
        Ok(Some(Stream::parse(text).map_err(ChangeError::Value)?))
    }

    /// The value. If it is given as YAML, `stream` contains it.
    fn given<'g>(self, stream: Option<&'g Stream<'g>>) -> Result<Given<'g>, ChangeError>
    where
        'v: 'g,
    {
        match (self, stream) {
            (Self::Text(text), _) => Ok(Given::Text(text)),
            (Self::Node(node), _) => Ok(Given::Node(node)),
            (Self::Yaml(_), stream) => stream.and_then(Stream::root).map(Given::Node).ok_or(ChangeError::NoValue),
        }
    }
}

/// A value to write, after it was read.
#[derive(Clone, Copy, Debug)]
enum Given<'v> {
    Text(&'v str),
    Node(Node<'v>),
}

impl Given<'_> {
    /// Whether a node has this value already: the same string for every reader, or the same node without a new anchor
    /// or comment. Layout does not count.
    fn is_value_of(self, old: Node<'_>) -> bool {
        match self {
            Self::Text(text) => old.is_string() && old.value() == text,
            Self::Node(new) if new.anchor().is_some() && new.anchor() != old.anchor() => false,
            Self::Node(new) => old.is_same_scalar(new) || is_same(new, old) && !brings_comments(new, old),
        }
    }
}

/// Whether a new node has comments, and these differ from the comments that are there.
fn brings_comments(new: Node<'_>, old: Node<'_>) -> bool {
    let [theirs, ours] = [new, old].map(|node| node.stream().comments_in(node.full_span()));
    new.stream().comments_in(new.full_span()).next().is_some() && !theirs.eq(ours)
}

/// Why a document could not be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// The path leads nowhere.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// Only fields can be added to a document without content.
    #[error("the document is empty; only fields can be added to it")]
    Empty,
    /// A value that was given as YAML is not YAML.
    #[error("the value is not valid YAML: {0}")]
    Value(crate::ParseError),
    /// A value that was given as YAML has no content.
    #[error("the value has no content; `null` is a value")]
    NoValue,
    /// The root cannot be deleted.
    #[error("the root cannot be deleted; remove the document instead")]
    Root,
    /// The place holds an anchor that an alias elsewhere refers to.
    #[error("the anchor &{name} is used by an alias elsewhere; change that first")]
    Anchored {
        /// The anchor's name.
        name: String,
        /// The alias.
        alias: Span,
    },
    /// An element of a list was to get a name.
    #[error("a list element has no name; set its fields instead")]
    NoName,
    /// The name is one that the mapping has already.
    #[error("{name} already exists")]
    Taken {
        /// The name, or the path.
        name: String,
        /// Where.
        span: Span,
    },
    /// The name is too long for a key, or has several lines.
    #[error("a name of several lines, or more than 1024 characters, cannot be a key")]
    LongName,
    /// A place was to be moved into itself.
    #[error("a place cannot be moved into itself")]
    Inside,
    /// A field was to become an element, or an element a field.
    #[error("a field can only be moved to a field, an element only to a new element")]
    OtherKind,
    /// The new element would not be the one that the path names.
    #[error("the value is not {0}")]
    OtherElement(String),
    /// A comment beside a value has one line.
    #[error("a comment beside a value has one line; above it, it may have several")]
    Lines,
    /// A flow collection on one line has no place for comments.
    #[error("there is no room for a comment inside brackets on one line")]
    NoRoom,
    /// The edit could not be made.
    #[error(transparent)]
    Splice(#[from] SpliceError),
    /// The result would not have been valid YAML: a defect of this crate, or of a value's node.
    #[error("the result would not be valid YAML: {0}")]
    Broken(crate::ParseError),
}

/// The indentation of new fields and lines, in columns. A graft moves them to the indentation of the stream.
const STEP: usize = 2;

const TARGET: StreamId = StreamId(0);

impl<'t> Document<'t> {
    /// Puts `value` at the end of `path` and returns the new text of the stream.
    ///
    /// Missing fields on the way are added, also in the place of a null. List elements must exist. If the place already
    /// has this value, in whatever spelling, the text stays as it is.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn set(self, path: &Path, value: NewValue<'_>) -> Result<String, ChangeError> {
        self.edit().set(path, value).finish()
    }

    /// Removes the entry at the end of `path`, with its comments, and returns the new text of the stream.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn delete(self, path: &Path) -> Result<String, ChangeError> {
        self.edit().delete(path).finish()
    }
}

impl Node<'_> {
    /// A collection in block style, each scalar as it is written. `None` if block style cannot express all of it, or if that would lose
    /// a comment.
    ///
    /// ```
    /// use kyaml_ast::Stream;
    ///
    /// let stream = Stream::parse("{version: 1.10, on: {push: [main, \"v1\"]}}")?;
    /// let root = stream.root().expect("a mapping");
    /// assert_eq!(root.to_block_style().as_deref(), Some("version: 1.10\non:\n  push:\n  - main\n  - \"v1\"\n"));
    /// # Ok::<(), kyaml_ast::ParseError>(())
    /// ```
    #[must_use]
    pub fn to_block_style(self) -> Option<String> {
        let habits = Habits::of(self.stream, IndentStyle::of(self.stream), None, false);
        let text = as_lines(self, &habits)?;
        let is_alike = Stream::parse(&text).is_ok_and(|stream| stream.root().is_some_and(|root| is_same(root, self)));
        is_alike.then_some(text)
    }
}

/// Whether a value can take over the anchor of a scalar: aliases must still refer to a scalar on one line.
fn takes_anchor(value: Given<'_>) -> bool {
    match value {
        Given::Text(_) => true,
        Given::Node(node) => {
            let is_one_line = !node.kind().is_block_scalar() && !node.full_span().of(node.stream.source).contains('\n');
            node.kind().is_scalar() && node.anchor().is_none() && is_one_line
        }
    }
}

/// The number of columns by which a block scalar's text is indented further than the entry that holds it.
fn step_of(old: Node<'_>, holder: Option<Entry<'_>>) -> usize {
    let step = old.block_scalar().map_or(0, |scalar| scalar.indent.saturating_sub(holder.map_or(0, Entry::column)));
    if step == 0 { STEP } else { step }
}

fn is_null(node: Node<'_>) -> bool {
    [ScalarSchema::Core12, ScalarSchema::Kube11].into_iter().all(|schema| node.resolve(schema) == Some(Resolved::Null))
}

fn first_entry(stream: &Stream<'_>) -> Option<EntryId> {
    stream.documents().next()?.root()?.entries().next().map(Entry::id)
}

fn deepest_entry(stream: &Stream<'_>) -> Option<EntryId> {
    let mut entry = stream.entry(first_entry(stream)?);
    while let Some(inner) = entry.value().entries().last() {
        entry = inner;
    }
    Some(entry.id())
}
