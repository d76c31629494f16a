//! Edits that are found for some changes at a time, so that not all values are held at once.
//!
//! What is left of changes that were added is small: their edits, the text that was generated for them, and a digest of what each
//! document shall mean, with which the result is compared. Which changes come together makes no difference.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};

use kyaml_ast::{Edit, NodeId, SpliceError, Stream, StreamId, splice};

use super::edits::Editor;
use super::prepare::{self, Aliases};
use super::{Change, Comments, ReconcileError, Style, edits_of, style_of};
use crate::value::{Reader, Source, Value};

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
    /// What documents shall mean; `None` for those that go.
    rewritten: HashMap<NodeId, Option<u64>>,
    /// The same for new ones, by what they follow.
    inserted: HashMap<Option<NodeId>, Vec<u64>>,
}

impl Draft {
    /// Nothing yet. There will be so many sources at most.
    pub(crate) fn new(target: StreamId, comments: Comments, sources: u32) -> Self {
        let (generated, edits, digests) = Default::default();
        let (rewritten, inserted) = Default::default();
        let (aliases, first_generated) = (Aliases::Keep, sources);
        Self { target, comments, aliases, first_generated, generated, edits, digests, rewritten, inserted }
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
            prepare::attach(&mut changes, &mut Reader::new(&generated, id))?;
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
                self.rewritten.insert(*document, Some(self.digests.hash_one(wanted)));
            }
            Change::Insert { after, wanted, .. } => {
                self.inserted.entry(*after).or_default().push(self.digests.hash_one(wanted));
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
            let Some(wanted) = wanted else { continue };
            let is = |value: &Value| self.digests.hash_one(value) == *wanted;
            if !reader.document(document)?.as_ref().is_some_and(is) {
                return Err(ReconcileError::Mismatch(index));
            }
        }
        documents.next().map_or(Ok(()), |_| Err(ReconcileError::Mismatch(expected.len())))
    }

    /// What each document with a root shall mean, in order; `None` where it does not change.
    fn expected(&mut self, target: &Stream<'_>) -> Vec<Option<u64>> {
        let mut new = |after: Option<NodeId>| self.inserted.remove(&after).unwrap_or_default().into_iter().map(Some);
        let mut expected: Vec<Option<u64>> = new(None).collect();
        for document in target.documents() {
            match self.rewritten.get(&document.id()) {
                Some(Some(wanted)) => expected.push(Some(*wanted)),
                Some(None) => {}
                None if document.root().is_some() => expected.push(None),
                None => {}
            }
            expected.extend(new(Some(document.id())));
        }
        expected
    }
}
