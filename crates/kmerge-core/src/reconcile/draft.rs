//! Edits that are found for some changes at a time, so that not all values are held at once.
//!
//! What is left of changes that were added is small: their edits, the text that was generated for them, and a digest of what each
//! document shall mean, with which the result is compared. Which changes come together makes no difference.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use kyaml_ast::{Edit, NodeId, SpliceError, Stream, StreamId, splice};

use super::edits::Editor;
use super::prepare::{self, Aliases};
use super::{Change, Comments, ReconcileError, Style, edits_of, style_of};
use crate::value::{Needed, Place, Reader, Source};

/// Changes on their way into a text.
pub(crate) struct Draft {
    target: StreamId,
    comments: Comments,
    pub(super) aliases: Aliases,
    /// The number of the first generated stream; those between it and the sources are empty.
    first_generated: u32,
    /// The generated texts.
    generated: Vec<String>,
    edits: Vec<Edit>,
    digests: RandomState,
    /// What is read of documents, each once: many need the same.
    parts: HashSet<Arc<Needed>>,
    /// Documents that are not read whole, with a digest of the rest.
    left_out: HashMap<NodeId, (Arc<Needed>, u64)>,
    /// What documents shall mean; `None` for those that go.
    rewritten: HashMap<NodeId, Option<Expected>>,
    /// The same for new ones, by what they follow.
    inserted: HashMap<Option<NodeId>, Vec<Expected>>,
}

/// What a document shall mean.
#[derive(Clone)]
struct Expected {
    digest: u64,
    /// What of it the digest is about.
    part: Arc<Needed>,
    /// A digest of the rest.
    unread: u64,
}

impl Draft {
    /// Nothing yet. There will be so many sources at most.
    pub(crate) fn new(target: StreamId, comments: Comments, sources: u32) -> Self {
        let (generated, edits, digests) = Default::default();
        let (left_out, rewritten, inserted) = Default::default();
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
        }
    }

    /// The values of a document's change hold no more than a part of it; the rest, of which this is the digest, stays.
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

    pub(crate) const fn comments(&self) -> Comments {
        self.comments
    }

    /// Whether nothing was added.
    pub(crate) const fn is_empty(&self) -> bool {
        self.generated.is_empty()
    }

    /// Finds the edits for some changes, each of which is about another document.
    pub(crate) fn add(&mut self, sources: &[&Source<'_>], mut changes: Vec<Change>) -> Result<(), ReconcileError> {
        let empty = Stream::parse("")?;
        let empty = Source::new(&empty);
        let id = u32::try_from(self.generated.len()).ok().and_then(|count| self.first_generated.checked_add(count));
        let id = StreamId(id.ok_or(ReconcileError::TooManyStreams)?);
        let padded = sources.iter().copied().chain(std::iter::repeat(&empty));
        let mut readers: Vec<Reader<'_, '_>> =
            (0..id.0).zip(padded).map(|(id, source)| Reader::new(source, StreamId(id))).collect();
        let style = style_of(&readers, self.target);
        let text = prepare::detach(&mut changes, &mut readers, self.target, (self.aliases, style))?;
        let generated = Stream::parse(&text)?;
        let generated = Source::new(&generated);
        if style == Style::Yaml {
            prepare::attach(&mut changes, &readers, &mut Reader::new(&generated, id))?;
        }
        readers.push(Reader::new(&generated, id));
        let edits = edits_of(&mut Editor::new(&mut readers, (self.comments, style), self.target), &changes)?;
        self.edits.extend(edits);
        changes.iter().for_each(|change| self.expect(change));
        self.generated.push(text);
        Ok(())
    }

    fn expect(&mut self, change: &Change) {
        match change {
            Change::Rewrite { document, wanted, .. } => {
                let left_out = self.left_out.remove(document);
                let (part, unread) = left_out.unwrap_or_else(|| (self.part(&Needed::All), 0));
                let digest = self.digests.hash_one(wanted);
                self.rewritten.insert(*document, Some(Expected { digest, part, unread }));
            }
            Change::Insert { after, wanted, .. } => {
                let (digest, part) = (self.digests.hash_one(wanted), self.part(&Needed::All));
                self.inserted.entry(*after).or_default().push(Expected { digest, part, unread: 0 });
            }
            Change::Remove { document } => _ = self.rewritten.insert(*document, None),
        }
    }

    /// The new text of the target.
    pub(crate) fn write(mut self, sources: &[&Source<'_>]) -> Result<String, ReconcileError> {
        let own = sources.get(self.target.0 as usize).ok_or(SpliceError::NoStream(self.target.0))?.stream();
        let edits = std::mem::take(&mut self.edits);
        let result = if edits.is_empty() {
            own.source().to_owned()
        } else {
            let empty = Stream::parse("")?;
            let generated = self.generated.iter().map(|text| Stream::parse(text)).collect::<Result<Vec<_>, _>>()?;
            let padded = sources.iter().map(|source| source.stream()).chain(std::iter::repeat(&empty));
            let streams: Vec<&Stream<'_>> = padded.take(self.first_generated as usize).chain(&generated).collect();
            splice(&streams, self.target, &edits)?
        };
        drop(edits);
        self.verify(&result, own).map(|()| result)
    }

    /// Reads the result again and compares each changed document with what was wanted.
    fn verify(&mut self, result: &str, target: &Stream<'_>) -> Result<(), ReconcileError> {
        let stream = target.parse_again(result)?;
        let source = Source::new(&stream);
        let mut reader = Reader::new(&source, StreamId(0));
        let expected = self.expected(target);
        let mut documents = stream.documents().filter(|document| document.root().is_some());
        for (index, wanted) in expected.iter().enumerate() {
            let document = documents.next().ok_or(ReconcileError::Mismatch(index))?;
            let (Some(wanted), Some(root)) = (wanted, document.root()) else { continue };
            let (value, unread) = reader.part(Place::Root(root.id()), &wanted.part)?;
            if (self.digests.hash_one(&value), unread) != (wanted.digest, wanted.unread) {
                return Err(ReconcileError::Mismatch(index));
            }
        }
        documents.next().map_or(Ok(()), |_| Err(ReconcileError::Mismatch(expected.len())))
    }

    /// What each document with a root shall mean, in order; `None` if it does not change.
    fn expected(&mut self, target: &Stream<'_>) -> Vec<Option<Expected>> {
        let mut new = |after: Option<NodeId>| self.inserted.remove(&after).unwrap_or_default().into_iter().map(Some);
        let mut expected: Vec<Option<Expected>> = new(None).collect();
        for document in target.documents() {
            match self.rewritten.get(&document.id()) {
                Some(Some(wanted)) => expected.push(Some(wanted.clone())),
                Some(None) => {}
                None if document.root().is_some() => expected.push(None),
                None => {}
            }
            expected.extend(new(Some(document.id())));
        }
        expected
    }
}
