//! The Kubernetes objects of streams: documents, and the items of `kind: List`.

use std::collections::HashMap;

use kyaml_ast::{Document, Entry, Kind, Node, NodeId, Resolved, Schema, Span};

use crate::resource::{Resource, ResourceId, field};
use crate::value::{Place, Source};

/// An object, and where it stands.
#[derive(Clone, Debug)]
pub struct Object {
    /// Group, kind, namespace and name.
    pub id: ResourceId,
    /// Index of its source.
    pub source: usize,
    /// The document that holds it.
    pub document: NodeId,
    /// The root of that document.
    pub root: NodeId,
    /// The object itself.
    pub place: Place,
    /// Position among the items of the list that the document is.
    pub item: Option<usize>,
    /// Where it stands in its source.
    pub span: Span,
}

/// The objects of all sources, in order; documents and items without a kind are none.
pub fn objects(sources: &[Source<'_>]) -> Vec<Object> {
    let mut objects = Vec::new();
    for (index, source) in sources.iter().enumerate() {
        for document in source.stream().documents() {
            add_objects(document, index, &mut objects);
        }
    }
    objects
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

/// The first document, or item of a list of objects, that says something but has no kind: its source, and where it stands.
#[must_use]
pub(crate) fn kindless(sources: &[Source<'_>]) -> Option<(usize, Span)> {
    let is_null = |node: Node<'_>| matches!(node.resolve(Schema::Kube11), Some(Resolved::Null));
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

/// Finds objects by their identity, with or without a namespace.
#[derive(Debug, Default)]
pub struct Directory {
    exact: HashMap<ResourceId, usize>,
    /// By everything but the namespace.
    loose: HashMap<ResourceId, Vec<usize>>,
}

/// What a [`Directory`] says about an identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The object with this index.
    One(usize),
    /// Objects in several namespaces; two of them.
    Several(usize, usize),
    /// None.
    None,
}

impl Directory {
    /// A directory of these objects.
    ///
    /// # Errors
    ///
    /// Two objects of the same identity.
    pub fn new(objects: &[Object]) -> Result<Self, (usize, usize)> {
        let mut directory = Self { exact: HashMap::new(), loose: HashMap::new() };
        for (index, object) in objects.iter().enumerate() {
            if let Some(first) = directory.exact.insert(object.id.clone(), index) {
                return Err((first, index));
            }
            directory.loose.entry(without_namespace(&object.id)).or_default().push(index);
        }
        Ok(directory)
    }

    /// The object of an identity. One that names no namespace means the only one of that name, in whatever namespace; one
    /// in a namespace means also an object that names none.
    #[must_use]
    pub fn find(&self, id: &ResourceId) -> Found {
        if let Some(index) = self.exact.get(id) {
            return Found::One(*index);
        }
        if !id.namespace.is_empty() {
            return self.exact.get(&without_namespace(id)).map_or(Found::None, |index| Found::One(*index));
        }
        match self.loose.get(&without_namespace(id)).map(Vec::as_slice) {
            Some([index]) => Found::One(*index),
            Some([first, second, ..]) => Found::Several(*first, *second),
            _ => Found::None,
        }
    }
}

fn without_namespace(id: &ResourceId) -> ResourceId {
    ResourceId { namespace: String::new(), ..id.clone() }
}
