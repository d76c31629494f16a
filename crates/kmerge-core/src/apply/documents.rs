//! The documents of one file while their objects change, and how the file is written again.

use std::collections::BTreeMap;

use kyaml_ast::{Document, NodeId, StreamId};

use super::objects::{Object, list_items};
use crate::reconcile::{Change, Comments, Draft, ReconcileError, reconcile};
use crate::value::{Needed, Place, ReadError, Reader, Source, Value};

/// A file whose objects change; its values are read when they are needed.
pub struct Documents<'a, 't> {
    own: &'a Source<'t>,
    /// What else parts come from; streams from number 1 on, each under the number by which the caller knows it.
    others: Vec<(usize, &'a Source<'t>)>,
    /// Documents as they are and as they shall be; `None` for those that go.
    documents: BTreeMap<NodeId, (Value, Option<Value>)>,
    /// New documents, with what they are made from.
    inserted: Vec<(Value, Value)>,
    /// What was settled, with the bytes of documents that are about to be.
    settled: Option<Draft>,
    waiting: Vec<Change>,
    waiting_bytes: usize,
}

/// So many times a file's documents are settled; what is held of them at once is a part of all.
const PARTS: usize = 32;
/// Fewer bytes are not worth the while.
const LEAST: usize = 64 << 10;

impl<'a, 't> Documents<'a, 't> {
    /// The documents of a file.
    #[must_use]
    pub fn new(own: &'a Source<'t>) -> Self {
        let (documents, others, inserted) = (BTreeMap::new(), Vec::new(), Vec::new());
        Self { own, others, documents, inserted, settled: None, waiting: Vec::new(), waiting_bytes: 0 }
    }

    /// Lets documents go one by one, of a file without aliases: nobody asks again for those that [`Documents::settle`] was
    /// called for. Parts come from so many other files at most, and bring their comments as said.
    #[must_use]
    pub fn streamed(mut self, others: usize, comments: Comments) -> Self {
        let sources = u32::try_from(others).ok().and_then(|others| others.checked_add(1));
        self.settled =
            sources.filter(|_| !self.own.has_aliases()).map(|count| Draft::new(StreamId(0), comments, count));
        self
    }

    /// Takes the changes of an object for complete, where documents are let go.
    ///
    /// # Errors
    ///
    /// Where the objects cannot be given their new values.
    pub fn settle(&mut self, object: &Object) -> Result<(), ReconcileError> {
        // Lists of objects may still grow.
        let Some(draft) = self.settled.as_ref().filter(|_| object.item.is_none()) else { return Ok(()) };
        let Some(values) = self.documents.remove(&object.document) else { return Ok(()) };
        let comments = draft.comments();
        self.waiting.extend(Some(change((object.document, values))).filter(|change| is_needed(change, comments)));
        let own = self.own.stream();
        self.waiting_bytes += own.document(object.document).map_or(0, |document| document.span().len());
        if self.waiting_bytes < LEAST.max(own.source().len() / PARTS) {
            return Ok(());
        }
        self.flush()
    }

    fn flush(&mut self) -> Result<(), ReconcileError> {
        let Some(mut draft) = self.settled.take() else { return Ok(()) };
        self.waiting_bytes = 0;
        let changes = std::mem::take(&mut self.waiting);
        let added = if changes.is_empty() { Ok(()) } else { draft.add(&self.sources(), changes) };
        self.settled = Some(draft);
        added
    }

    fn sources(&self) -> Vec<&'a Source<'t>> {
        std::iter::once(self.own).chain(self.others.iter().map(|(_, other)| *other)).collect()
    }

    /// The number that the values of another file must be read with; `key` is how the caller knows the file.
    pub fn stream_of(&mut self, key: usize, other: &'a Source<'t>) -> StreamId {
        // Callers go from file to file: the last one is asked for again and again.
        let known = self.others.iter().rposition(|(known, _)| *known == key);
        let position = known.unwrap_or(self.others.len());
        if known.is_none() {
            self.others.push((key, other));
        }
        StreamId(position as u32 + 1)
    }

    /// An object as it shall be so far; `None` if it goes.
    ///
    /// # Errors
    ///
    /// Where the document cannot be read.
    pub fn value_mut(&mut self, object: &Object) -> Result<Option<&mut Value>, ReadError> {
        self.part_mut(object, &Needed::All)
    }

    /// At least as much of an object as is needed, as it shall be so far. What was not read stays as it is. Until the
    /// object is settled, nobody asks for more of it.
    ///
    /// # Errors
    ///
    /// Where the document cannot be read.
    pub fn part_mut(&mut self, object: &Object, needed: &Needed) -> Result<Option<&mut Value>, ReadError> {
        if !self.documents.contains_key(&object.document) {
            let reads_parts = self.reads_parts(object);
            let (mut reader, place) = (Reader::new(self.own, StreamId(0)), Place::Root(object.root));
            let own = match &mut self.settled {
                Some(draft) if reads_parts => {
                    let (own, unread) = reader.part(place, needed)?;
                    draft.leave_out(object.document, needed, unread);
                    own
                }
                _ => reader.read(place)?,
            };
            self.documents.insert(object.document, (own.clone(), Some(own)));
        }
        let wanted = self.documents.get_mut(&object.document).and_then(|(_, wanted)| wanted.as_mut());
        Ok(match object.item {
            None => wanted,
            Some(position) => wanted.and_then(items_of).and_then(|items| items.get_mut(position)),
        })
    }

    /// Whether [`Documents::part_mut`] leaves anything out of an object: not where it has been read.
    pub(crate) fn reads_parts(&self, object: &Object) -> bool {
        let is_new = !self.documents.contains_key(&object.document);
        is_new && self.settled.is_some() && object.item.is_none() && self.own.is_free()
    }

    /// A whole document as it shall be so far; `None` if it goes, or has no root.
    ///
    /// # Errors
    ///
    /// Where the document cannot be read.
    pub fn document_mut(&mut self, document: Document<'t>) -> Result<Option<&mut Value>, ReadError> {
        let Some(root) = document.root() else { return Ok(None) };
        if !self.documents.contains_key(&document.id()) {
            let own = Reader::new(self.own, StreamId(0)).read(Place::Root(root.id()))?;
            self.documents.insert(document.id(), (own.clone(), Some(own)));
        }
        Ok(self.documents.get_mut(&document.id()).and_then(|(_, wanted)| wanted.as_mut()))
    }

    /// Removes an object; an item of a list of objects becomes null first, so that the others keep their positions.
    ///
    /// # Errors
    ///
    /// Where the document cannot be read.
    pub fn remove(&mut self, object: &Object) -> Result<(), ReadError> {
        let Some(value) = self.value_mut(object)? else { return Ok(()) };
        if object.item.is_some() {
            *value = Value::null();
        } else if let Some((_, wanted)) = self.documents.get_mut(&object.document) {
            *wanted = None;
        }
        Ok(())
    }

    /// Adds an object that is made from another: to the list of objects that the file is, else as the last document.
    ///
    /// # Errors
    ///
    /// Where that list cannot be read.
    pub fn add(&mut self, from: Value, wanted: Value) -> Result<(), ReadError> {
        if let Some(list) = self.list()
            && let Some(items) = self.document_mut(list)?.and_then(items_of)
        {
            items.push(wanted);
            return Ok(());
        }
        self.inserted.push((from, wanted));
        Ok(())
    }

    /// The only document of the file, if it is a list of objects.
    fn list(&self) -> Option<Document<'t>> {
        let mut documents = self.own.stream().documents().filter(|document| document.root().is_some());
        let list = documents.next().filter(|_| documents.next().is_none())?;
        list.root().and_then(list_items).map(|_| list)
    }

    /// The file's new text; `None` if nothing changes.
    ///
    /// # Errors
    ///
    /// Where the objects cannot be given their new values.
    pub fn write(mut self, comments: Comments) -> Result<Option<String>, ReconcileError> {
        let documents = std::mem::take(&mut self.documents).into_iter().map(change);
        self.waiting.extend(documents.filter(|change| is_needed(change, comments)));
        let last = self.own.stream().documents().last().map(Document::id);
        let inserted = std::mem::take(&mut self.inserted).into_iter();
        self.waiting.extend(inserted.map(|(from, wanted)| Change::Insert { after: last, from, wanted }));
        let sources = self.sources();
        let text = match self.settled.is_some() {
            true => {
                self.flush()?;
                self.settled.filter(|draft| !draft.is_empty()).map(|draft| draft.write(&sources)).transpose()?
            }
            false if self.waiting.is_empty() => None,
            false => Some(reconcile(&sources, StreamId(0), self.waiting, comments)?),
        };
        Ok(text.filter(|text| text != self.own.stream().source()))
    }
}

/// Whether a change has to be written. What a patch says is written also where it changes nothing: it may bring comments.
fn is_needed(change: &Change, comments: Comments) -> bool {
    comments == Comments::OfPatch || !matches!(change, Change::Rewrite { own, wanted, .. } if own == wanted)
}

fn change((document, (own, wanted)): (NodeId, (Value, Option<Value>))) -> Change {
    let Some(mut wanted) = wanted else { return Change::Remove { document } };
    if let Some(items) = own.get("items").and_then(Value::as_list).and_then(|_| items_of(&mut wanted)) {
        items.retain(|item| !item.is_null());
    }
    Change::Rewrite { document, own, wanted }
}

fn items_of(document: &mut Value) -> Option<&mut Vec<Value>> {
    document.as_map_mut()?.get_mut("items")?.as_list_mut()
}
