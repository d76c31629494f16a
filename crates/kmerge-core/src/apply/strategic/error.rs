//! Why a strategic merge patch cannot be made or applied, and at which field.

use std::fmt;

use kyaml_ast::{Path, Segment};
use thiserror::Error;

/// An error in a patch, or in the objects that it is made from, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StrategicError {
    /// What is wrong.
    pub(crate) kind: StrategicErrorKind,
    /// The path from the root, innermost step first.
    reversed_path: Vec<Segment>,
}

/// What is wrong with a patch or with the objects that it is made from.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub(crate) enum StrategicErrorKind {
    /// The kind of the object has no such field, so nothing says how to merge its value.
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
    /// A list with values of several types.
    #[error("list items are of different types")]
    MixedItems,
    /// An item that is not a mapping, in a list with a merge key.
    #[error("a list item is not a mapping, but the list has a merge key")]
    NotAMapping,
    /// A list that must be ordered, but has no items and gets none.
    #[error("$setElementOrder cannot order a list without items")]
    NoItems,
    /// A list of lists that must be merged.
    #[error("lists of lists cannot be merged")]
    ListOfLists,
    /// A list with a `null` that must be merged.
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
    /// A field that `$retainKeys` does not list, or a `$retainKeys` that is not a list.
    #[error("$retainKeys does not list every field of its mapping")]
    RetainKeys,
    /// A key that starts like a directive for lists but names no list.
    #[error("malformed directive {0:?}")]
    MalformedDirective(String),
    /// `$setElementOrder` or `$deleteFromPrimitiveList` without a list, at a place where one is needed.
    #[error("expected a list")]
    ExpectedList,
    /// Items of a list that are not in the order of `$setElementOrder`, or are missing in it.
    #[error("the order of the list does not match $setElementOrder")]
    Order,
    /// `$setElementOrder` of mappings for a list without a merge key.
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

    /// Adds the field that contains the place so far.
    pub(super) fn under(self, field: &str) -> Self {
        self.inside(Segment::Field(field.to_owned()))
    }

    /// Adds the step that contains the place so far.
    pub(super) fn inside(mut self, step: Segment) -> Self {
        self.reversed_path.push(step);
        self
    }

    /// The path from the root of the object to the error.
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
