//! Collects changes of one stream and writes them at once.
//!
//! Each change refers to the stream as it was read. [`Changes::holds`] says whether an end that was found there is
//! still right after the collected changes. If it is not, the caller must write the changes and read the new text
//! first.
//!
//! Invariant: two changes for which [`Changes::holds`] returned true never claim the same bytes.

mod elements;
mod entries;
mod fill;
mod held;
mod uses;

use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};

use elements::NewElements;
use uses::Uses;

use super::draft::{Leaf, draft};
use super::habit::{Habits, as_lines, separator, wants_lines};
use super::json::{as_json, is_json};
use super::{ChangeError, Given, NewValue, TARGET, deepest_entry, first_entry, is_null, step_of, takes_anchor};
use crate::edit::{Content, Edit, Graft, Piece, Position, StreamId};
use crate::entry::Entry;
use crate::indent::IndentStyle;
use crate::parents::Parents;
use crate::path::{End, Found, LookupError, LookupErrorKind, Path, Pattern, Seat, Segment, Step};
use crate::quote::{BlockLayout, ScalarPlace, render_string_over};
use crate::span::{Newline, Span};
use crate::splice::splice;
use crate::tree::{Document, Kind, Node, NodeId, Stream};

/// Changes of one stream.
///
/// ```
/// use kyaml_ast::{Changes, NewValue, Pattern, Stream};
///
/// let stream = Stream::parse("image: app:1   # pinned\nargs:\n- --port\n")?;
/// let document = stream.documents().next().expect("a stream has a document");
/// let root = document.root().expect("a mapping");
/// let mut changes = Changes::new(&stream);
/// for (path, text) in [(".args[+]", "--fast"), (".image", "app:2")] {
///     let pattern: Pattern = path.parse()?;
///     for end in pattern.follow(root) {
///         assert!(changes.holds(&end));
///         changes.set(document, &end, NewValue::Text(text))?;
///     }
/// }
/// assert_eq!(changes.finish()?, "image: app:2   # pinned\nargs:\n- --port\n- --fast\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Changes<'t> {
    stream: &'t Stream<'t>,
    parents: Parents,
    indent: OnceCell<IndentStyle>,
    /// Where anchors and aliases stand, for each document that was asked about.
    uses: BTreeMap<NodeId, Uses>,
    /// Texts that edits bring with them.
    fragments: Vec<String>,
    edits: Vec<Edit>,
    /// Values of entries that are changed or removed.
    whole: BTreeSet<NodeId>,
    /// Collections and documents above a change.
    above: BTreeSet<NodeId>,
    /// Collections to which nothing can be added: the text of an entry, or of a field of an entry, has changed, and new
    /// entries would be written like these entries.
    rewritten: BTreeSet<NodeId>,
    /// New fields, by mapping.
    names: BTreeMap<NodeId, BTreeSet<String>>,
    /// New elements, by list.
    lists: BTreeMap<NodeId, NewElements>,
    /// Whether a document without content gets content.
    is_filled: bool,
    /// Whether added text must be JSON.
    is_json: bool,
}

impl<'t> Changes<'t> {
    /// A list of changes that is empty.
    #[must_use]
    pub fn new(stream: &'t Stream<'t>) -> Self {
        Self {
            stream,
            parents: Parents::of(stream),
            indent: OnceCell::new(),
            uses: BTreeMap::new(),
            fragments: Vec::new(),
            edits: Vec::new(),
            whole: BTreeSet::new(),
            above: BTreeSet::new(),
            rewritten: BTreeSet::new(),
            names: BTreeMap::new(),
            lists: BTreeMap::new(),
            is_filled: false,
            is_json: stream.documents().find_map(Document::root).is_some_and(is_json),
        }
    }

    /// An empty list of changes for a stream that must stay JSON, even if it could be YAML: `{}` gets its first field
    /// in brackets.
    ///
    /// ```
    /// use kyaml_ast::{Changes, NewValue, Pattern, Stream};
    ///
    /// let stream = Stream::parse("{}")?;
    /// let document = stream.documents().next().expect("a stream has a document");
    /// let pattern: Pattern = ".a.b".parse()?;
    /// let mut changes = Changes::of_json(&stream);
    /// for end in pattern.follow(document.root().expect("a mapping")) {
    ///     changes.set(document, &end, NewValue::Text("c"))?;
    /// }
    /// assert_eq!(changes.finish()?, r#"{"a": {"b": "c"}}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn of_json(stream: &'t Stream<'t>) -> Self {
        let is_json = stream.documents().find_map(Document::root).is_none_or(Node::is_flow);
        Self { is_json, ..Self::new(stream) }
    }

    fn habits(&self, siblings: Option<Node<'t>>) -> Habits<'t> {
        let indent = *self.indent.get_or_init(|| IndentStyle::of(self.stream));
        Habits::of(self.stream, indent, siblings, self.is_json)
    }

    /// The habits at what a path has found.
    fn habits_at(&self, found: Found<'t>) -> Habits<'t> {
        let node = found.node;
        let is_within = found.entry.is_some_and(|entry| entry.collection().is_flow());
        let has_content = node.entries().next().is_some();
        let siblings = if node.kind().is_collection() { Some(node) } else { None };
        Habits { is_in_brackets: is_within || node.is_flow() && has_content, ..self.habits(siblings) }
    }

    /// An anchor in `first..=last` that an alias outside refers to, and that alias.
    fn used_anchor(&mut self, document: Document<'t>, first: NodeId, last: Node<'t>) -> Option<(&'t str, Span)> {
        let uses = self.uses.entry(document.id).or_insert_with(|| Uses::of(document));
        let (anchor, alias) = uses.used_outside(&(self.stream.node(first).first_record()..last.after()))?;
        let [anchor, alias] = [anchor, alias].map(|index| self.stream.tape[index].leaf_span());
        Some((&anchor.of(self.stream.source)[1..], alias))
    }

    /// Whether no change was collected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.edits.is_empty()
    }

    /// The new text of the stream.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn finish(self) -> Result<String, ChangeError> {
        if self.edits.is_empty() {
            return Ok(self.stream.source.to_owned());
        }
        let parsed = self.fragments.iter().map(|text| Stream::parse(text)).collect::<Result<Vec<_>, _>>();
        let parsed = parsed.map_err(ChangeError::Broken)?;
        let streams: Vec<&Stream<'_>> = std::iter::once(self.stream).chain(&parsed).collect();
        let text = splice(&streams, TARGET, &self.edits)?;
        if self.is_filled {
            Stream::parse(&text).map_err(ChangeError::Broken)?;
        }
        Ok(text)
    }

    /// Whether new values are written as JSON.
    #[must_use]
    pub const fn is_json(&self) -> bool {
        self.is_json
    }

    /// A node and the collections around it, innermost first.
    fn way(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), |id| self.parents.collection(self.stream, *id))
    }

    fn note(&mut self, node: NodeId) {
        let above: Vec<NodeId> = self.way(node).skip(1).collect();
        self.above.extend(above);
    }

    /// Records that the text of a value, or beside it, has changed.
    fn note_rewritten(&mut self, value: NodeId) {
        let models: Vec<NodeId> = self.way(value).skip(1).take(2).collect();
        self.rewritten.extend(models);
    }

    fn fragment(&mut self, text: String) -> StreamId {
        self.fragments.push(text);
        StreamId(self.fragments.len() as u32)
    }

    /// The stream that contains a value.
    fn stream_of(&mut self, value: Node<'_>) -> StreamId {
        if std::ptr::eq(value.stream.source, self.stream.source) {
            TARGET
        } else {
            self.fragment(value.stream.source.to_owned())
        }
    }

    /// Puts a value at an end: replaces what stands there, or adds everything that is missing on the way.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn set(&mut self, document: Document<'t>, end: &End<'_, 't>, value: NewValue<'_>) -> Result<(), ChangeError> {
        let stream = value.stream()?;
        let value = value.given(stream.as_ref())?;
        let json = if self.is_json { as_json(value) } else { None };
        let Some(json) = json else { return self.set_as_is(document, end, value) };
        let stream = Stream::parse(&json).map_err(ChangeError::Broken)?;
        let root = stream.root().ok_or(ChangeError::Root)?;
        self.set_as_is(document, end, Given::Node(root))
    }

    fn set_as_is(&mut self, document: Document<'t>, end: &End<'_, 't>, value: Given<'_>) -> Result<(), ChangeError> {
        match &end.rest {
            None => self.replace(document, end.found, value),
            Some((rest, kind)) => {
                let is_missing = match kind {
                    LookupErrorKind::Missing { .. } => true,
                    LookupErrorKind::WrongKind(_) => is_null(end.found.node),
                    _ => false,
                };
                if !is_missing {
                    return Err(lost(end));
                }
                self.add(document, end, rest, value)
            }
        }
    }

    fn replace(&mut self, document: Document<'t>, found: Found<'t>, value: Given<'_>) -> Result<(), ChangeError> {
        let old = found.node;
        if value.is_value_of(old) {
            return Ok(());
        }
        let collection = found.entry.map(Entry::collection);
        if let Given::Node(node) = value
            && wants_lines(node, collection, Some(old))
            && let Some(text) = as_lines(node, &self.habits(collection))
        {
            let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
            let node = stream.documents().next().and_then(Document::root).ok_or(ChangeError::Root)?;
            return if Given::Node(node).is_value_of(old) {
                Ok(())
            } else {
                self.put(document, found, Given::Node(node))
            };
        }
        self.put(document, found, value)
    }

    /// Replaces a value by another, written as it is.
    fn put(&mut self, document: Document<'t>, found: Found<'t>, value: Given<'_>) -> Result<(), ChangeError> {
        let old = found.node;
        let mut anchor = String::new();
        if let Some((name, alias)) = self.used_anchor(document, old.id(), old) {
            if old.anchor() != Some(name) || !old.kind().is_scalar() || !takes_anchor(value) {
                return Err(ChangeError::Anchored { name: name.to_owned(), alias });
            }
            anchor = format!("&{name} ");
        }
        let mut is_alike = false;
        let content = match value {
            Given::Node(node) if anchor.is_empty() => Content::Root(Graft::new(self.stream_of(node), node.id())),
            Given::Node(node) => self.wrapped(format!("x: {anchor}{}\n", node.full_span().of(node.stream.source)))?,
            Given::Text(text) => {
                let newline = Newline::of(self.stream.source);
                let layout = BlockLayout { parent: Some(0), step: step_of(old, found.entry), newline };
                let is_flow = found.entry.is_some_and(|entry| entry.collection().is_flow());
                let place = if is_flow { ScalarPlace::Flow } else { ScalarPlace::Block(layout) };
                let written = render_string_over(old, text, place);
                is_alike = old.kind() == Kind::Plain && old.is_string() && written == text;
                self.wrapped(format!("x: {anchor}{written}\n"))?
            }
        };
        self.edits.push(match found.entry {
            Some(entry) => Edit::ReplaceValue { entry: entry.id(), content },
            None => Edit::ReplaceRoot { root: old.id(), content },
        });
        self.whole.insert(old.id());
        self.note(old.id());
        if !is_alike {
            self.note_rewritten(old.id());
        }
        Ok(())
    }

    /// The value of the only field of `text`.
    fn wrapped(&mut self, text: String) -> Result<Content, ChangeError> {
        let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
        let entry = first_entry(&stream).ok_or(ChangeError::Root)?;
        Ok(Content::Value(Graft::new(self.fragment(text), entry)))
    }

    /// Adds the missing steps and the value.
    fn add(
        &mut self,
        document: Document<'t>,
        end: &End<'_, 't>,
        steps: &[Step],
        value: Given<'_>,
    ) -> Result<(), ChangeError> {
        let habits = self.habits_at(end.found);
        let mut steps = steps.to_vec();
        if let (Some(Step::One(Segment::Key(fields))), Given::Node(value)) = (steps.last(), value) {
            let is_it = Pattern::from(&Path::root().with(Segment::Key(fields.clone())));
            if !is_known_by(value, fields) {
                return Err(ChangeError::OtherElement(is_it.to_string()));
            }
            _ = steps.pop();
            steps.push(Step::New(Seat::Last));
        }
        let lines = match value {
            Given::Node(new) if habits.takes_lines(new, steps.len() == 1) => {
                as_lines(new, &habits).map(|lines| (lines, new.kind()))
            }
            _ => None,
        };
        let leaf = match (&lines, value) {
            (Some((lines, kind)), _) => Leaf::Lines(lines, *kind),
            (None, Given::Text(text)) => Leaf::Text(text),
            (None, Given::Node(_)) => Leaf::Nothing,
        };
        let text = draft(&steps, leaf, habits).ok_or_else(|| lost(end))?;
        let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
        let part = first_entry(&stream).ok_or(ChangeError::Root)?;
        let mut edits = Vec::new();
        if let (Leaf::Nothing, Given::Node(node)) = (leaf, value) {
            let entry = deepest_entry(&stream).ok_or(ChangeError::Root)?;
            let content = Content::Root(Graft::new(self.stream_of(node), node.id()));
            edits.push(Edit::ReplaceValue { entry, content });
        }
        let graft = Graft { stream: self.fragment(text), part, edits };
        self.insert(document, end, &steps, Piece::Entry(graft))
    }

    /// Inserts an entry at the place that the first missing step names.
    fn insert(
        &mut self,
        document: Document<'t>,
        end: &End<'_, 't>,
        steps: &[Step],
        piece: Piece,
    ) -> Result<(), ChangeError> {
        let node = end.found.node;
        let wanted = match steps.first() {
            Some(Step::One(Segment::Field(_))) => Kind::Mapping,
            Some(Step::Token(_)) if node.kind() != Kind::Sequence => Kind::Mapping,
            Some(Step::One(Segment::Key(_)) | Step::New(_)) => Kind::Sequence,
            _ => return Err(lost(end)),
        };
        if node.kind() != wanted {
            return self.begin(document, end, piece);
        }
        let entries: Vec<Entry<'_>> = node.entries().collect();
        let at = match steps.first() {
            Some(Step::New(Seat::Before(index))) if *index <= entries.len() => *index,
            Some(Step::New(Seat::Before(_))) => return Err(out_of_range(end, entries.len())),
            Some(Step::New(Seat::Behind(segment))) => {
                let found = Path::root().with(segment.clone()).find(node)?;
                let is_it = |entry: &Entry<'_>| entry.value().id() == found.node.id();
                entries.iter().position(is_it).map_or(entries.len(), |at| at + 1)
            }
            _ => entries.len(),
        };
        let position = at.checked_sub(1).map_or(Position::First, |before| Position::After(entries[before].id()));
        if self.is_json && entries.is_empty() && end.found.entry.is_none() {
            return self.begin_brackets(node, piece);
        }
        let mut pieces = vec![piece];
        if let Some(blank) = separator(node) {
            let blank = Piece::Lines(blank.to_owned());
            pieces.insert(usize::from(position == Position::First), blank);
        }
        self.edits.push(Edit::Insert { collection: node.id(), position, pieces });
        match steps.first() {
            Some(Step::One(Segment::Field(name)) | Step::Token(name)) => {
                self.names.entry(node.id()).or_default().insert(name.clone());
            }
            _ => {
                let new = NewElements::at(end);
                self.lists.entry(node.id()).and_modify(|old| old.extend(&new)).or_insert(new);
            }
        }
        self.above.insert(node.id());
        self.note(node.id());
        self.rewritten.extend(self.parents.collection(self.stream, node.id()));
        Ok(())
    }

    /// Adds the first entry to an empty collection in brackets that is the whole file.
    fn begin_brackets(&mut self, root: Node<'t>, piece: Piece) -> Result<(), ChangeError> {
        // Inside another collection, brackets stay brackets.
        let text = if root.kind() == Kind::Mapping { "[{}]" } else { "[[]]" };
        let frame = Stream::parse(text).map_err(ChangeError::Broken)?;
        let inner = frame.entry(first_entry(&frame).ok_or(ChangeError::Root)?).value().id();
        let edits = vec![Edit::Insert { collection: inner, position: Position::First, pieces: vec![piece] }];
        let content = Content::Root(Graft { stream: self.fragment(text.to_owned()), part: inner, edits });
        self.edits.push(Edit::ReplaceRoot { root: root.id(), content });
        self.whole.insert(root.id());
        Ok(())
    }

    /// Replaces a null by a collection with its first entry.
    fn begin(&mut self, document: Document<'t>, end: &End<'_, 't>, piece: Piece) -> Result<(), ChangeError> {
        let node = end.found.node;
        if let Some((name, alias)) = self.used_anchor(document, node.id(), node) {
            return Err(ChangeError::Anchored { name: name.to_owned(), alias });
        }
        let Piece::Entry(Graft { stream, part, edits }) = piece else { return Err(lost(end)) };
        if !is_null(node) || stream == TARGET {
            return Err(lost(end));
        }
        let content = Content::Root(Graft { stream, part: part.collection, edits });
        self.edits.push(match end.found.entry {
            Some(entry) => Edit::ReplaceValue { entry: entry.id(), content },
            None => Edit::ReplaceRoot { root: node.id(), content },
        });
        self.whole.insert(node.id());
        self.note(node.id());
        self.note_rewritten(node.id());
        Ok(())
    }
}

/// The field of a mapping with this name.
fn field<'t>(mapping: Node<'t>, name: &str) -> Option<Entry<'t>> {
    mapping.entries().find(|entry| entry.key().is_some_and(|key| key.kind().is_scalar() && key.value() == name))
}

/// Whether a mapping has all of these fields.
fn is_known_by(element: Node<'_>, fields: &[(String, String)]) -> bool {
    let has = |(name, value): &(String, String)| {
        let field = Path::root().with(Segment::Field(name.clone()));
        field.find(element).ok().and_then(|found| found.node.key_text()).is_some_and(|text| text == *value)
    };
    fields.iter().all(has)
}

fn lost(end: &End<'_, '_>) -> ChangeError {
    end.error().map_or(ChangeError::Root, ChangeError::Lookup)
}

fn out_of_range(end: &End<'_, '_>, len: usize) -> ChangeError {
    match end.error() {
        Some(error) => ChangeError::Lookup(LookupError { kind: LookupErrorKind::OutOfRange { len }, ..error }),
        None => ChangeError::Root,
    }
}
