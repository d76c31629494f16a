//! Custom resource definitions: their schemas, compiled to the table that the built-in kinds have.
//!
//! Every version with a schema becomes a kind; of two definitions of one kind the first one added counts. Read are
//! `x-kubernetes-list-type`, `-list-map-keys`, `-map-type`, `-patch-strategy`, `-patch-merge-key` and the defaults of
//! list keys, and the types of all fields. `metadata`, also that of an embedded resource, is object metadata. A list about
//! which its definition says nothing is inferred, except in a pod: see [`compile`]. An object without properties may hold
//! anything. Ignored: other validation, conversion, whether a version is served.

mod compile;
mod hint;

use kyaml_ast::{Document, Kind, Node};

use super::element::scalar_text;
use super::table::{Gvk, Table, TypeId};
use super::{Builtin, Schema, SchemaError};
use crate::resource::{descend, field, fields, items, split_api_version};
use compile::{Compiler, KINDS};

/// What is wrong with a custom resource definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum CrdErrorKind {
    /// No text at `spec.group`.
    #[error("the definition has no spec.group")]
    NoGroup,
    /// No text at `spec.names.kind`.
    #[error("the definition has no spec.names.kind")]
    NoKind,
    /// Neither `spec.versions` nor `spec.version`, or a version without a name.
    #[error("the definition has a version without a name, or none")]
    NoVersion,
    /// An OpenAPI document without definitions.
    #[error("the schema has no definitions")]
    NoDefinitions,
    /// Something else where a schema has to be.
    #[error("expected a schema, which is a mapping")]
    NotASchema,
    /// A list type that does not exist.
    #[error("expected atomic, set or map")]
    ListType,
    /// A list of type map without keys, or with something else than names for keys.
    #[error("a list of type map needs x-kubernetes-list-map-keys, which are names")]
    MapKeys,
    /// A map type that does not exist.
    #[error("expected atomic or granular")]
    MapType,
    /// A patch strategy that does not exist.
    #[error("expected merge, replace, retainKeys or merge,retainKeys")]
    PatchStrategy,
}

impl Schema {
    /// Adds the custom resource definitions of a document: itself, or the items of a list of them. Returns how many
    /// there are; any other document has none.
    ///
    /// # Errors
    /// The first thing in a definition that cannot be understood; the definitions before it have been added.
    pub fn add_crds(&mut self, document: Document<'_>) -> Result<usize, SchemaError> {
        let Some(root) = document.root() else { return Ok(0) };
        let listed = match text_of(root, "kind").as_deref() {
            Some("List" | "CustomResourceDefinitionList" | "ResourceList") => field(root, "items"),
            _ => None,
        };
        let definitions = listed.map_or_else(|| vec![root], |list| items(list).collect());
        let mut count = 0;
        for definition in definitions.into_iter().filter(|&definition| is_definition(definition)) {
            let [group, kind] = add(&mut self.crds, self.builtin, definition)?;
            self.scopes.of_definition(&group, &kind, definition);
            count += 1;
        }
        self.crds.sort_kinds();
        Ok(count)
    }

    /// Adds the kinds of an OpenAPI document with `definitions`, as `kubectl get --raw /openapi/v2` and `openapi: {path}` of a
    /// kustomization have it. Returns how many there are.
    ///
    /// # Errors
    /// The first thing in a definition that cannot be understood; then none of them counts.
    pub fn add_openapi(&mut self, document: Document<'_>) -> Result<usize, SchemaError> {
        let Some(root) = document.root() else { return Ok(0) };
        let Some(definitions) = field(root, "definitions") else {
            return Err(SchemaError::at(CrdErrorKind::NoDefinitions, root));
        };
        let definitions: Vec<_> =
            fields(definitions).map(|(name, schema)| (name.value().into_owned(), schema)).collect();
        let mut compiler = Compiler::new(&mut self.crds, self.builtin);
        let types = compiler.definitions(&definitions)?;
        compiler.finish();
        let mut count = 0;
        for ((_, definition), root) in definitions.iter().zip(types) {
            for kind in field(*definition, KINDS).into_iter().flat_map(items) {
                let [group, version, kind] =
                    ["group", "version", "kind"].map(|name| text_of(kind, name).unwrap_or_default());
                self.crds.push_kind(Gvk { group: &group, version: &version, kind: &kind }, root, false);
                count += 1;
            }
        }
        self.crds.sort_kinds();
        if let Some(paths) = field(root, "paths") {
            self.scopes.of_paths(paths);
        }
        Ok(count)
    }

    /// This schema without the built-in kinds.
    #[must_use]
    pub fn only_given(self) -> Self {
        Self { builtin: Builtin::Unused, ..self }
    }
}

/// Whether a resource is a custom resource definition.
fn is_definition(root: Node<'_>) -> bool {
    let group_is = |wanted| text_of(root, "apiVersion").is_some_and(|text| split_api_version(&text).0 == wanted);
    text_of(root, "kind").as_deref() == Some("CustomResourceDefinition") && group_is("apiextensions.k8s.io")
}

/// A version of a definition.
struct Version<'t> {
    name: std::borrow::Cow<'t, str>,
    schema: Option<Node<'t>>,
}

/// Adds the kinds of a definition; their group and name.
fn add(table: &mut Table, builtin: Builtin, definition: Node<'_>) -> Result<[String; 2], SchemaError> {
    let text = |names: &[&str], kind| {
        descend(definition, names).and_then(scalar_text).ok_or_else(|| SchemaError::at(kind, definition))
    };
    let group = text(&["spec", "group"], CrdErrorKind::NoGroup)?;
    let kind = text(&["spec", "names", "kind"], CrdErrorKind::NoKind)?;
    let versions = versions(definition)?;
    let mut compiler = Compiler::new(table, builtin);
    let mut roots: Vec<TypeId> = Vec::with_capacity(versions.len());
    for Version { name, schema } in &versions {
        roots.push(compiler.resource(&format!("{group}/{name}.{kind}"), *schema)?);
    }
    compiler.finish();
    let approximate = keeps_unknown_fields(definition);
    for (version, root) in versions.iter().zip(roots) {
        table.push_kind(Gvk { group: &group, version: &version.name, kind: &kind }, root, approximate);
    }
    Ok([group.into_owned(), kind.into_owned()])
}

/// Whether a server keeps fields that the schema does not list: up to `v1beta1` it does, unless it says otherwise.
fn keeps_unknown_fields(definition: Node<'_>) -> bool {
    let is_old = text_of(definition, "apiVersion").is_some_and(|text| split_api_version(&text).1.contains("beta"));
    let says_no = descend(definition, &["spec", "preserveUnknownFields"]).and_then(scalar_text);
    is_old && says_no.as_deref() != Some("false")
}

/// The versions of a definition; in `v1beta1` they may share one schema.
fn versions(definition: Node<'_>) -> Result<Vec<Version<'_>>, SchemaError> {
    let missing = |node| SchemaError::at(CrdErrorKind::NoVersion, node);
    let shared = descend(definition, &["spec", "validation", "openAPIV3Schema"]);
    let listed: Vec<_> = descend(definition, &["spec", "versions"]).into_iter().flat_map(items).collect();
    if listed.is_empty() {
        let name = descend(definition, &["spec", "version"]).and_then(scalar_text);
        return Ok(vec![Version { name: name.ok_or_else(|| missing(definition))?, schema: shared }]);
    }
    let version = |entry| {
        let name = field(entry, "name").and_then(scalar_text).ok_or_else(|| missing(entry))?;
        Ok(Version { name, schema: descend(entry, &["schema", "openAPIV3Schema"]).or(shared) })
    };
    listed.into_iter().map(version).collect()
}

fn text_of<'t>(node: Node<'t>, name: &str) -> Option<std::borrow::Cow<'t, str>> {
    field(node, name).and_then(scalar_text)
}

/// Whether a node is a plain `true`.
fn is_true(node: Option<Node<'_>>) -> bool {
    node.is_some_and(|node| node.kind() == Kind::Plain && node.value() == "true")
}
