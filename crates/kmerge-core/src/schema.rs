//! What a field, list or map at some place of a resource is: the schema, and the cursor that walks it.
//!
//! Every source compiles to the same table: the built-in kinds, custom resource definitions, the rules that a user
//! gives. A [`Cursor`] is a copyable position; the walker moves it along with itself and asks it at each list. Where
//! nothing is known the cursor says so (`ListKind::Infer`), and the keys are inferred from the elements (`infer`).
//! User rules win. A kind that a definition describes is looked up there, any other in the built-in kinds; then comes inference.
//!
//! Ignored on purpose: validation beyond names and types of fields (`look_up`), defaults of anything but list keys, and
//! API versions beyond finding the kind (one that is not known merges as the newest known one of its group and kind).

mod builtin;
mod crd;
mod cursor;
mod element;
mod error;
mod fields;
mod infer;
mod keys;
mod pod;
mod rules;
mod scopes;
mod table;
mod turns;

use std::borrow::Cow;

pub use cursor::{Cursor, RuleSource};
pub(crate) use cursor::{Knowledge, ListKind, ListRule, PatchStrategy};
pub(crate) use element::{ElementId, Pairing, element_id, pair};
pub use element::{NoIdentity, OneValue};
pub use error::SchemaError;
pub(crate) use fields::{Lookup, look_up};
pub use fields::{ScalarType, ValueType};
pub(crate) use infer::CANDIDATES;
pub(crate) use keys::{Key, Keys};
pub use rules::{Rule, RuleError};
pub(crate) use turns::Places;

use cursor::{Coverage, Place};
use rules::{Rules, Scope};
use scopes::Scopes;
use table::{Gvk, NodeId, Owner, Table, TypeId};
use turns::Turns;

/// Where every merge looks up lists and maps; cheap to create, the built-in table is constant data.
#[derive(Clone, Debug, Default)]
pub struct Schema {
    builtin: Builtin,
    crds: Table,
    scopes: Scopes,
    rules: Rules,
    untyped: Untyped,
}

/// What a document without `apiVersion` and `kind` is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Untyped {
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
enum Builtin {
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
        let coverage = if is_exact { Coverage::Complete } else { Coverage::Likeness };
        Cursor::root(self, place, (self.rules.scope(group, kind), Turns::of_kind(kind))).covered(coverage)
    }

    /// The same, for a file of this name: documents without `apiVersion` and `kind` are what it holds, in a
    /// `kustomization.yaml` a kustomization.
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

    fn root(&self, untyped: Untyped) -> Cursor<'_> {
        match untyped {
            Untyped::Unknown => Cursor::root(self, Place::NoSchema, (Scope::default(), Turns::of_kind(""))),
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
    fn metadata(&self, field: &str) -> Place {
        let is_known = field == "metadata" && self.builtin == Builtin::Used;
        let id = is_known.then(|| pod::type_named("meta/v1.ObjectMeta")).flatten();
        id.map_or(Place::NoSchema, |id| Place::Known(NodeId::Type(id)))
    }

    /// The built-in pod template, where the built-in kinds take part.
    fn pod_template(&self) -> Option<TypeId> {
        if self.builtin == Builtin::Used { pod::template() } else { None }
    }

    fn table(&self, owner: Owner) -> &Table {
        match owner {
            Owner::Builtin => builtin::table(),
            Owner::Crds => &self.crds,
        }
    }
}

#[cfg(test)]
mod tests;
