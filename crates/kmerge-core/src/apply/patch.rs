//! Patches one object, as `kubectl patch` does.

use kyaml_ast::Node;

use super::algorithm::Algorithm;
use super::error::PatchError;
use super::json_patch::{self, Operation};
use super::strategic::{self, ListKeys, ListOrder, Meta, Strategy};
use crate::resource::text;
use crate::schema::Schema;
use crate::value::{Needed, Shape, Value};

/// The kinds of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PatchKind {
    /// Merges by the schema of the object's kind.
    Strategic,
    /// Merges mappings and replaces everything else (RFC 7386).
    Merge,
    /// A list of operations (RFC 6902).
    Json,
}

/// The options of strategic patches.
#[derive(Clone, Copy)]
pub struct PatchOptions<'s> {
    /// The schema of the kinds.
    pub schema: &'s Schema,
    /// Which fields pair the items of lists.
    pub keys: ListKeys,
    /// The order of merged lists.
    pub order: ListOrder,
}

/// The parts of an object that must be read for a patch; see
/// [`Documents::part_mut`](super::documents::Documents::part_mut).
pub(super) fn needed(object: Node<'_>, patch: &Value, kind: PatchKind, options: PatchOptions<'_>) -> Needed {
    let needed = match kind {
        PatchKind::Json => named_by(patch),
        PatchKind::Merge => merged_by(patch, None),
        PatchKind::Strategic => {
            let [api_version, name] = ["apiVersion", "kind"].map(|name| text(object, name).unwrap_or_default());
            merged_by(patch, Algorithm::of_kind(options.schema, &api_version, &name, options.keys).meta)
        }
    };
    needed.and(&["apiVersion"]).and(&["kind"])
}

fn named_by(patch: &Value) -> Needed {
    let Ok(operations) = json_patch::read(patch) else { return Needed::All };
    let places = operations.iter().flat_map(Operation::places);
    places.fold(Needed::none(), |needed, place| needed.and(place.steps()))
}

/// The fields that a merge reads or changes. A directive may affect all fields.
fn merged_by(patch: &Value, meta: Option<Meta<'_>>) -> Needed {
    let Some(fields) = patch.as_map() else { return Needed::All };
    if fields.keys().any(|name| name.starts_with('$')) {
        return Needed::All;
    }
    let needed = |(name, value): (&String, &Value)| {
        let below = match meta.map(|meta| meta.mapping(name)) {
            None => merged_by(value, None),
            Some(Ok(field)) if field.strategy != Strategy::Replace => merged_by(value, Some(field.below)),
            Some(_) => Needed::All,
        };
        (name.clone(), below)
    };
    Needed::Fields(fields.iter().map(needed).collect())
}

impl Value {
    /// Applies a patch to this value.
    ///
    /// # Errors
    ///
    /// [`PatchError`] if kubectl refuses the patch or crashes on it. The value may then be partly changed.
    pub fn patch(&mut self, patch: &Self, kind: PatchKind, options: PatchOptions<'_>) -> Result<(), PatchError> {
        if kind == PatchKind::Json {
            self.apply_json_patch(patch)?;
        } else {
            let mut patch_map = patch.as_map().ok_or(PatchError::NotAMapping)?.clone();
            if kind == PatchKind::Strategic && options.order != ListOrder::Kubectl {
                strategic::without_merge_directives(&mut patch_map)?;
            }
            let origin = patch.origin;
            let map = self.as_map_mut().ok_or(PatchError::NotAMapping)?;
            let algorithm = match kind {
                PatchKind::Strategic => Algorithm::of(options.schema, map, options.keys),
                PatchKind::Merge | PatchKind::Json => Algorithm::JSON_MERGE,
            };
            if algorithm.kind() != kind {
                return Err(PatchError::UnknownKind);
            }
            algorithm.apply(map, patch_map, options.order)?;
            self.patch = origin;
        }
        let is_text = |field| self.get(field).is_some_and(|value| value.shape() == Shape::Text);
        if is_text("apiVersion") && is_text("kind") { Ok(()) } else { Err(PatchError::NoKind) }
    }
}
