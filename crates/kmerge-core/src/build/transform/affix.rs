//! `namePrefix` and `nameSuffix`: text before and after the names of resources.

use super::{TransformError, Transformer, Written};
use crate::build::kustomization::KustomizationError;
use crate::build::scalar_text;
use crate::resource::Resource;
use crate::value::{Data, Value};

/// A prefix or suffix.
#[derive(Clone, Debug)]
pub(in crate::build) struct Affix {
    pub(in crate::build) end: End,
    pub(in crate::build) text: String,
}

/// Which end of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::build) enum End {
    Prefix,
    Suffix,
}

pub(super) fn read_prefix(part: Written<'_>, field: &'static str) -> Result<Vec<Transformer>, KustomizationError> {
    Ok(vec![Transformer::Affix(Affix { end: End::Prefix, text: part.text(field)? })])
}

pub(super) fn read_suffix(part: Written<'_>, field: &'static str) -> Result<Vec<Transformer>, KustomizationError> {
    Ok(vec![Transformer::Affix(Affix { end: End::Suffix, text: part.text(field)? })])
}

impl Affix {
    /// Whether the names of a kind must not change, because they have a meaning: those of definitions and namespaces.
    pub(in crate::build) fn leaves(original: &Resource) -> bool {
        match original.id.kind.as_str() {
            "CustomResourceDefinition" | "Namespace" => true,
            "APIService" => original.id.group == "apiregistration.k8s.io",
            _ => false,
        }
    }

    /// Renames a resource.
    pub(in crate::build) fn apply(&self, value: &mut Value) -> Result<(), TransformError> {
        let metadata = value.as_map_mut().and_then(|map| map.get_mut("metadata")).and_then(Value::as_map_mut);
        let Some(name) = metadata.and_then(|metadata| metadata.get_mut("name")) else { return Ok(()) };
        let Some(own) = scalar_text(name) else { return Err(TransformError::NotAScalar("metadata.name".to_owned())) };
        name.data = Data::Text(match self.end {
            End::Prefix => format!("{}{own}", self.text),
            End::Suffix => format!("{own}{}", self.text),
        });
        Ok(())
    }
}
