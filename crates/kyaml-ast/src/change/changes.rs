//! Changes of one stream that are collected and written at once.
//!
//! Each is said in terms of the stream as it was read. [`Changes::holds`] tells whether what was found there still counts after
//! those that were collected; where it does not, they have to be written and the new text read first.
//!
//! Invariant: two changes that are collected after [`Changes::holds`] agreed never claim the same bytes.

use std::collections::{BTreeMap, BTreeSet};

use super::draft::{Leaf, draft};
use super::habit::{Habits, as_lines, separator, wants_lines};
use super::{ChangeError, NewValue, TARGET, deepest_entry, first_entry, is_null, step_of, takes_anchor};
use crate::edit::{CommentSlot, Content, Edit, Graft, Piece, Position, StreamId};
use crate::entry::{Entry, EntryId};
use crate::parents::Parents;
use crate::path::{End, Found, LookupError, LookupErrorKind, Path, Pattern, Seat, Segment, Step};
use crate::quote::{BlockLayout, ScalarPlace, fits_implicit_key, render_string_like};
use crate::span::{Newline, Span};
use crate::splice::splice;
use crate::tree::{Document, Kind, Node, NodeId, Stream};

/// Changes of one stream.
///
/// ```
/// use kyaml_ast::{Changes, NewValue, Pattern, Stream};
///
/// let stream = Stream::parse("spec:\n  replicas: 3   # tuned\n  args:\n  - --port\n")?;
/// let document = stream.documents().next().expect("a stream has a document");
/// let root = document.root().expect("a mapping");
/// let mut changes = Changes::new(&stream);
/// for (path, text) in [(".spec.args[+]", "--fast"), (".spec.image", "app:1")] {
///     let pattern: Pattern = path.parse()?;
///     for end in pattern.follow(root) {
///         assert!(changes.holds(&end));
///         changes.set(document, &end, NewValue::Text(text))?;
///     }
/// }
/// assert_eq!(changes.finish()?, "spec:\n  replicas: 3   # tuned\n  args:\n  - --port\n  - --fast\n  image: app:1\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Changes<'t> {
    stream: &'t Stream<'t>,
    parents: Parents,
    /// Texts of their own that edits bring.
    fragments: Vec<String>,
    edits: Vec<Edit>,
    /// Values of entries that are changed, or that go.
    whole: BTreeSet<NodeId>,
    /// What stands above a change.
    above: BTreeSet<NodeId>,
    /// Fields that mappings get.
    names: BTreeMap<NodeId, BTreeSet<String>>,
    /// Lists that get or lose elements, and whether these are new last ones.
    lists: BTreeMap<NodeId, bool>,
    /// Whether a document without content gets some.
    is_filled: bool,
}

impl<'t> Changes<'t> {
    /// No changes yet.
    #[must_use]
    pub fn new(stream: &'t Stream<'t>) -> Self {
        Self {
            stream,
            parents: Parents::of(stream),
            fragments: Vec::new(),
            edits: Vec::new(),
            whole: BTreeSet::new(),
            above: BTreeSet::new(),
            names: BTreeMap::new(),
            lists: BTreeMap::new(),
            is_filled: false,
        }
    }

    /// Whether there are none.
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

    /// Whether an end is the same in the text after the changes so far.
    #[must_use]
    pub fn holds(&self, end: &End<'_, '_>) -> bool {
        if self.edits.is_empty() {
            return true;
        }
        let node = end.found.node.id();
        if self.is_filled || self.way(node).any(|id| self.whole.contains(&id)) {
            return false;
        }
        let is_list_alike = |id: NodeId| !self.lists.contains_key(&id);
        let above = || self.way(node).skip(1);
        match end.rest.as_ref().map(|(rest, _)| rest.first()) {
            None => !self.above.contains(&node) && above().all(is_list_alike),
            Some(Some(Step::New(Seat::Last))) => {
                self.lists.get(&node).is_none_or(|has_new_last| *has_new_last) && above().all(is_list_alike)
            }
            Some(Some(Step::One(Segment::Field(name)) | Step::Token(name))) => {
                let is_new = self.names.get(&node).is_none_or(|names| !names.contains(name));
                is_new && self.way(node).all(is_list_alike)
            }
            Some(_) => self.way(node).all(is_list_alike),
        }
    }

    /// Whether anything changes at a node or in it.
    #[must_use]
    pub fn touches(&self, node: NodeId) -> bool {
        self.is_filled || self.above.contains(&node) || self.whole.contains(&node)
    }

    /// A node and the collections that it is in, inside out.
    fn way(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        std::iter::successors(Some(node), |id| self.parents.collection(self.stream, *id))
    }

    fn note(&mut self, node: NodeId) {
        let above: Vec<NodeId> = self.way(node).skip(1).collect();
        self.above.extend(above);
    }

    fn fragment(&mut self, text: String) -> StreamId {
        self.fragments.push(text);
        StreamId(self.fragments.len() as u32)
    }

    /// The stream that a value comes from.
    fn stream_of(&mut self, value: Node<'_>) -> StreamId {
        if std::ptr::eq(value.stream.source, self.stream.source) {
            TARGET
        } else {
            self.fragment(value.stream.source.to_owned())
        }
    }

    /// Puts a value at an end: in the place of what stands there, or with all that is missing on the way to it.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn set(&mut self, document: Document<'t>, end: &End<'_, 't>, value: NewValue<'_>) -> Result<(), ChangeError> {
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

    fn replace(&mut self, document: Document<'t>, found: Found<'t>, value: NewValue<'_>) -> Result<(), ChangeError> {
        let old = found.node;
        if value.is_value_of(old) {
            return Ok(());
        }
        let collection = found.entry.map(Entry::collection);
        let habits = Habits::of(self.stream, collection);
        if let NewValue::Node(node) = value
            && wants_lines(node, collection, Some(old))
            && let Some(text) = as_lines(node, &habits)
        {
            let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
            let node = stream.documents().next().and_then(Document::root).ok_or(ChangeError::Root)?;
            return if NewValue::Node(node).is_value_of(old) {
                Ok(())
            } else {
                self.put(document, found, NewValue::Node(node))
            };
        }
        self.put(document, found, value)
    }

    /// Puts a value in the place of another, as it is.
    fn put(&mut self, document: Document<'t>, found: Found<'t>, value: NewValue<'_>) -> Result<(), ChangeError> {
        let old = found.node;
        let mut anchor = String::new();
        if let Some((name, alias)) = document.used_anchor(old.id(), old) {
            if old.anchor() != Some(name) || !old.kind().is_scalar() || !takes_anchor(value) {
                return Err(ChangeError::Anchored { name: name.to_owned(), alias });
            }
            anchor = format!("&{name} ");
        }
        let content = match value {
            NewValue::Node(node) if anchor.is_empty() => Content::Root(Graft::new(self.stream_of(node), node.id())),
            NewValue::Node(node) => {
                self.wrapped(format!("x: {anchor}{}\n", node.full_span().of(node.stream.source)))?
            }
            NewValue::Text(text) => {
                let newline = Newline::of(self.stream.source);
                let layout = BlockLayout { parent: Some(0), step: step_of(old, found.entry), newline };
                let is_flow = found.entry.is_some_and(|entry| entry.collection().is_flow());
                let place = if is_flow { ScalarPlace::Flow } else { ScalarPlace::Block(layout) };
                self.wrapped(format!("x: {anchor}{}\n", render_string_like(old.kind(), text, place)))?
            }
        };
        self.edits.push(match found.entry {
            Some(entry) => Edit::ReplaceValue { entry: entry.id(), content },
            None => Edit::ReplaceRoot { root: old.id(), content },
        });
        self.whole.insert(old.id());
        self.note(old.id());
        Ok(())
    }

    /// The value of the only field of a text.
    fn wrapped(&mut self, text: String) -> Result<Content, ChangeError> {
        let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
        let entry = first_entry(&stream).ok_or(ChangeError::Root)?;
        Ok(Content::Value(Graft::new(self.fragment(text), entry)))
    }

    /// Adds what the steps say to what is there.
    fn add(
        &mut self,
        document: Document<'t>,
        end: &End<'_, 't>,
        steps: &[Step],
        value: NewValue<'_>,
    ) -> Result<(), ChangeError> {
        let habits = Habits::at(self.stream, end.found);
        let mut steps = steps.to_vec();
        if let (Some(Step::One(Segment::Key(fields))), NewValue::Node(value)) = (steps.last(), value) {
            let is_it = Pattern::from(&Path::root().with(Segment::Key(fields.clone())));
            if !is_known_by(value, fields) {
                return Err(ChangeError::OtherElement(is_it.to_string()));
            }
            _ = steps.pop();
            steps.push(Step::New(Seat::Last));
        }
        let lines = match value {
            NewValue::Node(new) if habits.takes_lines(new, steps.len() == 1) => {
                as_lines(new, &habits).map(|lines| (lines, new.kind()))
            }
            _ => None,
        };
        let leaf = match (&lines, value) {
            (Some((lines, kind)), _) => Leaf::Lines(lines, *kind),
            (None, NewValue::Text(text)) => Leaf::Text(text),
            (None, NewValue::Node(_)) => Leaf::Nothing,
        };
        let text = draft(&steps, leaf, habits).ok_or_else(|| lost(end))?;
        let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
        let part = first_entry(&stream).ok_or(ChangeError::Root)?;
        let mut edits = Vec::new();
        if let (Leaf::Nothing, NewValue::Node(node)) = (leaf, value) {
            let entry = deepest_entry(&stream).ok_or(ChangeError::Root)?;
            let content = Content::Root(Graft::new(self.stream_of(node), node.id()));
            edits.push(Edit::ReplaceValue { entry, content });
        }
        let graft = Graft { stream: self.fragment(text), part, edits };
        self.insert(document, end, &steps, Piece::Entry(graft))
    }

    /// Puts an entry where the first of the steps that are missing says.
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
            first => {
                let is_last = matches!(first, Some(Step::New(Seat::Last)));
                self.lists.entry(node.id()).and_modify(|only_last| *only_last &= is_last).or_insert(is_last);
            }
        }
        self.above.insert(node.id());
        self.note(node.id());
        Ok(())
    }

    /// Gives a null its first entry.
    fn begin(&mut self, document: Document<'t>, end: &End<'_, 't>, piece: Piece) -> Result<(), ChangeError> {
        let node = end.found.node;
        if let Some((name, alias)) = document.used_anchor(node.id(), node) {
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
        Ok(())
    }

    /// Gives a document without content its first fields, or its root.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn fill(&mut self, document: Document<'t>, pattern: &Pattern, value: NewValue<'_>) -> Result<(), ChangeError> {
        let habits = Habits::of(self.stream, None);
        let leaf = if let NewValue::Text(text) = value { Leaf::Text(text) } else { Leaf::Nothing };
        let mut text = draft(pattern.steps(), leaf, habits).ok_or(ChangeError::Empty)?;
        if let NewValue::Node(node) = value {
            let frame = Stream::parse(&text).map_err(ChangeError::Broken)?;
            let content = Content::Root(Graft::new(StreamId(1), node.id()));
            let edit = match (deepest_entry(&frame), frame.documents().next().and_then(Document::root)) {
                (Some(entry), _) => Edit::ReplaceValue { entry, content },
                (None, Some(root)) => Edit::ReplaceRoot { root: root.id(), content },
                (None, None) => return Err(ChangeError::Root),
            };
            text = splice(&[&frame, node.stream], TARGET, &[edit])?;
        }
        let own = document.text();
        if !own.trim_start_matches('\u{feff}').is_empty() && !own.ends_with('\n') {
            text.insert_str(0, habits.newline.as_str());
        }
        self.edits.push(Edit::Text { span: Span::at(document.span().end), text });
        self.is_filled = true;
        Ok(())
    }

    /// Removes an entry with its comments; an element of a list whose elements have blank lines between them, with those.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn delete(&mut self, document: Document<'t>, found: Found<'t>) -> Result<(), ChangeError> {
        let entry = found.entry.ok_or(ChangeError::Root)?;
        self.unanchored(document, entry)?;
        self.take_out(entry);
        Ok(())
    }

    fn take_out(&mut self, entry: Entry<'t>) {
        let collection = entry.collection();
        self.edits.push(Edit::Remove { entry: entry.id() });
        if separator(collection).is_some() {
            let items: Vec<Entry<'_>> = collection.entries().collect();
            let at = items.iter().position(|item| item.id() == entry.id()).unwrap_or_default();
            let pair = if at == 0 { [&items[0], &items[1]] } else { [&items[at - 1], &items[at]] };
            let span = Span::new(pair[0].extent().end, pair[1].extent().start);
            self.edits.push(Edit::Text { span, text: String::new() });
        }
        self.whole.insert(entry.id().value);
        self.whole.insert(collection.id());
        self.note(collection.id());
    }

    /// Gives a field another name.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn rename(&mut self, document: Document<'t>, found: Found<'t>, name: &str) -> Result<(), ChangeError> {
        let entry = found.entry.ok_or(ChangeError::Root)?;
        let key = entry.key().ok_or(ChangeError::NoName)?;
        if key.kind().is_scalar() && key.value() == name {
            return Ok(());
        }
        if let Some((name, alias)) = document.used_anchor(key.id(), key) {
            return Err(ChangeError::Anchored { name: name.to_owned(), alias });
        }
        let text = self.free_key(entry.collection(), Some(key), name)?;
        self.edits.push(Edit::ReplaceKey { entry: entry.id(), text });
        self.whole.insert(entry.id().value);
        self.names.entry(entry.id().collection).or_default().insert(name.to_owned());
        self.note(entry.id().value);
        Ok(())
    }

    /// A key for a name that no other field of a mapping has.
    fn free_key(&self, mapping: Node<'_>, old: Option<Node<'_>>, name: &str) -> Result<String, ChangeError> {
        let mut keys = mapping.entries().filter_map(Entry::key);
        if let Some(taken) = keys.find(|key| key.kind().is_scalar() && key.value() == name) {
            return Err(ChangeError::Taken { name: name.to_owned(), span: taken.span() });
        }
        let quotes = old.map(Node::kind).filter(|kind| matches!(kind, Kind::SingleQuoted | Kind::DoubleQuoted));
        let text = match quotes {
            Some(kind) => render_string_like(kind, name, ScalarPlace::Flow),
            None => Habits::of(self.stream, Some(mapping)).key(name),
        };
        if fits_implicit_key(&text) { Ok(text) } else { Err(ChangeError::LongName) }
    }

    /// Moves an entry with its comments to where an end leads, which is not there yet.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn relocate(&mut self, document: Document<'t>, found: Found<'t>, end: &End<'_, 't>) -> Result<(), ChangeError> {
        let entry = found.entry.ok_or(ChangeError::Root)?;
        self.unanchored(document, entry)?;
        let Some((rest, LookupErrorKind::Missing { .. } | LookupErrorKind::WrongKind(_))) = &end.rest else {
            return Err(match end.error() {
                Some(error) => error.into(),
                None => ChangeError::Taken { name: end.path.to_string(), span: end.found.node.span() },
            });
        };
        if self.way(end.found.node.id()).any(|id| id == entry.id().value) {
            return Err(ChangeError::Inside);
        }
        let mut edits = Vec::new();
        match (rest.last(), entry.key()) {
            (Some(Step::One(Segment::Field(name)) | Step::Token(name)), Some(key)) => {
                if key.value() != *name {
                    let quotes = matches!(key.kind(), Kind::SingleQuoted | Kind::DoubleQuoted);
                    let habits = Habits::of(self.stream, None);
                    let text =
                        if quotes { render_string_like(key.kind(), name, ScalarPlace::Flow) } else { habits.key(name) };
                    edits.push(Edit::ReplaceKey { entry: entry.id(), text });
                }
            }
            (Some(Step::New(_)), None) => {}
            _ => return Err(ChangeError::OtherKind),
        }
        let moved = Piece::Entry(Graft { stream: TARGET, part: entry.id(), edits });
        let piece = match rest {
            [_] if !is_null(end.found.node) => moved,
            _ => {
                let habits = Habits::of(self.stream, Some(end.found.node).filter(|node| node.kind().is_collection()));
                let text = draft(rest, Leaf::Nothing, habits).ok_or_else(|| lost(end))?;
                let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
                let (first, deepest) = first_entry(&stream).zip(deepest_entry(&stream)).ok_or(ChangeError::Root)?;
                let edits = vec![Edit::Rewrite { entry: deepest, pieces: vec![moved] }];
                Piece::Entry(Graft { stream: self.fragment(text), part: first, edits })
            }
        };
        self.insert(document, end, rest, piece)?;
        self.take_out(entry);
        Ok(())
    }

    /// Writes a comment beside an entry or above it; nothing takes it away.
    ///
    /// # Errors
    ///
    /// See [`ChangeError`].
    pub fn comment(&mut self, found: Found<'t>, slot: CommentSlot, text: &str) -> Result<(), ChangeError> {
        let entry = found.entry.ok_or(ChangeError::Root)?;
        if slot == CommentSlot::Trail && text.contains(['\n', '\r']) {
            return Err(ChangeError::Lines);
        }
        if !text.is_empty() && !entry.has_room_for_comments() {
            return Err(ChangeError::NoRoom);
        }
        let marked = |line: &str| match line.trim_end() {
            "" => "#".to_owned(),
            line if line.starts_with('#') => line.to_owned(),
            line => format!("# {line}"),
        };
        let fragment = match (slot, text) {
            (_, "") => None,
            (CommentSlot::Trail, text) => Some(format!("x: 1 {}\n", marked(text))),
            (CommentSlot::Lead, text) => {
                Some(text.lines().map(|line| marked(line) + "\n").collect::<String>() + "x: 1\n")
            }
        };
        let old = if slot == CommentSlot::Lead { entry.lead() } else { entry.trail() };
        if fragment.is_none() && old.is_none() {
            return Ok(());
        }
        let from = match fragment {
            Some(text) => {
                let stream = Stream::parse(&text).map_err(ChangeError::Broken)?;
                let from = first_entry(&stream).ok_or(ChangeError::Root)?;
                Some((self.fragment(text), from))
            }
            None => None,
        };
        self.edits.push(Edit::SetComment { entry: entry.id(), slot, from });
        self.whole.insert(entry.id().value);
        self.note(entry.id().value);
        Ok(())
    }

    /// An entry that goes must not hold what aliases elsewhere refer to.
    fn unanchored(&self, document: Document<'t>, entry: Entry<'t>) -> Result<(), ChangeError> {
        let EntryId { key, value, .. } = entry.id();
        match document.used_anchor(key.unwrap_or(value), entry.value()) {
            Some((name, alias)) => Err(ChangeError::Anchored { name: name.to_owned(), alias }),
            None => Ok(()),
        }
    }
}

/// Whether a mapping has these fields.
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
