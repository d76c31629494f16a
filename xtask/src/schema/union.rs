//! The union of all releases: every type and field that any of them has, as the newest one that has it describes it.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::ensure;

use super::definitions::{Body, Definition, Field, Kind};
use super::render;
use super::wheel::Release;

/// All releases together.
#[derive(Debug, Default)]
pub(crate) struct Union {
    pub(crate) types: BTreeMap<String, Definition>,
    pub(crate) kinds: BTreeMap<Kind, String>,
    pub(crate) changes: BTreeSet<Change>,
}

/// A field that an older release merges differently.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Change {
    /// The type: `core/v1.Container`.
    pub(crate) name: String,
    /// Its field; none where the type itself changed.
    pub(crate) field: Option<String>,
    /// The last minor version that has it so.
    pub(crate) until: u32,
    pub(crate) then: String,
    pub(crate) now: String,
}

impl Change {
    /// `core/v1.Container.ports`, or the type's name.
    pub(crate) fn place(&self) -> String {
        match &self.field {
            Some(field) => format!("{}.{field}", self.name),
            None => self.name.clone(),
        }
    }
}

/// Unites releases that are given newest first.
pub(crate) fn of(releases: Vec<Release>) -> anyhow::Result<Union> {
    let mut union = Union::default();
    for release in releases {
        for definition in release.definitions {
            for kind in &definition.kinds {
                let name = union.kinds.entry(kind.clone()).or_insert_with(|| definition.name.clone());
                ensure!(*name == definition.name, "{kind:?} is both {name} and {}", definition.name);
            }
            add(&mut union, release.minor, definition)?;
        }
    }
    Ok(union)
}

fn add(union: &mut Union, minor: u32, older: Definition) -> anyhow::Result<()> {
    let name = older.name.clone();
    let Some(newer) = union.types.get_mut(&name) else {
        union.types.insert(name, older);
        return Ok(());
    };
    if newer.atomic != older.atomic {
        let word = |atomic| if atomic { "atomic" } else { "granular" }.to_owned();
        let (then, now) = (word(older.atomic), word(newer.atomic));
        record(&mut union.changes, Change { name: name.clone(), field: None, until: minor, then, now });
    }
    match (&mut newer.body, older.body) {
        (Body::Struct(newer), Body::Struct(older)) => add_fields(newer, older, &name, minor, &mut union.changes),
        (Body::Scalar(newer), Body::Scalar(older)) if *newer == older => {}
        (Body::Free, Body::Free) => {}
        _ => anyhow::bail!("{name} is a different kind of type in v1.{minor}"),
    }
    Ok(())
}

fn add_fields(
    newer: &mut BTreeMap<String, Field>,
    older: BTreeMap<String, Field>,
    name: &str,
    minor: u32,
    changes: &mut BTreeSet<Change>,
) {
    for (field, then) in older {
        let now = newer.entry(field.clone()).or_insert_with(|| then.clone());
        let (then, now) = (render::effect(&then), render::effect(now));
        if then != now {
            record(changes, Change { name: name.to_owned(), field: Some(field), until: minor, then, now });
        }
    }
}

/// Keeps the newest release of each change.
fn record(changes: &mut BTreeSet<Change>, change: Change) {
    let same = |known: &Change| (&known.name, &known.field, &known.then) == (&change.name, &change.field, &change.then);
    if !changes.iter().any(same) {
        changes.insert(change);
    }
}
