//! Executes a build: keeps the resources, and applies patches to them.
//!
//! A text is known by its index among the texts that the session was made with: files of resources, and patches. A text
//! that is built twice has one index for each time. A layer has what one kustomization has gathered so far. Invariant:
//! no two resources in a layer have the same identity.

mod patch;
mod references;
mod transform;

use std::collections::HashMap;

use kyaml_ast::{Document, Kind, Node, Span};

use super::error::{BuildError, BuildErrorKind, TextPlace};
use super::kustomization::PatchForm;
use super::merge::Dialect;
use super::target::{Changes, Target, effective};
use crate::apply::documents::Documents;
use crate::apply::objects::{Object, list_items};
use crate::resource::{Resource, ResourceId, field, split_api_version};
use crate::schema::Schema;
use crate::value::{Source, Value};

type Result<T> = std::result::Result<T, Box<BuildError>>;

/// The options of a build.
#[derive(Clone, Copy, Debug)]
pub(super) struct Options<'s> {
    /// The schema of the kinds.
    pub(super) schema: &'s Schema,
    /// The rules for cases in which kustomize's are not sound.
    pub(super) dialect: Dialect,
}

/// The requirements for the objects of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Gathering {
    /// Each has a name, and no two have the same identity.
    Resources,
    /// No requirements.
    Anything,
}

/// A patch.
#[derive(Clone, Copy, Debug)]
struct Patch<'p> {
    /// Index of its text.
    text: usize,
    /// The kinds of patches that it may be.
    form: PatchForm,
    /// The resources that it is for.
    target: Option<&'p Target>,
    /// What it may change besides fields.
    changes: Changes,
}

/// A running build.
pub struct Session<'a, 't> {
    texts: Vec<&'a Source<'t>>,
    options: Options<'a>,
    documents: Vec<Documents<'a, 't>>,
    members: Vec<Member>,
    layers: Vec<Layer>,
    /// Positions of objects that were added to a list.
    added: HashMap<Resource, usize>,
}

/// A resource.
struct Member {
    text: usize,
    object: Object,
    /// The identities that it had, and last its current one. Each step that might have changed the identity adds one,
    /// even an equal one.
    ids: Vec<Resource>,
    /// The prefixes and suffixes that its name got.
    affixes: [Vec<String>; 2],
    /// Whether a patch removed it.
    is_gone: bool,
}

/// The resources that a kustomization has gathered.
#[derive(Default)]
struct Layer {
    members: Vec<usize>,
    /// The members by every identity that they have or had.
    by_identity: HashMap<Resource, Vec<usize>>,
}

fn documents_of<'a, 't>(text: &'a Source<'t>) -> Documents<'a, 't> {
    Documents::new(text).with_comments_of_patches()
}

impl<'a, 't> Session<'a, 't> {
    /// A build of these texts; the first layer is open.
    #[must_use]
    pub fn new(texts: &'a [Source<'t>], schema: &'a Schema, dialect: Dialect) -> Self {
        let options = Options { schema, dialect };
        let documents = texts.iter().map(documents_of).collect();
        let texts = texts.iter().collect();
        Self { texts, options, documents, members: Vec::new(), layers: vec![Layer::default()], added: HashMap::new() }
    }

    /// Opens the layer of a kustomization. Its resources are kept apart until it is closed.
    pub fn open(&mut self) {
        self.layers.push(Layer::default());
    }

    /// Closes a layer: its resources go into the layer around it. Returns their number.
    ///
    /// # Errors
    ///
    /// If the layer around it already has one of these resources.
    pub fn close(&mut self) -> Result<usize> {
        let layer = if self.layers.len() > 1 { self.layers.pop() } else { None };
        let mut members = layer.unwrap_or_default().members;
        members.retain(|member| !self.members[*member].is_gone);
        let count = members.len();
        members.into_iter().try_for_each(|member| self.gather(member, Gathering::Resources))?;
        Ok(count)
    }

    /// Uses a text once more, as it was given. Changes of its resources under the new index do not affect those under
    /// another index. Returns the new index.
    pub fn again(&mut self, text: usize) -> usize {
        let source = self.texts[text];
        self.texts.push(source);
        self.documents.push(documents_of(source));
        self.texts.len() - 1
    }

    /// Adds the resources of a file to the open layer.
    ///
    /// # Errors
    ///
    /// If the file has anything else, an object without a name, or a resource that exists already.
    pub fn add(&mut self, text: usize) -> Result<()> {
        for document in self.texts[text].stream().documents() {
            check_document(document, text)?;
        }
        self.gather_all(text, Gathering::Resources)
    }

    /// Adds all objects of a file to the open layer.
    ///
    /// # Errors
    ///
    /// None so far.
    pub fn add_any(&mut self, text: usize) -> Result<()> {
        self.gather_all(text, Gathering::Anything)
    }

    fn gather_all(&mut self, text: usize, gathering: Gathering) -> Result<()> {
        let source = self.texts[text];
        for object in Object::all(std::slice::from_ref(source)) {
            let resource = Resource::of_node(source.stream().node(object.place.node())).unwrap_or_default();
            let may_be_generated = self.options.dialect == Dialect::Kmerge && is_generated(&object, source);
            if resource.id.name.is_empty() && !may_be_generated && gathering == Gathering::Resources {
                return Err(BuildError::new(BuildErrorKind::NoName, vec![TextPlace { text, span: object.span }]));
            }
            self.members.push(Member {
                text,
                object,
                ids: vec![resource],
                affixes: [Vec::new(), Vec::new()],
                is_gone: false,
            });
            self.gather(self.members.len() - 1, gathering)?;
        }
        Ok(())
    }

    fn gather(&mut self, index: usize, gathering: Gathering) -> Result<()> {
        let member = &self.members[index];
        let (Some(layer), false) = (self.layers.last_mut(), member.is_gone) else { return Ok(()) };
        if gathering == Gathering::Resources
            && let Some(id) = member.ids.last().map(effective).filter(|id| !id.id.name.is_empty())
        {
            let others = layer.by_identity.get(&id).map(Vec::as_slice).unwrap_or_default();
            let is_now = |other: &&usize| self.members[**other].ids.last().map(effective).as_ref() == Some(&id);
            if let Some(other) = others.iter().find(is_now) {
                let place = |member: &Member| TextPlace { text: member.text, span: member.object.span };
                let places = vec![place(member), place(&self.members[*other])];
                return Err(BuildError::new(BuildErrorKind::Duplicate(show(member.ids.last())), places));
            }
        }
        layer.members.push(index);
        for id in &member.ids {
            let members = layer.by_identity.entry(effective(id)).or_default();
            if members.last() != Some(&index) {
                members.push(index);
            }
        }
        Ok(())
    }

    /// Records the current identity of a resource, beside its earlier ones.
    fn identify(&mut self, index: usize, now: Resource) {
        if let Some(layer) = self.layers.last_mut() {
            let members = layer.by_identity.entry(effective(&now)).or_default();
            if !members.contains(&index) {
                members.push(index);
            }
        }
        self.members[index].ids.push(now);
    }

    /// The resources of the open layer that were not removed.
    fn present(&self) -> Vec<usize> {
        let members = self.layers.last().map(|layer| layer.members.as_slice()).unwrap_or_default();
        members.iter().copied().filter(|member| !self.members[*member].is_gone).collect()
    }

    /// The first document of a text with the changes so far. `None` if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be read.
    pub fn document_mut(&mut self, text: usize) -> Result<Option<&mut Value>> {
        let Some(document) = self.texts[text].stream().documents().find(|document| document.root().is_some()) else {
            return Ok(None);
        };
        let failed = |error| BuildError::new(error, vec![TextPlace { text, span: document.span() }]);
        self.documents[text].document_mut(document).map_err(failed)
    }

    /// The new content of each text. `None` if it did not change.
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn finish(self) -> Result<Vec<Option<String>>> {
        let texts = self.documents.into_iter().enumerate();
        let write = |(text, documents): (usize, Documents<'_, '_>)| {
            let place = TextPlace { text, span: Span::default() };
            documents.write().map_err(|error| BuildError::new(error, vec![place]))
        };
        texts.map(write).collect()
    }
}

/// Checks that a document is an object or a list of objects.
fn check_document(document: Document<'_>, text: usize) -> Result<()> {
    let Some(root) = document.root().filter(|root| root.kind() != Kind::Null) else { return Ok(()) };
    let is_object = |node: Node<'_>| Resource::of_node(node).is_some_and(|resource| !resource.version.is_empty());
    let wrong = match list_items(root) {
        Some(items) => items.entries().map(kyaml_ast::Entry::value).find(|item| !is_object(*item)),
        None => Some(root).filter(|root| !is_object(*root)),
    };
    wrong.map_or(Ok(()), |node| {
        Err(BuildError::new(BuildErrorKind::NotAnObject, vec![TextPlace { text, span: node.full_span() }]))
    })
}

/// Whether the server gives an object its name (`generateName`).
fn is_generated(object: &Object, source: &Source<'_>) -> bool {
    let node = source.stream().node(object.place.node());
    field(node, "metadata").and_then(|metadata| field(metadata, "generateName")).is_some()
}

/// The current identity of a resource. A part whose text is read as something else (`name: n`, a boolean to kubectl)
/// keeps its earlier value.
fn identity(value: &Value, before: Option<&Resource>) -> Resource {
    let text = |way: &[&str], before: Option<&str>| match value.at(way) {
        None => String::new(),
        Some(value) => value.as_text().or(before).unwrap_or_default().to_owned(),
    };
    let id = before.map(|before| &before.id);
    let api_version = text(&["apiVersion"], None);
    let (group, version) = split_api_version(&api_version);
    let id = ResourceId {
        group: group.to_owned(),
        kind: text(&["kind"], id.map(|id| id.kind.as_str())),
        namespace: text(&["metadata", "namespace"], id.map(|id| id.namespace.as_str())),
        name: text(&["metadata", "name"], id.map(|id| id.name.as_str())),
    };
    Resource { id, version: version.to_owned() }
}

/// `apps/v1 Deployment default/web`
fn show(resource: Option<&Resource>) -> String {
    resource.map(Resource::to_string).unwrap_or_default()
}
