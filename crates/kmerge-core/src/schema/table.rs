//! The table that every source of schema compiles to: kinds, and types whose fields are read when first needed.
//!
//! Invariants: kinds are sorted by kind and group, and stay in the order of their declaration within; a type's fields
//! are sorted by name. Texts are spans of the table's pool. A type of the built-in table is still text when the table
//! is made ([`Body`] comes from [`super::text`] on the first look); one of a definition is complete.

use std::borrow::Cow;
use std::sync::OnceLock;

use super::{Key, PatchStrategy, text};

/// A span of a table's pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text {
    start: u32,
    len: u32,
}

/// Which table something belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// What ships with the library.
    Builtin,
    /// What custom resource definitions add.
    Crds,
}

/// A type of one of the two tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeId {
    pub(super) owner: Owner,
    pub(super) index: u32,
}

/// A position of a schema: what the value of some field, map or list item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeId {
    /// An object of a type, without a word of its own.
    Type(TypeId),
    /// The position with this index among those of a type's body.
    Local(TypeId, u32),
}

/// What a value looks like and how it merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node {
    pub(super) shape: Shape,
    pub(super) patch: PatchStrategy,
    /// The single key of a strategic merge.
    pub(super) merge_key: Option<Text>,
    pub(super) map_kind: MapKind,
}

impl Node {
    pub(super) const fn plain(shape: Shape) -> Self {
        Self { shape, patch: PatchStrategy::Default, merge_key: None, map_kind: MapKind::Inherited }
    }
}

/// What a value looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// A scalar, or an object of nothing but scalars.
    Scalar,
    /// Anything.
    Free,
    Object(TypeId),
    Map(NodeId),
    List(NodeId, ListRow),
}

/// Whether an object or map is one value; a position's own word overrides its type's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum MapKind {
    Inherited,
    Atomic,
    Granular,
}

/// How a list merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListRow {
    /// Nothing is said.
    Undeclared,
    Atomic,
    Set,
    /// By `len` keys of the body from `start` on.
    Keyed {
        start: u32,
        len: u32,
    },
}

/// A key of a list's elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KeyRow {
    pub(super) name: Text,
    pub(super) default: Option<Text>,
}

/// The fields of a type, and the positions and keys that they speak of.
#[derive(Clone, Debug, Default)]
pub(super) struct Body {
    pub(super) fields: Vec<(Text, NodeId)>,
    pub(super) nodes: Vec<Node>,
    pub(super) keys: Vec<KeyRow>,
}

impl Body {
    /// Appends a position to the body of `owner`.
    pub(super) fn push(&mut self, owner: TypeId, node: Node) -> NodeId {
        self.nodes.push(node);
        NodeId::Local(owner, self.nodes.len() as u32 - 1)
    }

    /// Appends keys.
    pub(super) fn push_keys(&mut self, keys: impl IntoIterator<Item = KeyRow>) -> ListRow {
        let start = self.keys.len() as u32;
        self.keys.extend(keys);
        ListRow::Keyed { start, len: self.keys.len() as u32 - start }
    }
}

#[derive(Clone, Debug)]
struct TypeRow {
    name: Text,
    atomic: bool,
    body: OnceLock<Box<Body>>,
    /// The lines that the body is read from.
    lines: Text,
}

#[derive(Clone, Copy, Debug)]
struct KindRow {
    gvk: Gvk<Text>,
    root: TypeId,
}

/// A group, a version and a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Gvk<T> {
    pub(super) group: T,
    pub(super) version: T,
    pub(super) kind: T,
}

/// A compiled schema; see the module for its invariants.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    pool: Cow<'static, str>,
    kinds: Vec<KindRow>,
    types: Vec<TypeRow>,
}

impl Table {
    /// The text that a span of the pool covers.
    pub(super) fn text(&self, text: Text) -> &str {
        self.pool.get(text.start as usize..(text.start + text.len) as usize).unwrap_or_default()
    }

    /// The same as bytes: comparing needs no character boundaries.
    fn bytes(&self, text: Text) -> &[u8] {
        self.pool.as_bytes().get(text.start as usize..(text.start + text.len) as usize).unwrap_or_default()
    }

    /// The root type of a resource; a version that the table lacks merges as the first declared one of its kind.
    pub(super) fn kind(&self, wanted: Gvk<&str>) -> Option<TypeId> {
        let key = |row: &KindRow| (self.bytes(row.gvk.kind), self.bytes(row.gvk.group));
        let wanted_key = (wanted.kind.as_bytes(), wanted.group.as_bytes());
        let versions = &self.kinds[self.kinds.partition_point(|row| key(row) < wanted_key)..];
        let versions = &versions[..versions.partition_point(|row| key(row) == wanted_key)];
        let exact = versions.iter().find(|row| self.text(row.gvk.version) == wanted.version);
        exact.or(versions.first()).map(|row| row.root)
    }

    /// The position of a type's field.
    pub(super) fn field(&self, type_index: u32, name: &str) -> Option<NodeId> {
        let fields = &self.body(type_index)?.fields;
        let found = fields.binary_search_by(|&(field, _)| self.bytes(field).cmp(name.as_bytes())).ok()?;
        Some(fields[found].1)
    }

    /// The position with this index in a type's body.
    pub(super) fn local(&self, type_index: u32, index: u32) -> Option<Node> {
        self.body(type_index)?.nodes.get(index as usize).copied()
    }

    /// The keys of a [`ListRow::Keyed`] in a type's body.
    pub(super) fn key_rows(&self, type_index: u32, start: u32, len: u32) -> &[KeyRow] {
        let keys = self.body(type_index).map(|body| body.keys.as_slice()).unwrap_or_default();
        keys.get(start as usize..(start + len) as usize).unwrap_or_default()
    }

    pub(super) fn key(&self, row: KeyRow) -> Key<'_> {
        Key { name: self.text(row.name), default: row.default.map(|text| self.text(text)) }
    }

    pub(super) fn type_name(&self, type_index: u32) -> &str {
        self.types.get(type_index as usize).map_or("", |row| self.text(row.name))
    }

    pub(super) fn type_is_atomic(&self, type_index: u32) -> bool {
        self.types.get(type_index as usize).is_some_and(|row| row.atomic)
    }

    /// The type of this name, in a table whose types are sorted by theirs.
    pub(super) fn type_named(&self, name: &str) -> Option<u32> {
        let found = self.types.binary_search_by(|row| self.bytes(row.name).cmp(name.as_bytes())).ok()?;
        Some(found as u32)
    }

    pub(super) fn body(&self, type_index: u32) -> Option<&Body> {
        let row = self.types.get(type_index as usize)?;
        Some(row.body.get_or_init(|| {
            let body = text::body(self, type_index, self.text(row.lines));
            Box::new(body.expect("only the built-in table is text, and a test reads all of it"))
        }))
    }
}

/// Building.
impl Table {
    /// A table over texts that all lie in `pool`.
    pub(super) fn over(pool: &'static str) -> Self {
        Self { pool: Cow::Borrowed(pool), ..Self::default() }
    }

    /// The span of a text that lies in the pool.
    pub(super) fn span_of(&self, part: &str) -> Text {
        let start = (part.as_ptr() as usize).wrapping_sub(self.pool.as_ptr() as usize);
        debug_assert!(start + part.len() <= self.pool.len(), "a text from elsewhere");
        Text { start: start as u32, len: part.len() as u32 }
    }

    /// Appends a type that is still text.
    pub(super) fn push_text_type(&mut self, name: &str, atomic: bool, lines: &str) {
        let (name, lines) = (self.span_of(name), self.span_of(lines));
        self.types.push(TypeRow { name, atomic, body: OnceLock::new(), lines });
    }

    /// Appends a text to the pool.
    pub(super) fn intern(&mut self, text: &str) -> Text {
        let start = self.pool.len() as u32;
        self.pool.to_mut().push_str(text);
        Text { start, len: text.len() as u32 }
    }

    /// Appends a type that is complete but for the order of its fields.
    pub(super) fn push_type(&mut self, name: Text, mut body: Body) {
        body.fields.sort_by(|&(a, _), &(b, _)| self.bytes(a).cmp(self.bytes(b)));
        let body = OnceLock::from(Box::new(body));
        self.types.push(TypeRow { name, atomic: false, body, lines: name });
    }

    pub(super) fn type_count(&self) -> u32 {
        self.types.len() as u32
    }

    /// Appends a kind; [`Self::sort_kinds`] has to follow.
    pub(super) fn push_kind(&mut self, gvk: Gvk<Text>, root: TypeId) {
        self.kinds.push(KindRow { gvk, root });
    }

    /// Restores the order of the types by name after some were pushed.
    pub(super) fn sort_types(&mut self) {
        let mut types = std::mem::take(&mut self.types);
        types.sort_by(|a, b| self.bytes(a.name).cmp(self.bytes(b.name)));
        self.types = types;
    }

    /// Restores the order of the kinds after some were pushed.
    pub(super) fn sort_kinds(&mut self) {
        let mut kinds = std::mem::take(&mut self.kinds);
        let key = |row: &KindRow| (self.bytes(row.gvk.kind), self.bytes(row.gvk.group));
        kinds.sort_by(|a, b| key(a).cmp(&key(b)));
        self.kinds = kinds;
    }
}

/// Looking around in tests.
#[cfg(test)]
impl Table {
    pub(super) fn kinds(&self) -> impl Iterator<Item = (Gvk<&str>, TypeId)> {
        self.kinds.iter().map(|row| {
            let Gvk { group, version, kind } = row.gvk;
            (Gvk { group: self.text(group), version: self.text(version), kind: self.text(kind) }, row.root)
        })
    }
}
