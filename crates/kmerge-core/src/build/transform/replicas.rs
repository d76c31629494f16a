//! `replicas`: the number of replicas of the resources with a name.

use super::{TransformError, Transformer, Written};
use crate::build::fields::{Missing, table, visit};
use crate::build::kustomization::KustomizationError;
use crate::resource::Resource;
use crate::value::{Data, Value};

/// A name and a number.
#[derive(Clone, Debug)]
pub(in crate::build) struct Replicas {
    pub(in crate::build) name: String,
    count: i64,
}

pub(super) fn read(part: Written<'_>, field: &'static str) -> Result<Vec<Transformer>, KustomizationError> {
    part.items(field)?.into_iter().map(|item| item_of(item).map(Transformer::Replicas)).collect()
}

fn item_of(item: Written<'_>) -> Result<Replicas, KustomizationError> {
    item.only("an item of replicas", &["name", "count"])?;
    let name = item.field("name").map_or_else(|| Ok(String::new()), |name| name.text("name"))?;
    let count = item.field("count").map_or(Ok(0), |count| count.number("count"))?;
    Ok(Replicas { name, count })
}

impl Replicas {
    /// Sets the number in a resource that has, or had, the name. Returns whether it is such a resource.
    pub(in crate::build) fn apply(&self, value: &mut Value, ids: &[Resource]) -> Result<bool, TransformError> {
        let Some(now) = ids.last() else { return Ok(false) };
        let named = || ids.iter().filter(|id| id.id.name == self.name);
        let mut is_one = false;
        for field in table().section("replicas") {
            if !named().any(|id| field.kind.fits(id)) {
                continue;
            }
            is_one = true;
            if field.kind.fits(now) {
                let missing = if field.is_created { Missing::Scalar } else { Missing::Stays };
                visit(value, &field.path, missing, &mut |count| self.set(count))?;
            }
        }
        Ok(is_one)
    }

    fn set(&self, count: &mut Value) -> Result<(), TransformError> {
        if count.is_collection() {
            return Err(TransformError::NotAScalar("spec.replicas".to_owned()));
        }
        count.data = Data::Int(self.count);
        Ok(())
    }
}
