//! The resources of a stream that a selector can choose: documents, and the items of lists of resources.

use kyaml_ast::{Document, Kind, LookupError, Node, Path, Segment, Stream};

use super::aliases;
use super::select::Selector;
use crate::resource::Resource;

/// A document with content, or an item of a document that is a list of resources.
#[derive(Clone, Debug)]
pub struct Chosen<'t> {
    /// The document.
    pub document: Document<'t>,
    /// Its position among the documents with content.
    pub number: usize,
    /// The item's position, if it is an item.
    pub item: Option<usize>,
    /// The root node of the resource.
    pub root: Node<'t>,
    /// The identity of the resource, if it states one.
    pub resource: Option<Resource>,
}

impl<'t> Chosen<'t> {
    /// The documents with content. The items of a document that is a list follow it.
    #[must_use]
    pub fn all(stream: &'t Stream<'t>) -> Vec<Self> {
        let mut choices = Vec::new();
        let content = stream.documents().filter_map(|document| Some((document, document.root()?)));
        for (number, (document, root)) in content.filter(|(_, root)| root.kind() != Kind::Null).enumerate() {
            choices.push(Self { document, number, item: None, root, resource: Resource::of_node(root) });
            if Resource::listed(root).is_some() {
                let items = Resource::all(root).into_iter().enumerate();
                choices.extend(items.map(|(item, (root, resource))| Self {
                    document,
                    number,
                    item: Some(item),
                    root,
                    resource,
                }));
            }
        }
        choices
    }

    /// A document with any content. `None` if it has only comments.
    #[must_use]
    pub fn document(document: Document<'t>) -> Option<Self> {
        let root = document.root()?;
        Some(Self { document, number: 0, item: None, root, resource: Resource::of_node(root) })
    }

    /// The node at a path from here, through aliases and merge keys.
    ///
    /// # Errors
    ///
    /// If the path cannot be followed to its end.
    pub fn follow(&self, path: &Path) -> Result<Node<'t>, LookupError> {
        aliases::follow(self.document.root().unwrap_or(self.root), &self.absolute(path))
    }
}

impl Chosen<'_> {
    /// Whether a selector matches it.
    #[must_use]
    pub fn is(&self, selector: &Selector) -> bool {
        let number = if self.item.is_none() { Some(self.number) } else { None };
        selector.fits(number, self.resource.as_ref().map(|resource| &resource.id), Some(self.root))
    }

    /// Whether it is a list of resources, and a path leads to something else than these.
    pub(super) fn is_beside_items(&self, path: &Path) -> bool {
        let is_items = matches!(path.segments().first(), Some(Segment::Field(name)) if name == "items");
        self.item.is_none() && !is_items && Resource::listed(self.root).is_some()
    }

    /// The path to it from the root of its document.
    #[must_use]
    pub fn path(&self) -> Path {
        let item = self.item.map(|item| [Segment::Field("items".to_owned()), Segment::Index(item as i64)]);
        item.into_iter().flatten().collect()
    }

    /// A path from the root of the resource, as a path from the root of its document.
    #[must_use]
    pub fn absolute(&self, path: &Path) -> Path {
        self.path().segments().into_iter().chain(path.segments()).cloned().collect()
    }

    /// `Deployment/web`. `#2` if it states no name.
    #[must_use]
    pub fn name(&self) -> Option<String> {
        match self.resource.as_ref().map(|resource| &resource.id).filter(|id| !id.name.is_empty()) {
            Some(id) if id.namespace.is_empty() => Some(format!("{}/{}", id.kind, id.name)),
            Some(id) => Some(format!("{}/{}/{}", id.kind, id.namespace, id.name)),
            None => self.item.is_none().then(|| format!("#{}", self.number + 1)),
        }
    }
}
