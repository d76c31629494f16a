//! `labels`, `commonLabels` and `commonAnnotations`: entries that are set in several mappings of a resource.

use std::collections::BTreeMap;

use super::{TransformError, Transformer, Written};
use crate::build::fields::{FieldSpec, KindPattern, Missing, table, visit};
use crate::build::kustomization::{KustomizationError, KustomizationErrorKind};
use crate::resource::Resource;
use crate::value::{Data, Value};

/// Entries, and the mappings that they are added to.
#[derive(Clone, Debug)]
pub(in crate::build) struct Pairs {
    entries: BTreeMap<String, String>,
    fields: Vec<FieldSpec>,
}

type Result<T> = std::result::Result<T, KustomizationError>;

/// The fields of an item of `labels`.
const ITEM: [&str; 5] = ["pairs", "includeSelectors", "includeTemplates", "includeVolumeClaimTemplates", "fields"];
/// The fields of [`VOLUME_CLAIMS`] count as fields of templates, unless an item says otherwise.
const VOLUME_CLAIMS: &str = "volume claims";
/// The fields of an item of `fields`.
const FIELD: [&str; 5] = ["path", "create", "group", "version", "kind"];

pub(super) fn read_labels(part: Written<'_>, field: &'static str) -> Result<Vec<Transformer>> {
    part.items(field)?.into_iter().map(|item| item_of_labels(item).map(Transformer::Pairs)).collect()
}

pub(super) fn read_common(part: Written<'_>, field: &'static str) -> Result<Vec<Transformer>> {
    let fields = ["selectors", "templates", VOLUME_CLAIMS]
        .iter()
        .flat_map(|section| table().section(section))
        .cloned()
        .collect();
    Ok(vec![Transformer::Pairs(Pairs { entries: entries(part, field)?, fields })])
}

pub(super) fn read_annotations(part: Written<'_>, field: &'static str) -> Result<Vec<Transformer>> {
    let fields = table().section("annotations").to_vec();
    Ok(vec![Transformer::Pairs(Pairs { entries: entries(part, field)?, fields })])
}

fn item_of_labels(item: Written<'_>) -> Result<Pairs> {
    item.only("an item of labels", &ITEM)?;
    let entries = item.field("pairs").map_or_else(|| Ok(BTreeMap::new()), |pairs| entries(pairs, "pairs"))?;
    let flag = |name| item.field(name).map_or(Ok(false), |flag| flag.flag(name));
    let mut fields = Vec::new();
    for field in item.items_of("fields")? {
        add(&mut fields, field_spec(field)?, item)?;
    }
    let (has_selectors, has_templates) = (flag("includeSelectors")?, flag("includeTemplates")?);
    let has_templates = has_selectors || has_templates;
    let claims = item.field("includeVolumeClaimTemplates").map(|flag| flag.flag("includeVolumeClaimTemplates"));
    let has_claims = claims.transpose()?.unwrap_or(has_templates);
    let sections = [("selectors", has_selectors), ("templates", has_templates), (VOLUME_CLAIMS, has_claims)];
    for (section, _) in sections.iter().filter(|(_, is_included)| *is_included) {
        for field in table().section(section) {
            add(&mut fields, field.clone(), item)?;
        }
    }
    if !has_selectors {
        add(&mut fields, FieldSpec::new(KindPattern::default(), "metadata/labels", true), item)?;
    }
    Ok(Pairs { entries, fields })
}

/// Adds a field, unless it exists already.
fn add(fields: &mut Vec<FieldSpec>, field: FieldSpec, item: Written<'_>) -> Result<()> {
    match fields.iter().find(|own| own.is_repeated_by(&field)) {
        None => fields.push(field),
        Some(own) if own.is_created == field.is_created => {}
        Some(own) => return Err(item.error(KustomizationErrorKind::FieldsClash(own.shown()))),
    }
    Ok(())
}

fn field_spec(part: Written<'_>) -> Result<FieldSpec> {
    part.only("an item of fields", &FIELD)?;
    let text = |name| part.field(name).map_or_else(|| Ok(String::new()), |part| part.text(name));
    let kind = KindPattern { group: text("group")?, version: text("version")?, kind: text("kind")? };
    let is_created = part.field("create").map_or(Ok(false), |create| create.flag("create"))?;
    Ok(FieldSpec::new(kind, &text("path")?, is_created))
}

/// A mapping of texts. Null is an empty mapping.
fn entries(part: Written<'_>, field: &str) -> Result<BTreeMap<String, String>> {
    if !part.is_map() {
        return Err(part.expected(field, "a mapping"));
    }
    let entry = |(name, part): (&str, Written<'_>)| {
        let text = if part.is_null() { String::new() } else { part.text(name)? };
        Ok((name.to_owned(), text))
    };
    part.fields().into_iter().map(entry).collect()
}

impl Pairs {
    /// Sets the entries in a resource.
    pub(in crate::build) fn apply(
        &self,
        value: &mut Value,
        resource: &Resource,
    ) -> std::result::Result<(), TransformError> {
        if self.entries.is_empty() {
            return Ok(());
        }
        for field in self.fields.iter().filter(|field| field.kind.fits(resource)) {
            let missing = if field.is_created { Missing::Mapping } else { Missing::Stays };
            visit(value, &field.path, missing, &mut |target| {
                let Some(map) = target.as_map_mut() else { return Err(TransformError::NotAMapping(field.shown())) };
                for (name, text) in &self.entries {
                    set(map.entry(name.clone()).or_insert_with(Value::null), text);
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

fn set(value: &mut Value, text: &str) {
    if value.as_text() != Some(text) {
        value.data = Data::Text(text.to_owned());
    }
}
