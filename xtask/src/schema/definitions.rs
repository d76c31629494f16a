//! OpenAPI definitions of one release, reduced to what merging asks for, and to the types of all fields.

use std::collections::BTreeMap;

use anyhow::Context;
use serde_json::Value;

/// One definition, such as `core/v1.Container`.
#[derive(Clone, Debug)]
pub(crate) struct Definition {
    /// Group directory, version and name: `core/v1.Container`.
    pub(crate) name: String,
    pub(crate) body: Body,
    /// `x-kubernetes-map-type: atomic`
    pub(crate) atomic: bool,
    /// Whether an object may have other fields as well; only a declaration by hand says so.
    pub(crate) open: bool,
    /// The group, version and kind of each resource that has this type.
    pub(crate) kinds: Vec<Kind>,
}

/// What a definition describes.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// A scalar under a name (`Time`, `Quantity`).
    Scalar(Scalar),
    /// Anything at all (`RawExtension`, `JSON`).
    Free,
    /// An object with these fields.
    Struct(BTreeMap<String, Field>),
}

/// A resource's identity in the API.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Kind {
    pub(crate) group: String,
    pub(crate) kind: String,
    pub(crate) version: String,
}

/// The type of a scalar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Scalar {
    String,
    Integer,
    Number,
    Boolean,
    Bytes,
    Quantity,
    IntOrString,
}

impl Scalar {
    pub(crate) const ALL: [Self; 7] =
        [Self::String, Self::Integer, Self::Number, Self::Boolean, Self::Bytes, Self::Quantity, Self::IntOrString];

    /// The word for it in a text.
    pub(crate) const fn word(self) -> &'static str {
        match self {
            Self::String => "string",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Bytes => "bytes",
            Self::Quantity => "quantity",
            Self::IntOrString => "intOrString",
        }
    }
}

/// The type of a field's value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shape {
    Scalar(Scalar),
    Free,
    Named(String),
    List(Box<Shape>),
    Map(Box<Shape>),
}

/// One field with its `x-kubernetes-*` extensions.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Field {
    pub(crate) shape: Shape,
    /// `merge`, `replace`, `retainKeys` or `merge,retainKeys`.
    pub(crate) strategy: Option<String>,
    pub(crate) merge_key: Option<String>,
    pub(crate) list_type: Option<String>,
    /// Map keys with the default of each, where it has one.
    pub(crate) map_keys: Vec<(String, Option<String>)>,
    pub(crate) map_type: Option<String>,
}

/// Reads a `_definitions.json`.
pub(crate) fn read(text: &str) -> anyhow::Result<Vec<Definition>> {
    let root: Value = serde_json::from_str(text)?;
    let definitions = root.get("$defs").and_then(Value::as_object).context("no $defs")?;
    definitions.iter().map(|(name, body)| definition(name, body).with_context(|| format!("in {name}"))).collect()
}

fn definition(name: &str, body: &Value) -> anyhow::Result<Definition> {
    Ok(Definition {
        name: short_name(name)?,
        body: definition_body(body)?,
        atomic: text(body, "x-kubernetes-map-type") == Some("atomic"),
        open: false,
        kinds: kinds(body)?,
    })
}

/// `io.k8s.api.core.v1.Container` becomes `core/v1.Container`.
fn short_name(name: &str) -> anyhow::Result<String> {
    let mut parts = name.rsplit('.');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(kind), Some(version), Some(group)) => Ok(format!("{group}/{version}.{kind}")),
        _ => anyhow::bail!("unexpected definition name"),
    }
}

fn kinds(body: &Value) -> anyhow::Result<Vec<Kind>> {
    // Only types with object metadata are stored; lists, options and reviews of the API machinery are not merged.
    let metadata = body.pointer("/properties/metadata/$ref").and_then(Value::as_str).unwrap_or_default();
    let Some(kinds) = body.get("x-kubernetes-group-version-kind").and_then(Value::as_array) else {
        return Ok(Vec::new());
    };
    if !metadata.ends_with(".ObjectMeta") {
        return Ok(Vec::new());
    }
    let part = |kind: &Value, name| text(kind, name).map(str::to_owned).with_context(|| format!("a kind lacks {name}"));
    let kind =
        |kind| Ok(Kind { group: part(kind, "group")?, kind: part(kind, "kind")?, version: part(kind, "version")? });
    kinds.iter().map(kind).collect()
}

fn definition_body(body: &Value) -> anyhow::Result<Body> {
    if let Some(properties) = body.get("properties").and_then(Value::as_object) {
        return fields(properties).map(Body::Struct);
    }
    if let Some(choices) = body.get("oneOf").and_then(Value::as_array) {
        return match choices.iter().filter_map(type_of).collect::<Vec<_>>().as_slice() {
            ["string", "number"] => Ok(Body::Scalar(Scalar::Quantity)),
            ["string", "integer"] => Ok(Body::Scalar(Scalar::IntOrString)),
            other => anyhow::bail!("unknown choice of {other:?}"),
        };
    }
    Ok(match shape(body)? {
        Shape::Scalar(scalar) => Body::Scalar(scalar),
        Shape::Free => Body::Free,
        other => anyhow::bail!("{other:?} under a name"),
    })
}

fn fields(properties: &serde_json::Map<String, Value>) -> anyhow::Result<BTreeMap<String, Field>> {
    let field =
        |(name, body): (&String, &Value)| Ok((name.clone(), field(body).with_context(|| format!("in field {name}"))?));
    properties.iter().map(field).collect()
}

fn field(body: &Value) -> anyhow::Result<Field> {
    let owned = |name| text(body, name).map(str::to_owned);
    let keys = body.get("x-kubernetes-list-map-keys").and_then(Value::as_array);
    let keys = keys.into_iter().flatten().filter_map(Value::as_str);
    Ok(Field {
        shape: shape(body)?,
        strategy: owned("x-kubernetes-patch-strategy"),
        merge_key: owned("x-kubernetes-patch-merge-key"),
        list_type: owned("x-kubernetes-list-type"),
        map_keys: keys.map(|key| (key.to_owned(), None)).collect(),
        map_type: owned("x-kubernetes-map-type"),
    })
}

fn shape(body: &Value) -> anyhow::Result<Shape> {
    if let Some(reference) = text(body, "$ref") {
        let name = reference.strip_prefix("#/$defs/").context("a reference out of the file")?;
        return short_name(name).map(Shape::Named);
    }
    let inner = |name| shape(body.get(name).with_context(|| format!("no {name}"))?).map(Box::new);
    Ok(match type_of(body) {
        Some("array") => Shape::List(inner("items")?),
        Some("object") if body.get("additionalProperties").is_some() => Shape::Map(inner("additionalProperties")?),
        Some("object") | None => Shape::Free,
        Some("string") if text(body, "format") == Some("byte") => Shape::Scalar(Scalar::Bytes),
        Some("string") => Shape::Scalar(Scalar::String),
        Some("integer") => Shape::Scalar(Scalar::Integer),
        Some("number") => Shape::Scalar(Scalar::Number),
        Some("boolean") => Shape::Scalar(Scalar::Boolean),
        Some(other) => anyhow::bail!("unknown type {other}"),
    })
}

/// The type of a value, with the `null` that every optional field allows left out.
fn type_of(body: &Value) -> Option<&str> {
    match body.get("type")? {
        Value::String(name) => Some(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).find(|&name| name != "null"),
        _ => None,
    }
}

fn text<'a>(body: &'a Value, name: &str) -> Option<&'a str> {
    body.get(name).and_then(Value::as_str)
}
