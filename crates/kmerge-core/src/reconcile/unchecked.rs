//! A written text that was not read again yet.
//!
//! Owns the expected content of each document, as digests. Reading the text again takes as much memory as the streams
//! that it was made of, so these can be dropped before.

use std::hash::{BuildHasher as _, RandomState};
use std::sync::Arc;

use kyaml_ast::{Acceptance, Document, Entry, Node, Stream, StreamId};

use super::ReconcileError;
use crate::value::{Needed, Place, Reader, Source};

/// A text that was not yet compared with the wanted values.
#[derive(Clone, Debug)]
pub struct Unchecked {
    text: String,
    /// `None` if the text was read again already.
    meaning: Option<Meaning>,
}

/// The expected content of a text.
#[derive(Clone, Debug)]
pub(super) struct Meaning {
    pub(super) acceptance: Acceptance,
    pub(super) digests: RandomState,
    /// Whether a mapping may have a duplicate key, because the sources have one.
    pub(super) may_repeat: bool,
    /// One for each document with a root.
    pub(super) documents: Vec<Expected>,
}

/// The expected content of a document or an item.
#[derive(Clone, Debug)]
pub(super) enum Expected {
    /// A value.
    Value {
        digest: u64,
        /// The part of the value that the digest is for.
        part: Arc<Needed>,
        /// A digest of the rest of the value.
        unread: u64,
    },
    /// The unchanged text, as a digest.
    Text(u64),
    /// A root that is a mapping with a list in one of its fields.
    List {
        /// The position of this field.
        field: usize,
        /// A digest of the other fields.
        others: u64,
        items: Vec<Self>,
    },
}

impl Unchecked {
    pub(super) const fn new(text: String, meaning: Meaning) -> Self {
        Self { text, meaning: Some(meaning) }
    }

    pub(super) const fn checked_before(text: String) -> Self {
        Self { text, meaning: None }
    }

    /// Whether the text differs from the given one.
    pub(crate) fn differs_from(&self, text: &str) -> bool {
        self.text != text
    }

    /// Reads the text again, and returns it if every document has the wanted value.
    ///
    /// # Errors
    ///
    /// If a document does not.
    pub fn checked(self) -> Result<String, ReconcileError> {
        if let Some(meaning) = &self.meaning {
            meaning.check(&self.text)?;
        }
        Ok(self.text)
    }
}

impl Meaning {
    fn check(&self, text: &str) -> Result<(), ReconcileError> {
        let stream = Stream::parse_with(text, self.acceptance)?;
        let source = Source::new(&stream);
        let mut reader = Reader::new(&source, StreamId(0));
        let mut roots = stream.documents().filter_map(Document::root);
        for (index, expected) in self.documents.iter().enumerate() {
            let root = roots.next().ok_or(ReconcileError::Mismatch(index))?;
            let is_met = self.is_met(expected, Place::Root(root.id()), &mut reader)?;
            // A duplicate key with one value does not change the value.
            if !is_met || source.repeats() && !self.may_repeat {
                return Err(ReconcileError::Mismatch(index));
            }
        }
        roots.next().map_or(Ok(()), |_| Err(ReconcileError::Mismatch(self.documents.len())))
    }

    fn is_met(&self, expected: &Expected, place: Place, reader: &mut Reader<'_, '_>) -> Result<bool, ReconcileError> {
        let node = reader.source().stream().node(place.node());
        match expected {
            Expected::Text(digest) => Ok(text_digest(node, &self.digests) == *digest),
            Expected::Value { digest, part, unread } => {
                let (value, rest) = reader.part(place, part)?;
                Ok((self.digests.hash_one(&value), rest) == (*digest, *unread))
            }
            Expected::List { field, others, items } => {
                let list = node.entries().nth(*field).map(|entry| entry.value().entries().map(Entry::id));
                let found: Vec<_> = list.into_iter().flatten().collect();
                if found.len() != items.len() || others_digest(reader, node, *field, &self.digests) != *others {
                    return Ok(false);
                }
                for (item, expected) in found.into_iter().zip(items) {
                    if !self.is_met(expected, Place::Entry(item), reader)? {
                        return Ok(false);
                    }
                }
                Ok(true)
            }
        }
    }
}

/// A digest of the text of a document's root.
pub(super) fn text_digest(root: Node<'_>, digests: &RandomState) -> u64 {
    digests.hash_one(root.full_span().of(root.stream().source()))
}

/// A digest of all fields of a mapping except the value of one. A field that cannot be read counts with its text.
pub(super) fn others_digest(reader: &mut Reader<'_, '_>, root: Node<'_>, field: usize, digests: &RandomState) -> u64 {
    let mut others = Vec::new();
    for (index, entry) in root.entries().enumerate() {
        let value = (index != field).then(|| {
            let value = reader.read(Place::Entry(entry.id()));
            value.map_or_else(|_| text_digest(entry.value(), digests), |value| digests.hash_one(value))
        });
        others.push((entry.key().map(Node::value), value));
    }
    digests.hash_one(&others)
}

#[cfg(test)]
mod tests {
    use std::hash::{BuildHasher as _, RandomState};
    use std::sync::Arc;

    use kyaml_ast::{Acceptance, Document, Stream, StreamId};

    use super::{Expected, Meaning, Unchecked, text_digest};
    use crate::value::{Needed, Place, Reader, Source};

    /// The expected content: the unchanged text of the first document, and the value of the second.
    fn meaning(text: &str) -> Meaning {
        let stream = Stream::parse(text).unwrap();
        let (source, digests) = (Source::new(&stream), RandomState::new());
        let roots: Vec<_> = stream.documents().filter_map(Document::root).collect();
        let value = Reader::new(&source, StreamId(0)).read(Place::Root(roots[1].id())).unwrap();
        let (digest, part) = (digests.hash_one(&value), Arc::new(Needed::All));
        let second = Expected::Value { digest, part, unread: 0 };
        let documents = vec![Expected::Text(text_digest(roots[0], &digests)), second];
        Meaning { acceptance: Acceptance::default(), digests, may_repeat: source.repeats(), documents }
    }

    #[test]
    fn texts_that_say_something_else_are_not_given_out() {
        let cases = [
            ("a: 1\n---\nb: 1\n", true),
            ("---\na: 1\n---\n# c\n{b: 0x1}", true),
            // Of unchanged text, every byte counts.
            ("a: 0x1\n---\nb: 1\n", false),
            ("a: 1\n---\nb: '1'\n", false),
            ("a: 1\n---\nb: 1\nb: 1\n", false),
            ("a: 1\n", false),
            ("a: 1\n---\nb: 1\n---\nc: 1\n", false),
            ("a: [\n---\nb: 1\n", false),
        ];
        for (text, is_right) in cases {
            let unchecked = Unchecked::new(text.to_owned(), meaning("a: 1\n---\nb: 1\n"));
            assert_eq!(unchecked.checked().is_ok(), is_right, "{text}");
        }
        let twice = "a: 1\n---\nb: 1\nb: 1\n";
        assert!(Unchecked::new(twice.to_owned(), meaning(twice)).checked().is_ok());
    }
}
