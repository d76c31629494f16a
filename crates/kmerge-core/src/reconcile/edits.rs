//! Compares a value with the wanted one, and finds the edits of its stream.
//!
//! Every value here has an origin, or is a scalar on one line; [`prepare`](super::prepare) makes sure of that. Edits
//! are made in the stream that the compared value was read from, its *home*. That is the target, or a stream from which
//! a part is grafted and changed on the way.

use std::collections::HashMap;

use kyaml_ast::{
    CommentSlot, Content, Edit, Entry, EntryId, Graft, Kind, Node, NodeId, Piece, Resolved, ScalarPlace, ScalarSchema,
    StreamId, render_string, render_string_like,
};

use super::{Comments, ReconcileError, Style};
use crate::value::{Data, Origin, Place, Reader, Source, Value, key_to_yaml, to_flow_yaml};

/// Finds edits.
pub(super) struct Editor<'e, 's, 't> {
    readers: &'e mut [Reader<'s, 't>],
    comments: Comments,
    style: Style,
    target: StreamId,
    /// For each stream that was needed: the document of each root.
    documents: HashMap<StreamId, HashMap<NodeId, NodeId>>,
}

type Result<T> = std::result::Result<T, ReconcileError>;

impl<'e, 's, 't> Editor<'e, 's, 't> {
    pub(super) fn new(readers: &'e mut [Reader<'s, 't>], comments: Comments, style: Style, target: StreamId) -> Self {
        Self { readers, comments, style, target, documents: HashMap::new() }
    }

    fn source(&self, stream: StreamId) -> &'s Source<'t> {
        self.readers[stream.0 as usize].source()
    }

    pub(super) fn node(&self, origin: Origin) -> Node<'t> {
        self.source(origin.stream).stream().node(origin.place.node())
    }

    pub(super) fn target_node(&self, node: NodeId) -> Node<'t> {
        self.source(self.target).stream().node(node)
    }

    /// The edits of the stream of `own` that give it the wanted value.
    pub(super) fn value(&mut self, own: &Value, wanted: &Value, edits: &mut Vec<Edit>) -> Result<()> {
        let Some(home) = own.origin else { return Ok(()) };
        let node = self.node(home);
        let is_kept_alias = node.kind() == Kind::Alias && wanted.origin == Some(home);
        match (&own.data, &wanted.data) {
            (Data::Map(_), Data::Map(_))
                if node.kind() == Kind::Mapping && !self.source(home.stream).merges(node.id()) =>
            {
                self.fields(node, own, wanted, edits)?;
            }
            (Data::List(items), Data::List(wanted_items)) if node.kind() == Kind::Sequence => {
                self.items(node, items, wanted_items, edits)?;
            }
            (own, wanted) if own == wanted && (node.kind() != Kind::Alias || is_kept_alias) => {}
            _ => return self.replace(home, wanted, edits),
        }
        if self.comments == Comments::OfPatch {
            self.take_comments(home, wanted.patch.or(wanted.origin), edits);
        }
        Ok(())
    }

    /// Replaces a value by another one.
    fn replace(&mut self, home: Origin, wanted: &Value, edits: &mut Vec<Edit>) -> Result<()> {
        let old = self.node(home);
        let content = match &wanted.data {
            Data::Text(text) if self.style == Style::Yaml && keeps_style(old, text, home.place) => {
                Content::Inline(render_string_like(old.kind(), text, ScalarPlace::Flow))
            }
            _ => self.content(wanted)?,
        };
        edits.push(match home.place {
            Place::Entry(entry) => Edit::ReplaceValue { entry, content },
            Place::Root(root) => Edit::ReplaceRoot { root, content },
        });
        self.take_comments(home, wanted.origin, edits);
        Ok(())
    }

    /// Replaces an entry by another one: its value and its comments.
    pub(super) fn another(
        &mut self,
        entry: EntryId,
        node: Node<'_>,
        wanted: &Value,
        edits: &mut Vec<Edit>,
    ) -> Result<()> {
        edits.push(Edit::ReplaceValue { entry, content: self.content(wanted)? });
        let source = wanted.origin.and_then(|origin| match origin.place {
            Place::Entry(entry) => Some((origin.stream, entry)),
            Place::Root(_) => None,
        });
        let own = node.stream().entry(entry);
        for slot in slots(own) {
            let from = source.filter(|(stream, entry)| comment(self.entry(*stream, *entry), slot).is_some());
            if from.is_some() || comment(own, slot).is_some() {
                edits.push(Edit::SetComment { entry, slot, from });
            }
        }
        Ok(())
    }

    /// Sets the comments of an entry to those of an entry in another stream, if that has any.
    fn take_comments(&self, home: Origin, from: Option<Origin>, edits: &mut Vec<Edit>) {
        let Some(from) = from.filter(|from| from.stream != home.stream) else { return };
        let (Place::Entry(entry), Place::Entry(source)) = (home.place, from.place) else { return };
        let (own, theirs) = (self.entry(home.stream, entry), self.entry(from.stream, source));
        for slot in slots(own) {
            let text = comment(theirs, slot);
            if text.is_some() && text != comment(own, slot) {
                edits.push(Edit::SetComment { entry, slot, from: Some((from.stream, source)) });
            }
        }
    }

    fn entry(&self, stream: StreamId, entry: EntryId) -> Entry<'t> {
        self.source(stream).stream().entry(entry)
    }

    /// A value as it is written after an indicator.
    pub(super) fn content(&mut self, wanted: &Value) -> Result<Content> {
        // A null that is not written can only stay in place.
        let is_written = |origin| !self.node(origin).full_span().is_empty();
        if wanted.origin.is_some_and(is_written)
            && let Some((origin, edits)) = self.graft(wanted)?
        {
            let stream = origin.stream;
            return Ok(match origin.place {
                Place::Entry(part) => Content::Value(Graft { stream, part, edits }),
                Place::Root(part) => Content::Root(Graft { stream, part, edits }),
            });
        }
        Ok(Content::Inline(match &wanted.data {
            Data::Text(text) if self.style == Style::Yaml => render_string(text, ScalarPlace::Flow),
            _ => wanted.to_json(),
        }))
    }

    /// A value as a new entry of `holder`, with the comments of its origin.
    pub(super) fn piece(&mut self, holder: Node<'_>, key: Option<&str>, wanted: &Value) -> Result<Piece> {
        if self.style == Style::Yaml && self.is_flow_of_target(holder) && self.is_printed(wanted) {
            // As block YAML it would turn its holder into a block, which nobody asked for.
            let key = key.map(|key| render_string(key, ScalarPlace::Flow));
            return Ok(Piece::New { key, value: Content::Inline(to_flow_yaml(wanted)) });
        }
        if let Some(origin) = wanted.origin
            && let Place::Entry(part) = origin.place
            && self.has_key(self.entry(origin.stream, part), key)
            && let Some((_, edits)) = self.graft(wanted)?
        {
            return Ok(Piece::Entry(Graft { stream: origin.stream, part, edits }));
        }
        let key = key.map(|key| match self.style {
            Style::Yaml => key_to_yaml(key),
            Style::Json => Value::text(key).to_json(),
        });
        Ok(Piece::New { key, value: self.content(wanted)? })
    }

    fn is_flow_of_target(&self, node: Node<'_>) -> bool {
        node.is_flow() && std::ptr::eq(node.stream(), self.source(self.target).stream())
    }

    /// Whether a value has no source text, so that it was printed.
    fn is_printed(&self, value: &Value) -> bool {
        value.origin.is_none_or(|origin| origin.stream.0 as usize + 1 == self.readers.len())
    }

    fn has_key(&self, entry: Entry<'_>, key: Option<&str>) -> bool {
        match (entry.key(), key) {
            (None, None) => true,
            (Some(own), Some(key)) => crate::value::field_name(own).as_deref() == Some(key),
            _ => false,
        }
    }

    /// The text that a value comes from, with the necessary edits. `None` if that text cannot become the value.
    fn graft(&mut self, wanted: &Value) -> Result<Option<(Origin, Vec<Edit>)>> {
        let Some(origin) = wanted.origin else { return Ok(None) };
        let own = self.readers[origin.stream.0 as usize].read(origin.place)?;
        let mut edits = Vec::new();
        if own != *wanted {
            let fits = own.shape() == wanted.shape() && self.node(origin).kind().is_collection();
            if !fits || self.source(origin.stream).merges(origin.place.node()) {
                return Ok(None);
            }
            self.value(&own, wanted, &mut edits)?;
        }
        Ok(Some((origin, edits)))
    }

    /// A document of another stream, edited to have the wanted value.
    pub(super) fn document(&mut self, from: &Value, wanted: &Value) -> Result<Graft<NodeId>> {
        let origin = wanted.origin.or(from.origin).ok_or(ReconcileError::Mismatch(0))?;
        let mut edits = Vec::new();
        if Some(origin.stream) == from.origin.map(|origin| origin.stream) {
            self.value(from, wanted, &mut edits)?;
        }
        let source = self.source(origin.stream);
        let documents = self.documents.entry(origin.stream).or_insert_with(|| {
            let documents = source.stream().documents();
            documents.filter_map(|document| Some((document.root()?.id(), document.id()))).collect()
        });
        let part = *documents.get(&origin.place.node()).ok_or(ReconcileError::Mismatch(0))?;
        Ok(Graft { stream: origin.stream, part, edits })
    }
}

/// Whether a text is written in the style of the string that it replaces. A single line is. Several lines only if the
/// old string is quoted, or is in a flow collection.
pub(super) fn keeps_style(old: Node<'_>, text: &str, place: Place) -> bool {
    let is_string = match old.kind() {
        Kind::SingleQuoted | Kind::DoubleQuoted => true,
        Kind::Plain => !text.contains('\n') && matches!(old.resolve(ScalarSchema::Kube11), Some(Resolved::String(_))),
        _ => false,
    };
    is_string && old.tag().is_none() && matches!(place, Place::Entry(_))
}

/// The comments that an entry can get. Entries of flow collections get none. Only an entry that starts its line gets
/// one above.
fn slots(entry: Entry<'_>) -> impl Iterator<Item = CommentSlot> {
    let slots: &[CommentSlot] = match entry.collection().is_flow() {
        true => &[],
        false if entry.starts_line() => &[CommentSlot::Lead, CommentSlot::Trail],
        false => &[CommentSlot::Trail],
    };
    slots.iter().copied()
}

fn comment(entry: Entry<'_>, slot: CommentSlot) -> Option<&str> {
    let span = match slot {
        CommentSlot::Lead => entry.lead(),
        CommentSlot::Trail => entry.trail(),
    };
    span.map(|span| span.of(entry.stream().source()))
}
