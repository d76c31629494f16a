//! Makes one stream of the texts of several.

use kyaml_ast::{Document, Stream};

use crate::resource::Resource;

/// The order of the documents of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// That of the files, and in them as they stand.
    Given,
    /// kustomize's: namespaces and definitions first, webhooks last, others by kind and name.
    Legacy,
}

const FIRST: [&str; 22] = [
    "Namespace",
    "ResourceQuota",
    "StorageClass",
    "CustomResourceDefinition",
    "ServiceAccount",
    "PodSecurityPolicy",
    "Role",
    "ClusterRole",
    "RoleBinding",
    "ClusterRoleBinding",
    "ConfigMap",
    "Secret",
    "Endpoints",
    "Service",
    "LimitRange",
    "PriorityClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "Deployment",
    "StatefulSet",
    "CronJob",
    "PodDisruptionBudget",
];
const LAST: [&str; 2] = ["MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"];

/// One stream with the documents of all texts; a text that is left without content is left out.
///
/// ```
/// use kmerge_core::build::{Order, join};
///
/// assert_eq!(join(&["a: 1\n", "# all gone\n", "---\nb: 2"], Order::Given), "a: 1\n---\nb: 2\n");
/// ```
#[must_use]
pub fn join(texts: &[&str], order: Order) -> String {
    let mut pieces: Vec<(Rank, String)> = Vec::new();
    for text in texts {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        match Stream::parse(text) {
            Ok(stream) if order == Order::Legacy => {
                let documents = stream.documents().filter(|document| document.root().is_some());
                pieces.extend(documents.map(|document| (Rank::of(document), document.text().to_owned())));
            }
            Ok(stream) if stream.documents().all(|document| document.root().is_none()) => {}
            _ => pieces.push((Rank::default(), text.to_owned())),
        }
    }
    pieces.sort_by(|(a, _), (b, _)| a.cmp(b));
    let mut out = String::new();
    for (_, piece) in pieces {
        separate(&mut out, &piece);
        out.push_str(&piece);
        if !piece.ends_with('\n') {
            out.push('\n');
        }
    }
    out
}

/// Ends the document before a text.
fn separate(out: &mut String, next: &str) {
    let first = next.lines().find(|line| !line.trim().is_empty() && !line.starts_with('#')).unwrap_or_default();
    let starts = first == "---" || first.starts_with("--- ") || first.starts_with("---\t");
    if out.is_empty() {
        return;
    }
    if first.starts_with('%') {
        out.push_str("...\n");
    } else if !starts {
        out.push_str("---\n");
    }
}

/// Where kustomize puts a document.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    kind: usize,
    type_name: String,
    name: String,
}

impl Rank {
    fn of(document: Document<'_>) -> Self {
        let Some(Resource { id, version }) = Resource::of(document) else { return Self::default() };
        let first = FIRST.iter().position(|kind| *kind == id.kind);
        let last = LAST.iter().position(|kind| *kind == id.kind).map(|place| FIRST.len() + 1 + place);
        let type_name = format!("{}_{version}_{}", id.group, id.kind);
        let kind = first.or(last).unwrap_or(FIRST.len());
        Self { kind, type_name, name: format!("{}|{}", id.namespace, id.name) }
    }
}
