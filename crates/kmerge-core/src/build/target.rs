//! Decides which resources a patch is for.

use kyaml_ast::FitError;
use thiserror::Error;

use super::kustomization::KustomizationError;
use super::pattern::Pattern;
use super::selector::{Selector, SelectorError};
use super::written::Written;
use crate::resource::{Resource, ResourceId};
use crate::value::Value;

/// The namespace of resources that state none, for patches and targets.
const DEFAULT: &str = "default";
/// kustomize's namespace for resources that cannot be in one.
const NO_NAMESPACE: &str = "_non_namespaceable_";

/// Conditions on resources. A resource that meets all of them is patched.
#[derive(Clone, Debug, Default)]
pub(crate) struct Target {
    patterns: Vec<(Part, Pattern)>,
    labels: Option<Selector>,
    annotations: Option<Selector>,
}

/// What a patch may change besides fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    /// `allowNameChange`
    pub(super) name: bool,
    /// `allowKindChange`
    pub(super) kind: bool,
}

/// A part of a resource's identity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Group,
    Version,
    Kind,
    Namespace,
    Name,
}

const PARTS: [(&str, Part); 5] = [
    ("group", Part::Group),
    ("version", Part::Version),
    ("kind", Part::Kind),
    ("namespace", Part::Namespace),
    ("name", Part::Name),
];

/// Why a target cannot be understood.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub(super) enum TargetError {
    /// Not a mapping.
    #[error("a target is a mapping, such as {{kind: Deployment, name: web.*}}")]
    NotAMapping,
    /// A field that targets do not have.
    #[error(
        "a target has no field {0:?}: expected group, version, kind, name, namespace, labelSelector, annotationSelector"
    )]
    UnknownField(String),
    /// A condition that is no text.
    #[error("{0} is not text")]
    NotText(String),
    /// A condition that is not a regular expression.
    #[error("{0}: {1}")]
    Pattern(String, FitError),
    /// A condition that is not a selector.
    #[error("{0}: {1}")]
    Selector(String, SelectorError),
}

impl Target {
    /// Reads the `target` of a patch.
    ///
    /// # Errors
    ///
    /// If a condition cannot be understood. The error has its place.
    pub(super) fn read(part: Written<'_>) -> Result<Self, KustomizationError> {
        let mut target = Self::default();
        if !part.is_map() {
            return Err(part.error(TargetError::NotAMapping.into()));
        }
        for (field, value) in part.fields() {
            if value.is_null() {
                continue;
            }
            let Some(text) = value.as_text() else {
                return Err(value.error(TargetError::NotText(field.to_owned()).into()));
            };
            target
                .set(field, text)
                .map_err(|error| KustomizationError { kind: error.into(), span: value.entry_span() })?;
        }
        Ok(target)
    }

    /// Adds a condition. An empty text is no condition.
    ///
    /// # Errors
    ///
    /// If the condition cannot be understood.
    pub(super) fn set(&mut self, field: &str, text: &str) -> Result<(), TargetError> {
        let selector = || Selector::parse(text).map_err(|error| TargetError::Selector(field.to_owned(), error));
        let part = PARTS.iter().find(|(name, _)| *name == field).map(|(_, part)| *part);
        match (field, part) {
            ("labelSelector" | "annotationSelector", _) | (_, Some(_)) if text.is_empty() => {}
            ("labelSelector", _) => self.labels = Some(selector()?),
            ("annotationSelector", _) => self.annotations = Some(selector()?),
            (_, Some(part)) => {
                let pattern = Pattern::new(text).map_err(|error| TargetError::Pattern(field.to_owned(), error))?;
                self.patterns.push((part, pattern));
            }
            _ => return Err(TargetError::UnknownField(field.to_owned())),
        }
        Ok(())
    }

    /// Whether the target has conditions on labels or annotations.
    pub(super) const fn selects(&self) -> bool {
        self.labels.is_some() || self.annotations.is_some()
    }

    /// The conditions that a resource does not meet. `ids` are its former identities and its current one. Name and
    /// namespace may match in a former one.
    pub(super) fn misfits(&self, ids: &[Resource], object: Option<&Value>) -> Vec<&'static str> {
        let fits = |(part, pattern): &(Part, Pattern)| {
            let counting = if matches!(part, Part::Name | Part::Namespace) { ids } else { current(ids) };
            counting.iter().any(|id| pattern.fits(part.of(id)))
        };
        let mut misfits: Vec<&str> =
            self.patterns.iter().filter(|part| !fits(part)).map(|part| part.0.name()).collect();
        for (selector, field, name) in
            [(&self.labels, "labels", "labelSelector"), (&self.annotations, "annotations", "annotationSelector")]
        {
            let map = object.and_then(|object| object.at(&["metadata", field])).and_then(Value::as_map);
            if selector.as_ref().is_some_and(|selector| !selector.fits(map)) {
                misfits.push(name);
            }
        }
        misfits
    }
}

fn current(ids: &[Resource]) -> &[Resource] {
    ids.last().map(std::slice::from_ref).unwrap_or_default()
}

impl Part {
    const fn name(self) -> &'static str {
        match self {
            Self::Group => "group",
            Self::Version => "version",
            Self::Kind => "kind",
            Self::Namespace => "namespace",
            Self::Name => "name",
        }
    }

    fn of(self, resource: &Resource) -> &str {
        match self {
            Self::Group => &resource.id.group,
            Self::Version => &resource.version,
            Self::Kind => &resource.id.kind,
            Self::Namespace => namespace(&resource.id),
            Self::Name => &resource.id.name,
        }
    }
}

/// The parts in which two identities differ.
pub(super) fn differences(a: &Resource, b: &Resource) -> Vec<&'static str> {
    let differ = PARTS.iter().filter(|(_, part)| part.of(a) != part.of(b));
    differ.map(|(_, part)| part.name()).collect()
}

/// The namespace by which patches know a resource.
fn namespace(id: &ResourceId) -> &str {
    match id.namespace.as_str() {
        _ if id.is_cluster_scoped() => NO_NAMESPACE,
        "" => DEFAULT,
        namespace => namespace,
    }
}

/// A resource's identity, with the namespace by which patches know it.
pub(super) fn effective(resource: &Resource) -> Resource {
    let namespace = namespace(&resource.id).to_owned();
    Resource { id: ResourceId { namespace, ..resource.id.clone() }, version: resource.version.clone() }
}
