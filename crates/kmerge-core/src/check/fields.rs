//! Reports unknown fields and values of the wrong type.
//!
//! Only certain cases are reported: for resources whose kind and version the schema knows, and for files that sops has
//! not encrypted. Directives of patches (`$patch`), the YAML merge key, aliases, and values that are filled in later
//! (`${…}`, `$(…)`, `{{…}}`) are skipped.

use kyaml_ast::{Entry, Kind, Node};

use super::{Checker, Fault, Fields, Finding, Visit, field_entry};
use crate::schema::{Cursor, Lookup, ValueType};

impl<'t> Checker<'t> {
    /// Whether the fields of a resource are checked.
    pub(super) fn judges(&self, root: Node<'t>, cursor: Cursor<'t>) -> bool {
        self.wanted == Fields::Checked && cursor.knows_its_fields() && field_entry(root, "sops").is_none()
    }

    /// Checks a field of a mapping, and the type of its value.
    pub(super) fn field(&mut self, visit: &Visit<'t>, entry: Entry<'t>, step: usize) {
        let Some(key) = entry.key().filter(|key| visit.is_judged && key.kind().is_scalar()) else { return };
        let name = key.value();
        match visit.cursor.look_up_field(&name) {
            Lookup::Known(cursor) | Lookup::Key(cursor) => self.value(entry, cursor, step, &name),
            // If the parent should not be an object at all, this was reported for the parent.
            Lookup::Unknown { inside, .. } if inside.value_type() == Some(ValueType::Object) && !has_meaning(key) => {
                let found = self.found(Fault::UnknownField, Some(step), key.span(), name.to_string());
                let similar = inside.similar_fields(&name);
                self.findings.push(Finding { similar, ..found });
            }
            Lookup::Unknown { .. } | Lookup::Unspecified | Lookup::Free => {}
        }
    }

    /// Checks the type of a list element.
    pub(super) fn element(&mut self, visit: &Visit<'t>, entry: Entry<'t>, step: usize) {
        if visit.is_judged {
            let list = visit.step.and_then(|list| self.steps[list].entry.key());
            let name = list.map(|key| key.value().into_owned()).unwrap_or_default();
            self.value(entry, visit.cursor.item(), step, &name);
        }
    }

    fn value(&mut self, entry: Entry<'t>, cursor: Cursor<'t>, step: usize, name: &str) {
        let value = entry.value();
        let Some(expected) = cursor.value_type().filter(|expected| !expected.fits(value)) else { return };
        if !is_filled_in_later(value) {
            let found = self.found(Fault::WrongType, Some(step), value.span(), name.to_owned());
            self.findings.push(Finding { expected: Some(expected), ..found });
        }
    }
}

/// Whether a key is not a field: a directive of a patch, or the YAML merge key.
fn has_meaning(key: Node<'_>) -> bool {
    key.is_merge_key() || key.value().starts_with('$')
}

/// Whether a value stands for another one that is filled in later. YAML reads `{{ name }}` as a mapping.
fn is_filled_in_later(value: Node<'_>) -> bool {
    let has = |mark: &str| value.value().contains(mark);
    match value.kind() {
        Kind::Mapping => value.span().of(value.stream().source()).starts_with("{{"),
        Kind::Sequence => false,
        _ => has("${") || has("$(") || has("{{"),
    }
}
