//! Which fields a kind has, and of what type their values are.
//!
//! The built-in table and definitions know every field of their kinds. A kind that nobody knows, or not in this version,
//! gets no judgement: [`Lookup::Unspecified`]. Types are judged as Kubernetes reads YAML: `yes` is a boolean, `0x10` a
//! number, and null stands for any value that is left out.
//!
//! Ignored on purpose: required fields, ranges, patterns and enumerations.

use std::fmt::{self, Display};

use kyaml_ast::{Kind, Node, Path, Resolved, Segment, similar_names};

use super::Cursor;

/// What the value of a field has to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueType {
    /// Any text, dates and durations among them.
    String,
    /// A number without a fraction.
    Integer,
    /// Any number.
    Number,
    /// `true` or `false`.
    Boolean,
    /// Base64.
    Bytes,
    /// `500m`, `1Gi`, `2`: a string or a number.
    Quantity,
    /// `80` or `http`, `1` or `25%`: a string, or a number without a fraction.
    IntOrString,
    /// A mapping whose fields are known.
    Object,
    /// A mapping with any keys, such as labels.
    Map,
    /// A list.
    List,
    /// Anything.
    Free,
}

/// What a schema says about a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lookup<'s> {
    /// Nothing: nobody knows the kind, or all fields that it has in this version.
    Unspecified,
    /// Anything may stand here: it is inside of a value of any type.
    Free,
    /// The schema has such a place: a field of an object, or the elements of a list.
    Known(Cursor<'s>),
    /// A key of a mapping that may have any keys.
    Key(Cursor<'s>),
    /// There is no such place.
    Unknown {
        /// Which segment of the path leads nowhere, from 0; 0 where a single step was needed.
        segment: usize,
        /// The object that lacks the field, or the value that has no fields or no elements.
        inside: Cursor<'s>,
    },
}

impl<'s> Lookup<'s> {
    /// What the value has to be; `None` if the schema does not say, or has no such place.
    #[must_use]
    pub(crate) fn value_type(self) -> Option<ValueType> {
        match self {
            Self::Known(cursor) | Self::Key(cursor) => cursor.value_type(),
            Self::Free => Some(ValueType::Free),
            Self::Unspecified | Self::Unknown { .. } => None,
        }
    }
}

/// Looks up a path below `root`; which element of a list it names makes no difference.
#[must_use]
pub(crate) fn look_up<'s>(root: Cursor<'s>, path: &Path) -> Lookup<'s> {
    let mut found = Lookup::Known(root);
    for (segment, step_down) in path.segments().into_iter().enumerate() {
        let (Lookup::Known(inside) | Lookup::Key(inside)) = found else { break };
        found = match step(inside, step_down) {
            Lookup::Unknown { inside, .. } => Lookup::Unknown { segment, inside },
            next => next,
        };
    }
    found
}

fn step<'s>(inside: Cursor<'s>, segment: &Segment) -> Lookup<'s> {
    match segment {
        Segment::Field(name) => inside.look_up_field(name),
        Segment::Key(_) | Segment::Value(_) | Segment::Index(_) => inside.look_up_item(),
    }
}

impl<'s> Cursor<'s> {
    /// What the schema says about a field of the mapping here.
    #[must_use]
    pub(crate) fn look_up_field(self, name: &str) -> Lookup<'s> {
        let value = self.field(name);
        match self.value_type() {
            Some(ValueType::Free) => Lookup::Free,
            Some(ValueType::Map) => Lookup::Key(value),
            Some(ValueType::Object) | None => match value.value_type() {
                Some(_) => Lookup::Known(value),
                None if self.is_complete() => Lookup::Unknown { segment: 0, inside: self },
                None => Lookup::Unspecified,
            },
            Some(_) => Lookup::Unknown { segment: 0, inside: self },
        }
    }

    /// What the schema says about the elements of the list here.
    #[must_use]
    pub(crate) fn look_up_item(self) -> Lookup<'s> {
        match self.value_type() {
            None => Lookup::Unspecified,
            Some(ValueType::Free) => Lookup::Free,
            Some(ValueType::List) => Lookup::Known(self.item()),
            Some(_) => Lookup::Unknown { segment: 0, inside: self },
        }
    }

    /// The names of the object's fields that are written almost like this, the most similar first.
    #[must_use]
    pub(crate) fn similar_fields(self, name: &str) -> Vec<String> {
        similar_names(name, self.field_names().map(Into::into))
    }
}

impl ValueType {
    /// Whether a node is a value of this type. What stands for nothing, or is an alias, is one of any.
    #[must_use]
    pub fn fits(self, node: Node<'_>) -> bool {
        match node.kind() {
            Kind::Alias => true,
            Kind::Mapping => matches!(self, Self::Object | Self::Map | Self::Free),
            Kind::Sequence => matches!(self, Self::List | Self::Free),
            _ => match (self, node.resolve(kyaml_ast::ScalarSchema::Kube11)) {
                (Self::Free, _) | (_, None | Some(Resolved::Null | Resolved::Tagged { .. })) => true,
                (_, Some(value)) => self.fits_scalar(&value),
            },
        }
    }
}

impl ValueType {
    /// Whether it is a scalar of some type.
    pub(crate) const fn is_scalar(self) -> bool {
        !matches!(self, Self::Object | Self::Map | Self::List | Self::Free)
    }

    fn fits_scalar(self, value: &Resolved<'_>) -> bool {
        let is_whole = match value {
            Resolved::Int(_) | Resolved::BigInt(_) => true,
            // Kubernetes writes `3.0` as `3` before it looks at the type.
            Resolved::Float(number) => number.fract() == 0.0,
            _ => false,
        };
        let is_number = is_whole || matches!(value, Resolved::Float(_));
        match self {
            Self::String => matches!(value, Resolved::String(_)),
            Self::Integer => is_whole,
            Self::Number => is_number,
            Self::Boolean => matches!(value, Resolved::Bool(_)),
            Self::Bytes => matches!(value, Resolved::String(text) if is_base64(text)),
            Self::Quantity => is_number || matches!(value, Resolved::String(_)),
            Self::IntOrString => is_whole || matches!(value, Resolved::String(_)),
            Self::Object | Self::Map | Self::List => false,
            Self::Free => true,
        }
    }
}

/// Whether a text is base64 as Go reads it: with padding, broken into lines at will.
fn is_base64(text: &str) -> bool {
    let is_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/');
    let bytes: Vec<u8> = text.bytes().filter(|byte| !is_break(byte)).collect();
    let padding = bytes.iter().rev().take_while(|byte| **byte == b'=').count();
    bytes.len().is_multiple_of(4) && padding <= 2 && bytes[..bytes.len() - padding].iter().all(|byte| is_digit(*byte))
}

/// In words, as in "expected …".
impl Display for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::String => "a string",
            Self::Integer => "an integer",
            Self::Number => "a number",
            Self::Boolean => "true or false",
            Self::Bytes => "base64 text",
            Self::Quantity => "a quantity",
            Self::IntOrString => "an integer or a string",
            Self::Object | Self::Map => "a mapping",
            Self::List => "a list",
            Self::Free => "anything",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Schema;

    #[test]
    fn known_unknown_and_free_fields_differ() {
        let schema = Schema::new();
        let deployment = schema.resource("apps", "v1", "Deployment");
        let replicas = look_up(deployment, &".spec.replicas".parse().unwrap());
        assert_eq!(replicas.value_type(), Some(ValueType::Integer));

        let misspelt = look_up(deployment, &".spec.replcias".parse().unwrap());
        let Lookup::Unknown { segment, inside } = misspelt else { panic!("{misspelt:?}") };
        assert_eq!((segment, inside.similar_fields("replcias")), (1, vec!["replicas".to_owned()]));

        let label = look_up(deployment, &".metadata.labels.app".parse().unwrap());
        assert!(matches!(label, Lookup::Key(_)));
    }
}
