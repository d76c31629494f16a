//! Collects edits for a few changes at a time, so that not all values are in memory at once.
//!
//! For changes that were added, only little is kept: their edits, the text that was generated for them, and a digest of
//! each document's wanted value, with which the result will be compared. It makes no difference which changes are added
//! together.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use kyaml_ast::{Document, Edit, EntryId, NodeId, SpliceError, Stream, StreamId, splice, splice_unchecked};

use super::edits::Editor;
use super::prepare::{self, Aliases, Detacher};
use super::unchecked::{Expected, Meaning, Unchecked, others_digest, text_digest};
use super::{Change, Comments, ReconcileError, Style, edits_of, style_of};
use crate::value::{Needed, Place, Reader, Source, Value};

/// The changes that were added so far.
pub(crate) struct Draft {
    target: StreamId,
    comments: Comments,
    pub(super) aliases: Aliases,
    /// The number of the first generated stream. Stream numbers between the sources and this one are empty.
    first_generated: u32,
    /// The generated texts.
    generated: Vec<String>,
    edits: Vec<Edit>,
    digests: RandomState,
    /// The parts that are read of documents. Each is stored once, because many documents need the same part.
    parts: HashSet<Arc<Needed>>,
    /// Documents and items that are not read completely, each with a digest of the rest.
    left_out: HashMap<NodeId, (Arc<Needed>, u64)>,
    /// The wanted values of documents. `None` for removed ones.
    rewritten: HashMap<NodeId, Option<Expected>>,
    /// The wanted values of new documents, by the document before them.
    inserted: HashMap<Option<NodeId>, Vec<Expected>>,
    /// The wanted values of list items, by document.
    lists: HashMap<NodeId, List>,
    style: Option<Style>,
}

/// A list whose items change one by one.
struct List {
    node: NodeId,
    rewritten: HashMap<EntryId, Expected>,
    appended: Vec<Expected>,
}

impl Draft {
    /// An empty draft. There will be at most `sources` sources.
    pub(crate) fn new(target: StreamId, comments: Comments, sources: u32) -> Self {
        let (generated, edits, digests) = Default::default();
        let (left_out, rewritten, inserted, lists) = Default::default();
        let (aliases, first_generated, parts) = (Aliases::Keep, sources, HashSet::new());
        Self {
            target,
            comments,
            aliases,
            first_generated,
            generated,
            edits,
            digests,
            parts,
            left_out,
            rewritten,
            inserted,
            lists,
            style: None,
        }
    }

    /// Declares that the values in the change of a document or item are only a part of it. The rest stays; `rest` is
    /// its digest.
    pub(crate) fn leave_out(&mut self, document: NodeId, part: &Needed, rest: u64) {
        let part = self.part(part);
        self.left_out.insert(document, (part, rest));
    }

    fn part(&mut self, part: &Needed) -> Arc<Needed> {
        if let Some(known) = self.parts.get(part) {
            return Arc::clone(known);
        }
        let new = Arc::new(part.clone());
        self.parts.insert(Arc::clone(&new));
        new
    }

    /// Whether nothing was added.
    pub(crate) const fn is_empty(&self) -> bool {
        self.generated.is_empty()
    }

    /// The number of the next generated stream.
    fn next_generated(&self) -> Result<StreamId, ReconcileError> {
        let id = u32::try_from(self.generated.len()).ok().and_then(|count| self.first_generated.checked_add(count));
        id.map(StreamId).ok_or(ReconcileError::TooManyStreams)
    }

    /// Finds the edits for some changes. Each change must be about another document or another item.
    pub(crate) fn add(&mut self, sources: &[&Source<'_>], mut changes: Vec<Change>) -> Result<(), ReconcileError> {
        let empty = Stream::parse("")?;
        let empty = Source::new(&empty);
        let id = self.next_generated()?;
        let mut readers = readers(sources, &empty, id);
        let style = *self.style.get_or_insert_with(|| style_of(&readers, self.target));
        let mut detacher = Detacher { readers: &mut readers, target: self.target, aliases: self.aliases, style };
        let text = detacher.detach(&mut changes)?;
        let generated = Stream::parse(&text)?;
        let generated = Source::new(&generated);
        if style == Style::Yaml {
            prepare::attach(&mut changes, &readers, &mut Reader::new(&generated, id))?;
        }
        readers.push(Reader::new(&generated, id));
        let edits = edits_of(&mut Editor::new(&mut readers, self.comments, style, self.target), &changes)?;
        self.edits.extend(edits);
        changes.iter().for_each(|change| self.expect(change));
        self.generated.push(text);
        Ok(())
    }

    fn expect(&mut self, change: &Change) {
        match change {
            Change::Rewrite { document, wanted, .. } => {
                let expected = self.expected_value(*document, wanted);
                self.rewritten.insert(*document, Some(expected));
            }
            Change::RewriteItem { document, item, wanted, .. } => {
                let expected = self.expected_value(item.value, wanted);
                self.list(*document, item.collection).rewritten.insert(*item, expected);
            }
            Change::AppendItem { document, list, wanted } => {
                let expected = self.whole(wanted);
                self.list(*document, *list).appended.push(expected);
            }
            Change::Insert { after, wanted, .. } => {
                let expected = self.whole(wanted);
                self.inserted.entry(*after).or_default().push(expected);
            }
            Change::Remove { document } => _ = self.rewritten.insert(*document, None),
        }
    }

    fn list(&mut self, document: NodeId, node: NodeId) -> &mut List {
        let new = || List { node, rewritten: HashMap::new(), appended: Vec::new() };
        self.lists.entry(document).or_insert_with(new)
    }

    fn expected_value(&mut self, read: NodeId, wanted: &Value) -> Expected {
        match self.left_out.remove(&read) {
            Some((part, unread)) => Expected::Value { digest: self.digests.hash_one(wanted), part, unread },
            None => self.whole(wanted),
        }
    }

    fn whole(&mut self, wanted: &Value) -> Expected {
        Expected::Value { digest: self.digests.hash_one(wanted), part: self.part(&Needed::All), unread: 0 }
    }

    /// The new text of the target.
    pub(crate) fn write(mut self, sources: &[&Source<'_>]) -> Result<Unchecked, ReconcileError> {
        let target = *sources.get(self.target.0 as usize).ok_or(SpliceError::NoStream(self.target.0))?;
        let acceptance = target.stream().acceptance();
        let may_repeat = sources.iter().any(|source| source.repeats());
        let text = match self.edits.is_empty() {
            true => target.stream().source().to_owned(),
            false => self.spliced(sources, may_repeat)?,
        };
        let documents = self.expected(target)?;
        Ok(Unchecked::new(text, Meaning { acceptance, digests: self.digests, may_repeat, documents }))
    }

    /// The text of the target with edits.
    fn spliced(&self, sources: &[&Source<'_>], may_repeat: bool) -> Result<String, ReconcileError> {
        let empty = Stream::parse("")?;
        let generated = self.generated.iter().map(|text| Stream::parse(text)).collect::<Result<Vec<_>, _>>()?;
        let padded = sources.iter().map(|source| source.stream()).chain(std::iter::repeat(&empty));
        let streams: Vec<&Stream<'_>> = padded.take(self.first_generated as usize).chain(&generated).collect();
        // Values do not show tags, anchors and duplicate keys.
        let has_more = may_repeat || streams.iter().any(|stream| stream.has_properties());
        let write = if has_more { splice } else { splice_unchecked };
        Ok(write(&streams, self.target, &self.edits)?)
    }

    /// What is expected of each document with a root, in order.
    fn expected(&mut self, target: &Source<'_>) -> Result<Vec<Expected>, ReconcileError> {
        let mut expected = self.inserted.remove(&None).unwrap_or_default();
        for document in target.stream().documents() {
            match (self.rewritten.remove(&document.id()), self.lists.remove(&document.id())) {
                (Some(wanted), _) => expected.extend(wanted),
                (None, Some(list)) => expected.extend(self.expected_list(target, document, list)?),
                (None, None) => {
                    expected.extend(document.root().map(|root| Expected::Text(text_digest(root, &self.digests))));
                }
            }
            expected.extend(self.inserted.remove(&Some(document.id())).unwrap_or_default());
        }
        Ok(expected)
    }

    /// What is expected of a document with a changed list. If brackets become lines, no text stays, so everything is
    /// read.
    fn expected_list(
        &mut self,
        target: &Source<'_>,
        document: Document<'_>,
        mut list: List,
    ) -> Result<Option<Expected>, ReconcileError> {
        let mut reader = Reader::new(target, self.target);
        let Some(root) = document.root() else { return Ok(None) };
        let field = root.entries().position(|entry| entry.value().id() == list.node);
        let field = field.ok_or(ReconcileError::Mismatch(0))?;
        let others = others_digest(&mut reader, root, field, &self.digests);
        let mut items = Vec::new();
        for item in target.stream().node(list.node).entries() {
            let rewritten = list.rewritten.remove(&item.id());
            items.push(rewritten.unwrap_or_else(|| match reader.read(Place::Entry(item.id())) {
                Ok(value) => self.whole(&value),
                Err(_) => Expected::Text(text_digest(item.value(), &self.digests)),
            }));
        }
        items.extend(list.appended);
        Ok(Some(Expected::List { field, others, items }))
    }
}

/// A reader for each stream before the next generated one. What is none of the sources is empty.
fn readers<'s, 't>(sources: &[&'s Source<'t>], empty: &'s Source<'t>, next: StreamId) -> Vec<Reader<'s, 't>> {
    let padded = sources.iter().copied().chain(std::iter::repeat(empty));
    (0..next.0).zip(padded).map(|(id, source)| Reader::new(source, StreamId(id))).collect()
}
