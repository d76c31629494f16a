//! Why a strategic merge patch cannot be made or applied, and at which field.

use std::fmt;

use kyaml_ast::{Path, Segment};
use thiserror::Error;

/// A fault of a patch or of the objects that it is made from, and where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StrategicError {
    /// What is wrong.
    pub(crate) kind: StrategicErrorKind,
    /// The way from the root, innermost step first.
    reversed_path: Vec<Segment>,
}

/// What is wrong with a patch or with the objects that it is made from.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub(crate) enum StrategicErrorKind {
    /// The kind of the object has no such field, and its value cannot be merged without knowing how.
    #[error("unknown field {0:?}")]
    UnknownField(String),
    /// An item of a list lacks the field that identifies items.
    #[error("a list item lacks its merge key {0:?}")]
    NoMergeKey(String),
    /// The list's items are mappings, but its kind declares no merge key.
    #[error("a list of mappings without a declared merge key cannot be merged")]
    NoDeclaredKey,
    /// A merge key whose value is a list or mapping.
    #[error("the merge key {0:?} is not a scalar")]
    KeyNotScalar(String),
    /// A list that holds values of several types.
    #[error("list items are of different types")]
    MixedItems,
    /// An item of a list with a merge key that is no mapping.
    #[error("a list item is not a mapping, but the list has a merge key")]
    NotAMapping,
    /// A list that is to be put in order and has no items, nor gets any.
    #[error("$setElementOrder cannot order a list without items")]
    NoItems,
    /// A list that is to be merged and holds lists.
    #[error("lists of lists cannot be merged")]
    ListOfLists,
    /// A list that is to be merged and holds `null`.
    #[error("a list that holds null cannot be merged")]
    NullItem,
    /// A directive `$patch` that is not `replace` or `delete`.
    #[error("unknown directive $patch: {0}")]
    UnknownDirective(String),
    /// A directive `$patch: merge` in a list.
    #[error("$patch: merge is not possible in a list")]
    MergeDirective,
    /// A directive `$patch` that is not text.
    #[error("$patch is not text")]
    DirectiveNotText,
    /// A field that `$retainKeys` does not list, or a `$retainKeys` that is no list.
    #[error("$retainKeys does not list every field of its mapping")]
    RetainKeys,
    /// A key that starts like a directive for lists, but names no list.
    #[error("malformed directive {0:?}")]
    MalformedDirective(String),
    /// `$setElementOrder` or `$deleteFromPrimitiveList` without a list where one is needed.
    #[error("expected a list")]
    ExpectedList,
    /// Items of a list that are not in the order that `$setElementOrder` gives, or not in it at all.
    #[error("the order of the list does not match $setElementOrder")]
    Order,
    /// `$setElementOrder` of mappings for a list that has no merge key.
    #[error("$setElementOrder cannot order a list of mappings without a merge key")]
    OrderWithoutKey,
    /// Two patches with directives that contradict each other.
    #[error("contradicting directives")]
    Contradiction,
}

impl StrategicError {
    pub(super) const fn new(kind: StrategicErrorKind) -> Self {
        Self { kind, reversed_path: Vec::new() }
    }

    /// Adds the field that holds the place seen so far.
    pub(super) fn under(self, field: &str) -> Self {
        self.inside(Segment::Field(field.to_owned()))
    }

    /// Adds the step that leads to the place seen so far.
    pub(super) fn inside(mut self, step: Segment) -> Self {
        self.reversed_path.push(step);
        self
    }

    /// The way from the root of the object to the fault.
    pub(crate) fn path(&self) -> Path {
        self.reversed_path.iter().rev().cloned().collect()
    }
}

impl From<StrategicErrorKind> for StrategicError {
    fn from(kind: StrategicErrorKind) -> Self {
        Self::new(kind)
    }
}

impl std::error::Error for StrategicError {}

impl fmt::Display for StrategicError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}: {}", self.path(), self.kind)
    }
}

/// Result of the functions here.
pub(super) type Result<T> = std::result::Result<T, StrategicError>;
