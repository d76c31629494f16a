//! One definition's schemas to types: a worklist instead of recursion, each entry a position that is still empty.
//!
//! Below what is recognised as a pod ([`pod`]), a position about which the definition says nothing takes over what the
//! built-in type says: the rule of a list, the type of an object without properties. What the definition says stands.

use std::collections::HashMap;

use kyaml_ast::{Kind, Node as YamlNode};

use super::hint::Hint;
use super::{CrdErrorKind, SchemaError, is_true, text_of};
use crate::resource::{field, fields, items};
use crate::schema::element::scalar_text;
use crate::schema::table::{
    FieldRow, KeyRow, ListRow, MapKind, Node, NodeId, Owner, Shape, Table, Text, TypeId, TypeRow,
};
use crate::schema::{Builtin, PatchStrategy, ValueType, builtin, pod};

type Result<T> = std::result::Result<T, SchemaError>;

/// Compiles the schemas of one definition; nothing of it counts before [`Compiler::finish`].
pub(super) struct Compiler<'c, 't> {
    table: &'c mut Table,
    builtin: Builtin,
    /// The new types, named or not, with their fields.
    types: Vec<(TypeRow, Vec<FieldRow>)>,
    nodes: Vec<Node>,
    keys: Vec<KeyRow>,
    /// What `$ref` may name, with the types of objects.
    named: HashMap<String, (YamlNode<'t>, TypeId)>,
}

/// The field of a definition that says of which kinds it is.
pub(super) const KINDS: &str = "x-kubernetes-group-version-kind";

/// A position to fill in: one of the new nodes.
struct Job<'t> {
    schema: YamlNode<'t>,
    hint: Option<Hint>,
    node: usize,
}

impl<'c, 't> Compiler<'c, 't> {
    pub(super) fn new(table: &'c mut Table, builtin: Builtin) -> Self {
        Self { table, builtin, types: Vec::new(), nodes: Vec::new(), keys: Vec::new(), named: HashMap::new() }
    }

    /// Compiles schemas that refer to each other by their names, and returns the types of their objects.
    pub(super) fn definitions(&mut self, definitions: &[(String, YamlNode<'t>)]) -> Result<Vec<TypeId>> {
        let mut types = Vec::with_capacity(definitions.len());
        for (name, schema) in definitions {
            if schema.kind() != Kind::Mapping {
                return Err(SchemaError::at(CrdErrorKind::NotASchema, *schema));
            }
            let text = self.table.intern(name);
            let (_, id) = self.push_type(text, is_open(*schema) || field(*schema, "properties").is_none());
            self.named.insert(name.clone(), (*schema, id));
            types.push(id);
        }
        let mut jobs = Vec::new();
        for (owner, (_, schema)) in definitions.iter().enumerate() {
            self.properties(*schema, None, owner, &mut jobs)?;
            if field(*schema, KINDS).is_some() {
                self.add_resource_fields(owner);
            }
            self.work_off(&mut jobs)?;
        }
        Ok(types)
    }

    /// Compiles the schema of one version, and returns the type of its root.
    pub(super) fn resource(&mut self, name: &str, schema: Option<YamlNode<'t>>) -> Result<TypeId> {
        let name = self.table.intern(name);
        let is_open = schema.is_none_or(|schema| is_open(schema) || field(schema, "properties").is_none());
        let (owner, id) = self.push_type(name, is_open);
        let mut jobs = Vec::new();
        if let Some(schema) = schema {
            self.properties(schema, None, owner, &mut jobs)?;
        }
        self.add_resource_fields(owner);
        self.work_off(&mut jobs)?;
        Ok(id)
    }

    fn work_off(&mut self, jobs: &mut Vec<Job<'t>>) -> Result<()> {
        while let Some(job) = jobs.pop() {
            self.nodes[job.node] = self.node(&job, jobs)?;
        }
        Ok(())
    }

    /// What a reference means: an object of a type, a scalar, or anything.
    fn referred(&self, reference: &str) -> Shape {
        let name = reference.rsplit('/').next().unwrap_or_default();
        match self.named.get(name) {
            Some((schema, id)) if field(*schema, "properties").is_some() => Shape::Object(*id),
            Some((schema, _)) => scalar_type(*schema).map_or(Shape::Free, Shape::Scalar),
            None => Shape::Free,
        }
    }

    /// Moves what was compiled into the table.
    pub(super) fn finish(mut self) {
        self.table.nodes.to_mut().append(&mut self.nodes);
        self.table.keys.to_mut().append(&mut self.keys);
        for (row, fields) in self.types {
            self.table.push_type(row, fields);
        }
    }

    fn push_type(&mut self, name: Text, open: bool) -> (usize, TypeId) {
        let index = (self.table.types.len() + self.types.len()) as u32;
        self.types.push((TypeRow { name, atomic: false, open, start: 0, len: 0 }, Vec::new()));
        (self.types.len() - 1, TypeId { owner: Owner::Crds, index })
    }

    /// Gives a resource what every resource has, whether its definition says so or not.
    fn add_resource_fields(&mut self, owner: usize) {
        for (name, shape) in [("apiVersion", ValueType::String), ("kind", ValueType::String)] {
            let node = self.push(Node::plain(Shape::Scalar(shape)));
            self.add_field(owner, name, node);
        }
        let metadata = match self.builtin_type(|| pod::type_named("meta/v1.ObjectMeta")) {
            Some(id) => {
                let is_other = |row: &FieldRow| self.table.text(row.name) != "metadata";
                self.types[owner].1.retain(is_other);
                NodeId::Type(id)
            }
            None => self.push(Node::plain(Shape::Free)),
        };
        self.add_field(owner, "metadata", metadata);
    }

    /// Adds a field behind those that are there; of several with one name, the first one counts.
    fn add_field(&mut self, owner: usize, name: &str, node: NodeId) {
        let name = self.table.intern(name);
        self.types[owner].1.push(FieldRow { name, node });
    }

    fn builtin_type(&self, find: impl FnOnce() -> Option<TypeId>) -> Option<TypeId> {
        if self.builtin == Builtin::Used { find() } else { None }
    }

    fn push(&mut self, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId::Row(Owner::Crds, (self.table.nodes.len() + self.nodes.len() - 1) as u32)
    }

    fn push_keys(&mut self, rows: impl IntoIterator<Item = KeyRow>) -> ListRow {
        let start = self.keys.len();
        self.keys.extend(rows);
        let len = (self.keys.len() - start) as u32;
        ListRow::Keyed { start: (self.table.keys.len() + start) as u32, len }
    }

    /// A new position, to be filled in.
    fn reserve(&mut self, schema: YamlNode<'t>, hint: Option<Hint>, jobs: &mut Vec<Job<'t>>) -> NodeId {
        jobs.push(Job { schema, hint, node: self.nodes.len() });
        self.push(Node::plain(Shape::Free))
    }

    /// The fields of an object.
    fn properties(
        &mut self,
        schema: YamlNode<'t>,
        hint: Option<Hint>,
        owner: usize,
        jobs: &mut Vec<Job<'t>>,
    ) -> Result<()> {
        for (key, value) in field(schema, "properties").into_iter().flat_map(fields) {
            let name = key.value();
            if value.kind() != Kind::Mapping {
                return Err(SchemaError::at(CrdErrorKind::NotASchema, value));
            }
            let node = self.reserve(value, hint.and_then(|hint| hint.field(&name)), jobs);
            self.add_field(owner, &name, node);
        }
        Ok(())
    }

    /// The position that a schema describes.
    fn node(&mut self, job: &Job<'t>, jobs: &mut Vec<Job<'t>>) -> Result<Node> {
        let schema = job.schema;
        let shape = match text_of(schema, "$ref") {
            Some(name) => self.referred(&name),
            None => self.shape(job, jobs)?,
        };
        let (patch, merge_key) = self.patch(schema)?;
        Ok(Node { shape, patch, merge_key, map_kind: map_kind(schema)? })
    }

    /// What the value is that a schema describes in place.
    fn shape(&mut self, job: &Job<'t>, jobs: &mut Vec<Job<'t>>) -> Result<Shape> {
        let schema = job.schema;
        Ok(match (field(schema, "items"), field(schema, "properties"), field(schema, "additionalProperties")) {
            (Some(items), _, _) => self.list(items, job, jobs)?,
            (None, Some(_), _) => self.object(job, jobs)?,
            (None, None, Some(value)) if value.kind() == Kind::Mapping => {
                let hint = job.hint.and_then(|hint| hint.field(""));
                Shape::Map(self.reserve(value, hint, jobs))
            }
            _ => match (scalar_type(schema), job.hint.and_then(Hint::shape)) {
                (Some(of), _) => Shape::Scalar(of),
                (None, Some(shape @ Shape::Object(_))) => shape,
                (None, _) => Shape::Free,
            },
        })
    }

    fn object(&mut self, job: &Job<'t>, jobs: &mut Vec<Job<'t>>) -> Result<Shape> {
        let schema = job.schema;
        let hint = self.builtin_type(|| pod::described(schema)).map(Hint::of).or(job.hint);
        let unnamed = self.table.intern("");
        let (owner, id) = self.push_type(unnamed, is_open(schema));
        self.properties(schema, hint, owner, jobs)?;
        if is_true(field(schema, "x-kubernetes-embedded-resource")) {
            self.add_resource_fields(owner);
        }
        Ok(Shape::Object(id))
    }

    fn list(&mut self, items: YamlNode<'t>, job: &Job<'t>, jobs: &mut Vec<Job<'t>>) -> Result<Shape> {
        if items.kind() != Kind::Mapping {
            return Err(SchemaError::at(CrdErrorKind::NotASchema, items));
        }
        let row = self.list_row(items, job)?;
        let item = self.reserve(items, job.hint.and_then(Hint::item), jobs);
        Ok(Shape::List(item, row))
    }

    fn list_row(&mut self, items: YamlNode<'_>, job: &Job<'_>) -> Result<ListRow> {
        let declared = field(job.schema, "x-kubernetes-list-type");
        let keys = self.map_keys(items, job)?;
        match declared.map(YamlNode::value).as_deref() {
            Some("atomic") => Ok(ListRow::Atomic),
            Some("set") => Ok(ListRow::Set),
            Some("map") | None if !keys.is_empty() => Ok(self.push_keys(keys)),
            None => self.undeclared_row(job),
            Some(name) => {
                let kind = if name == "map" { CrdErrorKind::MapKeys } else { CrdErrorKind::ListType };
                Err(SchemaError::at(kind, declared.unwrap_or(job.schema)))
            }
        }
    }

    /// The rule of a list without list type: that of its patch strategy, else that of the same list in a pod.
    fn undeclared_row(&mut self, job: &Job<'_>) -> Result<ListRow> {
        let (patch, merge_key) = self.patch(job.schema)?;
        Ok(match (patch.merges_list(), merge_key) {
            (true, Some(name)) => self.push_keys([KeyRow::required(name)]),
            (true, None) => ListRow::Set,
            (false, _) => self.hinted_row(job),
        })
    }

    /// `x-kubernetes-list-map-keys`, with the defaults that the items' schema gives them.
    fn map_keys(&mut self, items_schema: YamlNode<'_>, job: &Job<'_>) -> Result<Vec<KeyRow>> {
        let mut rows = Vec::new();
        let Some(keys) = field(job.schema, "x-kubernetes-list-map-keys") else { return Ok(rows) };
        for key in items(keys) {
            let name = scalar_text(key).ok_or_else(|| SchemaError::at(CrdErrorKind::MapKeys, key))?;
            let described = field(items_schema, "properties").and_then(|properties| field(properties, &name));
            let default = described.and_then(|schema| field(schema, "default")).and_then(scalar_text);
            let default = default.map(|text| self.table.intern(&text));
            rows.push(KeyRow { default, ..KeyRow::required(self.table.intern(&name)) });
        }
        Ok(rows)
    }

    /// The rule that a list of a pod has.
    fn hinted_row(&mut self, job: &Job<'_>) -> ListRow {
        let Some(hint) = job.hint else { return ListRow::Undeclared };
        match hint.shape() {
            Some(Shape::List(_, ListRow::Keyed { start, len })) => {
                let table = builtin::table();
                let keys = table.key_rows(start, len).iter().map(|&row| table.key(row));
                let rows: Vec<_> = keys
                    .map(|key| KeyRow {
                        name: self.table.intern(key.name),
                        default: key.default.map(|text| self.table.intern(text)),
                        is_unversioned: key.is_unversioned,
                    })
                    .collect();
                self.push_keys(rows)
            }
            Some(Shape::List(_, row)) => row,
            _ => ListRow::Undeclared,
        }
    }

    fn patch(&mut self, schema: YamlNode<'_>) -> Result<(PatchStrategy, Option<Text>)> {
        let strategy = match field(schema, "x-kubernetes-patch-strategy") {
            None => PatchStrategy::Default,
            Some(node) => {
                let strategy = PatchStrategy::parse(&node.value());
                strategy.ok_or_else(|| SchemaError::at(CrdErrorKind::PatchStrategy, node))?
            }
        };
        let merge_key = text_of(schema, "x-kubernetes-patch-merge-key").map(|text| self.table.intern(&text));
        Ok((strategy, merge_key))
    }
}

/// What a schema says that its value is, if it is a scalar.
fn scalar_type(schema: YamlNode<'_>) -> Option<ValueType> {
    let format = text_of(schema, "format");
    if is_true(field(schema, "x-kubernetes-int-or-string")) || format.as_deref() == Some("int-or-string") {
        return Some(ValueType::IntOrString);
    }
    Some(match &*text_of(schema, "type")? {
        "string" if format.as_deref() == Some("byte") => ValueType::Bytes,
        "string" => ValueType::String,
        "integer" => ValueType::Integer,
        "number" => ValueType::Number,
        "boolean" => ValueType::Boolean,
        _ => return None,
    })
}

/// Whether an object may have fields beside those that its schema lists.
fn is_open(schema: YamlNode<'_>) -> bool {
    let additional = field(schema, "additionalProperties");
    is_true(field(schema, "x-kubernetes-preserve-unknown-fields"))
        || additional.is_some_and(|node| node.kind() == Kind::Mapping || is_true(Some(node)))
}

fn map_kind(schema: YamlNode<'_>) -> Result<MapKind> {
    let Some(node) = field(schema, "x-kubernetes-map-type") else { return Ok(MapKind::Inherited) };
    match &*node.value() {
        "atomic" => Ok(MapKind::Atomic),
        "granular" => Ok(MapKind::Granular),
        _ => Err(SchemaError::at(CrdErrorKind::MapType, node)),
    }
}
