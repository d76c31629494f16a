//! The table that ships with the library: Kubernetes' own kinds, and the few that are declared by hand.
//!
//! `cargo xtask schema` writes `builtin.in` from `builtin.txt` (the OpenAPI definitions of Kubernetes v1.25 to v1.37,
//! condensed) and `declared.txt`; in those two a person reads what the table says. The functions here keep its rows short.

use std::borrow::Cow;

use super::PatchStrategy::{self, Default as D, Merge as M, MergeRetainKeys as MR, Replace as R, RetainKeys as RK};
use super::ValueType::{Boolean, Bytes, IntOrString, Integer, Number, Quantity, String as Str};
use super::table::ListRow::{Atomic, Set};
use super::table::MapKind::{self, Atomic as Whole, Granular, Inherited};
use super::table::Shape::{self, Free, List, Map, Object, Scalar};
use super::table::{FieldRow, Gvk, KeyRow, KindRow, ListRow, Node, NodeId, Owner, Table, Text, TypeId, TypeRow};

static TABLE: Table = Table {
    pool: Cow::Borrowed(POOL),
    kinds: Cow::Borrowed(KINDS),
    types: Cow::Borrowed(TYPES),
    fields: Cow::Borrowed(FIELDS),
    nodes: Cow::Borrowed(NODES),
    keys: Cow::Borrowed(KEYS),
};

/// The table.
pub(super) const fn table() -> &'static Table {
    &TABLE
}

include!("builtin.in");

const fn text(start: u32, len: u32) -> Text {
    Text { start, len }
}

const fn id(index: u32) -> TypeId {
    TypeId { owner: Owner::Builtin, index }
}

/// An object of a type.
const fn a(index: u32) -> NodeId {
    NodeId::Type(id(index))
}

/// A position.
const fn n(index: u32) -> NodeId {
    NodeId::Row(Owner::Builtin, index)
}

const fn kind(group: Text, version: Text, kind: Text, root: u32, approximate: bool) -> KindRow {
    KindRow { gvk: Gvk { group, version, kind }, root: id(root), approximate }
}

const fn ty(name: Text, start: u32, len: u32, atomic: bool, open: bool) -> TypeRow {
    TypeRow { name, atomic, open, start, len }
}

const fn field(start: u32, len: u32, node: NodeId) -> FieldRow {
    FieldRow { name: text(start, len), node }
}

const fn node(shape: Shape, patch: PatchStrategy, merge_key: Option<Text>, map_kind: MapKind) -> Node {
    Node { shape, patch, merge_key, map_kind }
}

const fn plain(shape: Shape) -> Node {
    Node::plain(shape)
}

const fn by(start: u32, len: u32) -> ListRow {
    ListRow::Keyed { start, len }
}

const fn key(name: Text, default: Option<Text>) -> KeyRow {
    KeyRow { name, default, is_unversioned: false }
}

/// A key whose values are compared without the version at their end.
const fn unversioned(name: Text, default: Option<Text>) -> KeyRow {
    KeyRow { name, default, is_unversioned: true }
}
