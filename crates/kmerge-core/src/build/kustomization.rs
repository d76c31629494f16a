//! Reads kustomizations: the files that they name, the changes that they ask for, and the fields that are not applied
//! here.
//!
//! Aliases are followed. A duplicate key in a mapping is an error, because readers differ in which one they take.

mod error;
mod patches;

use kyaml_ast::{Document, Kind, Span, Stream};

use super::join::Order;
use super::transform::{self, Transform};
use super::written::{Written, read};
use crate::check::Fault;
use crate::schema::Schema;
pub use error::KustomizationError;
pub(super) use error::KustomizationErrorKind;
pub(crate) use patches::PatchForm;
pub use patches::{PatchEntry, PatchText};
pub(super) use patches::{options, read_patches};

/// A kustomization, or a component, which is a part of one.
#[derive(Clone, Debug, Default)]
pub struct Kustomization {
    /// Which of the two.
    pub kind: KustomizationKind,
    /// Files and directories, in order.
    pub resources: Vec<Reference>,
    /// Directories of components, in order.
    pub components: Vec<Reference>,
    /// The changes of the resources, in order.
    pub work: Vec<Work>,
    /// The file with the definitions of kinds.
    pub schema: Option<Reference>,
    /// The order of the documents, if it is stated.
    pub order: Option<Order>,
    /// The other fields, which are not applied.
    pub unapplied: Vec<Reference>,
}

/// A change of resources.
#[derive(Clone, Debug)]
pub enum Work {
    /// Patches some resources.
    Patch(Box<PatchEntry>),
    /// Changes all resources.
    Transform(Box<Transform>),
}

/// The kind of a kustomization file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KustomizationKind {
    /// Resources and their changes.
    #[default]
    Kustomization,
    /// The same for the resources of a kustomization that uses it.
    Component,
}

/// A name in a kustomization: a path, an address, or a field that is not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The name.
    pub text: String,
    /// The place of the name.
    pub span: Span,
}

/// The fields of kustomizations.
pub(super) const FIELDS: [&str; 35] = [
    "apiVersion",
    "kind",
    "metadata",
    "resources",
    "bases",
    "components",
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "namespace",
    "namePrefix",
    "nameSuffix",
    "labels",
    "commonLabels",
    "commonAnnotations",
    "images",
    "imageTags",
    "replicas",
    "replacements",
    "vars",
    "configMapGenerator",
    "secretGenerator",
    "generatorOptions",
    "helmCharts",
    "helmChartInflationGenerator",
    "helmGlobals",
    "generators",
    "transformers",
    "validators",
    "configurations",
    "crds",
    "openapi",
    "buildMetadata",
    "sortOptions",
    "inventory",
];

/// Fields that have no effect on a build.
const HARMLESS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// The fields that are applied, without the transformers.
const APPLIED: [&str; 8] = [
    "resources",
    "bases",
    "components",
    "patches",
    "patchesStrategicMerge",
    "patchesJson6902",
    "openapi",
    "sortOptions",
];

type Kinds = KustomizationErrorKind;
type Result<T> = std::result::Result<T, KustomizationError>;

impl Kustomization {
    /// Reads the stream of a kustomization file.
    ///
    /// # Errors
    ///
    /// If kustomize would not understand it. The error has the place.
    pub fn read(stream: &Stream<'_>) -> Result<Self> {
        let mut roots = stream.documents().filter_map(Document::root).filter(|root| root.kind() != Kind::Null);
        let root = roots.next().ok_or(KustomizationError { kind: Kinds::Empty, span: Span::default() })?;
        if let Some(second) = roots.next() {
            return Err(KustomizationError { kind: Kinds::SeveralDocuments, span: second.full_span() });
        }
        if root.kind() != Kind::Mapping {
            return Err(KustomizationError { kind: Kinds::NotAMapping, span: root.full_span() });
        }
        Self::check_keys(stream)?;
        let value = read(root)?;
        let root = Written::new(&value, stream);
        let mut resources = references(root, "resources")?;
        resources.extend(references(root, "bases")?);
        Ok(Self {
            kind: kind(root)?,
            resources,
            components: references(root, "components")?,
            work: work(root)?,
            order: root.field("sortOptions").map(order_of).transpose()?,
            schema: root.field("openapi").map(schema_of).transpose()?.flatten(),
            unapplied: unapplied(root)?,
        })
    }

    /// Refuses a duplicate key in a mapping, in any file of a build.
    ///
    /// # Errors
    ///
    /// The first such key.
    pub fn check_keys(stream: &Stream<'_>) -> Result<()> {
        let schema = Schema::without_builtin();
        let repeated = schema.check(stream).into_iter().find(|finding| finding.fault == Fault::DuplicateKey);
        repeated.map_or(Ok(()), |finding| {
            Err(KustomizationError { kind: Kinds::DuplicateField(finding.name), span: finding.span })
        })
    }
}

/// The fields that are not applied.
fn unapplied(root: Written<'_>) -> Result<Vec<Reference>> {
    let mut unapplied = Vec::new();
    for (name, part) in root.fields() {
        let span = part.entry_span();
        if !FIELDS.contains(&name) {
            return Err(KustomizationError { kind: Kinds::UnknownField(name.to_owned()), span });
        }
        let is_applied = HARMLESS.contains(&name) || APPLIED.contains(&name) || Transform::is_field(name);
        if !is_applied && !part.is_empty() {
            unapplied.push(Reference { text: name.to_owned(), span });
        }
    }
    Ok(unapplied)
}

fn kind(root: Written<'_>) -> Result<KustomizationKind> {
    let Some(part) = root.field("kind") else { return Ok(Default::default()) };
    match part.text("kind")?.as_str() {
        "Kustomization" | "" => Ok(KustomizationKind::Kustomization),
        "Component" => Ok(KustomizationKind::Component),
        other => Err(part.error(Kinds::OtherKind(other.to_owned()))),
    }
}

/// Strategic patches, patches of either kind, transformers, JSON patches, and transformers again. This is kustomize's
/// order.
fn work(root: Written<'_>) -> Result<Vec<Work>> {
    let patch = |entry| Work::Patch(Box::new(entry));
    let transform = |transform| Work::Transform(Box::new(transform));
    let mut work: Vec<Work> = patches::strategic(root)?.into_iter().map(patch).collect();
    work.extend(patches::patches(root, "patches", PatchForm::Any)?.into_iter().map(patch));
    work.extend(transform::early(root)?.into_iter().map(transform));
    work.extend(patches::patches(root, "patchesJson6902", PatchForm::Json)?.into_iter().map(patch));
    work.extend(transform::late(root)?.into_iter().map(transform));
    Ok(work)
}

fn references(root: Written<'_>, name: &str) -> Result<Vec<Reference>> {
    root.items_of(name)?.into_iter().map(reference).collect()
}

fn reference(part: Written<'_>) -> Result<Reference> {
    match part.as_text().filter(|text| !text.is_empty()) {
        Some(text) => Ok(Reference { text: text.to_owned(), span: part.span() }),
        None => Err(part.error(Kinds::NotText)),
    }
}

/// The only version of built-in kinds that `openapi` may name in kustomize.
const VERSION: &str = "v1.21.2";

/// The file that `openapi` names.
fn schema_of(part: Written<'_>) -> Result<Option<Reference>> {
    part.only("openapi", &["path", "version"])?;
    match (part.field("path"), part.field("version")) {
        (path, None) => path.map(reference).transpose(),
        (None, Some(version)) if version.as_text() == Some(VERSION) => Ok(None),
        (_, Some(_)) => Err(part.error(Kinds::OpenApi)),
    }
}

fn order_of(part: Written<'_>) -> Result<Order> {
    part.only("sortOptions", &["order", "legacySortOptions"])?;
    let options = part.field("legacySortOptions");
    let name = part.field("order").map_or_else(|| Ok(String::new()), |order| order.text("order"))?;
    match (name.as_str(), options) {
        ("fifo", None) => Ok(Order::Given),
        ("fifo", Some(options)) => Err(options.error(Kinds::SortOptions)),
        ("legacy", None) => Ok(Order::legacy()),
        ("legacy", Some(options)) => {
            options.only("legacySortOptions", &["orderFirst", "orderLast"])?;
            let kinds = |name| -> Result<Vec<String>> {
                options.items_of(name)?.into_iter().map(|kind| kind.text(name)).collect()
            };
            Ok(Order::Kinds { first: kinds("orderFirst")?, last: kinds("orderLast")? })
        }
        _ => Err(part.expected("order", "fifo or legacy")),
    }
}
