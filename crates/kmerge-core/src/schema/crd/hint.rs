//! What a position of a definition is taken for, where the definition itself says nothing.

use crate::schema::builtin;
use crate::schema::table::{NodeId, Shape, TypeId};

/// A position of the built-in table.
#[derive(Clone, Copy)]
pub(super) struct Hint(NodeId);

impl Hint {
    pub(super) const fn of(id: TypeId) -> Self {
        Self(NodeId::Type(id))
    }

    pub(super) fn shape(self) -> Option<Shape> {
        match self.0 {
            NodeId::Type(id) => Some(Shape::Object(id)),
            NodeId::Row(_, index) => builtin::table().node(index).map(|node| node.shape),
        }
    }

    /// The hint for a field of an object or the value of a map.
    pub(super) fn field(self, name: &str) -> Option<Self> {
        match self.shape()? {
            Shape::Object(id) => builtin::table().field(id.index, name).map(Self),
            Shape::Map(value) => Some(Self(value)),
            _ => None,
        }
    }

    /// The hint for the items of a list.
    pub(super) fn item(self) -> Option<Self> {
        match self.shape()? {
            Shape::List(item, _) => Some(Self(item)),
            _ => None,
        }
    }
}
