//! Reads kustomizations: which files they name, which patches they hold, and what they say that nobody applies here.

use kyaml_ast::{Document, Entry, Kind, Node, Span, Stream};
use thiserror::Error;

use super::target::{Changes, Target, TargetError};
use crate::resource::field;

/// A kustomization, or a component: part of one.
#[derive(Clone, Debug, Default)]
pub struct Kustomization {
    /// Which of the two.
    pub kind: KustomizationKind,
    /// Files and directories, in order.
    pub resources: Vec<Reference>,
    /// Directories of components, in order.
    pub components: Vec<Reference>,
    /// Patches in the order in which they are applied.
    pub patches: Vec<PatchEntry>,
    /// What else it says.
    pub unapplied: Vec<Unapplied>,
}

/// What a kustomization file holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KustomizationKind {
    /// Resources and what is done to them.
    #[default]
    Kustomization,
    /// The same for the resources of whoever uses it.
    Component,
}

/// A path or address, and where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// The path.
    pub text: String,
    /// Where it is written.
    pub span: Span,
}

/// A field that is not applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unapplied {
    /// Its name.
    pub field: String,
    /// Where it is written.
    pub span: Span,
}

/// One entry of a list of patches.
#[derive(Clone, Debug)]
pub struct PatchEntry {
    /// Its text, or where that is.
    pub text: PatchText,
    /// What kinds of patches are allowed.
    pub form: PatchForm,
    /// Which resources it is for; without one it says so itself.
    pub target: Option<Target>,
    /// Where that is written.
    pub target_span: Option<Span>,
    /// What it may change besides fields.
    pub changes: Changes,
    /// Where the entry stands.
    pub span: Span,
}

/// Where the text of a patch is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchText {
    /// In a file.
    Path(Reference),
    /// In the kustomization.
    Inline(Reference),
    /// In a file if there is one of that name, else it is the text itself.
    Either(Reference),
}

/// Kinds of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchForm {
    /// Whatever the text is.
    Any,
    /// Strategic merge patches.
    Strategic,
    /// JSON patches.
    Json,
}

/// The fields of kustomizations.
pub const FIELDS: [&str; 35] = [
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

/// Fields that say nothing about what is built.
const HARMLESS: [&str; 3] = ["apiVersion", "kind", "metadata"];

/// Why a kustomization cannot be understood, and where.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct KustomizationError {
    /// What is wrong.
    pub kind: KustomizationErrorKind,
    /// Where.
    pub span: Span,
}

/// What is wrong with a kustomization.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum KustomizationErrorKind {
    /// Nothing but comments.
    #[error("the kustomization is empty")]
    Empty,
    /// Several documents.
    #[error("a kustomization file holds one document")]
    SeveralDocuments,
    /// Not a mapping.
    #[error("a kustomization is a mapping")]
    NotAMapping,
    /// Another kind.
    #[error("expected kind Kustomization or Component, found {0:?}")]
    OtherKind(String),
    /// A field that kustomizations do not have.
    #[error("a kustomization has no field {0:?}")]
    UnknownField(String),
    /// The same field twice.
    #[error("the field {0:?} stands here twice")]
    DuplicateField(String),
    /// A field that is no list.
    #[error("{0} is a list")]
    NotAList(String),
    /// An item of a list that is no text.
    #[error("expected text: a path")]
    NotText,
    /// A patch that is no mapping.
    #[error("a patch entry is a mapping with path or patch, and target")]
    NotAnEntry,
    /// A field that patch entries do not have.
    #[error("a patch entry has no field {0:?}: expected path, patch, target, options")]
    UnknownEntryField(String),
    /// Neither `path` nor `patch`, or both.
    #[error("a patch entry has either a path or a patch")]
    PathOrPatch,
    /// A patch that is written as YAML, not as text.
    #[error("an inline patch is text: write it below `patch: |-`")]
    PatchNotText,
    /// An option that there is not.
    #[error("an option is allowNameChange or allowKindChange, true or false")]
    Option,
    /// The target cannot be understood.
    #[error(transparent)]
    Target(#[from] TargetError),
    /// A `functionConfig` without patches or objects.
    #[error("the functionConfig has neither patches, nor patch, nor merge")]
    NoInstructions,
    /// A `functionConfig` that names files.
    #[error("a function reads no files: write the patch inline")]
    NoFiles,
    /// Compatibility with something else.
    #[error("compat is kustomize, or not there")]
    Compat,
    /// A JSON patch that does not say for what.
    #[error("a JSON patch needs a target")]
    NoTarget,
}

type Kinds = KustomizationErrorKind;
type Result<T> = std::result::Result<T, KustomizationError>;

impl Kustomization {
    /// Reads the stream of a kustomization file.
    ///
    /// # Errors
    ///
    /// Where kustomize would not understand it, with the place.
    pub fn read(stream: &Stream<'_>) -> Result<Self> {
        let mut roots = stream.documents().filter_map(Document::root).filter(|root| root.kind() != Kind::Null);
        let root = roots.next().ok_or(KustomizationError { kind: Kinds::Empty, span: Span::default() })?;
        if let Some(second) = roots.next() {
            return Err(error(Kinds::SeveralDocuments, second));
        }
        if root.kind() != Kind::Mapping {
            return Err(error(Kinds::NotAMapping, root));
        }
        let mut kustomization = Self { kind: kind(root)?, ..Self::default() };
        let mut seen = Vec::new();
        for entry in root.entries() {
            let name = name(entry);
            if seen.contains(&name) {
                return Err(KustomizationError { kind: Kinds::DuplicateField(name), span: entry.span() });
            }
            kustomization.other(&name, entry)?;
            seen.push(name);
        }
        kustomization.resources = references(root, "resources")?;
        kustomization.resources.extend(references(root, "bases")?);
        kustomization.components = references(root, "components")?;
        kustomization.patches = patches(root)?;
        Ok(kustomization)
    }

    /// Notes a field that is not applied.
    fn other(&mut self, name: &str, entry: Entry<'_>) -> Result<()> {
        if !FIELDS.contains(&name) {
            let kind = Kinds::UnknownField(name.to_owned());
            return Err(KustomizationError { kind, span: entry.span() });
        }
        let is_order =
            name == "sortOptions" && field(entry.value(), "order").is_some_and(|order| order.value() == "fifo");
        let is_applied = HARMLESS.contains(&name) || APPLIED.contains(&name) || is_empty(entry.value()) || is_order;
        if !is_applied {
            self.unapplied.push(Unapplied { field: name.to_owned(), span: entry.span() });
        }
        Ok(())
    }
}

/// The fields that are applied.
const APPLIED: [&str; 6] = ["resources", "bases", "components", "patches", "patchesStrategicMerge", "patchesJson6902"];

fn is_empty(value: Node<'_>) -> bool {
    match value.kind() {
        Kind::Null => true,
        Kind::Mapping | Kind::Sequence => value.entries().next().is_none(),
        _ => value.value().is_empty(),
    }
}

fn name(entry: Entry<'_>) -> String {
    entry.key().map(|key| key.value().into_owned()).unwrap_or_default()
}

fn kind(root: Node<'_>) -> Result<KustomizationKind> {
    let Some(node) = field(root, "kind").filter(|node| node.kind() != Kind::Null) else {
        return Ok(Default::default());
    };
    match node.value().as_ref() {
        "Kustomization" | "" => Ok(KustomizationKind::Kustomization),
        "Component" => Ok(KustomizationKind::Component),
        other => Err(error(Kinds::OtherKind(other.to_owned()), node)),
    }
}

/// The items of a field that is a list, if it is there.
fn items<'t>(root: Node<'t>, name: &str) -> Result<Vec<Entry<'t>>> {
    match field(root, name) {
        None => Ok(Vec::new()),
        Some(node) if node.kind() == Kind::Null => Ok(Vec::new()),
        Some(node) if node.kind() == Kind::Sequence => Ok(node.entries().collect()),
        Some(node) => Err(error(Kinds::NotAList(name.to_owned()), node)),
    }
}

fn references(root: Node<'_>, name: &str) -> Result<Vec<Reference>> {
    items(root, name)?.into_iter().map(|entry| reference(entry.value())).collect()
}

fn reference(node: Node<'_>) -> Result<Reference> {
    match node.kind() {
        Kind::Null => Err(error(Kinds::NotText, node)),
        kind if kind.is_scalar() && node.value().is_empty() => Err(error(Kinds::NotText, node)),
        kind if kind.is_scalar() => Ok(Reference { text: node.value().into_owned(), span: node.full_span() }),
        _ => Err(error(Kinds::NotText, node)),
    }
}

/// All patches: strategic ones, then those of either kind, then JSON patches, as kustomize applies them.
fn patches(root: Node<'_>) -> Result<Vec<PatchEntry>> {
    let mut patches = Vec::new();
    for entry in items(root, "patchesStrategicMerge")? {
        let text = reference(entry.value())?;
        let span = text.span;
        let (form, changes) = (PatchForm::Strategic, Changes::default());
        patches.push(PatchEntry {
            text: PatchText::Either(text),
            form,
            target: None,
            target_span: None,
            changes,
            span,
        });
    }
    for (name, form) in [("patches", PatchForm::Any), ("patchesJson6902", PatchForm::Json)] {
        for entry in items(root, name)? {
            patches.push(patch_entry(entry.value(), form)?);
        }
    }
    Ok(patches)
}

/// Reads a list of patches as in the field `patches` of a kustomization.
///
/// # Errors
///
/// Where an entry cannot be understood, with its place.
pub fn read_patches(list: Node<'_>) -> Result<Vec<PatchEntry>> {
    if list.kind() != Kind::Sequence {
        return Err(error(Kinds::NotAList("patches".to_owned()), list));
    }
    list.entries().map(|entry| patch_entry(entry.value(), PatchForm::Any)).collect()
}

fn patch_entry(node: Node<'_>, form: PatchForm) -> Result<PatchEntry> {
    if node.kind() != Kind::Mapping {
        return Err(error(Kinds::NotAnEntry, node));
    }
    let (mut path, mut patch, mut target, mut changes) = (None, None, None, Changes::default());
    let mut target_span = None;
    for entry in node.entries() {
        let value = entry.value();
        match name(entry).as_str() {
            _ if value.kind() == Kind::Null => {}
            "path" => path = Some(reference(value)?),
            "patch" if value.kind().is_collection() => return Err(error(Kinds::PatchNotText, value)),
            "patch" if value.value().is_empty() => {}
            "patch" => patch = Some(reference(value)?),
            "target" => {
                target = Some(Target::read(value).map_err(|(kind, span)| from_target(kind, span))?);
                target_span = Some(entry.span());
            }
            "options" => changes = options(value)?,
            other => return Err(error(Kinds::UnknownEntryField(other.to_owned()), value)),
        }
    }
    let text = match (path, patch) {
        (Some(path), None) => PatchText::Path(path),
        (None, Some(patch)) => PatchText::Inline(patch),
        _ => return Err(error(Kinds::PathOrPatch, node)),
    };
    if form == PatchForm::Json && target.is_none() {
        return Err(error(Kinds::NoTarget, node));
    }
    Ok(PatchEntry { text, form, target, target_span, changes, span: node.full_span() })
}

pub(super) fn options(node: Node<'_>) -> Result<Changes> {
    let mut changes = Changes::default();
    for entry in node.entries() {
        let is_set = match entry.value().value().as_ref() {
            "true" => true,
            "false" => false,
            _ => return Err(error(Kinds::Option, entry.value())),
        };
        match name(entry).as_str() {
            "allowNameChange" => changes.name = is_set,
            "allowKindChange" => changes.kind = is_set,
            _ => return Err(error(Kinds::Option, node)),
        }
    }
    Ok(changes)
}

fn error(kind: Kinds, node: Node<'_>) -> KustomizationError {
    KustomizationError { kind, span: node.full_span() }
}

fn from_target(kind: TargetError, span: Span) -> KustomizationError {
    KustomizationError { kind: kind.into(), span }
}
