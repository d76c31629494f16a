//! Joins several texts into one stream.

use kyaml_ast::{Document, Stream};

use crate::resource::Resource;

/// The order of the documents of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order of the files, and in each file the order of its documents.
    Given,
    /// Some kinds first, some last, the others between them. All are sorted by kind and name.
    Kinds {
        /// The first kinds.
        first: Vec<String>,
        /// The last kinds.
        last: Vec<String>,
    },
}

impl Order {
    /// kustomize's: namespaces and definitions first, webhooks last.
    #[must_use]
    pub fn legacy() -> Self {
        let kinds = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self::Kinds { first: kinds(&FIRST), last: kinds(&LAST) }
    }
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

impl Order {
    /// One stream with the documents of all texts. A text without content is left out.
    ///
    /// ```
    /// use kmerge_core::build::Order;
    ///
    /// assert_eq!(Order::Given.join(&["a: 1\n", "# all gone\n", "---\nb: 2"]), "a: 1\n---\nb: 2\n");
    /// ```
    #[must_use]
    pub fn join(&self, texts: &[&str]) -> String {
        let mut pieces: Vec<(Rank, String)> = Vec::new();
        for text in texts {
            let text = text.strip_prefix('\u{feff}').unwrap_or(text);
            match Stream::parse(text) {
                Ok(stream) if stream.documents().all(|document| document.root().is_none()) => {}
                Ok(stream) => match self {
                    Self::Given => pieces.push((Rank::default(), text.to_owned())),
                    Self::Kinds { first, last } => {
                        let documents = stream.documents().filter(|document| document.root().is_some());
                        let rank = |document| Rank::of(document, [first, last]);
                        pieces.extend(documents.map(|document| (rank(document), document.text().to_owned())));
                    }
                },
                Err(_) => pieces.push((Rank::default(), text.to_owned())),
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

/// The position of a document in kustomize's order.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Rank {
    /// Before the others, among them, or after them.
    kind: i64,
    type_name: String,
    name: String,
}

impl Rank {
    fn of(document: Document<'_>, [first, last]: [&[String]; 2]) -> Self {
        let Some(Resource { id, version }) = Resource::of(document) else { return Self::default() };
        let place = |kinds: &[String]| kinds.iter().rposition(|kind| *kind == id.kind).map(|place| place as i64);
        let behind = place(last).map(|place| place + 1);
        let kind = behind.or(place(first).map(|place| place - first.len() as i64)).unwrap_or_default();
        let or_placeholder =
            |part: &'static str, text: &str| if text.is_empty() { part.to_owned() } else { text.to_owned() };
        let type_name =
            [or_placeholder("~G", &id.group), or_placeholder("~V", &version), or_placeholder("~K", &id.kind)].join("_");
        Self { kind, type_name, name: [or_placeholder("~X", &id.namespace), or_placeholder("~N", &id.name)].join("|") }
    }
}
