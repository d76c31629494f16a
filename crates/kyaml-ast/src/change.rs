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
//! For many edits at once, and for edits that move parts of other streams, use [`splice`](crate::splice()).
//!
//! Invariant: a result parses, and an anchor that an alias needs is never lost: such a change is an error.

use std::collections::HashMap;

use crate::edit::{Content, Edit, Graft, Piece, Position, StreamId};
use crate::entry::{Entry, EntryId};
use crate::path::{Found, LookupError, LookupErrorKind, Path, Segment};
use crate::quote::{BlockLayout, ScalarPlace, fits_implicit_key, render_string, render_string_like};
use crate::scalar::{Resolved, Schema};
use crate::span::{Newline, Span};
use crate::splice::{SpliceError, splice};
use crate::tree::{Document, Kind, Node, NodeId, Stream};

/// A value that is to be written.
#[derive(Clone, Copy, Debug)]
pub enum NewValue<'v> {
    /// A string, in the quotes of the string that it replaces, with quotes where it would be read as something else.
    Text(&'v str),
    /// A node of any stream, as it is written there.
    Node(Node<'v>),
}

impl NewValue<'_> {
    /// Whether a node has this value already: the same string for every reader, the same scalar with no new anchor, or a
    /// collection that is written alike.
    fn is_value_of(self, old: Node<'_>) -> bool {
        match self {
            Self::Text(text) => old.is_string() && old.value() == text,
            Self::Node(new) if new.anchor().is_some() && new.anchor() != old.anchor() => false,
            Self::Node(new) => old.is_same_scalar(new) || is_written_alike(old, new),
        }
    }
}

/// Whether two nodes have the same text, which means the same in block style only at the same column.
fn is_written_alike(a: Node<'_>, b: Node<'_>) -> bool {
    let is_same_text = a.full_span().of(a.stream.source) == b.full_span().of(b.stream.source);
    a.kind() == b.kind() && is_same_text && (!a.is_block_collection() || a.column() == b.column())
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
    /// The edit could not be made.
    #[error(transparent)]
    Splice(#[from] SpliceError),
    /// The result would not have been valid YAML: a defect of this crate, or of a value's node.
    #[error("the result would not be valid YAML: {0}")]
    Broken(crate::ParseError),
}

/// Columns by which new fields and lines are indented; a graft moves them to where the stream has its own.
const STEP: usize = 2;

const TARGET: StreamId = StreamId(0);
const WRAPPER: StreamId = StreamId(1);
const VALUE: StreamId = StreamId(2);

impl<'t> Document<'t> {
    /// Puts `value` at the end of `path` and returns the new text of the stream.
    ///
    /// What is missing on the way there is added, if it is fields of mappings (also where a null stands); list elements
    /// must be there. Where the place has that value already, however it is written, the text stays as it is.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn set(self, path: &Path, value: NewValue<'_>) -> Result<String, ChangeError> {
        let Some(root) = self.root() else { return self.fill(path, value) };
        match path.find(root) {
            Ok(found) => self.replace(found, value),
            Err(error) => match missing_fields(path, &error, root) {
                Some(fields) => self.add(&error, &fields, value),
                None => Err(error.into()),
            },
        }
    }

    /// Removes the entry at the end of `path`, with its comments, and returns the new text of the stream.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn delete(self, path: &Path) -> Result<String, ChangeError> {
        let Some(root) = self.root() else { return Err(ChangeError::Root) };
        let entry = path.find(root)?.entry.ok_or(ChangeError::Root)?;
        if let Some((name, alias)) = self.used_anchor(entry.id().key.unwrap_or(entry.id().value), entry.value()) {
            return Err(ChangeError::Anchored { name: name.to_owned(), alias });
        }
        self.apply(&Edit::Remove { entry: entry.id() }, "", None)
    }

    fn replace(self, found: Found<'t>, value: NewValue<'_>) -> Result<String, ChangeError> {
        let old = found.node;
        if value.is_value_of(old) {
            return Ok(self.stream.source.to_owned());
        }
        let mut anchor = String::new();
        if let Some((name, alias)) = self.used_anchor(old.id(), old) {
            if old.anchor() != Some(name) || !old.kind().is_scalar() || !takes_anchor(value) {
                return Err(ChangeError::Anchored { name: name.to_owned(), alias });
            }
            anchor = format!("&{name} ");
        }
        let around = found.entry.map_or(Around::Block, |entry| Around::of(entry.collection()));
        let (wrapper, node) = match value {
            NewValue::Text(text) => {
                let newline = Newline::of(self.stream.source);
                let layout = BlockLayout { parent: Some(0), step: step_of(old, found.entry), newline };
                let text = render_string_like(old.kind(), text, around.at(layout));
                (format!("x: {anchor}{text}\n"), None)
            }
            NewValue::Node(node) if !anchor.is_empty() => {
                (format!("x: {anchor}{}\n", node.full_span().of(node.stream.source)), None)
            }
            NewValue::Node(node) => (String::new(), Some(node)),
        };
        let stream = Stream::parse(&wrapper).map_err(ChangeError::Broken)?;
        let content = match (node, first_entry(&stream)) {
            (Some(node), _) => Content::Root(Graft::new(VALUE, node.id())),
            (None, Some(entry)) => Content::Value(Graft::new(WRAPPER, entry)),
            (None, None) => return Err(ChangeError::Root),
        };
        let edit = match found.entry {
            Some(entry) => Edit::ReplaceValue { entry: entry.id(), content },
            None => Edit::ReplaceRoot { root: old.id(), content },
        };
        self.apply(&edit, &wrapper, node)
    }

    /// Adds fields, each inside the one before, at the place that a lookup had reached.
    fn add(self, error: &LookupError, fields: &[&str], value: NewValue<'_>) -> Result<String, ChangeError> {
        let Some(root) = self.root() else { return Err(ChangeError::Root) };
        let reached = error.reached.find(root)?;
        if reached.node.kind().is_scalar()
            && let Some((name, alias)) = self.used_anchor(reached.node.id(), reached.node)
        {
            return Err(ChangeError::Anchored { name: name.to_owned(), alias });
        }
        let (wrapper, node) = wrap(fields, value, Around::of(reached.node), Newline::of(self.stream.source));
        let stream = Stream::parse(&wrapper).map_err(ChangeError::Broken)?;
        let edits = |stream: &Stream<'_>| {
            let leaf = node.and_then(|node| Some((deepest_entry(stream)?, node.id())));
            let content = |node| Content::Root(Graft::new(VALUE, node));
            leaf.map(|(entry, node)| Edit::ReplaceValue { entry, content: content(node) }).into_iter().collect()
        };
        let Some(part) = first_entry(&stream) else { return Err(ChangeError::Root) };
        let edit = if reached.node.kind() == Kind::Mapping {
            let graft = Graft { stream: WRAPPER, part, edits: edits(&stream) };
            let last = reached.node.entries().last();
            let position = last.map_or(Position::First, |entry| Position::After(entry.id()));
            Edit::Insert { collection: reached.node.id(), position, pieces: vec![Piece::Entry(graft)] }
        } else {
            let content = Content::Root(Graft { stream: WRAPPER, part: part.collection, edits: edits(&stream) });
            match reached.entry {
                Some(entry) => Edit::ReplaceValue { entry: entry.id(), content },
                None => Edit::ReplaceRoot { root: reached.node.id(), content },
            }
        };
        self.apply(&edit, &wrapper, node)
    }

    /// Gives a document without content its first fields, or its root.
    fn fill(self, path: &Path, value: NewValue<'_>) -> Result<String, ChangeError> {
        let newline = Newline::of(self.stream.source);
        let fields: Option<Vec<&str>> = path.segments().into_iter().map(field).collect();
        let (frame, node) = wrap(&fields.ok_or(ChangeError::Empty)?, value, Around::Block, newline);
        let mut text = frame;
        if let Some(node) = node {
            let frame = Stream::parse(&text).map_err(ChangeError::Broken)?;
            let content = Content::Root(Graft::new(VALUE, node.id()));
            let edit = match (deepest_entry(&frame), frame.documents().next().and_then(Document::root)) {
                (Some(entry), _) => Edit::ReplaceValue { entry, content },
                (None, Some(root)) => Edit::ReplaceRoot { root: root.id(), content },
                (None, None) => return Err(ChangeError::Root),
            };
            text = splice(&[&frame, &frame, node.stream], TARGET, &[edit])?;
        }
        let own = self.text();
        if !own.trim_start_matches('\u{feff}').is_empty() && !own.ends_with('\n') {
            text.insert_str(0, newline.as_str());
        }
        let text = self.apply(&Edit::Text { span: Span::at(self.span().end), text }, "", None)?;
        Stream::parse(&text).map_err(ChangeError::Broken)?;
        Ok(text)
    }

    fn apply(self, edit: &Edit, wrapper: &str, node: Option<Node<'_>>) -> Result<String, ChangeError> {
        let wrapper = Stream::parse(wrapper).map_err(ChangeError::Broken)?;
        let value = node.map_or(&wrapper, |node| node.stream);
        Ok(splice(&[self.stream, &wrapper, value], TARGET, std::slice::from_ref(edit))?)
    }

    /// An anchor in `first..=last` that an alias outside refers to, and that alias.
    fn used_anchor(self, first: NodeId, last: Node<'t>) -> Option<(&'t str, Span)> {
        let tape = &self.stream.tape;
        let inside = self.stream.node(first).first_record()..last.after();
        let mut current: HashMap<&str, bool> = HashMap::new();
        let records = self.id.index()..self.id.index() + tape[self.id.index()].skip as usize;
        for (index, record) in records.clone().zip(&tape[records]) {
            let text = record.span().of(self.stream.source);
            match record.kind {
                Kind::Anchor => drop(current.insert(&text[1..], inside.contains(&index))),
                Kind::Alias if !inside.contains(&index) && current.get(&text[1..]) == Some(&true) => {
                    return Some((&text[1..], record.span()));
                }
                _ => {}
            }
        }
        None
    }
}

/// Whether a value can take over the anchor of a scalar: what aliases refer to stays a scalar on one line.
fn takes_anchor(value: NewValue<'_>) -> bool {
    match value {
        NewValue::Text(_) => true,
        NewValue::Node(node) => {
            let is_one_line = !node.kind().is_block_scalar() && !node.full_span().of(node.stream.source).contains('\n');
            node.kind().is_scalar() && node.anchor().is_none() && is_one_line
        }
    }
}

/// The columns by which the text of a block scalar is indented further than what holds it.
fn step_of(old: Node<'_>, holder: Option<Entry<'_>>) -> usize {
    let step = old.block_scalar().map_or(0, |scalar| scalar.indent.saturating_sub(holder.map_or(0, Entry::column)));
    if step == 0 { STEP } else { step }
}

fn is_null(node: Node<'_>) -> bool {
    [Schema::Core12, Schema::Kube11].into_iter().all(|schema| node.resolve(schema) == Some(Resolved::Null))
}

/// The fields that a path has beyond what a lookup reached, where nothing but fields is missing.
fn missing_fields<'p>(path: &'p Path, error: &LookupError, root: Node<'_>) -> Option<Vec<&'p str>> {
    let is_missing = match error.kind {
        LookupErrorKind::Missing { .. } => true,
        LookupErrorKind::WrongKind(_) => error.reached.find(root).is_ok_and(|reached| is_null(reached.node)),
        _ => false,
    };
    let segments = path.segments();
    let rest = segments.get(error.reached.depth()..)?;
    if is_missing { rest.iter().copied().map(field).collect() } else { None }
}

fn field(segment: &Segment) -> Option<&str> {
    if let Segment::Field(name) = segment { Some(name) } else { None }
}

/// Whether the new text will stand in a block or a flow collection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Around {
    Block,
    Flow,
}

impl Around {
    fn of(collection: Node<'_>) -> Self {
        if collection.is_flow() { Self::Flow } else { Self::Block }
    }

    const fn at(self, layout: BlockLayout) -> ScalarPlace {
        match self {
            Self::Block => ScalarPlace::Block(layout),
            Self::Flow => ScalarPlace::Flow,
        }
    }
}

/// Fields, each on its own line inside the one before, around a value; a node's place is held by nothing.
fn wrap<'v>(fields: &[&str], value: NewValue<'v>, around: Around, newline: Newline) -> (String, Option<Node<'v>>) {
    let mut out = String::new();
    for (depth, name) in fields.iter().enumerate() {
        if depth > 0 {
            out.push_str(newline.as_str());
        }
        out.extend(std::iter::repeat_n(' ', STEP * depth));
        let key = render_string(name, ScalarPlace::Flow);
        if fits_implicit_key(&key) {
            out.push_str(&key);
        } else {
            out.push_str("? ");
            out.push_str(&key);
            out.push_str(newline.as_str());
            out.extend(std::iter::repeat_n(' ', STEP * depth));
        }
        out.push(':');
    }
    let node = match value {
        NewValue::Text(text) => {
            let parent = Some((STEP * fields.len()).saturating_sub(STEP));
            let layout = BlockLayout { parent, step: STEP, newline };
            out.push_str(if fields.is_empty() { "" } else { " " });
            out.push_str(&render_string(text, around.at(layout)));
            None
        }
        NewValue::Node(node) => {
            out.push_str(if fields.is_empty() { "null" } else { "" });
            Some(node)
        }
    };
    // A block scalar that keeps its line breaks may end with one already, which is not its last.
    out.push_str(newline.as_str());
    (out, node)
}

fn first_entry(stream: &Stream<'_>) -> Option<EntryId> {
    stream.documents().next()?.root()?.entries().next().map(Entry::id)
}

fn deepest_entry(stream: &Stream<'_>) -> Option<EntryId> {
    let mut entry = stream.entry(first_entry(stream)?);
    while let Some(inner) = entry.value().entries().next() {
        entry = inner;
    }
    Some(entry.id())
}
