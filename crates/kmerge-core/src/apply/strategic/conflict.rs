//! Finds the places where a patch contradicts changes that others made in the meantime. Both are given as patches.
//!
//! The rules are kubectl's: equal values do not conflict. Lists of scalars that merge never conflict. Lists that are
//! replaced conflict unless they have the same scalars, or mappings without conflict in the same order.

use std::collections::{BTreeMap, BTreeSet};

use kyaml_ast::{Path, Segment};

use super::directive::{Directive, PATCH};
use super::error::{Result, StrategicErrorKind};
use super::items::{in_print, item_shape, printed};
use super::meta::{FieldMeta, Meta, Strategy};
use crate::value::{Data, Map, Shape, Value};

/// The places where two patches contradict each other.
///
/// # Errors
///
/// If the kind of the object lacks a field that both patches change.
pub(super) fn conflicts(patch: &Map, changes: &Map, meta: Meta<'_>) -> Result<Vec<Path>> {
    let mut finder = Finder { path: Path::root(), found: Vec::new() };
    finder.maps(patch, changes, meta)?;
    Ok(finder.found)
}

struct Finder {
    path: Path,
    found: Vec<Path>,
}

impl Finder {
    fn conflict_unless(&mut self, agreed: bool) {
        if !agreed {
            self.found.push(self.path.clone());
        }
    }

    fn maps(&mut self, ours: &Map, theirs: &Map, meta: Meta<'_>) -> Result<()> {
        if ours.get(PATCH) != theirs.get(PATCH) {
            self.conflict_unless(false);
            return Ok(());
        }
        for (key, our_value) in ours {
            let Some(their_value) = theirs.get(key) else { continue };
            if matches!(Directive::of(key), Directive::Patch | Directive::RetainKeys) {
                continue;
            }
            self.path.push(Segment::Field(key.clone()));
            self.fields(key, our_value, their_value, meta).map_err(|error| error.under(key))?;
            self.path.pop();
        }
        Ok(())
    }

    fn fields(&mut self, key: &str, ours: &Value, theirs: &Value, meta: Meta<'_>) -> Result<()> {
        match (&ours.data, &theirs.data) {
            (Data::Map(our_map), _) => {
                let field = meta.mapping(key)?;
                match &theirs.data {
                    Data::Map(their_map) if field.strategy == Strategy::Replace => {
                        self.conflict_unless(our_map.get(PATCH) == their_map.get(PATCH));
                    }
                    Data::Map(their_map) => return self.maps(our_map, their_map, field.below),
                    _ => self.conflict_unless(false),
                }
            }
            (Data::List(our_items), _) => {
                let field = meta.list(key)?;
                match &theirs.data {
                    Data::List(their_items) if field.strategy == Strategy::Merge => {
                        return self.merging_lists(our_items, their_items, field);
                    }
                    Data::List(their_items) => return self.replaced_lists(our_items, their_items, field.below),
                    _ => self.conflict_unless(false),
                }
            }
            (ours, theirs) => self.conflict_unless(ours == theirs),
        }
        Ok(())
    }

    fn merging_lists(&mut self, ours: &[Value], theirs: &[Value], field: FieldMeta<'_>) -> Result<()> {
        if item_shape(ours.iter().chain(theirs))? != Some(Shape::Map) {
            return Ok(());
        }
        let identity = field.identity.ok_or(StrategicErrorKind::NoDeclaredKey)?;
        let mut by_key = BTreeMap::new();
        for item in theirs {
            by_key.insert(in_print(&identity.of(item)?), item);
        }
        for item in ours {
            let theirs = by_key.get(&in_print(&identity.of(item)?)).and_then(|item| item.as_map());
            let (Some(ours), Some(theirs)) = (item.as_map(), theirs) else { continue };
            self.path.push(identity.segment(ours));
            self.maps(ours, theirs, field.below)?;
            self.path.pop();
        }
        Ok(())
    }

    fn replaced_lists(&mut self, ours: &[Value], theirs: &[Value], meta: Meta<'_>) -> Result<()> {
        if ours.len() != theirs.len() {
            self.conflict_unless(false);
            return Ok(());
        }
        if item_shape(ours.iter().chain(theirs))? != Some(Shape::Map) {
            let printed_set = |items: &[Value]| items.iter().map(|item| printed(item).into_owned()).collect();
            let (ours, theirs): (BTreeSet<String>, BTreeSet<String>) = (printed_set(ours), printed_set(theirs));
            self.conflict_unless(ours == theirs);
            return Ok(());
        }
        for (ours, theirs) in ours.iter().zip(theirs) {
            if let (Some(ours), Some(theirs)) = (ours.as_map(), theirs.as_map()) {
                self.maps(ours, theirs, meta)?;
            }
        }
        Ok(())
    }
}
