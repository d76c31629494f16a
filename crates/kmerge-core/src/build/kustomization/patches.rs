//! The patches of a kustomization.

use kyaml_ast::Span;

use super::{Kinds, Reference, Result, reference};
use crate::build::target::{Changes, Target};
use crate::build::written::Written;

/// One entry of a list of patches.
#[derive(Clone, Debug)]
pub struct PatchEntry {
    /// The patch's text, or the place of the text.
    pub text: PatchText,
    /// What kinds of patches are allowed.
    pub(crate) form: PatchForm,
    /// The resources that it is for. Without a target, the patch names its resource itself.
    pub(crate) target: Option<Target>,
    /// The place of the target.
    pub target_span: Option<Span>,
    /// What it may change besides fields.
    pub(crate) changes: Changes,
    /// The place of the entry.
    pub span: Span,
}

/// The place of a patch's text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchText {
    /// In a file.
    Path(Reference),
    /// In the kustomization.
    Inline(Reference),
    /// In a file if there is one with this name; otherwise this is the text itself.
    Either(Reference),
}

/// Kinds of patches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PatchForm {
    /// Any kind.
    Any,
    /// Strategic merge patches.
    Strategic,
    /// JSON patches.
    Json,
}

/// The fields of a patch entry.
const ENTRY: [&str; 4] = ["path", "patch", "target", "options"];

/// The patches in a field, all of them of `form`.
pub(super) fn patches(root: Written<'_>, field: &str, form: PatchForm) -> Result<Vec<PatchEntry>> {
    root.items_of(field)?.into_iter().map(|item| patch_entry(item, form)).collect()
}

/// The items of `patchesStrategicMerge`.
pub(super) fn strategic(root: Written<'_>) -> Result<Vec<PatchEntry>> {
    let entry = |item| {
        let text = reference(item)?;
        let (span, form, changes) = (text.span, PatchForm::Strategic, Changes::default());
        Ok(PatchEntry { text: PatchText::Either(text), form, target: None, target_span: None, changes, span })
    };
    root.items_of("patchesStrategicMerge")?.into_iter().map(entry).collect()
}

/// Reads a list of patches as in the field `patches` of a kustomization.
pub(in crate::build) fn read_patches(list: Written<'_>) -> Result<Vec<PatchEntry>> {
    list.items("patches")?.into_iter().map(|item| patch_entry(item, PatchForm::Any)).collect()
}

fn patch_entry(item: Written<'_>, form: PatchForm) -> Result<PatchEntry> {
    if !item.is_map() {
        return Err(item.error(Kinds::NotAnEntry));
    }
    item.only("a patch entry", &ENTRY)?;
    let text =
        match (item.field("path"), item.field("patch").filter(|patch| !patch.is_empty() || patch.is_collection())) {
            (_, Some(patch)) if patch.is_collection() => return Err(patch.error(Kinds::PatchNotText)),
            (Some(path), None) => PatchText::Path(reference(path)?),
            (None, Some(patch)) => PatchText::Inline(reference(patch)?),
            _ => return Err(item.error(Kinds::PathOrPatch)),
        };
    let target = item.field("target");
    if form == PatchForm::Json && target.is_none() {
        return Err(item.error(Kinds::NoTarget));
    }
    let changes = item.field("options").map(options).transpose()?.unwrap_or_default();
    let target_span = target.map(Written::entry_span);
    let target = target.map(Target::read).transpose()?;
    Ok(PatchEntry { text, form, target, target_span, changes, span: item.span() })
}

/// `allowNameChange` and `allowKindChange`
pub(in crate::build) fn options(part: Written<'_>) -> Result<Changes> {
    let mut changes = Changes::default();
    for (name, value) in part.fields() {
        let is_set = value.flag(name).map_err(|_| value.error(Kinds::Option))?;
        match name {
            "allowNameChange" => changes.name = is_set,
            "allowKindChange" => changes.kind = is_set,
            _ => return Err(part.error(Kinds::Option)),
        }
    }
    Ok(changes)
}
