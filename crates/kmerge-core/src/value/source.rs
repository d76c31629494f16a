//! A stream, with the facts about its anchors and aliases that are needed to read and to copy its values.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use kyaml_ast::{Document, EventKind, Kind, Node, NodeId, Stream, StreamId};

use super::read::is_merge_key;
use super::{Map, ReadError, Reader, Value};

/// A stream whose values can be read.
#[derive(Debug)]
pub struct Source<'t> {
    stream: &'t Stream<'t>,
    /// The node that each alias refers to: the last one before it with an anchor of that name, in the same document.
    aliases: HashMap<NodeId, NodeId>,
    /// Mappings with a YAML merge key.
    merging: HashSet<NodeId>,
    /// Nodes with anchors or aliases, mappings with merge keys, and all nodes around these.
    tied: HashSet<NodeId>,
    /// Whether a mapping that was read has a duplicate key.
    repeats: AtomicBool,
}

impl<'t> Source<'t> {
    /// Reads the anchors and aliases of a stream.
    #[must_use]
    pub fn new(stream: &'t Stream<'t>) -> Self {
        let (aliases, merging, tied, repeats) = Default::default();
        let mut source = Self { stream, aliases, merging, tied, repeats };
        let bytes = stream.source().as_bytes();
        if memchr::memchr2(b'&', b'*', bytes).is_some() || memchr::memmem::find(bytes, b"<<").is_some() {
            source.look_through();
        }
        source
    }

    /// The stream itself.
    #[must_use]
    pub const fn stream(&self) -> &'t Stream<'t> {
        self.stream
    }

    /// The value of a document. `None` if it has only comments.
    ///
    /// ```
    /// use kmerge_core::value::Source;
    /// use kyaml_ast::Stream;
    ///
    /// let stream = Stream::parse("a: &x 0x10\nb: *x\n")?;
    /// let document = stream.documents().next().expect("there is one");
    /// let value = Source::new(&stream).value(document)?.expect("it has a root");
    /// assert_eq!(value.to_json(), r#"{"a":16,"b":16}"#);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If kubectl refuses the document, or if it is nested deeper than 256 levels.
    pub fn value(&self, document: Document<'t>) -> Result<Option<Value>, ReadError> {
        Reader::new(self, StreamId(0)).document(document)
    }

    /// The node that an alias refers to.
    pub(crate) fn target(&self, alias: NodeId) -> Option<NodeId> {
        self.aliases.get(&alias).copied()
    }

    /// Whether the stream has aliases.
    pub(crate) fn has_aliases(&self) -> bool {
        !self.aliases.is_empty()
    }

    /// Whether no part of the stream depends on another part: there are no anchors, aliases and YAML merge keys.
    pub(crate) fn is_free(&self) -> bool {
        self.tied.is_empty()
    }

    /// Whether a mapping that was read so far has a duplicate key. The values do not show this.
    pub(crate) fn repeats(&self) -> bool {
        self.repeats.load(Ordering::Relaxed)
    }

    /// The fields of a mapping that was read. Of several with one name, the last one counts.
    pub(super) fn collect(&self, fields: Vec<(String, Value)>) -> Map {
        // Collected in one step, they take half the memory.
        let count = fields.len();
        let map: Map = fields.into_iter().collect();
        if map.len() < count {
            self.repeats.store(true, Ordering::Relaxed);
        }
        map
    }

    /// Whether a node is a mapping with a YAML merge key.
    pub(crate) fn merges(&self, node: NodeId) -> bool {
        self.merging.contains(&node)
    }

    /// Whether the text of a node depends on other places of the stream, or other places depend on it.
    pub(crate) fn is_tied(&self, node: NodeId) -> bool {
        self.tied.contains(&node)
    }

    fn look_through(&mut self) {
        let mut anchors: HashMap<&str, NodeId> = HashMap::new();
        let mut open: Vec<NodeId> = Vec::new();
        for event in self.stream.events() {
            let node = match event.kind {
                EventKind::Start(node) | EventKind::Leaf(node) => node,
                EventKind::End(_) => {
                    open.pop();
                    continue;
                }
                EventKind::DocumentStart => {
                    anchors.clear();
                    continue;
                }
                EventKind::DocumentEnd => continue,
            };
            if let Some(name) = node.anchor() {
                anchors.insert(name, node.id());
            }
            if let Some(&target) = node.alias().and_then(|name| anchors.get(name)) {
                self.aliases.insert(node.id(), target);
            }
            self.note(node, &open);
            if matches!(event.kind, EventKind::Start(_)) {
                open.push(node.id());
            }
        }
    }

    fn note(&mut self, node: Node<'_>, open: &[NodeId]) {
        let merges = node.kind() == Kind::Mapping && node.entries().any(|entry| entry.key().is_some_and(is_merge_key));
        if merges {
            self.merging.insert(node.id());
        }
        if merges || node.anchor().is_some() || node.kind() == Kind::Alias {
            self.tied.insert(node.id());
            // All nodes around a tied node are tied already.
            let holders = open.iter().rev();
            holders.take_while(|holder| self.tied.insert(**holder)).for_each(drop);
        }
    }
}
