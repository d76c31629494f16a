//! Gives images other versions or names, at all places where Kubernetes tools look for images. Changes nothing else.
//!
//! Owns the places of image references, and their new text. Invariant: no byte changes outside the scalars and fields
//! of the reference, and text that is no reference to the wanted image stays as it is. Ignores what a tag stands for:
//! no registry is asked.
//!
//! ```
//! use kmerge_core::image::{Filter, Request};
//! use kyaml_ast::Stream;
//!
//! let stream = Stream::parse("spec:\n  containers:\n  - image: 'nginx:1.25' # pinned\n")?;
//! let request: Request = "nginx:1.27".parse()?;
//! let done = request.set(&stream, &Filter::default())?;
//! assert_eq!(done.text.as_deref(), Some("spec:\n  containers:\n  - image: 'nginx:1.27' # pinned\n"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod edits;
mod policy;
mod reference;
mod request;

use std::collections::{BTreeSet, HashMap};

use kyaml_ast::{Entry, Kind, Node, ParseError, Span, SpliceError, Stream, StreamId, splice};
use thiserror::Error;

pub use self::policy::Policy;
pub use self::request::Request;

use self::edits::Edits;
use self::reference::{Reference, is_name};
use crate::resource::{field, field_entry, items, text};

/// The places to change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only containers with this name.
    pub container: Option<String>,
    /// Only values beside a comment that names this policy.
    pub policy: Option<Policy>,
}

/// The result for a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The new text. `None` if nothing changes.
    pub text: Option<String>,
    /// The number of places that refer to the image.
    pub matched: usize,
    /// The number of these places that change.
    pub changed: usize,
}

/// Why a request or the name of a policy is not valid, or why an image cannot be set.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ImageError {
    /// The name is not valid.
    #[error("`{0}` is not an image name")]
    Name(String),
    /// The tag is not valid.
    #[error("`{0}` is not a tag")]
    Tag(String),
    /// The digest is not valid.
    #[error("`{0}` is not a digest")]
    Digest(String),
    /// There is a tag or digest before the `=`.
    #[error("a name without tag and digest must stand before `=`")]
    Tagged,
    /// There is nothing to change.
    #[error("the new tag, digest or name is missing")]
    Nothing,
    /// The name of a policy is not valid.
    #[error("a policy is NAMESPACE:NAME, NAMESPACE:NAME:tag or NAMESPACE:NAME:name")]
    Policy,
    /// A chart's value has no field for a digest, and nothing shows that the chart supports one.
    #[error("there is no field `digest` beside this repository; the chart may not support one")]
    NoDigest {
        /// The repository.
        span: Span,
    },
    /// The edits contradict each other.
    #[error("the result cannot be written: {0}")]
    Splice(#[from] SpliceError),
    /// The written text is not YAML.
    #[error("the result would not be valid YAML: {0}")]
    Parse(#[from] ParseError),
}

/// The lists of containers in a pod.
const CONTAINERS: [&str; 3] = ["containers", "initContainers", "ephemeralContainers"];

impl Request {
    /// Changes all references to the image in a stream as requested.
    ///
    /// # Errors
    ///
    /// [`ImageError`] if a place cannot be changed. Then no place changes.
    pub fn set(&self, stream: &Stream<'_>, filter: &Filter) -> Result<Done, ImageError> {
        let mut edits = Edits::default();
        for root in stream.documents().filter_map(kyaml_ast::Document::root) {
            let entries = entries(root);
            let places = Places { request: self, filter, anchors: anchors(&entries) };
            if filter.policy.is_none() && filter.container.is_none() {
                places.kustomization(root, &mut edits);
            }
            for entry in entries {
                places.entry(entry, &mut edits)?;
            }
        }
        let text = match edits.list.is_empty() {
            true => None,
            false => Some(splice(&[stream], StreamId(0), &edits.list)?),
        };
        if let Some(text) = &text {
            stream.parse_again(text)?;
        }
        Ok(Done { text, matched: edits.matched, changed: edits.changed })
    }
}

/// The names of images in a stream, each once: in `image` fields, in values of charts, and in kustomizations.
#[must_use]
pub fn names(stream: &Stream<'_>) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    for root in stream.documents().filter_map(kyaml_ast::Document::root) {
        for entry in entries(root) {
            let value = entry.value();
            match entry.key().map(Node::value).as_deref() {
                Some("image" | "repository") => found.extend(named(&value.value())),
                Some("images") => found.extend(items(value).filter_map(|image| text(image, "name"))),
                _ => {}
            }
        }
    }
    found
}

fn named(reference: &str) -> Option<String> {
    Reference::parse(reference).map(|reference| reference.name.to_owned())
}

/// All entries of a document, in order.
fn entries<'t>(root: Node<'t>) -> Vec<Entry<'t>> {
    let (mut found, mut open) = (Vec::new(), vec![root]);
    while let Some(node) = open.pop() {
        for entry in node.entries() {
            found.push(entry);
            open.extend(Some(entry.value()).filter(|value| value.kind().is_collection()));
        }
    }
    found.sort_by_key(|entry| entry.value().id());
    found
}

/// The entries whose values have an anchor, by the anchor's name, in order.
fn anchors<'t>(entries: &[Entry<'t>]) -> HashMap<&'t str, Vec<Entry<'t>>> {
    let mut anchors: HashMap<&str, Vec<Entry<'_>>> = HashMap::new();
    for entry in entries {
        if let Some(name) = entry.value().anchor() {
            anchors.entry(name).or_default().push(*entry);
        }
    }
    anchors
}

/// The places where a document refers to the image.
struct Places<'r, 't> {
    request: &'r Request,
    filter: &'r Filter,
    anchors: HashMap<&'t str, Vec<Entry<'t>>>,
}

impl<'t> Places<'_, 't> {
    fn entry(&self, entry: Entry<'t>, edits: &mut Edits) -> Result<(), ImageError> {
        if let Some(policy) = &self.filter.policy {
            self.marked(entry, policy, edits);
            return Ok(());
        }
        let Some(key) = entry.key().filter(|key| key.kind().is_scalar()) else { return Ok(()) };
        let (key, value) = (key.value(), entry.value());
        if CONTAINERS.contains(&&*key) {
            self.containers(self.behind_alias(value), edits);
        } else if self.filter.container.is_none() && (key == "image" || key.ends_with("Image")) {
            self.chart_value(value, edits)?;
        }
        Ok(())
    }

    fn containers(&self, list: Node<'t>, edits: &mut Edits) {
        // A list that many aliases refer to is searched only once.
        if !edits.is_new(list.id()) {
            return;
        }
        for container in items(list).map(|item| self.behind_alias(item)) {
            let name = || text(container, "name");
            let is_meant = self.filter.container.as_ref().is_none_or(|wanted| name().as_ref() == Some(wanted));
            if let (true, Some(image)) = (is_meant, self.image_of(container)) {
                self.reference(image, edits);
            }
        }
    }

    /// The image of a container: its own, or one from a merge key.
    fn image_of(&self, container: Node<'t>) -> Option<Entry<'t>> {
        field_entry(container, "image").or_else(|| {
            let merged = self.behind_alias(field(container, "<<")?);
            field_entry(merged, "image")
        })
    }

    /// Handles a scalar that is a whole reference.
    fn reference(&self, entry: Entry<'t>, edits: &mut Edits) {
        let entry = self.anchored(entry.value()).unwrap_or(entry);
        if entry.value().kind().is_scalar()
            && let Some(new) = self.request.rewritten(&entry.value().value())
        {
            edits.matched(entry.value().id(), |edits| edits.scalar(entry, &new));
        }
    }

    /// The entry whose value an alias refers to: the last one before it with this anchor.
    fn anchored(&self, node: Node<'t>) -> Option<Entry<'t>> {
        let all = self.anchors.get(node.alias()?)?;
        let before = all.partition_point(|anchored| anchored.value().id() < node.id());
        all.get(before.checked_sub(1)?).copied()
    }

    /// The value of an alias, or the node itself.
    fn behind_alias(&self, node: Node<'t>) -> Node<'t> {
        self.anchored(node).map_or(node, Entry::value)
    }

    /// Handles a value beside a comment that names the policy.
    fn marked(&self, entry: Entry<'t>, policy: &Policy, edits: &mut Edits) {
        let source = entry.collection().stream().source();
        let Some(marker) = entry.trail().and_then(|trail| Policy::in_comment(trail.of(source))) else { return };
        if !policy.takes(&marker) || !entry.value().kind().is_scalar() {
            return;
        }
        let request = self.request;
        let new = match marker.part() {
            None => request.rewritten(&entry.value().value()),
            Some(policy::Part::Tag) => request.tag.clone(),
            Some(policy::Part::Name) => request.new_name.clone().filter(|_| request.is_for(&entry.value().value())),
        };
        if let Some(new) = new {
            edits.matched(entry.value().id(), |edits| edits.scalar(entry, &new));
        }
    }

    /// Handles `image: {registry, repository, tag, digest}`, as in values of charts.
    fn chart_value(&self, image: Node<'t>, edits: &mut Edits) -> Result<(), ImageError> {
        let scalar = |name| field_entry(image, name).filter(|entry| entry.value().kind().is_scalar());
        let Some(repository) = scalar("repository") else { return Ok(()) };
        let registry = scalar("registry").filter(|registry| !registry.value().value().is_empty());
        let path = repository.value().value();
        let name = registry.map_or_else(|| path.to_string(), |it| format!("{}/{path}", it.value().value()));
        if !is_name(&name) || !self.request.is_for(&name) {
            return Ok(());
        }
        let digest = scalar("digest");
        let Request { new_name, tag, digest: new_digest, .. } = self.request;
        if new_digest.is_some() && digest.is_none() {
            return Err(ImageError::NoDigest { span: repository.value().span() });
        }
        edits.matched(image.id(), |edits| {
            if let Some(new) = new_name {
                edits.chart_name([registry, Some(repository)], new);
            }
            if let Some(tag) = tag {
                edits.field(image, "tag", tag);
            }
            match (new_digest, digest) {
                (Some(new), _) => edits.field(image, "digest", new),
                (None, Some(old)) if tag.is_some() && !old.value().value().is_empty() => edits.scalar(old, ""),
                _ => {}
            }
        });
        Ok(())
    }

    /// Handles the `images` of a kustomization.
    fn kustomization(&self, root: Node<'t>, edits: &mut Edits) {
        let kind = text(root, "kind");
        if kind.as_ref().is_some_and(|kind| kind != "Kustomization" && kind != "Component") {
            return;
        }
        let Some(images) = field(root, "images") else { return };
        for image in items(images).filter(|image| image.kind() == Kind::Mapping) {
            let is_one = ["newName", "newTag", "digest"].iter().any(|name| field(image, name).is_some());
            if kind.is_some() || is_one {
                self.kustomization_image(image, edits);
            }
        }
    }

    fn kustomization_image(&self, image: Node<'t>, edits: &mut Edits) {
        let is_meant = |field| text(image, field).is_some_and(|name| is_name(&name) && self.request.is_for(&name));
        if !is_meant("name") && !is_meant("newName") {
            return;
        }
        let request = self.request;
        edits.matched(image.id(), |edits| {
            for (name, new) in [("newName", &request.new_name), ("newTag", &request.tag), ("digest", &request.digest)] {
                match (new, field_entry(image, name)) {
                    (Some(new), _) => edits.field(image, name, new),
                    // A tag or digest that is left over would still count.
                    (None, Some(old)) if request.sets_version() && name != "newName" => edits.remove(old),
                    _ => {}
                }
            }
        });
    }
}

#[cfg(test)]
mod tests;
