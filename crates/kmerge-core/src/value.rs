//! Plain data, as in JSON. The kubectl algorithms compute on it.
//!
//! A [`Value`] has the meaning of a node and its origin: the place where it was read. A changed value keeps its origin.
//! So code that writes the value into a document can find the text that it comes from, with its comments.
//!
//! Invariants: a mapping has each key once, and its keys are sorted, so the order of a walk is always the same. Floats
//! are finite and never `-0.0`. Values read from text are at most 256 levels deep, and merging never deepens them, so
//! functions here and in [`crate::apply`] may recurse. Comparing and ordering use the data only, never origins.

mod json_copy;
mod json_read;
mod json_write;
mod needed;
mod number;
mod print;
mod read;
mod source;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};

use kyaml_ast::{EntryId, NodeId, StreamId};

pub use json_read::JsonError;
pub(crate) use json_write::indented_json;
pub(crate) use json_write::{map_to_json, write_json};
pub(crate) use needed::Needed;
pub use number::Float;
pub(crate) use number::{display_float, json_float};
pub(crate) use print::{field_to_yaml, item_to_yaml, key_to_yaml, to_flow_yaml};
pub use read::ReadError;
pub(crate) use read::ReadErrorKind;
pub(crate) use read::Reader;
pub(crate) use read::field_name;
pub use source::Source;

/// The deepest nesting of a value. Deeper input is refused.
pub(crate) const MAX_DEPTH: usize = 256;

/// The keys of a mapping and their values.
pub type Map = BTreeMap<String, Value>;

/// The meaning of a node, and its origin.
#[derive(Clone, Debug)]
pub struct Value {
    /// The meaning.
    pub data: Data,
    /// The place where it was read. `None` for computed values.
    pub(crate) origin: Option<Origin>,
    /// The place of the last patch that was merged into it.
    pub(crate) patch: Option<Origin>,
}

/// The meaning of a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Data {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer that fits 64 bits.
    Int(i64),
    /// Any other number.
    Float(Float),
    /// Text.
    Text(String),
    /// A sequence.
    List(Vec<Value>),
    /// A mapping.
    Map(Map),
}

/// The place where a value was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Origin {
    /// The stream.
    pub(crate) stream: StreamId,
    /// The place in the stream.
    pub(crate) place: Place,
}

/// A place in a stream that contains a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Place {
    /// The root of a document.
    Root(NodeId),
    /// A field or item.
    Entry(EntryId),
}

impl Place {
    /// The node at the place.
    pub(crate) const fn node(self) -> NodeId {
        match self {
            Self::Root(node) => node,
            Self::Entry(entry) => entry.value,
        }
    }
}

/// The type of a value. kubectl compares only values of the same type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Shape {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// An integer.
    Int,
    /// Any other number.
    Float,
    /// Text.
    Text,
    /// A sequence.
    List,
    /// A mapping.
    Map,
}

impl Value {
    /// A value without an origin.
    #[must_use]
    pub const fn new(data: Data) -> Self {
        Self { data, origin: None, patch: None }
    }

    /// A value that was read at a place, or that uses the text there as a model.
    #[must_use]
    pub(crate) const fn with_origin(data: Data, origin: Option<Origin>) -> Self {
        Self { data, origin, patch: None }
    }

    /// `null` without an origin.
    #[must_use]
    pub const fn null() -> Self {
        Self::new(Data::Null)
    }

    /// Text without an origin.
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::new(Data::Text(text.into()))
    }

    /// A sequence without an origin.
    #[must_use]
    pub const fn list(items: Vec<Self>) -> Self {
        Self::new(Data::List(items))
    }

    /// A mapping without an origin.
    #[must_use]
    pub const fn map(map: Map) -> Self {
        Self::new(Data::Map(map))
    }

    /// The type of the value.
    pub(crate) const fn shape(&self) -> Shape {
        match self.data {
            Data::Null => Shape::Null,
            Data::Bool(_) => Shape::Bool,
            Data::Int(_) => Shape::Int,
            Data::Float(_) => Shape::Float,
            Data::Text(_) => Shape::Text,
            Data::List(_) => Shape::List,
            Data::Map(_) => Shape::Map,
        }
    }

    /// Whether the value is `null`.
    #[must_use]
    pub const fn is_null(&self) -> bool {
        matches!(self.data, Data::Null)
    }

    /// Whether the value is a sequence or mapping.
    #[must_use]
    pub const fn is_collection(&self) -> bool {
        matches!(self.data, Data::List(_) | Data::Map(_))
    }

    /// The text, if the value is text.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The items, if the value is a sequence.
    #[must_use]
    pub fn as_list(&self) -> Option<&[Self]> {
        match &self.data {
            Data::List(items) => Some(items),
            _ => None,
        }
    }

    /// The items, if the value is a sequence.
    #[must_use]
    pub fn as_list_mut(&mut self) -> Option<&mut Vec<Self>> {
        match &mut self.data {
            Data::List(items) => Some(items),
            _ => None,
        }
    }

    /// The fields, if the value is a mapping.
    #[must_use]
    pub const fn as_map(&self) -> Option<&Map> {
        match &self.data {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The fields, if the value is a mapping.
    #[must_use]
    pub const fn as_map_mut(&mut self) -> Option<&mut Map> {
        match &mut self.data {
            Data::Map(map) => Some(map),
            _ => None,
        }
    }

    /// The field with this name, if the value is a mapping that has it.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&Self> {
        self.as_map()?.get(field)
    }

    /// The value at the end of a path of fields.
    ///
    /// ```
    /// let pod = kmerge_core::value::Value::from_json(r#"{"metadata": {"name": "x"}}"#)?;
    /// assert_eq!(pod.at(&["metadata", "name"]).and_then(|name| name.as_text()), Some("x"));
    /// # Ok::<(), kmerge_core::value::JsonError>(())
    /// ```
    #[must_use]
    pub fn at(&self, fields: &[&str]) -> Option<&Self> {
        fields.iter().try_fold(self, |value, field| value.get(field))
    }
}

impl PartialEq for Value {
    fn eq(&self, other: &Self) -> bool {
        self.data == other.data
    }
}

impl Eq for Value {}

impl Hash for Value {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.data.hash(state);
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.data.cmp(&other.data)
    }
}
