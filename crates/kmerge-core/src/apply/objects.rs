//! The Kubernetes objects of streams: documents, and the items of `kind: List`.

use std::hash::{BuildHasher as _, RandomState};

use kyaml_ast::{Document, Entry, Kind, Node, NodeId, Resolved, ScalarSchema, Span, StreamId};

use super::last_applied;
use crate::resource::{Resource, ResourceId, field};
use crate::value::{Place, ReadError, Reader, Source, Value};

/// An object and its place.
#[derive(Clone, Debug)]
pub struct Object {
    /// Group, kind, namespace and name.
    pub id: ResourceId,
    /// Index of its source.
    pub source: usize,
    /// The document that contains it.
    pub(crate) document: NodeId,
    /// The root of that document.
    pub(crate) root: NodeId,
    /// The object itself.
    pub(crate) place: Place,
    /// If the document is a list of objects: the position among its items.
    pub(crate) item: Option<usize>,
    /// The object's bytes in its source.
    pub span: Span,
}

impl Object {
    /// The objects of all sources, in order. Documents and items without a kind are not objects.
    #[must_use]
    pub fn all(sources: &[Source<'_>]) -> Vec<Self> {
        let mut objects = Vec::new();
        for (index, source) in sources.iter().enumerate() {
            for document in source.stream().documents() {
                add_objects(document, index, &mut objects);
            }
        }
        objects.shrink_to_fit();
        objects
    }

    /// The object's node in its source.
    #[must_use]
    pub fn node<'t>(&self, source: &Source<'t>) -> Node<'t> {
        source.stream().node(self.place.node())
    }

    /// The place of its last-applied annotation.
    #[must_use]
    pub fn last_applied_span(&self, source: &Source<'_>) -> Option<Span> {
        last_applied::span(self.node(source))
    }

    /// The object's value.
    ///
    /// # Errors
    ///
    /// If kubectl refuses the object.
    pub fn value(&self, source: &Source<'_>) -> Result<Value, ReadError> {
        Reader::new(source, StreamId(0)).read(self.place)
    }
}

fn add_objects(document: Document<'_>, source: usize, objects: &mut Vec<Object>) {
    let Some(root) = document.root() else { return };
    let mut add = |node: Node<'_>, place, item| {
        if let Some(resource) = Resource::of_node(node) {
            let span = node.full_span();
            let (document, root) = (document.id(), root.id());
            objects.push(Object { id: resource.id, source, document, root, place, item, span });
        }
    };
    match list_items(root) {
        Some(items) => {
            for (position, entry) in items.entries().enumerate() {
                add(entry.value(), Place::Entry(entry.id()), Some(position));
            }
        }
        None => add(root, Place::Root(root.id()), None),
    }
}

/// The first document, or item of a list of objects, that has content but no kind: its source and its place.
#[must_use]
pub(crate) fn kindless(sources: &[Source<'_>]) -> Option<(usize, Span)> {
    let is_null = |node: Node<'_>| matches!(node.resolve(ScalarSchema::Kube11), Some(Resolved::Null));
    let is_one = |node: &Node<'_>| !is_null(*node) && Resource::of_node(*node).is_none();
    let in_document = |root: Node<'_>| match list_items(root) {
        Some(items) => items.entries().map(Entry::value).find(is_one).map(Node::full_span),
        None => Some(root).filter(is_one).map(Node::full_span),
    };
    let in_source = |source: &Source<'_>| source.stream().documents().filter_map(Document::root).find_map(in_document);
    sources.iter().enumerate().find_map(|(index, source)| Some((index, in_source(source)?)))
}

/// The `items` of a document that is a list of objects, as `kubectl get` prints it.
#[must_use]
pub(crate) fn list_items(root: Node<'_>) -> Option<Node<'_>> {
    let kind = field(root, "kind").filter(|kind| kind.value().ends_with("List"))?;
    let items = field(root, "items").filter(|items| items.kind() == Kind::Sequence)?;
    (kind.kind().is_scalar() && field(root, "spec").is_none()).then_some(items)
}

/// Finds objects by their identity, with or without a namespace. Stores identities as digests with a random key,
/// because names could take more memory than the objects.
#[derive(Debug, Default)]
pub struct Directory {
    digests: RandomState,
    /// In the order of the objects.
    entries: Vec<Listed>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Listed {
    /// The digest of the identity without the namespace.
    loose: u64,
    exact: u64,
    index: usize,
}

impl Directory {
    /// A directory of these objects.
    ///
    /// # Errors
    ///
    /// Two objects with the same identity.
    pub fn new(objects: &[Object]) -> Result<Self, (usize, usize)> {
        let mut directory = Self { digests: RandomState::new(), entries: Vec::with_capacity(objects.len()) };
        objects.iter().for_each(|object| directory.add(&object.id));
        directory.finish()
    }

    /// Adds an object. [`Directory::finish`] must be called before anything can be found.
    pub(crate) fn add(&mut self, id: &ResourceId) {
        let entry = Listed { loose: self.loose(id), exact: self.digests.hash_one(id), index: self.entries.len() };
        self.entries.push(entry);
    }

    pub(crate) const fn len(&self) -> usize {
        self.entries.len()
    }

    pub(crate) fn finish(mut self) -> Result<Self, (usize, usize)> {
        self.entries.sort_unstable();
        let doubled = self.entries.windows(2).filter(|pair| pair[0].exact == pair[1].exact);
        match doubled.map(|pair| (pair[0].index, pair[1].index)).min_by_key(|(_, second)| *second) {
            Some(pair) => Err(pair),
            None => Ok(self),
        }
    }

    fn loose(&self, id: &ResourceId) -> u64 {
        self.digests.hash_one((&id.group, &id.kind, &id.name))
    }

    /// The index of the object with an identity. An identity without a namespace finds the only object with this name
    /// in any namespace. An identity with a namespace also finds an object that states no namespace.
    ///
    /// # Errors
    ///
    /// Two matching objects, in several namespaces.
    pub fn find(&self, id: &ResourceId) -> Result<Option<usize>, (usize, usize)> {
        let loose = self.loose(id);
        let start = self.entries.partition_point(|entry| entry.loose < loose);
        let alike = &self.entries[start..];
        let alike = &alike[..alike.partition_point(|entry| entry.loose == loose)];
        let exact = |id: &ResourceId| {
            let digest = self.digests.hash_one(id);
            alike.binary_search_by_key(&digest, |entry| entry.exact).ok().map(|found| alike[found].index)
        };
        if let Some(index) = exact(id) {
            return Ok(Some(index));
        }
        if !id.namespace.is_empty() {
            return Ok(exact(&ResourceId { namespace: String::new(), ..id.clone() }));
        }
        match alike {
            [] => Ok(None),
            [only] => Ok(Some(only.index)),
            _ => {
                let mut found: Vec<usize> = alike.iter().map(|entry| entry.index).collect();
                found.sort_unstable();
                Err((found[0], found[1]))
            }
        }
    }
}
