//! `namespace`: puts resources into a namespace.
//!
//! Sets `metadata.namespace` of resources that can be in a namespace, the fields of the table, and the subjects of role
//! bindings that are called `default`. References to moved resources follow by their names.

use super::{TransformError, Transformer, Written};
use crate::build::fields::{Missing, Step, table, visit};
use crate::build::kustomization::KustomizationError;
use crate::resource::Resource;
use crate::value::{Data, Value};

/// The namespace.
#[derive(Clone, Debug)]
pub(in crate::build) struct Namespace(String);

pub(super) fn read(part: Written<'_>, field: &'static str) -> Result<Vec<Transformer>, KustomizationError> {
    Ok(vec![Transformer::Namespace(Namespace(part.text(field)?))])
}

/// Whether a kind of resource can be in a namespace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::build) enum Scope {
    Namespaced,
    Cluster,
}

impl Namespace {
    /// Puts a resource into the namespace.
    pub(in crate::build) fn apply(
        &self,
        value: &mut Value,
        resource: &Resource,
        scope: Scope,
    ) -> Result<(), TransformError> {
        if scope == Scope::Namespaced {
            let path = ["metadata", "namespace"].map(|name| Step { name: name.to_owned(), is_list: false });
            visit(value, &path, Missing::Scalar, &mut |field| self.set(field))?;
        }
        if matches!(resource.id.kind.as_str(), "RoleBinding" | "ClusterRoleBinding") {
            self.set_subjects(value)?;
        }
        for field in table().section("namespace").iter().filter(|field| field.kind.fits(resource)) {
            let missing = if field.is_created { Missing::Scalar } else { Missing::Stays };
            visit(value, &field.path, missing, &mut |field| self.set(field))?;
        }
        Ok(())
    }

    fn set(&self, field: &mut Value) -> Result<(), TransformError> {
        if field.is_collection() {
            return Err(TransformError::NotAScalar("the namespace".to_owned()));
        }
        field.data = Data::Text(self.0.clone());
        Ok(())
    }

    fn set_subjects(&self, value: &mut Value) -> Result<(), TransformError> {
        let Some(subjects) = value.as_map_mut().and_then(|map| map.get_mut("subjects")) else { return Ok(()) };
        for subject in subjects.as_list_mut().into_iter().flatten() {
            let is_default = subject.get("name").and_then(Value::as_text) == Some("default");
            if let (true, Some(fields)) = (is_default, subject.as_map_mut()) {
                self.set(fields.entry("namespace".to_owned()).or_insert_with(Value::null))?;
            }
        }
        Ok(())
    }
}
