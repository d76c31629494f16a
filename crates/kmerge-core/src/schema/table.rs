//! The table that every source of schema compiles to: kinds, types, their fields, and what the value of each is.
//!
//! Rows point at each other by index, and at their texts by place in the table's pool, so that the built-in table is
//! constant data: nothing is read or sorted before the first lookup, and every lookup is a binary search.
//!
//! Invariants: kinds are sorted by kind and group, and stay in the order of their declaration within; the types of the
//! built-in table are sorted by name, the fields of any type, too.

use std::borrow::Cow;

use super::{Key, PatchStrategy, ValueType};

/// A span of a table's pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Text {
    pub(super) start: u32,
    pub(super) len: u32,
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
    /// The position with this index in a table.
    Row(Owner, u32),
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
    Scalar(ValueType),
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
    /// By `len` keys of the table from `start` on.
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
    pub(super) is_unversioned: bool,
}

impl KeyRow {
    /// A field that every element has.
    pub(super) const fn required(name: Text) -> Self {
        Self { name, default: None, is_unversioned: false }
    }
}

/// A type: an object with these fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct TypeRow {
    /// `core/v1.Container`; empty for what a definition writes in place.
    pub(super) name: Text,
    /// Whether it is one value in a server-side apply.
    pub(super) atomic: bool,
    /// Whether an object may have other fields as well.
    pub(super) open: bool,
    /// Its fields: `len` of the table from `start` on.
    pub(super) start: u32,
    pub(super) len: u32,
}

/// A field of a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FieldRow {
    pub(super) name: Text,
    pub(super) node: NodeId,
}

/// A kind in one version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct KindRow {
    pub(super) gvk: Gvk<Text>,
    pub(super) root: TypeId,
    /// Whether it merges as its type says, but may have other fields.
    pub(super) approximate: bool,
}

/// The type of a kind, and whether the kind has exactly its fields.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Root {
    pub(super) id: TypeId,
    pub(super) is_exact: bool,
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
    pub(super) pool: Cow<'static, str>,
    pub(super) kinds: Cow<'static, [KindRow]>,
    pub(super) types: Cow<'static, [TypeRow]>,
    pub(super) fields: Cow<'static, [FieldRow]>,
    pub(super) nodes: Cow<'static, [Node]>,
    pub(super) keys: Cow<'static, [KeyRow]>,
}

impl Table {
    /// The text that a span of the pool covers.
    pub(super) fn text(&self, text: Text) -> &str {
        self.pool.get(text.start as usize..(text.start + text.len) as usize).unwrap_or_default()
    }

    /// The bytes that a span of the pool covers: comparing needs no character boundaries.
    fn bytes(&self, text: Text) -> &[u8] {
        self.pool.as_bytes().get(text.start as usize..(text.start + text.len) as usize).unwrap_or_default()
    }

    /// The root type of a resource; a version that the table lacks merges as the first declared one of its kind.
    pub(super) fn kind(&self, wanted: Gvk<&str>) -> Option<Root> {
        let key = |row: &KindRow| (self.bytes(row.gvk.kind), self.bytes(row.gvk.group));
        let wanted_key = (wanted.kind.as_bytes(), wanted.group.as_bytes());
        let versions = &self.kinds[self.kinds.partition_point(|row| key(row) < wanted_key)..];
        let versions = &versions[..versions.partition_point(|row| key(row) == wanted_key)];
        let exact = versions.iter().find(|row| self.text(row.gvk.version) == wanted.version);
        let row = exact.or(versions.first())?;
        Some(Root { id: row.root, is_exact: exact.is_some() && !row.approximate })
    }

    /// The fields of a type, sorted by name.
    pub(super) fn fields(&self, type_index: u32) -> &[FieldRow] {
        let row = self.types.get(type_index as usize);
        row.and_then(|row| self.fields.get(row.start as usize..(row.start + row.len) as usize)).unwrap_or_default()
    }

    /// The position of a type's field.
    pub(super) fn field(&self, type_index: u32, name: &str) -> Option<NodeId> {
        let fields = self.fields(type_index);
        let found = fields.binary_search_by(|field| self.bytes(field.name).cmp(name.as_bytes())).ok()?;
        Some(fields[found].node)
    }

    /// The position with this index.
    pub(super) fn node(&self, index: u32) -> Option<Node> {
        self.nodes.get(index as usize).copied()
    }

    /// The keys of a [`ListRow::Keyed`].
    pub(super) fn key_rows(&self, start: u32, len: u32) -> &[KeyRow] {
        self.keys.get(start as usize..(start + len) as usize).unwrap_or_default()
    }

    pub(super) fn key(&self, row: KeyRow) -> Key<'_> {
        let default = row.default.map(|text| self.text(text));
        Key { name: self.text(row.name), default, is_unversioned: row.is_unversioned }
    }

    pub(super) fn type_name(&self, type_index: u32) -> &str {
        self.types.get(type_index as usize).map_or("", |row| self.text(row.name))
    }

    pub(super) fn type_is_atomic(&self, type_index: u32) -> bool {
        self.types.get(type_index as usize).is_some_and(|row| row.atomic)
    }

    /// Whether an object of a type may have other fields as well.
    pub(super) fn type_is_open(&self, type_index: u32) -> bool {
        self.types.get(type_index as usize).is_none_or(|row| row.open)
    }

    /// The type of this name, in a table whose types are sorted by theirs.
    pub(super) fn type_named(&self, name: &str) -> Option<u32> {
        let found = self.types.binary_search_by(|row| self.bytes(row.name).cmp(name.as_bytes())).ok()?;
        Some(found as u32)
    }
}

/// Building.
impl Table {
    /// Appends a text to the pool.
    pub(super) fn intern(&mut self, text: &str) -> Text {
        let start = self.pool.len() as u32;
        self.pool.to_mut().push_str(text);
        Text { start, len: text.len() as u32 }
    }

    /// Appends a type with its fields, of which the first of each name counts.
    pub(super) fn push_type(&mut self, row: TypeRow, mut fields: Vec<FieldRow>) {
        fields.sort_by(|a, b| self.bytes(a.name).cmp(self.bytes(b.name)));
        fields.dedup_by(|later, first| self.bytes(later.name) == self.bytes(first.name));
        let (start, len) = (self.fields.len() as u32, fields.len() as u32);
        self.fields.to_mut().append(&mut fields);
        self.types.to_mut().push(TypeRow { start, len, ..row });
    }

    /// Appends a kind; [`Self::sort_kinds`] has to follow.
    pub(super) fn push_kind(&mut self, Gvk { group, version, kind }: Gvk<&str>, root: TypeId, approximate: bool) {
        let gvk = Gvk { group: self.intern(group), version: self.intern(version), kind: self.intern(kind) };
        self.kinds.to_mut().push(KindRow { gvk, root, approximate });
    }

    /// Restores the order of the kinds after some were pushed.
    pub(super) fn sort_kinds(&mut self) {
        let mut kinds = std::mem::take(&mut self.kinds).into_owned();
        let key = |row: &KindRow| (self.bytes(row.gvk.kind), self.bytes(row.gvk.group));
        kinds.sort_by(|a, b| key(a).cmp(&key(b)));
        self.kinds = Cow::Owned(kinds);
    }
}

/// Looking around in tests.
#[cfg(test)]
impl Table {
    pub(super) fn kinds(&self) -> impl Iterator<Item = Gvk<&str>> {
        self.kinds.iter().map(|row| {
            let Gvk { group, version, kind } = row.gvk;
            Gvk { group: self.text(group), version: self.text(version), kind: self.text(kind) }
        })
    }
}
