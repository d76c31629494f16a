//! Operations of a JSON patch, read from its value.

use super::{JsonPatchError, JsonPatchErrorKind, Pointer};
use crate::value::{Map, Value};

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Operation {
    /// The place that it acts on.
    pub path: Pointer,
    /// What it does.
    pub kind: OperationKind,
}

/// What an operation does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum OperationKind {
    /// Sets a field, or inserts an item.
    Add(Value),
    /// Removes a field or an item.
    Remove,
    /// Sets a value that exists; a field may be missing.
    Replace(Value),
    /// Removes the value at another place and adds it here.
    Move(Pointer),
    /// Adds the value of another place.
    Copy(Pointer),
    /// Fails unless the value is this one.
    Test(Value),
}

/// Reads the operations of a patch.
///
/// # Errors
///
/// If the patch is not a list of well-formed operations.
pub(crate) fn read(patch: &Value) -> Result<Vec<Operation>, JsonPatchError> {
    let Some(operations) = patch.as_list() else {
        let summary = String::new();
        return Err(JsonPatchError { operation: None, summary, kind: JsonPatchErrorKind::NotAList });
    };
    let numbered = operations.iter().enumerate();
    numbered
        .map(|(index, operation)| {
            operation
                .as_map()
                .ok_or(JsonPatchErrorKind::NotAnOperation)
                .and_then(read_one)
                .map_err(|kind| JsonPatchError { operation: Some(index), summary: summary(operation), kind })
        })
        .collect()
}

fn read_one(operation: &Map) -> Result<Operation, JsonPatchErrorKind> {
    let name = operation.get("op").map(text).transpose()?.ok_or(JsonPatchErrorKind::UnknownOperation)?;
    let value = || operation.get("value").cloned().ok_or(JsonPatchErrorKind::NoValue);
    let kind = match name {
        "add" => OperationKind::Add(value()?),
        "remove" => OperationKind::Remove,
        "replace" => OperationKind::Replace(value()?),
        "move" => OperationKind::Move(pointer(operation, "from")?),
        "copy" => OperationKind::Copy(pointer(operation, "from")?),
        "test" => OperationKind::Test(value()?),
        _ => return Err(JsonPatchErrorKind::UnknownOperation),
    };
    Ok(Operation { path: pointer(operation, "path")?, kind })
}

fn pointer(operation: &Map, field: &str) -> Result<Pointer, JsonPatchErrorKind> {
    Pointer::parse(text(operation.get(field).ok_or(JsonPatchErrorKind::NoPointer)?)?)
}

fn text(value: &Value) -> Result<&str, JsonPatchErrorKind> {
    value.as_text().ok_or(JsonPatchErrorKind::NotAnOperation)
}

fn summary(operation: &Value) -> String {
    let field = |name| operation.get(name).and_then(Value::as_text).unwrap_or("?");
    format!("{} {}", field("op"), field("path"))
}

impl Operation {
    /// The places that the operation reads or changes.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Pointer> {
        let other = match &self.kind {
            OperationKind::Move(from) | OperationKind::Copy(from) => Some(from),
            _ => None,
        };
        std::iter::once(&self.path).chain(other)
    }
}

impl OperationKind {
    /// The value of `op`.
    #[must_use]
    pub(crate) const fn name(&self) -> &'static str {
        match self {
            Self::Add(_) => "add",
            Self::Remove => "remove",
            Self::Replace(_) => "replace",
            Self::Move(_) => "move",
            Self::Copy(_) => "copy",
            Self::Test(_) => "test",
        }
    }
}
