//! The documents of one file while their objects change. Writes the file at the end.
//!
//! Owns the values before and after the changes. Ignores what changes them. Module
//! `reconcile` makes edits of the differences.

use std::collections::{BTreeMap, HashMap};

use kyaml_ast::{Document, EntryId, NodeId, StreamId};

use super::batch::BatchErrorKind;
use super::objects::{Object, list_items};
use super::patch::{PatchKind, PatchOptions, needed};
use crate::reconcile::{Change, Comments, Draft, ReconcileError, Unchecked, reconcile_unchecked};
use crate::value::{Needed, Place, ReadError, Reader, Source, Value};

/// A file whose objects change. Its values are read when they are needed.
///
/// ```
/// use kmerge_core::apply::{Documents, Object};
/// use kmerge_core::value::{Source, Value};
/// use kyaml_ast::Stream;
///
/// let stream = Stream::parse("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: '1'} # kept\n")?;
/// let source = Source::new(&stream);
/// let mut documents = Documents::new(&source);
/// for object in Object::all(std::slice::from_ref(&source)) {
///     let value = documents.value_mut(&object)?.expect("nobody removed it");
///     let data = value.as_map_mut().and_then(|fields| fields.get_mut("data")).expect("it has data");
///     data.as_map_mut().expect("a mapping").insert("l".into(), Value::text("x"));
/// }
/// let text = documents.write()?.expect("it changes");
/// assert!(text.ends_with("data: {k: '1', l: x} # kept\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Documents<'a, 't> {
    source: &'a Source<'t>,
    comments: Comments,
    /// The other files that parts come from. Their streams have numbers from 1 on. Each has the key by which the caller
    /// knows it.
    others: Vec<(usize, &'a Source<'t>)>,
    /// Documents before and after the changes. The second is `None` for a document that is removed. If objects are
    /// settled one by one, items of lists are entries of their own.
    documents: BTreeMap<NodeId, (Value, Option<Value>)>,
    /// For each such item, its document and its entry there.
    holders: HashMap<NodeId, (NodeId, EntryId)>,
    /// New documents, each with the value that it is made from.
    inserted: Vec<(Value, Value)>,
    /// The text of settled objects, and the bytes of documents that will be settled.
    settled: Option<Draft>,
    waiting: Vec<Change>,
    waiting_bytes: usize,
}

/// A file's documents are settled in about this many rounds. One round holds only a part of them in memory.
const PARTS: usize = 128;
/// A round with fewer bytes is not worth its cost.
const LEAST: usize = 16 << 10;

impl<'a, 't> Documents<'a, 't> {
    /// The documents of a file.
    #[must_use]
    pub fn new(source: &'a Source<'t>) -> Self {
        let (others, documents, holders, inserted, waiting) = Default::default();
        let comments = Comments::OfChanges;
        Self { source, comments, others, documents, holders, inserted, settled: None, waiting, waiting_bytes: 0 }
    }

    /// The documents of a file that other files patch. Comments of everything that the patches name come along.
    #[must_use]
    pub fn for_patches(source: &'a Source<'t>, patches: &'a [Source<'t>]) -> Self {
        let mut patched = Self::new(source).with_comments_of_patches();
        // If there is only one patch, whatever comes next is about other objects.
        let is_one = patches.iter().flat_map(|patch| patch.stream().documents()).count() == 1;
        if is_one {
            patched = patched.streamed(patches.len());
        }
        patched.others = patches.iter().enumerate().collect();
        patched
    }

    pub(crate) const fn with_comments_of_patches(mut self) -> Self {
        self.comments = Comments::OfPatch;
        self
    }

    /// Settles objects one by one, for a file without aliases. The caller must not ask again for objects after
    /// [`Documents::settle`], and must not remove any. Parts come from at most `others` other files.
    #[must_use]
    pub(crate) fn streamed(mut self, others: usize) -> Self {
        let sources = u32::try_from(others).ok().and_then(|others| others.checked_add(1));
        if !self.source.has_aliases() {
            self.settled = sources.map(|count| Draft::new(StreamId(0), self.comments, count));
        }
        self
    }

    /// Declares that the changes of an object are complete, if objects are settled one by one.
    ///
    /// # Errors
    ///
    /// If the objects cannot be given their new values.
    pub(crate) fn settle(&mut self, object: &Object) -> Result<(), ReconcileError> {
        if self.settled.is_none() {
            return Ok(());
        }
        let key = self.key(object);
        let Some(values) = self.documents.remove(&key) else { return Ok(()) };
        let change = self.change(key, values);
        self.waiting.extend(Some(change).filter(|change| is_needed(change, self.comments)));
        self.waiting_bytes += object.span.len();
        let stream = self.source.stream();
        if self.waiting_bytes < LEAST.max(stream.source().len() / PARTS) {
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
        std::iter::once(self.source).chain(self.others.iter().map(|(_, other)| *other)).collect()
    }

    /// The number of another file's stream, with which its values must be read. `key` is how the caller knows the file.
    pub(crate) fn stream_of(&mut self, key: usize, other: &'a Source<'t>) -> StreamId {
        // Callers handle one file after the other, so the last one is asked for most often.
        let found = self.others.iter().rposition(|(other, _)| *other == key);
        let position = found.unwrap_or(self.others.len());
        if found.is_none() {
            self.others.push((key, other));
        }
        StreamId(position as u32 + 1)
    }

    /// An object with the changes so far. `None` if it is removed.
    ///
    /// # Errors
    ///
    /// If the document cannot be read.
    pub fn value_mut(&mut self, object: &Object) -> Result<Option<&mut Value>, ReadError> {
        self.part_mut(object, &Needed::All)
    }

    /// The value of a document of a patch. `file` is the position of the patch in the list given to
    /// [`Documents::for_patches`](Self::for_patches).
    ///
    /// # Errors
    ///
    /// If the document cannot be read.
    pub fn patch_value(&self, file: usize, document: Document<'t>) -> Result<Option<Value>, ReadError> {
        let Some((_, source)) = self.others.get(file) else { return Ok(None) };
        Reader::new(source, StreamId(file as u32 + 1)).document(document)
    }

    /// Patches an object. Reads only the parts that the patch needs.
    ///
    /// # Errors
    ///
    /// If the object cannot be read, patched or written.
    pub fn patch(
        &mut self,
        object: &Object,
        patch: &Value,
        kind: PatchKind,
        options: PatchOptions<'_>,
    ) -> Result<(), BatchErrorKind> {
        let needed = needed(object.node(self.source), patch, kind, options);
        if let Some(value) = self.part_mut(object, &needed).map_err(BatchErrorKind::Read)? {
            value.patch(patch, kind, options).map_err(BatchErrorKind::Apply)?;
        }
        self.settle(object).map_err(BatchErrorKind::Write)
    }

    /// An object with the changes so far. At least the `needed` part is read; the rest stays as it is. Until the object
    /// is settled, the caller must not ask for more of it.
    ///
    /// # Errors
    ///
    /// If the document cannot be read.
    pub(crate) fn part_mut(&mut self, object: &Object, needed: &Needed) -> Result<Option<&mut Value>, ReadError> {
        let key = self.key(object);
        if !self.documents.contains_key(&key) {
            let reads_parts = self.reads_parts(object);
            let is_item = key != object.document;
            let place = if is_item { object.place } else { Place::Root(object.root) };
            let mut reader = Reader::new(self.source, StreamId(0));
            let value = match &mut self.settled {
                Some(draft) if reads_parts => {
                    let (value, unread) = reader.part(place, needed)?;
                    draft.leave_out(key, needed, unread);
                    value
                }
                _ => reader.read(place)?,
            };
            self.documents.insert(key, (value.clone(), Some(value)));
            if let Place::Entry(item) = object.place {
                self.holders.extend(is_item.then_some((key, (object.document, item))));
            }
        }
        let wanted = self.documents.get_mut(&key).and_then(|(_, wanted)| wanted.as_mut());
        Ok(match object.item {
            _ if key != object.document => wanted,
            None => wanted,
            Some(position) => wanted.and_then(items_of).and_then(|items| items.get_mut(position)),
        })
    }

    /// Whether [`Documents::part_mut`] may leave parts of an object out. Not if it was read before.
    pub(crate) fn reads_parts(&self, object: &Object) -> bool {
        let is_new = !self.documents.contains_key(&self.key(object));
        is_new && self.settled.is_some() && self.source.is_free()
    }

    /// The key of an object's values: its document, or the item itself if items are settled one by one.
    const fn key(&self, object: &Object) -> NodeId {
        match object.item {
            Some(_) if self.settled.is_some() => object.place.node(),
            _ => object.document,
        }
    }

    /// A whole document with the changes so far. `None` if it is removed or has no root.
    ///
    /// # Errors
    ///
    /// If the document cannot be read.
    pub fn document_mut(&mut self, document: Document<'t>) -> Result<Option<&mut Value>, ReadError> {
        let Some(root) = document.root() else { return Ok(None) };
        if !self.documents.contains_key(&document.id()) {
            let value = Reader::new(self.source, StreamId(0)).read(Place::Root(root.id()))?;
            self.documents.insert(document.id(), (value.clone(), Some(value)));
        }
        Ok(self.documents.get_mut(&document.id()).and_then(|(_, wanted)| wanted.as_mut()))
    }

    /// Removes an object. An item of a list of objects becomes null first, so that the other items keep their
    /// positions.
    ///
    /// # Errors
    ///
    /// If the document cannot be read.
    pub(crate) fn remove(&mut self, object: &Object) -> Result<(), ReadError> {
        let Some(value) = self.value_mut(object)? else { return Ok(()) };
        if object.item.is_some() {
            *value = Value::null();
        } else if let Some((_, wanted)) = self.documents.get_mut(&object.document) {
            *wanted = None;
        }
        Ok(())
    }

    /// Adds an object that is made from another. If the file is a list of objects, it is added to this list; otherwise
    /// as the last document.
    ///
    /// # Errors
    ///
    /// If that list cannot be read.
    pub(crate) fn add(&mut self, from: Value, wanted: Value) -> Result<(), ReadError> {
        if self.settled.is_some()
            && let Some(document) = self.list()
            && let Some(list) = document.root().and_then(list_items)
        {
            self.waiting.push(Change::AppendItem { document: document.id(), list: list.id(), wanted });
            return Ok(());
        }
        if let Some(list) = self.list()
            && let Some(items) = self.document_mut(list)?.and_then(items_of)
        {
            items.push(wanted);
            return Ok(());
        }
        self.inserted.push((from, wanted));
        Ok(())
    }

    fn change(&mut self, key: NodeId, (own, wanted): (Value, Option<Value>)) -> Change {
        let Some(mut wanted) = wanted else { return Change::Remove { document: key } };
        if let Some((document, item)) = self.holders.remove(&key) {
            return Change::RewriteItem { document, item, own, wanted };
        }
        if let Some(items) = own.get("items").and_then(Value::as_list).and_then(|_| items_of(&mut wanted)) {
            items.retain(|item| !item.is_null());
        }
        Change::Rewrite { document: key, own, wanted }
    }

    /// The only document of the file, if it is a list of objects.
    fn list(&self) -> Option<Document<'t>> {
        let mut documents = self.source.stream().documents().filter(|document| document.root().is_some());
        let (list, None) = (documents.next()?, documents.next()) else { return None };
        list.root().and_then(list_items).map(|_| list)
    }

    /// The file's new text. `None` if nothing changes.
    ///
    /// # Errors
    ///
    /// If the objects cannot be given their new values.
    pub fn write(self) -> Result<Option<String>, ReconcileError> {
        self.unchecked()?.map(Unchecked::checked).transpose()
    }

    /// As [`Documents::write`], but the text is not read again yet. The caller can drop the streams first, because both
    /// together may need too much memory.
    ///
    /// # Errors
    ///
    /// As for [`Documents::write`].
    pub fn unchecked(mut self) -> Result<Option<Unchecked>, ReconcileError> {
        for (key, values) in std::mem::take(&mut self.documents) {
            let change = self.change(key, values);
            self.waiting.extend(Some(change).filter(|change| is_needed(change, self.comments)));
        }
        let last = self.source.stream().documents().last().map(Document::id);
        let inserted = std::mem::take(&mut self.inserted).into_iter();
        self.waiting.extend(inserted.map(|(from, wanted)| Change::Insert { after: last, from, wanted }));
        let sources = self.sources();
        let text = match self.settled.is_some() {
            true => {
                self.flush()?;
                self.settled.filter(|draft| !draft.is_empty()).map(|draft| draft.write(&sources)).transpose()?
            }
            false if self.waiting.is_empty() => None,
            false => Some(reconcile_unchecked(&sources, StreamId(0), self.waiting, self.comments)?),
        };
        Ok(text.filter(|text| text.differs_from(self.source.stream().source())))
    }
}

/// Whether a change must be written. A value from a patch is written even if nothing changes, because it may bring
/// comments.
fn is_needed(change: &Change, comments: Comments) -> bool {
    let is_same = match change {
        Change::Rewrite { own, wanted, .. } | Change::RewriteItem { own, wanted, .. } => own == wanted,
        _ => false,
    };
    comments == Comments::OfPatch || !is_same
}

fn items_of(document: &mut Value) -> Option<&mut Vec<Value>> {
    document.as_map_mut()?.get_mut("items")?.as_list_mut()
}
