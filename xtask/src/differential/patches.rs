//! Random patches of all kinds on random objects.

use serde_json::Value;

use super::Findings;
use crate::kubectl::{self, KINDS, PatchType, Refusals};
use crate::ours::Ours;
use crate::random::{Random, json_patch, mutate, object, shape_of, strategic_patch};

/// Objects that get the same patch.
const PATCHED: usize = 10;

/// Compares one patch on several objects; tells on how many.
pub(super) fn compare(ours: &Ours, random: &mut Random, findings: &mut Findings) -> anyhow::Result<usize> {
    let kind = random.pick(&KINDS);
    let shape = shape_of(kind.kind);
    let base = object(random, kind.api_version, kind.kind);
    let mut objects = Vec::new();
    for _ in 0..PATCHED {
        let mut object = base.clone();
        if random.one_in(2) {
            mutate(random, &mut object, &shape);
        }
        if object["metadata"].is_object() {
            object["metadata"]["name"] = "x".into();
            objects.push(object);
        }
    }
    let (patch_type, patch) = match random.below(4) {
        0 => (PatchType::Json, json_patch(random, &base)),
        1 => (PatchType::Merge, strategic_patch(random, &shape)),
        _ => (PatchType::Strategic, strategic_patch(random, &shape)),
    };
    let answers = kubectl::patch_local(&objects, &patch, patch_type, Refusals::Counted)?;
    for (object, theirs) in objects.iter().zip(answers) {
        findings.count(kind_of(patch_type, theirs.is_ok()));
        let (own, theirs) = (ours.patch(object, &patch, patch_type), theirs.ok());
        if own != theirs {
            findings.differences.push(format!(
                "{} patch {patch}\n  object  {object}\n  kubectl {}\n  kmerge  {}",
                patch_type.name(),
                show(theirs),
                show(own)
            ));
        }
    }
    Ok(objects.len())
}

const fn kind_of(patch: PatchType, is_applied: bool) -> &'static str {
    match (patch, is_applied) {
        (PatchType::Strategic, true) => "strategic patch: applied",
        (PatchType::Strategic, false) => "strategic patch: refused",
        (PatchType::Merge, true) => "merge patch: applied",
        (PatchType::Merge, false) => "merge patch: refused",
        (PatchType::Json, true) => "JSON patch: applied",
        (PatchType::Json, false) => "JSON patch: refused",
    }
}

pub(super) fn show(answer: Option<Value>) -> String {
    answer.map_or_else(|| "refused".to_owned(), |answer| answer.to_string())
}
