//! Values of a kustomization or `functionConfig`, with their places in the text.
//!
//! Aliases and YAML merge keys are expanded: a [`Written`] contains values only.

use kyaml_ast::{Node, Span, Stream, StreamId};

use super::kustomization::{KustomizationError, KustomizationErrorKind};
use crate::value::{Data, Place, ReadError, Reader, Source, Value};

/// A value, and the stream that contains it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Written<'v> {
    value: &'v Value,
    stream: &'v Stream<'v>,
}

type Kinds = KustomizationErrorKind;
type Result<T> = std::result::Result<T, KustomizationError>;

/// The value of a node.
///
/// # Errors
///
/// If it cannot be read.
pub(super) fn read(node: Node<'_>) -> std::result::Result<Value, ReadError> {
    Reader::new(&Source::new(node.stream()), StreamId(0)).read(Place::Root(node.id()))
}

impl<'v> Written<'v> {
    pub(super) const fn new(value: &'v Value, stream: &'v Stream<'v>) -> Self {
        Self { value, stream }
    }

    /// The place of the value.
    pub(super) fn span(self) -> Span {
        self.node().map(Node::full_span).unwrap_or_default()
    }

    /// The place of the field or item that has this value.
    pub(super) fn entry_span(self) -> Span {
        match self.value.origin.map(|origin| origin.place) {
            Some(Place::Entry(entry)) => self.stream.entry(entry).span(),
            _ => self.span(),
        }
    }

    /// The node at this place.
    pub(super) fn node(self) -> Option<Node<'v>> {
        self.value.origin.map(|origin| self.stream.node(origin.place.node()))
    }

    pub(super) const fn is_null(self) -> bool {
        self.value.is_null()
    }

    pub(super) const fn is_collection(self) -> bool {
        self.value.is_collection()
    }

    pub(super) const fn is_map(self) -> bool {
        matches!(self.value.data, Data::Map(_))
    }

    pub(super) const fn is_list(self) -> bool {
        matches!(self.value.data, Data::List(_))
    }

    /// Whether the value is empty.
    pub(super) fn is_empty(self) -> bool {
        match &self.value.data {
            Data::Null => true,
            Data::Text(text) => text.is_empty(),
            Data::List(items) => items.is_empty(),
            Data::Map(fields) => fields.is_empty(),
            _ => false,
        }
    }

    /// The fields in order. None if it is not a mapping.
    pub(super) fn fields(self) -> Vec<(&'v str, Self)> {
        let fields = self.value.as_map().into_iter().flatten();
        let mut fields: Vec<_> = fields.map(|(name, value)| (name.as_str(), Self::new(value, self.stream))).collect();
        fields.sort_by_key(|(_, part)| part.span().start);
        fields
    }

    /// A field that exists and is not null.
    pub(super) fn field(self, name: &str) -> Option<Self> {
        let value = self.value.get(name).filter(|value| !value.is_null())?;
        Some(Self::new(value, self.stream))
    }

    /// The items of a field that is a list. Empty if the field is missing.
    ///
    /// # Errors
    ///
    /// If the field is not a list.
    pub(super) fn items_of(self, name: &str) -> Result<Vec<Self>> {
        self.field(name).map_or_else(|| Ok(Vec::new()), |list| list.items(name))
    }

    /// The items of a list. `name` is the list's name for errors.
    ///
    /// # Errors
    ///
    /// If it is not a list.
    pub(super) fn items(self, name: &str) -> Result<Vec<Self>> {
        match self.value.as_list() {
            Some(items) => Ok(items.iter().map(|item| Self::new(item, self.stream)).collect()),
            None => Err(self.error(Kinds::NotAList(name.to_owned()))),
        }
    }

    /// The text of a scalar that is a string.
    pub(super) fn as_text(self) -> Option<&'v str> {
        self.value.as_text()
    }

    /// The text of a field's value.
    ///
    /// # Errors
    ///
    /// If it is something else, for example a number.
    pub(super) fn text(self, name: &str) -> Result<String> {
        match &self.value.data {
            Data::Text(text) => Ok(text.clone()),
            _ if self.is_collection() => Err(self.expected(name, "text")),
            _ => Err(self.expected(name, "text: put it in quotes")),
        }
    }

    /// `true` or `false`
    ///
    /// # Errors
    ///
    /// If it is something else.
    pub(super) fn flag(self, name: &str) -> Result<bool> {
        match self.value.data {
            Data::Bool(value) => Ok(value),
            _ => Err(self.expected(name, "true or false")),
        }
    }

    /// A whole number.
    ///
    /// # Errors
    ///
    /// If it is something else.
    pub(super) fn number(self, name: &str) -> Result<i64> {
        match self.value.data {
            Data::Int(value) => Ok(value),
            _ => Err(self.expected(name, "a whole number")),
        }
    }

    pub(super) fn expected(self, name: &str, what: &'static str) -> KustomizationError {
        self.error(Kinds::Expected(name.to_owned(), what))
    }

    pub(super) fn error(self, kind: Kinds) -> KustomizationError {
        KustomizationError { kind, span: self.span() }
    }

    /// Checks that a mapping has only these fields.
    ///
    /// # Errors
    ///
    /// The first other field; or a value that is not a mapping.
    pub(super) fn only(self, what: &str, known: &[&str]) -> Result<()> {
        if !self.is_map() {
            return Err(self.expected(what, "a mapping"));
        }
        let other = self.fields().into_iter().find(|(name, _)| !known.contains(name));
        other.map_or(Ok(()), |(name, part)| {
            let kind = Kinds::UnknownFieldOf(what.to_owned(), name.to_owned(), known.join(", "));
            Err(KustomizationError { kind, span: part.entry_span() })
        })
    }
}
