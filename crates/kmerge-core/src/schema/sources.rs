//! A schema: the sources of what is known about kinds, and which of them counts.
//!
//! Ignores what the sources say: each has a file of its own.

use std::borrow::Cow;

use super::cursor::{Coverage, Cursor, Place};
use super::rules::{Rule, RuleError, Rules, Scope};
use super::scopes::Scopes;
use super::table::{Gvk, NodeId, Owner, Table, TypeId};
use super::turns::Turns;
use super::{builtin, pod};

/// Where every merge looks up lists and maps; cheap to create, the built-in table is constant data.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    pub(super) builtin: Builtin,
    pub(super) crds: Table,
    pub(super) scopes: Scopes,
    pub(super) rules: Rules,
    pub(super) untyped: Untyped,
}

/// What a document without `apiVersion` and `kind` is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Untyped {
    #[default]
    Unknown,
    /// kustomize lets them go without.
    Kustomization,
}

impl Untyped {
    /// What a file of this name holds.
    fn in_file(path: &str) -> Self {
        match path.rsplit(['/', '\\']).next() {
            Some("kustomization.yaml" | "kustomization.yml" | "Kustomization") => Self::Kustomization,
            _ => Self::Unknown,
        }
    }
}

/// Whether the built-in kinds take part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Builtin {
    #[default]
    Used,
    Unused,
}

impl Schema {
    /// The built-in kinds.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A schema that knows nothing: every list is inferred.
    #[must_use]
    pub fn without_builtin() -> Self {
        Self { builtin: Builtin::Unused, ..Self::default() }
    }

    /// Takes the user's rules, in the place of any before; of two for one list the later one counts.
    ///
    /// # Errors
    /// Rules with `*` that overlap too often to be distinguished.
    pub fn set_rules(&mut self, rules: Vec<Rule>) -> Result<(), RuleError> {
        self.rules = Rules::new(rules)?;
        Ok(())
    }

    /// The root of a resource. The group of the core API is `""`. A kustomization may go without its `apiVersion`.
    #[must_use]
    pub fn resource(&self, group: &str, version: &str, kind: &str) -> Cursor<'_> {
        let (group, version) = match (group, version, kind) {
            ("", "", "Kustomization") => ("kustomize.config.k8s.io", "v1beta1"),
            given => (given.0, given.1),
        };
        let gvk = Gvk { group, version, kind };
        let builtin = || if self.builtin == Builtin::Used { builtin::table().kind(gvk) } else { None };
        let root = self.crds.kind(gvk).or_else(builtin);
        let place = root.map_or(Place::UnknownKind, |root| Place::Known(NodeId::Type(root.id)));
        let is_exact = root.is_some_and(|root| root.is_exact);
        let coverage = if is_exact { Coverage::Complete } else { Coverage::Similar };
        Cursor::root(self, place, self.rules.scope(group, kind), Turns::of_kind(kind)).covered(coverage)
    }

    /// This schema for a file of this name. In a `kustomization.yaml`, a document without `apiVersion` and `kind` is a
    /// kustomization.
    #[must_use]
    pub fn for_file(&self, path: &str) -> Cow<'_, Self> {
        let untyped = Untyped::in_file(path);
        if untyped == self.untyped { Cow::Borrowed(self) } else { Cow::Owned(Self { untyped, ..self.clone() }) }
    }

    /// The root of a document without `apiVersion` and `kind`, such as the values of a chart.
    #[must_use]
    pub fn untyped(&self) -> Cursor<'_> {
        self.root(self.untyped)
    }

    /// The root of a document without `apiVersion` and `kind` in a file of this name.
    pub(crate) fn untyped_in(&self, path: &str) -> Cursor<'_> {
        self.root(Untyped::in_file(path))
    }

    pub(super) fn root(&self, untyped: Untyped) -> Cursor<'_> {
        match untyped {
            Untyped::Unknown => Cursor::root(self, Place::NoSchema, Scope::default(), Turns::of_kind("")),
            Untyped::Kustomization => self.resource("kustomize.config.k8s.io", "v1beta1", "Kustomization"),
        }
    }

    /// Whether a kind is built in and no definition replaces it.
    #[must_use]
    pub(crate) fn is_builtin(&self, group: &str, version: &str, kind: &str) -> bool {
        let gvk = Gvk { group, version, kind };
        self.builtin == Builtin::Used && self.crds.kind(gvk).is_none() && builtin::table().kind(gvk).is_some()
    }

    /// Whether a kind is defined or built in, in any version.
    pub(crate) fn knows(&self, group: &str, kind: &str) -> bool {
        let gvk = Gvk { group, version: "", kind };
        self.crds.kind(gvk).is_some() || (self.builtin == Builtin::Used && builtin::table().kind(gvk).is_some())
    }

    /// Whether the user gave rules.
    #[must_use]
    pub(crate) fn has_rules(&self) -> bool {
        !self.rules.is_empty()
    }

    /// The value of a field of a resource of an unknown kind.
    pub(super) fn metadata(&self, field: &str) -> Place {
        let is_known = field == "metadata" && self.builtin == Builtin::Used;
        let id = is_known.then(|| pod::type_named("meta/v1.ObjectMeta")).flatten();
        id.map_or(Place::NoSchema, |id| Place::Known(NodeId::Type(id)))
    }

    /// The built-in pod template, where the built-in kinds take part.
    pub(super) fn pod_template(&self) -> Option<TypeId> {
        if self.builtin == Builtin::Used { pod::template() } else { None }
    }

    pub(super) fn table(&self, owner: Owner) -> &Table {
        match owner {
            Owner::Builtin => builtin::table(),
            Owner::Crds => &self.crds,
        }
    }
}
