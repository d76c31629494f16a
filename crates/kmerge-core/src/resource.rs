//! What makes a document the same resource on all sides: group, kind, namespace and name.

mod fields;
mod list;

use std::borrow::Cow;
use std::fmt;

use hashbrown::HashMap;
use kyaml_ast::{Document, Entry, Node, Span, Stream};
use memchr::memmem;

pub(crate) use fields::{descend, fields, items};
pub(crate) use list::{item_resource, listed_resource};

/// The identity of a Kubernetes resource. The version is not part of it: it may change.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResourceId {
    /// API group; empty for the core group.
    pub group: String,
    /// Kind.
    pub kind: String,
    /// Namespace; empty where none is given.
    pub namespace: String,
    /// Name.
    pub name: String,
}

impl ResourceId {
    /// Whether objects of this kind, if it is built in, stand in no namespace.
    #[must_use]
    pub(crate) fn is_cluster_scoped(&self) -> bool {
        matches!(
            self.kind.as_str(),
            "Namespace"
                | "Node"
                | "PersistentVolume"
                | "ComponentStatus"
                | "ClusterRole"
                | "ClusterRoleBinding"
                | "CustomResourceDefinition"
                | "APIService"
                | "StorageClass"
                | "CSIDriver"
                | "CSINode"
                | "VolumeAttachment"
                | "VolumeAttributesClass"
                | "PriorityClass"
                | "RuntimeClass"
                | "IngressClass"
                | "FlowSchema"
                | "PriorityLevelConfiguration"
                | "MutatingWebhookConfiguration"
                | "ValidatingWebhookConfiguration"
                | "MutatingAdmissionPolicy"
                | "MutatingAdmissionPolicyBinding"
                | "ValidatingAdmissionPolicy"
                | "ValidatingAdmissionPolicyBinding"
                | "CertificateSigningRequest"
                | "ClusterTrustBundle"
                | "DeviceClass"
                | "ResourceSlice"
                | "ServiceCIDR"
                | "IPAddress"
                | "StorageVersion"
                | "StorageVersionMigration"
        )
    }
}

/// `apps/Deployment default/web`, without what is empty.
impl fmt::Display for ResourceId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { group, kind, namespace, name } = self;
        let slash = |part: &str| if part.is_empty() { "" } else { "/" };
        write!(formatter, "{group}{}{kind}", slash(group))?;
        if namespace.is_empty() && name.is_empty() {
            return Ok(());
        }
        write!(formatter, " {namespace}{}{name}", slash(namespace))
    }
}

/// Type and name of a resource as its document gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Resource {
    /// The identity.
    pub id: ResourceId,
    /// API version without its group.
    pub version: String,
}

/// `apps/v1 Deployment default/web`, without what is empty.
impl fmt::Display for Resource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id: ResourceId { group, kind, namespace, name }, version } = self;
        let between = |part: &str, separator| if part.is_empty() { "" } else { separator };
        write!(formatter, "{group}{}{version}{}{kind}", between(group, "/"), between(version, " "))?;
        write!(formatter, "{}{namespace}{}{name}", between(name, " "), between(namespace, "/"))
    }
}

impl Resource {
    /// Reads a document; `None` where it has no kind.
    #[must_use]
    pub fn of(document: Document<'_>) -> Option<Self> {
        Self::of_node(document.root()?)
    }

    /// Reads a mapping with `apiVersion`, `kind` and `metadata`.
    #[must_use]
    pub fn of_node(root: Node<'_>) -> Option<Self> {
        // Most of what is no resource has the word nowhere; an escape may hide it.
        let text = root.text().as_bytes();
        if memmem::find(text, b"kind").is_none() && memchr::memchr(b'\\', text).is_none() {
            return None;
        }
        let [kind, api_version, metadata] = first_fields(root, ["kind", "apiVersion", "metadata"]);
        let kind = scalar(kind?)?;
        let api_version = api_version.and_then(scalar).unwrap_or_default();
        let (group, version) = split_api_version(&api_version);
        let [namespace, name] = metadata.map_or([None; 2], |metadata| first_fields(metadata, ["namespace", "name"]));
        let of_metadata = |field: Option<Node<'_>>| field.and_then(scalar).unwrap_or_default().into_owned();
        let id = ResourceId {
            group: group.to_owned(),
            kind: kind.into_owned(),
            namespace: of_metadata(namespace),
            name: of_metadata(name),
        };
        Some(Self { id, version: version.to_owned() })
    }

    /// The first resource with a name that a stream has twice, as document or item of a list, and where it stands.
    #[must_use]
    pub fn repeated(stream: &Stream<'_>) -> Option<(ResourceId, [Span; 2])> {
        let mut seen = HashMap::new();
        stream.documents().filter_map(Document::root).flat_map(Resource::all).find_map(|(node, resource)| {
            let id = resource?.id;
            let first = if id.name.is_empty() { None } else { seen.insert(id.clone(), node.span()) };
            first.map(|first| (id, [first, node.span()]))
        })
    }
}

/// The root of a document, if it is written in the source: some documents have only markers and comments.
pub(crate) fn content(document: Document<'_>) -> Option<Node<'_>> {
    document.root().filter(|root| !root.full_span().is_empty())
}

/// Splits an `apiVersion` into group and version; the core API's group is `""`.
pub(crate) fn split_api_version(api_version: &str) -> (&str, &str) {
    api_version.split_once('/').unwrap_or(("", api_version))
}

/// The value of a mapping's field.
pub(crate) fn field<'a>(node: Node<'a>, name: &str) -> Option<Node<'a>> {
    field_entry(node, name).map(Entry::value)
}

/// A mapping's field, key and value.
#[must_use]
pub(crate) fn field_entry<'a>(node: Node<'a>, name: &str) -> Option<Entry<'a>> {
    let is_named = |key: Node<'_>| key.kind().is_scalar() && key.value() == name;
    node.entries().find(|entry| entry.key().is_some_and(is_named))
}

pub(crate) fn text(node: Node<'_>, name: &str) -> Option<String> {
    let value = field(node, name)?;
    value.kind().is_scalar().then(|| value.value().into_owned())
}

/// The values of some fields, the first of each name, in one pass: identities are asked for more than anything else.
fn first_fields<'a, const N: usize>(node: Node<'a>, names: [&str; N]) -> [Option<Node<'a>>; N] {
    let mut found = [None; N];
    let mut missing = N;
    for entry in node.entries() {
        let Some(key) = entry.key().filter(|key| key.kind().is_scalar()) else { continue };
        let key = key.value();
        let wanted = names.iter().zip(&mut found).find(|(name, found)| **name == key && found.is_none());
        if let Some((_, found)) = wanted {
            *found = Some(entry.value());
            missing -= 1;
        }
        if missing == 0 {
            break;
        }
    }
    found
}

fn scalar<'a>(value: Node<'a>) -> Option<Cow<'a, str>> {
    value.kind().is_scalar().then(|| value.value())
}
