//! The last-applied annotation: kubectl stores a configuration in the object that it was applied to.
//!
//! The text is JSON as Go writes it, with a newline at the end; see [`Value::to_json`].

use kyaml_ast::{Node, Span};

use super::error::PatchError;
use super::strategic::without_nulls;
use crate::resource::field_entry;
use crate::value::{Data, Map, Value, indented_json, map_to_json};

/// The annotation's name.
pub(crate) const ANNOTATION: &str = "kubectl.kubernetes.io/last-applied-configuration";

/// The last-applied annotation: kubectl stores a configuration in the object that it was applied to.
impl Value {
    /// The text of the annotation. `None` if it is missing or empty.
    #[must_use]
    pub fn last_applied_text(&self) -> Option<&str> {
        let annotation = self.at(&["metadata", "annotations", ANNOTATION])?;
        annotation.as_text().filter(|text| !text.is_empty())
    }

    /// The annotation as JSON with one field or item per line. The keys keep their order.
    ///
    /// ```
    /// use kmerge_core::value::Value;
    ///
    /// let mut object = Value::from_json(r#"{"metadata":{}}"#)?;
    /// object.set_last_applied(&Value::from_json(r#"{"a":[1,{}]}"#)?);
    /// let text = "{\n  \"a\": [\n    1,\n    {}\n  ]\n}\n";
    /// assert_eq!(object.last_applied_json().as_deref(), Some(text));
    /// # Ok::<(), kmerge_core::value::JsonError>(())
    /// ```
    #[must_use]
    pub fn last_applied_json(&self) -> Option<String> {
        self.last_applied_text().map(|text| indented_json(text) + "\n")
    }

    /// The configuration that was applied last. `None` if the object does not have it.
    ///
    /// # Errors
    ///
    /// If the annotation is not a JSON object.
    pub fn last_applied(&self) -> Result<Option<Map>, PatchError> {
        self.as_map().map_or(Ok(None), read)
    }

    /// Sets the annotation. The object's other annotations stay.
    pub fn set_last_applied(&mut self, config: &Self) {
        if let Some(object) = self.as_map_mut() {
            set(object, config.to_json() + "\n");
        }
    }

    /// Removes the annotation. Also removes `annotations` if it was the only one.
    pub fn strip_last_applied(&mut self) {
        if let Some(object) = self.as_map_mut() {
            strip(object);
        }
    }

    /// The configuration as kubectl applies it: with an annotation that contains the rest of it.
    #[must_use]
    pub fn annotated(&self) -> Self {
        match self.as_map() {
            Some(config) => Self { data: Data::Map(annotated(config)), ..self.clone() },
            None => self.clone(),
        }
    }

    /// The object that kubectl creates from a configuration: annotated, without nulls.
    #[must_use]
    pub fn created(&self) -> Self {
        let mut object = self.annotated();
        without_nulls(&mut object);
        object
    }

    /// Gives a configuration the namespace of its object if it states none, as kubectl does.
    pub fn default_namespace(&mut self, namespace: &str) {
        if namespace.is_empty() {
            return;
        }
        let metadata = self.as_map_mut().and_then(|config| config.get_mut("metadata")).and_then(Self::as_map_mut);
        if let Some(metadata) = metadata {
            metadata.entry("namespace".to_owned()).or_insert_with(|| Self::text(namespace));
        }
    }
}

/// The annotation's text. `None` if it is missing or empty.
fn text(object: &Map) -> Option<&str> {
    let annotations = object.get("metadata")?.get("annotations")?;
    annotations.get(ANNOTATION)?.as_text().filter(|text| !text.is_empty())
}

/// The place of the annotation in an object's text.
pub(super) fn span(object: Node<'_>) -> Option<Span> {
    let annotations = field_entry(field_entry(object, "metadata")?.value(), "annotations")?;
    Some(field_entry(annotations.value(), ANNOTATION)?.value().full_span())
}

/// The configuration that was applied last. `None` if the object does not have it.
///
/// # Errors
///
/// If the annotation is not a JSON object.
pub(super) fn read(object: &Map) -> Result<Option<Map>, PatchError> {
    match text(object).map(Value::from_json).transpose()? {
        None => Ok(None),
        Some(Value { data: Data::Map(map), .. }) => Ok(Some(map)),
        Some(_) => Err(PatchError::NotAnObject),
    }
}

/// The configuration as kubectl applies it: with an annotation that contains the rest of it.
pub(super) fn annotated(config: &Map) -> Map {
    let config = unannotated(config);
    let text = map_to_json(&config) + "\n";
    annotated_with(config, text)
}

/// The configuration with this annotation.
pub(super) fn annotated_with(mut config: Map, text: String) -> Map {
    annotations_of(&mut config).insert(ANNOTATION.to_owned(), Value::text(text));
    config
}

/// The configuration as the annotation contains it.
pub(super) fn unannotated(config: &Map) -> Map {
    let mut config = config.clone();
    annotations_of(&mut config).remove(ANNOTATION);
    config
}

/// The annotations of an object. Created if they are missing or are not a mapping.
fn annotations_of(object: &mut Map) -> &mut Map {
    map_at(map_at(object, "metadata"), "annotations")
}

fn map_at<'m>(map: &'m mut Map, field: &str) -> &'m mut Map {
    let value = map.entry(field.to_owned()).or_insert_with(|| Value::map(Map::new()));
    if value.as_map().is_none() {
        *value = Value::map(Map::new());
    }
    value.as_map_mut().expect("it was made a mapping just now")
}

/// Sets the annotation's text. The object's other annotations stay.
fn set(object: &mut Map, text: String) {
    let own = annotations_of(object).entry(ANNOTATION.to_owned()).or_insert_with(Value::null);
    if own.as_text() != Some(&text) {
        *own = Value::text(text);
    }
}

/// Removes the annotation. Also removes `annotations` if it was the only one.
fn strip(object: &mut Map) {
    let Some(metadata) = object.get_mut("metadata").and_then(Value::as_map_mut) else { return };
    let Some(annotations) = metadata.get_mut("annotations").and_then(Value::as_map_mut) else { return };
    if annotations.remove(ANNOTATION).is_some() && annotations.is_empty() {
        metadata.remove("annotations");
    }
}
